// Our own declarations of the built-in functions that kernels call.
#pragma once

#include <string_view>

namespace hasten::backends::opencl {

/// Precedes a text whose compiler is made to skip its own header of built-in functions
/// (-D_OPENCL_H_, the guard of Clang's opencl-c.h).
std::string_view declarations();

}  // namespace hasten::backends::opencl
