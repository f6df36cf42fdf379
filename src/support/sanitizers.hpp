// Whether AddressSanitizer looks at what this process does.
#pragma once

namespace hasten::support {

/// Whether generated code is to be watched, and freed memory not to be kept: the library is
/// compiled with AddressSanitizer, or HASTEN_WATCH_KERNELS=1 asks for it in a process that holds
/// its run-time library (LD_PRELOAD), which is much faster. Asked for in vain it says so once and
/// does nothing.
bool watches_addresses();

}  // namespace hasten::support
