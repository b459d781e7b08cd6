#include "mdgp/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mdgp/data/table_source.h"

namespace mdgp {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers in the file are little-endian");

using Json = nlohmann::json;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostDimensions = 8;

// A tensor's claim on the bytes after the header.
struct Claim {
  std::string name;
  std::vector<Index> shape;
  std::size_t begin = 0, end = 0;
};

[[noreturn]] void damaged(std::string_view source, const std::string& what) {
  throw FileError(fmt::format("{}: damaged or not a model file: {}", source, what));
}

std::size_t to_size(const Json& json, std::string_view source, const std::string& name) {
  if (!json.is_number_unsigned())
    damaged(source, fmt::format("tensor '{}' has a bad number", printable(name)));
  return json.get<std::size_t>();
}

Claim parse_claim(const std::string& name, const Json& json, std::size_t available,
                  std::string_view source) {
  const auto bad = [&](std::string_view what) {
    damaged(source, fmt::format("tensor '{}' {}", printable(name), what));
  };
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets")) {
    bad("is not described");
  }
  if (json["dtype"] != "F64") bad("is not of 64-bit floats");
  const Json& shape = json["shape"];
  const Json& offsets = json["data_offsets"];
  if (!shape.is_array() || shape.size() > kMostDimensions) bad("has a bad shape");
  if (!offsets.is_array() || offsets.size() != 2) bad("has bad offsets");
  Claim claim{name, {}, to_size(offsets[0], source, name), to_size(offsets[1], source, name)};
  if (claim.begin > claim.end || claim.end > available) bad("reaches beyond the file");
  const std::size_t numbers = (claim.end - claim.begin) / sizeof(double);
  std::size_t product = 1;
  for (const Json& size : shape) {
    const std::size_t n = to_size(size, source, name);
    if (n > available || (n > 0 && product > available / n)) bad("claims more than the file holds");
    product *= n;
    claim.shape.push_back(static_cast<Index>(n));
  }
  if (product != numbers || (claim.end - claim.begin) % sizeof(double) != 0) {
    bad("has another size than its shape");
  }
  return claim;
}

Json parse_header(std::string_view bytes, std::size_t& length, std::string_view source) {
  if (bytes.size() < kLengthBytes) damaged(source, "shorter than its header");
  std::uint64_t claimed = 0;
  std::memcpy(&claimed, bytes.data(), kLengthBytes);
  if (claimed > bytes.size() - kLengthBytes) damaged(source, "its header reaches beyond the file");
  length = static_cast<std::size_t>(claimed);
  const std::string_view text = bytes.substr(kLengthBytes, length);
  Json header = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!header.is_object()) damaged(source, "its header is not a JSON object");
  return header;
}

}  // namespace

std::string to_safetensors(const TensorFile& file) {
  Json header = {{"__metadata__", file.metadata}};
  std::size_t next = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const std::size_t bytes = tensor.values.size() * sizeof(double);
    header[name] = {
        {"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {next, next + bytes}}};
    next += bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
  std::string out(kLengthBytes + text.size() + next, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(out.data(), &length, kLengthBytes);
  std::memcpy(out.data() + kLengthBytes, text.data(), text.size());
  char* at = out.data() + kLengthBytes + text.size();
  for (const auto& [name, tensor] : file.tensors) {
    if (!tensor.values.empty()) {
      std::memcpy(at, tensor.values.data(), tensor.values.size() * sizeof(double));
    }
    at += tensor.values.size() * sizeof(double);
  }
  return out;
}

TensorFile parse_safetensors(std::string_view bytes, std::string_view source) {
  std::size_t length = 0;
  const Json header = parse_header(bytes, length, source);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  TensorFile file;
  std::vector<Claim> claims;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") {
      claims.push_back(parse_claim(name, value, data.size(), source));
      continue;
    }
    if (!value.is_object()) damaged(source, "its metadata is not an object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string())
        damaged(source, fmt::format("metadata '{}' is not text", printable(key)));
      file.metadata[key] = text.get<std::string>();
    }
  }
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t next = 0;
  for (Claim& claim : claims) {
    if (claim.begin != next)
      damaged(source,
              fmt::format("tensor '{}' overlaps another or leaves a gap", printable(claim.name)));
    next = claim.end;
    Tensor& tensor = file.tensors[claim.name];
    tensor.shape = std::move(claim.shape);
    tensor.values.resize((claim.end - claim.begin) / sizeof(double));
    if (!tensor.values.empty()) {
      std::memcpy(tensor.values.data(), data.data() + claim.begin, claim.end - claim.begin);
    }
  }
  if (next != data.size()) damaged(source, "there are bytes that no tensor claims");
  return file;
}

}  // namespace mdgp
