// The distribution function of y for a mixture of q(f), for quantiles.
#pragma once

#include <vector>

#include "mdgp/likelihoods/likelihood.h"

namespace mdgp {

// P(y <= at) when f is N(mean_s, variance_s) with weight 1/S each. The samples are dealt to the
// leaves in order, equally many to each: the parameters may differ between them. Scalar
// likelihoods; throws std::invalid_argument for multi-class ones, whose y has no order.
double mixture_cdf(const Likelihood& likelihood, const std::vector<Leaves>& leaves,
                   const double* mean, const double* variance, Index samples, double at);

// The smallest y (for counts and yes/no: the smallest whole number) with P(y <= .) >= level.
double mixture_quantile(const Likelihood& likelihood, const std::vector<Leaves>& leaves,
                        const double* mean, const double* variance, Index samples, double level);

// Student's t distribution function with `degrees` degrees of freedom.
double student_t_cdf(double t, double degrees);

}  // namespace mdgp
