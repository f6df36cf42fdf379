// How a call under way learns that it is to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <string>

namespace hasten::support {

/// Not 0: the call is to stop, and it never is 0 again. Loops look at it, on the host and in
/// kernels.
using StopWord = std::atomic<std::uint32_t>;

inline bool is_stopped(const StopWord* word) {
  return word != nullptr && word->load(std::memory_order_relaxed) != 0;
}

/// Thrown where work was left because of a stop word: what it was to give is worth nothing. Whoever
/// has set the word knows why; the operation, if it is known, is what was not done.
struct Stopped {
  std::string operation = {};
  std::source_location where = {};
};

}  // namespace hasten::support
