// Functions of the host as commands of a device: OpenCL's native kernels.
#pragma once

#include "backends/c_like/host_functions.hpp"
#include "backends/opencl/library.hpp"

#include <list>
#include <mutex>
#include <span>
#include <vector>

namespace hasten::backends::opencl {

/// Thread-safe. Queues are in order. Functions whose commands never run are kept until this object
/// is destroyed.
class HostFunctions {
 public:
  explicit HostFunctions(const Library& library) : library_(library) {}
  HostFunctions(const HostFunctions&) = delete;
  HostFunctions& operator=(const HostFunctions&) = delete;

  /// Whether a device has such commands.
  [[nodiscard]] static bool has_them(const Library& library, cl_device_id device);
  /// Whether the memory's address in the host is known: not for parts of other buffers.
  [[nodiscard]] bool sees(cl_mem memory) const;

  /// `event` is that of the last command; the first command waits for those of `after`.
  cl_int enqueue(cl_command_queue queue, std::span<const cl_mem> memory, c_like::HostFunction f,
                 cl_uint count, const cl_event* after, cl_event* event);

 private:
  struct Task {
    HostFunctions* owner;
    c_like::HostFunction f;
    std::list<Task>::iterator self;
    std::vector<std::byte*> places;
  };
  struct Told {
    Task* task;
    std::size_t index;
    void* place;
  };
  static void CL_CALLBACK tell(void* arguments);
  static void CL_CALLBACK run(void* arguments);

  const Library& library_;
  std::mutex mutex_;
  std::list<Task> tasks_;
};

}  // namespace hasten::backends::opencl
