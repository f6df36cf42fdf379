// Runs the front end and the passes once per program; for every distinct kernel, generates code for
// each level, and texts for devices.
#include "ahead/exporting/compile.hpp"

#include "ahead/archive/library.hpp"
#include "backends/c_like/ahead/texts.hpp"
#include "backends/cpu/ahead/objects.hpp"
#include "backends/linked_devices.hpp"
#include "passes/foreign.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/compile/stages.hpp"
#include "runtime/executable.hpp"
#include "support/hash.hpp"

#include <hasten/run/error.hpp>
#include <hasten/run/options.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace hasten::ahead {
namespace {

// A kernel with its own code: other options make it another kernel.
struct NumberedKernel {
  kernels::Kernel kernel;
  backends::CompileOptions options;
};

// Whether any step is a sort. Recursive, because nests of blocks are not deep.
bool sorts(const kernels::Steps& steps) {
  return std::ranges::any_of(steps, [](const kernels::Step& step) {
    const auto* const branch = std::get_if<kernels::BranchStep>(&step.op);
    const auto* const loop = std::get_if<kernels::LoopStep>(&step.op);
    return std::holds_alternative<kernels::SortStep>(step.op) ||
           (branch && (sorts(branch->then_) || sorts(branch->else_))) ||
           (loop && (sorts(loop->condition) || sorts(loop->body)));
  });
}

class Exporter {
 public:
  explicit Exporter(const Library& library) : library_(library) {}

  Embedded entry(const detail::LibraryEntry& entry) {
    Options traced = entry.options;
    traced.target = interpreter();  // traced, and not compiled
    traced.stop = {};
    const auto executable = entry.compile(traced);
    // Functions of this process are not available in the library.
    core::Program program = passes::choose_foreign(executable->program(), std::nullopt);
    runtime::Dump dump(executable->where());
    Entry out;
    out.name = entry.name;
    out.interface = entry.interface;
    const passes::Parameters parameters = runtime::declared_parameters(program);
    out.plan = runtime::make_plan(program, parameters, entry.options, dump);
    for (std::size_t slot = 0; slot < parameters.chosen.size(); ++slot)
      if (parameters.chosen[slot]) out.literals.push_back(program.literals[slot].bits);
    for (const auto& array : program.arrays_used) out.used.push_back(used(*array));
    out.memory_limit = entry.options.memory_limit;
    out.where = executable->where();
    const backends::CompileOptions options = runtime::compile_options(entry.options);
    for (std::size_t i = 0; i < out.plan.kernels.size(); ++i)
      out.kernels.push_back(number_of(out.plan.kernels[i], out.plan.keys[i], options));
    has_sorts_ = has_sorts_ || sorts(out.plan.steps);
    return embedded(write_entry(out));
  }

  LevelSource level(backends::cpu::Level level) {
    LevelSource out{static_cast<int>(level), {}, {}};
    std::vector<kernels::Schedule> schedules;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const std::string name =
          library_.name() + "_" + name_of(level) + "_" + std::to_string(i) + "_";
      backends::LevelObject made =
          backends::compile_for_level(kernels_[i].kernel, kernels_[i].options, level, name);
      schedules.push_back(made.schedule);
      out.symbols.push_back(std::move(made.symbols));
      objects_.push_back({name + ".o", std::move(made.object)});
    }
    out.schedules = embedded(write_schedules(schedules));
    return out;
  }

  DeviceSource device(Device device) {
    const bool is_cuda = device == Device::cuda;
    const auto& dialect =
        is_cuda ? backends::c_like::Dialect::cuda : backends::c_like::Dialect::opencl;
    backends::DeviceTexts texts;
    for (const NumberedKernel& each : kernels_) {
      texts.kernels.push_back(backends::text_kernel(each.kernel, each.options, dialect));
      // Arrays whose indices have 64 bits can wait for NVRTC.
      for (backends::TextModule& module : texts.kernels.back().modules)
        if (is_cuda && !module.is_wide) module.code = backends::ptx_of(module.text, each.options);
    }
    if (is_cuda) texts.common = common_code(dialect, has_sorts_ || scatters());
    return {device, embedded(write_texts(texts))};
  }

  /// Whether a program so far has sorts.
  [[nodiscard]] bool has_sorts() const { return has_sorts_; }

  void write(const std::string& path) {
    objects_.push_back({library_.name() + "_data.o", backends::data_object(data_)});
    backends::write_object_archive(path, objects_);
  }

 private:
  // Some scatters sort their targets.
  [[nodiscard]] bool scatters() const {
    return std::ranges::any_of(kernels_, [](const NumberedKernel& each) {
      return each.kernel.skeleton == kernels::Skeleton::scatter;
    });
  }

  static std::vector<backends::TextModule> common_code(const backends::c_like::Dialect& dialect,
                                                       bool with_sorts) {
    std::vector<backends::TextModule> all = backends::common_texts(dialect, with_sorts);
    for (backends::TextModule& module : all) module.code = backends::ptx_of(module.text, {});
    std::erase_if(all, [](const backends::TextModule& module) { return module.code.empty(); });
    return all;
  }

  Embedded embedded(std::vector<std::byte> bytes) {
    Embedded out{library_.name() + "_data_" + std::to_string(data_.size()), bytes.size()};
    data_.push_back({out.symbol, std::move(bytes)});
    return out;
  }

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
  bool has_sorts_ = false;
  std::vector<NumberedKernel> kernels_;
  std::map<support::Digest, std::uint32_t> numbers_;
  std::vector<backends::EmbeddedBytes> data_;
  std::vector<backends::ObjectFile> objects_;
};

}  // namespace

CompiledLibrary compile_library(const Library& library, const Targets& targets,
                                const std::string& objects_path) {
  if (HASTEN_WITH_OPENCL == 0 && std::ranges::count(targets.devices, Device::opencl) > 0)
    throw TargetError("the library " + library.name() +
                      " cannot have code for OpenCL: this build of Hasten has no OpenCL headers "
                      "(HASTEN_WITH_OPENCL=OFF)");
  Exporter exporter(library);
  CompiledLibrary out;
  for (const detail::LibraryEntry& entry : library.entries())
    out.entries.push_back(exporter.entry(entry));
  for (const backends::cpu::Level level : targets.levels)
    out.levels.push_back(exporter.level(level));
  for (const Device device : targets.devices) out.devices.push_back(exporter.device(device));
  out.sorts = exporter.has_sorts();
  exporter.write(objects_path);
  return out;
}

}  // namespace hasten::ahead
