#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "mdgp/data/read_table.h"
#include "mnist/amat.h"
#include "mnist/idx.h"
#include "testing/temporary_folder.h"

namespace mdgp::experiments {
namespace {

using fixture::TemporaryFolder;

std::string big_endian(std::uint32_t n) {
  return {static_cast<char>(n >> 24U), static_cast<char>(n >> 16U), static_cast<char>(n >> 8U),
          static_cast<char>(n)};
}

std::string image_header(std::uint32_t count, std::uint32_t rows, std::uint32_t cols) {
  return big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(cols);
}

std::string label_file(const std::string& labels) {
  return big_endian(0x801) + big_endian(static_cast<std::uint32_t>(labels.size())) + labels;
}

// A line of an .amat file: all pixels alike, but for the last.
std::string amat_line(const std::string& pixel, const std::string& last, const std::string& label,
                      int pixels = kPixels) {
  std::string line;
  for (int i = 1; i < pixels; ++i) line += pixel + " ";
  return line + last + " " + label + "\n";
}

class MnistFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_.file(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string write_packed(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_.file(name);
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path;
  }
  // The error must be the path and then this.
  template <class Read>
  void refuses(const Read& read, const std::string& path, const std::string& what) const {
    try {
      read(path);
      ADD_FAILURE() << "read: " << what;
    } catch (const TableError& error) {
      EXPECT_EQ(error.what(), path + what);
    }
  }

  TemporaryFolder folder_;
};

using MnistIdx = MnistFiles;
using MnistAmat = MnistFiles;

TEST_F(MnistIdx, ImagesAreReadPlainAndPacked) {
  const std::string bytes = image_header(2, 2, 3) + std::string("\x00\x01\x02\x03\x04\xff", 6) +
                            std::string("\x0a\x0b\x0c\x0d\x0e\x0f", 6);
  for (const std::string& path : {write("plain", bytes), write_packed("packed", bytes)}) {
    const Images images = read_idx_images(path);
    EXPECT_EQ(images.count, 2);
    EXPECT_EQ(images.rows, 2);
    EXPECT_EQ(images.cols, 3);
    EXPECT_EQ(images.image(0)[5], 255);
    EXPECT_EQ(images.image(1)[0], 10);
  }
}

TEST_F(MnistIdx, LabelsAreRead) {
  EXPECT_EQ(read_idx_labels(write("l", label_file(std::string("\x07\x00\x09", 3)))),
            (std::vector<int>{7, 0, 9}));
}

TEST_F(MnistIdx, RefusesWhatIsNotImages) {
  const auto read = [](const std::string& path) { read_idx_images(path); };
  refuses(read, write("a", ""), ": ends within its header; is the file complete?");
  refuses(read, write("b", label_file("abc")),
          ": begins with 0x00000801, but a file of images begins with 0x00000803");
  refuses(read, write("c", big_endian(0x803) + "ab"),
          ": ends within its header; is the file complete?");
  refuses(read, write("d", image_header(3, 1, 2) + "abcde"),
          ": ends within image 2 of 3; is the file complete?");
  refuses(read, write("e", image_header(1, 1, 2) + "abc"),
          ": goes on after the last of the 1 images that it says it has");
  refuses(read, write("f", image_header(0, 1, 2)), ": has no images");
  refuses(read, write("g", image_header(1, 0, 2)),
          ": has images of 0 x 2 pixels, but sides must be from 1 to 16384");
  refuses(read, folder_.file("none"), ": no such file");
}

TEST_F(MnistIdx, ClaimedSizesCostNothing) {
  const auto read = [](const std::string& path) { read_idx_images(path); };
  refuses(
      read, write("a", image_header(0xffffffff, 16384, 16384)),
      ": says that it has 4294967295 images of 268435456 bytes; more than 1024 MB are not read");
  refuses(read, write("b", image_header(0x40000000, 1, 1) + "x"),
          ": ends within image 1 of 1073741824; is the file complete?");
}

TEST_F(MnistIdx, RefusesPackedDataThatAreCut) {
  const std::string path = write_packed("packed", image_header(9, 28, 28) + std::string(7056, 'x'));
  std::filesystem::resize_file(path, 30);
  refuses([](const std::string& p) { read_idx_images(p); }, path,
          ": the compressed data ends in the middle; is the file complete?");
}

TEST_F(MnistIdx, RefusesLabelsThatAreNotDigits) {
  refuses([](const std::string& path) { read_idx_labels(path); },
          write("l", label_file(std::string("\x07\x0a", 2))),
          ": label 1 is 10, but must be from 0 to 9");
}

TEST_F(MnistIdx, RefusesImagesAndLabelsThatDoNotFit) {
  const std::string labels = write("labels", label_file(std::string("\x01\x02", 2)));
  const std::string one = write("one", image_header(1, 28, 28) + std::string(784, 'x'));
  refuses([&](const std::string& path) { read_idx_digits(one, path); }, labels,
          fmt::format(": 2 labels, but {} has 1 images", one));
  refuses([&](const std::string& path) { read_idx_digits(path, labels); },
          write("small", image_header(2, 1, 1) + "ab"),
          ": its images have 1 x 1 pixels, but must have 28 x 28");
}

TEST_F(MnistAmat, LinesAreRead) {
  const std::string bytes = amat_line("0.5", "0.99609375", "3.0000000") + "\n" + "   " +
                            amat_line("0", "1.0", "9.000000000000000000e+00");
  for (const std::string& path : {write("plain", bytes), write_packed("packed", bytes),
                                  write("open", bytes.substr(0, bytes.size() - 1))}) {
    const LabelledImages images = read_amat(path);
    EXPECT_EQ(images.count(), 2);
    EXPECT_EQ(images.labels, (std::vector<int>{3, 9}));
    EXPECT_EQ(images.images.image(0)[0], 128);
    EXPECT_EQ(images.images.image(0)[783], 255);
    EXPECT_EQ(images.images.image(1)[0], 0);
    EXPECT_EQ(images.images.image(1)[783], 255);
  }
}

TEST_F(MnistAmat, ManyLinesAreRead) {  // more than one piece of the file
  std::string bytes;
  for (int i = 0; i < 700; ++i) bytes += amat_line("0.25", "0.75", fmt::format("{}", i % 10));
  const LabelledImages images = read_amat(write("many", bytes));
  ASSERT_EQ(images.count(), 700);
  for (int i = 0; i < 700; ++i) {
    EXPECT_EQ(images.labels[static_cast<std::size_t>(i)], i % 10);
    EXPECT_EQ(images.images.image(i)[782], 64);
    EXPECT_EQ(images.images.image(i)[783], 192);
  }
}

TEST_F(MnistAmat, ErrorsNameTheLine) {
  const auto read = [](const std::string& path) { read_amat(path); };
  const std::string good = amat_line("0", "0", "1");
  refuses(read, write("a", good + amat_line("0", "0", "1", 783)),
          ", line 2: 784 numbers, but must be 785: 784 pixels and the label");
  refuses(read, write("b", good + good.substr(0, 100)),
          ", line 2: 50 numbers, but must be 785: 784 pixels and the label");
  refuses(read, write("c", good + amat_line("0", "1.5", "1")),
          ", line 2: pixel 784 is 1.5, but must be from 0 to 1");
  refuses(read, write("d", amat_line("0", "0", "10")),
          ", line 1: the label is 10, but must be a digit from 0 to 9");
  refuses(read, write("e", amat_line("0", "0", "2.5")),
          ", line 1: the label is 2.5, but must be a digit from 0 to 9");
  refuses(read, write("f", good + good + amat_line("0", "x7", "1")),
          ", line 3: 'x7' (number 784) is not a number");
  refuses(read, write("g", amat_line("0", "nan", "1")),
          ", line 1: 'nan' (number 784) is not a number");
  refuses(read, write("h", " \n\n"), ": no images");
  refuses(read, write("i", std::string(3000000, '0')), ", line 1: longer than 65536 bytes");
}

}  // namespace
}  // namespace mdgp::experiments
