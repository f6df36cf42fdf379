// For work that may need more stack than the caller's thread has, or more memory than is available.
#pragma once

#include <functional>

namespace hasten::support {

/// Runs f, on a separate thread if this one has little stack left; rethrows its exceptions.
void on_large_stack(const std::function<void()>& f);

/// Compilers end the process when they run out of memory, so this checks first for as much as most
/// kernels take. Throws std::bad_alloc.
void check_room_to_compile();

}  // namespace hasten::support
