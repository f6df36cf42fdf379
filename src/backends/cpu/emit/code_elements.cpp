// Elements at computed places: by selects, or in memory of the function's own. In that memory, an
// element of all lanes is a row; where lanes have places of their own, each reads or writes in its
// column.
#include "backends/cpu/emit/code.hpp"

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

bool LaneCode::is_in_memory(Value v) const { return hoisting.arrays()[v].array != none; }

void LaneCode::extract(const Extract& op, const Stmt& stmt) {
  const Value result = stmt.results[0];
  const std::uint32_t array = hoisting.arrays().array_of(stmt);
  if (array == none) {
    V x = chosen_element(op, result);
    return set(result, hoisting.varying(result) ? Lanes(Varying{x}) : Lanes(Uniform{x}));
  }
  store_passed(op.elements);
  V x = load_elements(array, values_[op.index]);
  set(result, x->getType()->isVectorTy() ? Lanes(Varying{x}) : Lanes(Uniform{x}));
}

// By one bit of the place after the other, from the lowest: each halves the candidates.
V LaneCode::chosen_element(const Extract& op, Value result) {
  std::vector<V> left;
  for (const Value v : op.elements) left.push_back(in_form(v, result));
  V index = in_form(op.index, result);
  V place = b.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, index,
      constant_like(index, static_cast<std::int64_t>(op.elements.size()) - 1));
  for (std::int64_t bit = 1; left.size() > 1; bit *= 2) {
    V is_odd =
        b.CreateICmpNE(b.CreateAnd(place, constant_like(place, bit)), constant_like(place, 0));
    std::vector<V> chosen;
    for (std::size_t i = 0; i < left.size(); i += 2)
      chosen.push_back(i + 1 < left.size() ? b.CreateSelect(is_odd, left[i + 1], left[i])
                                           : left[i]);
    left = std::move(chosen);
  }
  return left[0];
}

void LaneCode::insert(const Insert& op, const Stmt& stmt) {
  const std::uint32_t array = hoisting.arrays().array_of(stmt);
  if (array != none) {
    store_passed(op.elements);
    const bool in_lanes = memory_of(array).is_in_lanes;
    store_elements(array, values_[op.index], in_lanes ? vector(op.element) : scalar(op.element));
    return load_versions(stmt.results);
  }
  const Value like = stmt.results[0];  // all have one form
  V index = in_form(op.index, like), element = in_form(op.element, like);
  const std::size_t last = op.elements.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    V number = constant_like(index, static_cast<std::int64_t>(i));
    V is_here = i < last ? b.CreateICmpEQ(index, number) : b.CreateICmpUGE(index, number);
    V x = b.CreateSelect(is_here, element, in_form(op.elements[i], like));
    set(stmt.results[i], hoisting.varying(like) ? Lanes(Varying{x}) : Lanes(Uniform{x}));
  }
}

// -- memory ---------------------------------------------------------------------------------------

// There is one row more than elements, for lanes that are off to write to.
const LaneCode::ElementMemory& LaneCode::memory_of(std::uint32_t array) {
  const kernels::PrivateArrays& all = hoisting.arrays();
  arrays_.resize(all.all().size());
  ElementMemory& memory = arrays_[array];
  if (memory.address) return memory;
  Value member = 0;
  while (all[member].array != array) ++member;
  const kernels::PrivateArray& what = all.all()[array];
  memory.is_in_lanes = hoisting.varying(member);
  memory.element = memory_type(b.getContext(), what.type);
  const std::uint64_t columns = memory.is_in_lanes ? lanes_ : 1;
  memory.address = stack_slot(llvm::ArrayType::get(memory.element, (what.size + 1) * columns));
  memory.address->setAlignment(llvm::Align(64));
  return memory;
}

void LaneCode::store_passed(const std::vector<Value>& passed) {
  for (const kernels::ElementStore& store : hoisting.arrays().stores(passed)) {
    const bool in_lanes = memory_of(store.place.array).is_in_lanes;
    store_elements(store.place.array, Uniform{b.getInt32(store.place.element)},
                   in_lanes ? vector(store.value) : scalar(store.value));
  }
}

void LaneCode::load_versions(const std::vector<Value>& values) {
  for (const Value v : values) {
    const kernels::ElementPlace place = hoisting.arrays()[v];
    if (place.array == none || !hoisting.arrays().is_read(v)) continue;
    V x = load_elements(place.array, Uniform{b.getInt32(place.element)});
    set(v, hoisting.varying(v) ? Lanes(Varying{x}) : Lanes(Uniform{x}));
  }
}

// The row of each lane, as a scalar if all lanes have one place. Whatever an index is in lanes that
// are off, the row is one of the array's.
V LaneCode::place_in_lanes(const Lanes& index, std::uint32_t array) {
  const auto* same = std::get_if<Uniform>(&index);
  V place = b.CreateFreeze(same ? same->value : vector(index));
  const std::int64_t last = hoisting.arrays().all()[array].size - 1;
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, place, constant_like(place, last));
}

V LaneCode::element_address(const ElementMemory& memory, V row) {
  V offset = row;
  if (memory.is_in_lanes) offset = b.CreateMul(row, constant_like(row, lanes_));
  if (memory.is_in_lanes && row->getType()->isVectorTy()) {
    llvm::SmallVector<llvm::Constant*, 64> columns;
    for (unsigned i = 0; i < lanes_; ++i) columns.push_back(b.getInt32(i));
    offset = b.CreateAdd(offset, llvm::ConstantVector::get(columns));
  }
  return b.CreateGEP(memory.element, memory.address, offset);
}

V LaneCode::load_elements(std::uint32_t array, const Lanes& index) {
  const ElementMemory& memory = memory_of(array);
  const ScalarType type = hoisting.arrays().all()[array].type;
  V address = element_address(memory, place_in_lanes(index, array));
  const llvm::Align alignment(memory.element->getScalarSizeInBits() / 8);
  auto* row = llvm::FixedVectorType::get(memory.element, lanes_);
  if (!address->getType()->isVectorTy()) {
    llvm::Type* whole = memory.is_in_lanes ? static_cast<llvm::Type*>(row) : memory.element;
    return from_memory(type, b.CreateAlignedLoad(whole, address, alignment));
  }
  if (machine_.gather && memory.element->getScalarSizeInBits() >= 32)
    return from_memory(type, b.CreateMaskedGather(row, address, alignment, all_lanes(),
                                                  llvm::PoisonValue::get(row)));
  V result = llvm::PoisonValue::get(row);
  for (std::uint64_t i = 0; i < lanes_; ++i)
    result = b.CreateInsertElement(
        result, b.CreateAlignedLoad(memory.element, b.CreateExtractElement(address, i), alignment),
        i);
  return from_memory(type, result);
}

void LaneCode::store_elements(std::uint32_t array, const Lanes& index, V values) {
  const ElementMemory& memory = memory_of(array);
  const ScalarType type = hoisting.arrays().all()[array].type;
  V place = place_in_lanes(index, array), x = to_memory(type, values);
  if (place->getType()->isVectorTy()) return store_in_each_lane(memory, place, x);
  V address = element_address(memory, place);
  const llvm::Align alignment(memory.element->getScalarSizeInBits() / 8);
  // The columns of lanes that are off must stay unchanged.
  if (mask && memory.is_in_lanes)
    x = b.CreateSelect(mask, x,
                       b.CreateFreeze(b.CreateAlignedLoad(x->getType(), address, alignment)));
  b.CreateAlignedStore(x, address, alignment);
}

// A scatter takes as many stores, and works only on elements of 4 bytes or more.
void LaneCode::store_in_each_lane(const ElementMemory& memory, V rows, V values) {
  const std::uint64_t size = memory.address->getAllocatedType()->getArrayNumElements() / lanes_;
  if (mask)
    rows = b.CreateSelect(mask, rows, constant_like(rows, static_cast<std::int64_t>(size) - 1));
  V addresses = element_address(memory, rows);
  const llvm::Align alignment(memory.element->getScalarSizeInBits() / 8);
  for (std::uint64_t i = 0; i < lanes_; ++i)
    b.CreateAlignedStore(b.CreateExtractElement(values, i), b.CreateExtractElement(addresses, i),
                         alignment);
}

}  // namespace hasten::backends::cpu
