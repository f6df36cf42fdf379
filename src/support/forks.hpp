// Processes that continue in a forked child.
#pragma once

#include <cstdint>

namespace hasten::support {

/// The number of forks between the process that first called this and the current one. Threads, and
/// state of drivers, belong to the process that created them.
[[nodiscard]] std::uint64_t forks();

}  // namespace hasten::support
