// Memory objects owned by others as memory that kernels read.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/driver.hpp"
#include "backends/opencl/library.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace hasten::backends::opencl {

/// A range of bytes in a memory object.
struct Part {
  std::uint64_t offset;
  std::size_t bytes;
};

/// The owner of the object, and a function to call when the address has no more users.
struct Lender {
  std::function<void(c_like::Address)> forget;
  std::shared_ptr<void> owner;
};

/// The part as a memory object that kernels take: the whole object if the part starts at its
/// beginning, else a sub-buffer. Refuses objects that are no buffer of this context or too short,
/// that kernels or the host may not read, and offsets where the device has no sub-buffers.
[[nodiscard]] Adopted adopt_buffer(const Library& library, cl_context context, cl_mem memory,
                                   const Part& part, Lender lender);

/// Host memory as a buffer, whose bytes are in place while it is mapped; for kernels of a processor
/// that write it.
[[nodiscard]] Adopted adopt_host_memory(const Library& library, cl_context context,
                                        std::byte* memory, std::size_t bytes, Lender lender);
/// A buffer in memory of the block pool, which gets it back when no command uses the buffer any
/// more; for processors. Null: there is no memory.
[[nodiscard]] cl_mem make_pooled_buffer(const Library& library, cl_context context,
                                        std::size_t bytes);
/// The host memory behind a buffer; null: it is device memory.
[[nodiscard]] std::byte* host_memory_of(const Library& library, cl_mem memory);

}  // namespace hasten::backends::opencl
