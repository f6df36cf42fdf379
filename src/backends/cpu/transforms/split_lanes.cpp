// Lanewise instructions are copied for each register; others receive the registers joined.
#include "backends/cpu/transforms/split_lanes.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {
namespace {

using V = llvm::Value*;
using Parts = llvm::SmallVector<V, 8>;

unsigned lanes_of(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

bool is_end_of_turn(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == llvm::Intrinsic::sideeffect;
}

class Splitter {
 public:
  Splitter(llvm::Function& function, unsigned lanes, unsigned part_lanes)
      : function_(function),
        lanes_(lanes),
        part_lanes_(part_lanes),
        b_(function.getContext()) {}

  void run() {
    llvm::SmallVector<llvm::Instruction*, 256> all;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order)
      for (llvm::Instruction& i : *block) all.push_back(&i);
    for (llvm::Instruction* i : all) {
      b_.SetInsertPoint(i);
      if (is_lanewise(*i)) {
        waiting_.push_back(i);
        parts_[i];
        continue;
      }
      const bool ends_turn = is_end_of_turn(*i);
      if (i->isTerminator() || ends_turn || uses_waiting(*i)) finish_waiting();
      if (ends_turn) {
        i->eraseFromParent();
        continue;
      }
      if (split(*i))
        replaced_.push_back(i);
      else
        join_operands(*i);
    }
    for (llvm::Instruction* i : replaced_)
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) fill(*phi);
    for (llvm::Instruction* i : replaced_)
      if (!i->use_empty()) i->replaceAllUsesWith(llvm::PoisonValue::get(i->getType()));
    for (llvm::Instruction* i : replaced_) i->eraseFromParent();
  }

 private:
  [[nodiscard]] bool is_wide(const llvm::Type* type) const { return lanes_of(type) == lanes_; }
  [[nodiscard]] unsigned count() const { return lanes_ / part_lanes_; }
  llvm::Type* part_type(llvm::Type* type) const {
    return llvm::FixedVectorType::get(type->getScalarType(), part_lanes_);
  }

  // -- parts of values ----------------------------------------------------------------------------

  V lanes_from(V whole, unsigned part) {
    llvm::SmallVector<int, 64> from;
    for (unsigned i = 0; i < part_lanes_; ++i)
      from.push_back(static_cast<int>(part * part_lanes_ + i));
    return b_.CreateShuffleVector(whole, from);
  }

  // The parts of a value that is not split itself: made once, where the value is defined.
  const Parts& parts_of(V value) {
    if (const auto found = parts_.find(value); found != parts_.end()) return found->second;
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    if (auto* i = llvm::dyn_cast<llvm::Instruction>(value)) {
      b_.SetInsertPoint(*i->getInsertionPointAfterDef());
    } else {
      b_.SetInsertPoint(&*function_.getEntryBlock().getFirstInsertionPt());
    }
    Parts parts;
    V same = llvm::getSplatValue(value);
    if (same && llvm::isa<llvm::Constant>(value)) {
      parts.assign(count(), b_.CreateVectorSplat(part_lanes_, same));
    } else {
      for (unsigned p = 0; p < count(); ++p) parts.push_back(lanes_from(value, p));
    }
    return parts_[value] = std::move(parts);
  }

  V part_of(V operand, unsigned part) {
    return is_wide(operand->getType()) ? parts_of(operand)[part] : operand;
  }

  V joined(V value) {
    Parts parts = parts_of(value);
    while (parts.size() > 1) {
      Parts halves;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        llvm::SmallVector<int, 64> from;
        for (unsigned lane = 0; lane < 2 * lanes_of(parts[i]->getType()); ++lane)
          from.push_back(static_cast<int>(lane));
        halves.push_back(b_.CreateShuffleVector(parts[i], parts[i + 1], from));
      }
      parts = std::move(halves);
    }
    return parts[0];
  }

  void join_operands(llvm::Instruction& i) {
    for (llvm::Use& use : i.operands())
      if (split_.contains(use.get())) use.set(joined(use.get()));
  }

  void set(llvm::Instruction& i, Parts parts) {
    parts_[&i] = std::move(parts);
    split_.insert(&i);
  }

  // -- instructions that work lane by lane --------------------------------------------------------

  [[nodiscard]] bool is_lanewise(llvm::Instruction& i) const {
    if (!is_wide(i.getType())) return false;
    if (llvm::isa<llvm::ShuffleVectorInst>(i)) return llvm::getSplatValue(&i) != nullptr;
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
      return llvm::isTriviallyVectorizable(call->getIntrinsicID());
    if (!llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst,
                   llvm::CastInst, llvm::FreezeInst, llvm::GetElementPtrInst>(i))
      return false;
    if (llvm::isa<llvm::CastInst>(i) && !is_wide(i.getOperand(0)->getType())) return false;
    return llvm::none_of(i.operands(), [&](const llvm::Use& operand) {
      return operand->getType()->isVectorTy() && !is_wide(operand->getType());
    });
  }

  [[nodiscard]] bool uses_waiting(const llvm::Instruction& i) const {
    return llvm::any_of(i.operands(), [&](const llvm::Use& operand) {
      const auto found = parts_.find(operand.get());
      return found != parts_.end() && found->second.empty();
    });
  }

  // Emits all waiting instructions for the first register, then for the next one: few registers are
  // in use at once, and processors find independent instructions themselves.
  void finish_waiting() {
    for (unsigned p = 0; p < count(); ++p)
      for (llvm::Instruction* i : waiting_) {
        V part = part_of_lanewise(*i, p);
        parts_[i].push_back(part);
      }
    for (llvm::Instruction* i : waiting_) {
      split_.insert(i);
      replaced_.push_back(i);
    }
    waiting_.clear();
  }

  V part_of_lanewise(llvm::Instruction& i, unsigned part) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return part_of_call(*call, part);
    if (llvm::isa<llvm::ShuffleVectorInst>(i))
      return part > 0 ? parts_[&i][0] : b_.CreateVectorSplat(part_lanes_, llvm::getSplatValue(&i));
    llvm::Instruction* copy = i.clone();  // with flags and metadata
    for (llvm::Use& operand : copy->operands()) operand.set(part_of(operand.get(), part));
    copy->mutateType(part_type(i.getType()));
    return b_.Insert(copy);
  }

  V part_of_call(llvm::IntrinsicInst& call, unsigned part) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    llvm::SmallVector<llvm::Type*, 2> overloads;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
      overloads.push_back(part_type(call.getType()));
    llvm::SmallVector<V, 4> args;
    for (unsigned k = 0; k < call.arg_size(); ++k) {
      args.push_back(part_of(call.getArgOperand(k), part));
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(k)))
        overloads.push_back(args.back()->getType());
    }
    llvm::CallInst* result =
        b_.CreateCall(llvm::Intrinsic::getDeclaration(function_.getParent(), id, overloads), args);
    result->copyIRFlags(&call);
    return noted(result, call);
  }

  // -- other instructions -------------------------------------------------------------------------

  bool split(llvm::Instruction& i) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) return split_phi(*phi);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) return split_call(*call);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return split_load(*load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return split_store(*store);
    if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&i)) return split_test(*cast);
    if (auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(&i))
      return split_element(*element);
    return false;
  }

  bool split_phi(llvm::PHINode& phi) {
    if (!is_wide(phi.getType())) return false;
    Parts parts;
    for (unsigned p = 0; p < count(); ++p)
      parts.push_back(b_.CreatePHI(part_type(phi.getType()), phi.getNumIncomingValues()));
    set(phi, std::move(parts));
    return true;
  }

  void fill(llvm::PHINode& phi) {
    for (unsigned p = 0; p < count(); ++p) {
      auto* part = llvm::cast<llvm::PHINode>(parts_[&phi][p]);
      for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k)
        part->addIncoming(part_of(phi.getIncomingValue(k), p), phi.getIncomingBlock(k));
    }
  }

  bool split_element(llvm::ExtractElementInst& i) {
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(i.getIndexOperand());
    V whole = i.getVectorOperand();
    if (!number || !is_wide(whole->getType()) || number->getZExtValue() >= lanes_) return false;
    const std::uint64_t lane = number->getZExtValue();
    V part = parts_of(whole)[lane / part_lanes_];
    i.replaceAllUsesWith(b_.CreateExtractElement(part, lane % part_lanes_));
    return true;
  }

  // Splits a test of whether any lane is on (LaneCode::any): all bits as a number, compared with 0.
  bool split_test(llvm::BitCastInst& cast) {
    V bits = cast.getOperand(0);
    if (!is_wide(bits->getType()) || !bits->getType()->isIntOrIntVectorTy(1)) return false;
    llvm::SmallVector<llvm::ICmpInst*, 2> tests;
    for (llvm::User* user : cast.users()) {
      auto* test = llvm::dyn_cast<llvm::ICmpInst>(user);
      auto* other = test ? llvm::dyn_cast<llvm::ConstantInt>(test->getOperand(1)) : nullptr;
      if (!other || !other->isZero() || !test->isEquality()) return false;
      tests.push_back(test);
    }
    V some = parts_of(bits)[0];
    for (unsigned p = 1; p < count(); ++p) some = b_.CreateOr(some, parts_of(bits)[p]);
    V number = b_.CreateBitCast(some, b_.getIntNTy(part_lanes_));
    for (llvm::ICmpInst* test : tests) {
      test->setOperand(0, number);
      test->setOperand(1, llvm::ConstantInt::get(number->getType(), 0));
    }
    return true;
  }

  // -- memory -------------------------------------------------------------------------------------

  V part_address(V address, llvm::Type* wide, unsigned part) {
    return part == 0 ? address
                     : b_.CreateConstGEP1_64(wide->getScalarType(), address,
                                             std::uint64_t{part} * part_lanes_);
  }

  [[nodiscard]] bool is_wide_in_memory(const llvm::Type* type) const {
    return is_wide(type) && (type->isPtrOrPtrVectorTy() || type->getScalarSizeInBits() % 8 == 0);
  }

  static llvm::Align part_alignment(llvm::Align whole, llvm::Type* type, std::uint64_t lane) {
    return llvm::commonAlignment(whole, lane * (type->getScalarSizeInBits() / 8));
  }

  bool split_load(llvm::LoadInst& load) {
    llvm::Type* type = load.getType();
    if (!is_wide_in_memory(type) || load.isVolatile() || type->isPtrOrPtrVectorTy()) return false;
    Parts parts;
    for (unsigned p = 0; p < count(); ++p) {
      auto* part = b_.CreateAlignedLoad(
          part_type(type), part_address(load.getPointerOperand(), type, p),
          part_alignment(load.getAlign(), type, std::uint64_t{p} * part_lanes_));
      part->copyMetadata(load);
      parts.push_back(part);
    }
    set(load, std::move(parts));
    return true;
  }

  bool split_store(llvm::StoreInst& store) {
    V value = store.getValueOperand();
    llvm::Type* type = value->getType();
    if (!is_wide_in_memory(type) || store.isVolatile() || type->isPtrOrPtrVectorTy()) return false;
    for (unsigned p = 0; p < count(); ++p) {
      auto* part = b_.CreateAlignedStore(
          parts_of(value)[p], part_address(store.getPointerOperand(), type, p),
          part_alignment(store.getAlign(), type, std::uint64_t{p} * part_lanes_));
      part->copyMetadata(store);
    }
    return true;
  }

  // -- calls --------------------------------------------------------------------------------------

  bool split_call(llvm::IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load: return split_masked_load(call);
      case llvm::Intrinsic::masked_store: return split_masked_store(call);
      case llvm::Intrinsic::masked_gather: return split_gather(call);
      case llvm::Intrinsic::masked_scatter: return split_scatter(call);
      default: return false;
    }
  }

  static llvm::Align alignment_of(const llvm::IntrinsicInst& call, unsigned argument) {
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(argument))->getAlignValue();
  }

  bool split_masked_load(llvm::IntrinsicInst& call) {
    if (!is_wide_in_memory(call.getType())) return false;
    llvm::Type* type = call.getType();
    Parts parts;
    for (unsigned p = 0; p < count(); ++p)
      parts.push_back(
          noted(b_.CreateMaskedLoad(
                    part_type(type), part_address(call.getArgOperand(0), type, p),
                    part_alignment(alignment_of(call, 1), type, std::uint64_t{p} * part_lanes_),
                    parts_of(call.getArgOperand(2))[p], parts_of(call.getArgOperand(3))[p]),
                call));
    set(call, std::move(parts));
    return true;
  }

  bool split_masked_store(llvm::IntrinsicInst& call) {
    V value = call.getArgOperand(0);
    llvm::Type* type = value->getType();
    if (!is_wide_in_memory(type)) return false;
    for (unsigned p = 0; p < count(); ++p)
      noted(b_.CreateMaskedStore(
                parts_of(value)[p], part_address(call.getArgOperand(1), type, p),
                part_alignment(alignment_of(call, 2), type, std::uint64_t{p} * part_lanes_),
                parts_of(call.getArgOperand(3))[p]),
            call);
    return true;
  }

  bool split_gather(llvm::IntrinsicInst& call) {
    if (!is_wide(call.getType())) return false;
    Parts parts;
    for (unsigned p = 0; p < count(); ++p)
      parts.push_back(
          noted(b_.CreateMaskedGather(part_type(call.getType()), parts_of(call.getArgOperand(0))[p],
                                      alignment_of(call, 1), parts_of(call.getArgOperand(2))[p],
                                      parts_of(call.getArgOperand(3))[p]),
                call));
    set(call, std::move(parts));
    return true;
  }

  bool split_scatter(llvm::IntrinsicInst& call) {
    if (!is_wide(call.getArgOperand(0)->getType())) return false;
    for (unsigned p = 0; p < count(); ++p)
      noted(b_.CreateMaskedScatter(parts_of(call.getArgOperand(0))[p],
                                   parts_of(call.getArgOperand(1))[p], alignment_of(call, 2),
                                   parts_of(call.getArgOperand(3))[p]),
            call);
    return true;
  }

  static llvm::CallInst* noted(llvm::CallInst* part, const llvm::CallInst& whole) {
    part->copyMetadata(whole);
    return part;
  }

  llvm::Function& function_;
  unsigned lanes_, part_lanes_;
  llvm::IRBuilder<> b_;
  llvm::DenseMap<V, Parts> parts_;
  llvm::DenseSet<V> split_;                  // with results in parts_
  std::vector<llvm::Instruction*> waiting_;  // lanewise ones of this block without parts
  std::vector<llvm::Instruction*> replaced_;
};

bool hands_on_masks(const llvm::Function& function, unsigned lanes) {
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& i : block)
      if (lanes_of(i.getType()) == lanes && i.getType()->isIntOrIntVectorTy(1) &&
          (llvm::isa<llvm::PHINode>(i) || i.isUsedOutsideOfBlock(&block)))
        return true;
  return false;
}

// The lanes of the narrowest numbers of at least 32 bits; if all are shorter, of the widest.
unsigned register_lanes(const llvm::Function& function, unsigned lanes, unsigned bits) {
  constexpr unsigned longest = 64;
  unsigned narrowest = longest, widest_short = 0;
  bool has_long = false;
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& i : block) {
      const unsigned width = i.getType()->getScalarSizeInBits();
      if (lanes_of(i.getType()) != lanes) continue;
      has_long |= width >= 32;
      if (width >= 32) narrowest = std::min(narrowest, width);
      if (width < 32 && width >= 8) widest_short = std::max(widest_short, width);
    }
  return bits / (has_long || widest_short == 0 ? narrowest : widest_short);
}

}  // namespace

void end_turn(llvm::IRBuilder<>& b) { b.CreateIntrinsic(llvm::Intrinsic::sideeffect, {}, {}); }

bool split_lanes(llvm::Function& function, unsigned lanes, const Machine& machine) {
  if (lanes == 1 || !hands_on_masks(function, lanes)) return false;
  const unsigned part = register_lanes(function, lanes, machine.bits);
  if (part >= lanes || lanes % part != 0) return false;
  Splitter(function, lanes, part).run();
  return true;
}

}  // namespace hasten::backends::cpu
