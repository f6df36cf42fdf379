// The result of a compaction is cut again if its parts are uneven:
//   compact (join xs)  =>  join ys, where parts differ little from what shares say;
//                      =>  join (rows of ys, as many as shares say), where they do not
// Rows that belong to another device's share move there; others stay. That pays if much work is
// done with each kept row, so a result that is traversed only once stays where it is.
#include "passes/fission/rewriter.hpp"

#include "core/labels.hpp"
#include "core/traverse.hpp"

#include <algorithm>
#include <utility>

namespace hasten::passes::fission {

using namespace core;

namespace {

// How many rows more than its share a part may have: a quarter, and a number that no device
// notices.
constexpr std::int64_t more_than_share = 4, few_rows = 64;

bool has_loop(const Region& fn) {
  bool found = false;
  const auto visit = [&](const auto& self, const Region& region) -> void {
    for (const Stmt& stmt : region.body) {
      found = found || std::holds_alternative<While>(stmt.op);
      visit_regions(stmt, [&](const Region& inner) { self(self, inner); });
    }
  };
  visit(visit, fn);
  return found;
}

}  // namespace

// Whether an operation traverses the axis in each round of a loop, or has rows or loops for each
// index of it.
bool Rewriter::is_worked_on(Symbol axis, const Block& block, bool is_in_loop) const {
  const auto is_along = [&](ArrayId array) {
    const auto of = shapes_.of(array);
    return !of.empty() && shapes_.known(of[0], array) == shapes_.known(axis, array);
  };
  return std::ranges::any_of(block.bindings, [&](const Binding& binding) {
    bool found = false;
    const bool is_loop = std::holds_alternative<ArrayWhile>(binding.op);
    visit_blocks(binding.op, [&](const Block& inner) {
      found = found || is_worked_on(axis, inner, is_in_loop || is_loop);
    });
    if (found || std::holds_alternative<HostScalar>(binding.op)) return found;
    const Region* const fn = region_of(binding.op);
    return std::ranges::any_of(binding.results, [&](ArrayId result) {
      if (!is_along(result)) return false;
      return is_in_loop || from_.array_types[result].rank > 1 || (fn && has_loop(*fn));
    });
  });
}

// Arrays of one space are cut at the same places, such as several arrays compacted by one mask.
void Rewriter::define_kept(const Binding& binding, ArrayId kept, const Parts& parts) {
  const Kept cuts = cut_of_kept(kept, parts);
  define_parts(kept, cuts.as_made, parts);
  if (cuts.is_uneven == none) return;
  Parts evened = cut_again(binding, parts, cuts);
  forms_[kept].cuttings.push_back({cuts.named, std::move(evened), here(), true});
}

const Rewriter::Kept& Rewriter::cut_of_kept(ArrayId kept, const Parts& parts) {
  const Symbol axis = known(symbol(kept));
  const auto before = kept_.find(axis);
  if (before != kept_.end() && named_cut(axis) == before->second.named) return before->second;
  const Cut as_made = cut_of_made(parts);
  const bool may_move = !in_time() && is_worked_on(axis, from_.body, false);
  const Kept cuts = may_move ? cut_evenly(as_made) : Kept{as_made, as_made};
  name_cut(axis, cuts.named);
  return kept_[axis] = cuts;
}

// By the shares, if some part has many more rows than its share; else as the parts were made.
Rewriter::Kept Rewriter::cut_evenly(Cut as_made) {
  const std::vector<Value> at = cuts_[as_made].at, lengths = cuts_[as_made].lengths;
  std::vector<Value> points = points_of(at.back());
  BlockWriter code = writer();
  Value uneven = none;
  for (std::size_t k = 0; k < parts(); ++k) {
    const Value share = code.host(ScalarOp::sub, points[k + 1], points[k]);
    const Value more = code.host(ScalarOp::quot, share, code.number(more_than_share));
    const Value most =
        code.host(ScalarOp::add, code.host(ScalarOp::add, share, more), code.number(few_rows));
    const Value here = code.host(ScalarType::boolean, Prim{ScalarOp::lt, {most, lengths[k]}});
    uneven =
        uneven == none ? here : code.host(ScalarType::boolean, Prim{ScalarOp::or_, {uneven, here}});
  }
  for (std::size_t k = 1; k < parts(); ++k)
    points[k] = code.host(ScalarType::i64, Prim{ScalarOp::select, {uneven, points[k], at[k]}});
  return {as_made, add_cut(std::move(points)), uneven};
}

// Parts as made, cut again as named. Nothing is done unless rows move.
Rewriter::Parts Rewriter::cut_again(const Binding& binding, const Parts& given, const Kept& cuts) {
  const ArrayType type = to_.array_types[given[0]];
  ArrayIf branch{cuts.is_uneven, {}, {}};
  Binding like = binding;
  like.operation = labelled(cut_again_name, binding.operation);
  const Binding* const outer = std::exchange(like_, &like);
  begin_block(branch.then_);
  std::vector<Parts> pieces(parts(), Parts(parts()));  // by target part, then by source part
  for (const std::size_t j : order_)
    for (std::size_t k = 0; k < parts(); ++k)
      pieces[k][j] = piece(given[j], cuts.as_made, j, cuts.named, k);
  Parts evened(parts());
  for (const std::size_t k : order_) evened[k] = make(like, type, Concat{0, pieces[k], false}, k);
  branch.then_.results = evened;
  end_block();
  like_ = outer;
  branch.else_.results = given;
  Binding result = binding;
  result.results.clear();
  for (ArrayId& part : evened) {
    part = to_.new_array(type);
    result.results.push_back(part);
  }
  result.op = std::move(branch);
  scopes_.back().out->push_back(std::move(result));
  return evened;
}

// The rows of part j of one cut that are in part k of the other. Not inlined into the target.
ArrayId Rewriter::piece(ArrayId part, Cut from, std::size_t j, Cut to, std::size_t k) {
  BlockWriter code = writer();
  const Value begin = cuts_[from].at[j], end = cuts_[from].at[j + 1];
  const auto local = [&](Value row) {
    const Value clamped = code.host(ScalarOp::min, end, code.host(ScalarOp::max, row, begin));
    return code.host(ScalarOp::sub, clamped, begin);
  };
  const Value first = local(cuts_[to].at[k]);
  const Value count = code.host(ScalarOp::sub, local(cuts_[to].at[k + 1]), first);
  const ArrayId rows = rows_of_part(part, j, first, count);
  return make(*like_, to_.array_types[part], Compute{rows}, j);
}

}  // namespace hasten::passes::fission
