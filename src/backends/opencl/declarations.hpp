// The built-in functions that kernels call, declared by ourselves.
#pragma once

#include <string_view>

namespace hasten::backends::opencl {

/// Stands before a text whose compiler was told that it has read its own header of built-in
/// functions (-D_OPENCL_H_, the guard of Clang's opencl-c.h).
std::string_view declarations();

}  // namespace hasten::backends::opencl
