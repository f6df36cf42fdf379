// Memory objects of others' as memory that kernels read.
#pragma once

#include "backends/backend.hpp"
#include "backends/c_like/driver.hpp"
#include "backends/opencl/library.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace hasten::backends::opencl {

/// Bytes of a memory object.
struct Part {
  std::uint64_t offset;
  std::size_t bytes;
};

/// Who keeps the object, and what is told when nothing uses the address any more.
struct Lender {
  std::function<void(c_like::Address)> forget;
  std::shared_ptr<void> owner;
};

/// The part as a memory object that is given to kernels: the whole object where it begins at its
/// begin, else a sub-buffer. Refuses what is no buffer of this context, what is too short, what
/// kernels or the host may not read, and a begin where the device has no sub-buffers.
[[nodiscard]] Adopted adopt_buffer(const Library& library, cl_context context, cl_mem memory,
                                   const Part& part, Lender lender);

/// Host memory as a buffer, whose bytes are there while it is mapped; where kernels of a processor
/// write.
[[nodiscard]] Adopted adopt_host_memory(const Library& library, cl_context context,
                                        std::byte* memory, std::size_t bytes, Lender lender);
/// The host memory that a buffer is; null: it is the device's.
[[nodiscard]] std::byte* host_memory_of(const Library& library, cl_mem memory);

}  // namespace hasten::backends::opencl
