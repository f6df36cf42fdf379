// Reads the text form of kernels that print.cpp writes.
#pragma once

#include "core/text/lexer.hpp"
#include "kernels/kernel.hpp"

#include <string_view>
#include <vector>

namespace hasten::kernels {

/// Parses a kernel: print(parse_kernel(print(k))) == print(k). Types that are not spelled out
/// follow from operands. BuildError with line and column where the text is not a kernel. The result
/// need not be well formed: verify() it.
[[nodiscard]] Kernel parse_kernel(std::string_view text);

/// All kernels of a text, one after the other; comments between them are skipped.
[[nodiscard]] std::vector<Kernel> parse_kernels(std::string_view text);

}  // namespace hasten::kernels
