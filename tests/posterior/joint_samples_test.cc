#include "mdgp/posterior/joint_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mdgp/linalg/parallel.h"
#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

ConstView rows_of(const Matrix& x) { return view_of(x); }

double variance_of(const Vector& v) { return (v.array() - v.mean()).square().mean(); }
// Of the sample variance, from the fourth moment.
double error_of_variance(const Vector& v) {
  const double fourth = (v.array() - v.mean()).pow(4).mean(), variance = variance_of(v);
  return std::sqrt((fourth - variance * variance) / static_cast<double>(v.size()));
}

// The sanitizers need not draw as many: tolerances are in standard errors, which go by the number.
Index few_if_sanitized(Index samples) { return MDGP_SANITIZED ? samples / 10 : samples; }

class JointSamplesTest : public testing::TestWithParam<std::string> {
 protected:
  JointSamplesTest() {
    ModelSpec spec =
        fixture::small_spec(GetParam(), 3,
                            fixture::is_coregional(GetParam())
                                ? fixture::gaussian_tasks()
                                : std::vector<TaskSpec>{{"gaussian"}, {"softmax", 3}, {"poisson"}});
    spec.propagate_inputs = GetParam() == "mmdgp";
    model = fixture::random_model(spec, 5);
  }
  Model model;
  Matrix x = fixture::Random(3).normals(5, 3);
};
INSTANTIATE_TEST_SUITE_P(Models, JointSamplesTest, testing::ValuesIn(fixture::kModels));

TEST_P(JointSamplesTest, MarginalsAreThoseOfTheMixture) {
  const Posterior posterior(model);
  const Index samples = few_if_sanitized(8000);
  const std::vector<Matrix> f = joint_samples(posterior, rows_of(x), {0, 1, 2}, samples, 3);
  for (const int task : {0, 1, 2}) {
    const Mixture m = posterior.latent(rows_of(x), task, {.samples = samples, .seed = 8});
    const Index classes = m.mean.cols();
    ASSERT_EQ(f[at(task)].rows(), x.rows() * classes);
    for (Index k = 0; k < f[at(task)].rows(); ++k) {
      const Vector draws = f[at(task)].row(k);
      const auto mean = m.mean.col(k % classes).segment(k / classes * m.samples, m.samples);
      const auto within = m.variance.col(k % classes).segment(k / classes * m.samples, m.samples);
      const double variance = within.mean() + variance_of(mean);
      // Five standard errors of the difference: the mixture's is no larger than that of the draws.
      const double sd = std::sqrt(variance / static_cast<double>(samples));
      EXPECT_NEAR(draws.mean(), mean.mean(), 5.0 * std::sqrt(2.0) * sd) << task << ' ' << k;
      EXPECT_NEAR(variance_of(draws), variance, 5.0 * std::sqrt(2.0) * error_of_variance(draws))
          << task << ' ' << k;
    }
  }
}

TEST_P(JointSamplesTest, TargetsHaveThePredictedMean) {
  const Posterior posterior(model);
  const Index samples = 2000;
  const std::vector<Matrix> y = joint_targets(posterior, rows_of(x), {0, 1}, samples, 3);
  const Prediction p0 = posterior.predict(rows_of(x), 0, {.samples = samples});
  const Prediction p1 = posterior.predict(rows_of(x), 1, {.samples = samples});
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector draws = y[0].row(i);
    EXPECT_NEAR(draws.mean(), p0.mean(i, 0), 7.0 * std::sqrt(p0.variance(i, 0) / 2000.0));
    EXPECT_NEAR(variance_of(draws), p0.variance(i, 0), 7.0 * error_of_variance(draws));
    if (fixture::is_coregional(GetParam())) continue;
    for (Index c = 0; c < 3; ++c) {  // of the softmax
      const double share = (y[1].row(i).array() == static_cast<double>(c)).cast<double>().mean();
      EXPECT_NEAR(share, p1.mean(i, c), 0.05);
    }
  }
}

TEST_P(JointSamplesTest, ASeedGivesTheSameBits) {
  const Posterior posterior(model);
  set_num_threads(1);
  const std::vector<Matrix> f = joint_samples(posterior, rows_of(x), {0, 1, 2}, 5, 3);
  set_num_threads(3);
  EXPECT_EQ(joint_samples(posterior, rows_of(x), {0, 1, 2}, 5, 3), f);
  EXPECT_EQ(joint_samples(posterior, rows_of(x), {0, 1, 2}, 9, 3)[1].leftCols(5), f[1]);
  EXPECT_NE(joint_samples(posterior, rows_of(x), {0, 1, 2}, 5, 4)[0], f[0]);
}

TEST_P(JointSamplesTest, PermutedTasksPermuteTheResult) {
  const Posterior posterior(model);
  const std::vector<Matrix> f = joint_samples(posterior, rows_of(x), {0, 1, 2}, 5, 3);
  EXPECT_EQ(joint_samples(posterior, rows_of(x), {2, 0, 1, 2}, 5, 3),
            (std::vector<Matrix>{f[2], f[0], f[1], f[2]}));
}

// Without white noise, only the jitter tells two equal rows apart.
TEST_P(JointSamplesTest, EqualRowsHaveTheSameValue) {
  ModelSpec spec = fixture::small_spec(GetParam(), 3, fixture::gaussian_tasks());
  for (LayerSpec& layer : spec.inner) layer.white = 0.0;
  spec.jitter = 1e-10;
  const Posterior posterior(fixture::random_model(spec, 5));
  Matrix twice = x;
  twice.row(4) = twice.row(0);
  for (const Matrix& f : joint_samples(posterior, rows_of(twice), {0, 1, 2}, 50, 3)) {
    EXPECT_LT((f.row(4) - f.row(0)).cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_GT((f.row(3) - f.row(0)).cwiseAbs().maxCoeff(), 0.3);
  }
}

// q(f) at (x, task) of all rows and tasks of a shallow model:
//   K - Kxz Kzz⁻¹ Kzx + Kxz Kzz⁻¹ S Kzz⁻¹ Kzx.
Matrix dense_covariance(const Model& model, const Matrix& x, Index tasks) {
  const Index n = x.rows();
  Matrix covariance = Matrix::Zero(n * tasks, n * tasks);
  for (const Process& process : model.cascade.layers[0].processes) {
    const Matrix Z = model.parameters.view(process.Z);
    std::vector<Index> points(at(process.shared() ? n * tasks : n));
    std::iota(points.begin(), points.end(), process.shared() ? 0 : n * process.tasks[0]);
    Matrix K(std::ssize(points), std::ssize(points)), Kxz(std::ssize(points), process.inducing);
    const auto k = [&](Index a, const Vector& z, int task, bool same) {
      return fixture::textbook_kernel(process, model.parameters, x.row(a % n),
                                      static_cast<int>(a / n), z, task, same);
    };
    for (Index a = 0; a < K.rows(); ++a) {
      for (Index b = 0; b < K.rows(); ++b) {
        const Index other = points[at(b)];
        K(a, b) = k(points[at(a)], x.row(other % n), static_cast<int>(other / n), a == b);
      }
      for (Index m = 0; m < process.inducing; ++m) {
        const int task = process.Z_task.empty() ? 0 : process.Z_task[at(m)];
        Kxz(a, m) = k(points[at(a)], Z.row(m), task, false);
      }
    }
    const double jitter = model.cascade.jitter;
    const Matrix Kzz = fixture::textbook_Kzz(process, model.parameters, jitter);
    const Matrix B = Kxz * fixture::inverse(Kzz);
    const Matrix S = fixture::textbook_q(process, model.parameters, jitter).covariance[0];
    covariance(points, points) = K - B * Kxz.transpose() + B * S * B.transpose();
  }
  return covariance;
}

TEST(JointSamples, CovarianceOfAShallowModelIsTheDenseOne) {
  for (const char* name : {"igp", "cgp"}) {
    const Model model =
        fixture::random_model(fixture::small_spec(name, 2, fixture::gaussian_tasks()), 5);
    const Posterior posterior(model);
    const Matrix x = fixture::Random(3).normals(4, 3);
    const Index samples = few_if_sanitized(40000);
    const std::vector<Matrix> each = joint_samples(posterior, rows_of(x), {0, 1, 2}, samples, 3);
    Matrix f(12, samples);
    f << each[0], each[1], each[2];
    f.colwise() -= Vector(f.rowwise().mean());
    const Matrix sampled = f * f.transpose() / static_cast<double>(samples);
    const Matrix dense = dense_covariance(model, x, 3);
    for (Index i = 0; i < 12; ++i) {
      for (Index j = 0; j < 12; ++j) {
        const double error = std::sqrt((dense(i, i) * dense(j, j) + dense(i, j) * dense(i, j)) /
                                       static_cast<double>(samples));
        EXPECT_NEAR(sampled(i, j), dense(i, j), 5.0 * error) << name << ' ' << i << ' ' << j;
      }
    }
  }
}

// On top a linear kernel of one input with a known slope: f is g for task 0 and 2 g for task 1.
// Where g is shared, that holds between the tasks' samples; where each has its own, it does not.
TEST(JointSamples, SharedLatentsAreShared) {
  for (const bool shared : {true, false}) {
    ModelSpec spec;
    spec.model = shared ? "smdgp" : "idgp";
    spec.inputs = 2;
    spec.tasks = {{}, {}};
    LayerSpec inner{.shared = {1}, .priv = {}, .inducing = 4};
    if (!shared) std::swap(inner.shared, inner.priv);
    spec.inner = {inner};
    spec.top.kernel = "linear";
    spec.top.inducing = 1;
    Model model = fixture::random_model(spec, 5);
    for (const int t : {0, 1}) {
      const Process& top = model.cascade.layers[1].processes[at(t)];
      model.parameters.view(top.name + ".kernel.variance").setConstant(1.0);
      model.parameters.view(top.Z).setConstant(1.0);
      model.parameters.view(top.q_mu).setConstant(t + 1.0);
      set_q_sqrt_triangle(top, model.parameters, 0, Matrix::Constant(1, 1, 1e-6));
    }
    const Posterior posterior(model);
    const Matrix x = fixture::Random(3).normals(20, 2);
    const std::vector<Matrix> f = joint_samples(posterior, rows_of(x), {0, 1}, 100, 3);
    const double largest = (f[1] - 2.0 * f[0]).cwiseAbs().maxCoeff();
    EXPECT_GT((f[0].colwise() - f[0].col(0)).cwiseAbs().maxCoeff(), 0.5);
    EXPECT_EQ(largest < 0.05, shared) << largest;
  }
}

// With f = 0 but for the jitter: quantiles of Student's t with ν = 4, a fair coin, a rate of
// 1 and three classes alike. (Gaussian and softmax are above.)
TEST(JointTargets, OfEveryLikelihood) {
  Model model = make_model(fixture::small_spec(
      "igp", 2, {{"student_t"}, {"bernoulli"}, {"poisson"}, {"robustmax", 3}, {"heavy_tailed"}}));
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    model.parameters.view(process.name + ".kernel.variance").setConstant(1e-12);
    fixture::Random random(3);
    model.parameters.view(process.Z) = random.normals(process.inducing, process.inputs);
  });
  model.parameters.view("likelihood0.scale").setConstant(2.0);
  model.parameters.view("likelihood4.variance").setConstant(8.0);  // twice t with ν = 4
  model.parameters.view("likelihood4.degrees_of_freedom").setConstant(4.0);
  const Posterior posterior(model);
  const Matrix x = fixture::Random(3).normals(4, 3);
  const std::vector<Matrix> y = joint_targets(posterior, rows_of(x), {0, 1, 2, 3, 4}, 10000, 3);
  const auto share = [](const auto& condition) { return condition.template cast<double>().mean(); };
  EXPECT_NEAR(share(y[0].array() < 2.0 * 0.740697), 0.75, 0.012);
  EXPECT_NEAR(share(y[0].array() < -2.0 * 2.131847), 0.05, 0.006);
  EXPECT_NEAR(share(y[4].array() < 2.0 * 0.740697), 0.75, 0.012);
  EXPECT_NEAR(share(y[4].array() < -2.0 * 2.131847), 0.05, 0.006);
  EXPECT_NEAR(share(y[1].array() == 1.0), 0.5, 0.013);
  EXPECT_TRUE((y[1].array() == 0.0 || y[1].array() == 1.0).all());
  EXPECT_NEAR(y[2].mean(), 1.0, 0.025);
  EXPECT_NEAR(share(y[2].array() == 0.0), std::exp(-1.0), 0.012);
  EXPECT_NEAR(share(y[2].array() == 3.0), std::exp(-1.0) / 6.0, 0.006);
  for (const double c : {0.0, 1.0, 2.0}) EXPECT_NEAR(share(y[3].array() == c), 1.0 / 3.0, 0.012);
}

TEST(JointSamples, RefusesWhatDoesNotFit) {
  const Posterior posterior(
      fixture::random_model(fixture::small_spec("smdgp", 2, fixture::gaussian_tasks()), 5));
  const Matrix x = Matrix::Random(4, 3), wide = Matrix::Random(4, 4), none(0, 3);
  EXPECT_THROW(joint_samples(posterior, rows_of(wide), {0}, 2, 1), std::invalid_argument);
  EXPECT_THROW(joint_samples(posterior, rows_of(x), {3}, 2, 1), std::invalid_argument);
  EXPECT_THROW(joint_samples(posterior, rows_of(x), {0}, 0, 1), std::invalid_argument);
  EXPECT_TRUE(joint_samples(posterior, rows_of(x), {}, 2, 1).empty());
  EXPECT_EQ(joint_samples(posterior, rows_of(none), {0}, 2, 1)[0].rows(), 0);
}

}  // namespace
}  // namespace mdgp
