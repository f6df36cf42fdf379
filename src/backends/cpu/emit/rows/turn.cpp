// A block of rows, one for each lane, becomes columns, or columns become rows: pieces of rows that
// fill 128 bits are transposed among as many registers by interleaving, which is fast on every
// instruction set.
#include "backends/cpu/emit/prefetch.hpp"
#include "backends/cpu/emit/rows/private_rows.hpp"
#include "backends/cpu/emit/skeletons.hpp"

#include <fmt/format.h>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace hasten::backends::cpu {
namespace {

using V = llvm::Value*;
using Vectors = std::vector<V>;

class TurnEmitter {
 public:
  TurnEmitter(const KernelModule& module, llvm::Function* function, Turn turn, unsigned bits,
              unsigned lanes)
      : machine_(module.machine),
        turn_(turn),
        b_(llvm::BasicBlock::Create(module.llvm.getContext(), "entry", function)),
        function_(function),
        element_(b_.getIntNTy(bits)),
        lanes_(lanes),
        group_(std::min(module.machine.bits / bits, lanes)),
        piece_(std::min(128 / bits, lanes)) {}

  // Whole groups of rows by pieces, or by pairs; the other rows element by element.
  void run() {
    if (turn_ == Turn::to_columns && !machine_.follows_blocks) ask_for_next_block();
    V grouped = b_.CreateAnd(rows(), number(-std::uint64_t{group_}));
    V has_pieces = b_.CreateICmpSGE(count(), number(piece_));
    V are_pairs =
        b_.CreateAnd(b_.CreateICmpEQ(count(), number(2)), b_.CreateICmpEQ(distance(), number(2)));
    if (!masks_pieces())
      grouped = b_.CreateSelect(b_.CreateOr(has_pieces, are_pairs), grouped, number(0));
    llvm::BasicBlock *wide = block("wide"), *fewer = block("fewer"), *pairs = block("pairs"),
                     *narrow = block("narrow"), *rest = block("rest");
    b_.CreateCondBr(has_pieces, wide, fewer);
    b_.SetInsertPoint(wide);
    loop(number(0), grouped, group_, [&](V group) { turn_group(group); });
    b_.CreateBr(rest);
    b_.SetInsertPoint(fewer);
    b_.CreateCondBr(are_pairs, pairs, narrow);
    b_.SetInsertPoint(pairs);
    loop(number(0), grouped, group_, [&](V group) { turn_pairs(group); });
    b_.CreateBr(rest);
    b_.SetInsertPoint(narrow);
    if (masks_pieces()) {
      V mask = columns_on();
      loop(number(0), grouped, group_, [&](V group) { turn_piece(group, number(0), mask); });
    }
    b_.CreateBr(rest);
    b_.SetInsertPoint(rest);
    loop(grouped, rows(), 1, [&](V row) { turn_row(row); });
    b_.CreateRetVoid();
  }

 private:
  // A prefetch beyond the array has no effect.
  void ask_for_next_block() {
    V bytes = function_->getArg(5);
    V on = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bytes, number(prefetch_bytes));
    loop(number(0), bytes, line_bytes, [&](V at) { ask_for(rows_at(), b_.CreateAdd(at, on)); });
    V each = b_.CreateICmpSLT(bytes, number(0));
    loop(number(0), b_.CreateSelect(each, rows(), number(0)), 1, [&](V row) {
      V next = b_.CreateAdd(b_.CreateMul(row, distance()), count());
      V address = b_.CreateGEP(element_, rows_at(), next);
      V size = b_.CreateMul(count(), number(element_->getScalarSizeInBits() / 8));
      loop(number(0), size, line_bytes, [&](V at) { ask_for(address, at); });
    });
  }

  void ask_for(V address, V bytes_on) {
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {b_.CreateGEP(b_.getInt8Ty(), address, bytes_on), b_.getInt32(0),
                        b_.getInt32(3), b_.getInt32(1)});
  }

  // In memory, and on the stack.
  V rows_at() { return function_->getArg(turn_ == Turn::to_columns ? 0 : 4); }
  V columns_at() { return function_->getArg(turn_ == Turn::to_columns ? 4 : 0); }
  V distance() { return function_->getArg(1); }
  V count() { return function_->getArg(2); }
  V rows() { return function_->getArg(3); }
  V number(std::uint64_t x) { return b_.getInt64(x); }
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }
  [[nodiscard]] llvm::Align alignment() const {
    return llvm::Align(element_->getScalarSizeInBits() / 8);
  }

  // Whether the machine has instructions that move part of a piece.
  [[nodiscard]] bool masks_pieces() const {
    return machine_.gather && (element_->getScalarSizeInBits() >= 32 || machine_.bits == 512);
  }

  V columns_on() {
    llvm::SmallVector<llvm::Constant*, 16> numbers;
    for (unsigned i = 0; i < piece_; ++i) numbers.push_back(b_.getInt64(i));
    return b_.CreateICmpSLT(llvm::ConstantVector::get(numbers),
                            b_.CreateVectorSplat(piece_, count()));
  }

  /// for (i = begin; i < end; i += step)
  void loop(V begin, V end, unsigned step, llvm::function_ref<void(V)> body) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *inside = block("loop"), *after = block("end");
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), inside, after);
    b_.SetInsertPoint(inside);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    body(i);
    V next = b_.CreateNSWAdd(i, number(step));
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), inside, after);
    b_.SetInsertPoint(after);
  }

  // The last piece may overlap the one before it: both write the same elements there.
  void turn_group(V group) {
    V last = b_.CreateNSWSub(count(), number(piece_));
    loop(number(0), count(), piece_, [&](V at) {
      turn_piece(group, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, last), nullptr);
    });
  }

  void turn_piece(V group, V column, V mask) {
    const Vectors pieces = piece_addresses(group, column);
    const Vectors columns = column_addresses(group, column);
    if (turn_ == Turn::to_columns)
      write_columns(columns, turned(read_pieces(pieces, mask)));
    else
      write_pieces(pieces, mask, turned(read_columns(columns)));
  }

  Vectors column_addresses(V group, V column) {
    Vectors all;
    for (unsigned i = 0; i < piece_; ++i) {
      V first = b_.CreateMul(b_.CreateAdd(column, number(i)), number(lanes_));
      all.push_back(b_.CreateGEP(element_, columns_at(), b_.CreateAdd(first, group)));
    }
    return all;
  }

  // A few multiples of the distance, which address modes add for free.
  Vectors piece_addresses(V group, V column) {
    constexpr unsigned multiples = 4;
    Vectors all;
    V first = b_.CreateAdd(b_.CreateMul(group, distance()), column);
    V some = nullptr;
    for (unsigned row = 0; row < group_; ++row) {
      if (row % multiples == 0)
        some = row == 0 ? b_.CreateGEP(element_, rows_at(), first)
                        : b_.CreateGEP(element_, some, b_.CreateMul(distance(), number(multiples)));
      all.push_back(
          b_.CreateGEP(element_, some, b_.CreateMul(distance(), number(row % multiples))));
    }
    return all;
  }

  [[nodiscard]] llvm::Align column_alignment() const {
    return llvm::Align(group_ * element_->getScalarSizeInBits() / 8);
  }

  void write_columns(const Vectors& addresses, const Vectors& columns) {
    for (unsigned i = 0; i < piece_; ++i)
      b_.CreateAlignedStore(columns[i], addresses[i], column_alignment());
  }

  Vectors read_columns(const Vectors& addresses) {
    Vectors columns;
    for (V address : addresses)
      columns.push_back(b_.CreateAlignedLoad(llvm::FixedVectorType::get(element_, group_), address,
                                             column_alignment()));
    return columns;
  }

  // The c-th piece of vector j is that of row c * piece + j.
  Vectors read_pieces(const Vectors& addresses, V mask) {
    Vectors row_pieces, vectors;
    for (V address : addresses) row_pieces.push_back(read_piece(address, mask));
    for (unsigned j = 0; j < piece_; ++j) {
      Vectors some;
      for (unsigned row = j; row < group_; row += piece_) some.push_back(row_pieces[row]);
      vectors.push_back(llvm::concatenateVectors(b_, some));
    }
    return vectors;
  }

  V read_piece(V address, V mask) {
    auto* type = llvm::FixedVectorType::get(element_, piece_);
    if (!mask) return b_.CreateAlignedLoad(type, address, alignment());
    return b_.CreateMaskedLoad(type, address, alignment(), mask,
                               llvm::Constant::getNullValue(type));
  }

  void write_pieces(const Vectors& addresses, V mask, const Vectors& vectors) {
    for (unsigned row = 0; row < group_; ++row) {
      llvm::SmallVector<int, 16> order(piece_);
      std::iota(order.begin(), order.end(), static_cast<int>(row / piece_ * piece_));
      V piece = b_.CreateShuffleVector(vectors[row % piece_], order);
      if (mask)
        b_.CreateMaskedStore(piece, addresses[row], alignment(), mask);
      else
        b_.CreateAlignedStore(piece, addresses[row], alignment());
    }
  }

  // Each step interleaves the vectors of the first half with those of the second; after as many
  // steps as the piece length has bits, every piece belongs to one column.
  Vectors turned(Vectors vectors) {
    for (unsigned step = 1; step < piece_; step *= 2) {
      Vectors next;
      for (unsigned j = 0; j < piece_ / 2; ++j) {
        next.push_back(interleaved(vectors[j], vectors[j + piece_ / 2], 0));
        next.push_back(interleaved(vectors[j], vectors[j + piece_ / 2], piece_ / 2));
      }
      vectors = std::move(next);
    }
    return vectors;
  }

  // Interleaves the halves of each piece that begin at `first`.
  V interleaved(V a, V other, unsigned first) {
    llvm::SmallVector<int, 64> order;
    for (unsigned chunk = 0; chunk < group_; chunk += piece_)
      for (unsigned i = first; i < first + piece_ / 2; ++i) {
        order.push_back(static_cast<int>(chunk + i));
        order.push_back(static_cast<int>(group_ + chunk + i));
      }
    return b_.CreateShuffleVector(a, other, order);
  }

  // Rows of two elements, end to end: two vectors of them are two columns.
  void turn_pairs(V group) {
    auto* type = llvm::FixedVectorType::get(element_, group_);
    V rows = b_.CreateGEP(element_, rows_at(), b_.CreateMul(group, number(2)));
    V columns = b_.CreateGEP(element_, columns_at(), group);
    const Vectors at_rows = {rows, b_.CreateGEP(element_, rows, number(group_))};
    const Vectors at_columns = {columns, b_.CreateGEP(element_, columns, number(lanes_))};
    const auto all = [&](const Vectors& addresses, llvm::Align align) {
      Vectors two;
      for (V address : addresses) two.push_back(b_.CreateAlignedLoad(type, address, align));
      return two;
    };
    if (turn_ == Turn::to_columns) {
      const Vectors read = all(at_rows, alignment());
      for (unsigned i = 0; i < 2; ++i)
        b_.CreateAlignedStore(
            b_.CreateShuffleVector(read[0], read[1], llvm::createStrideMask(i, 2, group_)),
            at_columns[i], column_alignment());
      return;
    }
    const Vectors read = all(at_columns, column_alignment());
    const auto order = llvm::createInterleaveMask(group_, 2);
    for (unsigned i = 0; i < 2; ++i)
      b_.CreateAlignedStore(
          b_.CreateShuffleVector(read[0], read[1],
                                 llvm::ArrayRef(order).slice(std::size_t{i} * group_, group_)),
          at_rows[i], alignment());
  }

  void turn_row(V row) {
    V first = b_.CreateGEP(element_, rows_at(), b_.CreateMul(row, distance()));
    loop(number(0), count(), 1, [&](V column) {
      V of_row = b_.CreateGEP(element_, first, column);
      V place = b_.CreateAdd(b_.CreateMul(column, number(lanes_)), row);
      V of_column = b_.CreateGEP(element_, columns_at(), place);
      const bool to_columns = turn_ == Turn::to_columns;
      V x = b_.CreateAlignedLoad(element_, to_columns ? of_row : of_column, alignment());
      b_.CreateAlignedStore(x, to_columns ? of_column : of_row, alignment());
    });
  }

  const Machine& machine_;
  Turn turn_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_;
  llvm::Type* element_;
  unsigned lanes_, group_, piece_;
};

}  // namespace

llvm::Function* turn_function(const KernelModule& module, Turn turn, unsigned bits,
                              unsigned lanes) {
  const std::string name =
      fmt::format("hasten_{}_{}_{}", turn == Turn::to_columns ? "columns" : "rows", bits, lanes);
  if (llvm::Function* known = module.llvm.getFunction(name)) return known;
  llvm::LLVMContext& context = module.llvm.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context),
             *number = llvm::Type::getInt64Ty(context);
  llvm::Function* function =
      declare_function(module, name.c_str(), {pointer, number, number, number, pointer, number});
  function->setLinkage(llvm::Function::InternalLinkage);
  TurnEmitter(module, function, turn, bits, lanes).run();
  return function;
}

}  // namespace hasten::backends::cpu
