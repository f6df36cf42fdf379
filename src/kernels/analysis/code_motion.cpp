// A value's level is the maximum over its operands. Counts alone decide what is recomputed.
#include "kernels/analysis/code_motion.hpp"

#include "core/traverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace hasten::kernels {

using namespace core;

void LoopLevels::enter(std::span<const Value> params, std::span<const std::uint8_t> levels) {
  deepest_ = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    level_[params[i]] = levels[i];
    deepest_ = std::max(deepest_, levels[i]);
  }
}

std::uint8_t LoopLevels::place(const Stmt& stmt) {
  // Names defined inside the statement are still at level 0 and do not raise it.
  std::uint8_t level = 0;
  for_each_use(stmt, [&](Value v) { level = std::max(level, level_[v]); }, [](ArrayId) {});
  for (const Value v : stmt.results)
    if (recomputed_[v]) level = deepest_;
  const auto raise = [&](Value v) { level_[v] = level; };
  for (const Value v : stmt.results) raise(v);
  visit_regions(stmt, [&](const Region& inner) { for_each_definition(inner, raise); });
  return level;
}

namespace {

/// One region, whose last parameter is the index of the inner loop.
class InnerLoop {
 public:
  InnerLoop(const Kernel& kernel, const Region& region) : kernel_(kernel), levels_(kernel) {
    std::vector<std::uint8_t> levels(region.params.size(), 0);
    levels.back() = 1;
    levels_.enter(region.params, levels);
    for (const Stmt& stmt : region.body) look(stmt);
    for (const Value v : region.results) use(v, Use::of_any_kind);
  }

  /// What the loop uses without computing it, literals aside.
  [[nodiscard]] std::size_t held() const { return used_inside_.size(); }

  /// Places at a fixed distance from another value, until no more values are held than should be.
  [[nodiscard]] std::vector<Value> too_many() const {
    std::map<Value, unsigned> needed_by;
    for (const auto& [place, from] : moved_)
      if (is_only_a_place(place)) ++needed_by[from];
    std::set<Value> holds = used_inside_;
    std::vector<Value> all;
    for (const auto& [place, from] : moved_) {
      if (holds.size() <= held_values_most) break;
      const bool gains = used_inside_.contains(from) || needed_by[from] > 1;
      if (!is_only_a_place(place) || !gains) continue;
      holds.erase(place);
      holds.insert(from);
      all.push_back(place);
    }
    return all;
  }

 private:
  enum class Use : std::uint8_t { before, of_any_kind, as_place };

  void use(Value v, Use how) {
    if (levels_[v] > 0 || literals_.contains(v)) return;
    if (how != Use::before) used_inside_.insert(v);
    if (how != Use::as_place) used_otherwise_.insert(v);
  }

  void look(const Stmt& stmt) {
    if (std::holds_alternative<Constant>(stmt.op)) literals_.insert(stmt.results[0]);
    const bool is_inside = levels_.place(stmt) > 0;
    const auto* prim = std::get_if<Prim>(&stmt.op);
    const bool adds = prim && prim->op == ScalarOp::add &&
                      kernel_.value_types[stmt.results[0]] == ScalarType::i64;
    const Use how = !is_inside ? Use::before : adds ? Use::as_place : Use::of_any_kind;
    for_each_use(stmt, [&](Value v) { use(v, how); }, [](ArrayId) {});
    if (is_inside || !adds) return;
    for (const std::size_t i : {0U, 1U})
      if (literals_.contains(prim->args[i])) moved_[stmt.results[0]] = prim->args[1 - i];
  }

  [[nodiscard]] bool is_only_a_place(Value v) const {
    return used_inside_.contains(v) && !used_otherwise_.contains(v);
  }

  const Kernel& kernel_;
  LoopLevels levels_;
  std::set<Value> literals_, used_inside_, used_otherwise_;
  std::map<Value, Value> moved_;  // a value plus a number
};

// The regions that run in a loop, once per element.
std::vector<const Region*> loops_of(const Kernel& kernel) {
  std::vector<const Region*> all;
  const auto add = [&](const Region& element, const std::optional<Interior>& interior) {
    all.push_back(&element);
    if (interior) all.push_back(&interior->element);
  };
  for (const Loop& loop : kernel.loops) add(loop.element, loop.interior);
  if (kernel.loops.empty()) add(kernel.element, kernel.interior);
  return all;
}

}  // namespace

void choose_recomputed(Kernel& kernel) {
  kernel.recomputed.clear();
  std::vector<Value> chosen;
  for (const Region* region : loops_of(kernel)) {
    const std::vector<Value> some = InnerLoop(kernel, *region).too_many();
    chosen.insert(chosen.end(), some.begin(), some.end());
  }
  std::ranges::sort(chosen);
  kernel.recomputed = std::move(chosen);
}

std::string describe_code_motion(const Kernel& kernel) {
  std::size_t held = 0;
  for (const Region* region : loops_of(kernel))
    held = std::max(held, InnerLoop(kernel, *region).held());
  if (held == 0) return {};
  std::string text =
      fmt::format("{} value{} held across the inner loop", held, held > 1 ? "s" : "");
  if (!kernel.recomputed.empty())
    text += fmt::format(", {} more would be: places, to which reads add numbers in it",
                        kernel.recomputed.size());
  return text;
}

}  // namespace hasten::kernels
