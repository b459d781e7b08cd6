// Exact GP regression with the kernel of one process: C outputs, each with Gaussian noise, that
// share the kernel. What exact GPs are made of (exact.h), and what classification starts from
// (label_start.h).
#pragma once

#include <vector>

#include "mdgp/layers/process.h"

namespace mdgp {

struct Regression {
  Matrix x;               // [n, D]
  std::vector<int> task;  // [n], for coregionalised kernels
  Matrix y;               // [n, C]
};

// sum_c log p(y_c), where Σ = diag(noise):
//   -1/2 tr(yᵀ (K + Σ)⁻¹ y) - C/2 log |K + Σ| - C n/2 log 2π.
// Where gradient is not null, adds the derivatives with respect to the kernel's parameters at their
// places in the gradient of all parameters, and sets noise_gradient [n]. Throws NumericalError
// where K + Σ is not positive definite.
double log_marginal(const Process& process, const Parameters& parameters, double jitter,
                    const Regression& rows, const Vector& noise, Tape& tape, double* gradient,
                    Vector* noise_gradient);

// (y_i - E[y_i | the others]) / sd[y_i | the others] for each row, of the first output. With
// α = (K + Σ)⁻¹ y these are α_i / sqrt((K + Σ)⁻¹_ii) (Rasmussen and Williams 2006, 5.10 - 5.12).
Vector left_out_errors(const Process& process, const Parameters& parameters, double jitter,
                       const Regression& rows, const Vector& noise);

// Sets the first C outputs' q to the best of the sparse bound (Titsias 2009) for these Z; where Z
// are the rows it is the exact posterior.
void set_posterior(const Process& process, double jitter, const Regression& rows,
                   const Vector& noise, Parameters& parameters);

}  // namespace mdgp
