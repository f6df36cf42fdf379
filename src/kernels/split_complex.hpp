// Kernels know no complex values: each becomes its real and its imaginary part.
//
// before  values, scalars, leaves and outputs may be complex
// after   a complex value is two real ones; a complex scalar argument, leaf or output stands twice,
//         real part first; a read of a complex input reads the part that LoadLinear::leaf says
// why     loops, branches and folds then run on registers of reals, and backends need only know how
//         complex numbers lie in memory
#pragma once

#include "kernels/kernel_builder.hpp"

namespace hasten::kernels {

void split_complex(KernelBuilder& builder);

}  // namespace hasten::kernels
