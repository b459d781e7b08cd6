#include "mdgp/io/checkpoint.h"

#include <fmt/format.h>

#include <cstring>

#include "mdgp/io/model_json.h"

namespace mdgp {
namespace {

constexpr const char* kMean = "train.adam.mean";
constexpr const char* kSquare = "train.adam.square";
// Doubles that must come back to the last bit, in order.
constexpr const char* kNumbers = "train.numbers";

Tensor to_tensor(const Vector& v) { return {{v.size()}, {v.data(), v.data() + v.size()}}; }

Vector to_vector(const TensorFile& file, const char* name) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end() || found->second.shape.size() != 1) {
    throw std::invalid_argument(fmt::format("tensor '{}' is missing", name));
  }
  const auto& values = found->second.values;
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Json to_json(const TrainState& s) {
  return {{"step", s.step},
          {"adam_steps", s.adam.steps},
          {"plateau_since_best", s.plateau.since_best},
          {"plateau_steps", s.plateau.steps},
          {"failures", s.failures},
          {"since_best", s.since_best}};
}

constexpr Index kNumberCount = 6;

Vector numbers_of(const TrainState& s) {
  Vector numbers(kNumberCount);
  numbers << s.plateau.factor, s.plateau.smoothed, s.plateau.best, s.rate_scale, s.smoothed, s.best;
  return numbers;
}

TrainState state_from(const Json& json, const TensorFile& file) {
  const auto whole = [&](const char* name) { return whole_number(json, name, 0, Index{1} << 40); };
  const Vector n = to_vector(file, kNumbers);
  if (n.size() != kNumberCount) throw std::invalid_argument("the training state is not whole");
  TrainState s;
  s.step = whole("step");
  s.adam = {to_vector(file, kMean), to_vector(file, kSquare), whole("adam_steps")};
  if (s.adam.mean.size() != s.adam.square.size()) {
    throw std::invalid_argument("the training state is not whole");
  }
  s.plateau = {n[0], n[1], n[2], whole("plateau_since_best"), whole("plateau_steps")};
  s.rate_scale = n[3];
  s.failures = whole("failures");
  s.smoothed = n[4];
  s.best = n[5];
  s.since_best = whole("since_best");
  return s;
}

// FNV-1a over 64-bit words.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return (hash ^ word) * 0x100000001b3ULL + (hash >> 47);
}

std::uint64_t bits(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

}  // namespace

std::uint64_t fingerprint(const DataSet& data) {
  std::uint64_t hash = mix(0xcbf29ce484222325ULL, static_cast<std::uint64_t>(data.x.rows()));
  for (Index i = 0; i < data.x.size(); ++i) hash = mix(hash, bits(data.x.data()[i]));
  for (const Observation& o : data.observations) {
    hash = mix(hash, static_cast<std::uint64_t>(o.row));
    hash = mix(hash, static_cast<std::uint64_t>(o.task));
    hash = mix(hash, bits(o.y));
  }
  return hash;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  TensorFile file = to_tensors(checkpoint.fitted);
  file.metadata["state"] = to_json(checkpoint.state).dump();
  file.metadata["data"] = fmt::format("{:016x}", checkpoint.data);
  file.metadata["seconds"] = fmt::format("{}", checkpoint.seconds);
  file.tensors[kMean] = to_tensor(checkpoint.state.adam.mean);
  file.tensors[kSquare] = to_tensor(checkpoint.state.adam.square);
  file.tensors[kNumbers] = to_tensor(numbers_of(checkpoint.state));
  write_whole_file(path, to_safetensors(file));
}

Checkpoint load_checkpoint(const std::string& path) {
  const TensorFile file = parse_safetensors(read_whole_file(path), path);
  Checkpoint checkpoint{from_tensors(file, path), {}, 0, 0.0};
  if (!file.metadata.contains("state")) {
    throw FileError(fmt::format("{}: a finished model, not a checkpoint", path));
  }
  try {
    checkpoint.state = state_from(parse_json(file.metadata.at("state")), file);
    checkpoint.data = std::stoull(file.metadata.at("data"), nullptr, 16);
    checkpoint.seconds = std::stod(file.metadata.at("seconds"));
  } catch (const std::exception& error) {
    throw FileError(fmt::format("{}: damaged: {}", path, error.what()));
  }
  return checkpoint;
}

}  // namespace mdgp
