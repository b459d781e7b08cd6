// The JSON parts of a model file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mdgp/io/model_file.h"

namespace mdgp {

using Json = nlohmann::json;

// Text from a file. Nesting is limited, as copying a value takes stack for every level of it.
Json parse_json(std::string_view text);

// Reading throws std::invalid_argument or Json::exception where a value is not what it must be.
Index whole_number(const Json& json, const char* name, Index least, Index most);
double real_number(const Json& json, const char* name);

Json to_json(const Schema& schema);
Schema schema_from(const Json& json);

// Without pca_rows: what a mean function has become is in the tensors.
Json to_json(const ModelSpec& spec);
ModelSpec spec_from(const Json& json);

Json to_json(const TrainingNotes& notes);
TrainingNotes notes_from(const Json& json);

}  // namespace mdgp
