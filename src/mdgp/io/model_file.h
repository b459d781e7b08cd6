// A fitted model as one file that needs nothing else: safetensors with the structure, the meaning
// of the columns, the settings and the record of training as JSON in its metadata. Written and read
// back it predicts the same bits. docs/model-file.md describes it for readers without mdgp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/io/safetensors.h"
#include "mdgp/models/model.h"

namespace mdgp {

constexpr int kModelFormat = 1;
// That of a model with members, which a program that does not know them must refuse.
constexpr int kModelFormatMembers = 2;

struct TrainingPoint {
  Index step = 0;
  double bound = 0.0;
};

// Nothing that differs between two runs with one seed, such as times: the files are equal too.
struct TrainingNotes {
  std::string source;  // the table's name
  Index rows = 0, observations = 0;
  Index steps = 0;      // done
  std::string outcome;  // why it ended
  std::vector<TrainingPoint> points;
  std::map<std::string, double> held_out;  // scores of the rows held out, by name
};

struct FittedModel {
  Schema schema;
  ModelSpec spec;
  Model model;
  std::map<std::string, std::string> settings;  // as they were chosen, by option
  TrainingNotes training;
};

// Everything but training state (io/checkpoint.h adds that).
TensorFile to_tensors(const FittedModel& fitted);
// Throws FileError, one line that begins with `source`.
FittedModel from_tensors(const TensorFile& file, std::string_view source);

void save_model(const std::string& path, const FittedModel& fitted);
FittedModel load_model(const std::string& path);
FittedModel parse_model(std::string_view bytes, std::string_view source);

}  // namespace mdgp
