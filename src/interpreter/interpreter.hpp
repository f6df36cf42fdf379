// The interpreter: runs core programs directly, unfused, in order. What it computes is the
// definition of the language; other targets are compared with it.
#pragma once

#include "core/program.hpp"

#include <hasten/detail/host_array.hpp>
#include <hasten/options.hpp>

#include <memory>
#include <span>
#include <vector>

namespace hasten::interp {

/// The program's arrays, then one rank-0 array per scalar result. `inputs` by Input::index,
/// `scalar_inputs` by Program::scalar_inputs. Index bounds are checked whatever `checks` says.
/// Throws IndexError, ShapeError, ArithmeticError and MemoryError at the place of the operation.
[[nodiscard]] std::vector<std::shared_ptr<const detail::HostArray>> interpret(
    const core::Program& program, std::span<const std::shared_ptr<const detail::HostArray>> inputs,
    std::span<const core::Bits> scalar_inputs, Checks checks);

}  // namespace hasten::interp
