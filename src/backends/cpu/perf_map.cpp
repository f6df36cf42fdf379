// perf reads the file when it reports, so lines of unloaded code stay: perf takes the last one for
// an address. The functions of an object file are in one section, at the same offsets as in memory.
#include "backends/cpu/perf_map.hpp"

#include "backends/cpu/frame.hpp"
#include "support/digest.hpp"
#include "support/env.hpp"
#include "support/hash.hpp"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace hasten::backends::cpu {
namespace {

struct Function {
  std::string name;
  std::uint64_t place, size;
};

std::optional<std::uint64_t> place_of(const llvm::object::SymbolRef& symbol) {
  auto address = symbol.getAddress();
  if (address) return *address;
  llvm::consumeError(address.takeError());
  return std::nullopt;
}

bool is_function(const llvm::object::SymbolRef& symbol) {
  auto type = symbol.getType();
  if (type) return *type == llvm::object::SymbolRef::ST_Function;
  llvm::consumeError(type.takeError());
  return false;
}

std::vector<Function> functions_of(std::span<const std::byte> object) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  // A copy: an object file must be aligned to a word, and here a schedule precedes it.
  const auto copy = llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernel.o");
  auto file = llvm::object::ObjectFile::createObjectFile(copy->getMemBufferRef());
  std::vector<Function> functions;
  if (!file) {
    llvm::consumeError(file.takeError());
    return functions;
  }
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    if (!is_function(symbol)) continue;
    const auto place = place_of(symbol);
    auto name = symbol.getName();
    if (name && place)
      functions.push_back({name->str(), *place, llvm::object::ELFSymbolRef(symbol).getSize()});
    if (!name) llvm::consumeError(name.takeError());
  }
  return functions;
}

// Refuses a file or link of another user: everyone can write to /tmp.
std::FILE* open_map() {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const int file =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return nullptr;
  struct stat status{};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
    return fdopen(file, "a");
  close(file);
  return nullptr;
}

}  // namespace

void add_to_perf_map(const kernels::Kernel& kernel, std::span<const std::byte> object, Form form,
                     const void* run) {
  if (support::env("HASTEN_PERF").empty()) return;
  const std::vector<Function> functions = functions_of(object);
  std::uint64_t run_place = 0;
  for (const Function& function : functions)
    if (function.name == run_symbol(form)) run_place = function.place;
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(run) - run_place;
  const std::string key = support::to_hex(kernels::key_of(kernel)).substr(0, 8);
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::FILE* const file = open_map();  // anew each time: a forked child has a map of its own
  if (!file) return;
  for (const Function& function : functions)
    std::fprintf(file, "%" PRIx64 " %" PRIx64 " hasten %s %s %s\n", first + function.place,
                 function.size, kernels::name_of(kernel.skeleton), key.c_str(),
                 function.name.c_str());
  std::fclose(file);
}

}  // namespace hasten::backends::cpu
