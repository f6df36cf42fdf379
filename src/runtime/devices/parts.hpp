// Parts of arrays for several devices: rows of host arrays, and arrays joined from parts.
#pragma once

#include "kernels/plan.hpp"
#include "runtime/execute/executor.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace hasten::runtime {

struct RunState;
class PagesAhead;

/// Rows from `begin` up to `end`, clamped to the array; no copy. Bytes that are only on a device
/// are first copied to the host. With `is_kept` devices' copies of the rows stay for later calls.
[[nodiscard]] HostArrayRef rows_of(const HostArrayRef& array, std::int64_t begin, std::int64_t end,
                                   bool is_kept = false);

/// The joins of one run. A part that is made in host memory is placed directly in the whole, if its
/// offset is known by then.
class Joins {
 public:
  explicit Joins(const kernels::Plan& plan);

  /// Memory within the whole for a part of this shape; null: it has no such place.
  [[nodiscard]] std::shared_ptr<detail::HostArray> lend(core::ArrayId part,
                                                        const std::vector<std::int64_t>& shape,
                                                        RunState& state);
  /// Whether the host reads all of the array, once it is made: as a part of a whole, or for rows.
  [[nodiscard]] bool goes_home(core::ArrayId array) const {
    return places_.contains(array) || has_rows_.contains(array);
  }
  /// Returns the whole, which may be left in its pieces until somebody reads it. `took` has the
  /// nanoseconds that each part took.
  [[nodiscard]] HostArrayRef join(const kernels::JoinStep& op, RunState& state,
                                  std::vector<std::int64_t>& took);

 private:
  void survey(const kernels::Steps& steps);
  [[nodiscard]] std::shared_ptr<detail::HostArray> lend_ahead(
      core::ArrayId part, const std::vector<std::int64_t>& shape, RunState& state);
  [[nodiscard]] bool stays_in_pieces(const kernels::JoinStep& op, const RunState& state) const;
  [[nodiscard]] static std::shared_ptr<detail::HostArray> allocate_whole(
      const std::vector<std::int64_t>& shape, const std::vector<core::ScalarType>& leaves,
      RunState& state);

  struct Place {
    const kernels::JoinStep* join;
    std::size_t number;
  };
  struct Begun {
    std::shared_ptr<detail::HostArray> whole;
    std::vector<bool> is_lent;  // by part
    std::shared_ptr<PagesAhead> pages;
  };
  std::unordered_map<core::ArrayId, Place> places_;  // by part
  std::unordered_map<core::ArrayId, Begun> begun_;   // by whole
  std::unordered_set<core::ArrayId> has_rows_;       // arrays of which rows are taken
};

}  // namespace hasten::runtime
