// One mutex per program: a call locks it once at its end, for a few additions.
#include "runtime/profile/recording.hpp"

#include <algorithm>
#include <utility>

namespace hasten::runtime {

void Times::add(std::int64_t nanoseconds) {
  ++calls;
  if (nanoseconds < 0) return;
  if (timed == 0) first = minimum = nanoseconds;
  minimum = std::min(minimum, nanoseconds);
  total += nanoseconds;
  newest_[static_cast<std::size_t>(timed++) % kept] = static_cast<float>(nanoseconds);
}

void Times::add(const Times& other) {
  const Times before = std::exchange(*this, other);
  if (before.timed == 0) {
    calls += before.calls;
    return;
  }
  // Keeps the newest of both, as far as there is room: the other's keep their places.
  const auto there = static_cast<std::size_t>(std::min<std::int64_t>(timed, kept));
  const auto older = static_cast<std::size_t>(std::min<std::int64_t>(before.timed, kept));
  for (std::size_t i = 0; i < older && there + i < kept; ++i)
    newest_[there + i] = before.newest_[i];
  minimum = timed == 0 ? before.minimum : std::min(minimum, before.minimum);
  first = before.first;
  calls += before.calls;
  timed += before.timed;
  total += before.total;
}

double Times::median() const {
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(timed, kept));
  if (count == 0) return 0;
  std::array<float, kept> sorted = newest_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<double>(*middle);
}

namespace {

void add_to(Recording::Copied& to, const Recording::Copied& more) {
  to.times.add(more.times);
  to.bytes += more.bytes;
}

void add_to(Recording::Copied& to, std::int64_t bytes, std::int64_t nanoseconds) {
  to.times.add(nanoseconds);
  to.bytes += bytes;
}

}  // namespace

Recording::Copied Recording::Seen::to(std::size_t device) const {
  Copied all;
  for (const SeenSite& site : sites) add_to(all, site.copied[device]);
  return all;
}

Recording::Copied Recording::Seen::from(std::size_t device) const {
  Copied all = devices[device].in_call;
  add_to(all, devices[device].after_it);
  return all;
}

Recording::Recording(std::uint32_t sites, std::size_t devices)
    : count_(sites + 1),
      device_count_(devices),
      sites_(std::make_unique<Site[]>(count_)),
      devices_(devices) {
  for (std::uint32_t i = 0; i < count_; ++i) sites_[i].seen.copied.resize(devices);
}

void Recording::keep(std::uint32_t site, std::uint64_t fingerprint, LaunchShapes shapes) {
  const std::lock_guard lock(mutex_);
  sites_[site].seen.shapes = std::move(shapes);
  sites_[site].fingerprint.store(fingerprint, relaxed);
}

void Recording::copied_to(std::uint32_t site, std::size_t device, std::int64_t bytes,
                          std::int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  add_to(sites_[site].seen.copied[device], bytes, nanoseconds);
  counts_.bytes_to_devices += bytes;
}

void Recording::copied_from(std::size_t device, When when, std::int64_t bytes,
                            std::int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  SeenDevice& seen = devices_[device];
  add_to(when == When::in_call ? seen.in_call : seen.after_it, bytes, nanoseconds);
  counts_.bytes_from_devices += bytes;
}

void Recording::waited_for(std::size_t device, std::int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  devices_[device].waited.add(nanoseconds);
}

void Recording::add(std::span<const SiteSample> samples) {
  const std::lock_guard lock(mutex_);
  for (const SiteSample& sample : samples) sites_[sample.site].seen.times.add(sample.nanoseconds);
}

void Recording::end_call(std::span<const SiteSample> samples, const RunCounts& counts,
                         std::int64_t nanoseconds) {
  const std::lock_guard lock(mutex_);
  for (const SiteSample& sample : samples) sites_[sample.site].seen.times.add(sample.nanoseconds);
  between_.add(std::max<std::int64_t>(nanoseconds, 0));
  ++counts_.calls;
  counts_.last = counts;
  counts_.all.launches += counts.launches;
  counts_.all.bytes_allocated += counts.bytes_allocated;
  counts_.all.bytes_moved += counts.bytes_moved;
  counts_.all.bytes_peak = std::max(counts_.all.bytes_peak, counts.bytes_peak);
}

Recording::Seen Recording::seen() const {
  const std::lock_guard lock(mutex_);
  Seen seen;
  seen.sites.reserve(count_);
  for (std::uint32_t i = 0; i < count_; ++i) seen.sites.push_back(sites_[i].seen);
  seen.devices = devices_;
  seen.between = between_;
  return seen;
}

Recording::Counts Recording::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Recording::reset() {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; i < count_; ++i) {
    sites_[i].seen = {};
    sites_[i].seen.copied.resize(device_count_);
    sites_[i].fingerprint.store(0, relaxed);
  }
  devices_.assign(device_count_, {});
  between_ = {};
}

bool Recording::time_devices() {
  if (times_devices_.exchange(true)) return false;
  reset();
  return true;
}

void Recording::merge(const Recording& other) {
  const std::scoped_lock lock(mutex_, other.mutex_);
  for (std::uint32_t i = 0; i < std::min(count_, other.count_); ++i) {
    const SeenSite& from = other.sites_[i].seen;
    SeenSite& to = sites_[i].seen;
    to.times.add(from.times);
    for (std::size_t k = 0; k < std::min(to.copied.size(), from.copied.size()); ++k)
      add_to(to.copied[k], from.copied[k]);
    if (!from.shapes.space.empty()) to.shapes = from.shapes;
  }
  for (std::size_t k = 0; k < std::min(device_count_, other.device_count_); ++k) {
    add_to(devices_[k].in_call, other.devices_[k].in_call);
    add_to(devices_[k].after_it, other.devices_[k].after_it);
    devices_[k].waited.add(other.devices_[k].waited);
  }
  between_.add(other.between_);
}

}  // namespace hasten::runtime
