// Model files that somebody changed: each is refused with a line that says why, or is still a
// model.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "../../fuzz/use_model.h"
#include "testing/fitted_model.h"

namespace mdgp {
namespace {

using Json = nlohmann::json;

TensorFile small_file() {
  ModelSpec spec = fixture::tiny_spec("mmdgp", {{}, {"softmax", 3}, {"bernoulli"}});
  return to_tensors(fixture::fitted_model(spec, 1));
}

// What is said of it, less "m.mdgp: "; "loads" where it is a model.
std::string outcome(const TensorFile& file) {
  try {
    from_tensors(file, "m.mdgp");
  } catch (const FileError& e) {
    const std::string what = e.what();
    EXPECT_TRUE(what.starts_with("m.mdgp: ")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_LT(what.size(), 1000U) << what;
    return what.substr(std::min<std::size_t>(what.size(), 8));
  }
  return "loads";
}

// With the value at a place in one of the JSON texts replaced.
TensorFile with(const char* key, const std::string& pointer, const Json& value) {
  TensorFile file = small_file();
  Json json = Json::parse(file.metadata.at(key));
  json.at(Json::json_pointer(pointer)) = value;
  file.metadata[key] = json.dump();
  return file;
}

std::string structure(const std::string& pointer, const Json& value) {
  return outcome(with("structure", pointer, value));
}
std::string schema(const std::string& pointer, const Json& value) {
  return outcome(with("schema", pointer, value));
}

TensorFile with_number(const std::string& tensor, std::size_t i, double value) {
  TensorFile file = small_file();
  file.tensors.at(tensor).values.at(i) = value;
  return file;
}

TEST(DamagedModel, OtherVersionsAreTold) {
  TensorFile file = small_file();
  ASSERT_EQ(outcome(file), "loads");
  file.metadata["mdgp"] = "3";
  EXPECT_EQ(
      outcome(file),
      "its format is version '3', and this program reads versions 1 and 2; use the version of mdgp "
      "that wrote it, or fit again");
  file.metadata["mdgp"] = "1\n" + std::string(1000, '1');
  EXPECT_NE(outcome(file).find("its format is version '1"), std::string::npos);
  file.metadata.erase("mdgp");
  EXPECT_EQ(outcome(file), "a safetensors file, but not a model of mdgp");
  EXPECT_EQ(outcome({}), "a safetensors file, but not a model of mdgp");
}

TEST(DamagedModel, TheMapOfTheInputs) {
  FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("mmdgp", {{}, {"bernoulli"}}), 1);
  fixture::Random random(2);
  fixture::reduce_columns(fitted, 4, random);  // to one input
  const TensorFile whole = to_tensors(fitted);
  const auto changed = [&](auto change) {
    TensorFile file = whole;
    change(file);
    return outcome(file);
  };
  const char* name = "inputs.projection";
  EXPECT_EQ(outcome(whole), "loads");
  EXPECT_EQ(changed([&](TensorFile& f) { f.tensors.erase(name); }),
            "damaged: tensor 'inputs.projection' is missing");
  const char* shape =
      "damaged: tensor 'inputs.projection' has another shape than the structure says";
  EXPECT_EQ(changed([&](TensorFile& f) { f.tensors[name].shape = {1, 4}; }), shape);
  EXPECT_EQ(changed([&](TensorFile& f) { f.tensors[name].shape = {4}; }), shape);
  EXPECT_EQ(changed([&](TensorFile& f) {
              f.tensors[name] = {{4, 0}, {}};
            }),
            "damaged: a reduction of the inputs to none");
  EXPECT_EQ(changed([&](TensorFile& f) {
              f.tensors[name] = {{4, 2}, std::vector<double>(8, 1.0)};
            }),
            "damaged: inputs and columns differ in number");
  EXPECT_NE(changed([&](TensorFile& f) {
              f.tensors[name].values[2] = std::nan("");
            }).find("inputs.projection"),
            std::string::npos);
  for (const Json& word : {Json("none"), Json("umap"), Json(7), Json()}) {
    EXPECT_TRUE(changed([&](TensorFile& f) {
                  Json json = Json::parse(f.metadata.at("schema"));
                  json["reduction"] = word;
                  f.metadata["schema"] = json.dump();
                }).starts_with("damaged: "))
        << word;
  }
}

TEST(DamagedModel, EveryMetadataIsNeeded) {
  for (const char* key : {"schema", "structure", "settings", "training"}) {
    TensorFile file = small_file();
    file.metadata.erase(key);
    EXPECT_EQ(outcome(file), std::string("damaged: metadata '") + key + "' is missing");
    for (const char* text : {"", "{", "[]", "7", "null", "\"\"", "{}"}) {
      file.metadata[key] = text;
      if (std::string(key) == "settings" && std::string(text) == "{}") continue;
      EXPECT_TRUE(outcome(file).starts_with("damaged: ")) << key << " " << text;
    }
  }
}

TEST(DamagedModel, EveryTensorIsNeededInItsShape) {
  const TensorFile whole = small_file();
  for (const auto& [name, tensor] : whole.tensors) {
    if (name.ends_with(".mean")) continue;
    TensorFile file = whole;
    file.tensors.erase(name);
    EXPECT_NE(outcome(file), "loads") << name;
    file.tensors["other"] = tensor;  // so that there are enough numbers
    EXPECT_EQ(outcome(file), "damaged: tensor '" + name + "' is missing");
    file.tensors[name] = tensor;
    file.tensors[name].shape.push_back(1);
    EXPECT_EQ(outcome(file),
              "damaged: tensor '" + name + "' has another shape than the structure says");
  }
  TensorFile file = whole;
  file.tensors.at("g0.mean").shape = {1};
  EXPECT_EQ(outcome(file), "damaged: tensor 'g0.mean' has another shape than the structure says");
}

// Refused by what they claim: nothing of that size is allocated.
TEST(DamagedModel, HugeClaimsAreRefused) {
  const Json huge = 1'000'000'000'000, beyond = 1e30;
  for (const Json& claim : {huge, beyond, Json(std::uint64_t{1} << 63), Json(1'000'000)}) {
    for (const char* pointer : {"/inputs", "/rank", "/top/inducing", "/inner/0/inducing",
                                "/inner/0/shared/0", "/inner/0/private/0", "/tasks/1/classes"}) {
      EXPECT_TRUE(structure(pointer, claim).starts_with("damaged: ")) << pointer << claim;
    }
  }
  EXPECT_EQ(structure("/top/inducing", huge).find("damaged: make_model: top.inducing is "), 0U);
  EXPECT_EQ(structure("/inner/0/shared/0", huge).find("damaged: make_model: shared is "), 0U);
  EXPECT_EQ(structure("/rank", huge).find("damaged: make_model: rank is "), 0U);
  EXPECT_EQ(structure("/tasks/1/classes", huge),
            "damaged: classes is 1000000000000, but must be from 0 to 1000000");
  EXPECT_EQ(structure("/top/inducing", 20),
            "damaged: Parameters::add: 'f0.q_mu' of 20 x 1 is too large");
  EXPECT_NE(structure("/inner/0/shared", Json(std::vector<int>(100000, 1))), "loads");
  const Json layer = Json::parse(small_file().metadata.at("structure")).at("inner").at(0);
  EXPECT_NE(structure("/inner", Json(2000, layer)), "loads");
}

TEST(DamagedModel, StructureMustBeAModel) {
  for (const Json& value : {Json("mdgp"), Json(1), Json(nullptr)}) {
    EXPECT_TRUE(structure("/model", value).starts_with("damaged: ")) << value;
  }
  EXPECT_EQ(structure("/inputs", 0), "damaged: inputs is 0, but must be from 1 to 1099511627776");
  EXPECT_EQ(structure("/inputs", 2), "damaged: inputs and columns differ in number");
  EXPECT_EQ(structure("/inputs", 1.5), "damaged: inputs is not a whole number in range");
  EXPECT_EQ(structure("/tasks", Json::array()), "damaged: tasks and likelihoods differ in number");
  EXPECT_EQ(structure("/tasks/1/classes", 4), "damaged: labels and classes differ in number");
  EXPECT_EQ(structure("/jitter", 0.0), "damaged: jitter is out of range");
  EXPECT_NE(structure("/tasks/0/likelihood", "softmax"), "loads");
  EXPECT_NE(structure("/tasks/1/likelihood", "gaussian"), "loads");
  EXPECT_NE(structure("/inner", Json::array()), "loads");
  EXPECT_NE(structure("/inner/0/white", -1.0), "loads");
  EXPECT_NE(structure("/top/kernel", "coregion"), "loads");
  EXPECT_NE(structure("/top/kernel", "rbf) + (rbf"), "loads");
  EXPECT_NE(structure("/top/kernel", std::string(10000, '(')), "loads");
  EXPECT_NE(structure("/inner/0/kernel", "white + white"), "loads");
}

TEST(DamagedModel, SchemaMustFitTheModel) {
  EXPECT_EQ(schema("/tasks/1/labels", {"a", "b"}), "damaged: labels and classes differ in number");
  EXPECT_EQ(schema("/tasks/2/labels", {"a", "b", "c"}),
            "damaged: a yes/no task has other than two labels");
  EXPECT_EQ(schema("/tasks/0/kind", "classes"), "damaged: labels and classes differ in number");
  EXPECT_EQ(schema("/tasks/0/kind", "binary"), "damaged: a yes/no task has other than two labels");
  EXPECT_EQ(schema("/tasks/0/kind", "count"), "damaged: a likelihood does not fit its task");
  EXPECT_EQ(schema("/tasks/0/kind", "numbers"), "damaged: there is no kind of task 'numbers'");
  EXPECT_EQ(schema("/tasks/0/deviation", 0.0), "damaged: a standard deviation is not positive");
  EXPECT_EQ(schema("/inputs/0/deviation", -1.0), "damaged: a standard deviation is not positive");
  EXPECT_EQ(schema("/inputs/0/mean", "0"), "damaged: mean is not a number");
  EXPECT_EQ(schema("/inputs/0/text", true), "damaged: inputs and columns differ in number");
  EXPECT_NE(schema("/form", "tall"), "loads");
  EXPECT_NE(schema("/tasks", Json::object()), "loads");
}

TEST(DamagedModel, NumbersMustBeInTheirRange) {
  const auto refused = [](const std::string& tensor, std::size_t i, double value) {
    return outcome(with_number(tensor, i, value));
  };
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused("g0.Z", 1, nan), "damaged: model: g0.Z[1] is nan, but must be finite");
  EXPECT_EQ(refused("f0.q_mu", 1, infinity),
            "damaged: model: f0.q_mu[1] is inf, but must be finite");
  EXPECT_EQ(refused("f0.kernel.lengthscales", 1, 0.0),
            "damaged: model: f0.kernel.lengthscales[1] is 0, but must be positive and finite");
  EXPECT_EQ(refused("f0.kernel.lengthscales", 0, -2.0),
            "damaged: model: f0.kernel.lengthscales[0] is -2, but must be positive and finite");
  EXPECT_EQ(refused("likelihood0.variance", 0, 0.0),
            "damaged: model: likelihood0.variance is 0, but must be positive and finite");
  EXPECT_EQ(refused("f0.q_sqrt", 0, 0.0),
            "damaged: model: f0.q_sqrt[0, 0, 0] is 0, but must be non-zero, as it is on the "
            "diagonal");
  EXPECT_EQ(refused("f0.q_sqrt", 1, 0.5),
            "damaged: model: f0.q_sqrt[0, 0, 1] is 0.5, but must be 0, as it is above the "
            "diagonal");
  EXPECT_EQ(refused("g0.mean", 0, nan), "damaged: model: g0.mean is nan, but must be finite");
  const TensorFile whole = small_file();
  for (const auto& [name, tensor] : whole.tensors) {
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      EXPECT_NE(outcome(with_number(name, i, nan)), "loads") << name << " " << i;
    }
  }
}

// f(place, text with something else there) for every value in one of the JSON texts, and for every
// list and object around it. Of a list the first is enough.
template <class F>
void for_places(const std::string& text, F f) {
  const Json whole = Json::parse(text), flat = whole.flatten();
  std::set<std::string> done;
  for (const auto& [pointer, leaf] : flat.items()) {
    if (pointer.find("/1") != std::string::npos) continue;
    for (Json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      if (done.insert(at.to_string()).second) f(at, whole);
    }
  }
}

constexpr const char* kTexts[] = {"structure", "schema", "training", "settings"};

TEST(DamagedModel, OtherJsonIsRefusedOrAModel) {
  TensorFile file = small_file();
  for (const char* key : kTexts) {
    const std::string text = file.metadata.at(key);
    for_places(text, [&](const Json::json_pointer& at, const Json& whole) {
      for (const Json& value : std::initializer_list<Json>{
               nullptr, true, -1, 0, 3, 1e300, "", "x", {1, 2}, {{"a", 1}}}) {
        Json json = whole;
        json.at(at) = value;
        file.metadata[key] = json.dump();
        outcome(file);
      }
    });
    file.metadata[key] = text;
  }
}

TEST(DamagedModel, EveryValueIsNeeded) {
  TensorFile file = small_file();
  for (const char* key : {"structure", "schema", "training"}) {
    const std::string text = file.metadata.at(key);
    for_places(text, [&](const Json::json_pointer& at, Json json) {
      Json& parent = json.at(at.parent_pointer());
      if (!parent.is_object()) return;
      if (at.back() == "top_inducing") return;  // older files have none
      parent.erase(at.back());
      file.metadata[key] = json.dump();
      EXPECT_TRUE(outcome(file).starts_with("damaged: ")) << key << at;
    });
    file.metadata[key] = text;
  }
}

// Depth of nesting is the file's choice, the stack is ours.
TEST(DamagedModel, DeepNestingIsRefused) {
  const auto deep = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto nested = [](Json json, const Json::json_pointer& at, const std::string& what) {
    json.at(at) = "HERE";
    std::string text = json.dump();
    return text.replace(text.find("\"HERE\""), 6, what);
  };
  TensorFile file = small_file();
  for (const char* key : kTexts) {
    const std::string text = file.metadata.at(key);
    for_places(text, [&](const Json::json_pointer& at, const Json& whole) {
      file.metadata[key] = nested(whole, at, deep(5000));
      EXPECT_NE(outcome(file), "loads") << key << at;
    });
    file.metadata[key] = text;
  }
  // So deep that a function which calls itself for each level ends the program.
  for (const auto& [key, at] :
       {std::pair("structure", "/inner/0/shared/0"), std::pair("training", "/points/0/0")}) {
    const std::string text = file.metadata.at(key);
    file.metadata[key] = nested(Json::parse(text), Json::json_pointer(at), deep(1000000));
    EXPECT_NE(outcome(file), "loads") << key << at;
    file.metadata[key] = text;
  }
}

TEST(DamagedModel, AFlippedBitIsRefusedOrAModel) {
  const std::string bytes = to_safetensors(small_file());
  int loads = 0;
  for (std::size_t k = 0; k < 300; ++k) {
    std::string flipped = bytes;
    const std::size_t bit = k < 64 ? k : (k * 2654435761U) % (8 * bytes.size());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    loads += fuzz::use_model(flipped) ? 1 : 0;
  }
  EXPECT_GT(loads, 10);
  EXPECT_LT(loads, 290);
}

TEST(DamagedModel, AnythingCutOffIsRefused) {
  const std::string bytes = to_safetensors(small_file());
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 150) {
    EXPECT_FALSE(fuzz::use_model(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(fuzz::use_model(std::string_view(bytes).substr(0, bytes.size() - 1)));
}

// Every file that the fuzzer begins with, and those that once broke it.
TEST(DamagedModel, FuzzSeedsAreModelsOrRefused) {
  int models = 0;
  const std::filesystem::path folder = std::filesystem::path(MDGP_FUZZ_CORPUS) / "model_file";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool loads = fuzz::use_model(read_whole_file(entry.path().string()));
    EXPECT_EQ(loads, entry.path().extension() == ".mdgp") << entry.path();
    models += loads ? 1 : 0;
  }
  EXPECT_GE(models, 4);
}

}  // namespace
}  // namespace mdgp
