// LLVM's ORC as a linker: one dynamic library per kernel, unloaded with it.
#include "backends/cpu/jit.hpp"

#include "backends/cpu/compile.hpp"
#include "backends/cpu/llvm_lifetime.hpp"
#include "core/foreign.hpp"

#include <hasten/run/error.hpp>

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>

#include <algorithm>
#include <atomic>

namespace hasten::backends::cpu {
namespace {

template <class T>
T expect(llvm::Expected<T> value, const char* action) {
  if (value) {
    if constexpr (std::is_reference_v<T>)
      return *value;
    else
      return std::move(*value);
  }
  throw InternalError(std::string("cpu: cannot ") + action + ": " +
                      llvm::toString(value.takeError()));
}

void expect(llvm::Error error, const char* action) {
  if (error)
    throw InternalError(std::string("cpu: cannot ") + action + ": " +
                        llvm::toString(std::move(error)));
}

// Resolves vector math and the C library's functions (memset, fma) for generated code.
void add_libraries(llvm::orc::LLJIT& jit) {
  using Generator = llvm::orc::DynamicLibrarySearchGenerator;
  const char prefix = jit.getDataLayout().getGlobalPrefix();
  llvm::orc::JITDylib& process = jit.getMainJITDylib();
  if (auto sleef = Generator::Load("libsleef.so.3", prefix))
    process.addGenerator(std::move(*sleef));
  else  // linked statically
    llvm::consumeError(sleef.takeError());
  process.addGenerator(expect(Generator::GetForCurrentProcess(prefix), "see the process"));
}

std::unique_ptr<llvm::orc::LLJIT> make_jit() {
  initialize_llvm();
  llvm::orc::LLJITBuilder builder;
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);
  auto jit = expect(builder.create(), "start the linker");
  add_libraries(*jit);
  return jit;
}

// Never destroyed, because kernels may live in static storage.
llvm::orc::LLJIT& jit() {
  static auto* instance = make_jit().release();
  return *instance;
}

}  // namespace

struct LoadedObject::Library {
  llvm::orc::JITDylib* symbols = nullptr;

  Library(std::unique_ptr<llvm::MemoryBuffer> object, const ForeignFunctions& foreign) {
    static std::atomic<std::uint64_t> count{0};
    llvm::orc::LLJIT& linker = jit();
    symbols = &expect<llvm::orc::JITDylib&>(
        linker.createJITDylib("kernel" + std::to_string(count++)), "make a library");
    symbols->addToLinkOrder(linker.getMainJITDylib());
    if (!foreign.empty()) define(foreign);
    expect(linker.addObjectFile(*symbols, std::move(object)), "add an object");
  }
  ~Library() {
    if (llvm_is_gone()) return;  // with the process
    llvm::consumeError(jit().getExecutionSession().removeJITDylib(*symbols));
  }

  void define(const ForeignFunctions& foreign) const {
    llvm::orc::SymbolMap addresses;
    for (const detail::ForeignFunction* function : foreign)
      addresses[jit().mangleAndIntern(symbol_of(*function))] = {
          llvm::orc::ExecutorAddr::fromPtr(function->address), llvm::JITSymbolFlags::Exported};
    expect(symbols->define(llvm::orc::absoluteSymbols(std::move(addresses))), "name functions");
  }

  template <class F>
  F find(const char* name) const {
    return expect(jit().lookup(*symbols, name), "link a kernel").toPtr<F>();
  }
};

std::string symbol_of(const detail::ForeignFunction& function) {
  return "hasten.foreign." + function.name;
}

LoadedObject::LoadedObject(std::span<const std::byte> object, Exports exports,
                           const ForeignFunctions& foreign) {
  for (const detail::ForeignFunction* function : foreign)
    if (!function->address) core::fail_only_named(function->name);
  const LlvmUse use;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  library_ =
      std::make_unique<Library>(llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel.o"), foreign);
  functions_.run[number_of(exports.form)] = library_->find<RunFunction>(run_symbol(exports.form));
  if (exports.finish) functions_.finish = library_->find<FinishFunction>(finish_symbol);
  if (!exports.contraction) return;
  functions_.pack_down = library_->find<ContractionFunction>(pack_down_symbol);
  functions_.pack_across = library_->find<ContractionFunction>(pack_across_symbol);
  functions_.multiply = library_->find<ContractionFunction>(multiply_symbol);
}

LoadedObject::~LoadedObject() = default;

}  // namespace hasten::backends::cpu
