// Whole rows of a few elements, a row for each lane: loaded and stored by vectors along memory,
// which shuffles take apart and put together.
#include "backends/cpu/emit/code.hpp"

#include <algorithm>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

llvm::Align element_alignment(llvm::Type* element) {
  return llvm::Align(std::max(1U, element->getScalarSizeInBits() / 8));
}

}  // namespace

// Lane l is element place(l) of the concatenated parts. Each shuffle has two operands: it adds one
// part to the result so far.
V LaneCode::taken_apart(llvm::ArrayRef<V> parts,
                        llvm::function_ref<std::int64_t(std::int64_t)> place) {
  const auto lanes = static_cast<std::int64_t>(lanes_);
  V x = nullptr;
  for (std::int64_t part = 0; part < static_cast<std::int64_t>(parts.size()); ++part) {
    llvm::SmallVector<int, 64> from;
    bool some = false;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const bool is_here = place(lane) / lanes == part;
      some |= is_here;
      const std::int64_t at = place(lane) % lanes;
      from.push_back(static_cast<int>(is_here ? (x ? lanes + at : at) : lane));
    }
    if (!some) continue;
    V y = parts[static_cast<std::size_t>(part)];
    x = x ? b.CreateShuffleVector(x, y, from) : b.CreateShuffleVector(y, from);
  }
  return x;
}

std::vector<V> LaneCode::load_rows(std::uint32_t array, V first, std::int64_t columns) {
  const ScalarType element = kernel_.inputs[array];
  llvm::Type* memory = memory_type(b.getContext(), element);
  auto* type = llvm::FixedVectorType::get(memory, lanes_);
  const auto lanes = static_cast<std::int64_t>(lanes_);
  llvm::SmallVector<V, 4> parts;
  for (std::int64_t part = 0; part < columns; ++part) {
    V address = b.CreateGEP(memory, inputs_[array], b.CreateAdd(first, i64(part * lanes)));
    parts.push_back(reads(b.CreateAlignedLoad(type, address, element_alignment(memory))));
  }
  std::vector<V> result = columns_of(parts);
  for (V& column : result) column = from_memory(element, column);
  return result;
}

std::vector<V> LaneCode::columns_of(llvm::ArrayRef<V> vectors) {
  const auto columns = static_cast<std::int64_t>(vectors.size());
  std::vector<V> result;
  for (std::int64_t column = 0; column < columns; ++column)
    result.push_back(
        taken_apart(vectors, [&](std::int64_t lane) { return lane * columns + column; }));
  return result;
}

std::vector<V> LaneCode::vectors_of(llvm::ArrayRef<V> columns) {
  const auto lanes = static_cast<std::int64_t>(lanes_);
  const auto count = static_cast<std::int64_t>(columns.size());
  std::vector<V> result;
  for (std::int64_t part = 0; part < count; ++part)
    result.push_back(taken_apart(columns, [&](std::int64_t lane) {
      const std::int64_t at = part * lanes + lane;
      return at % count * lanes + at / count;
    }));
  return result;
}

void LaneCode::store_rows(std::size_t output, V first, llvm::ArrayRef<V> columns, bool stream) {
  const auto lanes = static_cast<std::int64_t>(lanes_);
  llvm::SmallVector<V, 4> parts;
  for (V column : columns) parts.push_back(to_memory(kernel_.outputs[output], column));
  for (V x : vectors_of(parts)) {
    store_from(outputs_[output], first, x, stream);
    first = b.CreateAdd(first, i64(lanes));
  }
}

}  // namespace hasten::backends::cpu
