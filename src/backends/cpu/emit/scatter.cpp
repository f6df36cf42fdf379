// Scatters: updates of outputs at computed places, in the order of the space. With one lane the
// code is scalar throughout.
#include "backends/cpu/emit/folds/fold_operator.hpp"
#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/emit/streams.hpp"
#include "kernels/analysis/target_bounds.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace hasten::backends::cpu {

using kernels::Kernel;
using kernels::Value;
using V = llvm::Value*;

namespace {

constexpr std::size_t interleaved_most = 8;  // writes
constexpr std::uint64_t spill_alignment = 64;
constexpr std::size_t unrolled_statements_max = 256;
// One by one, light elements take no longer than counting them.
constexpr std::int64_t together = 4;
constexpr std::size_t together_statements_max = 20;

class ScatterEmitter {
 public:
  ScatterEmitter(const KernelModule& module, llvm::Function* function, unsigned lanes)
      : function_(function),
        code_(module, function_, lanes) {}

  void run() {
    auto& b = code_.b;
    const Kernel& kernel = code_.kernel();
    code_.hoisting.add(kernel.element, element_places(kernel, has_lanes()));
    hoist_operator(code_, false);
    if (!kernel.unique) prepare_updates();
    stream_ =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_stream)), code_.i64(0));
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    V begin = function_->getArg(3), end = function_->getArg(4);
    if (has_lanes())
      in_vectors(code_, begin, end, {}, [&](V index, const Values&, bool tail) {
        return elements(index, tail), Values{};
      });
    else
      one_by_one(begin, end);
    row.close();
    rows.close();
    entry.close();
    if (has_streams_) code_.fence(stream_);
    b.CreateRetVoid();
  }

 private:
  [[nodiscard]] bool has_lanes() const { return code_.lanes() > 1; }

  void one_by_one(V begin, V end) {
    auto& b = code_.b;
    const kernels::Kernel& kernel = code_.kernel();
    const std::size_t statements = kernel.element.body.size() + kernel.combine.body.size();
    V single = begin;
    if (statements <= together_statements_max) {
      single = b.CreateAdd(begin, b.CreateAnd(b.CreateSub(end, begin), code_.i64(-together)));
      code_.when(b.CreateICmpSLT(begin, single), "together",
                 [&] { steps(begin, single, together); });
    }
    code_.when(b.CreateICmpSLT(single, end), "single", [&] { steps(single, end, 1); });
  }

  void steps(V begin, V end, std::int64_t step) {
    counted(code_, begin, end, step, {}, [&](V index, const Values&) {
      for (std::int64_t k = 0; k < step; ++k)
        elements(code_.b.CreateAdd(index, code_.i64(k)), false);
      return Values{};
    });
  }

  void elements(V index, bool tail) {
    const kernels::Region& fn = code_.kernel().element;
    code_.set(fn.params.back(),
              has_lanes() ? Lanes(Affine{index, code_.i64(1)}) : Lanes(Uniform{index}));
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(code_.b.GetInsertBlock());
    code_.run_hoisted(fn, tail ? lane_level : 0);
    V old_mask = code_.mask;
    if (code_.kernel().unique)
      store_writes();
    else if (has_lanes())
      update_kept();
    else
      update_one();
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

  // Elements that stand side by side, those of the next lane after them: writes, in that order, the
  // first of which goes to `first`.
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

  // Where lane 0 writes, if every lane does, and the next one `step` elements on; else null.
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

  // Whether this vector's stores go past the caches: the launch says so, and they are whole lines.
  // Null if they never are.
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

  // `condition`, and elements from `first` on, so many of each lane, are whole lines of each
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

  // x = first + second. Whatever order its terms are added in, equal sums have one `first`.
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

  // -- updates, one after the other -------------------------------------------------------------

  // Lanes are taken from memory one by one: targets first, then the leaves.
  void prepare_updates() {
    auto& b = code_.b;
    V part = function_->getArg(5);
    first_ = code_.load_slot(part, code_.i64(0), core::ScalarType::i64);
    V end = code_.load_slot(part, code_.i64(1), core::ScalarType::i64);
    size_ = b.CreateSub(narrowed(end), first_);
    size_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, size_, code_.i64(0));
    if (!has_lanes()) return;
    spilled_.push_back(lanes_in_memory(b.getInt64Ty()));
    for (core::ScalarType type : code_.kernel().outputs)
      spilled_.push_back(lanes_in_memory(memory_type(b.getContext(), detail::part_of(type))));
  }

  // The end of the part's targets, `first_` being its begin: both narrowed by what `keep` demands
  // of the target itself, so that one test does for all. The other conditions are left.
  V narrowed(V end) {
    auto& b = code_.b;
    const kernels::TargetBounds bounds = kernels::target_bounds(code_.kernel());
    for (const Value least : bounds.at_least)
      first_ = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first_, uniform(least));
    for (const Value bound : bounds.below)
      end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, uniform(bound));
    conditions_ = bounds.others;
    return end;
  }
  // A constant of the element's is not there yet.
  V uniform(Value v) {
    const std::optional<core::Bits> known = kernels::constant_of(code_.kernel().element, v);
    return known ? code_.i64(static_cast<std::int64_t>(known->lo)) : code_.scalar(v);
  }

  V lanes_in_memory(llvm::Type* element) {
    llvm::AllocaInst* memory = code_.b.CreateAlloca(llvm::ArrayType::get(element, code_.lanes()));
    memory->setAlignment(llvm::Align(spill_alignment));
    return memory;
  }

  void update_kept() {
    auto& b = code_.b;
    V targets = code_.vector(target());
    V applies = b.CreateICmpULT(b.CreateSub(targets, splat(first_)), splat(size_));
    for (const Value condition : conditions_)
      applies = b.CreateAnd(applies, code_.vector(condition));
    if (code_.mask) applies = b.CreateAnd(applies, code_.mask);
    code_.mask = nullptr;  // what follows is scalar code
    code_.when(code_.any(applies), "updates", [&] {
      b.CreateAlignedStore(targets, spilled_[0], llvm::Align(spill_alignment));
      for (std::size_t i = 0; i < leaves().size(); ++i) {
        V leaf =
            code_.to_memory(detail::part_of(code_.kernel().outputs[i]), code_.vector(leaves()[i]));
        b.CreateAlignedStore(leaf, spilled_[i + 1], llvm::Align(spill_alignment));
      }
      V bits = b.CreateBitCast(applies, b.getIntNTy(code_.lanes()));
      update_lanes(bits);
    });
  }

  void update_one() {
    V at = code_.scalar(target());
    V applies = code_.b.CreateICmpULT(code_.b.CreateSub(at, first_), size_);
    for (const Value condition : conditions_)
      applies = code_.b.CreateAnd(applies, code_.scalar(condition));
    code_.when(applies, "update", [&] {
      Values news;
      for (std::size_t i = 0; i < leaves().size(); ++i) {
        const core::ScalarType type = detail::part_of(code_.kernel().outputs[i]);
        news.push_back(code_.from_memory(type, code_.to_memory(type, code_.scalar(leaves()[i]))));
      }
      update(at, news);
    });
  }

  // Mostly all lanes are on: then there is no need to look for them.
  void update_lanes(V bits) {
    auto& b = code_.b;
    const auto some = [&] {
      each_lane(b.CreateZExt(bits, b.getInt64Ty()), [&](V lane) { update(lane); });
    };
    const std::size_t statements = code_.kernel().combine.body.size() + 2 * leaves().size();
    if (code_.lanes() * statements > unrolled_statements_max) return some();
    V all = b.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
    llvm::BasicBlock *every = code_.block("every_lane"), *few = code_.block("some_lanes"),
                     *after = code_.block("updated");
    b.CreateCondBr(all, every, few);
    b.SetInsertPoint(every);
    for (unsigned lane = 0; lane < code_.lanes(); ++lane) update(code_.i64(lane));
    b.CreateBr(after);
    b.SetInsertPoint(few);
    some();
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }

  V splat(V x) { return code_.b.CreateVectorSplat(code_.lanes(), x); }

  // For each bit that is set, lowest first; there is one.
  void each_lane(V bits, llvm::function_ref<void(V)> body) {
    auto& b = code_.b;
    llvm::BasicBlock *before = b.GetInsertBlock(), *head = code_.block("lane"),
                     *after = code_.block("lanes_done");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    llvm::PHINode* left = b.CreatePHI(bits->getType(), 2);
    left->addIncoming(bits, before);
    body(b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue()));
    V rest = b.CreateAnd(left, b.CreateSub(left, code_.i64(1)));
    left->addIncoming(rest, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpNE(rest, code_.i64(0)), head, after);
    b.SetInsertPoint(after);
  }

  V spilled(std::size_t slot, core::ScalarType type, V lane) {
    auto& b = code_.b;
    llvm::Type* memory = memory_type(b.getContext(), type);
    return code_.from_memory(type, b.CreateLoad(memory, b.CreateGEP(memory, spilled_[slot], lane)));
  }

  void update(V lane) {
    const auto& outputs = code_.kernel().outputs;
    Values news;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      news.push_back(spilled(i + 1, detail::part_of(outputs[i]), lane));
    update(spilled(0, core::ScalarType::i64, lane), news);
  }

  void update(V at, const Values& news) {
    const kernels::Region& fn = code_.kernel().combine;
    const auto& outputs = code_.kernel().outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      code_.set(fn.params[i], Uniform{news[i]});
      code_.set(fn.params[outputs.size() + i], Uniform{code_.load_output(i, at)});
    }
    code_.run(fn);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      code_.store(i, at, code_.scalar(fn.results[i]), false);
  }

  llvm::Function* function_;
  LaneCode code_;
  std::size_t write_ = 0;               // which one is stored
  V stream_ = nullptr;                  // whether the launch's stores go past the caches
  bool has_streams_ = false;            // whether any can
  V first_ = nullptr, size_ = nullptr;  // of this task's part of the outputs
  std::vector<Value> conditions_;       // of an update, beside lying there
  std::map<Values, V> sums_;            // by their terms; of the block at hand
  Values spilled_;
};

}  // namespace

void emit_scatter(const KernelModule& module, const kernels::Schedule& schedule) {
  if (module.kernel.loops.empty())
    emit_scatter_loop(module, declare_run(module), schedule.lanes);
  else
    emit_loops(module, schedule);
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
