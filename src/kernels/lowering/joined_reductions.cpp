// The later reduction moves to the place of the earlier one, before which all that it uses is
// known.
#include "kernels/lowering/joined_reductions.hpp"

#include "core/operators.hpp"
#include "core/traverse.hpp"

#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace hasten::kernels {

using namespace core;

namespace {

// More would wait in registers for each other's elements.
constexpr std::size_t leaves_max = 4, statements_max = 32;

// By value: the element's indices that it depends on, a bit for each.
std::vector<std::uint64_t> indices_of_values(const Kernel& kernel) {
  std::vector<std::uint64_t> indices(kernel.value_types.size());
  for (std::size_t axis = 0; axis < kernel.element.params.size(); ++axis)
    indices[kernel.element.params[axis]] = std::uint64_t{1} << axis;
  for (const Stmt& stmt : kernel.element.body) {
    std::uint64_t all = 0;
    for_each_use(stmt, [&](Value v) { all |= indices[v]; }, [](ArrayId) {});
    for (const Value v : stmt.results) indices[v] = all;
  }
  return indices;
}

bool is_free(const Reduce& reduce) { return lane_operator(reduce.combine).commutative; }

bool are_joint(const Reduce& a, const Reduce& b) {
  return a.begin == b.begin && a.end == b.end && a.seed.empty() == b.seed.empty() && is_free(a) &&
         is_free(b) && a.combine.results.size() + b.combine.results.size() <= leaves_max &&
         a.element.body.size() + b.element.body.size() <= statements_max;
}

bool uses_some(const Stmt& stmt, const std::set<Value>& values) {
  bool found = false;
  for_each_use(stmt, [&](Value v) { found = found || values.contains(v); }, [](ArrayId) {});
  return found;
}

void rename(Region& region, Value from, Value to) {
  const auto change = [&](Value& v) { v = v == from ? to : v; };
  for (Stmt& stmt : region.body) {
    edit_operands(stmt, change, [](ArrayId&) {});
    edit_regions(stmt, [&](Region& inner) { rename(inner, from, to); });
  }
  for (Value& v : region.results) change(v);
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// First the left leaves of both operators, then the right ones.
void join_operators(Region& into, Region&& other) {
  const auto half = [](Region& fn, bool second) {
    const auto middle = fn.params.begin() + std::ssize(fn.params) / 2;
    return second ? std::vector(middle, fn.params.end()) : std::vector(fn.params.begin(), middle);
  };
  std::vector<Value> params = half(into, false);
  append(params, half(other, false));
  append(params, half(into, true));
  append(params, half(other, true));
  into.params = std::move(params);
  append(into.body, std::move(other.body));
  append(into.results, std::move(other.results));
}

void join(Stmt& into, Stmt&& other) {
  auto& a = std::get<Reduce>(into.op);
  auto& b = std::get<Reduce>(other.op);
  rename(b.element, b.element.params[0], a.element.params[0]);
  append(a.element.body, std::move(b.element.body));
  append(a.element.results, std::move(b.element.results));
  join_operators(a.combine, std::move(b.combine));
  append(a.seed, std::move(b.seed));
  append(into.results, std::move(other.results));
}

// Joins later reductions with the one at `first`. A reduction of a row, which is made once for all
// of its elements, stays apart from one that each element makes.
bool join_with(std::vector<Stmt>& body, std::size_t first,
               const std::vector<std::uint64_t>& indices) {
  bool changed = false;
  std::set<Value> since(body[first].results.begin(), body[first].results.end());
  for (std::size_t i = first + 1; i < body.size(); ++i) {
    auto* reduce = std::get_if<Reduce>(&body[i].op);
    if (reduce && are_joint(std::get<Reduce>(body[first].op), *reduce) &&
        indices[body[i].results[0]] == indices[body[first].results[0]] &&
        !uses_some(body[i], since)) {
      join(body[first], std::move(body[i]));
      since.insert(body[first].results.begin(), body[first].results.end());
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i--));
      changed = true;
      continue;
    }
    since.insert(body[i].results.begin(), body[i].results.end());
  }
  return changed;
}

}  // namespace

bool join_reductions(Kernel& kernel) {
  bool changed = false;
  std::vector<Stmt>& body = kernel.element.body;
  const std::vector<std::uint64_t> indices = indices_of_values(kernel);
  for (std::size_t i = 0; i < body.size(); ++i)
    if (std::holds_alternative<Reduce>(body[i].op))
      changed = join_with(body, i, indices) || changed;
  return changed;
}

}  // namespace hasten::kernels
