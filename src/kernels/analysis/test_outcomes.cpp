// What is wanted, and what reads, spreads backwards from its use to the tests it is made of.
#include "kernels/analysis/test_outcomes.hpp"

#include "core/traverse.hpp"

#include <algorithm>

namespace hasten::kernels {

using namespace core;

namespace {

bool is_comparison(const Prim& prim) {
  return prim.args.size() == 2 && row(prim.op).signature == Signature::predicate;
}

bool reads(const Region& region) {
  return std::ranges::any_of(region.body, [](const Stmt& stmt) {
    bool some = std::holds_alternative<LoadLinear>(stmt.op);
    visit_regions(stmt, [&](const Region& inner) { some |= reads(inner); });
    return some;
  });
}

}  // namespace

WantedOutcomes::WantedOutcomes(const Region& element, std::size_t values)
    : varies_(values),
      wanted_(values),
      compared_(values) {
  varies_[element.params.back()] = true;
  spread(element);
  want(element);
}

bool WantedOutcomes::varies(const Stmt& stmt) const {
  bool result = false;
  for_each_use(stmt, [&](Value v) { result = result || varies_[v]; }, [](ArrayId) {});
  return result;
}

void WantedOutcomes::spread(const Region& region) {
  for (const Stmt& stmt : region.body) {
    const bool inner = varies(stmt);
    for (Value v : stmt.results) varies_[v] = inner;
    visit_regions(stmt, [&](const Region& r) {
      for (Value v : r.params) varies_[v] = inner;
      spread(r);
    });
  }
}

void WantedOutcomes::want(const Region& region) {
  for (auto stmt = region.body.rbegin(); stmt != region.body.rend(); ++stmt) {
    visit_regions(*stmt, [&](const Region& r) { want(r); });
    const auto* prim = std::get_if<Prim>(&stmt->op);
    const Value result = stmt->results.empty() ? none : stmt->results[0];
    const bool is_wanted = varies(*stmt) || (prim && joins_outcomes(*prim) && wanted_[result]);
    if (is_wanted) visit_operands(*stmt, [&](Value v) { wanted_[v] = true; }, [](ArrayId) {});
    if (prim &&
        ((is_comparison(*prim) && wanted_[result]) || (is_limit(*prim) && compared_[result])))
      for (const Value v : prim->args) compared_[v] = true;
  }
}

std::optional<bool> ReadingOutcomes::of(Value test) const {
  const auto found = outcomes_.find(test);
  return found == outcomes_.end() ? std::nullopt : std::optional(found->second);
}

void ReadingOutcomes::find(const Region& region) {
  for (auto stmt = region.body.rbegin(); stmt != region.body.rend(); ++stmt) {
    visit_regions(*stmt, [&](const Region& inner) { find(inner); });
    if (const auto* choice = std::get_if<If>(&stmt->op)) {
      const bool then_reads = reads(choice->then_);
      if (then_reads != reads(choice->else_)) outcomes_[choice->condition] = then_reads;
    }
    const auto* prim = std::get_if<Prim>(&stmt->op);
    const auto outcome = prim ? of(stmt->results[0]) : std::nullopt;
    if (!outcome) continue;
    if (prim->op == ScalarOp::not_) outcomes_[prim->args[0]] = !*outcome;
    if (prim->op == (*outcome ? ScalarOp::and_ : ScalarOp::or_))
      for (const Value test : prim->args) outcomes_[test] = *outcome;
  }
}

}  // namespace hasten::kernels
