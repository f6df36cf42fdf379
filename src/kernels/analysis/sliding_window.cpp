// Values are numbered up to shifts: two have one number if one of them, with the indices of the
// last two axes moved by constants, is the other.
#include "kernels/analysis/sliding_window.hpp"

#include "core/scalar_ops.hpp"
#include "core/traverse.hpp"
#include "kernels/stages.hpp"
#include "passes/dead_code.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace hasten::kernels {
namespace {

using namespace core;

constexpr std::int64_t rows_most = 16, columns_most = 32;
constexpr std::int64_t shift_most = 1 << 20;
constexpr std::size_t candidates_most = 32;
// What keeping values must save at least, of the reads and operations of an element.
constexpr std::size_t saved_least = 8;

/// A value is its shape with the indices moved so far. A shape without one of them does not move
/// along it.
struct Shifted {
  std::uint32_t shape = none;
  std::int64_t row = 0, column = 0;
  bool has_row = false, has_column = false;
  bool is_linear = false;  // the column's index and what has none: adding to it moves it
  bool is_movable = true;  // made of reads and operations alone
};

class Shapes {
 public:
  Shapes(const Kernel& kernel, const Region& element)
      : kernel_(kernel),
        of_(kernel.value_types.size()) {
    for (std::size_t axis = 0; axis < element.params.size(); ++axis)
      of_[element.params[axis]] = index(axis, element);
    for (const Stmt& stmt : element.body) place(stmt);
  }
  [[nodiscard]] const Shifted& operator[](Value v) {
    if (of_[v].shape == none) of_[v].shape = number({{free_value, v}});  // an argument
    return of_[v];
  }

 private:
  /// Operands, with how they are moved beside the first; then a kind, and what tells it from
  /// others.
  using Key = std::vector<std::array<std::int64_t, 3>>;
  enum Kind : std::int64_t { free_value, literal, read, operation };

  std::uint32_t number(const std::vector<std::pair<std::int64_t, std::int64_t>>& head,
                       Key operands = {}) {
    for (const auto& [a, b] : head) operands.push_back({a, b, 0});
    return numbers_.try_emplace(std::move(operands), static_cast<std::uint32_t>(numbers_.size()))
        .first->second;
  }

  Shifted index(std::size_t axis, const Region& element) {
    Shifted result{number({{free_value, element.params[axis]}})};
    const std::size_t rank = element.params.size();
    result.has_row = axis + 2 == rank;
    result.has_column = result.is_linear = axis + 1 == rank;
    return result;
  }

  void place(const Stmt& stmt) {
    if (const auto* constant = std::get_if<Constant>(&stmt.op)) return place(stmt, *constant);
    if (const auto* prim = std::get_if<Prim>(&stmt.op)) return place(stmt, *prim);
    if (const auto* load = std::get_if<LoadLinear>(&stmt.op)) {
      of_[stmt.results[0]] = made({{read, load->array}, {load->leaf, 0}}, {load->index}, false);
      return;
    }
    for (const Value v : stmt.results) {
      of_[v].shape = number({{free_value, v}});
      of_[v].is_movable = false;
    }
  }

  void place(const Stmt& stmt, const Constant& constant) {
    const Value v = stmt.results[0];
    of_[v].shape = number({{literal, static_cast<std::int64_t>(kernel_.value_types[v])},
                           {static_cast<std::int64_t>(constant.bits.lo),
                            static_cast<std::int64_t>(constant.bits.hi)}});
    if (kernel_.value_types[v] == ScalarType::i64)
      numbers_of_[v] = static_cast<std::int64_t>(constant.bits.lo);
  }

  void place(const Stmt& stmt, const Prim& prim) {
    const Value v = stmt.results[0];
    if (const auto moved = moved_index(prim)) {
      of_[v] = *moved;
      return;
    }
    const bool commutes = prim.op == ScalarOp::add || prim.op == ScalarOp::mul;
    of_[v] = made({{operation, static_cast<std::int64_t>(prim.op)},
                   {static_cast<std::int64_t>(kernel_.value_types[v]), 0}},
                  prim.args, commutes);
    if (prim.op != ScalarOp::add || kernel_.value_types[v] != ScalarType::i64) return;
    const Shifted &a = (*this)[prim.args[0]], &b = (*this)[prim.args[1]];
    of_[v].is_linear = (a.is_linear && !b.has_column) || (b.is_linear && !a.has_column);
  }

  // An index, or what it is added to, plus a number.
  std::optional<Shifted> moved_index(const Prim& prim) {
    if (prim.op != ScalarOp::add && prim.op != ScalarOp::sub) return {};
    for (const std::size_t i : {0U, 1U}) {
      const auto by = numbers_of_.find(prim.args[i]);
      if (by == numbers_of_.end() || (prim.op == ScalarOp::sub && i == 0)) continue;
      if (by->second > shift_most || by->second < -shift_most) continue;
      Shifted moved = (*this)[prim.args[1 - i]];
      const std::int64_t step = prim.op == ScalarOp::sub ? -by->second : by->second;
      if (moved.is_linear)
        moved.column += step;
      else if (moved.has_row && is_index(moved.shape))
        moved.row += step;
      else
        continue;
      return moved;
    }
    return {};
  }
  // Indices of the space have the first numbers.
  [[nodiscard]] bool is_index(std::uint32_t shape) const { return shape < kernel_.rank; }

  // Operands that may change places stand in one order.
  Shifted made(const std::vector<std::pair<std::int64_t, std::int64_t>>& head,
               const std::vector<Value>& args, bool commutes) {
    std::vector<Shifted> from;
    for (const Value arg : args) from.push_back((*this)[arg]);
    const auto order = [](const Shifted& a) { return std::tuple(a.shape, a.row, a.column); };
    if (commutes && order(from[1]) < order(from[0])) std::swap(from[0], from[1]);
    Shifted result;
    for (const Shifted& a : from) {
      if (a.has_row && !result.has_row) result.row = a.row;
      if (a.has_column && !result.has_column) result.column = a.column;
      result.has_row |= a.has_row;
      result.has_column |= a.has_column;
      result.is_movable &= a.is_movable;
    }
    Key operands;
    for (const Shifted& a : from)
      operands.push_back({a.shape, a.has_row ? a.row - result.row : 0,
                          a.has_column ? a.column - result.column : 0});
    result.shape = number(head, std::move(operands));
    return result;
  }

  const Kernel& kernel_;
  std::vector<Shifted> of_;
  std::map<Value, std::int64_t> numbers_of_;
  std::map<Key, std::uint32_t> numbers_;
};

/// Reads and operations that an element computes: what changes along its rows, sums of indices
/// aside.
std::size_t cost_of(const Region& region, Shapes& shapes) {
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
    return best;
  }

 private:
  // Numbers that memory holds as registers do.
  [[nodiscard]] bool may_wait(Value v) {
    const ScalarType type = kernel_.value_types[v];
    const Shifted& at = shapes_[v];
    return at.has_column && !at.is_linear && at.is_movable && type != ScalarType::f16 &&
           type != ScalarType::bf16 && !detail::is_bool(type);
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

  // The code of the results, given some values.
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
  Shapes shapes_;
};

}  // namespace

std::optional<SlidingWindow> find_sliding_window(const Kernel& map, const Region& element) {
  if (map.skeleton != Skeleton::map || has_reductions(element)) return {};
  return WindowFinder(map, element).run();
}

}  // namespace hasten::kernels
