// List scheduling: of the ready instructions, the one with the longest path to the end is first.
#include "backends/cpu/transforms/instruction_order.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <vector>

namespace hasten::backends::cpu {
namespace {

// The processor sees shorter blocks as a whole.
constexpr std::size_t operations_min = 40;
// The most instructions that one may overtake: each that waits longer holds registers longer.
constexpr std::size_t window = 100;
constexpr unsigned ports = 2;  // for the widest registers

bool is_vector(const llvm::Instruction& i) { return i.getType()->isVectorTy(); }

// Cycles until the result is available, roughly those of all processors of the last ten years.
unsigned latency(const llvm::Instruction& i) {
  switch (i.getOpcode()) {
    case llvm::Instruction::FDiv: return 24;
    case llvm::Instruction::Load: return 8;
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::FNeg: return 0;
    case llvm::Instruction::Select: return 2;
    case llvm::Instruction::Call: break;
    default: return is_vector(i) ? 4 : 1;
  }
  const auto id = llvm::cast<llvm::IntrinsicInst>(i).getIntrinsicID();
  if (id == llvm::Intrinsic::sqrt) return 30;
  return id == llvm::Intrinsic::fma ? 4 : 6;
}

// Registers that an instruction computes. Pure moves are free: other instructions absorb them.
unsigned registers(const llvm::Instruction& i, unsigned bits) {
  if (!is_vector(i) || latency(i) == 0 || llvm::isa<llvm::LoadInst>(i)) return 0;
  const auto* type = llvm::cast<llvm::FixedVectorType>(i.getType());
  // Comparisons return bits, but occupy whole lanes.
  const unsigned lane = std::max(32U, type->getScalarSizeInBits());
  return std::max(1U, type->getNumElements() * lane / bits);
}

struct Node {
  llvm::Instruction* instruction = nullptr;
  std::vector<std::size_t> users;  // in this block, once for each use
  unsigned waits_for = 0;          // operands of this block that are not placed yet
  unsigned height = 0;             // cycles from its start to the end of the longest chain below
  double start = 0;                // when its operands are available
  bool placed = false;
};

class Block {
 public:
  Block(llvm::BasicBlock& block, unsigned bits) : block_(block), bits_(bits) {}

  /// Whether order is free and matters.
  bool collect() {
    std::size_t operations = 0;
    for (llvm::Instruction& i : block_) {
      if (llvm::isa<llvm::PHINode>(i) || i.isTerminator()) continue;
      const bool call = llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i);
      if (call || i.mayHaveSideEffects()) return false;
      operations += registers(i, bits_) > 0 ? 1 : 0;
      numbers_[&i] = nodes_.size();
      nodes_.emplace_back().instruction = &i;
    }
    return operations >= operations_min;
  }

  void order() {
    connect();
    for (std::size_t placed = 0; placed < nodes_.size(); ++placed) {
      const std::size_t next = choose();
      place(next);
      nodes_[next].instruction->moveBefore(block_.getTerminator());
    }
  }

 private:
  void connect() {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (const llvm::Value* operand : nodes_[n].instruction->operands()) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
        const auto found = instruction ? numbers_.find(instruction) : numbers_.end();
        if (found == numbers_.end()) continue;
        nodes_[found->second].users.push_back(n);
        ++nodes_[n].waits_for;
      }
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      for (std::size_t user : nodes_[n].users)
        nodes_[n].height = std::max(nodes_[n].height, nodes_[user].height);
      nodes_[n].height += latency(*nodes_[n].instruction);
    }
  }

  // The highest of those that can start now; if there are none, time advances to the first start.
  std::size_t choose() {
    while (nodes_[first_].placed) ++first_;
    const std::size_t end = std::min(nodes_.size(), first_ + window);
    std::size_t best = first_;
    const auto key = [&](std::size_t n) { return std::max(nodes_[n].start, now_); };
    for (std::size_t n = first_ + 1; n < end; ++n) {
      if (nodes_[n].placed || nodes_[n].waits_for > 0) continue;
      const bool sooner = key(n) < key(best);
      if (sooner || (key(n) == key(best) && nodes_[n].height > nodes_[best].height)) best = n;
    }
    now_ = key(best);
    return best;
  }

  void place(std::size_t n) {
    Node& node = nodes_[n];
    node.placed = true;
    now_ += registers(*node.instruction, bits_) / static_cast<double>(ports);
    const double there = now_ + latency(*node.instruction);
    for (std::size_t user : node.users) {
      --nodes_[user].waits_for;
      nodes_[user].start = std::max(nodes_[user].start, there);
    }
  }

  llvm::BasicBlock& block_;
  unsigned bits_;
  std::vector<Node> nodes_;  // in the order of the program
  llvm::DenseMap<const llvm::Instruction*, std::size_t> numbers_;
  std::size_t first_ = 0;  // not placed yet
  double now_ = 0;
};

}  // namespace

bool order_matters(llvm::Function& function, const Machine& machine) {
  return std::any_of(function.begin(), function.end(),
                     [&](llvm::BasicBlock& block) { return Block(block, machine.bits).collect(); });
}

void interleave_chains(llvm::Function& function, const Machine& machine) {
  for (llvm::BasicBlock& block : function)
    if (Block chains(block, machine.bits); chains.collect()) chains.order();
}

}  // namespace hasten::backends::cpu
