#include "mdgp/io/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

namespace mdgp {
namespace {

// A file with that header and so many numbers after it.
std::string file_of(const std::string& header, std::size_t numbers = 0) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFFU);
  }
  return bytes.append(header).append(8 * numbers, '\0');
}

std::string tensor(const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "\"F64\"") {
  return R"({"x":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

std::string error(std::string_view bytes) {
  try {
    parse_safetensors(bytes, "m.mdgp");
  } catch (const FileError& e) {
    const std::string what = e.what(), begin = "m.mdgp: damaged or not a model file: ";
    EXPECT_TRUE(what.starts_with(begin)) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what.substr(std::min(what.size(), begin.size()));
  }
  return "no error";
}

// The format's own words: N as an unsigned little-endian 64-bit integer, N bytes of JSON that begin
// with {, perhaps with spaces after it, then the numbers, row-major and little-endian, at offsets
// from the end of the header.
TEST(Safetensors, LayoutIsTheFormats) {
  TensorFile file;
  file.metadata["a"] = "b";
  file.tensors["w"] = {{2, 1}, {1.0, -2.0}};
  file.tensors["v"] = {{1}, {0.5}};
  const std::string header =
      R"({"__metadata__":{"a":"b"},"v":{"data_offsets":[0,8],"dtype":"F64","shape":[1]},)"
      R"("w":{"data_offsets":[8,24],"dtype":"F64","shape":[2,1]}})";
  const std::string padded = header + std::string(7 - (header.size() + 7) % 8, ' ');
  ASSERT_EQ(padded.size() % 8, 0U);
  ASSERT_LT(padded.size(), 256U);
  std::string expected(1, static_cast<char>(padded.size()));
  expected.append(7, '\0').append(padded);
  expected.append("\0\0\0\0\0\0\xE0\x3F", 8);  // 0.5
  expected.append("\0\0\0\0\0\0\xF0\x3F", 8);  // 1
  expected.append("\0\0\0\0\0\0\0\xC0", 8);    // -2
  EXPECT_EQ(to_safetensors(file), expected);
}

TEST(Safetensors, ComeBackToTheLastBit) {
  using Limits = std::numeric_limits<double>;
  TensorFile file;
  file.metadata = {{"", ""}, {"key", "{\"json\": \"in\\njson\"}\n"}, {"ünï", "漢字\x01"}};
  file.tensors["a.b"] = {{2, 3}, {0.1, -0.0, Limits::denorm_min(), Limits::max(), 1e-300, 3.0}};
  file.tensors["odd"] = {{2}, {std::bit_cast<double>(0x7FF8000000001234U), -Limits::infinity()}};
  file.tensors["scalar"] = {{}, {7.0}};
  file.tensors["none"] = {{0}, {}};
  file.tensors["none too"] = {{4, 0, 2}, {}};
  const TensorFile back = parse_safetensors(to_safetensors(file), "m.mdgp");
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, t] : file.tensors) {
    const Tensor& other = back.tensors.at(name);
    EXPECT_EQ(other.shape, t.shape) << name;
    ASSERT_EQ(other.values.size(), t.values.size()) << name;
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(other.values[i]),
                std::bit_cast<std::uint64_t>(t.values[i]));
    }
  }
}

TEST(Safetensors, MayBeEmptyAndInAnyOrder) {
  EXPECT_TRUE(parse_safetensors(file_of("{}"), "").tensors.empty());
  EXPECT_TRUE(parse_safetensors(to_safetensors({}), "").metadata.empty());
  const TensorFile file =
      parse_safetensors(file_of(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[8,24]},)"
                                R"("b":{"shape":[1],"data_offsets":[0,8],"dtype":"F64"}}  )",
                                3),
                        "");
  EXPECT_EQ(file.tensors.at("a").values.size(), 2U);
  EXPECT_EQ(file.tensors.at("b").values.size(), 1U);
}

TEST(Safetensors, HeaderMustBeInTheFile) {
  EXPECT_EQ(error(""), "shorter than its header");
  EXPECT_EQ(error("\2\0\0\0\0\0\0"), "shorter than its header");
  EXPECT_EQ(error("x,y\n1,2\n3,4\n"), "its header reaches beyond the file");
  EXPECT_EQ(error(std::string(8, '\xFF') + "{}"), "its header reaches beyond the file");
  EXPECT_EQ(error(file_of("{}").substr(0, 9)), "its header reaches beyond the file");
  for (const char* header : {"", "[]", "null", "7", "{", "{}}", "\xFF", "{\"\xFF\":1}", "{} x"}) {
    EXPECT_EQ(error(file_of(header)), "its header is not a JSON object") << header;
  }
}

TEST(Safetensors, TensorsMustBeDescribed) {
  for (const char* header : {R"({"x":3})", R"({"x":{}})", R"({"x":{"dtype":"F64","shape":[1]}})",
                             R"({"x":{"dtype":"F64","data_offsets":[0,8]}})",
                             R"({"x":{"shape":[1],"data_offsets":[0,8]}})"}) {
    EXPECT_EQ(error(file_of(header, 1)), "tensor 'x' is not described") << header;
  }
  for (const char* dtype : {"\"F32\"", "\"f64\"", "64", "null", "[\"F64\"]"}) {
    EXPECT_EQ(error(file_of(tensor("[1]", "[0,8]", dtype), 1)),
              "tensor 'x' is not of 64-bit floats");
  }
  for (const char* shape : {"1", "\"1\"", "{}", "null", "[1,1,1,1,1,1,1,1,1]"}) {
    EXPECT_EQ(error(file_of(tensor(shape, "[0,8]"), 1)), "tensor 'x' has a bad shape") << shape;
  }
  for (const char* offsets : {"8", "[]", "[8]", "[0,8,8]", "\"0,8\""}) {
    EXPECT_EQ(error(file_of(tensor("[1]", offsets), 1)), "tensor 'x' has bad offsets") << offsets;
  }
}

TEST(Safetensors, NumbersMustBeWholeAndNotNegative) {
  for (const char* shape : {"[-1]", "[1.0]", "[1e0]", "[\"1\"]", "[null]", "[[1]]", "[true]",
                            "[18446744073709551616]"}) {
    EXPECT_EQ(error(file_of(tensor(shape, "[0,8]"), 1)), "tensor 'x' has a bad number") << shape;
  }
  for (const char* offsets : {"[-8,0]", "[0,-8]", "[0,8.0]", "[null,8]", "[0,1e30]"}) {
    EXPECT_EQ(error(file_of(tensor("[1]", offsets), 1)), "tensor 'x' has a bad number") << offsets;
  }
}

TEST(Safetensors, TensorsMustBeInTheFile) {
  for (const char* offsets :
       {"[0,16]", "[8,0]", "[16,16]", "[0,18446744073709551615]", "[18446744073709551608,0]"}) {
    EXPECT_EQ(error(file_of(tensor("[1]", offsets), 1)), "tensor 'x' reaches beyond the file")
        << offsets;
  }
  const std::string whole = file_of(tensor("[3]", "[0,24]"), 3);
  EXPECT_EQ(error(whole.substr(0, whole.size() - 1)), "tensor 'x' reaches beyond the file");
}

TEST(Safetensors, ShapesMustBeTheSize) {
  for (const char* shape : {"[2]", "[0]", "[0,5]", "[3,1]"}) {
    EXPECT_EQ(error(file_of(tensor(shape, "[0,8]"), 1)),
              "tensor 'x' has another size than its shape")
        << shape;
  }
  EXPECT_EQ(error(file_of(tensor("[1]", "[0,12]"), 2)),
            "tensor 'x' has another size than its shape");
  // Products that wrap around to 1 or to 0.
  for (const char* shape :
       {"[4294967296,4294967296]", "[18446744073709551615,18446744073709551615]",
        "[1000000,1000000,1000000,1000000]", "[9223372036854775808,2]",
        "[0,9223372036854775808]"}) {
    EXPECT_EQ(error(file_of(tensor(shape, "[0,8]"), 1)),
              "tensor 'x' claims more than the file holds")
        << shape;
  }
}

TEST(Safetensors, TensorsMustTileTheFile) {
  const auto two = [](const char* first, const char* second) {
    return file_of(std::string(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":)") + first +
                       R"(},"b":{"dtype":"F64","shape":[2],"data_offsets":)" + second + "}}",
                   4);
  };
  EXPECT_EQ(error(two("[0,16]", "[16,32]")), "no error");
  EXPECT_EQ(error(two("[0,16]", "[8,24]")), "tensor 'b' overlaps another or leaves a gap");
  EXPECT_EQ(error(two("[0,16]", "[0,16]")), "tensor 'b' overlaps another or leaves a gap");
  EXPECT_EQ(error(two("[8,24]", "[16,32]")), "tensor 'a' overlaps another or leaves a gap");
  EXPECT_EQ(error(file_of(tensor("[1]", "[8,16]"), 2)),
            "tensor 'x' overlaps another or leaves a gap");
  EXPECT_EQ(error(file_of(tensor("[1]", "[0,8]"), 2)), "there are bytes that no tensor claims");
  EXPECT_EQ(error(file_of(tensor("[1]", "[0,8]"), 1) + "\n"),
            "there are bytes that no tensor claims");
  EXPECT_EQ(error(file_of("{}", 1)), "there are bytes that no tensor claims");
}

TEST(Safetensors, MetadataIsText) {
  EXPECT_EQ(error(file_of(R"({"__metadata__":[]})")), "its metadata is not an object");
  EXPECT_EQ(error(file_of(R"({"__metadata__":{"a":"b","c":1}})")), "metadata 'c' is not text");
}

// Depth of nesting is the file's choice, the stack is ours.
TEST(Safetensors, TakeDeepNesting) {
  const std::size_t depth = 100000;
  const std::string open(depth, '['), close(depth, ']');
  EXPECT_EQ(error(file_of(open)), "its header is not a JSON object");
  EXPECT_EQ(error(file_of(open + close)), "its header is not a JSON object");
  EXPECT_EQ(error(file_of(R"({"x":)" + open + close + "}")), "tensor 'x' is not described");
  EXPECT_EQ(error(file_of(R"({"__metadata__":{"k":)" + open + close + "}}")),
            "metadata 'k' is not text");
  EXPECT_EQ(error(file_of(tensor(open + close, "[0,8]"), 1)), "tensor 'x' has a bad number");
  EXPECT_EQ(error(file_of(tensor("[1]", "[0,8]", open + close), 1)),
            "tensor 'x' is not of 64-bit floats");
  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += "{\"\":";
  EXPECT_EQ(error(file_of(objects)), "its header is not a JSON object");
}

TEST(Safetensors, MessagesAreOneShortLine) {
  EXPECT_NE(error(file_of(R"({"a\nb":3})")), "no error");
  EXPECT_NE(error(file_of(R"({"__metadata__":{"a\nb":3}})")), "no error");
  EXPECT_LT(error(file_of("{\"" + std::string(100000, 'x') + "\":3}")).size(), 200U);
}

}  // namespace
}  // namespace mdgp
