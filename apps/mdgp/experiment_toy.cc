#include <fmt/format.h>

#include <map>
#include <vector>

#include "experiment.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/metrics/metrics.h"
#include "progress.h"
#include "toy/toy.h"

namespace mdgp::program {
namespace {

using experiments::ToyFit;

template <class F>
std::vector<double> values_of(const std::vector<ToyFit>& fits, F value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < fits.size(); ++i) values.push_back(value(i));
  return values;
}

std::string show(const std::vector<double>& values) { return mean_text(values, 3); }

using Fits = std::map<std::string, std::vector<ToyFit>>;

void print_toy_scores(const Fits& all) {
  fmt::print("{:<7}{:>16}{:>16}{:>16}{:>16}   {}\n", "model", "RMSE f1", "NLPP f1", "RMSE f2",
             "NLPP f2", "inside 50, 80, 95 %");
  for (const auto& each : all) {  // clang 14 does not capture structured bindings
    const std::string& model = each.first;
    const std::vector<ToyFit>& fits = each.second;
    fmt::print("{:<7}", model);
    for (const int task : {0, 1}) {
      fmt::print("{:>16}{:>16}",
                 show(values_of(fits, [&](auto i) { return fits[i].score.rmse[task]; })),
                 show(values_of(fits, [&](auto i) { return fits[i].score.nlpp[task]; })));
    }
    fmt::print("  ");
    for (const int k : {0, 1, 2}) {
      const std::vector<double> inside = values_of(fits, [&](auto i) {
        return 0.5 * (fits[i].score.inside[0][k] + fits[i].score.inside[1][k]);
      });
      fmt::print(" {:.2f}", mean_error(inside).mean);
    }
    fmt::print("\n");
  }
}

// The paper's Figure 1 as a number: what each model gains over cgp on the same data.
void print_margins(const Fits& all) {
  const std::vector<ToyFit>& cgp = all.at("cgp");
  fmt::print("\ngain over cgp, mean over seeds (standard error); positive is better\n");
  fmt::print("{:<7}{:>16}{:>16}{:>16}\n", "model", "NLPP f1", "NLPP f2", "RMSE f2");
  for (const auto& each : all) {
    const std::string& model = each.first;
    const std::vector<ToyFit>& fits = each.second;
    if (model == "cgp") continue;
    const auto gain = [&](auto score) {
      return show(values_of(fits, [&](auto i) { return score(cgp[i]) - score(fits[i]); }));
    };
    fmt::print("{:<7}{:>16}{:>16}{:>16}\n", model,
               gain([](const ToyFit& f) { return f.score.nlpp[0]; }),
               gain([](const ToyFit& f) { return f.score.nlpp[1]; }),
               gain([](const ToyFit& f) { return f.score.rmse[1]; }));
  }
}

}  // namespace

int experiment_toy(const ToyExperimentOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  Fits all;
  {
    Progress progress;
    const std::vector<std::string_view> models = model_names();
    const double total = static_cast<double>(options.runs) * static_cast<double>(models.size());
    double done = 0.0;
    for (int run = 0; run < options.runs; ++run) {
      experiments::ToyOptions toy;
      toy.seed = options.seed + static_cast<std::uint64_t>(run);
      toy.steps = options.steps;
      const experiments::ToyData data = experiments::make_toy(toy);
      for (const std::string_view model : models) {
        progress.show(fmt::format("run {} of {}", run + 1, options.runs), done / total,
                      std::string(model));
        all[std::string(model)].push_back(experiments::fit_toy(model, data, toy));
        done += 1.0;
      }
    }
  }
  fmt::print("The paper's toy, {}\n\n",
             options.runs == 1 ? std::string("one seed")
                               : fmt::format("{} seeds, mean (standard error)", options.runs));
  print_toy_scores(all);
  print_margins(all);
  return 0;
}

}  // namespace mdgp::program
