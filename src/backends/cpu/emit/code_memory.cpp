// Loads and stores, by the form of the index across lanes.
#include "backends/cpu/emit/code.hpp"
#include "backends/cpu/emit/prefetch.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

llvm::Align alignment(llvm::Type* memory) {
  return llvm::Align(std::max(1U, memory->getScalarSizeInBits() / 8));
}

}  // namespace

V LaneCode::from_memory(ScalarType type, V x) {
  if (is_small_float(type)) return ops.from_16_bits(type, x);
  return detail::is_bool(type) ? b.CreateICmpNE(x, constant_like(x, 0)) : x;
}

V LaneCode::to_memory(ScalarType type, V x) {
  return is_small_float(type) ? ops.to_16_bits(type, x) : whole_bytes(x);
}

V LaneCode::whole_bytes(V x) {
  if (!x->getType()->getScalarType()->isIntegerTy(1)) return x;
  llvm::Type* byte = b.getInt8Ty();
  auto* vector = llvm::dyn_cast<llvm::VectorType>(x->getType());
  return b.CreateZExt(x, vector ? llvm::VectorType::get(byte, vector->getElementCount()) : byte);
}

V LaneCode::reversed(V x) {
  llvm::SmallVector<int, 64> order;
  for (unsigned i = lanes_; i-- > 0;) order.push_back(static_cast<int>(i));
  return b.CreateShuffleVector(x, order);
}

V LaneCode::all_lanes() {
  return llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(b.getInt1Ty(), lanes_));
}

V LaneCode::first_lane(Value v) const {
  const auto* affine = std::get_if<Affine>(&values_[v]);
  return affine ? affine->base : scalar(v);
}

bool LaneCode::load_kept(const LoadLinear& l, Value result) {
  const auto kept = std::find_if(kept_reads.begin(), kept_reads.end(), [&](const KeptRead& read) {
    return read.array == l.array && read.index == l.index;
  });
  if (kept == kept_reads.end()) return false;
  const ScalarType element = kernel_.inputs[l.array], part = detail::part_of(element);
  llvm::Type* memory = memory_type(b.getContext(), part);
  auto* vector = llvm::FixedVectorType::get(memory, lanes_);
  const auto from_block = [&]() -> V {
    V slot = b.CreateSub(first_lane(kept->step), kept->begin);
    if (detail::is_complex(element)) slot = b.CreateAdd(b.CreateShl(slot, 1), i64(l.leaf));
    return b.CreateAlignedLoad(vector, b.CreateGEP(vector, kept->block, slot), alignment(vector));
  };
  const auto apart = [&] {
    return load_by_step(l.array, memory, std::get<Affine>(values_[l.index]));
  };
  V x = kept->fits ? mostly(kept->fits, from_block, apart) : from_block();
  set(result, Varying{from_memory(part, x)});
  return true;
}

// The first neighbour loads the elements of all of them: they are as many rows as there are lanes.
bool LaneCode::load_column(const LoadLinear& l, Value result) {
  if (!apart_lanes) return false;
  const auto found = apart_lanes->columns.find(result);
  if (found == apart_lanes->columns.end()) return false;
  std::vector<V>& columns = found->second;
  if (apart_lanes->neighbour == 0) {
    const auto* index = std::get_if<Affine>(&values_[l.index]);
    columns.clear();
    if (index && known_step(*index) == apart_lanes->step)
      columns = load_rows(l.array, index->base, apart_lanes->step);
  }
  if (columns.empty()) return false;
  set(result, Varying{columns[apart_lanes->neighbour]});
  return true;
}

void LaneCode::load(const LoadLinear& l, Value result) {
  if (load_kept(l, result) || load_column(l, result)) return;
  const ScalarType element = kernel_.inputs[l.array];
  if (detail::is_complex(element)) return load_part(l, result);
  llvm::Type* memory = memory_type(b.getContext(), element);
  V base = inputs_[l.array];
  if (const auto* index = std::get_if<Uniform>(&values_[l.index])) {
    V x = load_scalar(memory, base, index->value);
    return set(result, Uniform{from_memory(element, x)});
  }
  V x = nullptr;
  if (const auto* index = std::get_if<Affine>(&values_[l.index])) {
    const std::int64_t step = known_step(*index);
    if (!mask && result < prefetched.size() && prefetched[result]) prefetch(l, i64(prefetch_bytes));
    if (step == 1 || step == -1)
      x = load_contiguous(memory, base, index->base, step < 0);
    else if (is_near(step, detail::size_in_bytes(element)))
      x = load_apart(memory, base, index->base, step);
    else if (module_.known.has_near_steps && !llvm::isa<llvm::ConstantInt>(index->step) && !mask)
      x = load_by_near_step(l.array, memory, *index, known_min);
    else
      x = load_by_step(l.array, memory, *index);
  } else {
    Varying at = std::get<Varying>(values_[l.index]);
    if (mask && at.near.shift > 0 && is_often_near(at.near))
      at.near.fits = b.CreateAnd(at.near.fits, has_both_ends(at.near.shift));
    const auto neighbours = [&] {
      if (at.near.step != 1) return load_apart(memory, base, at.near.first, at.near.step);
      return at.near.shift > 0 ? load_repeated(memory, base, at.near)
                               : load_contiguous(memory, base, at.near.first, false);
    };
    const auto same = [&] { return load_scalar(memory, base, at.near.first); };
    const auto others = [&] { return gather(l.array, memory, base, at.value); };
    x = load_near(at.near, neighbours, same, others);
  }
  set(result, Varying{from_memory(element, x)});
}

// Where borders are peeled, indices with a limit belong to a border, which may be wide, too: half
// of each row, where the others' indices have other limits. In the last vector of a row a second
// copy of the code would not pay.
bool LaneCode::is_often_near(const Near& index) const {
  constexpr int limits_most = 8;  // their code takes time to compile
  if (index.step != 0 && index.step != 1 && (index.swaps || !is_near(index.step))) return false;
  if (tail_ && !mask) return false;  // it may fit in the first lanes alone
  const bool is_whole = !mask || (is_whole_ && !index.swaps);
  const bool may_have_limit = !kernel_.interior || limits_asked_ < limits_most;
  if (index.shift > 0) return is_whole && (!index.is_limit || may_have_limit);
  return index.first && (index.is_limit ? may_have_limit && !index.swaps : is_whole);
}

V LaneCode::load_near(const Near& index, llvm::function_ref<V()> neighbours,
                      llvm::function_ref<V()> same, llvm::function_ref<V()> others) {
  if (!is_often_near(index)) return others();
  if (index.is_limit) ++limits_asked_;
  return mostly(
      index.fits,
      [&] {
        if (index.step == 0) return b.CreateVectorSplat(lanes_, same());
        V x = neighbours();
        return index.swaps ? swapped(x, index.swaps) : x;
      },
      others);
}

// Loads a vector of the distinct elements and repeats each one for its lanes.
V LaneCode::load_repeated(llvm::Type* memory, V base, const Near& index) {
  auto* type = llvm::FixedVectorType::get(memory, lanes_ >> index.shift);
  V address = b.CreateGEP(memory, base, index.first);
  V x = reads(b.CreateAlignedLoad(type, address, alignment(memory)));
  llvm::SmallVector<int, 64> lanes;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    lanes.push_back(static_cast<int>(lane >> index.shift));
  return b.CreateShuffleVector(x, lanes);
}

// Whether a lane that reads the first element is on, and one that reads the last: then the elements
// between them exist, too, whichever of their lanes are on.
V LaneCode::has_both_ends(unsigned shift) {
  V bits = b.CreateBitCast(mask, b.getIntNTy(lanes_));
  const llvm::APInt first = llvm::APInt::getLowBitsSet(lanes_, 1U << shift),
                    last = llvm::APInt::getHighBitsSet(lanes_, 1U << shift);
  const auto some_of = [&](const llvm::APInt& lanes) {
    return b.CreateICmpNE(b.CreateAnd(bits, lanes), constant_like(bits, 0));
  };
  return b.CreateAnd(some_of(first), some_of(last));
}

V LaneCode::mostly(V condition, llvm::function_ref<V()> some, llvm::function_ref<V()> others) {
  llvm::BasicBlock *usual = block("usual"), *rare = block("rare"), *join = block("join");
  llvm::MDBuilder metadata(b.getContext());
  b.CreateCondBr(condition, usual, rare, metadata.createLikelyBranchWeights());
  const auto side = [&](llvm::BasicBlock* start, llvm::function_ref<V()> f) {
    b.SetInsertPoint(start);
    V x = f();
    llvm::BasicBlock* const end = b.GetInsertBlock();
    b.CreateBr(join);
    return std::pair(x, end);
  };
  const auto [of_some, some_end] = side(usual, some);
  const auto [of_others, others_end] = side(rare, others);
  b.SetInsertPoint(join);
  if (!of_some) return nullptr;
  llvm::PHINode* x = b.CreatePHI(of_some->getType(), 2);
  x->addIncoming(of_some, some_end);
  x->addIncoming(of_others, others_end);
  return x;
}

// Lane l of the result is lane l ^ swaps. A bit that is not set costs a branch, which is predicted.
V LaneCode::swapped(V x, V swaps) {
  for (unsigned bit = 1; bit < lanes_; bit *= 2) {
    llvm::SmallVector<int, 64> order;
    for (unsigned lane = 0; lane < lanes_; ++lane) order.push_back(static_cast<int>(lane ^ bit));
    V is_set = b.CreateICmpNE(b.CreateAnd(swaps, i64(bit)), i64(0));
    llvm::BasicBlock *before = b.GetInsertBlock(), *swap = block("swap"), *kept = block("kept");
    b.CreateCondBr(is_set, swap, kept);
    b.SetInsertPoint(swap);
    V other = b.CreateShuffleVector(x, order);
    b.CreateBr(kept);
    b.SetInsertPoint(kept);
    llvm::PHINode* either = b.CreatePHI(x->getType(), 2);
    either->addIncoming(x, before);
    either->addIncoming(other, swap);
    x = either;
  }
  return x;
}

V LaneCode::load_scalar(llvm::Type* memory, V base, V index) {
  return reads(b.CreateAlignedLoad(memory, b.CreateGEP(memory, base, index), alignment(memory)));
}

V LaneCode::load_contiguous(llvm::Type* memory, V base, V index, bool reverse) {
  auto* type = llvm::FixedVectorType::get(memory, lanes_);
  if (reverse) index = b.CreateSub(index, i64(lanes_ - 1));
  V address = b.CreateGEP(memory, base, index);
  V x = mask ? load_masked(type, address, reverse ? reversed(mask) : mask)
             : reads(b.CreateAlignedLoad(type, address, alignment(memory)));
  return reverse ? reversed(x) : x;
}

// In mixed forms the launch has tested that lanes read elements one to four apart.
V LaneCode::load_by_near_step(std::uint32_t array, llvm::Type* memory, const Affine& index,
                              std::int64_t step) {
  constexpr int near_steps_most = 16;  // their code takes time to compile
  if (step == 2 && near_steps_asked_++ >= near_steps_most)
    return load_by_step(array, memory, index);
  if (step > known_max) return load_by_step(array, memory, index);
  if (!is_near(step)) return load_by_near_step(array, memory, index, step + 1);
  return mostly(
      b.CreateICmpEQ(index.step, i64(step)),
      [&] { return load_apart(memory, inputs_[array], index.base, step); },
      [&] { return load_by_near_step(array, memory, index, step + 1); });
}

// A step known only when the kernel runs may be 1, or 0 where an array is broadcast. Under a mask
// some lane must be on: the first one's element is then the others' if the step is 0.
V LaneCode::load_by_step(std::uint32_t array, llvm::Type* memory, const Affine& index) {
  constexpr int steps_most = 6;  // their code takes time to compile
  V base = inputs_[array];
  const auto apart = [&] {
    return gather(array, memory, b.CreateGEP(memory, base, index.base), offsets(index.step));
  };
  if (llvm::isa<llvm::ConstantInt>(index.step) || steps_asked_ == steps_most) return apart();
  ++steps_asked_;
  V is_one = b.CreateICmpEQ(index.step, i64(1));
  const auto same_or_next = [&] {
    return mostly(
        is_one, [&] { return load_contiguous(memory, base, index.base, false); },
        [&] { return b.CreateVectorSplat(lanes_, load_scalar(memory, base, index.base)); });
  };
  V is_simple = b.CreateICmpULE(index.step, i64(1));
  if (mask) is_simple = b.CreateAnd(is_simple, any(mask));
  return mostly(is_simple, same_or_next, apart);
}

// Elements at most this far apart are loaded by vectors, which cost less than a gather of their
// lanes. Without mask registers, masks of these vectors cost as much.
bool LaneCode::is_near(std::int64_t step, std::size_t bytes) const {
  // Permutations of two registers of 512 bits take any lanes of 4 bytes.
  const std::int64_t apart_most = machine_.bits == 512 && bytes >= 4 ? 6 : 4;
  if (mask && !machine_.has_mask_registers()) return false;
  if (step < -apart_most || step > apart_most) return false;
  const std::int64_t apart = std::abs(step);
  return apart >= 2 && apart <= lanes_;
}

// Loads as many vectors as the distance of elements, all between the first and the last element
// wanted: the last vector ends there, since memory beyond may be unmapped.
V LaneCode::load_apart(llvm::Type* memory, V base, V first, std::int64_t step) {
  const auto lanes = static_cast<std::int64_t>(lanes_);
  const std::int64_t apart = std::abs(step), last = apart * (lanes - 1) + 1 - lanes;
  if (step < 0) first = b.CreateAdd(first, i64(step * (lanes - 1)));
  auto* type = llvm::FixedVectorType::get(memory, lanes_);
  V lanes_on = mask && step < 0 ? reversed(mask) : mask;
  V x = nullptr;
  for (std::int64_t vector = 0; vector < apart; ++vector) {
    const std::int64_t begin = vector + 1 < apart ? vector * lanes : last;
    llvm::SmallVector<int, 64> from, wanted(lanes_, static_cast<int>(lanes));
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const bool is_here = std::min(apart * lane / lanes, apart - 1) == vector;
      const std::int64_t place = apart * lane - begin;
      from.push_back(static_cast<int>(is_here ? (x ? lanes + place : place) : lane));
      if (is_here) wanted[static_cast<std::size_t>(place)] = static_cast<int>(lane);
    }
    V address = b.CreateGEP(memory, base, b.CreateAdd(first, i64(begin)));
    V loaded = nullptr;
    if (mask)
      loaded = load_masked(type, address,
                           b.CreateShuffleVector(lanes_on, constant_like(lanes_on, 0), wanted));
    else
      loaded = reads(b.CreateAlignedLoad(type, address, alignment(memory)));
    x = x ? b.CreateShuffleVector(x, loaded, from) : b.CreateShuffleVector(loaded, from);
  }
  return step < 0 ? reversed(x) : x;
}

// A prefetch beyond the array has no effect.
void LaneCode::prefetch(const LoadLinear& l, V bytes_on) {
  const auto* index = std::get_if<Affine>(&values_[l.index]);
  const auto* varying = std::get_if<Varying>(&values_[l.index]);
  const bool is_near = varying && is_often_near(varying->near) && varying->near.step == 1;
  if (!is_near && (!index || known_step(*index) != 1)) return;
  V first = is_near ? varying->near.first : index->base;
  const auto bytes = static_cast<std::int64_t>(detail::size_in_bytes(kernel_.inputs[l.array]));
  V address = b.CreateGEP(b.getInt8Ty(), inputs_[l.array], b.CreateMul(first, i64(bytes)));
  address = b.CreateGEP(b.getInt8Ty(), address, bytes_on);
  const std::int64_t elements = lanes_ >> (is_near ? varying->near.shift : 0);
  for (std::int64_t at = 0; at < elements * bytes; at += 64) {
    V ahead = b.CreateGEP(b.getInt8Ty(), address, i64(at));
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {ahead, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }
}

// Prefetches each line once.
void LaneCode::ask_ahead(const Region& region, V bytes) {
  std::vector<bool> asked(kernel_.inputs.size());
  for (const Stmt& stmt : region.body) {
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    const Value read = stmt.results[0];
    if (load && read < prefetched.size() && prefetched[read]) asked[load->array] = true;
  }
  for (const Stmt& stmt : region.body) {
    const auto* load = std::get_if<LoadLinear>(&stmt.op);
    if (!load || asked[load->array]) continue;
    asked[load->array] = true;
    prefetch(*load, bytes);
  }
}

// Only elements of 4 and 8 bytes have gather instructions. On processors with gathers in microcode,
// a gather has fewer loads in flight than loads of single elements have, which shows where all of
// them wait for memory.
V LaneCode::gather(std::uint32_t array, llvm::Type* memory, V base, V indices) {
  if (!machine_.gather || memory->getScalarSizeInBits() < 32)
    return gather_unmasked(memory, base, indices);
  const auto gather_at_once = [&]() -> V {
    auto* type = llvm::FixedVectorType::get(memory, lanes_);
    V addresses = b.CreateGEP(memory, base, indices);
    return reads(b.CreateMaskedGather(type, addresses, alignment(memory), mask ? mask : all_lanes(),
                                      llvm::Constant::getNullValue(type)));
  };
  constexpr int far_gathers_most = 4;        // their code takes time to compile
  constexpr std::uint32_t arrays_most = 64;  // bits
  if (mask || array >= arrays_most || far_gathers_ == far_gathers_most) return gather_at_once();
  ++far_gathers_;
  V bit = b.getInt64(std::uint64_t{1} << array);
  V is_near = b.CreateICmpEQ(b.CreateAnd(far_inputs_, bit), i64(0));
  return mostly(is_near, gather_at_once, [&] { return gather_one_by_one(memory, base, indices); });
}

// Indices go through memory: scalars load from there sooner than they are extracted from a vector.
V LaneCode::gather_one_by_one(llvm::Type* memory, V base, V indices) {
  llvm::AllocaInst* const slot = stack_slot(indices->getType());
  slot->setAlignment(llvm::Align(64));
  b.CreateAlignedStore(indices, slot, llvm::Align(64));
  V result = llvm::PoisonValue::get(llvm::FixedVectorType::get(memory, lanes_));
  for (std::uint64_t i = 0; i < lanes_; ++i) {
    V index = b.CreateAlignedLoad(b.getInt64Ty(), b.CreateConstGEP1_64(b.getInt64Ty(), slot, i),
                                  llvm::Align(8));
    result = b.CreateInsertElement(result, load_scalar(memory, base, index), i);
  }
  return result;
}

// One load per lane. Lanes that are off load what the first lane that is on loads.
V LaneCode::gather_unmasked(llvm::Type* memory, V base, V indices) {
  if (mask) {
    V bits = b.CreateBitCast(mask, b.getIntNTy(lanes_));
    V lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue());
    V index = b.CreateExtractElement(indices, b.CreateZExtOrTrunc(lane, b.getInt64Ty()));
    indices = b.CreateSelect(mask, indices, b.CreateVectorSplat(lanes_, index));
  }
  V result = llvm::PoisonValue::get(llvm::FixedVectorType::get(memory, lanes_));
  for (std::uint64_t i = 0; i < lanes_; ++i)
    result = b.CreateInsertElement(
        result, load_scalar(memory, base, b.CreateExtractElement(indices, i)), i);
  return result;
}

void LaneCode::store(std::size_t output, V index, V value, bool stream) {
  if (detail::is_complex(kernel_.outputs[output])) return store_part(output, index, value, stream);
  store_from(outputs_[output], index, to_memory(kernel_.outputs[output], value), stream);
}

void LaneCode::store_from(V begin, V index, V x, bool stream) {
  llvm::Type* element = x->getType()->getScalarType();
  V address = b.CreateGEP(element, begin, index);
  if (mask) return store_masked(x, address);
  const auto bytes = x->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
  llvm::StoreInst* store = b.CreateAlignedStore(
      x, address, stream ? llvm::Align(std::min<std::uint64_t>(bytes, 64)) : alignment(element));
  if (stream) past_caches(store);
  writes(store);
}

void LaneCode::store_at(std::size_t output, const Lanes& index, V value) {
  const auto* linear = std::get_if<Affine>(&index);
  if (linear && known_step(*linear) == 1) return store(output, linear->base, value, false);
  if (linear && known_step(*linear) == -1 && !mask)
    return store(output, b.CreateSub(linear->base, i64(lanes_ - 1)), reversed(value), false);
  const auto scatter = [&]() -> V {
    V x = to_memory(detail::part_of(kernel_.outputs[output]), value);
    llvm::Type* element = x->getType()->getScalarType();
    V addresses = b.CreateGEP(element, outputs_[output], place_in(output, vector(index)));
    writes(b.CreateMaskedScatter(x, addresses, alignment(element), mask ? mask : all_lanes()));
    return nullptr;
  };
  const auto* at = std::get_if<Varying>(&index);
  const bool is_run =
      at && at->near.first && at->near.step == 1 && !at->near.swaps && at->near.shift == 0;
  if (!is_run || mask || tail_ || at->near.is_limit) {
    scatter();
    return;
  }
  const auto store_neighbours = [&]() -> V {
    store(output, at->near.first, value, false);
    return nullptr;
  };
  mostly(at->near.fits, store_neighbours, scatter);
}

void LaneCode::store_apart(std::size_t output, const Affine& index, V value) {
  if (mask) return store_at(output, index, value);
  V x = to_memory(kernel_.outputs[output], value);
  llvm::Type* element = x->getType()->getScalarType();
  V at = index.base;
  for (std::uint64_t lane = 0; lane < lanes_; ++lane) {
    writes(b.CreateAlignedStore(b.CreateExtractElement(x, lane),
                                b.CreateGEP(element, outputs_[output], at), alignment(element)));
    at = b.CreateAdd(at, index.step);
  }
}

void LaneCode::store_interleaved(std::size_t output, V first, llvm::ArrayRef<V> values,
                                 bool stream) {
  const bool is_complex = detail::is_complex(kernel_.outputs[output]);
  if (is_complex && !is_imaginary(output)) {
    real_parts_.assign(values.begin(), values.end());
    return;
  }
  llvm::SmallVector<V, 16> held;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_complex) held.push_back(real_parts_[i]);
    held.push_back(is_complex ? values[i] : to_memory(kernel_.outputs[output], values[i]));
  }
  V all = llvm::concatenateVectors(b, held);
  V x = b.CreateShuffleVector(
      all, llvm::createInterleaveMask(lanes_, static_cast<unsigned>(held.size())));
  llvm::Type* element = x->getType()->getScalarType();
  V address = b.CreateGEP(element, outputs_[output], is_complex ? b.CreateShl(first, 1) : first);
  llvm::StoreInst* store = writes(
      b.CreateAlignedStore(x, address, stream ? llvm::Align(line_bytes) : alignment(element)));
  if (stream) past_caches(store);
}

V LaneCode::load_output(std::size_t output, V index) {
  const ScalarType type = detail::part_of(kernel_.outputs[output]);
  llvm::Type* memory = memory_type(b.getContext(), type);
  V address = b.CreateGEP(memory, outputs_[output], place_in(output, index));
  return from_memory(type, writes(b.CreateAlignedLoad(memory, address, alignment(memory))));
}

V LaneCode::load_outputs(std::size_t output, V index) {
  llvm::Type* memory = memory_type(b.getContext(), kernel_.outputs[output]);
  auto* type = llvm::FixedVectorType::get(memory, lanes_);
  V address = b.CreateGEP(memory, outputs_[output], index);
  const llvm::Align aligned = alignment(memory);
  llvm::Instruction* x =
      mask ? static_cast<llvm::Instruction*>(b.CreateMaskedLoad(type, address, aligned, mask,
                                                                llvm::Constant::getNullValue(type)))
           : b.CreateAlignedLoad(type, address, aligned);
  return from_memory(kernel_.outputs[output], writes(x));
}

void LaneCode::store_waiting(const StoredElement& element, V index, V value) {
  store_from(element.memory, b.CreateAdd(element.row, index), value, false);
}

V LaneCode::load_waiting(const StoredElement& element, V index) {
  llvm::Type* type = lane_type(kernel_.outputs[element.kept.output]);
  V address = b.CreateGEP(type->getScalarType(), element.memory, b.CreateAdd(element.row, index));
  const llvm::Align aligned = alignment(type);
  if (!mask) return writes(b.CreateAlignedLoad(type, address, aligned));
  V nothing = llvm::Constant::getNullValue(type);
  return writes(b.CreateMaskedLoad(type, address, aligned, mask, nothing));
}

void LaneCode::fence(V streamed) {
  if (!llvm::Triple(machine_.triple).isX86()) return;
  when(streamed, "fence", [&] { b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); });
}

void LaneCode::past_caches(llvm::StoreInst* store) {
  store->setMetadata(
      llvm::LLVMContext::MD_nontemporal,
      llvm::MDNode::get(b.getContext(), llvm::ConstantAsMetadata::get(b.getInt32(1))));
}

void LaneCode::store_slot(V slots, V index, V value) {
  V x = whole_bytes(value);
  b.CreateAlignedStore(x, b.CreateGEP(b.getInt64Ty(), slots, index), llvm::Align(8));
}

V LaneCode::slot_words(V x) {
  llvm::Type* type = x->getType();
  if (type->isFPOrFPVectorTy()) {
    type = type->getWithNewType(b.getIntNTy(type->getScalarSizeInBits()));
    x = b.CreateBitCast(x, type);
  }
  return b.CreateZExt(x, type->getWithNewBitWidth(64));
}

// Beyond the bytes of its value a slot is undefined.
V LaneCode::from_slot_words(V words, ScalarType type) {
  llvm::LLVMContext& context = b.getContext();
  if (detail::is_bool(type))
    return from_memory(
        type, b.CreateTrunc(words, words->getType()->getWithNewType(memory_type(context, type))));
  llvm::Type* held = register_type(context, type);
  V bits = b.CreateTrunc(
      words, words->getType()->getWithNewType(b.getIntNTy(held->getScalarSizeInBits())));
  return b.CreateBitCast(bits, words->getType()->getWithNewType(held));
}

V LaneCode::load_slot(V slots, V index, ScalarType type) {
  llvm::LLVMContext& context = b.getContext();
  const bool boolean = detail::is_bool(type);
  llvm::Type* held = boolean ? memory_type(context, type) : register_type(context, type);
  V x = b.CreateAlignedLoad(held, b.CreateGEP(b.getInt64Ty(), slots, index), llvm::Align(8));
  return boolean ? from_memory(type, x) : x;
}

}  // namespace hasten::backends::cpu
