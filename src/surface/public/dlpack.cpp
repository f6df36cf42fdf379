// DLPack's description of types and devices, and errors for tensors that do not fit.
#include <hasten/detail/memory/dlpack_facts.hpp>
#include <hasten/run/error.hpp>

#include <iterator>
#include <string>

namespace hasten::detail {
namespace {

enum Code : std::uint8_t {
  integer = 0,
  natural = 1,
  floating = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

Code code_of(ScalarType type) {
  if (type == ScalarType::boolean) return boolean;
  if (type == ScalarType::bf16) return bfloat;
  if (is_complex(type)) return complex;
  if (is_floating(type)) return floating;
  return is_signed_int(type) ? integer : natural;
}

std::string name_of(const DlpackTensor& tensor) {
  constexpr const char* names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string name = tensor.code < std::size(names)
                         ? names[tensor.code]
                         : "type " + std::to_string(tensor.code) + " of ";
  name += std::to_string(tensor.bits);
  return tensor.lanes == 1 ? name : name + "x" + std::to_string(tensor.lanes);
}

std::string device_name(std::int32_t type) {
  switch (type) {
    case 2:
    case 13: return "a CUDA device";
    case 4: return "an OpenCL device";
    case 7: return "a Vulkan device";
    case 8: return "a Metal device";
    case 10: return "a ROCm device";
    case 14: return "a oneAPI device";
    default: return "a device of the kind " + std::to_string(type);
  }
}

// Pinned memory of CUDA and of ROCm is host memory too.
bool is_of_host(std::int32_t type) { return type == dlpack_host || type == 3 || type == 11; }

}  // namespace

DlpackType dlpack_type(ScalarType type) {
  return {code_of(type), static_cast<std::uint8_t>(8 * size_in_bytes(type))};
}

void check_dlpack(const DlpackTensor& tensor, ScalarType type, std::size_t rank,
                  const Where& where) {
  if (!is_of_host(tensor.device_type) && !is_dlpack_device(tensor.device_type))
    throw TargetError("from_dlpack: the tensor is in memory of " + device_name(tensor.device_type) +
                          "; copy it to the host first (.cpu() in PyTorch)",
                      where);
  if (tensor.rank != static_cast<std::int64_t>(rank))
    throw ShapeError("from_dlpack: the tensor has rank " + std::to_string(tensor.rank) +
                         ", and the array rank " + std::to_string(rank) +
                         "; name the tensor's rank, or reshape it first",
                     where);
  const DlpackType wanted = dlpack_type(type);
  if (tensor.code == wanted.code && tensor.bits == wanted.bits && tensor.lanes == 1) return;
  const DlpackTensor as_wanted{dlpack_host, wanted.code, wanted.bits, 1, 0};
  throw Error("from_dlpack: the tensor has elements of " + name_of(tensor) + ", and the array of " +
                  name_of(as_wanted) + "; name the tensor's type, or convert it first",
              where);
}

void check_dlpack_strides(std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides, const Where& where) {
  std::int64_t step = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (shape[k] != 1 && strides[k] != step)
      throw ShapeError(
          "from_dlpack: the tensor is on a device, and its elements have gaps or another order "
          "than row-major; make it contiguous first (.contiguous() in PyTorch)",
          where);
    step *= shape[k];
  }
}

void check_dlpack_version(std::uint32_t major, std::uint32_t minor, const Where& where) {
  if (major == 1) return;
  throw Error("from_dlpack: the tensor is of DLPack " + std::to_string(major) + "." +
                  std::to_string(minor) +
                  ", and this library knows version 1; ask the producer for "
                  "a tensor of that version (max_version in Python)",
              where);
}

void throw_no_tensor(const Where& where) {
  throw Error("from_dlpack: there is no tensor: the pointer is null", where);
}

}  // namespace hasten::detail
