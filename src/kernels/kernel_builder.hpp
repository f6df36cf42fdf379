// Builds the scalar code of one kernel by inlining delayed arrays into their consumer.
//
// in:  bindings that are manifest or delayed, the extents of all arrays as host values
// out: Kernel regions, and where each uniform argument and input component comes from
#pragma once

#include "core/program.hpp"
#include "core/traverse.hpp"
#include "kernels/arguments.hpp"
#include "kernels/kernel.hpp"

#include <hasten/run/options.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace hasten::kernels {

/// The treatment of an index that may be out of range.
enum class OpenReads : std::uint8_t {
  clamped,  // to the last one; a load from an array without elements yields 0
  trusted,  // in range: an earlier kernel has checked it, or the user has promised it
};

/// What lowering knows about the arrays and host values in scope.
struct Environment {
  core::Program* program = nullptr;
  OpenReads open_reads = OpenReads::clamped;
  bool reorders_floats = false;                     // FastMath::all
  std::vector<const core::Binding*> producer;       // by ArrayId; null: parameters of blocks
  std::vector<std::vector<Value>> extents;          // by ArrayId: host values; of delayed arrays
  std::unordered_map<Value, core::Bits> constants;  // host values known while compiling
  std::set<core::ArrayId> launched_apart;           // delayed ones that are currently in memory

  /// Records the producers and constants of a block, nested blocks included.
  void survey(const core::Block& block);
  /// Extents of delayed arrays are host values: replaces queries of them in host code.
  void replace_extents(core::Stmt& stmt) const;

  [[nodiscard]] bool is_delayed(core::ArrayId a) const {
    return producer[a] && producer[a]->storage == core::Storage::delayed &&
           !launched_apart.contains(a);
  }
  /// The array in memory that `a` is, seen through conditions that have been checked; else none.
  [[nodiscard]] core::ArrayId in_memory(core::ArrayId a) const {
    while (is_delayed(a)) {
      const auto* demand = std::get_if<core::Demand>(&producer[a]->op);
      if (!demand) return core::none;
      a = demand->source;
    }
    return a;
  }
  [[nodiscard]] std::uint32_t rank(core::ArrayId a) const { return program->array_types[a].rank; }
};

/// "sum at dotp.cpp:9"
[[nodiscard]] std::string describe(const core::Binding& binding);
/// The parameters that a function's results are, if it does nothing else; else none.
[[nodiscard]] std::vector<std::uint32_t> chosen_leaves(const Region& fn);

class KernelBuilder {
 public:
  /// With `checks` (bounds, arithmetic), failed() tells whether the inlined code read an array out
  /// of range or divided by zero; such reads yield 0.
  explicit KernelBuilder(const Environment& environment, Checks checks = Checks::none)
      : env_(environment),
        checks_(checks) {}

  [[nodiscard]] bool reorders_floats() const { return env_.reorders_floats; }

  /// Values of the kernel; `kernel.value_types` is kept up to date.
  Kernel kernel;
  std::vector<ArgumentSource> arguments;      // by Kernel::scalars
  std::vector<InputSource> inputs;            // by Kernel::inputs
  std::vector<const core::Binding*> inlined;  // delayed bindings, producers first
  /// Arrays in memory that clamped indices read and that may have no elements.
  std::set<core::ArrayId> maybe_empty;

  /// Starts a region with parameters of these types; code is added to it until end().
  std::vector<Value> begin(std::span<const ScalarType> params);
  Region end(std::vector<Value> results);

  Value new_value(ScalarType type);
  /// The value inside the kernel of a host value.
  Value capture(Value host);
  /// The same, always as an argument: its value may differ from launch to launch.
  Value capture_argument(Value host);

  /// The extent of an array inside the kernel, to compare indices with: in a collapsed launch it is
  /// the array's own, and not the space's.
  Value limit(core::ArrayId array, std::uint32_t axis);
  [[nodiscard]] std::uint32_t rank(core::ArrayId array) const { return env_.rank(array); }

  /// The components of an array's element at an index.
  std::vector<Value> element_at(core::ArrayId array, const std::vector<Value>& index);
  /// The elements of a vector of one component at `at` and at the next place.
  std::vector<Value> neighbours_at(core::ArrayId vector, Value at);
  /// Sets the array's element at the index in the open region.
  void set_element(core::ArrayId array, const std::vector<Value>& index,
                   const std::vector<Value>& element);
  /// The element of a group's binding at an index: known, or computed here. Later reads there find
  /// it.
  std::vector<Value> made_at(const core::Binding& binding, const std::vector<Value>& index);
  /// The element of a binding at an index, computed as if it were delayed.
  std::vector<Value> compute_at(const core::Binding& binding, const std::vector<Value>& index);
  /// The element of a compaction's kernel at an index: keep, the leaves.
  std::vector<Value> choice_at(const core::Compact& op, const std::vector<Value>& index);
  /// The element of a scatter kernel's loop at an index of its source: keep, the linear index in
  /// `result`, the new leaves; with several writes, one group after the other.
  std::vector<Value> update_at(const core::PermuteLoop& loop, core::ArrayId result,
                               const std::vector<Value>& index);
  /// The element of a concat whose parts end at `ends` (host values): only the element of the part
  /// in which the index lies is computed.
  std::vector<Value> joined_at(const core::Concat& op, std::span<const Value> ends,
                               const std::vector<Value>& index);
  /// The same as update_at for a part of a concat, which starts at `offset` (a host value).
  std::vector<Value> update_at(const core::Concat& op, core::ArrayId part, Value offset,
                               core::ArrayId result, std::vector<Value> index);
  /// a | b
  Value either(Value a, Value b) {
    return emit_prim(core::ScalarOp::or_, ScalarType::boolean, {a, b});
  }

  /// A bool in the open region, or `none` if nothing in it can fail.
  [[nodiscard]] Value failed() const { return failed_; }
  /// The checks whose failures failed() tells.
  [[nodiscard]] Checks failure_kinds() const { return failure_kinds_; }

  /// Copies a function's body and returns its results.
  std::vector<Value> inline_region(const Region& fn, const std::vector<Value>& args);

  /// Arrays read exactly at the index of the kernel's space, and the values that are used only to
  /// address them.
  std::vector<Value> space_index;
  std::set<core::ArrayId> arrays_in_place;
  std::set<Value> addresses_in_place;
  /// The axis that was exchanged with the innermost one of a fold, if finish() did so.
  std::uint32_t inner_axis = core::none;

 private:
  /// Whether a write takes place, and its target: a linear index in `result`.
  std::vector<Value> write_at(const core::PermuteLoop& loop, core::ArrayId result,
                              std::span<const Value> place);
  using ValueMap = std::unordered_map<Value, Value>;
  using ElementKey = std::pair<core::ArrayId, std::vector<Value>>;
  struct Element {
    std::vector<Value> leaves;
    std::size_t depth;  // of the region they are computed in
  };

  std::vector<Value> define_params(std::span<const ScalarType> types);
  void emit(std::vector<Value> results, decltype(core::Stmt::op) op);
  void note_widened(const core::Prim& prim, Value result);
  Value emit_prim(core::ScalarOp op, ScalarType type, std::vector<Value> args);
  Value emit_constant(ScalarType type, core::Bits bits);
  Value extent(core::ArrayId array, std::uint32_t axis);
  Value input(core::ArrayId array, std::uint32_t leaf, Value linear);
  std::vector<Value> load(core::ArrayId array, Value linear);
  void note_inlined(core::ArrayId array);
  Value linear_index(core::ArrayId array, const std::vector<Value>& index);
  std::vector<Value> index_of_linear(core::ArrayId array, Value linear);
  std::vector<Value> element_at_linear(core::ArrayId array, Value linear);
  [[nodiscard]] bool have_one_space(const std::vector<core::ArrayId>& arrays) const;
  std::vector<Value> compute_at_linear(const core::Binding& binding, Value linear);

  Value mapped(const ValueMap& map, Value value);
  std::vector<Value> mapped(const ValueMap& map, const std::vector<Value>& values);
  void inline_body(const Region& region, ValueMap& map);
  void inline_stmt(const core::Stmt& stmt, ValueMap& map);
  /// A region inside the open one; f(params) returns its results.
  Region nested(std::span<const ScalarType> params,
                core::FunctionRef<std::vector<Value>(const std::vector<Value>&)> f);
  /// `failed` receives the value of failed() at its end.
  Region inline_nested(const Region& region, ValueMap& map, Value& failed);
  /// The regions nested in the one at a given depth, with what is known in them, set aside while
  /// code is added there.
  struct InnerRegions {
    std::vector<Region> open;
    std::vector<std::pair<ElementKey, Element>> elements;
  };
  InnerRegions set_aside(std::size_t depth);
  void put_back(InnerRegions inner);
  std::vector<Value> joined_from(const core::Concat& op, std::span<const Value> ends,
                                 const std::vector<Value>& index, std::size_t part);
  std::vector<Value> reduce_at(const core::Fold& fold, const std::vector<Value>& index);
  void forget_elements();
  void inline_branch(const core::If& branch, std::vector<Value> results, ValueMap& map);
  void inline_loop(const core::While& loop, std::vector<Value> results, ValueMap& map);

  // kernel_checks.cpp
  void note_failure(Value bad);
  Value failed_or_false();
  void check_divisor(const core::Prim& prim, const std::vector<Value>& args);
  bool inline_checked_loop(const core::While& loop, const std::vector<Value>& results,
                           ValueMap& map);

  // open_reads.cpp
  /// An index that the user's program computed, and what is known of it (core::Load).
  struct OpenIndex {
    core::ArrayId array;
    const std::vector<Value>& index;
    core::AxisSet inside;
    bool some;
  };
  std::vector<Value> open_element_at(const OpenIndex& at);
  std::vector<Value> open_element_at_linear(core::ArrayId array, Value linear, bool inside);
  std::vector<Value> clamped_element_at(const OpenIndex& at);
  Value size_of(core::ArrayId array);
  Value clamped_index(Value index, Value extent);
  Value is_inside(const OpenIndex& at);
  Value is_inside(Value index, Value extent);
  Value has_elements(const OpenIndex& at);
  /// The result of `read` for the array's leaves if the condition holds, else zeros.
  enum class Otherwise : std::uint8_t { is_zero, fails };
  std::vector<Value> guarded(core::ArrayId array, Value condition, Otherwise otherwise,
                             core::FunctionRef<std::vector<Value>()> read);

  const Environment& env_;
  Checks checks_;
  Value failed_ = core::none;
  Checks failure_kinds_ = Checks::none;
  std::vector<Region> open_;           // innermost last
  std::vector<core::Stmt> constants_;  // first statements of the outermost region
  std::map<std::pair<std::uint64_t, std::uint32_t>, Value> constant_values_;
  std::unordered_map<Value, Value> captured_;
  std::map<std::pair<core::ArrayId, std::uint32_t>, Value> extents_, limits_;
  std::unordered_map<Value, Value> widened_;  // i64 values, to the 32-bit values they widen
  std::map<std::pair<core::ArrayId, std::uint32_t>, std::uint32_t> input_numbers_;
  std::vector<std::size_t> depth_;  // by Value: open regions at its definition, that one included
  std::map<ElementKey, Element> elements_;             // known in the open regions
  std::vector<std::vector<ElementKey>> element_undo_;  // by the depth of the region
  std::set<core::ArrayId> noted_;
};

}  // namespace hasten::kernels
