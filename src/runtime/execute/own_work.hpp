// What one run has told its device, and waits for.
#pragma once

#include "backends/backend.hpp"
#include "runtime/report/trace.hpp"

#include <cstddef>
#include <memory>

namespace hasten::runtime {

/// Begun with the run, on its thread. Waits show in traces: what other threads do meanwhile
/// overlaps.
class OwnWork {
 public:
  /// `device`: its number among those of a plan.
  explicit OwnWork(backends::Backend& backend, std::size_t device = 0)
      : backend_(backend),
        work_(backend.begin_work()),
        device_(device) {}
  [[nodiscard]] std::size_t device() const { return device_; }

  /// Waits for this run's work alone. Throws what the device throws.
  void finish() {
    const auto start = TraceClock::now();
    work_->finish();
    if (is_tracing()) trace("wait", "for " + backend_.name(), start, TraceClock::now());
  }

 private:
  backends::Backend& backend_;
  const std::unique_ptr<backends::Work> work_;
  const std::size_t device_;
};

}  // namespace hasten::runtime
