// Results of conditions on arguments, kept from call to call: a program that gets the same arrays
// again, such as a solver its matrix, checks them once.
//
// in:  a launch that reads only arguments, which are immutable, and that only conditions read
// out: its result, if it is known
#pragma once

#include <hasten/detail/host_array.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hasten::runtime {

/// The numbers and arrays that determine a launch's result.
struct LaunchKey {
  std::uint32_t kernel;
  std::vector<std::int64_t> space;
  std::vector<std::uint64_t> scalars;
  std::vector<std::shared_ptr<detail::Buffer>> inputs;
};

/// Thread-safe. Keeps no argument alive, and a few results per kernel.
class RememberedLaunches {
 public:
  [[nodiscard]] std::shared_ptr<const detail::HostArray> find(const LaunchKey& key) const;
  void keep(LaunchKey key, const detail::HostArray& result);

 private:
  struct Entry {
    LaunchKey numbers;  // without inputs
    std::vector<std::weak_ptr<detail::Buffer>> inputs;
    std::shared_ptr<const detail::HostArray> result;
  };
  [[nodiscard]] static bool is_of(const Entry& entry, const LaunchKey& key);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // the oldest first
};

}  // namespace hasten::runtime
