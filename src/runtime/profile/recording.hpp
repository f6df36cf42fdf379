// The times of a program's calls, site by site (kernels::Step::site): always on, so that a profile
// covers all calls. A call records privately and merges its record at its end.
#pragma once

#include "kernels/plan.hpp"
#include "support/ticks.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace hasten::runtime {

/// Nanoseconds of a repeated activity. A negative time is unknown: it is counted, and nothing else.
class Times {
 public:
  void add(std::int64_t nanoseconds);
  /// As if the other's times had come later.
  void add(const Times& other);

  std::int64_t calls = 0, timed = 0, first = 0, minimum = 0, total = 0;
  /// Of the newest `kept`.
  [[nodiscard]] double median() const;
  static constexpr std::size_t kept = 32;

 private:
  std::array<float, kept> newest_{};
};

/// The arguments of a launch when its shapes last changed.
struct LaunchShapes {
  std::vector<std::int64_t> space;     // as the program has it
  std::vector<std::uint64_t> scalars;  // by Kernel::scalars
  std::vector<std::int64_t> inputs;    // bytes, by Kernel::inputs
  std::int64_t written = 0;            // bytes of all outputs
  bool in_parallel = true;             // more than one thread took part
};

/// What one call recorded of sites.
struct SiteSample {
  std::uint32_t site;
  std::int64_t nanoseconds;
};

/// Counts of one run.
struct RunCounts {
  std::int64_t launches = 0, bytes_allocated = 0, bytes_peak = 0, bytes_moved = 0;
};

/// For one program, over all its calls. Thread-safe.
class Recording {
 public:
  /// `sites` of the plan, 0 of an interpreted program.
  explicit Recording(std::uint32_t sites, std::size_t devices = 1);

  // -- during a call ------------------------------------------------------------------------------

  /// Whether launches of devices are timed one by one (Backend::timed).
  [[nodiscard]] bool times_devices() const { return times_devices_.load(relaxed); }
  /// Whether a site's shapes have this fingerprint.
  [[nodiscard]] bool knows(std::uint32_t site, std::uint64_t fingerprint) const {
    return sites_[site].fingerprint.load(relaxed) == fingerprint;
  }
  void keep(std::uint32_t site, std::uint64_t fingerprint, LaunchShapes shapes);
  /// An array was copied to a device for the call; or from it, during the call or after it.
  void copied_to(std::uint32_t site, std::size_t device, std::int64_t bytes,
                 std::int64_t nanoseconds);
  enum class When : std::uint8_t { in_call, after_it };
  void copied_from(std::size_t device, When when, std::int64_t bytes, std::int64_t nanoseconds);
  /// The host was idle until the device had finished.
  void waited_for(std::size_t device, std::int64_t nanoseconds);
  void add(std::span<const SiteSample> samples);
  /// The end of a call: the remaining samples, and the time outside its sites.
  void end_call(std::span<const SiteSample> samples, const RunCounts& counts,
                std::int64_t nanoseconds);

  // -- queries ------------------------------------------------------------------------------------

  struct Copied {
    Times times;
    std::int64_t bytes = 0;  // in total
  };
  struct SeenSite {
    Times times;
    LaunchShapes shapes;
    std::vector<Copied> copied;  // by device it was copied to
  };
  struct SeenDevice {
    Copied in_call, after_it;  // from the device
    Times waited;
  };
  struct Seen {
    std::vector<SeenSite> sites;  // by number; the last one: copies of other arrays
    std::vector<SeenDevice> devices;
    Times between;

    /// All copies to the device, or from it.
    [[nodiscard]] Copied to(std::size_t device) const;
    [[nodiscard]] Copied from(std::size_t device) const;
  };
  [[nodiscard]] Seen seen() const;
  struct Counts {
    std::int64_t calls = 0;  // not changed by reset()
    RunCounts all, last;
    std::int64_t bytes_to_devices = 0, bytes_from_devices = 0;
  };
  [[nodiscard]] Counts counts() const;
  /// Forgets times and shapes, not the counts.
  void reset();
  /// From now on; earlier times are forgotten. False if it did already.
  bool time_devices();
  /// As if the other program's calls had been this one's.
  void merge(const Recording& other);

  [[nodiscard]] std::uint32_t other_arrays() const { return count_ - 1; }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  struct Site {
    std::atomic<std::uint64_t> fingerprint{0};
    SeenSite seen;
  };

  const std::uint32_t count_;
  const std::size_t device_count_;
  const std::unique_ptr<Site[]> sites_;
  std::atomic<bool> times_devices_{false};
  mutable std::mutex mutex_;  // guards all below, and Site::seen
  std::vector<SeenDevice> devices_;
  Times between_;
  Counts counts_;
};

/// The record of a call so far. Not thread-safe; merged into the recording at the end.
class CallRecord {
 public:
  explicit CallRecord(Recording& recording) : recording_(recording) {}
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

  void add(std::uint32_t site, std::int64_t nanoseconds) {
    if (count_ == few) flush();
    samples_[count_++] = {site, nanoseconds};
    if (nanoseconds > 0) total_ += nanoseconds;
  }
  /// Time that has its own row: copies.
  void leave_out(std::int64_t nanoseconds) { total_ += nanoseconds; }
  void flush() {
    if (count_ > 0) recording_.add({samples_.data(), count_});
    count_ = 0;
  }
  /// The call is over.
  void end(const RunCounts& counts) {
    const std::int64_t all = support::nanoseconds_between(start_, support::ticks());
    recording_.end_call({samples_.data(), count_}, counts, all - total_);
  }
  [[nodiscard]] Recording& recording() const { return recording_; }

 private:
  static constexpr std::size_t few = 64;
  Recording& recording_;
  const std::int64_t start_ = support::ticks();
  std::int64_t total_ = 0;
  std::size_t count_ = 0;
  std::array<SiteSample, few> samples_;
};

}  // namespace hasten::runtime
