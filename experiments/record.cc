#include "record.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mdgp::experiments {
namespace {

using Json = nlohmann::ordered_json;

double number_or_nan(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& each : json) values.push_back(number_or_nan(each));
  return values;
}

Record read_record(const Json& json) {
  Record record;
  json.at("experiment").get_to(record.experiment);
  json.at("variant").get_to(record.variant);
  json.at("settings").get_to(record.settings);
  json.at("model").get_to(record.model);
  json.at("size").get_to(record.size);
  json.at("run").get_to(record.run);
  json.at("seed").get_to(record.seed);
  record.data = json.value("data", "");
  record.program = json.value("program", "");
  record.error = json.value("error", "");
  if (!record.error.empty()) return record;
  record.seconds = number_or_nan(json.at("seconds"));
  for (const auto& [name, value] : json.at("scores").items()) {
    record.scores[name] = number_or_nan(value);
  }
  for (const auto& [name, list] : json.at("lists").items()) record.lists[name] = numbers(list);
  if (json.contains("ard_columns")) {
    json.at("ard_columns").get_to(record.ard_columns);
    for (const Json& row : json.at("ard_weights")) record.ard_weights.push_back(numbers(row));
  }
  return record;
}

}  // namespace

std::string to_json(const Record& record) {
  Json json = {{"experiment", record.experiment},
               {"variant", record.variant},
               {"settings", record.settings},
               {"model", record.model},
               {"size", record.size},
               {"run", record.run},
               {"seed", record.seed}};
  if (!record.data.empty()) json["data"] = record.data;
  if (!record.program.empty()) json["program"] = record.program;
  if (!record.error.empty()) {
    json["error"] = record.error;
  } else {
    json["seconds"] = record.seconds;
    json["scores"] = record.scores;
    json["lists"] = record.lists;
    if (!record.ard_columns.empty()) {
      json["ard_columns"] = record.ard_columns;
      json["ard_weights"] = record.ard_weights;
    }
  }
  // Messages may quote what somebody's file holds: not always UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Record from_json(std::string_view line) {
  try {
    return read_record(Json::parse(line));
  } catch (const Json::exception&) {  // whose words are about JSON
    throw std::invalid_argument("not a record of an experiment");
  }
}

}  // namespace mdgp::experiments
