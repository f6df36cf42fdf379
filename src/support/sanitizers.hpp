// Whether AddressSanitizer watches this process.
#pragma once

namespace hasten::support {

/// Whether to instrument generated code, and not to keep freed memory: the library is compiled with
/// AddressSanitizer, or HASTEN_WATCH_KERNELS=1 requests it in a process with the run-time library
/// (LD_PRELOAD), which is much faster. Without that library this is reported once and ignored.
bool watches_addresses();

}  // namespace hasten::support
