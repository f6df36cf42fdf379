// The interpreter: runs core programs directly, unfused, in order. What it computes is the
// definition of the language; other targets are compared with it.
#pragma once

#include "core/program.hpp"
#include "support/stopping.hpp"

#include <hasten/detail/host_array.hpp>
#include <hasten/run/options.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace hasten::interp {

/// What an index out of range is.
enum class OutOfRange : std::uint8_t {
  throws,  // an IndexError
  clamps,  // the last index along its axis, as on targets that compile; 0 if there is none
};

/// The program's arrays, then one rank-0 array per scalar result. `inputs` by Input::index,
/// `scalar_inputs` by Program::scalar_inputs. `out_of_range` alone, and not `checks`, decides about
/// indices. Once `stop` is set, Stopped is thrown soon. What the run holds of arrays it has made
/// goes up to `memory_limit` bytes; 0: as far as memory does.
/// Throws IndexError, ShapeError, ArithmeticError and MemoryError at the place of the operation.
[[nodiscard]] std::vector<std::shared_ptr<const detail::HostArray>> interpret(
    const core::Program& program, std::span<const std::shared_ptr<const detail::HostArray>> inputs,
    std::span<const core::Bits> scalar_inputs, Checks checks,
    OutOfRange out_of_range = OutOfRange::throws, const support::StopWord* stop = nullptr,
    std::int64_t memory_limit = 0);

}  // namespace hasten::interp
