// Chooses the subexpression to keep: one that occurs at all combinations of neighbouring rows and
// columns.
#include "kernels/analysis/sliding_window.hpp"

#include "core/scalar_ops.hpp"
#include "kernels/analysis/shifted_values.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"
#include "passes/dead_code.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace hasten::kernels {
namespace {

using namespace core;

constexpr std::int64_t rows_most = 16, columns_most = 32;
constexpr std::size_t candidates_most = 32;
// The minimum that keeping values must save, in reads and operations of an element.
constexpr std::size_t saved_least = 8;

/// Reads and operations that vary along an element's row, not counting sums of indices.
std::size_t cost_of(const Region& region, ShiftedValues& shapes) {
  std::size_t count = 0;
  for (const Stmt& stmt : region.body)
    for (const Value v : stmt.results) count += shapes[v].has_column && !shapes[v].is_linear;
  return count;
}

class WindowFinder {
 public:
  WindowFinder(const Kernel& map, const Region& element)
      : kernel_(map),
        element_(element),
        shapes_(map, element) {}

  std::optional<SlidingWindow> run() {
    std::map<std::uint32_t, std::vector<Value>> by_shape;
    std::vector<std::uint32_t> latest_first;
    for (auto stmt = element_.body.rbegin(); stmt != element_.body.rend(); ++stmt)
      if (const Value v = stmt->results[0]; std::holds_alternative<Prim>(stmt->op) && may_wait(v)) {
        const std::uint32_t shape = shapes_[v].shape;
        if (by_shape[shape].empty()) latest_first.push_back(shape);
        by_shape[shape].push_back(v);
      }
    std::erase_if(latest_first, [&](std::uint32_t shape) { return by_shape[shape].size() < 2; });
    latest_first.resize(std::min(latest_first.size(), candidates_most));
    const std::size_t cost = cost_of(element_, shapes_);
    std::optional<SlidingWindow> best;
    for (const std::uint32_t shape : latest_first) {
      auto window = window_of(by_shape[shape], cost);
      if (!window || window->cost_after + saved_least > cost) continue;
      if (4 * window->cost_after > 3 * cost) continue;
      if (!best || window->cost_after < best->cost_after) best = std::move(window);
    }
    return best ? best : still_window(cost);
  }

 private:
  // Whether the value can be kept in memory, which must represent it as registers do.
  [[nodiscard]] bool may_wait(Value v) {
    const ScalarType type = kernel_.value_types[v];
    const ShiftedValue& at = shapes_[v];
    return at.has_column && !at.is_linear && at.is_movable && type != ScalarType::f16 &&
           type != ScalarType::bf16 && !detail::is_bool(type);
  }

  // A function of the column alone that is worth a row of memory, the last one: a cosine of the
  // index, or what is read of a vector and computed for each row anew.
  std::optional<SlidingWindow> still_window(std::size_t cost) {
    if (kernel_.rank < 2) return {};
    std::set<Value> expensive;  // that are made by some such operation
    std::optional<Value> found;
    for (const Stmt& stmt : element_.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (!prim) continue;
      const Value v = stmt.results[0];
      const auto is_expensive = [&](Value arg) { return expensive.contains(arg); };
      if (is_still(v) &&
          (core::row(prim->op).expensive || std::ranges::any_of(prim->args, is_expensive)))
        expensive.insert(v);
      if (expensive.contains(v) && may_wait(v)) found = v;
    }
    if (!found) return {};
    SlidingWindow window{part({*found}, {}), part(element_.results, {*found}), {{0, 0}}};
    window.is_still = true;
    window.cost_before = cost;
    window.cost_after = 1 + cost_of(window.consumer, shapes_);
    return window;
  }

  // Whether it depends on no index but the column's.
  [[nodiscard]] bool is_still(Value v) {
    if (still_.empty())
      for (std::size_t axis = 0; axis + 1 < kernel_.rank; ++axis)
        still_.push_back(value_strides(kernel_, element_, axis));
    return std::ranges::all_of(
        still_, [&](const std::vector<Stride>& strides) { return strides[v] == Stride::zero; });
  }

  std::optional<SlidingWindow> window_of(const std::vector<Value>& values, std::size_t cost) {
    std::set<std::int64_t> rows, columns;
    for (const Value v : values) {
      rows.insert(shapes_[v].row);
      columns.insert(shapes_[v].column);
    }
    const auto reach = [](const std::set<std::int64_t>& all) {
      return *all.rbegin() - *all.begin() + 1;
    };
    SlidingWindow window;
    window.rows = reach(rows);
    window.columns = reach(columns);
    window.cost_before = cost;
    const bool is_full = window.rows == std::ssize(rows) && window.columns == std::ssize(columns) &&
                         window.rows * window.columns == std::ssize(values);
    if (!is_full || window.rows > rows_most || window.columns > columns_most) return {};
    const Value first = *std::ranges::find_if(values, [&](Value v) {
      return shapes_[v].row == *rows.begin() && shapes_[v].column == *columns.begin();
    });
    window.producer = part({first}, {});
    window.consumer = part(element_.results, values);
    for (const Value v : values)
      window.uses.push_back({shapes_[v].row - *rows.begin(), shapes_[v].column - *columns.begin()});
    window.cost_after =
        cost_of(window.producer, shapes_) + 1 + cost_of(window.consumer, shapes_) + values.size();
    return window;
  }

  // The code that computes the results from some given values.
  Region part(const std::vector<Value>& results, const std::vector<Value>& given) {
    Region region{element_.params, {}, results};
    const std::set<Value> known(given.begin(), given.end());
    for (const Stmt& stmt : element_.body)
      if (!known.contains(stmt.results[0])) region.body.push_back(stmt);
    passes::remove_dead_code(region, kernel_.value_types.size());
    region.params.insert(region.params.end(), given.begin(), given.end());
    return region;
  }

  const Kernel& kernel_;
  const Region& element_;
  ShiftedValues shapes_;
  std::vector<std::vector<Stride>> still_;  // by axis
};

}  // namespace

std::optional<SlidingWindow> find_sliding_window(const Kernel& map, const Region& element) {
  if (map.skeleton != Skeleton::map || has_reductions(element)) return {};
  return WindowFinder(map, element).run();
}

}  // namespace hasten::kernels
