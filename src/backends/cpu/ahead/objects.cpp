// LLVM writes the archive too, so that no system tool is needed.
#include "backends/cpu/ahead/objects.hpp"

#include "backends/cpu/compile.hpp"
#include "backends/cpu/contraction.hpp"
#include "backends/cpu/frame.hpp"

#include <hasten/run/error.hpp>

#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>

namespace hasten::backends {

LevelObject compile_for_level(const kernels::Kernel& kernel, const CompileOptions& options,
                              cpu::Level level, const std::string& prefix) {
  cpu::LinkableObject made = cpu::compile_linkable(kernel, options, cpu::machine_of(level), prefix);
  const auto symbol = [&](const char* name, bool there) { return there ? prefix + name : ""; };
  const bool packs = made.schedule.packed.rows > 0;
  std::vector<std::string> symbols{
      symbol(cpu::finish_symbol, cpu::exports_finish(kernel)), symbol(cpu::pack_down_symbol, packs),
      symbol(cpu::pack_across_symbol, packs), symbol(cpu::multiply_symbol, packs)};
  const cpu::Forms forms = cpu::forms_of(kernel, made.schedule);
  for (std::size_t form = 0; form < cpu::form_count; ++form)
    symbols.push_back(symbol(cpu::run_symbol(static_cast<cpu::Form>(form)), forms[form]));
  return {made.schedule, std::move(made.object), std::move(symbols)};
}

std::vector<std::byte> data_object(const std::vector<EmbeddedBytes>& blocks) {
  std::vector<cpu::DataBlock> all;
  all.reserve(blocks.size());
  for (const EmbeddedBytes& block : blocks) all.push_back({block.symbol, block.bytes});
  return cpu::compile_data(all, cpu::machine_of(cpu::Level::baseline));
}

void write_object_archive(const std::string& path, const std::vector<ObjectFile>& objects) {
  std::vector<llvm::NewArchiveMember> members;
  for (const ObjectFile& object : objects) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(object.bytes.data()),
                                object.bytes.size());
    llvm::NewArchiveMember member(llvm::MemoryBufferRef(bytes, object.name));
    member.Perms = 0644;
    members.push_back(std::move(member));
  }
  llvm::Error error = llvm::writeArchive(path, members, llvm::SymtabWritingMode::NormalSymtab,
                                         llvm::object::Archive::K_GNU, true, false);
  if (error) throw Error("cannot write " + path + ": " + llvm::toString(std::move(error)));
}

}  // namespace hasten::backends
