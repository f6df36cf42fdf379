// Uses are counted once for the whole program; then each array's uses are followed to the operation
// that reads it in order, through elementwise operations.
#include "passes/patterns/whole_elements.hpp"

#include "core/traverse.hpp"
#include "support/overloaded.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace hasten::passes {
namespace {

using namespace core;

// The bindings of the program's outermost block that read an array, its results as one more.
class Readers {
 public:
  explicit Readers(const Program& program) : program_(program), of_(program.array_types.size()) {
    for (const Binding& binding : program.body.bindings)
      if (!is_extent(binding))
        for_each_use(binding, [](Value) {}, [&](ArrayId id) { of_[id].push_back(&binding); });
    for (const ArrayId id : program.body.results) of_[id].push_back(nullptr);
  }

  /// `id` itself comes from outside.
  [[nodiscard]] bool are_one_in_order(ArrayId id) const {
    for (bool is_outer = true;; is_outer = false) {
      if (of_[id].size() != 1) return false;
      const Binding* const reader = of_[id].front();
      if (!reader) return !is_outer;
      if (const std::optional<bool> ends = is_end(*reader, id)) return *ends;
      id = reader->results.front();
    }
  }

  /// Requires an array with one reader.
  [[nodiscard]] std::size_t components_read(ArrayId id) const {
    const ArrayOp& op = of_[id].front()->op;
    if (const auto* const map = std::get_if<Map>(&op)) return used(map->fn, 0, id);
    const auto* const zip = std::get_if<ZipWith>(&op);
    if (!zip) return program_.array_types[id].leaves.size();
    std::size_t before = 0;
    for (const ArrayId source : zip->sources) {
      if (source == id) break;
      before += program_.array_types[source].leaves.size();
    }
    return used(zip->fn, before, id);
  }

 private:
  // The number of the array's leaves that are used; they are parameters from `first` on.
  [[nodiscard]] std::size_t used(const Region& fn, std::size_t first, ArrayId id) const {
    std::set<Value> all;
    for_each_use(fn, [&](Value v) { all.insert(v); }, [](ArrayId) {});
    const auto own = std::span(fn.params).subspan(first, program_.array_types[id].leaves.size());
    return static_cast<std::size_t>(
        std::ranges::count_if(own, [&](Value v) { return all.contains(v); }));
  }

  static bool is_extent(const Binding& binding) {
    const auto* const scalar = std::get_if<HostScalar>(&binding.op);
    return scalar && std::holds_alternative<Extent>(scalar->stmt.op);
  }

  // True if the reader takes the elements in order and ends the chain, false if it does not take
  // them in order, nothing if the chain continues.
  static std::optional<bool> is_end(const Binding& binding, ArrayId id) {
    using Answer = std::optional<bool>;
    return match(
        binding.op, [](const Map&) -> Answer { return std::nullopt; },
        [&](const ZipWith& op) -> Answer {
          if (std::ranges::find(op.sources, id) == op.sources.end()) return false;  // by an index
          return std::nullopt;
        },
        [&](const Fold& op) -> Answer { return op.source == id; },
        [&](const FoldSegments& op) -> Answer { return op.source == id; },
        [&](const Scan& op) -> Answer { return op.source == id; },
        [&](const Compact& op) -> Answer { return op.source == id || op.mask == id; },
        [&](const Permute& op) -> Answer {
          return std::ranges::any_of(op.loops, [&](const PermuteLoop& loop) {
            return loop.source == id || loop.targets == id;
          });
        },
        [&](const Compute&) -> Answer { return true; },
        [](const auto&) -> Answer { return false; });
  }

  const Program& program_;
  std::vector<std::vector<const Binding*>> of_;  // null: the program's results
};

std::optional<OuterArray> outer_array(const Binding& binding) {
  if (const auto* const use = std::get_if<Use>(&binding.op)) return OuterArray{true, use->index};
  if (const auto* const input = std::get_if<Input>(&binding.op))
    return OuterArray{false, input->index};
  return std::nullopt;
}

class ViewRewriter {
 public:
  ViewRewriter(Program& program, std::span<const WholeElements> all)
      : program_(program),
        all_(all) {}

  void run() {
    for (const WholeElements& elements : all_) add_views(elements);
    std::vector<Binding> old = std::exchange(program_.body.bindings, {});
    for (Binding& binding : old) {
      const std::optional<OuterArray> outer = outer_array(binding);
      const auto found =
          outer ? std::ranges::find(all_, *outer, &WholeElements::array) : all_.end();
      if (found == all_.end())
        put(std::move(binding));
      else
        read(binding, *found, first_view_[static_cast<std::size_t>(found - all_.begin())]);
    }
  }

 private:
  void put(Binding binding) { program_.body.bindings.push_back(std::move(binding)); }

  void add_views(const WholeElements& elements) {
    first_view_.push_back(static_cast<std::uint32_t>(program_.inputs.size()));
    const ArrayType type = type_of(elements.array);
    for (const ScalarType view : views_of(type.leaves))
      program_.inputs.push_back({type.rank + 1, {view}});
  }

  [[nodiscard]] ArrayType type_of(const OuterArray& array) const {
    if (!array.is_used) return program_.inputs[array.index];
    const auto& used = *program_.arrays_used[array.index];
    return {static_cast<std::uint32_t>(used.shape().size()), used.leaves()};
  }

  // Reads the binding's array from its views, element by element.
  void read(const Binding& whole, const WholeElements& elements, std::uint32_t input) {
    const ArrayType type = program_.array_types[whole.results.front()];
    const std::vector<ScalarType> types = views_of(type.leaves);
    std::vector<ArrayId> views;
    for (const ScalarType view : types) {
      views.push_back(program_.new_array({type.rank + 1, {view}}));
      put(like(whole, {views.back()}, Input{input++}));
    }
    Generate generate;
    for (std::uint32_t axis = 0; axis < type.rank; ++axis) {
      generate.extent.push_back(program_.new_value(ScalarType::i64));
      put(like(whole, {}, HostScalar{{{generate.extent.back()}, Extent{views.front(), axis}}}));
      generate.fn.params.push_back(program_.new_value(ScalarType::i64));
    }
    for (std::size_t leaf = 0; leaf < type.leaves.size(); ++leaf) {
      const auto view = std::ranges::find(types, type.leaves[leaf]) - types.begin();
      load(generate.fn, views[static_cast<std::size_t>(view)], type.leaves[leaf],
           elements.offsets[leaf]);
    }
    Binding made = whole;
    made.op = std::move(generate);
    put(std::move(made));
  }

  // Adds a result to the function: the number of this type at an offset within its element.
  void load(Region& fn, ArrayId view, ScalarType type, std::size_t offset) {
    const Value column = program_.new_value(ScalarType::i64);
    fn.body.push_back({{column}, Constant{{offset / detail::size_in_bytes(type)}}});
    Load load{view, 0, fn.params, all_axes(fn.params.size() + 1), true};
    load.index.push_back(column);
    fn.results.push_back(program_.new_value(type));
    fn.body.push_back({{fn.results.back()}, std::move(load)});
  }

  static Binding like(const Binding& whole, std::vector<ArrayId> results, ArrayOp op) {
    Binding binding;
    binding.results = std::move(results);
    binding.op = std::move(op);
    binding.where = whole.where;
    binding.operation = whole.operation;
    return binding;
  }

  Program& program_;
  const std::span<const WholeElements> all_;
  std::vector<std::uint32_t> first_view_;  // by `all_`, an input
};

}  // namespace

std::vector<ReadOnce> arrays_read_once(const Program& program) {
  std::vector<ReadOnce> found;
  std::optional<Readers> readers;  // made on demand
  for (const Binding& binding : program.body.bindings) {
    const std::optional<OuterArray> outer = outer_array(binding);
    if (!outer || program.array_types[binding.results.front()].leaves.size() < 2) continue;
    if (!readers) readers.emplace(program);
    const ArrayId id = binding.results.front();
    if (readers->are_one_in_order(id)) found.push_back({*outer, readers->components_read(id)});
  }
  // An array that is bound twice is read twice.
  std::erase_if(found, [&](const ReadOnce& one) {
    return std::ranges::count_if(program.body.bindings, [&](const Binding& binding) {
             return outer_array(binding) == one.array;
           }) != 1;
  });
  return found;
}

std::vector<ScalarType> views_of(const std::vector<ScalarType>& leaves) {
  std::vector<ScalarType> views;
  for (const ScalarType leaf : leaves)
    if (std::ranges::find(views, leaf) == views.end()) views.push_back(leaf);
  return views;
}

bool can_be_seen(const WholeElements& elements, const std::vector<ScalarType>& leaves) {
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const std::size_t unit = detail::size_in_bytes(leaves[leaf]);
    if (elements.bytes % unit != 0 || elements.offsets[leaf] % unit != 0) return false;
  }
  return true;
}

Program read_whole(Program program, std::span<const WholeElements> all) {
  ViewRewriter(program, all).run();
  return program;
}

}  // namespace hasten::passes
