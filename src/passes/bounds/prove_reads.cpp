// One walk in program order over all functions that read.
#include "passes/bounds/prove_reads.hpp"

#include "core/traverse.hpp"
#include "passes/bounds/index_values.hpp"
#include "passes/walk.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;
using Side = Inequalities::Side;

bool is_open(const Stmt& stmt) {
  if (const auto* load = std::get_if<Load>(&stmt.op))
    return load->inside != all_axes(load->index.size());
  const auto* linear = std::get_if<LoadLinear>(&stmt.op);
  return linear && !linear->inside;
}

// Excludes updates that combine: there, the test of targets in range also selects the part of
// the results.
bool has_open_targets(const Binding& binding) {
  const auto* permute = std::get_if<Permute>(&binding.op);
  return permute && permute->mode != detail::PermuteMode::combine &&
         !std::ranges::all_of(permute->loops, &PermuteLoop::inside);
}

bool has_open_reads(Program& program) {
  bool result = false;
  for_each_region(program.body, [&](Region& region) {
    result = result || std::ranges::any_of(region.body, is_open);
  });
  for_each_block(program.body, [&](Block& block) {
    for (const Binding& binding : block.bindings) {
      const auto* permuted = std::get_if<Backpermute>(&binding.op);
      result = result || std::holds_alternative<Slice>(binding.op) || has_open_targets(binding) ||
               (permuted && permuted->inside != all_axes(permuted->fn.results.size()));
    }
  });
  return result;
}

class ReadProver {
 public:
  explicit ReadProver(Program& program)
      : program_(program),
        shapes_(program),
        values_(program, shapes_),
        leaves_(program.array_types.size()) {}

  void run(Block& block) {
    for (Binding& binding : block.bindings) {
      edit_blocks(binding.op, [&](Block& inner) {
        run(inner);
        values_.leave_block();
      });
      if (!binding.results.empty()) visit(binding);
    }
  }

 private:
  // What is known of a component of an array's elements, in numbers defined before the array.
  using Leaf = std::optional<Inequalities::Bounds>;

  void visit(Binding& binding) {
    const ArrayId result = binding.results[0];
    values_.stand_at(result);
    const std::size_t facts = values_.inequalities.facts();
    // A function runs only where its array has elements.
    std::vector<Sum> extents;
    for (std::uint32_t axis = 0; axis < program_.array_types[result].rank; ++axis)
      extents.push_back(values_.of_extent(result, axis));
    const bool runs_by_element =
        is_one_of<Generate, GenerateSegments, Map, ZipWith, Backpermute, Slice>(binding.op);
    for (const Sum& extent : extents)
      if (runs_by_element)
        values_.inequalities.assume_not_negative(extent.plus(Sum::of_number(-1)));
    const Unknown oldest = values_.inequalities.next();
    function(binding, extents);
    note_leaves(binding, oldest);
    values_.inequalities.forget(facts);
  }

  void function(Binding& binding, const std::vector<Sum>& extents) {
    if (auto* slice = std::get_if<Slice>(&binding.op)) return read(*slice);
    Region* const fn = region_of(binding.op);
    if (!fn) return;
    if (is_one_of<Generate, Backpermute>(binding.op))
      for (std::size_t axis = 0; axis < extents.size(); ++axis)
        values_.define_index(fn->params[axis], extents[axis]);
    if (const auto* segments = std::get_if<GenerateSegments>(&binding.op)) {
      const Sum offsets = values_.of_extent(segments->offsets, 0);
      if (const auto count = offsets.plus(Sum::of_number(-1)))
        values_.define_index(fn->params[0], *count);
      values_.define_index(fn->params[1], extents[0]);
    }
    if (const auto* map = std::get_if<Map>(&binding.op)) define_leaves(fn->params, {{map->source}});
    if (const auto* zip = std::get_if<ZipWith>(&binding.op))
      define_leaves(fn->params, zip->sources);
    walk(*fn);
    if (has_open_targets(binding)) {
      for (PermuteLoop& loop : std::get<Permute>(binding.op).loops)
        loop.inside = loop.inside || are_inside(loop, binding.results[0]);
    }
    if (auto* permuted = std::get_if<Backpermute>(&binding.op)) {
      permuted->inside |= inside(permuted->source, fn->results);
      permuted->some = has_elements(permuted->source, permuted->inside);
    }
  }

  // -- elements as indices ------------------------------------------------------------------------

  void define_leaves(std::span<const Value> params, std::span<const ArrayId> sources) {
    std::size_t next = 0;
    for (const ArrayId source : sources)
      for (std::uint32_t leaf = 0; leaf < program_.array_types[source].leaves.size(); ++leaf)
        define(params[next++], source, leaf);
  }

  void define(Value value, ArrayId array, std::uint32_t leaf) {
    if (!values_.is_index(value) || leaf >= leaves_[array].size() || !leaves_[array][leaf]) return;
    values_.define(value, *leaves_[array][leaf]);
  }

  void note_leaves(const Binding& binding, Unknown oldest) {
    const ArrayId result = binding.results[0];
    match(
        binding.op,
        [&](const OneOf<Generate, GenerateSegments, Map, ZipWith> auto& op) {
          for (const Value value : op.fn.results) leaves_[result].push_back(leaf_of(value, oldest));
        },
        [&](const OneOf<Reshape, Replicate, Rows, Demand, Compute> auto& op) {
          leaves_[result] = leaves_[op.source];
        },
        // Where every index is in range no element is the 0 of an empty array.
        [&](const Backpermute& op) {
          if (op.some) leaves_[result] = leaves_[op.source];
        },
        [&](const Slice& op) {
          if (op.some) leaves_[result] = leaves_[op.source];
        },
        [&](const Compact& op) {
          for (const ArrayId each : binding.results) leaves_[each] = leaves_[op.source];
        },
        [&](const SortPositions& op) {
          for (std::size_t i = 0; i < op.carried.size(); ++i)
            leaves_[binding.results[1 + i]] = leaves_[op.carried[i]];
          if (op.at_heads || op.first != none) return;  // elsewhere anything
          const std::uint32_t last_axis = program_.array_types[result].rank - 1;
          Inequalities::Bounds bounds{{{Sum()}}, {}, {}};
          if (auto last = values_.of_extent(result, last_axis).plus(Sum::of_number(-1)))
            bounds.at_most.push_back({*last});
          leaves_[result] = {std::move(bounds)};
        },
        [](const OneOf<HostScalar, Use, Input, Unit, Fold, FoldSegments, Scan, Permute, Concat,
                       ArrayIf, ArrayWhile, ForeignArrays> auto&) {});
  }

  Leaf leaf_of(Value value, Unknown oldest) {
    if (!values_.is_index(value)) return {};
    const Sum sum = values_.exact(value);
    Inequalities::Bounds bounds;
    if (auto least = values_.inequalities.bound(sum, Side::at_least, oldest))
      bounds.at_least.push_back({*least});
    if (auto most = values_.inequalities.bound(sum, Side::at_most, oldest))
      bounds.at_most.push_back({*most});
    if (bounds.at_least.empty() && bounds.at_most.empty()) return {};
    return bounds;
  }

  // -- functions ----------------------------------------------------------------------------------

  void walk(Region& region) {
    for (Stmt& stmt : region.body)
      match(
          stmt.op, [&](OneOf<Constant, Prim, Extent> auto&) { values_.define(stmt); },
          [&](If& op) { branch(stmt, op); }, [&](While& op) { loop(stmt, op); },
          [&](Load& op) { read(stmt, op); }, [&](LoadLinear& op) { read(op); },
          [&](ForeignCall& op) { walk(op.fallback); }, [](OneOf<Reduce, Extract, Insert> auto&) {});
  }

  void branch(const Stmt& stmt, If& branch) {
    under(branch.condition, true, [&] { walk(branch.then_); });
    under(branch.condition, false, [&] { walk(branch.else_); });
    for (std::size_t i = 0; i < stmt.results.size(); ++i)
      values_.define_either(stmt.results[i], branch.then_.results[i], branch.else_.results[i]);
    if (stmt.results.size() == 1) values_.define_condition(stmt.results[0], branch);
  }

  void under(Value condition, bool holds, FunctionRef<void()> f) {
    const std::size_t facts = values_.inequalities.facts();
    values_.assume(condition, holds);
    f();
    values_.inequalities.forget(facts);
  }

  // The state is the same in the condition and in the body, where the condition holds.
  void loop(const Stmt& stmt, While& loop) {
    for (std::size_t i = 0; i < loop.init.size(); ++i) {
      if (!values_.is_index(loop.init[i])) continue;
      const Value state = loop.body.params[i];
      const std::optional<std::int64_t> step = step_of(loop.body, i);
      if (step == 0) {
        values_.define_as(state, values_.of(loop.init[i]));
        values_.define_as(stmt.results[i], values_.of(loop.init[i]));
      } else if (step) {
        values_.define_counter(state, loop.init[i], *step);
      }
      values_.define_as(loop.condition.params[i], values_.of(state));
    }
    walk(loop.condition);
    under(loop.condition.results[0], true, [&] { walk(loop.body); });
  }

  // What a round adds to this part of the state; nothing unless that is a small number.
  std::optional<std::int64_t> step_of(const Region& body, std::size_t part) {
    const Value before = body.params[part], after = body.results[part];
    if (before == after) return 0;
    for (const Stmt& stmt : body.body) {
      if (std::holds_alternative<Constant>(stmt.op)) values_.define(stmt);
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (!prim || stmt.results[0] != after || prim->args.size() != 2) continue;
      const bool adds = prim->op == ScalarOp::add, takes = prim->op == ScalarOp::sub;
      const bool is_first = prim->args[0] == before;
      if (!(is_first && takes) && !(adds && (is_first || prim->args[1] == before))) continue;
      const Sum by = values_.of(prim->args[is_first ? 1 : 0]);
      if (!by.is_number() || std::abs(by.number()) > IndexValues::step_max) return std::nullopt;
      return takes ? -by.number() : by.number();
    }
    return std::nullopt;
  }

  // -- reads --------------------------------------------------------------------------------------

  void read(const Stmt& stmt, Load& load) {
    load.inside |= inside(load.array, load.index);
    load.some = load.some || has_elements(load.array, load.inside);
    if (load.some) define(stmt.results[0], load.array, load.leaf);
  }

  void read(LoadLinear& load) {
    if (load.inside || program_.array_types[load.array].rank != 1) return;
    load.inside = is_inside(load.array, 0, load.index);
  }

  void read(Slice& slice) {
    std::vector<Value> fixed = slice.axes;
    for (std::uint32_t axis = 0; axis < fixed.size(); ++axis)
      if (fixed[axis] != none && is_inside(slice.source, axis, fixed[axis]))
        slice.inside |= AxisSet{1} << axis;
    AxisSet known = slice.inside;
    for (std::uint32_t axis = 0; axis < fixed.size() && axis < 32; ++axis)
      if (fixed[axis] == none) known |= AxisSet{1} << axis;
    slice.some = has_elements(slice.source, known);
  }

  AxisSet inside(ArrayId array, std::span<const Value> index) {
    AxisSet result = 0;
    for (std::uint32_t axis = 0; axis < index.size() && axis < 32; ++axis)
      if (is_inside(array, axis, index[axis])) result |= AxisSet{1} << axis;
    return result;
  }

  bool is_inside(ArrayId array, std::uint32_t axis, Value index) {
    return is_inside(array, axis, values_.of(index));
  }
  bool is_inside(ArrayId array, std::uint32_t axis, const Sum& sum) {
    if (!values_.inequalities.is_never_negative(sum)) return false;
    const auto last = values_.of_extent(array, axis).plus(Sum::of_number(-1));
    const auto left = last ? last->plus(sum, -1) : std::nullopt;
    return left && values_.inequalities.is_never_negative(*left);
  }

  // Targets have, for each write, whether it takes place and then a number for each axis.
  bool are_inside(const PermuteLoop& loop, ArrayId result) {
    const std::uint32_t rank = program_.array_types[result].rank;
    const std::vector<Leaf>& known = leaves_[loop.targets];
    for (std::uint32_t write = 0; write < loop.writes; ++write)
      for (std::uint32_t axis = 0; axis < rank; ++axis) {
        const std::uint32_t leaf = write * (1 + rank) + 1 + axis;
        if (leaf >= known.size() || !known[leaf]) return false;
        if (!is_inside(result, axis, values_.of_bounds(*known[leaf]))) return false;
      }
    return true;
  }

  // An index in range shows that there are elements along its axis.
  bool has_elements(ArrayId array, AxisSet inside) {
    for (std::uint32_t axis = 0; axis < program_.array_types[array].rank; ++axis) {
      if (contains(inside, axis)) continue;
      const auto others = values_.of_extent(array, axis).plus(Sum::of_number(-1));
      if (!others || !values_.inequalities.is_never_negative(*others)) return false;
    }
    return true;
  }

  Program& program_;
  const Shapes shapes_;
  IndexValues values_;
  std::vector<std::vector<Leaf>> leaves_;  // by ArrayId
};

}  // namespace

Program prove_reads(Program program) {
  if (has_open_reads(program)) ReadProver(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
