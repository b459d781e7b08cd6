#include "mdgp/models/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "mdgp/layers/mean.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

// What distinguishes them.
struct Architecture {
  std::string_view name;
  bool deep;
  bool shared_inside, private_inside;
  bool coregionalised;  // inside and on top
  bool exact = false;
};

constexpr std::array kArchitectures = {
    Architecture{"smdgp", true, true, false, false},
    Architecture{"mmdgp", true, true, true, false},
    Architecture{"cmdgp", true, true, false, true},
    Architecture{"idgp", true, false, true, false},
    Architecture{"cgp", false, false, false, true},
    Architecture{"igp", false, false, false, false},
    Architecture{"exact-gp", false, false, false, false, true},
    Architecture{"exact-icm", false, false, false, true, true},
};

const Architecture& find_architecture(std::string_view name) {
  for (const Architecture& a : kArchitectures) {
    if (a.name == name) return a;
  }
  throw std::invalid_argument(fmt::format("make_model: '{}' is not a model; there are {}", name,
                                          fmt::join(all_model_names(), ", ")));
}

// Adds processes to the model layer by layer; knows the width that each layer sees.
class Builder {
 public:
  Builder(const ModelSpec& spec, const Architecture& architecture)
      : spec_(spec), architecture_(architecture) {
    model_.cascade.inputs = spec.inputs;
    model_.cascade.tasks = static_cast<Index>(spec.tasks.size());
    model_.cascade.propagate_inputs = spec.propagate_inputs;
    model_.cascade.jitter = spec.jitter;
    inputs_ = spec.inputs;
    model_.parameters.most = spec.most_parameters;
    check_size_claims();
  }

  void add_inner(const LayerSpec& layer, std::size_t l) {
    check_layer(layer, l);
    model_.cascade.layers.emplace_back();
    // The paper's names: g shared, h private. Deeper layers carry their number.
    const std::string depth = spec_.inner.size() > 1 ? fmt::format("{}", l) : "";
    Index width = 0;
    for (std::size_t i = 0; i < layer.shared.size(); ++i) {
      add_process(layer, fmt::format("g{}{}{}", depth, depth.empty() ? "" : "_", i), {},
                  layer.shared[i], true);
      width += layer.shared[i];
    }
    for (std::size_t j = 0; j < layer.priv.size(); ++j) {
      for (std::size_t t = 0; t < spec_.tasks.size(); ++t) {
        const std::string number = layer.priv.size() > 1 ? fmt::format("_{}", j) : "";
        add_process(layer, fmt::format("h{}{}{}{}", depth, depth.empty() ? "" : "_", t, number),
                    {static_cast<int>(t)}, layer.priv[j], true);
      }
      width += layer.priv[j];
    }
    inputs_ = width + (spec_.propagate_inputs ? spec_.inputs : 0);
  }

  void add_top() {
    model_.cascade.layers.emplace_back();
    if (architecture_.coregionalised) {
      const Index width = latent_width(0);
      for (std::size_t t = 1; t < spec_.tasks.size(); ++t) {
        check_size("make_model", fmt::format("tasks[{}]'s f, in a coregionalised top layer,", t),
                   latent_width(t), width);
      }
      add_process(top_of(-1), "f", {}, width, false);
    } else {
      for (std::size_t t = 0; t < spec_.tasks.size(); ++t) {
        add_process(top_of(static_cast<int>(t)), fmt::format("f{}", t), {static_cast<int>(t)},
                    latent_width(t), false);
      }
    }
  }

  Model finish() {
    add_likelihoods(spec_.tasks, model_);
    finish_cascade(model_.cascade);
    return std::move(model_);
  }

 private:
  // No single size may exceed what all parameters together may have, so that products of two of
  // them do not overflow.
  void check_size_claims() const {
    const auto check = [&](const char* field, Index size) {
      if (size > spec_.most_parameters) {
        refuse("make_model", field, fmt::format("{}", size),
               fmt::format("{} at most", spec_.most_parameters));
      }
    };
    check("inputs", spec_.inputs);
    check("rank", spec_.rank);
    for (const TaskSpec& task : spec_.tasks) check("classes", task.classes);
    check("top.inducing", spec_.top.inducing);
    Index top = 0;
    for (const Index m : spec_.top_inducing) {
      check("top_inducing", m);
      check("the sum of top_inducing", top += m);
    }
    for (const LayerSpec& layer : spec_.inner) {
      check("inducing", layer.inducing);
      for (const Index width : layer.shared) check("shared", width);
      for (const Index width : layer.priv) check("priv", width);
    }
  }

  // The top layer as the process of a task has it, or (-1) that of all.
  LayerSpec top_of(int task) const {
    LayerSpec top = spec_.top;
    if (spec_.top_inducing.empty()) return top;
    top.inducing = 0;
    for (std::size_t t = 0; t < spec_.top_inducing.size(); ++t) {
      if (task < 0 || static_cast<int>(t) == task) top.inducing += spec_.top_inducing[t];
    }
    return top;
  }

  // The tasks of a coregionalised process's inducing inputs: as many as each is to have, in order,
  // or dealt in turn.
  std::vector<int> inducing_tasks(const LayerSpec& layer, bool inner) const {
    std::vector<int> tasks;
    if (inner || spec_.top_inducing.empty()) {
      for (Index m = 0; m < layer.inducing; ++m) {
        tasks.push_back(static_cast<int>(m % model_.cascade.tasks));
      }
      return tasks;
    }
    for (std::size_t t = 0; t < spec_.top_inducing.size(); ++t) {
      tasks.insert(tasks.end(), static_cast<std::size_t>(spec_.top_inducing[t]),
                   static_cast<int>(t));
    }
    return tasks;
  }

  Index latent_width(std::size_t task) const {
    const int classes = spec_.tasks[task].classes;
    return classes > 0 ? classes : 1;
  }

  void check_layer(const LayerSpec& layer, std::size_t l) const {
    const auto check = [&](const std::vector<Index>& widths, bool wanted, const char* field) {
      const std::string name = fmt::format("inner[{}].{}", l, field);
      if (wanted != !widths.empty()) {
        refuse("make_model", name, fmt::format("[{}]", fmt::join(widths, ", ")),
               fmt::format("{} for {}", wanted ? "not empty" : "empty", architecture_.name));
      }
      for (const Index w : widths) {
        if (w < 1) refuse("make_model", name, fmt::format("{}", w), "at least 1");
      }
    };
    check(layer.shared, architecture_.shared_inside, "shared");
    check(layer.priv, architecture_.private_inside, "priv");
    if (!(layer.white >= 0.0)) {
      refuse("make_model", fmt::format("inner[{}].white", l), fmt::format("{}", layer.white),
             "not negative");
    }
  }

  void add_process(const LayerSpec& layer, const std::string& name, std::vector<int> tasks,
                   Index width, bool inner) {
    ProcessSpec process;
    process.name = name;
    process.layer = static_cast<Index>(model_.cascade.layers.size()) - 1;
    process.tasks = std::move(tasks);
    process.kernel = layer.kernel;
    process.ard = layer.ard;
    process.inputs = inputs_;
    process.inducing = layer.inducing;
    process.width = width;
    process.all_tasks = model_.cascade.tasks;
    process.rank = spec_.rank;
    if (architecture_.coregionalised) {
      process.kernel = fmt::format("({}) * coregion", layer.kernel);
      process.Z_task = inducing_tasks(layer, inner);
    }
    if (inner && layer.white > 0.0 && process.kernel.find("white") == std::string::npos) {
      process.kernel += " + white";
    }
    if (inner) process.mean_weights = mean_weights(layer.mean, width);
    model_.cascade.layers.back().processes.push_back(make_process(process, model_.parameters));
    if (inner && layer.white > 0.0) {
      model_.parameters.view(name + ".kernel.white.variance").setConstant(layer.white);
    }
  }

  Matrix mean_weights(MeanFunction mean, Index width) const {
    if (mean == MeanFunction::zero) return {};
    if (mean == MeanFunction::identity || width >= inputs_) return identity_mean(inputs_, width);
    if (model_.cascade.layers.size() > 1) {
      // The rows that a deeper layer sees are not known yet.
      return identity_mean(inputs_, width);
    }
    if (spec_.pca_rows.size() == 0) {
      refuse("make_model", "pca_rows", "empty", "given where a mean function is pca");
    }
    check_size("make_model", "columns of pca_rows", spec_.pca_rows.cols(), spec_.inputs);
    return pca_mean(spec_.pca_rows, width);
  }

  const ModelSpec& spec_;
  const Architecture& architecture_;
  Model model_;
  Index inputs_ = 0;  // that the next layer sees
};

}  // namespace

namespace {

void check_top_inducing(const ModelSpec& spec, const Architecture& architecture) {
  if (spec.top_inducing.empty()) {
    if (!architecture.exact) return;
    refuse("make_model", "top_inducing", "empty", "the observations of each task of an exact GP");
  }
  check_size("make_model", "top_inducing", static_cast<Index>(spec.top_inducing.size()),
             static_cast<Index>(spec.tasks.size()));
  for (const Index m : spec.top_inducing) {
    if (m < 1) refuse("make_model", "top_inducing", fmt::format("{}", m), "at least 1");
  }
  for (const TaskSpec& task : spec.tasks) {
    if (architecture.exact && !has_gaussian_noise(task.likelihood)) {
      refuse("make_model", "likelihood", task.likelihood, "gaussian for an exact GP");
    }
  }
}

}  // namespace

ModelSpec default_spec(std::string_view model, Index inputs, std::vector<TaskSpec> tasks,
                       Index depth, Index width, Index inducing) {
  const Architecture& architecture = find_architecture(model);
  if (depth < 2) refuse("default_spec", "depth", fmt::format("{}", depth), "at least 2");
  ModelSpec spec;
  spec.model = model;
  spec.inputs = inputs;
  spec.tasks = std::move(tasks);
  LayerSpec layer;
  layer.inducing = inducing;
  spec.top = layer;
  const Index shared = architecture.private_inside ? (width + 1) / 2 : width;
  layer.shared = architecture.shared_inside ? std::vector<Index>{shared} : std::vector<Index>{};
  layer.priv.clear();
  if (architecture.private_inside) {
    layer.priv = {architecture.shared_inside ? std::max<Index>(width - shared, 1) : width};
  }
  spec.inner.assign(static_cast<std::size_t>(depth - 1), layer);
  return spec;
}

void add_likelihoods(const std::vector<TaskSpec>& tasks, Model& model) {
  model.likelihoods_begin = model.parameters.size();
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    model.likelihoods.push_back(make_likelihood(tasks[t].likelihood, fmt::format("likelihood{}", t),
                                                model.parameters, tasks[t].classes));
  }
}

Model make_model(const ModelSpec& spec) {
  const Architecture& architecture = find_architecture(spec.model);
  check_positive("make_model", "inputs", static_cast<double>(spec.inputs));
  check_positive("make_model", "number of tasks", static_cast<double>(spec.tasks.size()));
  check_top_inducing(spec, architecture);
  Builder builder(spec, architecture);
  if (architecture.deep) {
    check_positive("make_model", "number of inner layers", static_cast<double>(spec.inner.size()));
    for (std::size_t l = 0; l < spec.inner.size(); ++l) builder.add_inner(spec.inner[l], l);
  }
  builder.add_top();
  return builder.finish();
}

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const Architecture& a : kArchitectures) {
    if (!a.exact) names.push_back(a.name);
  }
  return names;
}

std::vector<std::string_view> all_model_names() {
  std::vector<std::string_view> names;
  for (const Architecture& a : kArchitectures) names.push_back(a.name);
  return names;
}

bool is_exact(std::string_view model) { return find_architecture(model).exact; }
bool is_shallow(std::string_view model) { return !find_architecture(model).deep; }
bool is_coregionalised(std::string_view model) { return find_architecture(model).coregionalised; }

std::vector<Model> members_of(const Model& model) {
  std::vector<Model> members(model.members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    members[m] = {model.parameters, model.cascade, model.likelihoods, model.likelihoods_begin, {}};
    members[m].parameters.values = model.members[m];
  }
  return members;
}

Index most_members(const Model& model) {
  return std::min(kMostMembers, kMostMemberNumbers / std::max<Index>(model.parameters.size(), 1));
}

void check_members(std::string_view function, const Model& model, Index count) {
  if (count < 1) return;
  check_has_layers(function, model);
  const Index most = most_members(model);
  if (count <= most) return;
  refuse(function, "members", fmt::format("{} of {} numbers", count, model.parameters.size()),
         fmt::format("{} at most", most));
}

void check_model(std::string_view function, const Model& model) {
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    check_process(function, process, model.parameters);
  });
  for (const Likelihood& likelihood : model.likelihoods) {
    for (const int id : likelihood.parameters) {
      check_positive(function, model.parameters[id].name, model.parameters.view(id));
    }
  }
  if (!model.cascade.layers.empty()) return;
  for (std::size_t i = 0; i < model.parameters.table.size(); ++i) {
    const Parameter& p = model.parameters.table[i];
    const ConstView values = model.parameters.view(static_cast<int>(i));
    check_finite(function, p.name, values);
    if (p.constraint == Constraint::positive) check_positive(function, p.name, values);
  }
}

void check_has_layers(std::string_view function, const Model& model) {
  if (!model.cascade.layers.empty()) return;
  refuse(function, "model", "a baseline", "one of Gaussian processes");
}

}  // namespace mdgp
