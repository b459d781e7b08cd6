#include "mnist_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "amat.h"
#include "checksum.h"
#include "idx.h"
#include "mdgp/data/read_table.h"
#include "mdgp/io/atomic_file.h"

namespace mdgp::experiments {
namespace {

namespace fs = std::filesystem;

// The folders in which files may lie.
std::vector<fs::path> places(const fs::path& directory) {
  return {directory / "mnist_variations", directory / "mnist", directory / "mnist_backgrounds",
          directory};
}

// As it is or gzipped; empty where it is not there.
fs::path find(const fs::path& directory, const std::string& name) {
  for (const fs::path& place : places(directory)) {
    for (const char* ending : {"", ".gz"}) {
      fs::path path = place / fmt::format("{}{}", name, ending);
      if (fs::is_regular_file(path)) return path;
    }
  }
  return {};
}

std::string find_or_throw(const std::string& directory, const std::string& name,
                          const std::string& asked) {
  const fs::path path = find(directory, name);
  if (!path.empty()) return path.string();
  throw FileError(
      fmt::format("{} {}: {} is not there, neither as it is nor as .gz, nor in its folders "
                  "mnist_variations, mnist and mnist_backgrounds",
                  asked, directory, name));
}

std::string amat_name(int task, const char* split) {
  constexpr const char* kNames[] = {"mnist", "mnist_background_random", "mnist_background_images"};
  return fmt::format("{}_{}.amat", kNames[task], split);
}

MnistData load_original(const std::string& directory, const std::string& asked) {
  MnistData data;
  data.origin = "original";
  for (int task = 0; task < kMnistTaskCount; ++task) {
    data.train.push_back(read_amat(find_or_throw(directory, amat_name(task, "train"), asked)));
    data.test.push_back(read_amat(find_or_throw(directory, amat_name(task, "test"), asked)));
  }
  return data;
}

Images load_photographs(const std::string& path) {
  Images photographs = read_idx_images(path);
  if (photographs.rows < kSide || photographs.cols < kSide) {
    throw TableError(
        fmt::format("{}: its photographs have {} x {} pixels, fewer than the digits' {}", path,
                    photographs.rows, photographs.cols, kSide));
  }
  photographs.count = std::min(photographs.count, kMostPhotographs);
  photographs.pixels.resize(static_cast<std::size_t>(photographs.count * photographs.size()));
  return photographs;
}

MnistData load_rebuilt(const std::string& directory, const std::string& asked) {
  const auto digits = [&](const char* split) {
    const std::string images =
        find_or_throw(directory, fmt::format("{}-images-idx3-ubyte", split), asked);
    return read_idx_digits(
        images, find_or_throw(directory, fmt::format("{}-labels-idx1-ubyte", split), asked));
  };
  MnistData data;
  data.origin = "rebuilt";
  // Small files first, so that what is missing is said soon.
  data.photographs = load_photographs(find_or_throw(directory, "backgrounds-idx3-ubyte", asked));
  data.test.push_back(digits("t10k"));
  data.train.push_back(digits("train"));
  return data;
}

}  // namespace

MnistData load_mnist(const std::string& directory, const std::string& asked) {
  if (!fs::is_directory(directory)) {
    throw FileError(
        fmt::format("{} {}: no such directory; without data digits are drawn", asked, directory));
  }
  for (int task = 0; task < kMnistTaskCount; ++task) {
    if (!find(directory, amat_name(task, "train")).empty()) return load_original(directory, asked);
  }
  return load_rebuilt(directory, asked);
}

std::string checksum(const MnistData& data) {
  if (data.origin == "drawn") return "";
  std::vector<std::string_view> parts = {bytes_of(data.photographs.pixels)};
  for (const auto* some : {&data.train, &data.test}) {
    for (const LabelledImages& images : *some) {
      parts.push_back(bytes_of(images.images.pixels));
      parts.push_back(bytes_of(images.labels));
    }
  }
  return checksum(parts);
}

Index drawable(const MnistData& data) {
  if (data.rebuilt()) return data.train.front().count() / kMnistTaskCount;
  Index least = data.train.front().count();
  for (const LabelledImages& task : data.train) least = std::min(least, task.count());
  return least;
}

}  // namespace mdgp::experiments
