#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "commands.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/report/chart.h"
#include "mdgp/report/page.h"
#include "progress.h"
#include "toy/toy.h"

namespace mdgp::program {
namespace {

using experiments::ToyData;
using experiments::ToyFit;
using experiments::ToyOptions;

// The shallow models first, then what the paper adds to them.
constexpr const char* kModels[] = {"igp", "cgp", "idgp", "cmdgp", "smdgp", "mmdgp"};
constexpr const char* kTasks[] = {"f1", "f2"};

std::vector<ToyFit> fit_all(const ToyData& data, const ToyOptions& options) {
  std::vector<ToyFit> fits;
  Progress progress;
  const double models = std::size(kModels);
  for (const char* model : kModels) {
    const double done = static_cast<double>(fits.size());
    fits.push_back(experiments::fit_toy(
        model, data, options, [&](const TrainRecord& record, const Model&, const TrainState&) {
          const double step = static_cast<double>(record.step) / static_cast<double>(options.steps);
          progress.show(fmt::format("{:<6}", model), (done + step) / models,
                        fmt::format("bound {:.1f}", record.value.bound));
          return TrainAction::go_on;
        }));
  }
  return fits;
}

void print_table(const std::vector<ToyFit>& fits) {
  fmt::print("{:<8}{:>10}{:>10}{:>10}{:>10}{:>10}{:>8}\n", "model", "RMSE f1", "NLPP f1", "RMSE f2",
             "NLPP f2", "bound", "s");
  for (const ToyFit& fit : fits) {
    const auto& s = fit.score;
    fmt::print("{:<8}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.1f}{:>8.1f}\n", fit.model, s.rmse[0],
               s.nlpp[0], s.rmse[1], s.nlpp[1], fit.bound, fit.seconds);
  }
}

std::vector<double> column_of(const Matrix& m, Index c) {
  return {m.col(c).data(), m.col(c).data() + m.rows()};
}

Chart chart_of(const ToyFit& fit, int task, const ToyData& data) {
  const std::vector<double> x = column_of(data.x, 0);
  Series band{Series::band,
              x,
              {},
              column_of(fit.low, task),
              column_of(fit.high, task),
              "#1f77b4",
              "95 % of observations",
              false};
  Series mean{Series::line, x, column_of(fit.mean, task), {}, {}, "#1f77b4", "mean", false};
  Series truth{Series::line, x, {}, {}, {}, "#d62728", "truth", true};
  for (const double at : x) truth.y.push_back(experiments::toy_function(task, at));
  Series points{Series::points, {}, {}, {}, {}, "#222222", "data", false};
  for (const Observation& o : data.train.observations) {
    if (o.task != task) continue;
    points.x.push_back(data.train.x(o.row, 0));
    points.y.push_back(data.mean[task] + data.deviation[task] * o.y);
  }
  return {
      .title = fmt::format("{}, {}: NLPP {:.2f}", fit.model, kTasks[task], fit.score.nlpp[task]),
      .x_label = "x",
      .y_label = kTasks[task],
      .series = {band, truth, mean, points},
      .y_min = task == 0 ? -0.5 : -1.0,
      .y_max = task == 0 ? 2.5 : 4.0,
      .fixed_y = true};
}

PageTable table_of(const std::vector<ToyFit>& fits) {
  PageTable table{{"model", "RMSE f1", "NLPP f1", "RMSE f2", "NLPP f2", "seconds"}, {}};
  for (const ToyFit& fit : fits) {
    const auto& s = fit.score;
    const auto number = [](double v) { return fmt::format("{:.3f}", v); };
    table.rows.push_back({fit.model, number(s.rmse[0]), number(s.nlpp[0]), number(s.rmse[1]),
                          number(s.nlpp[1]), fmt::format("{:.1f}", fit.seconds)});
  }
  // The best of each column of scores in bold.
  for (std::size_t c = 1; c <= 4; ++c) {
    const auto best = std::min_element(table.rows.begin(), table.rows.end(), [c](auto& a, auto& b) {
      return std::stod(a[c]) < std::stod(b[c]);
    });
    (*best)[c].insert(0, 1, '*');
  }
  return table;
}

}  // namespace

int demo(const DemoOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error || !std::filesystem::is_directory(options.out)) {
    throw std::invalid_argument(
        fmt::format("--out {}: the directory cannot be made ({})", options.out, error.message()));
  }
  ToyOptions toy;
  toy.seed = options.seed;
  toy.steps = options.steps;
  const ToyData data = experiments::make_toy(toy);
  fmt::print("The paper's toy: two tasks, {} rows each, no row of f2 between {} and {}.\n\n",
             toy.rows, toy.gap_begin, toy.gap_end);
  const std::vector<ToyFit> fits = fit_all(data, toy);
  print_table(fits);

  std::vector<Chart> charts;
  for (const ToyFit& fit : fits) {
    for (const int task : {0, 1}) charts.push_back(chart_of(fit, task, data));
  }
  const std::string svg = to_svg(charts, 4);
  Page page;
  page.title = "mdgp demo: the paper's toy";
  page.sections.push_back(
      {"Fits",
       {fmt::format(
           "Two tasks mix one function non-linearly. Each has {} rows with noise of standard "
           "deviation {}; the second has none between {} and {}. Scores are on new observations, "
           "in "
           "units of each task's standard deviation; lower is better.",
           toy.rows, toy.noise, toy.gap_begin, toy.gap_end)},
       {table_of(fits)},
       {svg}});
  const std::filesystem::path out = options.out;
  write_whole_file((out / "demo.svg").string(), svg);
  write_whole_file((out / "demo.html").string(), to_html(page));
  fmt::print("\nPictures: {} and {}\n", (out / "demo.html").string(), (out / "demo.svg").string());
  return 0;
}

}  // namespace mdgp::program
