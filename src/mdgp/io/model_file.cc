#include "mdgp/io/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mdgp/baselines/baseline.h"
#include "mdgp/data/table_source.h"
#include "mdgp/io/model_json.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

constexpr const char* kProjection = "inputs.projection";
// "members.NAME" has NAME of every member, along its first axis; a name that is not there is the
// same in all of them.
constexpr const char* kMembers = "members.";

std::string mean_name(const Process& process) { return process.name + ".mean"; }

// Bytes that are not UTF-8 (a file may be named with any) become U+FFFD.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A matrix as the format has it, row by row.
Tensor to_tensor(const ConstView& matrix) {
  Tensor tensor{{matrix.rows(), matrix.cols()}, {}};
  tensor.values.reserve(static_cast<std::size_t>(matrix.size()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) tensor.values.push_back(matrix(i, j));
  }
  return tensor;
}

// L_p as [P, M, M]; inside they are panels (layers/process.h).
Tensor to_triangles(const Process& process, const Parameters& parameters) {
  const Index m = process.inducing;
  Tensor tensor{{process.width, m, m}, {}};
  const ConstView panels = parameters.view(process.q_sqrt);
  for (Index p = 0; p < process.width; ++p) {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) tensor.values.push_back(panels(i, j * process.width + p));
    }
  }
  return tensor;
}

const Tensor& find_tensor(const TensorFile& file, const std::string& name,
                          const std::vector<Index>& shape) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    throw std::invalid_argument(fmt::format("tensor '{}' is missing", name));
  }
  if (found->second.shape != shape) {
    throw std::invalid_argument(
        fmt::format("tensor '{}' has another shape than the structure says", name));
  }
  return found->second;
}

void copy_matrix(const double* values, View matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = *values++;
  }
}

void copy_triangles(const double* values, const Process& process, View panels) {
  for (Index p = 0; p < process.width; ++p) {
    for (Index i = 0; i < process.inducing; ++i) {
      for (Index j = 0; j < process.inducing; ++j) panels(i, j * process.width + p) = *values++;
    }
  }
}

void read_matrix(const TensorFile& file, const std::string& name, View matrix) {
  copy_matrix(find_tensor(file, name, {matrix.rows(), matrix.cols()}).values.data(), matrix);
}

// The process whose q_sqrt a parameter is, or null.
std::vector<const Process*> owners_of_triangles(const Model& model) {
  std::vector<const Process*> owners(model.parameters.table.size(), nullptr);
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    owners[static_cast<std::size_t>(process.q_sqrt)] = &process;
  });
  return owners;
}

// A parameter's values as the format has them.
Tensor tensor_of(const Model& model, const Process* triangles, int id) {
  return triangles != nullptr ? to_triangles(*triangles, model.parameters)
                              : to_tensor(model.parameters.view(id));
}

std::vector<Index> shape_of(const Parameter& parameter, const Process* triangles) {
  if (triangles == nullptr) return {parameter.rows, parameter.cols};
  return {triangles->width, triangles->inducing, triangles->inducing};
}

void copy_values(const double* values, const Process* triangles, View to) {
  if (triangles != nullptr) {
    copy_triangles(values, *triangles, to);
  } else {
    copy_matrix(values, to);
  }
}

void read_means(const TensorFile& file, Model& model) {
  for_processes(model.cascade, [&](Process& process, std::size_t, std::size_t) {
    if (!file.tensors.contains(mean_name(process))) return;
    find_tensor(file, mean_name(process), {process.inputs, process.width});
    process.mean_weights.resize(process.inputs, process.width);
    read_matrix(file, mean_name(process), view_of(process.mean_weights));
    check_finite("model", mean_name(process), view_of(std::as_const(process.mean_weights)));
  });
}

void read_parameters(const TensorFile& file, Model& model) {
  const std::vector<const Process*> triangles = owners_of_triangles(model);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Parameter& p = model.parameters.table[i];
    // A count's rate at f = 0 came later; before, it was 1.
    if (p.name.ends_with(".rate") && !file.tensors.contains(p.name)) continue;
    const Tensor& tensor = find_tensor(file, p.name, shape_of(p, triangles[i]));
    copy_values(tensor.values.data(), triangles[i], model.parameters.view(static_cast<int>(i)));
  }
}

// What differs between the members, and from the model's own values.
void write_members(const Model& model, TensorFile& file) {
  const std::vector<const Process*> triangles = owners_of_triangles(model);
  const std::vector<Model> members = members_of(model);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Parameter& p = model.parameters.table[i];
    const auto same = [&](const Vector& values) {
      return values.segment(p.offset, p.size()) ==
             model.parameters.values.segment(p.offset, p.size());
    };
    if (std::all_of(model.members.begin(), model.members.end(), same)) continue;
    Tensor all{shape_of(p, triangles[i]), {}};
    all.shape.insert(all.shape.begin(), static_cast<Index>(members.size()));
    for (const Model& member : members) {
      const Tensor one = tensor_of(member, triangles[i], static_cast<int>(i));
      all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    }
    file.tensors[kMembers + p.name] = std::move(all);
  }
}

// How many members the tensors of a file speak of.
Index count_members(const TensorFile& file, const Parameters& parameters) {
  const std::string_view prefix = kMembers;
  Index count = 0;
  for (const auto& [name, tensor] : file.tensors) {
    if (!name.starts_with(prefix)) continue;
    parameters.find(std::string_view(name).substr(prefix.size()));  // throws where there is none
    count = tensor.shape.empty() ? 0 : tensor.shape.front();
    if (count < 1) throw std::invalid_argument(fmt::format("tensor '{}' has no members", name));
  }
  return count;
}

void read_members(const TensorFile& file, Model& model) {
  const Index count = count_members(file, model.parameters);
  check_members("model", model, count);
  const std::vector<const Process*> triangles = owners_of_triangles(model);
  Model member = model;
  for (Index m = 0; m < count; ++m) {
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const Parameter& p = model.parameters.table[i];
      if (!file.tensors.contains(kMembers + p.name)) continue;
      std::vector<Index> shape = shape_of(p, triangles[i]);
      shape.insert(shape.begin(), count);
      copy_values(find_tensor(file, kMembers + p.name, shape).values.data() + m * p.size(),
                  triangles[i], member.parameters.view(static_cast<int>(i)));
    }
    check_model("model", member);
    model.members.push_back(member.parameters.values);
  }
}

void read_projection(const TensorFile& file, Schema& schema) {
  if (schema.reduction == "none") return;
  // The tensor itself says how many components there are.
  const auto found = file.tensors.find(kProjection);
  const Index components =
      found != file.tensors.end() && found->second.shape.size() == 2 ? found->second.shape[1] : 1;
  find_tensor(file, kProjection, {schema.column_width(), components});
  if (components < 1) throw std::invalid_argument("a reduction of the inputs to none");
  schema.projection.resize(schema.column_width(), components);
  read_matrix(file, kProjection, view_of(schema.projection));
  check_finite("model", kProjection, view_of(std::as_const(schema.projection)));
}

// The kinds of task that a likelihood serves.
bool serves(std::string_view likelihood, TaskKind kind) {
  if (likelihood == "bernoulli") return kind == TaskKind::binary;
  if (likelihood == "poisson") return kind == TaskKind::count;
  if (likelihood == "softmax" || likelihood == "robustmax") return kind == TaskKind::classes;
  return kind == TaskKind::regression;
}

void check_agreement(const Schema& schema, const ModelSpec& spec) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(schema.input_width() == spec.inputs, "inputs and columns differ in number");
  require(schema.tasks.size() == spec.tasks.size(), "tasks and likelihoods differ in number");
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    const TaskColumn& task = schema.tasks[t];
    const bool classes = task.kind == TaskKind::classes;
    require(task.kind != TaskKind::binary || task.labels.size() == 2,
            "a yes/no task has other than two labels");
    require(spec.tasks[t].classes == (classes ? static_cast<int>(task.labels.size()) : 0) &&
                (!classes || task.labels.size() >= 2),
            "labels and classes differ in number");
    require(serves(spec.tasks[t].likelihood, task.kind), "a likelihood does not fit its task");
  }
}

std::string format_of(const Model& model) {
  return fmt::format("{}", model.members.empty() ? kModelFormat : kModelFormatMembers);
}

// The format's version, which is asked for before anything else.
void check_format(const TensorFile& file, std::string_view source) {
  const auto found = file.metadata.find("mdgp");
  if (found == file.metadata.end()) {
    throw FileError(fmt::format("{}: a safetensors file, but not a model of mdgp", source));
  }
  if (found->second != fmt::format("{}", kModelFormat) &&
      found->second != fmt::format("{}", kModelFormatMembers)) {
    throw FileError(
        fmt::format("{}: its format is version '{}', and this program reads versions {} and {}; "
                    "use the version of mdgp that wrote it, or fit again",
                    source, printable(found->second), kModelFormat, kModelFormatMembers));
  }
}

}  // namespace

TensorFile to_tensors(const FittedModel& fitted) {
  TensorFile file;
  file.metadata["mdgp"] = format_of(fitted.model);
  file.metadata["structure"] = text_of(to_json(fitted.spec));
  file.metadata["schema"] = text_of(to_json(fitted.schema));
  file.metadata["settings"] = text_of(Json(fitted.settings));
  file.metadata["training"] = text_of(to_json(fitted.training));
  const std::vector<const Process*> triangles = owners_of_triangles(fitted.model);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    file.tensors[fitted.model.parameters.table[i].name] =
        tensor_of(fitted.model, triangles[i], static_cast<int>(i));
  }
  write_members(fitted.model, file);
  for_processes(fitted.model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    if (process.mean_weights.size() > 0) {
      file.tensors[mean_name(process)] = to_tensor(view_of(process.mean_weights));
    }
  });
  const Matrix& projection = fitted.schema.projection;
  if (projection.size() > 0) file.tensors[kProjection] = to_tensor(view_of(projection));
  return file;
}

FittedModel from_tensors(const TensorFile& file, std::string_view source) {
  check_format(file, source);
  try {
    const auto json = [&](const char* key) {
      const auto found = file.metadata.find(key);
      if (found == file.metadata.end()) {
        throw std::invalid_argument(fmt::format("metadata '{}' is missing", key));
      }
      return parse_json(found->second);
    };
    FittedModel fitted;
    fitted.schema = schema_from(json("schema"));
    fitted.spec = spec_from(json("structure"));
    fitted.settings = json("settings").get<std::map<std::string, std::string>>();
    fitted.training = notes_from(json("training"));
    read_projection(file, fitted.schema);
    check_agreement(fitted.schema, fitted.spec);
    std::size_t numbers = fitted.spec.tasks.size();  // rates of counts, which may be absent
    for (const auto& [name, tensor] : file.tensors) numbers += tensor.values.size();
    ModelSpec spec = fitted.spec;
    spec.most_parameters = static_cast<Index>(numbers);
    fitted.model = make_any_model(spec);
    read_means(file, fitted.model);
    read_parameters(file, fitted.model);
    read_members(file, fitted.model);
    if (file.metadata.at("mdgp") != format_of(fitted.model)) {
      throw std::invalid_argument("its version and its members do not go together");
    }
    check_any_model("model", fitted.spec, fitted.model);
    return fitted;
  } catch (const std::exception& error) {
    std::string what = error.what();
    what.resize(std::min(what.size(), what.find('\n')));
    throw FileError(fmt::format("{}: damaged: {}", source, what));
  }
}

FittedModel parse_model(std::string_view bytes, std::string_view source) {
  return from_tensors(parse_safetensors(bytes, source), source);
}

void save_model(const std::string& path, const FittedModel& fitted) {
  write_whole_file(path, to_safetensors(to_tensors(fitted)));
}

FittedModel load_model(const std::string& path) { return parse_model(read_whole_file(path), path); }

}  // namespace mdgp
