// The bound of a two-task model, and its gradient, on five rows.
#include <mdgp/inference/bound.h>

#include <cstdio>
#include <vector>

int main() {
  // Two tasks, one real-valued and one yes/no, on rows with three inputs; a shared and a private
  // process for each below a GP per task.
  mdgp::ModelSpec spec = mdgp::default_spec("mmdgp", 3, {{"gaussian"}, {"bernoulli"}});
  spec.inner[0].inducing = spec.top.inducing = 4;
  mdgp::Model model = mdgp::make_model(spec);
  mdgp::for_processes(model.cascade, [&](const mdgp::Process& process, auto, auto) {
    model.parameters.view(process.Z).setRandom();
  });

  // Row 0 was observed for both tasks, the others for one.
  const mdgp::Matrix x = mdgp::Matrix::Random(5, 3);
  const std::vector<mdgp::Observation> observations = {{0, 0, 0.3}, {0, 1, 1.0}, {1, 0, -0.2},
                                                       {2, 1, 0.0}, {3, 0, 0.9}, {4, 1, 1.0}};

  mdgp::Bound bound(model);
  mdgp::Vector gradient;
  const mdgp::BoundValue value =
      bound({mdgp::view_of(x), &observations}, mdgp::BoundOptions{.samples = 3}, &gradient);
  std::printf("bound %.3f = expected log-likelihood %.3f - KL %.3f; %d derivatives\n", value.bound,
              value.expected_log_likelihood, value.kl, static_cast<int>(gradient.size()));
}
