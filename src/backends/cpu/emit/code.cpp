// Arguments, forms of values, statements.
#include "backends/cpu/emit/code.hpp"

#include <hasten/run/error.hpp>

#include "core/traverse.hpp"
#include "kernels/analysis/indices/own_reads.hpp"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <vector>

namespace hasten::backends::cpu {

using namespace core;
using V = llvm::Value*;

namespace {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

llvm::MDNode* one_scope(llvm::MDBuilder& metadata, llvm::MDNode* domain, const char* name) {
  llvm::LLVMContext& context = domain->getContext();
  return llvm::MDNode::get(context, metadata.createAnonymousAliasScope(domain, name));
}

llvm::FastMathFlags flags_of(const CompileOptions& options) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(options.contract || options.fast_math);
  if (options.fast_math) {
    flags.setAllowReassoc();
    flags.setAllowReciprocal();
    flags.setNoSignedZeros();
    flags.setApproxFunc();
  }
  return flags;
}

}  // namespace

LaneCode::LaneCode(const KernelModule& module, llvm::Function* function, unsigned lanes)
    : hoisting(module.kernel, lanes > 1),
      b(function->getContext()),
      ops(b, module.llvm, module.machine),
      module_(module),
      kernel_(module.kernel),
      machine_(module.machine),
      lanes_(lanes),
      long_loops_(module.kernel),
      used_(module.kernel.value_types.size()),
      values_(module.kernel.value_types.size(), Uniform{nullptr}) {
  const std::vector<bool> own = kernels::own_reads(kernel_);
  may_overwrite_ = std::ranges::find(own, true) != own.end();
  llvm::MDBuilder metadata(b.getContext());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(function->getName());
  input_scope_ = one_scope(metadata, domain, "inputs");
  output_scope_ = one_scope(metadata, domain, "outputs");
  b.setFastMathFlags(flags_of(module.options));
  if (b.getFastMathFlags().allowContract() && ops.estimates_roots())
    root_powers_.emplace(module.kernel);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  load_frame(function->getArg(0), module.layout);
  for (const Region* region : kernels::regions_of(kernel_))
    for_each_use(*region, [&](Value v) { used_[v] = true; }, [](ArrayId) {});
}

void LaneCode::load_frame(V frame, const FrameLayout& layout) {
  const auto word = [&](llvm::Type* type, std::size_t index) {
    llvm::LoadInst* load = b.CreateAlignedLoad(
        type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), frame, index), llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
  };
  for (std::size_t i = 0; i < kernel_.inputs.size(); ++i)
    inputs_.push_back(word(b.getPtrTy(), layout.inputs + i));
  for (std::size_t i = 0; i < kernel_.outputs.size(); ++i)
    outputs_.push_back(word(b.getPtrTy(), layout.outputs + i));
  for (std::size_t i = 0; i < kernel_.scalars.size(); ++i) {
    const ScalarType t = type(kernel_.scalars[i]);
    V x = word(memory_type(b.getContext(), t), layout.scalars + i);
    set(kernel_.scalars[i], Uniform{from_memory(t, x)});
  }
  for (std::size_t axis = 0; axis < layout.stop - layout.extents; ++axis)
    extents_.push_back(word(b.getInt64Ty(), layout.extents + axis));
  const KnownNumbers& known = module_.known;
  for (const unsigned i : known.scalars) set(kernel_.scalars[i], Uniform{i64(known.number)});
  if (known.axis < extents_.size()) extents_[known.axis] = i64(known.number);
  stop_word_ = word(b.getPtrTy(), layout.stop);
  far_inputs_ = word(b.getInt64Ty(), layout.far);
}

llvm::Type* LaneCode::lane_type(ScalarType type) {
  llvm::Type* element = register_type(b.getContext(), type);
  return lanes_ == 1 ? element : llvm::FixedVectorType::get(element, lanes_);
}

// A broadcast of a value computed outside the loop needs no place of its own: the code generator
// hoists it.
V LaneCode::vector(const Lanes& form) {
  return std::visit(Cases{[&](const Uniform& u) { return b.CreateVectorSplat(lanes_, u.value); },
                          [&](const Affine& l) {
                            return b.CreateAdd(b.CreateVectorSplat(lanes_, l.base),
                                               offsets(l.step));
                          },
                          [&](const Varying& v) { return v.value; }},
                    form);
}

void LaneCode::run(const Region& region) {
  for (const Stmt& stmt : region.body) run(stmt);
}

void LaneCode::run_hoisted(const Region& region, unsigned first, unsigned last) {
  V lanes_on = mask;
  for (const Stmt& stmt : region.body) {
    const unsigned level = hoisting[stmt.results.at(0)].level;
    if (level < first || level > last) continue;
    mask = level >= lane_level ? lanes_on : nullptr;
    b.SetInsertPoint(level_blocks[level]);
    run(stmt);
    level_blocks[level] = b.GetInsertBlock();
  }
  mask = lanes_on;
  b.SetInsertPoint(level_blocks.back());
}

void LaneCode::run(const Stmt& stmt) {
  std::visit(
      Cases{[&](const Constant& c) {
              const Value v = stmt.results[0];
              set(v, Uniform{literal(b.getContext(), type(v), c.bits)});
            },
            [&](const Prim& p) { prim(p, stmt.results[0]); },
            [&](const If& op) { branch(op, stmt); }, [&](const While& op) { loop(op, stmt); },
            [&](const LoadLinear& op) { load(op, stmt.results[0]); },
            [&](const ForeignCall& op) { foreign(op, stmt.results[0]); },
            [&](const Reduce& op) { reduce(op, stmt); },
            [&](const Extract& op) { extract(op, stmt); },
            [&](const Insert& op) { insert(op, stmt); },
            [&](const Load&) { throw InternalError("cpu: a read by several indices"); },
            [&](const Extent&) { throw InternalError("cpu: an extent in a kernel"); }},
      stmt.op);
}

llvm::BasicBlock* LaneCode::block(const char* name) {
  return llvm::BasicBlock::Create(b.getContext(), name, b.GetInsertBlock()->getParent());
}

V LaneCode::any(V lanes_on) {
  if (!lanes_on->getType()->isVectorTy()) return lanes_on;
  V bits = b.CreateBitCast(lanes_on, b.getIntNTy(lanes_));
  return b.CreateICmpNE(bits, constant_like(bits, 0));
}

void LaneCode::begin_tail(V count, V on) {
  mask = tail_mask_ = on;
  tail_ = count;
}

void LaneCode::end_tail() {
  mask = tail_mask_ = nullptr;
  tail_ = nullptr;
}

// Without mask registers, masks of whole registers are compared as such: those of bytes would be
// widened after.
V LaneCode::first_lanes(V count) {
  const unsigned bits =
      machine_.has_mask_registers() ? 8 : std::clamp(machine_.bits / lanes_, 8U, 64U);
  llvm::SmallVector<llvm::Constant*, 64> numbers;
  for (unsigned i = 0; i < lanes_; ++i) numbers.push_back(b.getIntN(bits, i));
  V splat = b.CreateVectorSplat(lanes_, b.CreateTrunc(count, b.getIntNTy(bits)));
  V all = llvm::ConstantVector::get(numbers);
  return bits == 8 ? b.CreateICmpULT(all, splat) : b.CreateICmpSLT(all, splat);
}

}  // namespace hasten::backends::cpu
