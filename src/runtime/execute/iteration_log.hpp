// What an iteration of a loop launched, in terms that can be compared with other iterations.
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

/// A launch of an iteration, as it was done. The spans are the executor's.
struct SeenLaunch {
  const kernels::Launch* op;
  const backends::Code* code;
  std::span<const std::int64_t> space;
  std::span<const std::uint64_t> scalars;
  std::span<const std::shared_ptr<const detail::HostArray>> arrays;  // by ArrayId
  std::int64_t largest;                                              // array, in elements
};

/// A component, by which launch made it how many iterations ago; or, if none of late, itself.
struct ComponentRef {
  static constexpr int other = -1;
  int age = other;
  std::size_t launch = 0, leaf = 0;            // of all that the launch made
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
  std::vector<ComponentRef> inputs, goes_on;  // the components of an array that is written further
  std::vector<std::weak_ptr<const detail::Buffer>> made;
  std::vector<std::shared_ptr<const detail::HostArray>> kept;  // its outputs, if asked for

  /// The same launch of other iterations.
  friend bool operator==(const LaunchNote& a, const LaunchNote& b);
};

struct IterationNote {
  bool is_whole = true;  // nothing happened but launches
  std::vector<LaunchNote> launches;
  std::vector<ComponentRef> next;  // the state; what was made on the host does not count
  friend bool operator==(const IterationNote&, const IterationNote&) = default;
};

/// The iteration under way and those before it.
class IterationLog {
 public:
  static constexpr int oldest = 2;  // age of what is told apart
  static constexpr std::size_t most_launches = 128;

  IterationLog() { start_iteration(); }
  void add(const SeenLaunch& launch, bool keeps);
  /// Something else happened: the iteration is like no other.
  void spoil() { iterations_.front().is_whole = false; }
  /// Whether the iteration was like the one before.
  [[nodiscard]] bool end_iteration(std::span<const std::shared_ptr<const detail::HostArray>> next);
  void clear();
  /// Drops what was kept.
  void let_go();

  /// By age: 0 is the iteration under way; after end_iteration the last one is 1.
  [[nodiscard]] const IterationNote& iteration(std::size_t age) const { return iterations_[age]; }

 private:
  void start_iteration();
  [[nodiscard]] ComponentRef ref(const std::shared_ptr<detail::Buffer>& buffer) const;

  std::deque<IterationNote> iterations_;  // newest first
};

}  // namespace hasten::runtime
