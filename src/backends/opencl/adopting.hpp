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

}  // namespace hasten::backends::opencl
