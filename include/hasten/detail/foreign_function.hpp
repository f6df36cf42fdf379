// Functions of other languages, typed at run time: the callees of foreign_exp and foreign_acc.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/scalar_type.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hasten::detail {

/// The kinds of target that an implementation may be for.
enum class ForeignTarget : std::uint8_t { cpu, opencl, cuda };

/// "cpu"
constexpr const char* name_of(ForeignTarget target) {
  constexpr const char* names[] = {"cpu", "opencl", "cuda"};
  return names[static_cast<std::size_t>(target)];
}
inline constexpr std::size_t foreign_target_count = 3;

/// A scalar function for one kind of target. There is one object per target and name in the process
/// (see foreign_function()), and it is never freed: nodes keep plain pointers to it.
struct ForeignFunction {
  ForeignTarget target = ForeignTarget::cpu;
  std::string name;
  std::vector<ScalarType> params;
  ScalarType result = ScalarType::f32;
  /// cpu: the function. Null if this process knows only its name, from a printed program.
  const void* address = nullptr;
  /// cpu: calls the function, with arguments and result encoded as literals (LiteralBits::lo).
  void (*call)(const void* address, const std::uint64_t* arguments,
               std::uint64_t* result) = nullptr;
  /// opencl, cuda: source text that defines a function of this name.
  std::string source = {};
};

/// An array that is currently in a device's memory.
struct PlacedArray {
  std::shared_ptr<const HostArray> array;
  std::vector<void*> memory;  // by component: a CUDA address, or a cl_mem
};

/// The interface of the calling device that user code may use during the call.
class ForeignDevice {
 public:
  virtual ~ForeignDevice() = default;
  /// CUDA: CUstream, CUcontext, CUdevice; OpenCL: cl_command_queue, cl_context, cl_device_id.
  virtual void* queue() const = 0;
  virtual void* context() const = 0;
  virtual void* device() const = 0;
  /// A new array in the device's memory. Throws MemoryError.
  virtual PlacedArray allocate(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves) = 0;
};

/// A function of whole arrays for one kind of target, called on the thread that runs the program;
/// its exceptions pass through.
struct ForeignArrayFunction {
  ForeignTarget target = ForeignTarget::cpu;
  std::string name;
  /// cpu: with host arrays.
  std::function<std::vector<std::shared_ptr<const HostArray>>(
      const std::vector<std::shared_ptr<const HostArray>>&)>
      call;
  /// opencl, cuda: takes and returns arrays in the device's memory.
  std::function<std::vector<std::shared_ptr<const HostArray>>(ForeignDevice&,
                                                              const std::vector<PlacedArray>&)>
      call_on_device;
  /// Functions with equal target, name and identity are the same function, whose calls may be
  /// shared. Null: this function equals no other.
  const void* identity = nullptr;
  /// Null, or a test whether the function can be called in this process, made when a program is
  /// compiled for its target.
  bool (*is_there)() = nullptr;
};

}  // namespace hasten::detail
