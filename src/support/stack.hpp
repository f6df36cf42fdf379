// Work that needs more stack than a caller's thread may have, or more memory than there may be.
#pragma once

#include <functional>

namespace hasten::support {

/// Runs f, on a thread of its own if this one has little stack left; what it throws is thrown here.
void on_large_stack(const std::function<void()>& f);

/// Compilers end the process where they find no memory, so it is looked for before: as much as most
/// kernels take. Throws std::bad_alloc.
void check_room_to_compile();

}  // namespace hasten::support
