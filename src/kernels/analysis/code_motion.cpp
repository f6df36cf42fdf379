// Levels are a maximum over uses. What is computed again is chosen by counts alone.
#include "kernels/analysis/code_motion.hpp"

#include "core/scalar_ops.hpp"
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

/// How a value is made before the loop by plain operations that serve nothing else.
struct Made {
  std::vector<Value> steps;  // itself last
  std::set<Value> from;      // literals aside
};

/// One region whose last parameter is the index of the inner loop.
class InnerLoop {
 public:
  InnerLoop(const Kernel& kernel, const Region& region) : kernel_(kernel), levels_(kernel) {
    std::vector<std::uint8_t> levels(region.params.size(), 0);
    levels.back() = 1;
    levels_.enter(region.params, levels);
    for (const Stmt& stmt : region.body) count_uses(stmt);
    for (const Value v : region.results) use(v, true);
    for (const Stmt& stmt : region.body) note_made(stmt);
  }

  /// What the loop uses and does not compute, literals aside.
  [[nodiscard]] std::size_t held() const { return used_inside_.size(); }

  /// Values with the steps to them, the cheapest first, until no more are held than should be.
  [[nodiscard]] std::vector<Value> too_many() const {
    std::vector<const Made*> candidates = cheap();
    std::ranges::stable_sort(candidates, {}, [](const Made* made) { return made->steps.size(); });
    std::vector<Value> all;
    std::set<Value> holds = used_inside_;
    for (const Made* made : candidates) {
      if (holds.size() <= held_values_most) break;
      holds.erase(made->steps.back());
      holds.insert(made->from.begin(), made->from.end());
      all.insert(all.end(), made->steps.begin(), made->steps.end());
    }
    return all;
  }

 private:
  void use(Value v, bool is_inside) {
    if (levels_[v] > 0 || literals_.contains(v)) return;
    if (is_inside)
      used_inside_.insert(v);
    else
      ++uses_before_[v];
  }

  void count_uses(const Stmt& stmt) {
    if (std::holds_alternative<Constant>(stmt.op)) literals_.insert(stmt.results[0]);
    const bool is_inside = levels_.place(stmt) > 0;
    for_each_use(stmt, [&](Value v) { use(v, is_inside); }, [](ArrayId) {});
  }

  void note_made(const Stmt& stmt) {
    const auto* prim = std::get_if<Prim>(&stmt.op);
    if (!prim || levels_[stmt.results[0]] > 0 || !is_plain(*prim, stmt.results[0])) return;
    Made made;
    for (const Value arg : prim->args) {
      if (literals_.contains(arg)) continue;
      const auto before = made_.find(arg);
      if (before == made_.end() || used_inside_.contains(arg) || uses_before_.at(arg) > 1) {
        made.from.insert(arg);
        continue;
      }
      const Made& other = before->second;
      made.steps.insert(made.steps.end(), other.steps.begin(), other.steps.end());
      made.from.insert(other.from.begin(), other.from.end());
    }
    made.steps.push_back(stmt.results[0]);
    made_[stmt.results[0]] = std::move(made);
  }

  // 16-bit floats are rounded after each operation.
  [[nodiscard]] bool is_plain(const Prim& prim, Value result) const {
    const auto is_short_float = [&](Value v) {
      const ScalarType type = kernel_.value_types[v];
      return type == ScalarType::f16 || type == ScalarType::bf16;
    };
    return !row(prim.op).expensive && !row(prim.op).partial && !is_short_float(result) &&
           std::ranges::none_of(prim.args, is_short_float);
  }

  // Of what is held for the loop alone: what few operations make of other values that are held, or
  // of one more that several need.
  [[nodiscard]] std::vector<const Made*> cheap() const {
    std::vector<const Made*> found;
    std::map<Value, unsigned> needed_by;
    for (const Value v : used_inside_) {
      const auto made = made_.find(v);
      if (made == made_.end() || uses_before_.contains(v) ||
          made->second.steps.size() > recomputed_operations_most)
        continue;
      found.push_back(&made->second);
      for (const Value source : made->second.from) ++needed_by[source];
    }
    std::erase_if(found, [&](const Made* made) {
      const auto is_missing = [&](Value v) { return !used_inside_.contains(v); };
      const auto missing = std::ranges::count_if(made->from, is_missing);
      return missing > 1 || std::ranges::any_of(made->from, [&](Value v) {
               return is_missing(v) && needed_by[v] == 1;
             });
    });
    return found;
  }

  const Kernel& kernel_;
  LoopLevels levels_;
  std::set<Value> literals_, used_inside_;
  std::map<Value, unsigned> uses_before_;
  std::map<Value, Made> made_;
};

// The regions that are run for each element, in a loop.
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
    text += fmt::format(
        "; {} cheap operations are computed again in it, for more than {} would be held",
        kernel.recomputed.size(), held_values_most);
  return text;
}

}  // namespace hasten::kernels
