// Complex numbers in memory: their parts are side by side. Values are parts already
// (kernels/split_complex), so only loads and stores are left.
#include "backends/cpu/emit/code.hpp"

#include <algorithm>
#include <cstdlib>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

llvm::Align part_alignment(llvm::Type* part) {
  return llvm::Align(part->getScalarSizeInBits() / 8);
}

// 0, 0, 1, 1, ...: which lane each of a pair belongs to.
llvm::SmallVector<int, 64> pairs_of_lanes(unsigned lanes) {
  llvm::SmallVector<int, 64> order;
  for (unsigned i = 0; i < 2 * lanes; ++i) order.push_back(static_cast<int>(i / 2));
  return order;
}

}  // namespace

V LaneCode::each_twice(V lanes_on) {
  return b.CreateShuffleVector(lanes_on, pairs_of_lanes(lanes_));
}

// -- reads ----------------------------------------------------------------------------------------

void LaneCode::load_part(const LoadLinear& l, Value result) {
  llvm::Type* memory = register_type(b.getContext(), type(result));
  V base = inputs_[l.array];
  const auto place = [&](V index) {
    return b.CreateAdd(b.CreateShl(index, constant_like(index, 1)), constant_like(index, l.leaf));
  };
  const Lanes& form = values_[l.index];
  if (const auto* index = std::get_if<Uniform>(&form))
    return set(result, Uniform{load_scalar(memory, base, place(index->value))});
  const auto* linear = std::get_if<Affine>(&form);
  const auto* step = linear ? llvm::dyn_cast<llvm::ConstantInt>(linear->step) : nullptr;
  if (step && (step->isOne() || step->isMinusOne()))
    return set(result,
               Varying{contiguous_part(memory, base, linear->base, l.leaf, step->isMinusOne())});
  if (step && std::abs(step->getSExtValue()) == 2 && is_near(2 * step->getSExtValue()))
    return set(result,
               Varying{load_apart(memory, base, place(linear->base), 2 * step->getSExtValue())});
  const auto others = [&] { return gather(l.array, memory, base, place(vector(l.index))); };
  const auto* at = std::get_if<Varying>(&form);
  const bool is_known = at && at->near.shift == 0 && (at->near.step == 0 || at->near.step == 1);
  const Near found = is_known ? at->near : Near{};
  const auto neighbours = [&] { return contiguous_part(memory, base, found.first, l.leaf, false); };
  const auto same = [&] { return load_scalar(memory, base, place(found.first)); };
  set(result, Varying{load_near(found, neighbours, same, others)});
}

// Both parts are loaded; the load of the other part is the same.
V LaneCode::contiguous_part(llvm::Type* memory, V base, V index, unsigned part, bool reverse) {
  auto* type = llvm::FixedVectorType::get(memory, 2 * lanes_);
  if (reverse) index = b.CreateSub(index, i64(lanes_ - 1));
  V address = b.CreateGEP(memory, base, b.CreateShl(index, constant_like(index, 1)));
  V both = nullptr;
  if (mask)
    both = reads(b.CreateMaskedLoad(type, address, part_alignment(memory),
                                    each_twice(reverse ? reversed(mask) : mask),
                                    llvm::Constant::getNullValue(type)));
  else
    both = reads(b.CreateAlignedLoad(type, address, part_alignment(memory)));
  llvm::SmallVector<int, 64> order;
  for (unsigned i = 0; i < lanes_; ++i) order.push_back(static_cast<int>(2 * i + part));
  V x = b.CreateShuffleVector(both, order);
  return reverse ? reversed(x) : x;
}

// -- writes ---------------------------------------------------------------------------------------

bool LaneCode::is_imaginary(std::size_t output) const {
  const auto& outputs = kernel_.outputs;
  const auto before = std::count_if(
      outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(output), detail::is_complex);
  return detail::is_complex(outputs[output]) && before % 2 == 1;
}

V LaneCode::place_in(std::size_t output, V index) {
  if (!detail::is_complex(kernel_.outputs[output])) return index;
  return b.CreateAdd(b.CreateShl(index, constant_like(index, 1)),
                     constant_like(index, is_imaginary(output) ? 1 : 0));
}

// A complex output is stored twice, one part after the other: the first part waits.
void LaneCode::store_part(std::size_t output, V index, V value, bool stream) {
  if (!is_imaginary(output)) {
    real_part_ = value;
    return;
  }
  store_pair(real_part_, value, outputs_[output], index, stream);
}

void LaneCode::store_pair(V real, V imaginary, V base, V index, bool stream) {
  llvm::Type* part = real->getType()->getScalarType();
  V address = b.CreateGEP(part, base, b.CreateShl(index, constant_like(index, 1)));
  if (!real->getType()->isVectorTy()) {
    writes(b.CreateAlignedStore(real, address, part_alignment(part)));
    writes(
        b.CreateAlignedStore(imaginary, b.CreateGEP(part, address, i64(1)), part_alignment(part)));
    return;
  }
  llvm::SmallVector<int, 64> order = pairs_of_lanes(lanes_);
  for (unsigned i = 1; i < 2 * lanes_; i += 2) order[i] += static_cast<int>(lanes_);
  V both = b.CreateShuffleVector(real, imaginary, order);
  if (mask) {
    writes(b.CreateMaskedStore(both, address, part_alignment(part), each_twice(mask)));
    return;
  }
  const auto bytes = both->getType()->getPrimitiveSizeInBits().getFixedValue() / 8;
  llvm::StoreInst* store = writes(b.CreateAlignedStore(
      both, address,
      stream ? llvm::Align(std::min<std::uint64_t>(bytes, 64)) : part_alignment(part)));
  if (stream) past_caches(store);
}

}  // namespace hasten::backends::cpu
