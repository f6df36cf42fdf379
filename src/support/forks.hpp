// Processes that go on in a copy of themselves.
#pragma once

#include <cstdint>

namespace hasten::support {

/// How many forks lie between the process in which this was first called and this one. Threads, and
/// what drivers keep, are of the process that began them.
[[nodiscard]] std::uint64_t forks();

}  // namespace hasten::support
