// The interpreter: runs core programs directly, unfused, in order. Its results define the language;
// other targets are compared with it.
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

/// The treatment of an index out of range.
enum class OutOfRange : std::uint8_t {
  throws,  // an IndexError
  clamps,  // the last index along its axis, as on compiling targets; 0 if there is none
};

/// Returns the program's arrays, then one rank-0 array per scalar result. `inputs` by Input::index,
/// `scalar_inputs` by Program::scalar_inputs. Only `out_of_range`, and not `checks`, decides about
/// indices. Soon after `stop` is set, Stopped is thrown. The arrays that the run has made take at
/// most `memory_limit` bytes; 0: no limit but memory itself. Throws IndexError, ShapeError,
/// ArithmeticError and MemoryError at the location of the operation.
[[nodiscard]] std::vector<std::shared_ptr<const detail::HostArray>> interpret(
    const core::Program& program, std::span<const std::shared_ptr<const detail::HostArray>> inputs,
    std::span<const core::Bits> scalar_inputs, Checks checks,
    OutOfRange out_of_range = OutOfRange::throws, const support::StopWord* stop = nullptr,
    std::int64_t memory_limit = 0);

}  // namespace hasten::interp
