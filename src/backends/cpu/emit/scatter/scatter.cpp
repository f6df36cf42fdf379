// Scatters: updates of outputs at computed places, in the order of the index space. With one lane
// the code is scalar throughout.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/scatter/few_targets.hpp"
#include "backends/cpu/emit/scatter/updates.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/emit/streams.hpp"
#include "backends/cpu/launch/private_outputs.hpp"
#include "kernels/analysis/strides.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

constexpr std::size_t interleaved_most = 8;  // writes
// Light elements taken one by one cost no more than their loop's counter.
constexpr std::int64_t together = output_copies;
constexpr std::size_t together_statements_max = 20;

// The tasks that the code is for, by the outputs that they have. `few`: all outputs, which are few.
enum class Tasks : std::uint8_t { any, whole, part, few };

class ScatterEmitter {
 public:
  /// `columns`: of every row, if they are known and few.
  ScatterEmitter(const KernelModule& module, llvm::Function* function, unsigned lanes,
                 Tasks tasks = Tasks::any, unsigned few = 0, std::int64_t columns = 0)
      : function_(function),
        tasks_(tasks),
        targets_(few),
        columns_(columns),
        code_(module, function_, lanes) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, has_lanes()));
    hoist_operator(code_,
                   has_lanes() && tasks_ == Tasks::any && kernels::updates_neighbours(kernel));
    if (tasks_ == Tasks::few)
      few_.emplace(code_, targets_);
    else if (!kernel.unique)
      updates_.emplace(code_, function_->getArg(5), tasks_ == Tasks::part);
    stream_ =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_stream)), code_.i64(0));
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    V begin = function_->getArg(3), end = function_->getArg(4);
    if (has_lanes())
      by_vectors(begin, end);
    else
      one_by_one(begin, end);
    row.close();
    rows.close();
    if (updates_) updates_->finish();
    if (few_) few_->finish();
    entry.close();
    if (has_streams_) code_.fence(stream_);
    b.CreateRetVoid();
  }

 private:
  [[nodiscard]] bool has_lanes() const { return code_.lanes() > 1; }

  [[nodiscard]] bool is_light() const {
    const Kernel& kernel = code_.kernel();
    return kernel.element.body.size() + kernel.combine.body.size() <= together_statements_max;
  }

  void by_vectors(V begin, V end) {
    if (few_) return by_vectors_of_few(begin, end);
    const auto vector = [&](V index, const Values& collected, bool tail) {
      if (updates_) updates_->resume(collected);
      elements(index, tail);
      return updates_ ? updates_->count() : Values{};
    };
    const Values collected = updates_ ? updates_->begin_row() : Values{};
    const Values after = in_vectors(code_, begin, end, collected, vector);
    if (updates_) updates_->end_row(after);
  }

  void by_vectors_of_few(V begin, V end) {
    const auto vector = [&](V index, const Values& results, bool tail) {
      few_->resume(results);
      elements(index, tail);
      return few_->results();
    };
    few_->end_row(in_vectors(code_, begin, end, few_->begin_row(), vector));
  }

  void one_by_one(V begin, V end) {
    if (updates_) std::tie(begin, end) = updates_->within_bounds(begin, end);
    if (!updates_ || !is_light()) return in_steps(begin, end);
    const auto by_tasks_with = [&](bool whole) {
      updates_->take(whole);
      in_steps(begin, end);
      return nullptr;
    };
    if (tasks_ == Tasks::whole) return void(by_tasks_with(true));
    code_.mostly(
        updates_->is_whole(), [&]() -> V { return by_tasks_with(true); },
        [&]() -> V { return by_tasks_with(false); });
  }

  void in_steps(V begin, V end) {
    auto& b = code_.b;
    V single = begin;
    if (columns_ > 0) {
      V is_whole = b.CreateICmpEQ(b.CreateSub(end, begin), code_.i64(columns_));
      code_.when(is_whole, "row", [&] { together_from(begin, columns_); });
      single = b.CreateSelect(is_whole, end, begin);
    } else if (is_light()) {
      single = b.CreateAdd(begin, b.CreateAnd(b.CreateSub(end, begin), code_.i64(-together)));
      code_.when(b.CreateICmpSLT(begin, single), "together",
                 [&] { steps(begin, single, together); });
    }
    code_.when(b.CreateICmpSLT(single, end), "single", [&] { steps(single, end, 1); });
  }

  void steps(V begin, V end, std::int64_t step) {
    counted(code_, begin, end, step, {}, [&](V index, const Values&) {
      together_from(index, step);
      return Values{};
    });
  }

  void together_from(V index, std::int64_t count) {
    are_joint_ = count > 1 && updates_ && updates_->are_joint();
    for (std::int64_t k = 0; k < count; ++k) {
      if (updates_) updates_->take_copy(static_cast<std::size_t>(k));
      elements(code_.b.CreateAdd(index, code_.i64(k)), false);
    }
    if (are_joint_) updates_->make_deferred();
    are_joint_ = false;
    if (updates_) updates_->take_copy(0);
  }

  void elements(V index, bool tail) {
    const kernels::Region& fn = code_.kernel().element;
    code_.set(fn.params.back(),
              has_lanes() ? Lanes(Affine{index, code_.i64(1)}) : Lanes(Uniform{index}));
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, tail ? lane_level : 0);
    V old_mask = code_.mask;
    if (are_joint_)
      updates_->defer();
    else if (few_)
      few_->emit();
    else if (updates_)
      updates_->emit();
    else
      store_writes();
    code_.mask = old_mask;
  }

  [[nodiscard]] std::span<const Value> written() const {
    return kernels::written(code_.kernel(), write_);
  }
  [[nodiscard]] Value keep() const { return written()[0]; }
  [[nodiscard]] Value target() const { return written()[1]; }
  [[nodiscard]] std::span<const Value> leaves() const { return written().subspan(2); }

  // -- no two elements meet -------------------------------------------------------------------

  void store_writes() {
    const std::optional<Interleaved> side_by_side = interleaved();
    const V streamed = has_lanes() && !code_.mask ? may_stream(side_by_side) : nullptr;
    const auto store = [&](bool past_caches) {
      if (side_by_side) return store_interleaved(*side_by_side, past_caches);
      V there = code_.mask;
      for (write_ = 0; write_ < code_.kernel().writes; ++write_) {
        code_.mask = there;
        store_kept(past_caches);
      }
    };
    if (!streamed) return store(false);
    has_streams_ = true;
    store_either_way(code_, streamed, code_.kernel().element, store);
  }

  // Elements that are adjacent in memory, followed by those of the next lane: the writes in that
  // order, of which the first goes to `first`.
  struct Interleaved {
    V first;
    std::vector<std::size_t> order;
  };

  std::optional<Interleaved> interleaved() {
    const std::size_t count = code_.kernel().writes;
    sums_.clear();
    if (count < 2 || count > interleaved_most || !has_lanes() || code_.mask) return std::nullopt;
    V first = nullptr;
    std::vector<std::int64_t> places;
    for (write_ = 0; write_ < count; ++write_) {
      V at = always_written(static_cast<std::int64_t>(count));
      if (!at) return std::nullopt;
      const auto [base, plus] = with_constant(at);
      if (first && base != first) return std::nullopt;
      first = base;
      places.push_back(plus);
    }
    const std::int64_t least = *std::ranges::min_element(places);
    std::vector<std::size_t> order(count, count);
    for (std::size_t write = 0; write < count; ++write) {
      const std::int64_t place = places[write] - least;
      if (place >= static_cast<std::int64_t>(count)) return std::nullopt;
      order[static_cast<std::size_t>(place)] = write;
    }
    if (std::ranges::find(order, count) != order.end()) return std::nullopt;
    return Interleaved{code_.b.CreateAdd(first, code_.i64(least)), std::move(order)};
  }

  // The place where lane 0 writes, if every lane writes and each next lane `step` elements further
  // on; else null.
  V always_written(std::int64_t step) {
    const auto* kept = std::get_if<Uniform>(&code_.get(keep()));
    const auto* known = kept ? llvm::dyn_cast<llvm::ConstantInt>(kept->value) : nullptr;
    const auto* to = std::get_if<Affine>(&code_.get(target()));
    const auto* by = to ? llvm::dyn_cast<llvm::ConstantInt>(to->step) : nullptr;
    return known && known->isOne() && by && by->getSExtValue() == step ? to->base : nullptr;
  }

  void store_interleaved(const Interleaved& writes, bool past_caches) {
    const Kernel& kernel = code_.kernel();
    for (std::size_t leaf = 0; leaf < kernel.outputs.size(); ++leaf) {
      Values values;
      for (const std::size_t write : writes.order)
        values.push_back(code_.vector(kernels::written(kernel, write)[2 + leaf]));
      code_.store_interleaved(leaf, writes.first, values, past_caches);
    }
  }

  // Whether this vector's stores go past the caches: the launch asks for it, and they fill whole
  // lines. Null if they never do.
  V may_stream(const std::optional<Interleaved>& side_by_side) {
    const std::size_t count = code_.kernel().writes;
    V streamed = stream_;
    if (side_by_side) return whole_lines(side_by_side->first, count, streamed);
    for (write_ = 0; streamed && write_ < count; ++write_) {
      V at = always_written(1);
      streamed = at ? whole_lines(at, 1, streamed) : nullptr;
    }
    return streamed;
  }

  // `condition`, and that the elements from `first` on, `of_lane` per lane, are whole lines of each
  // output.
  V whole_lines(V first, std::size_t of_lane, V condition) {
    auto& b = code_.b;
    for (std::size_t leaf = 0; leaf < code_.kernel().outputs.size(); ++leaf) {
      const std::size_t bytes = detail::size_in_bytes(code_.kernel().outputs[leaf]);
      if (bytes * of_lane * code_.lanes() % line_bytes != 0) return nullptr;
      V address = b.CreateAdd(b.CreatePtrToInt(code_.output(leaf), b.getInt64Ty()),
                              b.CreateMul(first, code_.i64(static_cast<std::int64_t>(bytes))));
      V in_line = b.CreateAnd(address, code_.i64(line_bytes - 1));
      condition = b.CreateAnd(condition, b.CreateICmpEQ(in_line, code_.i64(0)));
    }
    return condition;
  }

  // x = first + second. Sums of equal terms have one `first`, whatever the order of addition.
  std::pair<V, std::int64_t> with_constant(V x) {
    std::int64_t constant = 0;
    Values terms, open{x};
    while (!open.empty()) {
      V term = open.back();
      open.pop_back();
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(term);
      auto* add = llvm::dyn_cast<llvm::BinaryOperator>(term);
      if (number)
        constant += number->getSExtValue();
      else if (add && add->getOpcode() == llvm::Instruction::Add)
        open.insert(open.end(), {add->getOperand(1), add->getOperand(0)});
      else
        terms.push_back(term);
    }
    Values sorted = terms;
    std::ranges::sort(sorted);
    const auto [known, is_new] = sums_.try_emplace(std::move(sorted), nullptr);
    if (is_new) {
      V sum = terms.empty() ? code_.i64(0) : terms[0];
      for (std::size_t i = 1; i < terms.size(); ++i) sum = code_.b.CreateAdd(sum, terms[i]);
      known->second = sum;
    }
    return {known->second, constant};
  }

  void store_kept(bool past_caches) {
    if (const auto* same = std::get_if<Uniform>(&code_.get(keep()))) {
      if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(same->value);
          known && known->isOne())
        return store_lanes(past_caches);
      return code_.when(same->value, "kept", [&] { store_lanes(false); });
    }
    const auto& kept = std::get<Varying>(code_.get(keep()));
    if (!kept.near.first || kept.near.is_limit || code_.mask) return store_some(kept.value);
    const auto all = [&]() -> V {
      store_lanes(false);
      return nullptr;
    };
    const auto some = [&]() -> V {
      store_some(kept.value);
      return nullptr;
    };
    code_.mostly(code_.b.CreateAnd(kept.near.fits, kept.near.first), all, some);
  }

  void store_some(V kept) {
    code_.mask = code_.mask ? code_.b.CreateAnd(code_.mask, kept) : kept;
    code_.when(code_.any(code_.mask), "kept", [&] { store_lanes(false); });
  }

  void store_lanes(bool past_caches) {
    for (std::size_t i = 0; i < leaves().size(); ++i) {
      V value = code_.vector(leaves()[i]);
      if (past_caches)
        code_.store(i, std::get<Affine>(code_.get(target())).base, value, true);
      else
        code_.store_at(i, code_.get(target()), value);
    }
  }

  llvm::Function* function_;
  Tasks tasks_;
  unsigned targets_;
  std::int64_t columns_;
  LaneCode code_;
  std::size_t write_ = 0;           // the write that is stored
  V stream_ = nullptr;              // whether the launch's stores go past the caches
  bool has_streams_ = false;        // whether any can
  std::optional<Updates> updates_;  // of elements that may meet
  std::optional<FewTargets> few_;   // of such elements
  bool are_joint_ = false;          // updates of a round are deferred to its end
  std::map<Values, V> sums_;        // by their terms; for the block at hand
};

// The scatter's code with this many lanes, for these tasks, in a function of its own.
llvm::Function* part_for(const KernelModule& module, const char* name, unsigned lanes,
                         Tasks tasks = Tasks::any) {
  llvm::Function* function = declare_part(module, name);
  ScatterEmitter(module, function, lanes, tasks).run();
  return function;
}

// `run` calls one of several functions, chosen by the width of rows and by the outputs that the
// task has.
class FunctionChoice {
 public:
  explicit FunctionChoice(const KernelModule& module)
      : module_(module),
        run_(declare_run(module)),
        b_(llvm::BasicBlock::Create(module.llvm.getContext(), "entry", run_)) {}

  void run(const kernels::Schedule& schedule) {
    V chosen = schedule.part_lanes > 0 ? by_outputs(schedule.part_lanes)
                                       : part_for(module_, "hasten_elements", schedule.lanes);
    if (schedule.neighbour_lanes > 0) chosen = by_width(schedule.neighbour_lanes, chosen);
    go_on_in(b_, run_, chosen);
  }

 private:
  V by_outputs(unsigned part_lanes) {
    llvm::Function* whole = part_for(module_, "hasten_whole_outputs", 1, Tasks::whole);
    llvm::Function* part = part_for(module_, "hasten_part_of_outputs", part_lanes, Tasks::part);
    V is_whole = b_.CreateAnd(b_.CreateICmpEQ(part_slot(0), b_.getInt64(0)),
                              b_.CreateICmpEQ(part_slot(1), b_.getInt64(INT64_MAX)));
    return b_.CreateSelect(is_whole, whole, part);
  }

  // Of the task's part of the outputs.
  V part_slot(std::uint64_t slot) {
    V place = b_.CreateConstGEP1_64(b_.getInt64Ty(), run_->getArg(5), slot);
    return b_.CreateLoad(b_.getInt64Ty(), place);
  }

  // A masked vector takes as long as a few elements, if the machine has masks.
  V by_width(unsigned lanes, V one_by_one) {
    constexpr unsigned elements_of_vector = 4;
    const auto is_masked = [&](core::ScalarType type) {
      return module_.machine.masks_reads_of(detail::size_in_bytes(type));
    };
    const unsigned least =
        std::ranges::all_of(module_.kernel.outputs, is_masked) ? elements_of_vector : lanes;
    V width = b_.CreateSub(run_->getArg(4), run_->getArg(3));
    return b_.CreateSelect(b_.CreateICmpSGE(width, b_.getInt64(least)),
                           part_for(module_, "hasten_neighbours", lanes), one_by_one);
  }

  const KernelModule& module_;
  llvm::Function* run_;
  llvm::IRBuilder<> b_;
};

// Updates of rows of so many elements are written out.
void emit_updates_of_rows(const KernelModule& module, const kernels::Schedule& schedule, Form form,
                          std::int64_t columns) {
  KernelModule knowing = module;
  knowing.known = known_numbers(module.kernel, schedule, form);
  ScatterEmitter(knowing, declare_run(module, form), 1, Tasks::any, 0, columns).run();
}

}  // namespace

void emit_scatter(const KernelModule& module, const kernels::Schedule& schedule,
                  const Forms& forms) {
  if (has(forms, Form::few_targets))
    ScatterEmitter(module, declare_run(module, Form::few_targets), schedule.few_lanes, Tasks::few,
                   schedule.few_targets)
        .run();
  for (std::int64_t columns = known_min; columns <= known_max; ++columns) {
    const Form form = knowing(Form::rows_of_2, columns);
    if (has(forms, form)) emit_updates_of_rows(module, schedule, form, columns);
  }
  if (!has(forms, Form::usual)) return;
  if (!module.kernel.loops.empty()) return emit_loops(module, schedule);
  if (schedule.part_lanes > 0 || schedule.neighbour_lanes > 0)
    return FunctionChoice(module).run(schedule);
  emit_scatter_loop(module, declare_run(module), schedule.lanes);
}

void emit_scatter_loop(const KernelModule& module, llvm::Function* function, unsigned lanes) {
  if (!module.kernel.interior) return ScatterEmitter(module, function, lanes).run();
  emit_borders(module, function, lanes,
               [&](const char* name, const kernels::Region& element, unsigned part_lanes) {
                 Kernel kernel = module.kernel;
                 kernel.element = element;
                 kernel.interior.reset();
                 const KernelModule part{module.llvm, kernel, module.machine, module.options,
                                         module.layout};
                 const std::string unique = function->getName().str() + "." + name;
                 llvm::Function* run = declare_part(part, unique.c_str());
                 ScatterEmitter(part, run, part_lanes).run();
                 return run;
               });
}

}  // namespace hasten::backends::cpu
