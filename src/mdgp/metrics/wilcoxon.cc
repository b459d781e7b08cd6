#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mdgp/linalg/check.h"
#include "mdgp/metrics/metrics.h"

namespace mdgp {
namespace {

constexpr std::size_t kMostExact = 25;

struct SignedRanks {
  double plus = 0.0;       // sum of the ranks of positive differences
  double tie_cubes = 0.0;  // sum of t³ - t over groups of t equal sizes; 0: no ties
};

// Sorts the differences by size.
SignedRanks signed_ranks(std::vector<double>& differences) {
  std::sort(differences.begin(), differences.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRanks ranks;
  for (std::size_t begin = 0, end = 0; begin < differences.size(); begin = end) {
    double positive = 0.0;
    for (; end < differences.size() && std::abs(differences[end]) == std::abs(differences[begin]);
         ++end) {
      if (differences[end] > 0.0) positive += 1.0;
    }
    const auto tied = static_cast<double>(end - begin);
    ranks.plus += positive * 0.5 * static_cast<double>(begin + 1 + end);  // ranks begin + 1 .. end
    ranks.tie_cubes += tied * tied * tied - tied;
  }
  return ranks;
}

// Under the hypothesis every subset of the ranks 1 .. n is as likely as any other to be the
// positive ones: counts the subsets whose sum is at most the smaller of the two rank sums.
double exact_p(std::size_t n, double plus) {
  const std::size_t total = n * (n + 1) / 2;
  const auto sum = static_cast<std::size_t>(plus);
  const std::size_t smaller = std::min(sum, total - sum);
  std::vector<double> subsets(smaller + 1, 0.0);  // by their sum
  subsets[0] = 1.0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t s = smaller; s >= rank; --s) subsets[s] += subsets[s - rank];
  }
  double below = 0.0;
  for (const double count : subsets) below += count;
  return std::min(1.0, std::ldexp(2.0 * below, -static_cast<int>(n)));
}

double approximate_p(double n, const SignedRanks& ranks) {
  const double mean = n * (n + 1.0) / 4.0;
  const double variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.tie_cubes / 48.0;
  const double distance = std::max(std::abs(ranks.plus - mean) - 0.5, 0.0);
  return std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2);
}

}  // namespace

double wilcoxon(const std::vector<double>& a, const std::vector<double>& b) {
  check_size("wilcoxon", "b", std::ssize(b), std::ssize(a));
  check_finite("wilcoxon", "a", make_view(a.data(), std::ssize(a), 1));
  check_finite("wilcoxon", "b", make_view(b.data(), std::ssize(b), 1));
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) differences.push_back(a[i] - b[i]);
  }
  if (differences.empty()) return 1.0;
  const SignedRanks ranks = signed_ranks(differences);
  const std::size_t n = differences.size();
  const bool exact = n <= kMostExact && ranks.tie_cubes == 0.0;
  return exact ? exact_p(n, ranks.plus) : approximate_p(static_cast<double>(n), ranks);
}

}  // namespace mdgp
