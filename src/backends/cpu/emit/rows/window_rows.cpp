// Each row of the space takes the place of the row that no later one needs.
#include "backends/cpu/emit/rows/window_rows.hpp"

#include "backends/cpu/emit/loops.hpp"
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/skeletons.hpp"
#include "backends/cpu/schedule/schedule.hpp"

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

// Stores and loads of vectors may reach past the last column.
std::int64_t pitch_of(std::int64_t columns, const kernels::SlidingWindow& window, unsigned lanes) {
  constexpr std::int64_t unit = 64;
  return (columns + window.columns + 2 * static_cast<std::int64_t>(lanes) + unit - 1) / unit * unit;
}

}  // namespace

llvm::Function* window_function(const KernelModule& module, const kernels::SlidingWindow& window,
                                unsigned lanes) {
  llvm::Function* function = declare_part(module, "hasten_window");
  LaneCode code(module, function, lanes);
  auto& b = code.b;
  const std::size_t rank = module.kernel.rank;
  const kernels::Region& producer = window.producer;
  code.prefetched = reads_ahead(module.kernel, producer);
  code.hoisting.add(producer, element_places(module.kernel, true));
  V begin = function->getArg(3), end = function->getArg(4), to = function->getArg(5);
  OpenLevel entry(code, 0);
  Values index = split_row(code, function->getArg(1), rank - 1);
  if (!index.empty()) index.back() = b.CreateAdd(index.back(), function->getArg(2));
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    code.set(producer.params[axis], Uniform{index[axis]});
  OpenLevel row(code, 1);
  in_vectors(code, begin, end, {}, [&](V column, const Values&, bool tail) {
    code.set(producer.params.back(), Affine{column, code.i64(1)});
    code.level_blocks.resize(lane_level);
    code.level_blocks.push_back(b.GetInsertBlock());
    code.run_hoisted(producer, tail ? lane_level : 0);
    V value = code.vector(producer.results[0]);
    V at = b.CreateInBoundsGEP(value->getType()->getScalarType(), to, b.CreateSub(column, begin));
    b.CreateAlignedStore(value, at, llvm::Align(value->getType()->getScalarSizeInBits() / 8));
    return Values{};
  });
  row.close();
  entry.close();
  b.CreateRetVoid();
  return function;
}

WindowRows::WindowRows(const KernelModule& module, LaneCode& code,
                       const kernels::SlidingWindow& window, std::int64_t columns)
    : code_(code),
      window_(window),
      producer_(window_function(module, window, code.lanes())),
      type_(register_type(code.b.getContext(), code.type(window.producer.results[0]))),
      pitch_(pitch_of(columns, window, code.lanes())),
      memory_(code.stack_slot(
          llvm::ArrayType::get(type_, static_cast<std::uint64_t>(window.rows * pitch_)))) {
  memory_->setAlignment(llvm::Align(64));
}

V WindowRows::slot(V row, V further) {
  auto& b = code_.b;
  V place = b.CreateURem(b.CreateAdd(row, further), code_.i64(window_.rows));
  return b.CreateInBoundsGEP(type_, memory_, b.CreateMul(place, code_.i64(pitch_)));
}

// A row that is the same for all rows is computed once, at the first row of a task's strip.
void WindowRows::fill(V frame, V row, V all, V begin, V end) {
  auto& b = code_.b;
  begin_ = begin;
  if (window_.is_still) {
    code_.when(all, "still", [&] {
      b.CreateCall(producer_->getFunctionType(), producer_,
                   {frame, row, code_.i64(0), begin, end, memory_, code_.i64(0)});
    });
    slots_.assign(1, memory_);
    return;
  }
  V first = b.CreateSelect(all, code_.i64(0), code_.i64(window_.rows - 1));
  V last_column = b.CreateAdd(end, code_.i64(window_.columns - 1));
  counted(code_, first, code_.i64(window_.rows), 1, {}, [&](V further, const Values&) {
    b.CreateCall(producer_->getFunctionType(), producer_,
                 {frame, row, further, begin, last_column, slot(row, further), code_.i64(0)});
    return Values{};
  });
  slots_.clear();
  for (std::int64_t i = 0; i < window_.rows; ++i) slots_.push_back(slot(row, code_.i64(i)));
}

void WindowRows::read(V column) {
  auto& b = code_.b;
  llvm::Type* vector = llvm::FixedVectorType::get(type_, code_.lanes());
  V first = b.CreateSub(column, begin_);
  const std::size_t rank = code_.kernel().rank;
  for (std::size_t i = 0; i < window_.uses.size(); ++i) {
    const kernels::WindowUse use = window_.uses[i];
    V at = b.CreateInBoundsGEP(type_, slots_[static_cast<std::size_t>(use.row)],
                               b.CreateAdd(first, code_.i64(use.column)));
    V value = b.CreateAlignedLoad(vector, at, llvm::Align(type_->getScalarSizeInBits() / 8));
    code_.set(window_.consumer.params[rank + i], Varying{value});
  }
}

}  // namespace hasten::backends::cpu
