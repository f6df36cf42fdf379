// A command is enqueued and recorded under one mutex: a thread that has to wait for it has its
// event. A queue is flushed before others are made to wait for its commands.
#include "backends/opencl/queues.hpp"

#include <utility>

namespace hasten::backends::opencl {
namespace {

constexpr std::size_t computing = 8, copying = 2;

cl_event event_of(const c_like::Mark& mark) {
  return static_cast<cl_event>(const_cast<void*>(mark.get()));
}

// A span of time from the start of a command, or from the end of one, to the end of another.
struct Timed {
  c_like::Mark since;
  bool from_end;
  c_like::Mark last;
};
// The list in which this thread's commands are recorded, while they are timed.
thread_local std::vector<Timed>* watched = nullptr;

}  // namespace

Queues::Layout Queues::layout_of(std::size_t share) {
  if (share == 0) return {{1, 1, 1}, {0, 1}, {0, 1}};
  return {{computing + 2 * copying, computing, share},
          {computing, copying},
          {computing + copying, copying}};
}

Queues::Queues(const Library& library, cl_context context, cl_device_id device, std::string name,
               std::size_t share)
    : library_(library),
      name_(std::move(name)),
      layout_(layout_of(share)),
      ordering_(layout_.all, [this](const Mark& mark) { return is_done(mark); }) {
  for (std::size_t i = 0; i < layout_.all.queues; ++i) {
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

void Queues::launch(const char* what, std::span<const Use> uses, c_like::CallWork* call,
                    const Enqueue& enqueue) {
  const std::lock_guard lock(mutex_);
  const Place place = ordering_.place(uses, call);
  const Mark mark = run(what, place, uses, call, enqueue);
  if (watched) watched->push_back({mark, false, mark});
  if (call) call->add(place.queue, mark, 1, what);
}

// -- foreign commands ---------------------------------------------------------------------------

Queues::Mark Queues::run_marker(const Place& place, std::span<const Use> uses,
                                c_like::Ordering::Owner owner) {
  return run("clEnqueueMarkerWithWaitList", place, uses, owner,
             [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
               return library_.clEnqueueMarkerWithWaitList(queue, count, after, event);
             });
}

void Queues::wait_in(const Place& place) {
  if (place.after.empty()) return;
  run("clEnqueueBarrierWithWaitList", place, {}, nullptr,
      [&](cl_command_queue queue, cl_uint count, const cl_event* after, cl_event* event) {
        return library_.clEnqueueBarrierWithWaitList(queue, count, after, event);
      });
}

std::size_t Queues::choose(std::span<const Use> uses, c_like::CallWork* call) {
  const std::lock_guard lock(mutex_);
  const Place place = ordering_.place(uses, call);
  wait_in(place);
  return place.queue;
}

void Queues::order(std::size_t queue, std::span<const Use> uses) {
  const std::lock_guard lock(mutex_);
  wait_in(ordering_.place(queue, uses));
}

void Queues::mark(std::size_t queue, std::span<const Use> uses, c_like::CallWork* call) {
  const std::lock_guard lock(mutex_);
  const Mark mark = run_marker({queue, {}}, uses, call);
  if (call) call->add(queue, mark);
}

bool Queues::is_timing() { return watched != nullptr; }

std::size_t Queues::begin_timing(std::size_t queue) {
  const std::lock_guard lock(mutex_);
  const Mark mark = run_marker({queue, {}}, {}, nullptr);
  watched->push_back({mark, true, nullptr});
  return watched->size() - 1;
}

void Queues::end_timing(std::size_t queue, std::size_t begun) {
  const std::lock_guard lock(mutex_);
  watched->at(begun).last = run_marker({queue, {}}, {}, nullptr);
}

// -- copies --------------------------------------------------------------------------------------

std::vector<Queues::Mark> Queues::pending(const Use& use) {
  const std::lock_guard lock(mutex_);
  return ordering_.pending(std::span(&use, 1));
}

void Queues::wait_for_users(const Use& use) {
  for (const Mark& mark : pending(use)) {
    cl_event event = event_of(mark);
    library_.clWaitForEvents(1, &event);  // errors are reported to the command's owner
  }
}

void Queues::upload(const char* what, c_like::Address to, const Enqueue& enqueue,
                    std::size_t count) {
  copy(what, layout_.uploads, {to, true}, enqueue, count);
}

void Queues::download(const char* what, c_like::Address from, const Enqueue& enqueue) {
  copy(what, layout_.downloads, {from, false}, enqueue, 1);
}

void Queues::copy(const char* what, const Range& queues, const Use& use, const Enqueue& enqueue,
                  std::size_t count) {
  wait_for_users(use);
  const std::span uses(&use, 1);
  std::vector<Mark> marks;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t queue = ordering_.choose_among(queues.first, queues.count);
    try {
      while (marks.size() < count)
        marks.push_back(run(what, ordering_.place(queue, uses), uses, nullptr, enqueue));
    } catch (...) {
      library_.clFinish(queues_[queue]);  // those before no longer use the host's memory
      throw;
    }
  }
  // A queue keeps its order: when the last one has ended, all have.
  for (std::size_t i = marks.size(); i-- > 0;) wait_for(what, marks[i]);
}

// The host does not wait, so that it can enqueue work on other devices. Only one mutex is held at a
// time: the source does not change meanwhile, because its reader holds it.
void Queues::copy_between(const char* what, c_like::Address to, Queues& other, c_like::Address from,
                          c_like::CallWork* call, const Enqueue& enqueue) {
  const std::vector<Mark> made = other.pending({from, false});
  const Use use{to, true};
  const std::span uses(&use, 1);
  Mark mark;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t queue = ordering_.choose_among(layout_.uploads.first, layout_.uploads.count);
    Place place = ordering_.place(queue, uses);
    place.after.insert(place.after.end(), made.begin(), made.end());
    mark = run(what, place, uses, call, enqueue);
    if (call) {
      call->add(queue, mark, 0, what);
      call->reads_from_others();
    }
  }
  other.read_elsewhere(from, mark);
  if (!call) wait_for(what, mark);  // no other wait follows
}

void Queues::read_elsewhere(c_like::Address from, const Mark& mark) {
  const Use use{from, false};
  const std::lock_guard lock(mutex_);
  const std::size_t queue =
      ordering_.choose_among(layout_.downloads.first, layout_.downloads.count);
  Place place = ordering_.place(queue, std::span(&use, 1));
  place.after.push_back(mark);
  run_marker(place, std::span(&use, 1), nullptr);
}

Queues::Mark Queues::run(const char* what, const Place& place, std::span<const Use> uses,
                         c_like::Ordering::Owner owner, const Enqueue& enqueue) {
  cl_command_queue queue = queues_[place.queue];
  std::vector<cl_event> after;
  for (const Mark& mark : place.after) after.push_back(event_of(mark));
  const auto count = static_cast<cl_uint>(after.size());
  cl_event event = nullptr;
  const cl_int error = enqueue(queue, count, count > 0 ? after.data() : nullptr, &event);
  if (error != CL_SUCCESS) {
    // The ordering relies on the queue being behind these commands.
    if (count > 0) library_.clWaitForEvents(count, after.data());
    fail(name_, what, error);
  }
  Mark mark;
  try {
    const Library& library = library_;
    mark = Mark(event, [&library](const void* done) {
      library.clReleaseEvent(static_cast<cl_event>(const_cast<void*>(done)));
    });
    ordering_.enqueued(place.queue, uses, mark, owner);
  } catch (...) {  // no host memory: finished work needs no waits
    library_.clFinish(queue);
    throw;
  }
  if (const cl_int flushed = library_.clFlush(queue); flushed != CL_SUCCESS) {
    library_.clFinish(queue);
    fail(name_, "clFlush", flushed);
  }
  return mark;
}

// The command's own error is more specific than that of the wait.
void Queues::wait_for(const char* what, const c_like::Mark& mark) const {
  cl_event event = event_of(mark);
  const cl_int error = library_.clWaitForEvents(1, &event);
  if (error == CL_SUCCESS) return;
  const cl_int state = state_of(mark);
  fail(name_, what, state < 0 ? state : error);
}

cl_int Queues::state_of(const Mark& mark) const {
  cl_int state = CL_COMPLETE;
  library_.clGetEventInfo(event_of(mark), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                          nullptr);
  return state;
}

// Also true after an error, for which the command's owner checks (CallWork::look).
bool Queues::is_done(const Mark& mark) const { return state_of(mark) <= CL_COMPLETE; }

bool Queues::has_happened(const Mark& mark) const {
  const cl_int state = state_of(mark);
  if (state < 0) fail(name_, "a launch", state);
  return state == CL_COMPLETE;
}

bool Queues::is_used_by_others(c_like::Address address, c_like::Ordering::Owner owner) {
  const std::lock_guard lock(mutex_);
  return ordering_.is_used_by_others(address, owner);
}

std::optional<cl_ulong> Queues::time_of(const Mark& mark, cl_profiling_info what) const {
  cl_ulong time = 0;
  if (library_.clGetEventProfilingInfo(event_of(mark), what, sizeof time, &time, nullptr) !=
      CL_SUCCESS)
    return std::nullopt;
  return time;
}

std::optional<std::pair<std::int64_t, std::int64_t>> Queues::times_of(const Mark& mark) const {
  const auto start = time_of(mark, CL_PROFILING_COMMAND_START);
  const auto end = time_of(mark, CL_PROFILING_COMMAND_END);
  if (!start || !end || *end < *start) return std::nullopt;
  return std::pair{static_cast<std::int64_t>(*start), static_cast<std::int64_t>(*end)};
}

std::int64_t Queues::timed(core::FunctionRef<void()> f) const {
  std::vector<Timed> commands;
  {
    struct Watching {
      explicit Watching(std::vector<Timed>& commands) : outer(std::exchange(watched, &commands)) {}
      ~Watching() { watched = outer; }
      Watching(const Watching&) = delete;
      Watching& operator=(const Watching&) = delete;
      std::vector<Timed>* const outer;
    } const watching(commands);
    f();
  }
  std::int64_t all = 0;
  for (const Timed& timed : commands) {
    if (!timed.last) continue;  // the timed code threw
    wait_for("a launch", timed.last);
    const auto start = time_of(
        timed.since, timed.from_end ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START);
    const auto end = time_of(timed.last, CL_PROFILING_COMMAND_END);
    if (!start || !end || *end < *start) return -1;
    all += static_cast<std::int64_t>(*end - *start);
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
