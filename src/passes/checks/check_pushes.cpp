// before: %1 = permute_covering %d %t %s ...
//         %2 = compute %1
// after:  %3 = generate [x0] (x1) { x2 = const 0 : i32; -> x2 }     x0: the extent of %d
//         %4 = map %t (x3, x4) { x5 = const 1 : i32; -> x5 }
//         %5 = permute %3 %t %4 (x6, x7) { x8 = add x6 x7; -> x8 }
//         %1 = permute_covering %d %t %s ...
//         %6 = map %5 (x9) { x10 = const 1 : i32; x11 = ne x9 x10; -> x11 }
//         x12 = ... no element of %6 holds ...
//         %7 = demand x12 [] %1 "..." of_elements
//         %2 = compute %7
#include "passes/checks/check_pushes.hpp"

#include "core/traverse.hpp"
#include "passes/checks/flags.hpp"

#include <hasten/detail/permute_mode.hpp>

#include <unordered_map>
#include <utility>

namespace hasten::passes {

using namespace core;

namespace {

constexpr ScalarType counter = ScalarType::i32;

class PushChecker {
 public:
  explicit PushChecker(Program& program) : program_(program) {}

  void run(Block& block) {
    std::vector<Binding> before = std::exchange(block.bindings, {});
    for (Binding& binding : before) {
      edit_blocks(binding.op, [&](Block& inner) { run(inner); });
      BlockWriter writer(program_, binding, block.bindings);
      if (const auto* permute = std::get_if<Permute>(&binding.op))
        count(*permute, binding.results[0], writer);
      if (auto* compute = std::get_if<Compute>(&binding.op)) demand_once(*compute, writer);
      block.bindings.push_back(std::move(binding));
    }
  }

 private:
  // How often each index is written, by the loops before this one and by this one.
  void count(const Permute& permute, ArrayId result, BlockWriter& writer) {
    if (permute.mode == detail::PermuteMode::combine) return;
    const auto begun = counts_.find(permute.defaults);
    if (permute.mode == detail::PermuteMode::unique && begun == counts_.end()) return;
    const bool is_first = permute.mode == detail::PermuteMode::covering;
    ArrayId counts = is_first ? zeros(permute.defaults, writer) : begun->second;
    for (const PermuteLoop& loop : permute.loops) counts = with_loop(counts, loop, writer);
    counts_[result] = counts;
  }

  ArrayId with_loop(ArrayId counts, const PermuteLoop& loop, BlockWriter& writer) {
    const std::size_t each = program_.array_types[loop.targets].leaves.size() / loop.writes;
    for (std::size_t write = 0; write < loop.writes; ++write) {
      const ArrayId targets = loop.writes == 1
                                  ? loop.targets
                                  : components(program_, writer, loop.targets, write * each, each);
      counts = added(counts, targets, writer);
    }
    return counts;
  }

  ArrayId zeros(ArrayId like, BlockWriter& writer) {
    const std::uint32_t rank = program_.array_types[like].rank;
    Generate fill;
    for (std::uint32_t axis = 0; axis < rank; ++axis)
      fill.extent.push_back(writer.host(ScalarType::i64, Extent{like, axis}));
    RegionWriter code(program_);
    code.parameters(std::vector<ScalarType>(rank, ScalarType::i64));
    fill.fn = code.take({code.constant(counter, {})});
    return writer.add({rank, {counter}}, std::move(fill));
  }

  ArrayId added(ArrayId counts, ArrayId targets, BlockWriter& writer) {
    const ArrayType target = program_.array_types[targets], type = program_.array_types[counts];
    RegionWriter one(program_);
    one.parameters(target.leaves);
    const ArrayId ones = writer.add({target.rank, {counter}},
                                    Map{one.take({one.constant(counter, {1, 0})}), targets});
    RegionWriter add(program_);
    const std::vector<Value> sides = add.parameters({counter, counter});
    return writer.add(
        type,
        Permute{add.take({add.prim(ScalarOp::add, counter, sides)}), counts, {{targets, ones}}});
  }

  void demand_once(Compute& compute, BlockWriter& writer) {
    const auto found = counts_.find(compute.source);
    if (found == counts_.end()) return;
    const ArrayType type = program_.array_types[compute.source];
    RegionWriter code(program_);
    const Value count = code.parameter(counter);
    const Value differs =
        code.prim(ScalarOp::ne, ScalarType::boolean, {count, code.constant(counter, {1, 0})});
    const ArrayId wrong =
        writer.add({type.rank, {ScalarType::boolean}}, Map{code.take({differs}), found->second});
    Demand demand{none_holds(program_, writer, wrong),
                  "the loops of a push array must write every index exactly once",
                  {},
                  compute.source,
                  true};
    compute.source = writer.add(type, std::move(demand));
  }

  Program& program_;
  std::unordered_map<ArrayId, ArrayId> counts_;  // of what loops have written so far
};

}  // namespace

Program check_pushes(Program program, Checks checks) {
  if (has(checks, Checks::bounds)) PushChecker(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
