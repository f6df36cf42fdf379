// A handle's properties are checked before it is used: errors that would only appear when a kernel
// runs are reported here, where the user's call is known.
#include "backends/opencl/adopting.hpp"

#include "support/block_pool.hpp"

#include <optional>
#include <string>
#include <utility>

namespace hasten::backends::opencl {
namespace {

template <class T>
std::optional<T> asked(const Library& library, cl_mem memory, cl_mem_info what) {
  T answer{};
  if (library.clGetMemObjectInfo(memory, what, sizeof answer, &answer, nullptr) != CL_SUCCESS)
    return std::nullopt;
  return answer;
}

std::string refusal_of(const Library& library, cl_context context, cl_mem memory,
                       const Part& part) {
  const auto its_context = asked<cl_context>(library, memory, CL_MEM_CONTEXT);
  if (!its_context) return "its data is no memory object of OpenCL (a cl_mem)";
  if (*its_context != context)
    return "it is memory of another context than this target's; make it in the context that "
           "DeviceCall::context() of a foreign function and CL_MEM_CONTEXT of a tensor of "
           "to_dlpack's name, or copy it to the host first";
  if (asked<cl_mem_object_type>(library, memory, CL_MEM_TYPE) != CL_MEM_OBJECT_BUFFER)
    return "it is an image or a pipe; copy it to a buffer first";
  const cl_mem_flags flags = asked<cl_mem_flags>(library, memory, CL_MEM_FLAGS).value_or(0);
  if ((flags & CL_MEM_WRITE_ONLY) != 0)
    return "kernels may not read it (CL_MEM_WRITE_ONLY); make it without this flag";
  if ((flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
    return "the host may not read it (CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS); make it "
           "without these flags";
  const std::size_t size = asked<std::size_t>(library, memory, CL_MEM_SIZE).value_or(0);
  if (part.offset > size || part.bytes > size - part.offset)
    return "it has " + std::to_string(size) + " bytes, and the tensor is " +
           std::to_string(part.bytes) + " from byte " + std::to_string(part.offset) + " on";
  return {};
}

// OpenCL allows no sub-buffers of a sub-buffer: its parts are parts of the whole.
std::pair<cl_mem, std::uint64_t> in_the_whole(const Library& library, cl_mem memory,
                                              std::uint64_t offset) {
  const cl_mem whole =
      asked<cl_mem>(library, memory, CL_MEM_ASSOCIATED_MEMOBJECT).value_or(nullptr);
  if (!whole) return {memory, offset};
  return {whole, offset + asked<std::size_t>(library, memory, CL_MEM_OFFSET).value_or(0)};
}

// Keeps the address until it has no users; `made` is the object created for it, if any.
Adopted adopted(const Library& library, c_like::Address address, cl_mem made, Lender lender) {
  const auto end = [&library, made, address, forget = std::move(lender.forget),
                    owner = std::move(lender.owner)](void*) mutable {
    forget(address);  // before it can come back
    if (made) library.clReleaseMemObject(made);
    owner.reset();
  };
  return {address, std::shared_ptr<void>(address, end), {}};
}

struct Pooled {
  std::byte* data;
  std::size_t bytes;
};

void CL_CALLBACK give_back(cl_mem /*gone*/, void* memory) {
  const std::unique_ptr<Pooled> pooled(static_cast<Pooled*>(memory));
  support::give_block(pooled->data, pooled->bytes);
}

}  // namespace

Adopted adopt_buffer(const Library& library, cl_context context, cl_mem memory, const Part& part,
                     Lender lender) {
  if (std::string why = refusal_of(library, context, memory, part); !why.empty())
    return {.refusal = std::move(why)};
  cl_mem made = nullptr;
  if (part.offset != 0) {
    const auto [whole, begin] = in_the_whole(library, memory, part.offset);
    const cl_buffer_region region{static_cast<std::size_t>(begin), part.bytes};
    cl_int error = CL_SUCCESS;
    made = library.clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    if (error == CL_MISALIGNED_SUB_BUFFER_OFFSET)
      return {.refusal = "it begins at byte " + std::to_string(begin) +
                         " of its memory object, where this device has no sub-buffers "
                         "(CL_DEVICE_MEM_BASE_ADDR_ALIGN); copy it to memory of its own first"};
    if (error != CL_SUCCESS) return {.refusal = "clCreateSubBuffer failed: " + error_name(error)};
  }
  return adopted(library, reinterpret_cast<c_like::Address>(made ? made : memory), made,
                 std::move(lender));
}

Adopted adopt_host_memory(const Library& library, cl_context context, std::byte* memory,
                          std::size_t bytes, Lender lender) {
  cl_int error = CL_SUCCESS;
  cl_mem made = library.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                       memory, &error);
  if (error != CL_SUCCESS) return {.refusal = "clCreateBuffer failed: " + error_name(error)};
  return adopted(library, reinterpret_cast<c_like::Address>(made), made, std::move(lender));
}

cl_mem make_pooled_buffer(const Library& library, cl_context context, std::size_t bytes) {
  auto pooled = std::make_unique<Pooled>();
  *pooled = {support::take_block(bytes), bytes};
  if (!pooled->data) return nullptr;
  cl_int error = CL_SUCCESS;
  cl_mem made = library.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                       pooled->data, &error);
  if (error == CL_SUCCESS) {
    error = library.clSetMemObjectDestructorCallback(made, give_back, pooled.get());
    if (error != CL_SUCCESS) library.clReleaseMemObject(made);
  }
  if (error != CL_SUCCESS) {
    support::give_block(pooled->data, bytes);
    return nullptr;
  }
  pooled.release();
  return made;
}

std::byte* host_memory_of(const Library& library, cl_mem memory) {
  if ((asked<cl_mem_flags>(library, memory, CL_MEM_FLAGS).value_or(0) & CL_MEM_USE_HOST_PTR) == 0)
    return nullptr;
  return static_cast<std::byte*>(asked<void*>(library, memory, CL_MEM_HOST_PTR).value_or(nullptr));
}

}  // namespace hasten::backends::opencl
