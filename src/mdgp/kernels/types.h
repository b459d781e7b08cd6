// The kernel types, one file each.
#pragma once

#include "mdgp/kernels/kernel.h"

namespace mdgp::kernels {

extern const KernelType rbf;
extern const KernelType matern12;
extern const KernelType matern32;
extern const KernelType matern52;
extern const KernelType linear;
extern const KernelType constant;
extern const KernelType white;
extern const KernelType coregion;
extern const KernelType private_;
extern const KernelType tasklinear;
extern const KernelType sum;
extern const KernelType product;

// Throws where points of a kernel that looks at their tasks have none.
void check_tasks(const Kernel& kernel, const Points& points);

}  // namespace mdgp::kernels
