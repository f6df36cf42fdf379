// Functions of other languages, typed at run time: what foreign_exp and foreign_acc call.
#pragma once

#include <hasten/detail/host_array.hpp>
#include <hasten/detail/scalar_type.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hasten::detail {

/// The kinds of target an implementation is for.
enum class ForeignTarget : std::uint8_t { cpu, opencl, cuda };

/// "cpu"
constexpr const char* name_of(ForeignTarget target) {
  constexpr const char* names[] = {"cpu", "opencl", "cuda"};
  return names[static_cast<std::size_t>(target)];
}
inline constexpr std::size_t foreign_target_count = 3;

/// A scalar function for one kind of target. There is one for each target and name in the process
/// (see foreign_function()), and it is never freed: nodes keep plain pointers.
struct ForeignFunction {
  ForeignTarget target = ForeignTarget::cpu;
  std::string name;
  std::vector<ScalarType> params;
  ScalarType result = ScalarType::f32;
  /// cpu: the function. Null if it is not known in this process, only named by a text.
  const void* address = nullptr;
  /// cpu: calls it; arguments and result as literals have them (LiteralBits::lo).
  void (*call)(const void* address, const std::uint64_t* arguments,
               std::uint64_t* result) = nullptr;
  /// opencl, cuda: the text that defines a function of this name.
  std::string source = {};
};

/// An array that is in a device's memory now.
struct PlacedArray {
  std::shared_ptr<const HostArray> array;
  std::vector<void*> memory;  // by component: an address of CUDA's, or a cl_mem
};

/// What the code of a user's may use of the device that calls it, for the time of the call.
class ForeignDevice {
 public:
  virtual ~ForeignDevice() = default;
  /// CUDA: CUstream, CUcontext, CUdevice; OpenCL: cl_command_queue, cl_context, cl_device_id.
  virtual void* queue() const = 0;
  virtual void* context() const = 0;
  virtual void* device() const = 0;
  /// A new array in its memory. Throws MemoryError.
  virtual PlacedArray allocate(std::vector<std::int64_t> shape, std::vector<ScalarType> leaves) = 0;
};

/// A function of whole arrays for one kind of target, called on the thread that runs the program;
/// what it throws passes through.
struct ForeignArrayFunction {
  ForeignTarget target = ForeignTarget::cpu;
  std::string name;
  /// cpu: with host arrays.
  std::function<std::vector<std::shared_ptr<const HostArray>>(
      const std::vector<std::shared_ptr<const HostArray>>&)>
      call;
  /// opencl, cuda: with arrays of the device's; gives such.
  std::function<std::vector<std::shared_ptr<const HostArray>>(ForeignDevice&,
                                                              const std::vector<PlacedArray>&)>
      call_on_device;
  /// Functions of one target, name and identity are one, whose calls may be shared. Null: this is
  /// one of its own.
  const void* identity = nullptr;
  /// Null, or whether it can be called in this process: asked when a program is compiled for its
  /// target.
  bool (*is_there)() = nullptr;
};

}  // namespace hasten::detail
