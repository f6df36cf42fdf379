// Scalar code for many lanes at once: what a region computes for one index, computed for a vector
// of neighbouring ones.
//
// A value is kept in the cheapest form it has: the same in all lanes (a scalar), in equal steps
// from lane to lane (indices), or a vector. Branches and loops whose condition differs among lanes
// run under a mask; whenever code runs under a mask, at least one lane of it is on.
#pragma once

#include "backends/cpu/emit/hoisting.hpp"
#include "backends/cpu/frame.hpp"
#include "backends/cpu/known_numbers.hpp"
#include "backends/cpu/ops/ops.hpp"
#include "kernels/analysis/loops/long_loops.hpp"
#include "kernels/analysis/root_powers.hpp"
#include "kernels/analysis/stages/kept_elements.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace hasten::backends::cpu {

struct Uniform {
  llvm::Value* value;
};
/// Lane l holds base + l * step; integers, wrapping.
struct Affine {
  llvm::Value *base, *step;
};
/// INT64_MIN if the step is no constant.
[[nodiscard]] std::int64_t known_step(const Affine& index);
/// What a number or bool is in most vectors: wherever `fits` holds, a bool that is the same in all
/// lanes, lane l holds first + step * ((l ^ swaps) >> shift).
struct Near {
  llvm::Value *first = nullptr, *fits = nullptr;  // null: nothing is known
  std::int64_t step = 1;
  llvm::Value* swaps = nullptr;  // below the number of lanes; null: 0
  bool is_limit = false;         // it does not fit at borders
  unsigned shift = 0;            // not with swaps; the step is 1
};
struct Varying {
  llvm::Value* value;
  Near near = {};
};
using Lanes = std::variant<Uniform, Affine, Varying>;

/// A read in a loop for which each step in [begin, end) has its vector in `block`: see
/// rows/private_rows.hpp.
struct KeptRead {
  std::uint32_t array;
  kernels::Value index, step;  // the step: its value is `begin` where the block begins
  llvm::Value *begin, *end, *block;
  llvm::Value* fits = nullptr;  // whether the block holds it; null: yes
};

/// A value of a reduction's element that waits in memory for the elements of its row: in the row of
/// an output, or on the stack. The row begins at element `row`.
struct StoredElement {
  kernels::KeptElement kept;
  llvm::Value *memory, *row;
  llvm::Value* next_row;  // bytes from its reads to those that are prefetched, if `streams`
  llvm::Value* streams;   // whether its reads come from memory
};

/// What all functions of one kernel's module share.
struct KernelModule {
  llvm::Module& llvm;
  const kernels::Kernel& kernel;
  const Machine& machine;
  const CompileOptions& options;
  FrameLayout layout{kernel};
  KnownNumbers known = {};
};

class LaneCode {
 public:
  using V = llvm::Value*;

  /// `frame` is the argument block. Scalars are loaded at once, at the end of the entry block.
  LaneCode(const KernelModule& module, llvm::Function* function, unsigned lanes);

  // -- values -----------------------------------------------------------------------------------
  void set(kernels::Value v, Lanes lanes) { values_[v] = lanes; }
  [[nodiscard]] const Lanes& get(kernels::Value v) const { return values_[v]; }
  /// The scalar of a uniform value, the vector of any value.
  V scalar(kernels::Value v) const { return std::get<Uniform>(values_[v]).value; }
  /// The first lane of a value that is uniform or affine.
  [[nodiscard]] V first_lane(kernels::Value v) const;
  V vector(kernels::Value v) { return vector(values_[v]); }
  V vector(const Lanes& lanes);
  /// Scalar code has one lane, and vectors are scalars.
  V in_lanes(kernels::Value v) { return lanes_ == 1 ? scalar(v) : vector(v); }
  [[nodiscard]] Lanes from_lanes(V v) const {
    return lanes_ == 1 ? Lanes(Uniform{v}) : Lanes(Varying{v});
  }
  llvm::Type* lane_type(core::ScalarType type);

  V extent(std::size_t axis) const { return extents_[axis]; }
  HoistingLevels hoisting;
  /// Lanes that are on, or null when all are. Null in scalar code.
  V mask = nullptr;
  /// Between these two only the first `count` lanes are on, one at least; `on`: their mask.
  void begin_tail(V count, V on);
  void begin_tail(V count) { begin_tail(count, first_lanes(count)); }
  void end_tail();

  // -- regions ----------------------------------------------------------------------------------
  /// Emits the body here.
  void run(const kernels::Region& region);
  void run(const core::Stmt& stmt);
  /// Emits each statement at the end of its level's block. Statements above `first` were emitted
  /// by an earlier run, those below `last` will be by a later one; `mask` is on from level
  /// `lane_level`.
  void run_hoisted(const kernels::Region& region, unsigned first, unsigned last = UINT8_MAX);
  /// The blocks of run_hoisted, by level.
  std::vector<llvm::BasicBlock*> level_blocks;

  // -- memory -----------------------------------------------------------------------------------
  /// Stores a value in memory form at output[index...], one element per lane.
  void store(std::size_t output, V index, V value, bool stream);
  /// The same at an index of any form; no two lanes that are on may have the same index.
  void store_at(std::size_t output, const Lanes& index, V value);
  /// The same, lane by lane: elements that are few apart share lines.
  void store_apart(std::size_t output, const Affine& index, V value);
  /// The same for several values with all lanes on: the k-th value of lane l goes to first + l *
  /// values + k. Parts of complex outputs come one after the other, as for `store`. Stores past the
  /// caches begin on a line.
  void store_interleaved(std::size_t output, V first, llvm::ArrayRef<V> values, bool stream);
  /// Load and store the columns of as many rows as there are lanes, all on: column k of lane l is
  /// at first + l * columns + k. The outputs must not be complex.
  std::vector<V> load_rows(std::uint32_t array, V first, std::int64_t columns);
  /// From rows as they lie in memory to their columns, and back, in registers.
  std::vector<V> columns_of(llvm::ArrayRef<V> vectors);
  std::vector<V> vectors_of(llvm::ArrayRef<V> columns);
  void store_rows(std::size_t output, V first, llvm::ArrayRef<V> columns, bool stream = false);
  /// One scalar of an output.
  V load_output(std::size_t output, V index);
  /// A vector of neighbours of an output that is not complex; only lanes that are on are loaded.
  V load_outputs(std::size_t output, V index);
  /// Stores a vector of waiting values at `index` of the row; memory holds the type as registers
  /// do.
  void store_waiting(const StoredElement& element, V index, V value);
  V load_waiting(const StoredElement& element, V index);
  /// Streamed stores are not ordered with the stores that follow: waits for them if `streamed`.
  void fence(V streamed);
  /// One scalar to or from a slot of 8 bytes.
  void store_slot(V slots, V index, V value);
  V load_slot(V slots, V index, core::ScalarType type);
  /// The slots of all lanes, as vectors of words.
  V slot_words(V x);
  V from_slot_words(V words, core::ScalarType type);
  /// The memory form of a value: a byte for bool, 16 bits for half.
  V from_memory(core::ScalarType type, V x);
  V to_memory(core::ScalarType type, V x);

  /// Reads that no longer need memory.
  std::vector<KeptRead> kept_reads;
  /// While lanes go across rows: the number of lanes that have a row (the first ones), and their
  /// mask. Reductions then read rows in blocks.
  struct OwnRows {
    V count, mask;
  };
  std::optional<OwnRows> own_rows;
  /// Values that reductions along lanes store.
  std::vector<StoredElement> stored_elements;
  /// In a map: the elements of a row, and whether rows come from memory.
  struct Rows {
    V elements, streams;
  };
  std::optional<Rows> next_rows;
  /// In a map: lanes this many elements apart. The code is emitted once for each of so many
  /// neighbours, of which lane l computes those from first + l * step on; then remainders of the
  /// index by divisors of the step are the same in all lanes.
  struct ApartLanes {
    V first, multiple;  // first = multiple * step
    std::int64_t step;
    /// The columns of reads that all neighbours make of neighbours, filled by the first one.
    std::map<kernels::Value, std::vector<V>> columns;
    std::size_t neighbour = 0;  // at hand
  };
  std::optional<ApartLanes> apart_lanes;
  [[nodiscard]] V input(std::size_t array) const { return inputs_[array]; }
  [[nodiscard]] V output(std::size_t array) const { return outputs_[array]; }
  /// Code emitted from here on reads and writes the array there.
  void move_output(std::size_t array, V begin) { outputs_[array] = begin; }
  /// In the entry block, so that loops do not eat the stack.
  llvm::AllocaInst* stack_slot(llvm::Type* type);

  /// Whether lanes read elements a few apart, which whole vectors load.
  [[nodiscard]] bool reads_near(const Affine& index) const { return is_near(known_step(index)); }
  /// By value: contiguous reads that also prefetch what later iterations need.
  std::vector<bool> prefetched;
  /// Prefetches what lies `bytes_on` bytes beyond a read, if the read is contiguous.
  void prefetch(const core::LoadLinear& l, V bytes_on);
  /// The same for all arrays that a region reads, with one read per array: streamed data mostly
  /// comes from memory, and the hardware's own prefetching leaves a tenth of its bandwidth unused.
  /// Data in the cache would pay for the prefetches.
  void ask_ahead(const kernels::Region& region, llvm::Value* bytes);

  // -- control ----------------------------------------------------------------------------------
  llvm::BasicBlock* block(const char* name);
  /// Runs `then` only if the condition (a scalar) holds.
  template <class F>
  void when(V condition, const char* name, F&& then);
  /// Emits `some` where the condition holds, a bool that is true in most cases, and `others`
  /// elsewhere. Returns what they return, if anything.
  V mostly(V condition, llvm::function_ref<V()> some, llvm::function_ref<V()> others);
  /// Whether some lane is on.
  V any(V lanes_on);
  V first_lanes(V count);  // mask with the first `count` lanes on
  /// Leaves the function if the call is to stop.
  void poll();

  [[nodiscard]] unsigned lanes() const { return lanes_; }
  [[nodiscard]] const kernels::Kernel& kernel() const { return kernel_; }
  /// Whether one instruction loads some lanes of an input's elements, even none.
  [[nodiscard]] bool masks_reads_of(std::uint32_t input) const {
    return machine_.masks_reads_of(detail::size_in_bytes(detail::part_of(kernel_.inputs[input])));
  }
  [[nodiscard]] core::ScalarType type(kernels::Value v) const { return kernel_.value_types[v]; }
  V i64(std::int64_t x) { return b.getInt64(static_cast<std::uint64_t>(x)); }

  llvm::IRBuilder<> b;
  Ops ops;

 private:
  void load_frame(llvm::Value* frame, const FrameLayout& layout);
  // code_prim.cpp
  void prim(const core::Prim& p, kernels::Value result);
  bool affine_prim(const core::Prim& p, kernels::Value result);
  bool affine_sum(const core::Prim& p, kernels::Value result);
  bool affine_float(const core::Prim& p, const Affine& x, kernels::Value result);
  bool affine_quotient(const core::Prim& p, kernels::Value result);
  V applied(const core::Prim& p, kernels::Value result, llvm::ArrayRef<V> args);
  V root_power(const kernels::RootPower& power, bool uniform);
  [[nodiscard]] V root_argument(kernels::Value root) const;
  [[nodiscard]] Near as_near(kernels::Value v) const;
  V last(const Near& x);
  Near near(const core::Prim& p, kernels::Value result);
  Near near_sum(core::ScalarOp op, const Near& x, const Near& y);
  Near near_multiple(const Near& x, V y);
  Near near_chosen(const core::Prim& p);
  Near near_of_same(const core::Prim& p, kernels::Value result);
  Near near_between(const core::Prim& p, kernels::Value result, const Near& x, V y,
                    std::size_t moving);
  Near flipped(const Near& x, V bits);
  Near near_shifted(const core::Prim& p, kernels::Value result, const Near& x, V y);
  Near limited(const Near& x, V bound);
  Near limited(core::ScalarOp op, const Near& x, V bound);
  V near_vector(const Near& x, llvm::Type* type);
  Affine as_affine(const Lanes& lanes);
  V offsets(V step);
  V load_by_near_step(std::uint32_t array, llvm::Type* memory, const Affine& index,
                      std::int64_t step);
  V load_by_step(std::uint32_t array, llvm::Type* memory, const Affine& index);
  // code_control.cpp
  void branch(const core::If& op, const core::Stmt& stmt);
  void uniform_branch(const core::If& op, const core::Stmt& stmt);
  void masked_branch(const core::If& op, const core::Stmt& stmt);
  std::vector<V> masked_side(const core::Region& side, const core::Stmt& stmt, V condition,
                             V old_mask);
  struct LoopStates;
  struct LoopEnd;
  void loop(const core::While& op, const core::Stmt& stmt);
  void uniform_loop(const core::While& op, const core::Stmt& stmt);
  [[nodiscard]] V first_lanes_on();
  bool loop_by_blocks(const core::While& op, const core::Stmt& stmt);
  void diverging_loop(const core::While& op, const core::Stmt& stmt);
  LoopStates first_states(const core::While& op, const core::Stmt& stmt, bool diverges);
  void loop_round(const core::While& op, V going, LoopStates& states);
  void end_loop(const core::Stmt& stmt, const LoopStates& states);
  llvm::Value* kept_after(llvm::Value* kept, llvm::Value* going, llvm::Value* now,
                          llvm::Value* next);
  LoopStates merged(const std::vector<LoopEnd>& ends);
  void single_rounds(const core::While& op, const core::Stmt& stmt, llvm::Value* all,
                     LoopStates states, llvm::BasicBlock* exit, std::vector<LoopEnd>& ends);
  [[nodiscard]] bool has_blocks(const core::While& op) const;
  llvm::Value* holds_for(unsigned rounds, const core::While& op, const LoopStates& states);
  llvm::Value* blocks_of_rounds(const core::While& op, const core::Stmt& stmt, llvm::Value* all,
                                LoopStates& states, llvm::BasicBlock* exit,
                                std::vector<LoopEnd>& ends);
  std::vector<V> results_in_form(const std::vector<kernels::Value>& from,
                                 const std::vector<kernels::Value>& like);
  void set_in_form(const std::vector<kernels::Value>& to, const std::vector<V>& from);
  V in_form(kernels::Value v, kernels::Value like);
  llvm::Type* form_type(kernels::Value v);
  // code_elements.cpp
  void extract(const core::Extract& op, const core::Stmt& stmt);
  void insert(const core::Insert& op, const core::Stmt& stmt);
  V chosen_element(const core::Extract& op, kernels::Value result);
  V place_in_lanes(const Lanes& index, std::uint32_t array);
  V load_elements(std::uint32_t array, const Lanes& index);
  void store_elements(std::uint32_t array, const Lanes& index, V values);
  [[nodiscard]] bool is_in_memory(kernels::Value v) const;
  /// Stores to memory those passed values that it does not hold yet.
  void store_passed(const std::vector<kernels::Value>& passed);
  /// Loads those values from memory that are used by themselves.
  void load_versions(const std::vector<kernels::Value>& values);
  struct ElementMemory {
    llvm::AllocaInst* address = nullptr;
    llvm::Type* element = nullptr;  // as memory holds it
    bool is_in_lanes = false;
  };
  const ElementMemory& memory_of(std::uint32_t array);
  V element_address(const ElementMemory& memory, V row);
  void store_in_each_lane(const ElementMemory& memory, V rows, V values);
  // code_reduce.cpp
  void reduce(const core::Reduce& op, const core::Stmt& stmt);
  void ask_for_next_row(const kernels::Region& element, const StoredElement& stored);
  bool reads_row_again(const kernels::Region& element);
  void ask_for_next_row(const kernels::Region& element);
  void reduce_along_lanes(const core::Reduce& op, const core::Stmt& stmt);
  std::vector<V> reduce_in_order(const core::Reduce& op, const core::Stmt& stmt);
  std::vector<V> reduce_steps(const core::Reduce& op, const core::Stmt& stmt, V begin, V end,
                              const std::vector<V>& start);
  std::vector<V> reduce_under_mask(const core::Reduce& op, const core::Stmt& stmt);
  std::vector<V> reduced_element(const core::Reduce& op, const core::Stmt& stmt, Lanes k);
  std::vector<V> reduced(const core::Reduce& op, const core::Stmt& stmt, const std::vector<V>& left,
                         const std::vector<V>& right);
  std::vector<V> start_of(const core::Reduce& op, const core::Stmt& stmt);
  // code_foreign.cpp
  void foreign(const core::ForeignCall& op, kernels::Value result);
  V foreign_scalar(const core::ForeignCall& op, llvm::ArrayRef<V> args);
  V foreign_lanes(const core::ForeignCall& op, llvm::Type* result);
  // code_complex.cpp
  void load_part(const core::LoadLinear& l, kernels::Value result);
  V contiguous_part(llvm::Type* memory, V base, V index, unsigned part, bool reverse);
  [[nodiscard]] bool is_imaginary(std::size_t output) const;
  /// The position of an element's part, counted in parts (in elements, if the output is not
  /// complex).
  V place_in(std::size_t output, V index);
  void store_part(std::size_t output, V index, V value, bool stream);
  void store_pair(V real, V imaginary, V base, V index, bool stream);
  V each_twice(V lanes_on);
  // code_rows.cpp
  V taken_apart(llvm::ArrayRef<V> parts, llvm::function_ref<std::int64_t(std::int64_t)> place);
  // code_memory.cpp
  void load(const core::LoadLinear& l, kernels::Value result);
  bool load_kept(const core::LoadLinear& l, kernels::Value result);
  bool load_column(const core::LoadLinear& l, kernels::Value result);
  V load_scalar(llvm::Type* memory, V base, V index);
  V load_contiguous(llvm::Type* memory, V base, V index, bool reverse);
  V load_masked(llvm::FixedVectorType* type, V address, V lanes_on);
  V load_one_by_one(llvm::FixedVectorType* type, V address, V lanes_on);
  void store_masked(V x, V address);
  void for_lanes_on(V lanes_on, llvm::function_ref<void(V)> body);
  V load_apart(llvm::Type* memory, V base, V first, std::int64_t step);
  [[nodiscard]] bool is_near(std::int64_t step, std::size_t bytes = 1) const;
  [[nodiscard]] bool is_often_near(const Near& index) const;
  V load_near(const Near& index, llvm::function_ref<V()> neighbours, llvm::function_ref<V()> same,
              llvm::function_ref<V()> others);
  V swapped(V x, V swaps);
  V load_repeated(llvm::Type* memory, V base, const Near& index);
  V has_both_ends(unsigned shift);
  V gather(std::uint32_t array, llvm::Type* memory, V base, V indices);
  V gather_one_by_one(llvm::Type* memory, V base, V indices);
  V gather_unmasked(llvm::Type* memory, V base, V indices);
  V whole_bytes(V x);
  V reversed(V x);
  void store_from(V begin, V index, V x, bool stream);
  V all_lanes();
  void past_caches(llvm::StoreInst* store);
  template <class I>
  I* reads(I* instruction);
  template <class I>
  I* writes(I* instruction);

  const KernelModule& module_;
  const kernels::Kernel& kernel_;
  const Machine& machine_;
  unsigned lanes_;
  kernels::LongLoops long_loops_;
  std::optional<kernels::RootPowers> root_powers_;   // where products of roots may be contracted
  std::map<kernels::Value, std::pair<V, V>> roots_;  // emitted ones, and their arguments
  std::vector<bool> used_;                           // by Value: whether anything uses it
  V stop_word_ = nullptr;                            // its address
  V far_inputs_ = nullptr;                           // bits
  int far_gathers_ = 0;                              // number emitted so far
  int steps_asked_ = 0;                              // number of reads so far that test their step
  int near_steps_asked_ = 0;                         // the same, for steps of one to four
  int limits_asked_ = 0;                             // the same, for indices with a limit
  int loops_by_blocks_ = 0;                          // number of loops so far that turn rows
  llvm::BasicBlock* stopped_ = nullptr;              // leaves the function; made when needed
  std::set<std::uint32_t> rows_read_;                // arrays, by reductions along lanes so far
  bool asks_for_rows_ = false;                       // one of these has asked for the next row
  V real_part_ = nullptr;  // of a complex number to be stored, until its other part comes
  llvm::SmallVector<V, 8> real_parts_;  // the same for several, interleaved
  std::vector<Lanes> values_;
  std::vector<ElementMemory> arrays_;  // by private array; made when it is needed
  std::vector<V> inputs_, outputs_, extents_;
  V tail_ = nullptr;            // the number of lanes that may be on; null: all
  V tail_mask_ = nullptr;       // the mask of these lanes
  bool is_whole_ = false;       // the mask is one of conditions alone, in a vector that is whole
  bool may_overwrite_ = false;  // outputs may be in the memory of inputs
  llvm::MDNode *input_scope_, *output_scope_;  // else they never overlap
};

template <class F>
void LaneCode::when(V condition, const char* name, F&& then) {
  llvm::BasicBlock* inside = block(name);
  llvm::BasicBlock* after = block("after");
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  then();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

template <class I>
I* LaneCode::reads(I* instruction) {
  if (may_overwrite_) return instruction;
  instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, input_scope_);
  instruction->setMetadata(llvm::LLVMContext::MD_noalias, output_scope_);
  // Nothing writes inputs while a kernel runs: a load need not be repeated after a poll of the stop
  // word, or after a store.
  if (llvm::isa<llvm::LoadInst>(instruction))
    instruction->setMetadata(llvm::LLVMContext::MD_invariant_load,
                             llvm::MDNode::get(b.getContext(), {}));
  return instruction;
}

template <class I>
I* LaneCode::writes(I* instruction) {
  instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, output_scope_);
  instruction->setMetadata(llvm::LLVMContext::MD_noalias, input_scope_);
  return instruction;
}

}  // namespace hasten::backends::cpu
