// The front end and the passes of every program, once; of every distinct kernel, code for each
// level.
#include "ahead/exporting/compile.hpp"

#include "ahead/archive/library.hpp"
#include "backends/cpu/ahead/objects.hpp"
#include "passes/foreign.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/compile/stages.hpp"
#include "runtime/executable.hpp"
#include "support/hash.hpp"

#include <hasten/run/error.hpp>
#include <hasten/run/options.hpp>

#include <map>
#include <utility>

namespace hasten::ahead {
namespace {

// A kernel as code of its own: with other options it is another one.
struct NumberedKernel {
  kernels::Kernel kernel;
  backends::CompileOptions options;
};

class Exporter {
 public:
  explicit Exporter(const Library& library) : library_(library) {}

  std::vector<std::byte> entry(const detail::LibraryEntry& entry) {
    Options traced = entry.options;
    traced.target = interpreter();  // traced, and not compiled
    traced.stop = {};
    const auto executable = entry.compile(traced);
    // Functions of this process cannot come along.
    core::Program program = passes::choose_foreign(executable->program(), std::nullopt);
    runtime::Dump dump(executable->where());
    Entry out;
    out.name = entry.name;
    out.interface = entry.interface;
    const std::vector<bool> parameters = runtime::declared_parameters(program);
    out.plan = runtime::make_plan(program, parameters, entry.options, dump);
    for (std::size_t slot = 0; slot < parameters.size(); ++slot)
      if (parameters[slot]) out.literals.push_back(program.literals[slot].bits);
    for (const auto& array : program.arrays_used) out.used.push_back(used(*array));
    out.memory_limit = entry.options.memory_limit;
    out.where = executable->where();
    const backends::CompileOptions options = runtime::compile_options(entry.options);
    for (std::size_t i = 0; i < out.plan.kernels.size(); ++i)
      out.kernels.push_back(number_of(out.plan.kernels[i], out.plan.keys[i], options));
    return write_entry(out);
  }

  LevelSource level(backends::cpu::Level level, std::vector<backends::ObjectFile>& objects) const {
    LevelSource out{static_cast<int>(level), {}, {}};
    std::vector<kernels::Schedule> schedules;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const std::string name =
          library_.name() + "_" + name_of(level) + "_" + std::to_string(i) + "_";
      backends::LevelObject made =
          backends::compile_for_level(kernels_[i].kernel, kernels_[i].options, level, name);
      schedules.push_back(made.schedule);
      out.symbols.push_back(std::move(made.symbols));
      objects.push_back({name + ".o", std::move(made.object)});
    }
    out.schedules = write_schedules(schedules);
    return out;
  }

 private:
  std::uint32_t number_of(const kernels::Kernel& kernel, const support::Digest& key,
                          const backends::CompileOptions& options) {
    const support::Digest whole = support::Hasher()
                                      .add(key)
                                      .add(options.contract)
                                      .add(options.fast_math)
                                      .add(options.own_math)
                                      .finish();
    const auto [at, is_new] = numbers_.emplace(whole, static_cast<std::uint32_t>(kernels_.size()));
    if (is_new) kernels_.push_back({kernel, options});
    return at->second;
  }

  // The array lives as long as the program, which holds it until the entry is written.
  static UsedArray used(const detail::HostArray& array) {
    UsedArray out{array.shape(), array.leaves(), {}};
    for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
      out.components.emplace_back(array.data(leaf), array.component(leaf)->size());
    return out;
  }

  const Library& library_;
  std::vector<NumberedKernel> kernels_;
  std::map<support::Digest, std::uint32_t> numbers_;
};

}  // namespace

CompiledLibrary compile_library(const Library& library,
                                const std::vector<backends::cpu::Level>& levels,
                                const std::string& objects_path) {
  Exporter exporter(library);
  CompiledLibrary out;
  for (const detail::LibraryEntry& entry : library.entries())
    out.entries.push_back(exporter.entry(entry));
  std::vector<backends::ObjectFile> objects;
  for (const backends::cpu::Level level : levels)
    out.levels.push_back(exporter.level(level, objects));
  backends::write_object_archive(objects_path, objects);
  return out;
}

}  // namespace hasten::ahead
