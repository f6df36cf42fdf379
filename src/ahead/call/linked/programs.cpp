// Programs whose plans and machine code are part of the library: the plan of the exporting process,
// run by the same executor.
#include "ahead/archive/library.hpp"
#include "ahead/call/c_functions.hpp"
#include "ahead/call/linked/code.hpp"
#include "ahead/call/status.hpp"
#include "backends/cpu/ahead/linked_backend.hpp"
#include "backends/cpu/machine/levels.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/remembered.hpp"
#include "runtime/profile/sites.hpp"
#include "support/default_floats.hpp"
#include "support/stack.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hasten::ahead {
namespace {

using backends::cpu::KernelFunctions;
using backends::cpu::Level;

KernelFunctions functions_of(const hasten_kernel_code& code) {
  using namespace backends::cpu;
  const auto at = [&](std::size_t i) { return code.functions[i]; };
  KernelFunctions functions{
      {},
      reinterpret_cast<FinishFunction>(at(0)),
      reinterpret_cast<ContractionFunction>(at(1)),
      reinterpret_cast<ContractionFunction>(at(2)),
      reinterpret_cast<ContractionFunction>(at(3)),
  };
  constexpr std::size_t beside = 4;
  static_assert(std::extent_v<decltype(code.functions)> == beside + form_count);
  for (std::size_t form = 0; form < form_count; ++form)
    functions.run[form] = reinterpret_cast<RunFunction>(at(beside + form));
  return functions;
}

// Only the interpreter can tell which element failed, and libraries have none.
[[noreturn]] void fail_element(const Entry& entry, Checks kinds) {
  const auto may_be = [&](Checks kind) { return has(entry.plan.checks, kind) && has(kinds, kind); };
  const bool bounds = may_be(Checks::bounds), arithmetic = may_be(Checks::arithmetic);
  const char* const what = bounds && arithmetic ? "an index is out of range, or a divisor is zero"
                           : bounds             ? "an index is out of range"
                                                : "an integer is divided by zero";
  const std::string text = entry.name + ": " + what +
                           "; the program that exports the library names the element when it runs "
                           "this entry with the same arguments on hasten::interpreter()";
  if (bounds) throw IndexError(text, entry.where);
  throw ArithmeticError(text, entry.where);
}

/// One entry, read from its bytes.
class Program {
 public:
  Program(std::span<const std::byte> bytes, const std::shared_ptr<const LinkedCode>& code,
          std::int64_t memory_limit)
      : entry_(read_entry(bytes, places_)),
        recording_(entry_.plan.sites) {
    if (memory_limit > 0) entry_.memory_limit = memory_limit;
    for (const UsedArray& array : entry_.used) used_.push_back(host_array(array));
    loaded_.plan = std::move(entry_.plan);
    entry_.plan.checks = loaded_.plan.checks;
    leaves_ = result_leaves_of(loaded_.plan);
    loaded_.backend = code->backend();
    loaded_.memory = code->memory();
    if (loaded_.memory) loaded_.copy_sites = runtime::copy_sites_of(loaded_.plan);
    loaded_.remembered = std::make_shared<runtime::RememberedLaunches>();
    for (std::size_t i = 0; i < loaded_.plan.kernels.size(); ++i)
      loaded_.code.push_back(std::make_shared<runtime::KernelCode>(
          [code, number = entry_.kernels.at(i), &kernel = loaded_.plan.kernels[i]] {
            return runtime::KernelCode::Made{code->kernel(number, kernel), false};
          }));
  }

  [[nodiscard]] const Entry& entry() const { return entry_; }

  [[nodiscard]] std::span<const std::size_t> result_leaves() const { return leaves_; }

  detail::Results call(std::span<const runtime::HostArrayRef> arrays,
                       std::span<const detail::LiteralBits> numbers,
                       std::span<const detail::OutMemory> outs) {
    if (loaded_.memory) loaded_.memory->check_process();
    runtime::RunCounts counts;
    runtime::CallRecord record(recording_);
    try {
      runtime::Arguments arguments{used_, arrays, numbers, entry_.literals, entry_.memory_limit};
      arguments.outs = outs;
      return runtime::run_plan(loaded_, arguments, record, counts);
    } catch (const runtime::ElementFailed& failed) {
      if (failed.known) throw *failed.known;
      fail_element(entry_, failed.kinds);
    }
  }

 private:
  static runtime::HostArrayRef host_array(const UsedArray& array) {
    std::vector<std::shared_ptr<detail::Buffer>> components;
    for (const auto bytes : array.components)
      components.push_back(detail::Buffer::borrow(bytes.data(), bytes.size(), {}));
    return std::make_shared<const detail::HostArray>(array.shape, array.leaves,
                                                     std::move(components));
  }

  Places places_;
  Entry entry_;  // without its plan
  runtime::LoadedPlan loaded_;
  std::vector<std::size_t> leaves_;  // of the results
  std::vector<runtime::HostArrayRef> used_;
  runtime::Recording recording_;
};

/// Machine code of a level, in the library.
class ProcessorCode final : public LinkedCode {
 public:
  ProcessorCode(const hasten_level_code& code, const hasten_sorter* sorter, int threads)
      : kernels_(code.kernels),
        schedules_(read_schedules(bytes_of(code.schedules))),
        backend_(backends::make_linked_cpu_backend(threads, sorter ? sorter->sort : nullptr)) {}

  [[nodiscard]] std::shared_ptr<backends::Backend> backend() const override { return backend_; }
  [[nodiscard]] std::shared_ptr<const backends::Code> kernel(
      std::uint32_t number, const kernels::Kernel& kernel) const override {
    return backends::linked_code(kernel, schedules_.at(number), functions_of(kernels_[number]));
  }

 private:
  const hasten_kernel_code* const kernels_;
  const std::vector<kernels::Schedule> schedules_;
  const std::shared_ptr<backends::Backend> backend_;
};

const hasten_level_code& choose_level(const hasten_library& library, std::int32_t wanted) {
  const auto best = static_cast<int>(backends::cpu::level_of_processor());
  const hasten_level_code* found = nullptr;
  for (const hasten_level_code& each : std::span(library.levels, library.level_count)) {
    const bool fits = each.level <= best && (wanted == 0 || each.level == wanted);
    if (fits && (!found || each.level > found->level)) found = &each;
  }
  if (found) return *found;
  const int level = wanted == 0 ? best : wanted;
  throw TargetError(std::string("the library has no code for the level ") +
                    name_of(static_cast<Level>(level)) + " that this processor, of the level " +
                    name_of(static_cast<Level>(best)) +
                    ", could run; export it with that level, or with baseline");
}

std::shared_ptr<const LinkedCode> open_device(const hasten_library& library, std::int32_t target,
                                              std::int32_t device) {
  for (const hasten_device_code& each : std::span(library.devices, library.device_count))
    if (target == target_any || each.target == target)
      return each.kind->open(each, static_cast<std::size_t>(device));
  throw TargetError(std::string("the library ") + library.name + " has no code for " +
                    name_of_target(target) +
                    "; export it with that among its TARGETS, or choose another target");
}

std::shared_ptr<const LinkedCode> open_code(const hasten_library& library,
                                            const hasten_library_options& options) {
  const bool on_processor = options.target == target_processor ||
                            (options.target == target_any && library.level_count > 0);
  if (on_processor)
    return std::make_shared<ProcessorCode>(choose_level(library, options.level), library.sorter,
                                           options.threads);
  if (options.level != 0) throw Misuse("levels are the processor's; leave level at 0 for a device");
  return open_device(library, options.target, options.device);
}

class LinkedPrograms final : public Programs {
 public:
  LinkedPrograms(const hasten_library& library, const hasten_library_options& options)
      : library_(library),
        code_(open_code(library, options)),
        memory_limit_(options.memory_limit),
        programs_(library.entry_count) {}

  [[nodiscard]] ProgramOf program(std::uint32_t entry) override {
    const Entry& found = find(entry).entry();
    return {found.name, found.interface};
  }

  [[nodiscard]] std::span<const std::size_t> result_leaves(std::uint32_t entry) override {
    return find(entry).result_leaves();
  }

  [[nodiscard]] detail::Results call(std::uint32_t entry,
                                     std::span<const runtime::HostArrayRef> arrays,
                                     std::span<const detail::LiteralBits> numbers,
                                     std::span<const detail::OutMemory> outs) override {
    const support::DefaultFloats floats;
    Program& program = find(entry);
    detail::Results results;
    const auto run = [&] { results = program.call(arrays, numbers, outs); };
    support::on_large_stack(std::ref(run));  // which allocates nothing
    return results;
  }

 private:
  struct Place {
    std::mutex mutex;
    std::atomic<Program*> ready{nullptr};
    std::unique_ptr<Program> program;
  };

  Program& find(std::uint32_t entry) {
    Place& place = programs_[entry];
    if (Program* const ready = place.ready.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(place.mutex);
    if (!place.program)
      place.program =
          std::make_unique<Program>(bytes_of(library_.entries[entry]), code_, memory_limit_);
    place.ready.store(place.program.get(), std::memory_order_release);
    return *place.program;
  }

  const hasten_library& library_;
  const std::shared_ptr<const LinkedCode> code_;
  const std::int64_t memory_limit_;
  std::vector<Place> programs_;
};

// Plans are read on their first call.
std::unique_ptr<Programs> make_linked_programs(const hasten_library& library,
                                               const hasten_library_options& options) {
  return std::make_unique<LinkedPrograms>(library, options);
}

}  // namespace
}  // namespace hasten::ahead

extern "C" const hasten_library_functions* hasten_ahead_functions(void) {
  static constexpr hasten_library_functions functions =
      hasten::ahead::functions_over<hasten::ahead::make_linked_programs>();
  return &functions;
}
