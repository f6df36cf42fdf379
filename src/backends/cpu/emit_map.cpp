// out[ix] = element(ix): rows of the outer axes, vectors along the inner one.
#include "backends/cpu/loops.hpp"
#include "backends/cpu/skeletons.hpp"

namespace hasten::backends::cpu {

using V = llvm::Value*;

namespace {

llvm::Function* declare(const Unit& unit, const char* name, llvm::ArrayRef<llvm::Type*> params) {
  llvm::LLVMContext& context = unit.module.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), params, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, unit.module);
  const std::string width = std::to_string(unit.machine.bits);
  function->addFnAttr("target-cpu", unit.machine.cpu);
  function->addFnAttr("target-features", unit.machine.features);
  function->addFnAttr("prefer-vector-width", width);
  function->addFnAttr("min-legal-vector-width", width);
  function->setDoesNotThrow();
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  return function;
}

class MapEmitter {
 public:
  MapEmitter(const Unit& unit, unsigned lanes)
      : function_(declare_run(unit)),
        code_(unit, function_, lanes) {}

  void run() {
    const kernels::Kernel& kernel = code_.kernel();
    auto& b = code_.b;
    code_.placement.add(kernel.element, element_places(kernel, true));
    V stream =
        b.CreateICmpNE(b.CreateAnd(function_->getArg(6), code_.i64(run_stream)), code_.i64(0));
    OpenLevel entry(code_, 0);
    RowLoop rows(code_, function_->getArg(1), function_->getArg(2), kernel.rank - 1);
    for (std::size_t axis = 0; axis + 1 < kernel.rank; ++axis)
      code_.set(kernel.element.params[axis], Uniform{rows.index[axis]});
    OpenLevel row(code_, 1);
    V start = b.CreateMul(rows.row, code_.extent(kernel.rank - 1));
    in_vectors(code_, function_->getArg(3), function_->getArg(4), {},
               [&](V index, const Values&, bool tail) {
                 elements(index, start, stream, tail);
                 return Values{};
               });
    row.close();
    rows.close();
    entry.close();
    code_.fence(stream);
    b.CreateRetVoid();
  }

 private:
  void elements(V index, V start, V stream, bool tail) {
    const kernels::Kernel& kernel = code_.kernel();
    auto& b = code_.b;
    code_.set(kernel.element.params.back(), Linear{index, code_.i64(1)});
    code_.level_blocks.resize(lane_level);
    code_.level_blocks.push_back(b.GetInsertBlock());
    code_.run_placed(kernel.element, tail ? lane_level : 0);
    Values results;
    for (kernels::Value v : kernel.element.results) results.push_back(code_.vector(v));
    V target = b.CreateAdd(start, index);
    const auto store = [&](bool past_caches) {
      for (std::size_t i = 0; i < results.size(); ++i)
        code_.store(i, target, results[i], past_caches);
    };
    if (tail) return store(false);
    // A branch that always goes one way costs less than a second copy of the loop.
    llvm::BasicBlock *streamed = code_.block("stream"), *cached = code_.block("store"),
                     *stored = code_.block("stored");
    b.CreateCondBr(stream, streamed, cached);
    b.SetInsertPoint(streamed);
    store(true);
    b.CreateBr(stored);
    b.SetInsertPoint(cached);
    store(false);
    b.CreateBr(stored);
    b.SetInsertPoint(stored);
  }

  llvm::Function* function_;
  LaneCode code_;
};

}  // namespace

llvm::Function* declare_run(const Unit& unit) {
  llvm::LLVMContext& context = unit.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context),
             *number = llvm::Type::getInt64Ty(context);
  return declare(unit, run_symbol, {pointer, number, number, number, number, pointer, number});
}

llvm::Function* declare_finish(const Unit& unit) {
  llvm::LLVMContext& context = unit.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context),
             *number = llvm::Type::getInt64Ty(context);
  return declare(unit, finish_symbol, {pointer, number, number, pointer});
}

void emit_map(const Unit& unit, const Strategy& strategy) {
  MapEmitter(unit, strategy.lanes).run();
}

}  // namespace hasten::backends::cpu
