// A call has one thread, so nothing here is locked.
#include "backends/c_like/launch/call_work.hpp"

#include <algorithm>

namespace hasten::backends::c_like {
namespace {

// Twice as many are under way at most. Queues of CUDA take about a thousand.
constexpr std::int64_t launches_between_looks = 256;

thread_local CallWork* innermost = nullptr;

}  // namespace

void LastMarks::add(std::size_t queue, const Mark& mark) {
  const auto known = std::ranges::find(marks_, queue, &std::pair<std::size_t, Mark>::first);
  if (known != marks_.end())
    known->second = mark;
  else
    marks_.emplace_back(queue, mark);
}

CallWork::CallWork(std::shared_ptr<Driver> driver) : driver_(std::move(driver)), outer_(innermost) {
  innermost = this;
}

CallWork::~CallWork() { innermost = outer_; }

CallWork* CallWork::current(const Driver& driver) {
  return innermost && innermost->driver_.get() == &driver ? innermost : nullptr;
}

void CallWork::add(std::size_t queue, const Mark& mark, std::int64_t launches) {
  last_.add(queue, mark);
  launches_ += launches;
}

void CallWork::limit_lead() {
  if (launches_ < launches_between_looks) return;
  launches_ = 0;
  wait(earlier_);
  earlier_ = last_;
}

void CallWork::finish() {
  wait(last_);
  last_.clear();
  earlier_.clear();
}

void CallWork::wait(const LastMarks& marks) const {
  for (const auto& [queue, mark] : marks.by_queue()) driver_->wait_for(mark);
}

}  // namespace hasten::backends::c_like
