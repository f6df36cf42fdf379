// OpenCL's functions that a test may ask to fail; all others are the loader's.
//
// The event of a command that fails later is remembered: the status that is told of it, and what
// waiting for it gives, are an error's. One that does nothing is a marker in its place.
#include "tests/failing_opencl/control.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 6> kinds = {"alloc", "launch", "copy",
                                                   "event", "lost",   "moved"};
enum Kind { alloc, launch, copy, event, lost, moved };

struct Fault {
  long long after = 0, times = 0;  // so many are well before it
  cl_int error = CL_SUCCESS;
};

std::mutex mutex;  // of all below
std::array<Fault, kinds.size()> faults;
std::map<cl_event, cl_int> failed;
long long failures = 0;

// The loader's function of this name.
template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// The error of this event of that kind.
std::optional<cl_int> fault(Kind kind) {
  const std::lock_guard lock(mutex);
  Fault& next = faults[kind];
  if (next.times == 0) return std::nullopt;
  if (next.after > 0) {
    --next.after;
    return std::nullopt;
  }
  --next.times;
  ++failures;
  return next.error;
}

// What was told is to have failed with this error.
cl_int fail_later(cl_int told, cl_event event, cl_int error) {
  const std::lock_guard lock(mutex);
  if (told == CL_SUCCESS) failed[event] = error;
  return told;
}

// As `f` does it, or one of the ways to fail.
template <class F>
cl_int enqueue(Kind at_once, Kind without_effect, cl_command_queue queue, cl_uint count,
               const cl_event* after, cl_event* event, F f) {
  if (const auto error = fault(at_once)) return *error;
  const auto error = fault(without_effect);
  if (!error) return f();
  const cl_int told =
      real(&clEnqueueMarkerWithWaitList, "clEnqueueMarkerWithWaitList")(queue, count, after, event);
  return fail_later(told, *event, *error);
}

}  // namespace

#define REAL(name) real(&(name), #name)
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int failing_opencl_fail(const char* kind, long long nth, long long times, int error) {
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind) {
      faults[i] = {nth - 1, times, error};
      return 1;
    }
  return 0;
}

EXPORTED void failing_opencl_reset() {
  const std::lock_guard lock(mutex);
  faults = {};
}

EXPORTED long long failing_opencl_failures() {
  const std::lock_guard lock(mutex);
  return failures;
}

EXPORTED cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags,
                                           std::size_t bytes, void* host, cl_int* error) {
  if (const auto failing = fault(alloc)) {
    *error = *failing;
    return nullptr;
  }
  return REAL(clCreateBuffer)(context, flags, bytes, host, error);
}

EXPORTED cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint axes, const std::size_t* offset,
                                                   const std::size_t* global,
                                                   const std::size_t* local, cl_uint count,
                                                   const cl_event* after, cl_event* done) {
  return enqueue(launch, lost, queue, count, after, done, [&] {
    const cl_int told = REAL(clEnqueueNDRangeKernel)(queue, kernel, axes, offset, global, local,
                                                     count, after, done);
    const auto error = fault(event);
    return error ? fail_later(told, *done, *error) : told;
  });
}

// Those without an event only prepare the one that has it.
EXPORTED cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue,
                                                  void(CL_CALLBACK* function)(void*),
                                                  void* arguments, std::size_t bytes,
                                                  cl_uint places, const cl_mem* memory,
                                                  const void** at, cl_uint count,
                                                  const cl_event* after, cl_event* done) {
  const auto tell = [&] {
    return REAL(clEnqueueNativeKernel)(queue, function, arguments, bytes, places, memory, at, count,
                                       after, done);
  };
  if (!done) return tell();
  return enqueue(launch, lost, queue, count, after, done, [&] {
    const cl_int told = tell();
    const auto error = fault(event);
    return error ? fail_later(told, *done, *error) : told;
  });
}

EXPORTED cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory,
                                                cl_bool blocks, std::size_t offset,
                                                std::size_t bytes, void* to, cl_uint count,
                                                const cl_event* after, cl_event* done) {
  return enqueue(copy, moved, queue, count, after, done, [&] {
    return REAL(clEnqueueReadBuffer)(queue, memory, blocks, offset, bytes, to, count, after, done);
  });
}

EXPORTED cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocks, std::size_t offset,
                                                 std::size_t bytes, const void* from, cl_uint count,
                                                 const cl_event* after, cl_event* done) {
  return enqueue(copy, moved, queue, count, after, done, [&] {
    return REAL(clEnqueueWriteBuffer)(queue, memory, blocks, offset, bytes, from, count, after,
                                      done);
  });
}

EXPORTED cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                std::size_t begin, std::size_t at,
                                                std::size_t bytes, cl_uint count,
                                                const cl_event* after, cl_event* done) {
  return enqueue(copy, moved, queue, count, after, done, [&] {
    return REAL(clEnqueueCopyBuffer)(queue, from, to, begin, at, bytes, count, after, done);
  });
}

EXPORTED cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, std::size_t size,
                                           void* value, std::size_t* needed) {
  const cl_int result = REAL(clGetEventInfo)(event, what, size, value, needed);
  if (result != CL_SUCCESS || what != CL_EVENT_COMMAND_EXECUTION_STATUS) return result;
  cl_int state = CL_COMPLETE;
  std::memcpy(&state, value, sizeof state);
  const std::lock_guard lock(mutex);
  const auto known = failed.find(event);
  if (known != failed.end() && state == CL_COMPLETE)
    std::memcpy(value, &known->second, sizeof known->second);
  return result;
}

EXPORTED cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events) {
  const cl_int result = REAL(clWaitForEvents)(count, events);
  const std::lock_guard lock(mutex);
  for (cl_uint i = 0; i < count; ++i)
    if (failed.contains(events[i])) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return result;
}

EXPORTED cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  {
    const std::lock_guard lock(mutex);
    failed.erase(event);
  }
  return REAL(clReleaseEvent)(event);
}
