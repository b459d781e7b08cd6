#include "mdgp/inference/kmeans.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "mdgp/linalg/check.h"
#include "mdgp/random/order.h"

namespace mdgp {
namespace {

constexpr double kSpread =
    0.05;  // of the noise on repeated rows, in standard deviations of the columns

std::uint64_t u64(Index i) { return static_cast<std::uint64_t>(i); }

// Rows [begin, k) of centres become noisy copies of rows.
void fill_with_noisy_rows(const Matrix& rows, Index begin, const DrawKey& key, Matrix& centres) {
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const Eigen::RowVectorXd deviation =
      ((rows.rowwise() - mean).array().square().colwise().mean().sqrt()).max(1e-3);
  for (Index c = begin; c < centres.rows(); ++c) {
    for (Index d = 0; d < rows.cols(); ++d) {
      centres(c, d) = rows(c % rows.rows(), d) +
                      kSpread * deviation[d] * normal(key, u64(c), static_cast<std::uint32_t>(d));
    }
  }
}

// The centre nearest to each row, and the squared distance to it.
void assign(const Matrix& rows, const Matrix& centres, Index used, std::vector<Index>& nearest,
            Vector& distance) {
  for (Index r = 0; r < rows.rows(); ++r) {
    distance[r] = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < used; ++c) {
      const double d = (rows.row(r) - centres.row(c)).squaredNorm();
      if (d < distance[r]) {
        distance[r] = d;
        nearest[static_cast<std::size_t>(r)] = c;
      }
    }
  }
}

// k-means++: each next centre is a row drawn in proportion to its squared distance to those chosen.
void seed_centres(const Matrix& rows, const DrawKey& key, Matrix& centres) {
  Vector distance = Vector::Constant(rows.rows(), std::numeric_limits<double>::infinity());
  for (Index c = 0; c < centres.rows(); ++c) {
    const double u = uniform(key, u64(c), 0);
    Index chosen = static_cast<Index>(u * static_cast<double>(rows.rows()));
    const double total = c == 0 ? 0.0 : distance.sum();
    if (total > 0.0) {
      double left = u * total;
      for (chosen = 0; chosen + 1 < rows.rows() && left > distance[chosen]; ++chosen) {
        left -= distance[chosen];
      }
    }
    centres.row(c) = rows.row(chosen);
    distance = distance.cwiseMin((rows.rowwise() - centres.row(c)).rowwise().squaredNorm());
  }
}

}  // namespace

Matrix kmeans(const Matrix& rows, Index k, std::uint64_t seed, int iterations) {
  check_positive("kmeans", "number of rows", static_cast<double>(rows.rows()));
  check_positive("kmeans", "k", static_cast<double>(k));
  const DrawKey key{seed, Purpose::initialisation, 0};
  Matrix centres(k, rows.cols());
  if (k >= rows.rows()) {
    centres.topRows(rows.rows()) = rows;
    fill_with_noisy_rows(rows, rows.rows(), key, centres);
    return centres;
  }
  seed_centres(rows, key, centres);
  std::vector<Index> nearest(static_cast<std::size_t>(rows.rows()), 0);
  Vector distance(rows.rows());
  for (int i = 0; i < iterations; ++i) {
    assign(rows, centres, k, nearest, distance);
    Matrix sums = Matrix::Zero(k, rows.cols());
    Vector counts = Vector::Zero(k);
    for (Index r = 0; r < rows.rows(); ++r) {
      const Index c = nearest[static_cast<std::size_t>(r)];
      sums.row(c) += rows.row(r);
      counts[c] += 1.0;
    }
    bool moved = false;
    for (Index c = 0; c < k; ++c) {
      if (counts[c] == 0.0) continue;  // an empty cluster keeps its centre
      const Eigen::RowVectorXd next = sums.row(c) / counts[c];
      moved = moved || (next - centres.row(c)).squaredNorm() > 0.0;
      centres.row(c) = next;
    }
    if (!moved) break;
  }
  return centres;
}

Matrix random_rows(const Matrix& rows, Index k, std::uint64_t seed) {
  check_positive("random_rows", "number of rows", static_cast<double>(rows.rows()));
  const DrawKey key{seed, Purpose::initialisation, 1};
  const std::vector<Index> order = random_order(key, rows.rows());
  Matrix chosen(k, rows.cols());
  for (Index c = 0; c < std::min(k, rows.rows()); ++c) {
    chosen.row(c) = rows.row(order[static_cast<std::size_t>(c)]);
  }
  if (k > rows.rows()) fill_with_noisy_rows(rows, rows.rows(), key, chosen);
  return chosen;
}

}  // namespace mdgp
