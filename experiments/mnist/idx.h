// IDX, the format of the MNIST files: a big-endian header (what it holds, how many, how large),
// then bytes; also gzipped. A file is hostile until parsed: every error is a TableError of one line
// that begins with its name, and a size that is merely claimed costs no memory.
#pragma once

#include <memory>
#include <string>

#include "images.h"
#include "mdgp/data/byte_stream.h"

namespace mdgp::experiments {

Images read_idx_images(const std::string& path);
std::vector<int> read_idx_labels(const std::string& path);  // 0 … 9

// 28 x 28 images and as many labels.
LabelledImages read_idx_digits(const std::string& images, const std::string& labels);

// A file's bytes, unpacked where they are gzipped.
std::unique_ptr<ByteStream> open_unpacked(const std::string& path);

}  // namespace mdgp::experiments
