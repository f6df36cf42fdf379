// Walks a fused program and makes its plan: declarations shared by the files of this folder.
#pragma once

#include "kernels/kernel_builder.hpp"
#include "kernels/plan.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace hasten::kernels {

/// Blocks are walked in order; manifest bindings become steps, delayed ones only extents and
/// checks.
class Lowering {
 public:
  Lowering(core::Program program, Checks checks, Determinism determinism, FastMath fast_math);
  Plan take();

 private:
  using Block = core::Block;
  using Binding = core::Binding;
  using ArrayId = core::ArrayId;
  using ArrayType = core::ArrayType;
  using Stmt = core::Stmt;
  using Bits = core::Bits;
  using ScalarOp = core::ScalarOp;
  using HostKey = std::tuple<ScalarOp, Value, Value>;
  /// Emits code and returns the element that a kernel computes at an index.
  using ElementCode =
      core::FunctionRef<std::vector<Value>(KernelBuilder&, const std::vector<Value>&)>;

  // lower.cpp: blocks and control
  void lower(const Block& block, Steps& steps);
  void inside(Steps& steps, core::FunctionRef<void()> f);
  static std::size_t group_at(std::span<const Binding> bindings, std::size_t first);
  void lower(const Binding& binding);
  void make(const Binding& binding);
  void note_memory(const Binding& binding);
  void lower_scalar(Stmt stmt);
  void lower_on_host(const Binding& binding, const core::Generate& generate);
  void lower_branch(const Binding& binding, const core::ArrayIf& branch);
  void lower_loop(const Binding& binding, const core::ArrayWhile& loop);
  void lower_foreign(const Binding& binding, const core::ForeignArrays& call);

  // host_code.cpp: extents, and conditions on them
  template <class Op>
  void push(Op op) {
    steps_->push_back({std::move(op), binding_->where, binding_->operation, binding_->device});
  }
  Value number(std::uint64_t n) { return constant(ScalarType::i64, {n, 0}); }
  Value host(ScalarOp op, Value a, Value b, ScalarType type = ScalarType::i64);
  Value constant(ScalarType type, Bits bits);
  Value clamped(Value extent);
  std::vector<Value> clamped(const std::vector<Value>& extents);
  Value smaller(Value a, Value b);
  Value sum(Value a, Value b);
  const std::vector<Value>& extents(ArrayId array);
  std::vector<Value> result_extents(const Binding& binding);
  std::vector<Value> intersection(const std::vector<ArrayId>& sources);
  void check_countable(const std::vector<Value>& extents);
  void check_count(const Binding& binding);
  void check(const Binding& binding);
  void check_extents(const core::Concat& op);
  void check_equal(const core::ZipWith& zip, ArrayId source);

  // element_checks.cpp
  [[nodiscard]] bool checks_elements() const;
  void check_elements(const Binding& binding, const std::vector<Value>& space, ElementCode element);
  void check_source(const Binding& binding, ArrayId source, const std::vector<Value>& space);
  ArrayId new_array(ArrayType type);

  // conditions.cpp
  void note_needs(const Block& block);
  [[nodiscard]] bool is_condition(const std::vector<const Binding*>& made,
                                  const Launch& launch) const;

  // launches.cpp: a kernel for a binding
  Launch launch_for(const Binding& binding);
  static std::vector<Value> begin_element(KernelBuilder& builder, Skeleton skeleton,
                                          std::uint32_t rank);
  static std::vector<Value> begin_epilogue(KernelBuilder& builder,
                                           const std::vector<ScalarType>& leaves);
  static Region combine(KernelBuilder& builder, const Region& fn,
                        const std::vector<ScalarType>& leaves);
  void check_slice(const core::Slice& slice);
  void lower_map(const Binding& binding, const core::Map& map);
  void lower_elementwise(const Binding& binding);
  /// The result of one launch, and the delayed folds it may contain, for a map or fold `home`.
  struct Staged {
    std::vector<const Binding*> stages;
    const Binding* home;
    ArrayId result;
  };
  void in_stages(const Staged& staged, core::FunctionRef<void()> launch);
  /// `copied`: the array in memory whose elements these are.
  void lower_elements(const Binding& binding, ElementCode element, ArrayId copied = core::none);
  void lower_generate_segments(const Binding& binding, const core::GenerateSegments& op);
  void launch_segments(const Binding& binding, const core::GenerateSegments& op, Launch launch,
                       ElementCode element);
  void lower_fold(const Binding& binding, const core::Fold& fold);
  void lower_whole_fold(const Binding& binding, const core::Fold& fold);
  void lower_accumulation(const Binding& binding, Skeleton skeleton, const auto& op);
  static void begin_axes(KernelBuilder& builder, const core::Fold& fold,
                         const std::vector<Value>& index);
  static std::vector<Value> begin_inner_axes(KernelBuilder& builder, Launch& launch,
                                             const core::Scan& scan,
                                             const std::vector<Value>& index);
  void lower_fold_segments(const Binding& binding, const core::FoldSegments& fold);
  void begin_segments(KernelBuilder& builder, Launch& launch, const core::FoldSegments& fold);
  void finish_accumulation(Launch launch, KernelBuilder& builder, const Binding& binding,
                           const auto& op);
  void lower_scan(const Binding& binding, const core::Scan& scan);
  /// `folds`: bindings that perhaps only conditions read.
  void finish_launch(Launch launch, KernelBuilder& builder, const Binding& binding,
                     const std::vector<const Binding*>& folds = {});
  void note_overwritable(Launch& launch, const Kernel& kernel) const;
  void stand_in(Launch& launch, const std::set<ArrayId>& maybe_empty);
  std::uint32_t number_of(Kernel kernel);

  // ranges_of_reads.cpp: a kernel for launches whose reads are all in range
  std::optional<Kernel> without_limits(Launch& launch, const KernelBuilder& limited);
  Value covers(const Region& bounds, const KernelBuilder& builder, const std::vector<Value>& space);
  std::vector<Value> on_host(const Region& code, const KernelBuilder& builder);

  // scatters.cpp: kernels that choose where they write
  std::vector<Value> uniform_element(ArrayId array, Launch& launch);
  void lower_permute(const Binding& binding, const core::Permute& permute);
  void lower_scatter(const Binding& binding, const core::Permute& permute);
  std::vector<ArrayId> computed_from(const core::Permute& permute);
  Value updates_of(const core::Permute& permute);
  void begin_loops(KernelBuilder& builder, Launch& launch, const core::Permute& permute);
  Value size_of(const std::vector<Value>& shape);
  void lower_compact(const Binding& binding, const core::Compact& compact);
  void lower_concat(const Binding& binding, const core::Concat& concat);
  bool join_parts(KernelBuilder& builder, const Binding& binding, const core::Concat& concat,
                  std::span<const Value> ends);
  void launch_joined(KernelBuilder& builder, const Binding& binding, const core::Concat& concat);
  void lower_parts(const Binding& binding, const core::Concat& concat);
  void lower_part(const Binding& binding, const core::Concat& concat, ArrayId source, Value offset,
                  Launch launch);

  // groups.cpp: a kernel for several bindings
  struct Group {
    std::vector<const Binding*> accumulations;
    std::vector<const Binding*> stored;  // results of these, or maps
    std::vector<const Binding*> beside;  // maps over the space that is folded
    ArrayId made = core::none;           // of all stored components
  };
  void lower_group(std::span<const Binding> bindings);
  void lower_apart(std::span<const Binding> bindings);
  Group members_of(std::span<const Binding> bindings);
  bool can_be_checked_before(const Group& group);
  void check_group(const Group& group);
  std::vector<const Binding*> stages_of_group(const Group& group) const;
  void launch_group(const Group& group);
  void hand_out(ArrayId made, const std::vector<const Binding*>& bindings);
  void set_extents(ArrayId array, std::vector<Value> known);
  void maps_of_group(KernelBuilder& builder, Launch& launch, const Group& group);
  std::vector<Value> outputs_at(KernelBuilder& builder, const std::vector<const Binding*>& stored,
                                const std::vector<Value>& index);
  void accumulations_of_group(KernelBuilder& builder, Launch& launch, const Group& group);
  std::vector<Value> begun_epilogue(KernelBuilder& builder, const Group& group);
  std::vector<Value> side_by_side_at(KernelBuilder& builder, const Group& group,
                                     const std::vector<Value>& index);
  Region combine_side_by_side(KernelBuilder& builder, const std::vector<const Binding*>& members);
  static std::vector<Value> after_seed(KernelBuilder& builder, const Binding& member,
                                       std::vector<Value> folded);
  std::vector<Value> seeds_of(KernelBuilder& builder, const std::vector<const Binding*>& members);
  std::vector<Value> identities(const Binding& fold);

  core::Program program_;
  Checks checks_;
  Determinism determinism_;
  Environment env_;
  Plan plan_;
  Steps* steps_ = nullptr;
  const Binding* binding_ = nullptr;
  std::map<std::tuple<ScalarType, std::uint64_t, std::uint64_t>, Value> constants_;
  ArrayId output_ = core::none;  // replaces the result of the current binding
  std::set<Value> not_negative_;
  std::set<Value> needed_values_;  // by readers other than conditions
  std::set<ArrayId> needed_arrays_;
  std::map<HostKey, Value> host_values_;
  std::vector<HostKey> host_undo_;
  std::set<std::vector<Value>> countable_;
  std::vector<std::vector<Value>> countable_undo_;
  std::vector<std::pair<ArrayId, std::vector<Value>>> extents_undo_;  // what was known before
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> kernel_numbers_;
};

}  // namespace hasten::kernels
