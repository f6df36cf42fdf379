// Kernels have no complex values: each is split into its real and its imaginary part.
//
// before  values, scalars, leaves and outputs may be complex
// after   a complex value is two real ones; a complex scalar argument, leaf or output occurs twice,
//         real part first; a read of a complex input reads the part given by LoadLinear::leaf
// why     loops, branches and folds then run on registers of reals, and backends need only know how
//         complex numbers are laid out in memory
#pragma once

#include "kernels/kernel_builder.hpp"

namespace hasten::kernels {

void split_complex(KernelBuilder& builder);

}  // namespace hasten::kernels
