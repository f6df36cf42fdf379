// Walks backward from each array that reaches memory, consumers before producers, and finds which
// arrays nobody else uses, and at which index they are used. A fold may be delayed where it is used
// once per row, or, within a fold, once per element.
#include "passes/stages.hpp"

#include "core/scalar_ops.hpp"
#include "passes/walk.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace hasten::passes {
namespace {

using namespace core;

// The most operations of an element computed twice, once to be folded and once for the result.
constexpr int repeated_operations_max = 32;
constexpr std::size_t evaluations_max = 2;
constexpr int cheap_operations_max = 6;
// The most arrays considered for one kernel.
constexpr std::size_t group_max = 200;

/// By index, the axis along which it runs: of the kernel's space or, from `folded` on, of a fold.
using Index = std::vector<std::uint32_t>;
constexpr std::uint32_t folded = 1000;

struct Uses {
  std::size_t structural = 0;  // as an operand of operations of its own block
  bool must = false;           // it reaches memory whatever becomes of it
  bool scattered = false;      // read at computed indices, or from another block
  bool repeated = false;       // elements are used several times, or in another order
};

struct Work {
  int operations = 0;
  bool expensive = false, loops = false;
};

Work work_of(Region& fn) {
  Work work;
  for_each_region(fn, [&](Region& region) {
    for (const Stmt& stmt : region.body) {
      const auto* prim = std::get_if<Prim>(&stmt.op);
      if (prim) ++work.operations;
      work.expensive |= prim && row(prim->op).expensive;
      work.loops |=
          std::holds_alternative<While>(stmt.op) || std::holds_alternative<ForeignCall>(stmt.op) ||
          std::holds_alternative<Load>(stmt.op) || std::holds_alternative<LoadLinear>(stmt.op);
    }
  });
  return work;
}

/// Maps an element at an index to elements of its sources at known indices.
bool is_transparent(const ArrayOp& op) { return is_one_of<Map, ZipWith, Replicate, Demand>(op); }

/// A fold of one axis, in any order: a stage is folded in lanes.
bool is_stage(const ArrayOp& op) {
  const auto* fold = std::get_if<Fold>(&op);
  return fold && fold->axes == 1 && !fold->in_order;
}

bool is_control(const ArrayOp& op) {
  return is_one_of<HostScalar, ArrayIf, ArrayWhile, ForeignArrays>(op);
}

class StageFinder {
 public:
  explicit StageFinder(Program& program)
      : program_(program),
        uses_(program.array_types.size()),
        places_(program.array_types.size()),
        reaches_(program.array_types.size()) {}

  void run(Block& block) {
    survey(block);
    visit(block);
  }

 private:
  /// The place of a binding.
  struct Place {
    const Block* block = nullptr;
    std::size_t at = 0;
    std::uint32_t device = none;
  };
  /// The operations through which a fold can be reached.
  struct Reach {
    bool at_same_index = false, along_rows = false;
  };

  // -- who uses what ----------------------------------------------------------------------------

  void survey(Block& block) {
    for (ArrayId a : block.params) places_[a] = {&block, 0};
    for (std::size_t at = 0; at < block.bindings.size(); ++at) {
      Binding& binding = block.bindings[at];
      for (ArrayId a : binding.results) places_[a] = {&block, at, binding.device};
      survey(binding, block);
      edit_blocks(binding.op, [&](Block& inner) { survey(inner); });
    }
    for (ArrayId a : block.results) uses_[a].must = true;
  }

  void survey(Binding& binding, const Block& block) {
    if (auto* scalar = std::get_if<HostScalar>(&binding.op)) {
      note_reads(scalar->stmt, [&](ArrayId a) { uses_[a].must = true; });
      return;
    }
    const bool keeps =
        is_control(binding.op) || is_one_of<Compute, SortPositions, GenerateSegments>(binding.op);
    const bool repeats =
        is_one_of<Replicate, Backpermute, Scan, FoldSegments, Permute, Concat>(binding.op);
    visit_operands(
        binding.op, [](Value) {},
        [&](ArrayId a) {
          Uses& uses = uses_[a];
          ++uses.structural;
          uses.must |= keeps;
          uses.repeated |= repeats;
          uses.scattered |= places_[a].block != &block || places_[a].device != binding.device;
        });
    if (Region* fn = region_of(binding.op))
      for (Stmt& stmt : fn->body) note_reads(stmt, [&](ArrayId a) { uses_[a].scattered = true; });
    if (is_control(binding.op) || binding.results.empty()) return;
    reaches_[binding.results[0]] = reach_of(binding.op);
  }

  static void note_reads(Stmt& stmt, FunctionRef<void(ArrayId)> note) {
    if (auto* load = std::get_if<Load>(&stmt.op)) note(load->array);
    if (auto* load = std::get_if<LoadLinear>(&stmt.op)) note(load->array);
    edit_regions(stmt, [&](Region& region) {
      for (Stmt& inner : region.body) note_reads(inner, note);
    });
  }

  [[nodiscard]] Reach reach_of(const ArrayOp& op) const {
    if (is_stage(op)) return {true, false};
    Reach reach;
    if (!is_transparent(op)) return reach;
    visit_operands(
        op, [](Value) {},
        [&](ArrayId a) {
          reach.at_same_index |= reaches_[a].at_same_index;
          reach.along_rows |= reaches_[a].along_rows;
        });
    const auto* replicate = std::get_if<Replicate>(&op);
    if (!replicate) return reach;
    const bool inner = !replicate->axes.empty() && replicate->axes.back() != none;
    return {false, reach.along_rows || (inner && reach.at_same_index)};
  }

  // -- groups ------------------------------------------------------------------------------------

  struct Group {
    std::vector<Binding*> members;
    Work work;
    bool has_stage = false;
  };

  void visit(Block& block) {
    for (auto it = block.bindings.rbegin(); it != block.bindings.rend(); ++it) {
      edit_blocks(it->op, [&](Block& inner) { visit(inner); });
      if (it->results.empty() || it->storage != Storage::undecided) continue;
      if (std::holds_alternative<Fold>(it->op))
        fold_home(*it, block);
      else if (is_one_of<Map, ZipWith, Replicate>(it->op))
        map_home(*it, block);
    }
  }

  void map_home(Binding& home, Block& block) {
    const ArrayId result = home.results[0];
    if (program_.array_types[result].rank < 2 || !reaches_[result].along_rows) return;
    const Uses& uses = uses_[result];
    if (!uses.must && !uses.scattered && !uses.repeated && uses.structural < 2) return;
    const Group group = group_of(home, block);
    if (!group.has_stage || !reaches_memory(result, group.work)) return;
    delay(group);
    home.storage = Storage::manifest;
    home.reason = "its rows are folded before";
  }

  void fold_home(Binding& home, Block& block) {
    const ArrayId source = std::get<Fold>(home.op).source;
    if (!is_stage(home.op) || !reaches_[source].at_same_index) return;
    const Group group = group_of(home, block);
    if (group.has_stage) delay(group);
  }

  static void delay(const Group& group) {
    for (Binding* member : group.members) member->storage = Storage::delayed;
  }

  // Regardless of stages, an array that is computed within its consumer's kernel stays there.
  [[nodiscard]] bool reaches_memory(ArrayId a, const Work& work) const {
    const Uses& uses = uses_[a];
    const bool cheap = !work.expensive && !work.loops && work.operations <= cheap_operations_max;
    return uses.must || (!cheap && (uses.scattered || uses.repeated || uses.structural > 1));
  }

  /// What is known of an array while a group grows.
  struct Candidate {
    std::set<Index> indices;
    std::size_t uses = 0;  // by the group
  };
  using Candidates = std::map<std::size_t, Candidate, std::greater<>>;  // by place in the block

  Group group_of(Binding& home, Block& block) {
    const bool is_fold = std::holds_alternative<Fold>(home.op);
    Group group;
    Candidates open;
    Index identity(program_.array_types[home.results[0]].rank + (is_fold ? 1 : 0));
    for (std::uint32_t axis = 0; axis < identity.size(); ++axis) identity[axis] = axis;
    if (is_fold) {
      ask(std::get<Fold>(home.op).source, {identity}, block, open);
    } else {
      group.work = work_of_binding(home);
      expand(home, {identity}, block, open);
    }
    while (!open.empty() && group.members.size() < group_max) {
      const std::size_t at = open.begin()->first;
      const Candidate candidate = std::move(open.begin()->second);
      open.erase(open.begin());
      Binding& binding = block.bindings[at];
      const bool inside = is_fold ? joins_fold(binding, candidate, identity)
                                  : joins_rows(binding, candidate, identity);
      if (!inside) continue;
      group.members.push_back(&binding);
      const Work work = work_of_binding(binding);
      group.work.operations += work.operations;
      group.work.expensive |= work.expensive;
      group.work.loops |= work.loops;
      group.has_stage |= std::holds_alternative<Fold>(binding.op);
      if (!is_fold || !std::holds_alternative<Fold>(binding.op))
        expand(binding, candidate.indices, block, open);
    }
    return open.empty() ? group : Group{};
  }

  static Work work_of_binding(Binding& binding) {
    Region* const fn = region_of(binding.op);
    return fn ? work_of(*fn) : Work{};
  }

  [[nodiscard]] bool is_ours(const Binding& binding, const Candidate& candidate) const {
    const Uses& uses = uses_[binding.results[0]];
    return binding.storage == Storage::undecided && !uses.must && !uses.scattered &&
           uses.structural == candidate.uses;
  }

  // Whether the binding joins the fold: each of its elements is used once.
  [[nodiscard]] bool joins_fold(const Binding& binding, const Candidate& candidate,
                                const Index& identity) const {
    const bool joins = is_one_of<Map, ZipWith, Demand>(binding.op) || is_stage(binding.op);
    return joins && is_ours(binding, candidate) && candidate.indices.size() == 1 &&
           *candidate.indices.begin() == identity;
  }

  // Whether the binding joins the rows: used once per row, or by element, as a result or folded.
  [[nodiscard]] bool joins_rows(Binding& binding, const Candidate& candidate,
                                const Index& identity) const {
    if (!is_ours(binding, candidate)) return false;
    std::size_t evaluations = 0;
    for (const Index& index : candidate.indices) {
      const std::size_t outer = identity.size() - 1;
      if (index.size() < outer || !std::equal(identity.begin(), identity.end() - 1, index.begin()))
        return false;
      evaluations += index.size() > outer ? 1 : 0;
    }
    if (is_stage(binding.op)) return evaluations == 0;
    if (!is_transparent(binding.op)) return false;
    const Work work = work_of_binding(binding);
    if (evaluations < 2) return true;
    if (work.loops || work.operations > repeated_operations_max) return false;
    return !work.expensive || evaluations <= evaluations_max;
  }

  void ask(ArrayId a, const std::set<Index>& indices, const Block& block, Candidates& open) const {
    const Place& place = places_[a];
    if (place.block != &block || block.bindings.empty()) return;
    const auto& results = block.bindings[place.at].results;
    if (results.size() != 1 || results[0] != a) return;  // a parameter, or a result of control
    Candidate& candidate = open[place.at];
    candidate.indices.insert(indices.begin(), indices.end());
    ++candidate.uses;
  }

  void expand(const Binding& binding, const std::set<Index>& indices, const Block& block,
              Candidates& open) const {
    std::set<Index> inside = indices;
    if (const auto* replicate = std::get_if<Replicate>(&binding.op)) {
      inside.clear();
      for (const Index& index : indices) {
        Index kept;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
          if (replicate->axes[axis] == none) kept.push_back(index[axis]);
        inside.insert(std::move(kept));
      }
    } else if (std::holds_alternative<Fold>(binding.op)) {
      inside.clear();
      for (Index index : indices) {
        index.push_back(folded + binding.results[0]);
        inside.insert(std::move(index));
      }
    }
    visit_operands(binding.op, [](Value) {}, [&](ArrayId a) { ask(a, inside, block, open); });
  }

  Program& program_;
  std::vector<Uses> uses_;      // by array
  std::vector<Place> places_;   // by array
  std::vector<Reach> reaches_;  // by array
};

}  // namespace

Program find_stages(Program program) {
  StageFinder(program).run(program.body);
  return program;
}

}  // namespace hasten::passes
