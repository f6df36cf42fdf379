// The launches of a loop's iteration, in a form that can be compared with other iterations.
#pragma once

#include "backends/backend.hpp"
#include "kernels/plan.hpp"

#include <hasten/detail/host_array.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace hasten::runtime {

/// A launch of an iteration, as it was run. The spans are the executor's.
struct SeenLaunch {
  const kernels::Launch* op;
  const backends::Code* code;
  std::span<const std::int64_t> space;
  std::span<const std::uint64_t> scalars;
  std::span<const std::shared_ptr<const detail::HostArray>> arrays;  // by ArrayId
  std::int64_t largest;                                              // array, in elements
};

/// A component, by the launch that made it and the iterations since; or, if there is none, itself.
struct ComponentRef {
  static constexpr int other = -1;
  int age = other;
  std::size_t launch = 0, leaf = 0;            // of all components that the launch made
  std::weak_ptr<const detail::Buffer> buffer;  // if it is another

  friend bool operator==(const ComponentRef& a, const ComponentRef& b);
};

struct LaunchNote {
  const kernels::Launch* op;
  const backends::Code* code;
  std::vector<std::int64_t> space;
  std::vector<std::vector<std::int64_t>> shapes;  // of its outputs
  std::vector<std::uint64_t> scalars;
  std::int64_t largest;
  std::vector<ComponentRef> inputs, goes_on;  // the components of an array that is updated
  std::vector<std::weak_ptr<const detail::Buffer>> made;
  std::vector<std::shared_ptr<const detail::HostArray>> kept;  // its outputs, if requested

  /// The same launch in other iterations.
  friend bool operator==(const LaunchNote& a, const LaunchNote& b);
};

struct IterationNote {
  bool is_whole = true;  // there were only launches
  std::vector<LaunchNote> launches;
  std::vector<ComponentRef> next;  // the state; arrays made on the host do not count
  friend bool operator==(const IterationNote&, const IterationNote&) = default;
};

/// The current iteration and those before it.
class IterationLog {
 public:
  static constexpr int oldest = 2;  // the highest age that is distinguished
  static constexpr std::size_t most_launches = 128;

  IterationLog() { start_iteration(); }
  void add(const SeenLaunch& launch, bool keeps);
  /// Something else happened: the iteration equals no other.
  void spoil() { iterations_.front().is_whole = false; }
  /// Whether the iteration equals the one before.
  [[nodiscard]] bool end_iteration(std::span<const std::shared_ptr<const detail::HostArray>> next);
  void clear();
  /// Releases kept arrays.
  void let_go();

  /// By age: 0 is the current iteration; after end_iteration the last one is 1.
  [[nodiscard]] const IterationNote& iteration(std::size_t age) const { return iterations_[age]; }

 private:
  void start_iteration();
  [[nodiscard]] ComponentRef ref(const std::shared_ptr<detail::Buffer>& buffer) const;

  std::deque<IterationNote> iterations_;  // newest first
};

}  // namespace hasten::runtime
