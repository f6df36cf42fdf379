// Emits both ways of storing a vector.
#include "backends/cpu/emit/streams.hpp"

#include "backends/cpu/emit/prefetch.hpp"

namespace hasten::backends::cpu {

void store_either_way(LaneCode& code, llvm::Value* past_caches, const kernels::Region& element,
                      llvm::function_ref<void(bool)> store) {
  auto& b = code.b;
  llvm::BasicBlock *past = code.block("stream"), *cached = code.block("store"),
                   *stored = code.block("stored");
  b.CreateCondBr(past_caches, past, cached);
  b.SetInsertPoint(past);
  code.ask_ahead(element, code.i64(prefetch_bytes));
  store(true);
  b.CreateBr(stored);
  b.SetInsertPoint(cached);
  store(false);
  b.CreateBr(stored);
  b.SetInsertPoint(stored);
}

}  // namespace hasten::backends::cpu
