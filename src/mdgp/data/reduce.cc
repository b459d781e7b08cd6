#include "mdgp/data/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"
#include "mdgp/random/order.h"

namespace mdgp {
namespace {

constexpr Index kComponents = 20;
// Directions whose deviation is this share of the largest one's are rounding errors.
constexpr double kNoVariance = 1e-7;
constexpr int kLassoSweeps = 100;
constexpr double kLassoTolerance = 1e-7;  // of a code's largest change, as a share of alpha

void check_reduction(const char* function, const ConstView& x, Index components) {
  check_finite(function, "x", x);
  const Index most = std::min(x.rows(), x.cols());
  if (components >= 1 && components <= most) return;
  refuse(
      function, "number of components", fmt::format("{}", components),
      fmt::format("from 1 to {}, the smaller of {} rows and {} columns", most, x.rows(), x.cols()));
}

Matrix centre(const ConstView& x) { return x.rowwise() - x.colwise().mean(); }

void make_largest_positive(Matrix& directions) {
  for (Index k = 0; k < directions.cols(); ++k) {
    Index largest = 0;
    directions.col(k).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, k) < 0.0) directions.col(k) = -directions.col(k);
  }
}

// The K largest eigenpairs of XᵀX or XXᵀ, whichever is smaller; values descending.
struct Leading {
  Vector values;   // [K], squares of singular values
  Matrix vectors;  // [D, K] or, where n < D, [n, K]
};

Leading leading(const Matrix& x, Index components) {
  const bool wide = x.rows() < x.cols();
  const Index side = std::min(x.rows(), x.cols());
  Matrix gram = Matrix::Zero(side, side);
  if (wide) {
    gemm(Op::none, Op::transpose, 1.0, view_of(x), view_of(x), 0.0, view_of(gram));
  } else {
    add_gram(view_of(x), view_of(gram));
  }
  Leading found{Vector(components), Matrix(side, components)};
  largest_eigenpairs(view_of(gram), found.values, view_of(found.vectors));
  found.values = found.values.cwiseMax(0.0);
  return found;
}

bool has_variance(const Leading& found, Index k) {
  return found.values[k] > kNoVariance * kNoVariance * found.values[0];
}

// The left singular vectors [n, K].
Matrix left_vectors(const Matrix& x, Index components) {
  Leading found = leading(x, components);
  if (x.rows() < x.cols()) return found.vectors;
  Matrix u = Matrix::Zero(x.rows(), components);
  for (Index k = 0; k < components; ++k) {
    if (has_variance(found, k)) u.col(k) = (x * found.vectors.col(k)).normalized();
  }
  return u;
}

double soft(double value, double threshold) {
  return value > threshold ? value - threshold : value < -threshold ? value + threshold : 0.0;
}

// The dictionary, the codes, and the sums of Mairal et al.: A = VᵀV [K, K], B = X V [n, K].
class Dictionary {
 public:
  Dictionary(const Matrix& x, Index components, const SparsePcaOptions& options)
      : x_(x),
        options_(options),
        u_(left_vectors(x, components)),
        v_(Matrix::Zero(components, x.cols())),
        a_(Matrix::Zero(components, components)),
        b_(Matrix::Zero(x.rows(), components)),
        order_(static_cast<std::size_t>(x.cols())),
        total_(0.5 * x.squaredNorm()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    for_batches([&](const std::vector<Index>& columns) { code(columns); });
  }

  int learn() {
    double before = objective();
    for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
      shuffle(static_cast<std::uint32_t>(epoch));
      for_batches([&](const std::vector<Index>& columns) {
        code(columns);
        update_dictionary();
      });
      revive();
      const double now = objective();
      if (before - now <= options_.tolerance * before) return epoch;
      before = now;
    }
    return options_.epochs;
  }

  // |X - U Vᵀ|² = |X|² - 2 tr(Uᵀ B) + tr(UᵀU A).
  double objective() const {
    return total_ - u_.cwiseProduct(b_).sum() + 0.5 * (u_.transpose() * u_).cwiseProduct(a_).sum() +
           options_.alpha * v_.lpNorm<1>();
  }

  Matrix loadings() const { return v_.transpose(); }

 private:
  template <class F>
  void for_batches(F f) {
    for (Index first = 0; first < x_.cols(); first += options_.batch) {
      const auto begin = order_.begin() + first;
      f({begin, begin + std::min(options_.batch, x_.cols() - first)});
    }
  }

  void shuffle(std::uint32_t epoch) {
    const DrawKey key{options_.seed, Purpose::initialisation, 0x5Cu << 24 | epoch};
    order_ = random_order(key, x_.cols());
  }

  // New codes for these columns, in place of their old ones in the sums.
  void code(const std::vector<Index>& columns) {
    const Matrix x = x_(Eigen::all, columns), old = v_(Eigen::all, columns);
    const Matrix gram = u_.transpose() * u_;
    Matrix correlation = u_.transpose() * x;  // [K, columns]
    Matrix now = old;
    correlation.noalias() -= gram * now;
    for (Index i = 0; i < x.cols(); ++i) lasso(gram, correlation.col(i).data(), now.col(i).data());
    v_(Eigen::all, columns) = now;
    a_.noalias() += now * now.transpose();
    a_.noalias() -= old * old.transpose();
    b_.noalias() += x * (now - old).transpose();
  }

  // Coordinate descent on 1/2 |x - U v|² + alpha |v|₁; q = Uᵀ(x - U v) follows.
  void lasso(const Matrix& gram, double* q, double* v) const {
    const Index components = gram.cols();
    for (int sweep = 0; sweep < kLassoSweeps; ++sweep) {
      double largest = 0.0;
      for (Index k = 0; k < components; ++k) {
        const double g = gram(k, k);
        if (g == 0.0) continue;
        const double moved = soft(q[k] + g * v[k], options_.alpha) / g - v[k];
        if (moved == 0.0) continue;
        v[k] += moved;
        for (Index j = 0; j < components; ++j) q[j] -= moved * gram(j, k);
        largest = std::max(largest, std::abs(moved));
      }
      if (largest <= kLassoTolerance * options_.alpha) return;
    }
  }

  // Algorithm 2, one round.
  void update_dictionary() {
    for (Index k = 0; k < u_.cols(); ++k) {
      if (!(a_(k, k) > 0.0)) continue;
      Vector atom = u_.col(k) + (b_.col(k) - u_ * a_.col(k)) / a_(k, k);
      const double norm = atom.norm();
      u_.col(k) = norm > 1.0 ? (atom / norm).eval() : atom;
    }
  }

  // An atom that no column uses costs nothing to replace: by the column that the others explain
  // worst, where that would be used.
  void revive() {
    for (Index k = 0; k < u_.cols(); ++k) {
      if (v_.row(k).any()) continue;
      a_.row(k).setZero(), a_.col(k).setZero(), b_.col(k).setZero();  // of rounding errors
      const Matrix rest = x_ - u_ * v_;
      Index worst = 0;
      const double norm = std::sqrt(rest.colwise().squaredNorm().maxCoeff(&worst));
      if (norm <= options_.alpha) return;
      u_.col(k) = rest.col(worst) / norm;
      code({worst});
    }
  }

  const Matrix& x_;  // [n, D]
  const SparsePcaOptions& options_;
  Matrix u_;  // [n, K]
  Matrix v_;  // [K, D]
  Matrix a_, b_;
  std::vector<Index> order_;  // of the columns
  double total_;
};

// Columns in descending order of their norms, of norm 1.
Matrix normalised(const Matrix& loadings) {
  std::vector<Index> order(static_cast<std::size_t>(loadings.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector norms = loadings.colwise().norm();
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return norms[a] > norms[b]; });
  Matrix sorted = loadings(Eigen::all, order);
  for (Index k = 0; k < sorted.cols(); ++k) {
    const double norm = sorted.col(k).norm();
    if (norm > 0.0) sorted.col(k) /= norm;
  }
  make_largest_positive(sorted);
  return sorted;
}

Matrix find_projection(std::string_view reduction, const Matrix& x, Index components,
                       std::uint64_t seed) {
  if (reduction == "pca") return pca_projection(view_of(x), components);
  if (reduction != "sparse-pca") {
    refuse("reduce_inputs", "reduction", reduction, "none, pca or sparse-pca");
  }
  SparsePcaOptions options;
  options.seed = seed;
  return sparse_pca_projection(view_of(x), components, options);
}

// Components of unit variance; those that hardly vary become zero.
void scale_to_unit_variance(const Matrix& x, Matrix& projection) {
  const Matrix z = centre(view_of(x)) * projection;
  const Vector deviations =
      (z.colwise().squaredNorm() / static_cast<double>(z.rows())).cwiseSqrt().transpose();
  const double least = kNoVariance * deviations.maxCoeff();
  for (Index k = 0; k < projection.cols(); ++k) {
    projection.col(k) *= deviations[k] > least ? 1.0 / deviations[k] : 0.0;
  }
}

}  // namespace

Matrix pca_projection(const ConstView& x, Index components) {
  check_reduction("pca_projection", x, components);
  const Matrix centred = centre(x);
  Leading found = leading(centred, components);
  Matrix directions = Matrix::Zero(x.cols(), components);
  for (Index k = 0; k < components; ++k) {
    if (!has_variance(found, k)) continue;
    if (x.rows() < x.cols()) {
      directions.col(k) = (centred.transpose() * found.vectors.col(k)).normalized();
    } else {
      directions.col(k) = found.vectors.col(k);
    }
  }
  make_largest_positive(directions);
  return directions;
}

SparsePca sparse_pca(const ConstView& x, Index components, const SparsePcaOptions& options) {
  check_reduction("sparse_pca", x, components);
  check_positive("sparse_pca", "alpha", options.alpha);
  check_positive("sparse_pca", "ridge", options.ridge);
  check_positive("sparse_pca", "batch", static_cast<double>(options.batch));
  const Matrix centred = centre(x);
  Dictionary dictionary(centred, components, options);
  SparsePca result;
  result.epochs = dictionary.learn();
  result.objective = dictionary.objective();
  result.loadings = normalised(dictionary.loadings());
  Matrix gram = result.loadings.transpose() * result.loadings;
  gram.diagonal().array() += options.ridge;
  double log_determinant = 0.0;
  if (!invert_positive_in_place(view_of(gram), log_determinant)) {
    throw NumericalError("sparse_pca: the loadings are not independent and the ridge is too small");
  }
  result.projection = result.loadings * gram;
  return result;
}

Matrix sparse_pca_projection(const ConstView& x, Index components,
                             const SparsePcaOptions& options) {
  return sparse_pca(x, components, options).projection;
}

const std::vector<std::string_view>& reductions() {
  static const std::vector<std::string_view> all = {"none", "pca", "sparse-pca"};
  return all;
}

void reduce_inputs(std::string_view reduction, std::optional<Index> components, std::uint64_t seed,
                   Schema& schema, Matrix& x) {
  if (reduction == "none") return;
  const Index most = std::min(x.rows(), x.cols());
  const Index count = components.value_or(std::min(kComponents, most));
  if (count > most) {
    throw TableError(
        fmt::format("--components {}: at most {}, as there are {} rows to train on and {} inputs",
                    count, most, x.rows(), x.cols()));
  }
  schema.reduction = reduction;
  schema.projection = find_projection(reduction, x, count, seed);
  scale_to_unit_variance(x, schema.projection);
  x = schema.reduce(x);
}

}  // namespace mdgp
