// The status that functions of a library return to C, and its text.
#pragma once

#include "core/traverse.hpp"

#include <hasten/run/error.hpp>

namespace hasten::ahead {

enum class Status : int {
  ok = 0,
  invalid_argument = 1,
  shape_error = 2,
  index_error = 3,
  arithmetic_error = 4,
  memory_error = 5,
  target_error = 6,
  stopped = 7,
  internal_error = 8,
};

/// The caller passed an argument that a function does not accept.
class Misuse : public Error {
  using Error::Error;
};

/// Runs f. An exception becomes a status, and this thread's error text.
[[nodiscard]] Status guarded(core::FunctionRef<void()> f) noexcept;

/// The text of the last `guarded` of this thread that failed; "" at first.
[[nodiscard]] const char* last_error() noexcept;

}  // namespace hasten::ahead
