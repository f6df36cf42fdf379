// Work that needs more stack than a caller's thread may have.
#pragma once

#include <functional>

namespace hasten::support {

/// Runs f, on a thread of its own if this one has little stack left; what it throws is thrown here.
void on_large_stack(const std::function<void()>& f);

}  // namespace hasten::support
