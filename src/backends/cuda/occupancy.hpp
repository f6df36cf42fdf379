// How many blocks of a function run on a multiprocessor at once.
#pragma once

#include <cstdint>

namespace hasten::backends::cuda {

/// What a multiprocessor has.
struct Multiprocessor {
  int major;  // of its compute capability
  std::int64_t threads, blocks, registers, shared_bytes;
  std::int64_t reserved_shared_bytes;  // the driver's own, of every block
};

/// What a function needs.
struct FunctionUse {
  std::int64_t registers;     // of a thread
  std::int64_t shared_bytes;  // of a block
};

/// 0: it does not run at all. For devices of compute capability 7.0 or more.
[[nodiscard]] std::int64_t blocks_per_multiprocessor(const Multiprocessor& has,
                                                     const FunctionUse& needs,
                                                     std::int64_t threads_per_block);

}  // namespace hasten::backends::cuda
