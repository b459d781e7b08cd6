#include "mdgp/metrics/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/io/model_file.h"
#include "mdgp/linalg/parallel.h"
#include "scores.h"

namespace mdgp::program {
namespace {

using Json = nlohmann::ordered_json;

// A score that is not there (no pair to order, say) is null.
void add_scores(const Scores& scores, Json& object) {
  for (const auto& [name, value] : scores) {
    object[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
}

void print_json(const Evaluation& evaluation) {
  Json json = {{"overall", Json::object()}, {"tasks", Json::object()}};
  add_scores(evaluation.overall, json["overall"]);
  for (const TaskScores& task : evaluation.tasks) {
    Json& object = json["tasks"][task.task];
    object = {{"kind", kind_name(task.kind)}, {"rows", task.rows}};
    add_scores(task.scores, object);
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace

int evaluate(const EvaluateOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const FittedModel fitted = load_model(options.model);
  TableReader reader(options.table);
  const ColumnChoice choice =
      schema_columns(fitted.schema, reader.names(), reader.source(), Targets::required);
  const Posterior posterior = make_posterior(fitted.spec, fitted.model);
  Evaluator evaluator(posterior, fitted.schema, {options.samples, options.seed});
  Index row = 0, incomplete = 0;
  while (true) {
    const Table table = reader.next(kPieceRows, choice);
    if (table.rows == 0) break;
    const Encoded encoded = encode(fitted.schema, table, Targets::required);
    std::vector<std::uint64_t> numbers;
    for (const Index r : encoded.row) numbers.push_back(static_cast<std::uint64_t>(row + r));
    evaluator.add(encoded.data, numbers);
    row += table.rows;
    incomplete += table.rows - encoded.data.x.rows();
  }
  const Evaluation evaluation = evaluator.finish();
  if (evaluation.tasks.empty()) {
    throw TableError(fmt::format("{}: no row has all inputs and a target", reader.source()));
  }
  if (options.json) {
    print_json(evaluation);
  } else {
    print_scores(evaluation);
  }
  if (incomplete > 0) {
    fmt::print(stderr, "mdgp: {} with an empty input {} left out\n",
               incomplete == 1 ? "1 row" : fmt::format("{} rows", incomplete),
               incomplete == 1 ? "is" : "are");
  }
  return 0;
}

}  // namespace mdgp::program
