#include "claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "table.h"

namespace mdgp::experiments {
namespace {

enum class Expected { better, not_worse, worse };

bool as_expected(const Comparison& c, Expected expected) {
  const bool found = std::isnan(c.p) || c.p < kLevel;  // few runs: the sign alone
  switch (expected) {
    case Expected::better:
      return c.difference > 0.0 && found;
    case Expected::worse:
      return c.difference < 0.0 && found;
    case Expected::not_worse:
      return !(c.difference < 0.0 && found);
  }
  return false;
}

struct Check {
  std::vector<std::string> models, others, tasks;
  Expected expected;
};

int find_row(const Grid& grid, const std::string& model, const std::string& settings) {
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    if (grid.rows()[row].model == model && grid.rows()[row].settings == settings) {
      return static_cast<int>(row);
    }
  }
  return -1;
}

// At the largest size.
Cell find_cell(const Grid& grid, const std::string& model, const std::string& settings,
               const std::string& task) {
  const int row = find_row(grid, model, settings);
  if (row < 0) return {};
  return grid.cell(static_cast<std::size_t>(row), grid.sizes().back(), fmt::format("acc_{}", task));
}

void add_missing(const std::string& model, Claim& claim) {
  auto& missing = claim.missing;
  if (std::find(missing.begin(), missing.end(), model) == missing.end()) missing.push_back(model);
}

Claim check(const Grid& grid, const std::string& settings, std::string text, const Check& what) {
  Claim claim;
  claim.text = std::move(text);
  for (const std::string& model : what.models) {
    for (const std::string& other : what.others) {
      for (const std::string& task : what.tasks) {
        const Cell a = find_cell(grid, model, settings, task);
        const Cell b = find_cell(grid, other, settings, task);
        const Comparison c = compare(a, b);
        if (a.empty()) add_missing(model, claim);
        if (b.empty() || (c.runs == 0 && !a.empty())) add_missing(other, claim);
        claim.rows.push_back({model, other, task, c, as_expected(c, what.expected)});
      }
    }
  }
  claim.holds = claim.missing.empty() && std::all_of(claim.rows.begin(), claim.rows.end(),
                                                     [](const ClaimRow& row) { return row.holds; });
  return claim;
}

}  // namespace

std::string Claim::verdict() const {
  if (!missing.empty()) return fmt::format("not tested (no runs of {})", fmt::join(missing, ", "));
  return holds ? "holds" : "does not hold";
}

std::vector<Claim> mnist_claims(const Grid& grid, const std::string& settings) {
  if (grid.sizes().empty()) return {};
  return {
      check(grid, settings,
            "The multi-task deep models transfer from the easy to the hard tasks: each beats "
            "idgp and igp on random and images",
            {{"smdgp", "mmdgp", "cmdgp"}, {"idgp", "igp"}, {"random", "images"}, Expected::better}),
      check(grid, settings,
            "smdgp and mmdgp avoid negative transfer on the standard digits: neither is worse "
            "than idgp",
            {{"smdgp", "mmdgp"}, {"idgp"}, {"standard"}, Expected::not_worse}),
      check(grid, settings,
            "cmdgp shows negative transfer on the standard digits: it is worse than idgp",
            {{"cmdgp"}, {"idgp"}, {"standard"}, Expected::worse})};
}

std::string to_line(const Claim& claim) {
  std::vector<std::string> parts;
  for (const ClaimRow& row : claim.rows) {
    if (row.comparison.runs == 0) continue;
    parts.push_back(fmt::format(
        "{} − {} on {} {}{}", row.model, row.other, row.task,
        signed_number(row.comparison.difference, 3),
        std::isnan(row.comparison.p) ? "" : fmt::format(", p {}", p_text(row.comparison.p))));
  }
  return fmt::format("{}: {}{}", claim.verdict(), claim.text,
                     parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; ")));
}

}  // namespace mdgp::experiments
