// HASTEN_TRACE=file.json: compilations and launches as Chrome (Perfetto) trace events.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace hasten::runtime {

using TraceClock = std::chrono::steady_clock;

/// Reads HASTEN_TRACE again; called once per compiled program.
void refresh_tracing();
[[nodiscard]] bool is_tracing() noexcept;

/// The details of an event, beside its name; empty and 0 ones are not shown.
struct TraceDetails {
  std::int64_t bytes = 0;
  std::string shape = {}, where = {};
  /// The name of a separate line, in place of the thread's: for devices side by side.
  std::string line = {};
};

/// One finished piece of work of this thread: "compile", "launch".
void trace(std::string_view category, std::string_view name, TraceClock::time_point start,
           TraceClock::time_point end, const TraceDetails& details = {});

/// Traces its own lifetime. `name` must outlive it.
class TraceSpan {
 public:
  TraceSpan(std::string_view category, std::string_view name)
      : category_(category),
        name_(name),
        start_(TraceClock::now()) {}
  ~TraceSpan() {
    if (is_tracing()) trace(category_, name_, start_, TraceClock::now());
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  [[nodiscard]] double milliseconds() const {
    return std::chrono::duration<double, std::milli>(TraceClock::now() - start_).count();
  }

 private:
  std::string_view category_, name_;
  TraceClock::time_point start_;
};

}  // namespace hasten::runtime
