// Looks at the element's own reads, at those of its reductions, and at those of its loops that
// count.
#include "backends/cpu/emit/rows/block_reads.hpp"

#include "core/traverse.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace hasten::backends::cpu {

using namespace core;

namespace {

/// A loop of the element: what runs in each round, and its counter.
struct Counted {
  const Region* body = nullptr;
  Value step = none, begin = none, end = none;
};

class ReadFinder {
 public:
  ReadFinder(const HoistingLevels& places, const kernels::Kernel& kernel, const Region& element)
      : places_(places),
        kernel_(kernel),
        element_(element) {}

  std::vector<BlockReads> run() {
    look_at(element_, {});
    for (const Stmt& stmt : element_.body)
      if (const auto loop = counted(stmt)) look_at(*loop->body, *loop);
    std::vector<BlockReads> result;
    for (auto& [array, loops] : found_) result.push_back({array, std::move(loops)});
    return result;
  }

 private:
  using Code = std::set<const Stmt*>;

  void look_at(const Region& body, const Counted& loop) {
    std::optional<Code> bounds = Code{};
    if (loop.body) bounds = code_of({loop.begin, loop.end}, nullptr);
    if (!bounds) return;
    std::map<std::uint32_t, std::pair<std::vector<const LoadLinear*>, Code>> of_body;
    for (const Stmt& stmt : body.body) {
      const auto* load = std::get_if<LoadLinear>(&stmt.op);
      if (!load || !differs(load->index) || detail::is_complex(kernel_.inputs[load->array]) ||
          !seen_.emplace(load->array, load->index).second)
        continue;
      const auto code = code_of({load->index}, loop.body);
      if (!code) continue;
      auto& [reads, all] = of_body[load->array];
      reads.push_back(load);
      all.insert(code->begin(), code->end());
    }
    for (const auto& [array, of_array] : of_body)
      found_[array].push_back({of_array.first, in_order(of_array.second, loop.body), loop.step,
                               loop.begin, loop.end, in_order(*bounds, nullptr)});
  }

  [[nodiscard]] bool differs(Value index) const {
    return places_[index].spread == Spread::varying && places_[index].level > lane_level;
  }

  // The code of the element, and of a loop's body if there is one, that computes values, if it is
  // made of operations on numbers only.
  [[nodiscard]] std::optional<Code> code_of(std::vector<Value> values, const Region* body) const {
    Code code;
    std::set<Value> needed(values.begin(), values.end());
    for (const Region* region : {body, &element_}) {
      if (!region) continue;
      for (auto it = region->body.rbegin(); it != region->body.rend(); ++it) {
        const bool is_needed =
            std::ranges::any_of(it->results, [&](Value v) { return needed.contains(v); });
        if (!is_needed) continue;
        const auto* prim = std::get_if<Prim>(&it->op);
        if (!prim && !std::holds_alternative<Constant>(it->op)) return std::nullopt;
        if (prim) needed.insert(prim->args.begin(), prim->args.end());
        code.insert(&*it);
      }
      // Other states of a loop are not known beforehand.
      if (region == body && !knows_params(*body, needed)) return std::nullopt;
    }
    return code;
  }

  [[nodiscard]] bool knows_params(const Region& body, const std::set<Value>& needed) const {
    return std::ranges::all_of(body.params,
                               [&](Value v) { return v == step_ || !needed.contains(v); });
  }

  [[nodiscard]] std::vector<const Stmt*> in_order(const Code& code, const Region* body) const {
    std::vector<const Stmt*> result;
    for (const Region* region : {&element_, body})
      if (region)
        for (const Stmt& stmt : region->body)
          if (code.contains(&stmt)) result.push_back(&stmt);
    return result;
  }

  // -- loops ------------------------------------------------------------------------------------

  // A reduction, or a loop by a counter that alone says how often it runs, if lanes and elements
  // agree on the range.
  std::optional<Counted> counted(const Stmt& stmt) {
    std::optional<Counted> loop;
    if (const auto* reduce = std::get_if<Reduce>(&stmt.op))
      loop = Counted{&reduce->element, reduce->element.params[0], reduce->begin, reduce->end};
    if (const auto* rounds = std::get_if<While>(&stmt.op)) loop = counting(*rounds);
    if (!loop || !is_same(loop->begin) || !is_same(loop->end) || places_.varying(loop->step))
      return std::nullopt;
    step_ = loop->step;
    return loop;
  }

  [[nodiscard]] bool is_same(Value v) const {
    return places_[v].spread == Spread::uniform && places_[v].level < lane_level;
  }

  // while (i < end) ..., i + 1
  [[nodiscard]] std::optional<Counted> counting(const While& loop) const {
    const Region& condition = loop.condition;
    if (condition.body.size() != 1) return std::nullopt;
    const auto* test = std::get_if<Prim>(&condition.body[0].op);
    if (!test || test->op != ScalarOp::lt || condition.results[0] != condition.body[0].results[0])
      return std::nullopt;
    const auto state = std::ranges::find(condition.params, test->args[0]);
    if (state == condition.params.end() ||
        std::ranges::find(condition.params, test->args[1]) != condition.params.end() ||
        kernel_.value_types[test->args[0]] != ScalarType::i64)
      return std::nullopt;
    const auto number = static_cast<std::size_t>(state - condition.params.begin());
    const Value step = loop.body.params[number];
    if (!is_next(loop.body, step, loop.body.results[number])) return std::nullopt;
    return Counted{&loop.body, step, loop.init[number], test->args[1]};
  }

  [[nodiscard]] bool is_next(const Region& body, Value step, Value next) const {
    return std::ranges::any_of(body.body, [&](const Stmt& stmt) {
      const auto* sum = std::get_if<Prim>(&stmt.op);
      return sum && stmt.results[0] == next && sum->op == ScalarOp::add && sum->args[0] == step &&
             is_one(sum->args[1]);
    });
  }

  [[nodiscard]] bool is_one(Value v) const {
    return std::ranges::any_of(element_.body, [&](const Stmt& stmt) {
      const auto* constant = std::get_if<Constant>(&stmt.op);
      return constant && stmt.results[0] == v && constant->bits.lo == 1;
    });
  }

  const HoistingLevels& places_;
  const kernels::Kernel& kernel_;
  const Region& element_;
  Value step_ = none;  // of the loop at hand
  std::set<std::pair<std::uint32_t, Value>> seen_;
  std::map<std::uint32_t, std::vector<LoopReads>> found_;  // by array
};

}  // namespace

std::vector<BlockReads> find_block_reads(const HoistingLevels& places,
                                         const kernels::Kernel& kernel, const Region& element) {
  return ReadFinder(places, kernel, element).run();
}

}  // namespace hasten::backends::cpu
