// How a call in progress is told to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>
#include <string>

namespace hasten::support {

/// Not 0: the call is to stop, and the word never returns to 0. Loops poll it, on the host and in
/// kernels.
using StopWord = std::atomic<std::uint32_t>;

inline bool is_stopped(const StopWord* word) {
  return word != nullptr && word->load(std::memory_order_relaxed) != 0;
}

/// Thrown where work was abandoned because of a stop word: its results are invalid. The one that
/// set the word knows the reason; the operation, if known, is the one that was not done.
struct Stopped {
  std::string operation = {};
  std::source_location where = {};
};

}  // namespace hasten::support
