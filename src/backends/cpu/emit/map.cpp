// out[ix] = element(ix): rows of the outer axes, vectors along the inner one.
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/rows/map_tiles.hpp"
#include "backends/cpu/emit/rows/short_rows.hpp"
#include "backends/cpu/emit/rows/turned_map.hpp"
#include "backends/cpu/emit/rows/window_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/emit/streams.hpp"
#include "kernels/analysis/foreign_functions.hpp"
#include "kernels/analysis/strides.hpp"
#include "kernels/stages.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

/// A function of type RunFunction that stores one region's results everywhere.
class MapEmitter {
 public:
  /// `kept`: values that wait in outputs and are further parameters of the element.
  /// `lane_step`: see kernels::Schedule; 1 beside windows and kept values.
  MapEmitter(const KernelModule& module, llvm::Function* function, const kernels::Region& element,
             unsigned lanes, std::int64_t window_columns = 0,
             std::span<const kernels::KeptElement> kept = {}, std::int64_t lane_step = 1)
      : function_(function),
        lane_step_(lane_step),
        few_(lane_step > 1 ? part_of(module, "hasten_few", element, 1) : nullptr),
        window_columns_(window_columns),
        window_(window_columns > 0 ? kernels::find_sliding_window(module.kernel, element)
                                   : std::nullopt),
        element_(window_ ? window_->consumer : element),
        kept_(kept),
        machine_(module.machine),
        code_(module, function, lanes) {
    code_.prefetched = reads_ahead(module.kernel, element_);
    if (window_) rows_.emplace(module, code_, *window_, window_columns);
  }

  static llvm::Function* part_of(const KernelModule& module, const char* name,
                                 const kernels::Region& element, unsigned lanes) {
    llvm::Function* part = declare_part(module, name);
    MapEmitter(module, part, element, lanes).run();
    return part;
  }

  void run() {
    auto& b = code_.b;
    std::vector<Place> places = element_places(code_.kernel(), code_.lanes() > 1);
    places.resize(element_.params.size(), {lane_level, Spread::varying});
    code_.hoisting.add(element_, places);
    V stream =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_stream)), code_.i64(0));
    if (!kept_.empty()) stream = b.CreateAnd(stream, fits_on_stack());
    OpenLevel entry(code_, 0);
    V first = function_->getArg(3), end = function_->getArg(4);
    if (rows_)
      counted(code_, first, end, window_columns_, {}, [&](V begin, const Values&) {
        V next = b.CreateAdd(begin, code_.i64(window_columns_));
        rows(begin, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, next, end), stream);
        return Values{};
      });
    else
      rows(first, end, stream);
    entry.close();
    code_.fence(stream);
    b.CreateRetVoid();
  }

 private:
  // The columns [first, end) of all rows.
  void rows(V first, V end, V stream) {
    auto& b = code_.b;
    const std::size_t rank = code_.kernel().rank;
    V first_row = function_->getArg(1);
    RowLoop rows(code_, first_row, function_->getArg(2), rank - 1);
    row_ = rows.row;
    for (std::size_t axis = 0; axis + 1 < rank; ++axis)
      code_.set(element_.params[axis], Uniform{rows.index[axis]});
    V start = b.CreateMul(rows.row, code_.extent(rank - 1));
    wait_for_row(start, stream);
    // Shorter rows are near enough for the hardware to have asked for the next one.
    V is_long = b.CreateICmpSGE(code_.extent(rank - 1), code_.i64(next_row_elements));
    code_.next_rows = {code_.extent(rank - 1), b.CreateAnd(stream, is_long)};
    OpenLevel row(code_, 1);
    if (rows_) {
      V is_first = b.CreateICmpEQ(rows.row, rank > 1 ? first_row : rows.row);
      if (rank > 1 && !window_->is_still)
        is_first = b.CreateOr(is_first, b.CreateICmpEQ(rows.index.back(), code_.i64(0)));
      rows_->fill(function_->getArg(0), rows.row, is_first, first, end);
    }
    if (code_.lanes() == 1)
      one_by_one(first, end, start);
    else if (lane_step_ > 1)
      groups(first, end, start, stream);
    else
      vectors(first, end, start, stream);
    row.close();
    rows.close();
  }

  // Results that go past the caches must not have waited in the outputs: the lines that they
  // overwrite would be fetched from memory. Their rows wait on the stack, if they leave room in a
  // first-level cache for what is read.
  V fits_on_stack() {
    auto& b = code_.b;
    std::int64_t bytes = 0;
    for (const kernels::KeptElement& kept : kept_) bytes += bytes_of(kept);
    stack_columns_ = stack_bytes / bytes;
    return b.CreateICmpSLE(code_.extent(code_.kernel().rank - 1), code_.i64(stack_columns_));
  }

  [[nodiscard]] std::int64_t bytes_of(const kernels::KeptElement& kept) const {
    return static_cast<std::int64_t>(detail::size_in_bytes(code_.kernel().outputs[kept.output]));
  }

  void wait_for_row(V start, V on_stack) {
    auto& b = code_.b;
    for (const kernels::KeptElement& kept : kept_) {
      llvm::AllocaInst* slot = code_.stack_slot(llvm::ArrayType::get(
          b.getInt8Ty(), static_cast<std::uint64_t>(stack_columns_ * bytes_of(kept))));
      slot->setAlignment(llvm::Align(line_bytes));
      V memory = b.CreateSelect(on_stack, slot, code_.output(kept.output));
      V row_bytes = b.CreateMul(code_.extent(code_.kernel().rank - 1), code_.i64(bytes_of(kept)));
      V next_row =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, row_bytes, code_.i64(prefetch_bytes));
      code_.stored_elements.push_back(
          {kept, memory, b.CreateSelect(on_stack, code_.i64(0), start), next_row, on_stack});
    }
  }

  // Groups of as many vectors as lanes are elements apart, from a multiple of that on; then the
  // elements after and before them. Unless outputs are in the memory of inputs, one more group at
  // the end computes some elements again.
  void groups(V first, V end, V start, V stream) {
    auto& b = code_.b;
    const std::int64_t elements = lane_step_ * static_cast<std::int64_t>(code_.lanes());
    V begin = first_of_groups(first, end, start, stream);
    V on_line = b.CreateICmpEQ(
        b.CreateAnd(b.CreateAdd(start, begin), code_.i64(line_elements() - 1)), code_.i64(0));
    V left = b.CreateSub(end, begin);
    V whole = b.CreateAdd(begin, b.CreateSub(left, b.CreateURem(left, code_.i64(elements))));
    V some = b.CreateAdd(begin, b.CreateSub(left, b.CreateURem(left, code_.i64(lane_step_))));
    V in_place = b.CreateAnd(function_->getArg(6), code_.i64(run_in_place));
    V again = b.CreateAnd(b.CreateICmpSLT(whole, some), b.CreateICmpSLT(begin, whole));
    again = b.CreateAnd(again, b.CreateICmpEQ(in_place, code_.i64(0)));
    const auto whole_groups = [&](V from, V to, V is_again) {
      V past_caches = b.CreateAnd(b.CreateAnd(stream, on_line), b.CreateNot(is_again));
      code_.when(b.CreateICmpSLT(from, to), "groups", [&] {
        counted(code_, from, to, elements, {}, [&](V index, const Values&) {
          group(index, start, past_caches);
          return Values{};
        });
      });
    };
    whole = and_again({begin, whole}, {b.CreateSub(some, code_.i64(elements)), some}, again,
                      whole_groups);
    beside(first, {begin, whole}, end,
           [&](V from, V to) { beside_groups(from, to, start, stream); });
  }

  struct Columns {
    V begin, end;
  };

  // f(begin, end, whether it is again), for the columns, and where `again` holds for those at the
  // end again. Returns where these end. The code is emitted once.
  V and_again(const Columns& columns, const Columns& at_end, V again,
              llvm::function_ref<void(V, V, V)> f) {
    auto& b = code_.b;
    const bool never = llvm::isa<llvm::ConstantInt>(again);
    counted(code_, code_.i64(0), b.CreateSelect(again, code_.i64(2), code_.i64(1)), 1, {},
            [&](V part, const Values&) {
              V is_again = never ? again : b.CreateICmpEQ(part, code_.i64(1));
              f(b.CreateSelect(is_again, at_end.begin, columns.begin),
                b.CreateSelect(is_again, at_end.end, columns.end), is_again);
              return Values{};
            });
    return b.CreateSelect(again, at_end.end, columns.end);
  }

  // f(begin, end), for the columns of [first, end) before the others, if any, and for those after.
  // The code is emitted once.
  void beside(V first, const Columns& others, V end, llvm::function_ref<void(V, V)> f) {
    auto& b = code_.b;
    V none_before = b.CreateICmpEQ(others.begin, first);
    counted(code_, b.CreateZExt(none_before, b.getInt64Ty()), code_.i64(2), 1, {},
            [&](V part, const Values&) {
              V is_after = b.CreateICmpEQ(part, code_.i64(1));
              f(b.CreateSelect(is_after, others.end, first),
                b.CreateSelect(is_after, end, others.begin));
              return Values{};
            });
  }

  // Lanes would gather, and compute all sides of branches.
  void beside_groups(V first, V end, V start, V stream) {
    auto& b = code_.b;
    V count = b.CreateSub(end, first);
    V are_few = b.CreateICmpULT(count, code_.i64(code_.lanes()));
    const auto one_by_one = [&]() -> V {
      code_.when(b.CreateICmpSGT(count, code_.i64(0)), "few", [&] {
        V row = code_.kernel().rank > 1 ? row_ : function_->getArg(1);
        b.CreateCall(few_, {function_->getArg(0), row, b.CreateAdd(row, code_.i64(1)), first, end,
                            function_->getArg(5), function_->getArg(6)});
      });
      return nullptr;
    };
    code_.mostly(are_few, one_by_one, [&]() -> V {
      vectors(first, end, start, stream);
      return nullptr;
    });
  }

  // The first multiple of the step, and in rows that begin on a line of the outputs one on a line,
  // if these go past the caches.
  V first_of_groups(V first, V end, V start, V stream) {
    auto& b = code_.b;
    const auto next_multiple = [&](std::int64_t of) {
      V past = b.CreateURem(first, code_.i64(of));
      V none = b.CreateICmpEQ(past, code_.i64(0));
      return b.CreateSelect(none, first, b.CreateAdd(first, b.CreateSub(code_.i64(of), past)));
    };
    V rows_on_lines =
        b.CreateICmpEQ(b.CreateAnd(start, code_.i64(line_elements() - 1)), code_.i64(0));
    V begin =
        b.CreateSelect(b.CreateAnd(stream, rows_on_lines),
                       next_multiple(lane_step_ * line_elements()), next_multiple(lane_step_));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, end);
  }

  // From a multiple of the step on.
  void group(V index, V start, V stream) {
    auto& b = code_.b;
    V multiple = b.CreateExactUDiv(index, code_.i64(lane_step_));
    code_.apart_lanes = {index, multiple, lane_step_, shared_reads()};
    std::vector<std::vector<V>> columns(element_.results.size());
    for (std::int64_t k = 0; k < lane_step_; ++k) {
      code_.apart_lanes->neighbour = static_cast<std::size_t>(k);
      compute(Affine{b.CreateAdd(index, code_.i64(k)), code_.i64(lane_step_)}, next_level());
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i].push_back(code_.vector(element_.results[i]));
    }
    code_.apart_lanes.reset();
    V target = b.CreateAdd(start, index);
    store_either_way(code_, stream, element_, [&](bool past_caches) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        code_.store_rows(i, target, columns[i], past_caches);
    });
  }

  // Reads that are made of each element, and go from neighbour to neighbour.
  std::map<kernels::Value, std::vector<V>> shared_reads() {
    const kernels::Kernel& kernel = code_.kernel();
    const std::vector<kernels::Stride> strides =
        kernels::value_strides(kernel, element_, kernel.rank - std::size_t{1});
    std::map<kernels::Value, std::vector<V>> reads;
    for (const core::Stmt& stmt : element_.body) {
      const auto* load = std::get_if<core::LoadLinear>(&stmt.op);
      if (load && strides[load->index] == kernels::Stride::one &&
          !detail::is_complex(kernel.inputs[load->array]))
        reads[stmt.results[0]] = {};
    }
    return reads;
  }

  // Whole vectors, which begin on a line of the outputs if they go past the caches; then the
  // elements after them and before them, under masks.
  void vectors(V first, V end, V start, V stream) {
    auto& b = code_.b;
    const auto lanes = static_cast<std::int64_t>(code_.lanes());
    V past_line =
        b.CreateAnd(b.CreateNeg(b.CreateAdd(start, first)), code_.i64(line_elements() - 1));
    V begin = b.CreateAdd(first, b.CreateSelect(stream, past_line, code_.i64(0)));
    begin = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, begin, end);
    V whole_end = b.CreateAdd(begin, b.CreateAnd(b.CreateSub(end, begin), code_.i64(-lanes)));
    V is_again = ends_again() ? is_last_again(first, whole_end, end, stream) : b.getFalse();
    whole_end = and_again({begin, whole_end}, {b.CreateSub(end, code_.i64(lanes)), end}, is_again,
                          [&](V from, V to, V again) {
                            whole_vectors(from, to, start, b.CreateAnd(stream, b.CreateNot(again)));
                          });
    beside(first, {begin, whole_end}, end,
           [&](V from, V to) { in_parts(from, to, start, stream); });
  }

  // Vectors that begin at a multiple of the lanes have a loop of their own where that decides what
  // the bits of their indices are: see gains_by_alignment.
  void whole_vectors(V begin, V end, V start, V stream) {
    auto& b = code_.b;
    const auto lanes = static_cast<std::int64_t>(code_.lanes());
    V any = b.CreateICmpSLT(begin, end);
    const auto loop = [&](V condition, llvm::function_ref<V(V)> place) {
      code_.when(condition, "whole", [&] {
        counted(code_, begin, end, lanes, {}, [&](V index, const Values&) {
          elements(place(index), start, stream, next_level(), false);
          return Values{};
        });
      });
    };
    if (!gains_by_alignment()) return loop(any, [](V index) { return index; });
    V low = b.CreateAnd(begin, code_.i64(lanes - 1));
    V is_aligned = b.CreateICmpEQ(low, code_.i64(0));
    // The bits that are masked out are 0, which LLVM learns thereby.
    loop(b.CreateAnd(any, is_aligned),
         [&](V index) { return b.CreateAnd(index, code_.i64(-lanes)); });
    loop(b.CreateAnd(any, b.CreateNot(is_aligned)), [](V index) { return index; });
  }

  // Whether elements use the bits of their index below the number of lanes, as halves of an index,
  // parities, and neighbours in another order do. In vectors that begin at a multiple of the lanes
  // these are the same numbers in each, and what is read there is where it is expected.
  [[nodiscard]] bool gains_by_alignment() const {
    const kernels::Value index = element_.params[code_.kernel().rank - 1];
    std::set<kernels::Value> constants;
    return std::ranges::any_of(element_.body, [&](const core::Stmt& stmt) {
      if (std::holds_alternative<core::Constant>(stmt.op)) constants.insert(stmt.results[0]);
      const auto* prim = std::get_if<core::Prim>(&stmt.op);
      if (!prim || prim->args.size() != 2) return false;
      const bool is_of_index = prim->args[0] == index || prim->args[1] == index;
      const bool is_by_constant = constants.contains(prim->args[1]);
      return is_of_index && (prim->op == core::ScalarOp::xor_ ||
                             (is_by_constant && (prim->op == core::ScalarOp::shr ||
                                                 prim->op == core::ScalarOp::and_)));
    });
  }

  // Without mask registers, one more whole vector at the row's end replaces the masked rest, if the
  // row has a whole vector: some of its elements are computed again. There, masked stores take many
  // times as long as whole ones, and without any masks, as for bytes, each lane would be tested,
  // loaded and stored by itself. If there is only one row the rest does not matter, and foreign
  // functions are called for each lane.
  [[nodiscard]] bool ends_again() const {
    return machine_.bits < 512 && kept_.empty() &&
           (code_.kernel().rank > 1 || !moves_masked_numbers()) &&
           kernels::foreign_functions(code_.kernel()).empty();
  }

  // A line that has gone past the caches is never written again, and no element is computed from an
  // input that its first result has overwritten.
  V is_last_again(V first, V whole_end, V end, V stream) {
    auto& b = code_.b;
    V lanes = code_.i64(static_cast<std::int64_t>(code_.lanes()));
    V in_place = b.CreateAnd(function_->getArg(6), code_.i64(run_in_place));
    V again = b.CreateAnd(b.CreateICmpSLT(whole_end, end),
                          b.CreateICmpSGE(b.CreateSub(end, first), lanes));
    again = b.CreateAnd(again, b.CreateICmpEQ(in_place, code_.i64(0)));
    return moves_masked_numbers() ? b.CreateAnd(again, b.CreateNot(stream)) : again;
  }

  // Whether all elements have types that masks load and store.
  [[nodiscard]] bool moves_masked_numbers() const {
    const auto is_masked = [&](core::ScalarType type) {
      return machine_.masks_reads_of(detail::size_in_bytes(detail::part_of(type)));
    };
    return std::ranges::all_of(code_.kernel().outputs, is_masked) &&
           std::ranges::all_of(code_.kernel().inputs, is_masked);
  }

  // In several vectors: where lanes are few, a line has more elements than a vector.
  void in_parts(V begin, V end, V start, V stream) {
    auto& b = code_.b;
    const auto lanes = static_cast<std::int64_t>(code_.lanes());
    code_.when(b.CreateICmpSLT(begin, end), "part", [&] {
      counted(code_, begin, end, lanes, {}, [&](V index, const Values&) {
        V left = b.CreateSub(end, index);
        code_.begin_tail(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, code_.i64(lanes)));
        elements(index, start, stream, lane_level, true);
        code_.end_tail();
        return Values{};
      });
    });
  }

  // For the output with the smallest elements: the lines of the others begin there, too.
  [[nodiscard]] std::int64_t line_elements() const {
    std::size_t smallest = line_bytes;
    for (core::ScalarType t : code_.kernel().outputs)
      smallest = std::min(smallest, detail::size_in_bytes(t));
    return static_cast<std::int64_t>(line_bytes / smallest);
  }

  void one_by_one(V first, V end, V start) {
    counted(code_, first, end, 1, {}, [&](V index, const Values&) {
      compute(Uniform{index}, 0);
      for (std::size_t i = 0; i < element_.results.size(); ++i)
        code_.store(i, code_.b.CreateAdd(start, index), code_.scalar(element_.results[i]), false);
      return Values{};
    });
  }

  // Code above the lanes' level is emitted once.
  unsigned next_level() { return std::exchange(next_level_, lane_level); }

  void compute(Lanes index, unsigned first) {
    code_.set(element_.params[code_.kernel().rank - 1], index);
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(element_, first);
  }

  // Code above level `first` has been emitted.
  void elements(V index, V start, V stream, unsigned first, bool tail) {
    if (rows_) rows_->read(index);
    V target = code_.b.CreateAdd(start, index);
    for (const StoredElement& stored : code_.stored_elements)
      code_.set(stored.kept.element, Varying{code_.load_waiting(stored, index)});
    compute(Affine{index, code_.i64(1)}, first);
    Values results;
    for (kernels::Value v : element_.results) results.push_back(code_.vector(v));
    const auto store = [&](bool past_caches) {
      for (std::size_t i = 0; i < results.size(); ++i)
        code_.store(i, target, results[i], past_caches);
    };
    if (tail) return store(false);
    store_either_way(code_, stream, element_, store);
  }

  static constexpr std::int64_t stack_bytes = 16384;
  static constexpr std::int64_t next_row_elements = 512;

  llvm::Function* function_;
  const std::int64_t lane_step_;
  llvm::Function* const few_;  // goes element by element
  unsigned next_level_ = 0;
  V row_ = nullptr;
  std::int64_t window_columns_;
  std::int64_t stack_columns_ = 0;
  const std::optional<kernels::SlidingWindow> window_;
  const kernels::Region& element_;
  const std::span<const kernels::KeptElement> kept_;
  const Machine& machine_;
  LaneCode code_;
  std::optional<WindowRows> rows_;
};

/// Rows whose elements read what a reduction stored, provided that the reduction goes over exactly
/// the row's elements, and all of them are wanted; else everything is computed where it is needed.
void emit_with_kept(const KernelModule& module, llvm::Function* run,
                    const kernels::Schedule& schedule) {
  const kernels::KeptElements elements = *kernels::find_kept_elements(module.kernel);
  llvm::Function *kept = declare_part(module, "hasten_kept"),
                 *apart = declare_part(module, "hasten_apart");
  MapEmitter(module, kept, elements.element, schedule.lanes, 0, elements.kept).run();
  MapEmitter(module, apart, module.kernel.element, schedule.lanes).run();
  LaneCode code(module, run, 1);
  auto& b = code.b;
  V width = code.extent(module.kernel.rank - 1);
  V fits = b.CreateAnd(b.CreateICmpEQ(run->getArg(3), code.i64(0)),
                       b.CreateICmpEQ(run->getArg(4), width));
  for (const kernels::KeptElement& k : elements.kept)
    fits = b.CreateAnd(fits, b.CreateICmpEQ(code.scalar(k.end), width));
  go_on_in(b, run, b.CreateSelect(fits, kept, apart));
}

/// Rows that fill whole tiles, then the others.
void emit_with_tiles(const KernelModule& module, const kernels::Schedule& schedule) {
  llvm::Function *run = declare_run(module), *tiles = declare_part(module, "hasten_tiles"),
                 *rows = declare_part(module, "hasten_rows");
  emit_map_tiles(module, tiles, schedule);
  MapEmitter(module, rows, module.kernel.element, schedule.lanes).run();
  LaneCode code(module, run, 1);
  auto& b = code.b;
  V first = run->getArg(1), end = run->getArg(2);
  V whole = b.CreateAnd(b.CreateSub(end, first), code.i64(-schedule.tile_rows));
  V whole_end = b.CreateAdd(first, whole);
  const auto call = [&](llvm::Function* part, V from, V to) {
    code.when(b.CreateICmpSLT(from, to), "rows", [&] {
      b.CreateCall(part, {run->getArg(0), from, to, run->getArg(3), run->getArg(4), run->getArg(5),
                          run->getArg(6)});
    });
  };
  call(tiles, first, whole_end);
  call(rows, whole_end, end);
  b.CreateRetVoid();
}

void emit_with_borders(const KernelModule& module, llvm::Function* function,
                       const kernels::Schedule& schedule) {
  emit_borders(module, function, schedule.lanes,
               [&](const char* name, const kernels::Region& element, unsigned lanes) {
                 const bool inside = &element == &module.kernel.interior->element;
                 llvm::Function* part = declare_part(module, name);
                 MapEmitter(module, part, element, lanes, inside ? schedule.window_columns : 0, {},
                            inside ? schedule.lane_step : 1)
                     .run();
                 return part;
               });
}

// For complex numbers, only runs along rows are transposed.
void emit_across_rows(const KernelModule& module, const kernels::Schedule& schedule) {
  llvm::Function* const run = declare_run(module, Form::across_rows);
  constexpr std::int64_t elements = 64;
  const bool is_plain = !kernels::has_reductions(module.kernel.element) &&
                        std::ranges::none_of(module.kernel.inputs, detail::is_complex);
  if (!is_plain) return emit_short_rows_across(module, run, schedule.lanes_across);
  emit_across_blocks(module, run, schedule.lanes_across, {1, elements, schedule.lanes});
}

void emit_usual_map(const KernelModule& module, const kernels::Schedule& schedule,
                    Form form = Form::usual) {
  if (module.kernel.interior) return emit_with_borders(module, declare_run(module, form), schedule);
  if (schedule.tile_rows > 1) return emit_with_tiles(module, schedule);
  if (schedule.turned_rows > 0 && form == Form::usual)
    return emit_turned_map(module, declare_run(module), schedule);
  llvm::Function* run = declare_run(module, form);
  if (schedule.kept_elements > 0) return emit_with_kept(module, run, schedule);
  MapEmitter(module, run, module.kernel.element, schedule.lanes, schedule.window_columns, {},
             schedule.lane_step)
      .run();
}

void emit_knowing(const KernelModule& module, const kernels::Schedule& schedule, Form form) {
  constexpr std::int64_t elements = 64;
  KernelModule knowing = module;
  knowing.known = known_numbers(module.kernel, schedule, form);
  if (is_apart(form)) return emit_usual_map(knowing, schedule, form);
  emit_across_blocks(knowing, declare_run(module, form), schedule.lanes_of_rows,
                     {1, elements, schedule.lanes});
}

}  // namespace

llvm::Function* declare_function(const KernelModule& module, const char* name,
                                 llvm::ArrayRef<llvm::Type*> params) {
  llvm::LLVMContext& context = module.llvm.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), params, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module.llvm);
  const std::string width = std::to_string(module.machine.bits);
  function->addFnAttr("target-cpu", module.machine.cpu);
  if (!module.machine.tune.empty()) function->addFnAttr("tune-cpu", module.machine.tune);
  function->addFnAttr("target-features", module.machine.features);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  function->setDoesNotThrow();
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  return function;
}

llvm::Function* declare_run(const KernelModule& module, Form form) {
  llvm::LLVMContext& context = module.llvm.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context),
             *number = llvm::Type::getInt64Ty(context);
  return declare_function(module, run_symbol(form),
                          {pointer, number, number, number, number, pointer, number});
}

llvm::Function* declare_part(const KernelModule& module, const char* name) {
  llvm::Function* function = declare_run(module);
  function->setName(name);
  function->setLinkage(llvm::Function::InternalLinkage);
  return function;
}

void go_on_in(llvm::IRBuilder<>& b, llvm::Function* run, V chosen) {
  llvm::SmallVector<V, 8> arguments;
  for (llvm::Argument& argument : run->args()) arguments.push_back(&argument);
  b.CreateCall(run->getFunctionType(), chosen, arguments);
  b.CreateRetVoid();
}

llvm::Function* declare_finish(const KernelModule& module) {
  llvm::LLVMContext& context = module.llvm.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context),
             *number = llvm::Type::getInt64Ty(context);
  return declare_function(module, finish_symbol, {pointer, number, number, pointer});
}

llvm::Function* emit_columns(const KernelModule& module, const char* name,
                             const kernels::Region& element, unsigned lanes) {
  return MapEmitter::part_of(module, name, element, lanes);
}

void emit_map(const KernelModule& module, const kernels::Schedule& schedule, const Forms& forms) {
  if (has(forms, Form::usual)) emit_usual_map(module, schedule);
  if (has(forms, Form::short_rows)) emit_short_rows(module, schedule);
  if (has(forms, Form::across_rows)) emit_across_rows(module, schedule);
  if (has(forms, Form::across_blocks))
    emit_across_blocks(module, declare_run(module, Form::across_blocks), schedule.lanes_outside,
                       {2, schedule.outside_depth});
  for (std::size_t form = number_of(Form::apart_2); form < form_count; ++form)
    if (forms[form]) emit_knowing(module, schedule, static_cast<Form>(form));
}

}  // namespace hasten::backends::cpu
