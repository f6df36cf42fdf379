// A command is enqueued and noted under one mutex: who is told to wait for it has its event. A
// queue is flushed before others are told to wait for what is in it.
#include "backends/opencl/queues.hpp"

#include <utility>

namespace hasten::backends::opencl {
namespace {

constexpr std::size_t computing = 4;  // more give small kernels nothing

cl_event event_of(const c_like::Ordering::Mark& mark) {
  return static_cast<cl_event>(const_cast<void*>(mark.get()));
}

// Where this thread's commands are noted, while somebody times them.
thread_local std::vector<c_like::Ordering::Mark>* watched = nullptr;

}  // namespace

Queues::Queues(const Library& library, cl_context context, cl_device_id device, std::string name,
               bool several)
    : library_(library),
      name_(std::move(name)),
      ordering_(several ? computing + 2 : 1, several ? computing : 1) {
  const std::size_t count = several ? computing + 2 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    cl_int error = CL_SUCCESS;
    cl_command_queue queue =
        library_.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS) {
      release();
      fail(name_, "clCreateCommandQueue", error);
    }
    queues_.push_back(queue);
  }
}

Queues::~Queues() { release(); }

void Queues::release() noexcept {
  for (cl_command_queue queue : queues_) library_.clFinish(queue);
  for (cl_command_queue queue : queues_) library_.clReleaseCommandQueue(queue);
}

void Queues::launch(const char* what, std::span<const Use> uses, const Enqueue& enqueue) {
  const std::lock_guard lock(mutex_);
  run(what, ordering_.place(uses), uses, enqueue);
}

void Queues::upload(const char* what, c_like::Address to, const Enqueue& enqueue) {
  const Use use[] = {{to, true}};
  Mark mark;
  {
    const std::lock_guard lock(mutex_);
    mark = run(what, ordering_.place(last() > 0 ? last() - 1 : 0, use), use, enqueue);
  }
  wait_for(what, mark);
}

void Queues::download(const char* what, c_like::Address from, const Enqueue& enqueue) {
  const Use use[] = {{from, false}};
  Mark mark;
  {
    const std::lock_guard lock(mutex_);
    mark = run(what, ordering_.place(last(), use), use, enqueue);
  }
  wait_for(what, mark);
}

Queues::Mark Queues::run(const char* what, const Place& place, std::span<const Use> uses,
                         const Enqueue& enqueue) {
  cl_command_queue queue = queues_[place.queue];
  std::vector<cl_event> after;
  for (const Mark& mark : place.after) after.push_back(event_of(mark));
  const auto count = static_cast<cl_uint>(after.size());
  cl_event event = nullptr;
  const cl_int error = enqueue(queue, count, count > 0 ? after.data() : nullptr, &event);
  if (error != CL_SUCCESS) {
    // The ordering counts on it that the queue comes after these.
    if (count > 0) library_.clWaitForEvents(count, after.data());
    fail(name_, what, error);
  }
  Mark mark;
  try {
    const Library& library = library_;
    mark = Mark(event, [&library](const void* done) {
      library.clReleaseEvent(static_cast<cl_event>(const_cast<void*>(done)));
    });
    ordering_.enqueued(place.queue, uses, mark);
  } catch (...) {  // the host has no memory: nobody has to wait for what has happened
    library_.clFinish(queue);
    throw;
  }
  if (const cl_int flushed = library_.clFlush(queue); flushed != CL_SUCCESS) {
    library_.clFinish(queue);
    fail(name_, "clFlush", flushed);
  }
  if (watched) watched->push_back(mark);
  return mark;
}

void Queues::wait_for(const char* what, const Mark& mark) const {
  cl_event event = event_of(mark);
  if (const cl_int error = library_.clWaitForEvents(1, &event); error != CL_SUCCESS)
    fail(name_, what, error);
}

std::int64_t Queues::time_of(const Mark& mark) const {
  cl_ulong start = 0, end = 0;
  for (const auto& [what, value] :
       {std::pair{CL_PROFILING_COMMAND_START, &start}, std::pair{CL_PROFILING_COMMAND_END, &end}})
    if (library_.clGetEventProfilingInfo(event_of(mark), static_cast<cl_profiling_info>(what),
                                         sizeof *value, value, nullptr) != CL_SUCCESS)
      return -1;
  return end < start ? -1 : static_cast<std::int64_t>(end - start);
}

std::int64_t Queues::timed(core::FunctionRef<void()> f) const {
  std::vector<Mark> marks;
  {
    struct Watching {
      explicit Watching(std::vector<Mark>& marks) { watched = &marks; }
      ~Watching() { watched = nullptr; }
    } const watching(marks);
    f();
  }
  std::int64_t all = 0;
  for (const Mark& mark : marks) {
    wait_for("a launch", mark);
    const std::int64_t one = time_of(mark);
    if (one < 0) return one;
    all += one;
  }
  return all;
}

void Queues::forget(c_like::Address address) noexcept {
  const std::lock_guard lock(mutex_);
  ordering_.forget(address);
}

void Queues::finish() const {
  for (cl_command_queue queue : queues_)
    if (const cl_int error = library_.clFinish(queue); error != CL_SUCCESS)
      fail(name_, "clFinish", error);
}

}  // namespace hasten::backends::opencl
