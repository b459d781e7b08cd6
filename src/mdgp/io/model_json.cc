#include "mdgp/io/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "mdgp/data/reduce.h"

namespace mdgp {
namespace {

constexpr Index kMost = Index{1} << 40;
constexpr std::size_t kMostKernelText = 500;
constexpr int kMostNesting = 20;

std::string text(const Json& json, const char* name) { return json.at(name).get<std::string>(); }

bool truth(const Json& json, const char* name) { return json.at(name).get<bool>(); }

std::vector<std::string> words(const Json& json, const char* name) {
  return json.at(name).get<std::vector<std::string>>();
}

std::vector<Index> widths(const Json& json, const char* name) {
  std::vector<Index> list;
  for (const Json& each : json.at(name))
    list.push_back(whole_number({{name, each}}, name, 1, kMost));
  return list;
}

TaskKind kind_from(const std::string& name) {
  for (const TaskKind kind :
       {TaskKind::regression, TaskKind::binary, TaskKind::classes, TaskKind::count}) {
    if (kind_name(kind) == name) return kind;
  }
  throw std::invalid_argument(fmt::format("there is no kind of task '{}'", name));
}

double deviation(const Json& json) {
  const double value = real_number(json, "deviation");
  if (!(value > 0.0)) throw std::invalid_argument("a standard deviation is not positive");
  return value;
}

std::string reduction(const Json& json) {
  std::string name = text(json, "reduction");
  const auto& known = reductions();
  if (name == "none" || std::find(known.begin(), known.end(), name) == known.end()) {
    throw std::invalid_argument("its reduction of the inputs is not one that is known");
  }
  return name;
}

Json to_json(const LayerSpec& layer) {
  return {{"shared", layer.shared}, {"private", layer.priv}, {"inducing", layer.inducing},
          {"kernel", layer.kernel}, {"ard", layer.ard},      {"white", layer.white}};
}

LayerSpec layer_from(const Json& json) {
  LayerSpec layer;
  layer.shared = widths(json, "shared");
  layer.priv = widths(json, "private");
  layer.inducing = whole_number(json, "inducing", 1, kMost);
  layer.kernel = text(json, "kernel");
  if (layer.kernel.size() > kMostKernelText)
    throw std::invalid_argument("a kernel's text is too long");
  layer.ard = truth(json, "ard");
  layer.white = real_number(json, "white");
  layer.mean = MeanFunction::zero;  // what it was is in the tensors
  return layer;
}

Json to_json(const NetworkSpec& network) {
  return {{"units", network.units},
          {"dropout", network.dropout},
          {"l2", network.l2},
          {"fan_in_prior", network.fan_in_prior},
          {"kl_weight", network.kl_weight}};
}

Json to_json(const ForestSpec& forest) {
  return {{"trees", forest.trees}, {"nodes", forest.nodes}};
}

ForestSpec forest_from(const Json& json) {
  return {whole_number(json, "trees", 1, kMost), widths(json, "nodes")};
}

NetworkSpec network_from(const Json& json) {
  NetworkSpec network;
  network.units = widths(json, "units");
  network.dropout = real_number(json, "dropout");
  network.l2 = real_number(json, "l2");
  // Files of before there was a choice have neither.
  network.fan_in_prior = json.contains("fan_in_prior") && truth(json, "fan_in_prior");
  network.kl_weight = json.contains("kl_weight") ? real_number(json, "kl_weight") : 1.0;
  return network;
}

}  // namespace

Json parse_json(std::string_view text) {
  return Json::parse(text.begin(), text.end(), [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostNesting) throw std::invalid_argument("its JSON is nested too deeply");
    return true;
  });
}

Index whole_number(const Json& json, const char* name, Index least, Index most) {
  const Json& value = json.at(name);
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMost))) {
    throw std::invalid_argument(fmt::format("{} is not a whole number in range", name));
  }
  const Index number = value.get<Index>();
  if (number < least || number > most) {
    throw std::invalid_argument(
        fmt::format("{} is {}, but must be from {} to {}", name, number, least, most));
  }
  return number;
}

double real_number(const Json& json, const char* name) {
  const Json& value = json.at(name);
  if (!value.is_number()) throw std::invalid_argument(fmt::format("{} is not a number", name));
  return value.get<double>();
}

Json to_json(const Schema& schema) {
  Json inputs = Json::array(), tasks = Json::array();
  for (const InputColumn& input : schema.inputs) {
    inputs.push_back({{"name", input.name},
                      {"text", input.text},
                      {"words", input.words},
                      {"mean", input.mean},
                      {"deviation", input.deviation}});
  }
  for (const TaskColumn& task : schema.tasks) {
    tasks.push_back({{"name", task.name},
                     {"kind", kind_name(task.kind)},
                     {"labels", task.labels},
                     {"mean", task.mean},
                     {"deviation", task.deviation},
                     {"observed", task.observed}});
  }
  Json json = {{"form", schema.wide ? "wide" : "long"},
               {"task_column", schema.task_column},
               {"target_column", schema.target_column},
               {"inputs", inputs},
               {"tasks", tasks}};
  if (schema.projection.size() > 0) json["reduction"] = schema.reduction;
  return json;
}

Schema schema_from(const Json& json) {
  Schema schema;
  const std::string form = text(json, "form");
  if (form != "wide" && form != "long")
    throw std::invalid_argument("its form is neither wide nor long");
  schema.wide = form == "wide";
  schema.task_column = text(json, "task_column");
  schema.target_column = text(json, "target_column");
  for (const Json& each : json.at("inputs")) {
    schema.inputs.push_back({text(each, "name"), truth(each, "text"), words(each, "words"),
                             real_number(each, "mean"), deviation(each)});
  }
  for (const Json& each : json.at("tasks")) {
    schema.tasks.push_back({text(each, "name"), kind_from(text(each, "kind")),
                            words(each, "labels"), real_number(each, "mean"), deviation(each),
                            whole_number(each, "observed", 0, kMost)});
  }
  if (json.contains("reduction")) schema.reduction = reduction(json);  // older files have none
  return schema;
}

Json to_json(const ModelSpec& spec) {
  Json tasks = Json::array(), inner = Json::array();
  for (const TaskSpec& task : spec.tasks) {
    tasks.push_back({{"likelihood", task.likelihood}, {"classes", task.classes}});
  }
  for (const LayerSpec& layer : spec.inner) inner.push_back(to_json(layer));
  Json json = {{"model", spec.model},
               {"inputs", spec.inputs},
               {"tasks", tasks},
               {"inner", inner},
               {"top", to_json(spec.top)},
               {"propagate_inputs", spec.propagate_inputs},
               {"rank", spec.rank},
               {"jitter", spec.jitter},
               {"top_inducing", spec.top_inducing}};
  if (!spec.network.units.empty()) json["network"] = to_json(spec.network);
  if (spec.forest.trees > 0) json["forest"] = to_json(spec.forest);
  return json;
}

ModelSpec spec_from(const Json& json) {
  ModelSpec spec;
  spec.model = text(json, "model");
  spec.inputs = whole_number(json, "inputs", 1, kMost);
  for (const Json& each : json.at("tasks")) {
    spec.tasks.push_back(
        {text(each, "likelihood"), static_cast<int>(whole_number(each, "classes", 0, 1'000'000))});
  }
  spec.inner.clear();
  for (const Json& each : json.at("inner")) spec.inner.push_back(layer_from(each));
  spec.top = layer_from(json.at("top"));
  if (json.contains("top_inducing")) spec.top_inducing = widths(json, "top_inducing");
  if (json.contains("network")) spec.network = network_from(json.at("network"));
  if (json.contains("forest")) spec.forest = forest_from(json.at("forest"));
  spec.propagate_inputs = truth(json, "propagate_inputs");
  spec.rank = whole_number(json, "rank", 1, kMost);
  spec.jitter = real_number(json, "jitter");
  if (!(spec.jitter > 0.0 && spec.jitter < 1.0))
    throw std::invalid_argument("jitter is out of range");
  return spec;
}

Json to_json(const TrainingNotes& notes) {
  Json points = Json::array();
  for (const TrainingPoint& p : notes.points) points.push_back({p.step, p.bound});
  return {
      {"source", notes.source},    {"rows", notes.rows},       {"observations", notes.observations},
      {"steps", notes.steps},      {"outcome", notes.outcome}, {"points", points},
      {"held_out", notes.held_out}};
}

TrainingNotes notes_from(const Json& json) {
  TrainingNotes notes;
  notes.source = text(json, "source");
  notes.rows = whole_number(json, "rows", 0, kMost);
  notes.observations = whole_number(json, "observations", 0, kMost);
  notes.steps = whole_number(json, "steps", 0, kMost);
  notes.outcome = text(json, "outcome");
  for (const Json& p : json.at("points")) {
    notes.points.push_back(
        {whole_number({{"step", p.at(0)}}, "step", 0, kMost),
         p.at(1).is_null() ? std::nan("") : real_number({{"bound", p.at(1)}}, "bound")});
  }
  for (const auto& [name, value] : json.at("held_out").items()) {
    notes.held_out[name] = value.is_null() ? std::nan("") : value.get<double>();
  }
  return notes;
}

}  // namespace mdgp
