#include "mnist/mnist_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "mdgp/data/read_table.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/io/options.h"
#include "mnist/drawn.h"
#include "testing/temporary_folder.h"

namespace mdgp::experiments {
namespace {

using fixture::TemporaryFolder;

constexpr Index kTrain = 90, kTest = 12;

// Image i has its number in the first two pixels, 100 in the third, and else nothing.
LabelledImages numbered(Index count) {
  LabelledImages out;
  out.images = {count, kSide, kSide, std::vector<Pixel>(static_cast<std::size_t>(count * kPixels))};
  for (Index i = 0; i < count; ++i) {
    Pixel* image = out.images.pixels.data() + i * kPixels;
    image[0] = static_cast<Pixel>(i / 16);
    image[1] = static_cast<Pixel>(i % 16);
    image[2] = 100;
    out.labels.push_back(static_cast<int>(i % kDigits));
  }
  return out;
}

// Two photographs: one even, which must not be used, one of stripes 40 and 80.
MnistData some_mnist() {
  MnistData data;
  data.origin = "rebuilt";
  data.train.push_back(numbered(kTrain));
  data.test.push_back(numbered(kTest));
  data.photographs = {2, 40, 50, std::vector<Pixel>(4000, 70)};
  for (std::size_t i = 0; i < 2000; ++i) data.photographs.pixels[2000 + i] = i % 2 ? 40 : 80;
  return data;
}

MnistData original_mnist() {
  MnistData data;
  data.origin = "original";
  for (int task = 0; task < kMnistTaskCount; ++task) {
    data.train.push_back(numbered(kTrain - task));
    data.test.push_back(numbered(kTest + task));
  }
  return data;
}

// Grey levels from 0 to 255.
std::vector<int> levels(const MnistDraw& draw, const Vector& x) {
  const Vector pixels = to_pixels(draw, x);
  std::vector<int> out;
  for (const double p : pixels) {
    EXPECT_NEAR(255.0 * p, std::round(255.0 * p), 1e-9);
    out.push_back(static_cast<int>(std::lround(255.0 * p)));
  }
  return out;
}

std::vector<int> train_levels(const MnistDraw& draw, Index row) {
  return levels(draw, draw.train.x.row(row));
}

std::vector<int> test_levels(const MnistDraw& draw, std::size_t task, Index row) {
  return levels(draw, draw.test_x[task].row(row));
}

TEST(MnistDraws, HaveEqualTasks) {
  const MnistDraw d = draw(some_mnist(), 30, 0, 1);
  EXPECT_EQ(d.train.x.rows(), 90);
  EXPECT_EQ(d.train.x.cols(), 784);
  std::vector<int> count(3, 0);
  for (const Observation& o : d.train.observations) ++count[static_cast<std::size_t>(o.task)];
  EXPECT_EQ(count, (std::vector<int>{30, 30, 30}));
  ASSERT_EQ(d.schema.tasks.size(), 3U);
  EXPECT_EQ(d.schema.tasks[1].name, "random");
  EXPECT_EQ(d.schema.tasks[2].labels.size(), 10U);
  EXPECT_EQ(d.schema.inputs[783].name, "p783");
  for (const Matrix& x : d.test_x) EXPECT_EQ(x.rows(), kTest);
}

TEST(MnistDraws, StandardDigitsAreAsTheyWere) {
  const MnistDraw d = draw(some_mnist(), 20, 0, 1);
  for (Index row = 0; row < 20; ++row) {
    const std::vector<int> image = train_levels(d, row);
    const int number = image[0] * 16 + image[1];
    EXPECT_EQ(d.train.observations[static_cast<std::size_t>(row)].y, number % 10);
    EXPECT_EQ(image[2], 100);
    EXPECT_EQ(std::set<int>(image.begin() + 3, image.end()), std::set<int>{0});
  }
  EXPECT_EQ(test_levels(d, 0, 7)[1], 7);
  EXPECT_EQ(d.test_y[0][7], 7);
}

TEST(MnistDraws, RandomBackgroundsAreUniform) {
  const MnistDraw d = draw(some_mnist(), 30, 0, 1);
  double sum = 0.0, count = 0.0;
  std::set<int> seen;
  for (Index row = 30; row < 60; ++row) {
    const std::vector<int> image = train_levels(d, row);
    EXPECT_GE(image[2], 100);  // the digit is not covered
    for (std::size_t i = 3; i < image.size(); ++i) sum += image[i], count += 1.0;
    seen.insert(image.begin(), image.end());
  }
  EXPECT_NEAR(sum / count, 127.5, 5.0 * 73.9 / std::sqrt(count));
  EXPECT_EQ(seen.size(), 256U);
}

TEST(MnistDraws, PhotographsThatAreEvenArePassedOver) {
  const MnistDraw d = draw(some_mnist(), 30, 0, 1);
  std::set<int> offsets;
  for (Index row = 60; row < 90; ++row) {
    const std::vector<int> image = train_levels(d, row);
    EXPECT_EQ(image[2], 100);
    EXPECT_EQ(std::set<int>(image.begin() + 3, image.end()), (std::set<int>{40, 80}));
    offsets.insert(image[5]);
  }
  EXPECT_EQ(offsets.size(), 2U);
  MnistData even = some_mnist();
  even.photographs.count = 1;
  EXPECT_THROW(draw(even, 30, 0, 1), TableError);
}

TEST(MnistDraws, NoDigitServesTwoTasks) {
  MnistData data = some_mnist();
  data.photographs.pixels.assign(4000, 0);  // hides nothing
  for (std::size_t i = 0; i < 4000; i += 50) data.photographs.pixels[i + 40] = 255;
  // The order of labels tells the digits apart: every digit is a number from 0 to 89.
  std::vector<int> labels(10, 0);
  for (const Observation& o : draw(data, 30, 3, 1).train.observations) {
    ++labels[static_cast<std::size_t>(o.y)];
  }
  EXPECT_EQ(labels, std::vector<int>(10, 9));  // all 90, each once
}

TEST(MnistDraws, DependOnSeedAndRun) {
  const MnistData data = some_mnist();
  const Matrix x = draw(data, 20, 2, 1).train.x;
  EXPECT_EQ(draw(data, 20, 2, 1).train.x, x);
  EXPECT_NE(draw(data, 20, 3, 1).train.x, x);
  EXPECT_NE(draw(data, 20, 2, 2).train.x, x);
}

TEST(MnistDraws, TestImagesDependOnTheSeedOnly) {
  const MnistData data = some_mnist();
  const MnistDraw a = draw(data, 20, 0, 1), b = draw(data, 20, 5, 1), c = draw(data, 20, 0, 2);
  for (const std::size_t task : {0U, 1U, 2U}) {
    EXPECT_EQ(test_levels(a, task, 3), test_levels(b, task, 3));
    EXPECT_EQ(test_levels(a, task, 3) != test_levels(c, task, 3), task > 0);
  }
}

TEST(MnistDraws, InputsAreCentredWithOneDeviation) {
  const MnistDraw d = draw(some_mnist(), 30, 1, 1);
  EXPECT_LT(d.train.x.colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(d.train.x.squaredNorm() / static_cast<double>(d.train.x.size()), 1.0, 1e-12);
  for (const InputColumn& input : d.schema.inputs) {
    EXPECT_EQ(input.deviation, d.schema.inputs.front().deviation);
  }
}

TEST(MnistDraws, OriginalImagesStayAsTheyAre) {
  const MnistData data = original_mnist();
  EXPECT_EQ(drawable(data), kTrain - 2);
  const MnistDraw d = draw(data, 40, 0, 1);
  for (Index row = 0; row < 120; ++row) {
    const std::vector<int> image = train_levels(d, row);
    EXPECT_EQ(d.train.observations[static_cast<std::size_t>(row)].y,
              (image[0] * 16 + image[1]) % 10);
    EXPECT_EQ(std::set<int>(image.begin() + 3, image.end()), std::set<int>{0});
  }
  EXPECT_EQ(d.test_x[2].rows(), kTest + 2);
}

TEST(MnistDraws, RefuseWhatThereIsNot) {
  const MnistData data = some_mnist();
  EXPECT_EQ(drawable(data), 30);
  EXPECT_THROW(draw(data, 31, 0, 1), std::invalid_argument);
  EXPECT_THROW(draw(data, 0, 0, 1), std::invalid_argument);
}

TEST(MnistDraws, AClassWithoutImagesIsSaid) {
  MnistData data = some_mnist();
  try {
    check_draws(data, 5, 3, 1);
    ADD_FAILURE() << "five images of ten digits";
  } catch (const OptionError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("--size 5: run 0 has no training image of the digit "))
        << error.what();
  }
  data = draw_mnist();
  EXPECT_NO_THROW(check_draws(data, 1000, 10, 1));
  for (int& label : data.train.front().labels) label = label == 7 ? 1 : label;
  EXPECT_THROW(check_draws(data, 1000, 10, 1), OptionError);
}

// --- Drawn by rule -----------------------------------------------------------------------------

TEST(MnistDrawn, DigitsHaveInkAwayFromTheMargin) {
  const LabelledImages digits = draw_digits(500, 0, 1);
  for (Index i = 0; i < 500; ++i) {
    const Pixel* image = digits.images.image(i);
    double ink = 0.0;
    for (Index k = 0; k < kPixels; ++k) ink += image[k] / 255.0;
    EXPECT_GT(ink, 20.0) << i;
    EXPECT_LT(ink, 260.0) << i;
    EXPECT_EQ(image[0], 0);
    EXPECT_EQ(image[kPixels - 1], 0);
  }
}

// A digit's nearest mean image is mostly its own digit's: the classes can be told apart, and not
// trivially.
TEST(MnistDrawn, DigitsCanBeToldApart) {
  const LabelledImages train = draw_digits(2000, 0, 1), test = draw_digits(1000, 1, 1);
  const auto row = [](const LabelledImages& set, Index i) {
    return Vector(
        Eigen::Map<const Eigen::Matrix<Pixel, Eigen::Dynamic, 1>>(set.images.image(i), kPixels)
            .cast<double>());
  };
  Matrix mean = Matrix::Zero(kPixels, kDigits);
  for (Index i = 0; i < train.count(); ++i) mean.col(i % kDigits) += row(train, i) / 200.0;
  double right = 0.0;
  for (Index i = 0; i < test.count(); ++i) {
    Index nearest = 0;
    (mean.colwise() - row(test, i)).colwise().squaredNorm().minCoeff(&nearest);
    right += nearest == i % kDigits ? 1.0 : 0.0;
  }
  EXPECT_GT(right / 1000.0, 0.7);
  EXPECT_LT(right / 1000.0, 0.99);
}

TEST(MnistDrawn, SetsDiffer) {
  EXPECT_EQ(draw_digits(20, 0, 1).images.pixels, draw_digits(20, 0, 1).images.pixels);
  EXPECT_NE(draw_digits(20, 0, 1).images.pixels, draw_digits(20, 1, 1).images.pixels);
  EXPECT_NE(draw_textures(2, 40, 40, 1).pixels, draw_textures(2, 40, 40, 2).pixels);
}

// --- Folders -----------------------------------------------------------------------------------

void write_file(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string idx(char magic, const std::vector<Index>& sizes, const std::string& bytes) {
  std::string out = {0, 0, 8, magic};
  for (const Index size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  }
  return out + bytes;
}

void write_digits(const std::string& folder, const std::string& split, Index count) {
  const LabelledImages digits = numbered(count);
  const auto& p = digits.images.pixels;
  write_file(folder + "/" + split + "-images-idx3-ubyte",
             idx(3, {count, 28, 28}, std::string(p.begin(), p.end())));
  write_file(folder + "/" + split + "-labels-idx1-ubyte",
             idx(1, {count}, std::string(digits.labels.begin(), digits.labels.end())));
}

void write_photographs(const std::string& folder, Index count, Index side) {
  write_file(
      folder + "/backgrounds-idx3-ubyte",
      idx(3, {count, side, side}, std::string(static_cast<std::size_t>(count * side * side), 'x')));
}

TEST(MnistFolders, HoldTheFilesOrTheirFolders) {
  const TemporaryFolder folder;
  for (const auto& [name, digits, photographs] :
       {std::tuple("flat", "", ""), std::tuple("deep", "/mnist", "/mnist_backgrounds")}) {
    const std::string root = folder.file(name);
    write_digits(root + digits, "train", 40);
    write_digits(root + digits, "t10k", 20);
    write_photographs(root + photographs, 24, 30);
    const MnistData data = load_mnist(root, "--data");
    EXPECT_EQ(data.origin, "rebuilt");
    EXPECT_EQ(data.train.front().count(), 40);
    EXPECT_EQ(data.test.front().count(), 20);
    EXPECT_EQ(data.photographs.count, 20);
    EXPECT_EQ(data.photographs.pixels.size(), 20U * 900U);
    MnistData other = data;
    other.test.back().labels[0] += 1;
    EXPECT_NE(checksum(other), checksum(data));
    other.origin = "drawn";
    EXPECT_EQ(checksum(other), "");
  }
}

TEST(MnistFolders, OriginalFilesComeFirst) {
  const TemporaryFolder folder;
  std::string line;
  for (int i = 0; i < 784; ++i) line += "0.5 ";
  for (const char* name : {"mnist", "mnist_background_random", "mnist_background_images"}) {
    write_file(folder.file(fmt::format("{}_train.amat", name)), line + "3\n" + line + "4\n");
    write_file(folder.file(fmt::format("{}_test.amat", name)), line + "5\n");
  }
  const MnistData data = load_mnist(folder.file(""), "--data");
  EXPECT_EQ(data.origin, "original");
  EXPECT_FALSE(data.rebuilt());
  ASSERT_EQ(data.train.size(), 3U);
  EXPECT_EQ(data.train[2].labels, (std::vector<int>{3, 4}));
  EXPECT_EQ(data.test[1].labels, std::vector<int>{5});
}

std::string load_error(const std::string& folder) {
  try {
    load_mnist(folder, "--data");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(MnistFolders, WhatIsMissingIsNamed) {
  const TemporaryFolder folder;
  const std::string root = folder.file("root");
  EXPECT_EQ(load_error(root),
            fmt::format("--data {}: no such directory; without data digits are drawn", root));
  std::filesystem::create_directories(root);
  const auto missing = [&](const char* name) {
    return fmt::format(
        "--data {}: {} is not there, neither as it is nor as .gz, nor in its folders "
        "mnist_variations, mnist and mnist_backgrounds",
        root, name);
  };
  EXPECT_EQ(load_error(root), missing("backgrounds-idx3-ubyte"));
  write_photographs(root, 2, 30);
  EXPECT_EQ(load_error(root), missing("t10k-images-idx3-ubyte"));
  write_digits(root, "t10k", 20);
  EXPECT_EQ(load_error(root), missing("train-images-idx3-ubyte"));
  write_photographs(root, 2, 20);
  EXPECT_EQ(
      load_error(root),
      fmt::format("{}/backgrounds-idx3-ubyte: its photographs have 20 x 20 pixels, fewer than "
                  "the digits' 28",
                  root));
}

}  // namespace
}  // namespace mdgp::experiments
