// A call has one thread, so nothing here is locked.
#include "backends/c_like/launch/call_work.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hasten::backends::c_like {
namespace {

using Clock = std::chrono::steady_clock;

// Launches between two checks. At most twice as many are in flight; a queue on CUDA takes about a
// thousand. Fewer if a check has to wait for long.
constexpr std::int64_t first_allowance = 8, most_allowance = 256;
constexpr std::chrono::milliseconds quick{10}, slow{40};

thread_local CallWork* innermost = nullptr;

}  // namespace

void LastMarks::add(std::size_t queue, const Mark& mark) {
  const auto known = std::ranges::find(marks_, queue, &std::pair<std::size_t, Mark>::first);
  if (known != marks_.end())
    known->second = mark;
  else
    marks_.emplace_back(queue, mark);
}

CallWork::CallWork(std::shared_ptr<Driver> driver)
    : driver_(std::move(driver)),
      outer_(innermost),
      allowance_(first_allowance) {
  innermost = this;
}

// A call on several devices has one object for each, and they end in any order.
CallWork::~CallWork() {
  CallWork** link = &innermost;
  while (*link != this) link = &(*link)->outer_;
  *link = outer_;
}

CallWork* CallWork::current(const Driver& driver) {
  CallWork* call = innermost;
  while (call && call->driver_.get() != &driver) call = call->outer_;
  return call;
}

void CallWork::add(std::size_t queue, const Mark& mark, std::int64_t launches, const char* name) {
  last_.add(queue, mark);
  launches_ += launches;
  if (driver_->fails_silently()) unseen_.push_back({mark, keeps_times_ ? name : ""});
}

void CallWork::limit_lead() {
  if (launches_ < allowance_) return;
  launches_ = 0;
  const auto start = Clock::now();
  wait(earlier_);
  earlier_ = last_;
  const auto took = Clock::now() - start;
  if (took < quick) allowance_ = std::min(2 * allowance_, most_allowance);
  if (took > slow) allowance_ = std::max<std::int64_t>(allowance_ / 2, 1);
}

void CallWork::finish() {
  wait(last_);
  last_.clear();
  earlier_.clear();
}

// The first failed command has the actual error; those that waited for it only report the failure.
void CallWork::wait(const LastMarks& marks) {
  try {
    for (const auto& [queue, mark] : marks.by_queue()) driver_->wait_for(mark);
  } catch (const Error&) {
    look();
    throw;
  }
  look();
}

void CallWork::look() {
  for (CallWork* each = reads_others_ ? innermost : nullptr; each; each = each->outer_)
    if (each != this) each->look_at_own();
  look_at_own();
}

// Examines commands in the order in which they were enqueued, up to the first failure.
void CallWork::look_at_own() {
  for (Command& command : std::exchange(unseen_, {})) {
    if (!driver_->has_happened(command.mark)) {
      unseen_.push_back(std::move(command));
    } else if (keeps_times_) {
      const auto times = driver_->times_of(command.mark);
      if (times) times_.push_back({std::move(command.name), times->first, times->second});
    }
  }
}

}  // namespace hasten::backends::c_like
