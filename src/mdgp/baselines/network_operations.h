// The operations of a network on the tape (autodiff/tape.h): each value with its adjoint.
#pragma once

#include "mdgp/autodiff/parameters.h"
#include "mdgp/autodiff/tape.h"

namespace mdgp {

// A parameter; a constant where leaves do not record.
Var leaf(const Leaves& leaves, int id);

// x w + b. x [n, inputs], w [inputs, outputs], b [1, outputs].
Var affine(Tape& tape, Var x, Var w, Var b);
Var square(Tape& tape, Var x);
Var exp_of_twice(Tape& tape, Var x);  // variances from log deviations
Var relu(Tape& tape, Var x);
// Row i * samples + s is row i. Without copies, x itself.
Var repeat_rows(Tape& tape, Var x, Index samples);
Var gather_rows(Tape& tape, Var x, const Index* rows, Index count);
// x ∘ factor.
Var scale_elements(Tape& tape, Var x, ConstView factor);
// mean + sqrt(variance + kLeastVariance) ∘ noise: the root has no slope at 0.
inline constexpr double kLeastVariance = 1e-20;
Var sample_normal(Tape& tape, Var mean, Var variance, ConstView noise);

}  // namespace mdgp
