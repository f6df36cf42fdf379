// PoCL 3.1 passes a native kernel of several buffers their addresses in another order than they
// were enqueued. So one command for each buffer, which sees that buffer alone, notes its address,
// and the last command, which holds all buffers, runs the function. A queue keeps their order.
#include "backends/opencl/host_functions.hpp"

#include <algorithm>
#include <utility>

namespace hasten::backends::opencl {

bool HostFunctions::has_them(const Library& library, cl_device_id device) {
  cl_device_exec_capabilities can = 0;
  return library.clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can,
                                 nullptr) == CL_SUCCESS &&
         (can & CL_EXEC_NATIVE_KERNEL) != 0;
}

bool HostFunctions::sees(cl_mem memory) const {
  cl_mem whole = nullptr;
  return library_.clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole,
                                     nullptr) == CL_SUCCESS &&
         !whole;
}

// A command's arguments are copied when it is enqueued, and the device replaces buffers in them by
// addresses.
void CL_CALLBACK HostFunctions::tell(void* arguments) {
  const auto& told = *static_cast<const Told*>(arguments);
  told.task->places[told.index] = static_cast<std::byte*>(told.place);
}

void CL_CALLBACK HostFunctions::run(void* arguments) {
  const auto* const task = static_cast<Task* const*>(arguments)[0];
  std::list<Task> mine;
  {
    const std::lock_guard lock(task->owner->mutex_);
    mine.splice(mine.begin(), task->owner->tasks_, task->self);
  }
  mine.front().f(mine.front().places);
}

cl_int HostFunctions::enqueue(cl_command_queue queue, std::span<const cl_mem> memory,
                              c_like::HostFunction f, cl_uint count, const cl_event* after,
                              cl_event* event) {
  Task* task = nullptr;
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({this, std::move(f), {}, std::vector<std::byte*>(memory.size())});
    tasks_.back().self = std::prev(tasks_.end());
    task = &tasks_.back();
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    Told told{task, i, nullptr};
    const void* place = &told.place;
    const cl_int error =
        library_.clEnqueueNativeKernel(queue, tell, &told, sizeof told, 1, &memory[i], &place,
                                       i == 0 ? count : 0, i == 0 ? after : nullptr, nullptr);
    if (error != CL_SUCCESS) return error;
  }
  std::vector<cl_mem> each(memory.begin(), memory.end());
  std::ranges::sort(each);
  each.erase(std::ranges::unique(each).begin(), each.end());
  std::vector<void*> arguments(1 + each.size());
  arguments[0] = task;
  std::vector<const void*> places;
  for (std::size_t i = 0; i < each.size(); ++i) places.push_back(&arguments[1 + i]);
  return library_.clEnqueueNativeKernel(
      queue, run, arguments.data(), arguments.size() * sizeof(void*),
      static_cast<cl_uint>(each.size()), each.data(), places.data(), 0, nullptr, event);
}

}  // namespace hasten::backends::opencl
