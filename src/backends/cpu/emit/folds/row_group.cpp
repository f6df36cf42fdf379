// Registers wait on the stack, and are joined in pieces of half the length from step to step.
#include "backends/cpu/emit/folds/row_group.hpp"

#include "backends/cpu/emit/folds/fold_operator.hpp"

#include <span>
#include <vector>

namespace hasten::backends::cpu {

using kernels::Kernel;
using V = llvm::Value*;

namespace {

llvm::Align alignment_of(const LaneCode& code, llvm::Type* type) {
  const llvm::DataLayout& layout = code.b.GetInsertBlock()->getModule()->getDataLayout();
  return llvm::Align(layout.getTypeAllocSize(type).getFixedValue());
}

// Of two registers of pieces, the first or second halves of all pieces.
Values halves(LaneCode& code, const Values& a, const Values& b, std::size_t piece, bool second) {
  const std::size_t half = piece / 2;
  llvm::SmallVector<int, 64> order;
  for (std::size_t lane = 0; lane < code.lanes(); ++lane)
    order.push_back(static_cast<int>(lane / half * piece + lane % half + (second ? half : 0)));
  Values result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(code.b.CreateShuffleVector(a[i], b[i], order));
  return result;
}

}  // namespace

RowGroup::RowGroup(LaneCode& code) : code_(code) {
  const Kernel& kernel = code.kernel();
  std::vector<Place> places(outer_axes(kernel), Place{1, Spread::uniform});
  places.back() = {lane_level, Spread::affine};
  places.resize(kernel.epilogue.params.size(), Place{lane_level, Spread::varying});
  code.hoisting.add(kernel.epilogue, places);
  for (const V nothing : identities(code)) {
    llvm::AllocaInst* slot =
        code.stack_slot(llvm::ArrayType::get(nothing->getType(), code.lanes()));
    slot->setAlignment(alignment_of(code, nothing->getType()));
    slots_.push_back(slot);
  }
}

V RowGroup::slot(std::size_t leaf, V row) {
  llvm::Type* type = slots_[leaf]->getAllocatedType()->getArrayElementType();
  return code_.b.CreateGEP(type, slots_[leaf], row);
}

void RowGroup::keep(V row, const Values& leaves) {
  for (std::size_t i = 0; i < leaves.size(); ++i)
    code_.b.CreateAlignedStore(leaves[i], slot(i, row), alignment_of(code_, leaves[i]->getType()));
}

Values RowGroup::joined() {
  std::vector<Values> left;
  for (unsigned row = 0; row < code_.lanes(); ++row) {
    Values leaves;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      llvm::Type* type = slots_[i]->getAllocatedType()->getArrayElementType();
      leaves.push_back(
          code_.b.CreateAlignedLoad(type, slot(i, code_.i64(row)), alignment_of(code_, type)));
    }
    left.push_back(leaves);
  }
  for (; left.size() > 1; left.resize(left.size() / 2))
    for (std::size_t pair = 0; pair < left.size() / 2; ++pair) {
      const Values &a = left[2 * pair], &b = left[2 * pair + 1];
      left[pair] = combined_by_table(code_, halves(code_, a, b, left.size(), false),
                                     halves(code_, a, b, left.size(), true));
    }
  return left[0];
}

void RowGroup::store(const Values& index, V first, V place, const Values& folds) {
  const Kernel& kernel = code_.kernel();
  const kernels::Region& epilogue = kernel.epilogue;
  const Values all =
      kernel.seed.empty() ? folds : combined(code_, lanes_of(code_, kernel.seed), folds);
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    code_.set(epilogue.params[axis], Uniform{index[axis]});
  code_.set(epilogue.params[index.size()], Affine{first, code_.i64(1)});
  set_lanes(code_, std::span(epilogue.params).subspan(index.size() + 1), all);
  code_.run(epilogue);
  for (std::size_t i = 0; i < epilogue.results.size(); ++i)
    code_.store(i, place, code_.vector(epilogue.results[i]), false);
}

}  // namespace hasten::backends::cpu
