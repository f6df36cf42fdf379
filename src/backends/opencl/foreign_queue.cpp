// The ordering learns only at the end what the queue was used for: until then the call alone has
// the results, and holds the arguments.
#include "backends/opencl/foreign_queue.hpp"

namespace hasten::backends::opencl {

QueueOfOthers::QueueOfOthers(const Library& library, Queues& queues, cl_context context,
                             cl_device_id device, std::span<const c_like::Address> reads,
                             c_like::CallWork* call)
    : library_(library),
      queues_(queues),
      context_(context),
      device_(device),
      call_(call),
      uses_(c_like::Ordering::reads(reads)),
      queue_(queues.choose(uses_, call)) {
  if (Queues::is_timing()) begun_ = queues_.begin_timing(queue_);
}

// The user's code threw, and nothing else knows of the memory that its work uses.
QueueOfOthers::~QueueOfOthers() {
  if (!is_closed_) library_.clFinish(queues_.handle(queue_));
}

void QueueOfOthers::writes(std::byte* address) {
  uses_.push_back({address, true});
  queues_.order(queue_, std::span(&uses_.back(), 1));
}

void QueueOfOthers::close() {
  if (begun_) queues_.end_timing(queue_, *begun_);
  queues_.mark(queue_, uses_, call_);
  is_closed_ = true;
}

}  // namespace hasten::backends::opencl
