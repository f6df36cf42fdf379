// The work that one run has enqueued on its device, and waits for.
#pragma once

#include "backends/backend.hpp"
#include "backends/timed_work.hpp"
#include "runtime/report/trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace hasten::runtime {

/// Begun with the run, on its thread. Waits appear in traces: the work of other threads meanwhile
/// overlaps. Each of several devices has a line in the trace, with its work by its own clock.
class OwnWork {
 public:
  /// `device`: its number among those of a plan.
  OwnWork(backends::Backend& backend, std::size_t device, bool is_one)
      : backend_(backend),
        work_(backend.begin_work()),
        device_(device),
        has_line_(!is_one && is_tracing()),
        timed_(has_line_ ? dynamic_cast<backends::TimedWork*>(work_.get()) : nullptr) {
    if (timed_) timed_->keep_times();
  }
  [[nodiscard]] std::size_t device() const { return device_; }

  /// Waits only for this run's work. Throws the device's errors.
  void finish() {
    const auto start = TraceClock::now();
    work_->finish();
    if (!is_tracing()) return;
    const auto end = TraceClock::now();
    trace("wait", "for " + backend_.name(), start, end);
    if (has_line_) trace_line(start, end);
  }

 private:
  // The last command ended when the host saw it end: this aligns the device's clock with the
  // host's. For devices without a clock only the wait is known.
  void trace_line(TraceClock::time_point start, TraceClock::time_point seen) {
    const std::vector<backends::CommandTime> times =
        timed_ ? timed_->take_times() : std::vector<backends::CommandTime>();
    const TraceDetails line{.line = backend_.name()};
    if (times.empty()) return trace("device", "until it is done", start, seen, line);
    const std::int64_t last = std::ranges::max_element(times, {}, &backends::CommandTime::end)->end;
    const auto at = [&](std::int64_t nanoseconds) {
      return seen - std::chrono::nanoseconds(last - nanoseconds);
    };
    for (const backends::CommandTime& time : times)
      trace("device", time.name, at(time.start), at(time.end), line);
  }

  backends::Backend& backend_;
  const std::unique_ptr<backends::Work> work_;
  const std::size_t device_;
  const bool has_line_;
  backends::TimedWork* const timed_;  // null: not traced, or it keeps no times
};

}  // namespace hasten::runtime
