// The main function of the exporting program, renamed in the library, defines the entries: it calls
// export_main, which passes them on to this file.
#include "ahead/call/jit_programs.hpp"

#include "ahead/call/c_functions.hpp"
#include "ahead/call/status.hpp"
#include "runtime/executable.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace hasten::ahead {
namespace {

thread_local std::optional<Library>* definition = nullptr;

Library defined(const hasten_library& library) {
  std::optional<Library> found;
  definition = &found;
  char name[] = "hasten";
  char* arguments[] = {name, nullptr};
  try {
    library.define(1, arguments);
  } catch (...) {
    definition = nullptr;
    throw;
  }
  definition = nullptr;
  if (!found)
    throw Misuse(std::string("the program that defines the library ") + library.name +
                 " does not call export_main");
  return std::move(*found);
}

// The default is HASTEN_TARGET, else the machine's best target.
Target target_of(const hasten_library_options& options) {
  switch (options.target) {
    case target_processor: return cpu();
    case target_cuda: return cuda(options.device);
    case target_opencl: return opencl(options.device);
    default: return {};
  }
}

class JitPrograms final : public Programs {
 public:
  JitPrograms(const hasten_library& library, const hasten_library_options& options)
      : library_(defined(library)) {
    if (options.threads != 0)
      throw Misuse(
          "programs that are compiled at run time share the threads of the process; set "
          "HASTEN_THREADS, and leave threads at 0");
    if (options.level != 0)
      throw Misuse(
          "programs that are compiled at run time are made for this processor; leave "
          "level at 0");
    for (const detail::LibraryEntry& entry : library_.entries()) {
      Options how = entry.options;
      if (options.memory_limit > 0) how.memory_limit = options.memory_limit;
      how.target = target_of(options);
      how.stop = {};
      programs_.push_back(entry.compile(how));
      leaves_.push_back(result_leaves_of(programs_.back()->plan()));
    }
  }

  [[nodiscard]] ProgramOf program(std::uint32_t entry) override {
    const detail::LibraryEntry& found = library_.entries()[entry];
    return {found.name, found.interface};
  }

  [[nodiscard]] std::span<const std::size_t> result_leaves(std::uint32_t entry) override {
    return leaves_[entry];
  }

  [[nodiscard]] detail::Results call(
      std::uint32_t entry, std::span<const std::shared_ptr<const detail::HostArray>> arrays,
      std::span<const detail::LiteralBits> numbers,
      std::span<const detail::OutMemory> outs) override {
    return detail::execute_at(*programs_[entry], arrays, numbers, outs);
  }

 private:
  const Library library_;
  std::vector<std::shared_ptr<const detail::Executable>> programs_;
  std::vector<std::vector<std::size_t>> leaves_;  // of their results
};

std::unique_ptr<Programs> make_jit_programs(const hasten_library& library,
                                            const hasten_library_options& options) {
  return std::make_unique<JitPrograms>(library, options);
}

}  // namespace

bool take_definition(const Library& library) {
  if (!definition) return false;
  definition->emplace(library);
  return true;
}

}  // namespace hasten::ahead

extern "C" const hasten_library_functions* hasten_jit_functions(void) {
  static constexpr hasten_library_functions functions =
      hasten::ahead::functions_over<hasten::ahead::make_jit_programs>();
  return &functions;
}
