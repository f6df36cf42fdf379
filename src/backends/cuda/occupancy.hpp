// How many blocks of a function run on a multiprocessor at once.
#pragma once

#include <cstdint>

namespace hasten::backends::cuda {

/// The resources of a multiprocessor.
struct Multiprocessor {
  int major;  // of its compute capability
  std::int64_t threads, blocks, registers, shared_bytes;
  std::int64_t reserved_shared_bytes;  // by the driver, for every block
};

/// The resources that a function needs.
struct FunctionUse {
  std::int64_t registers;     // per thread
  std::int64_t shared_bytes;  // per block
};

/// 0: it cannot run. For devices of compute capability 7.0 or more.
[[nodiscard]] std::int64_t blocks_per_multiprocessor(const Multiprocessor& has,
                                                     const FunctionUse& needs,
                                                     std::int64_t threads_per_block);

}  // namespace hasten::backends::cuda
