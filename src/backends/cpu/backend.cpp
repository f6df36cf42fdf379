// The CPU target: implements Backend.
#include "backends/backend.hpp"

#include "backends/cpu/code_version.hpp"
#include "backends/cpu/compile.hpp"
#include "backends/cpu/launch/sort/sort.hpp"
#include "backends/cpu/llvm_lifetime.hpp"
#include "backends/cpu/load.hpp"
#include "backends/cpu/machine/levels.hpp"
#include "backends/cpu/machine/measure.hpp"
#include "backends/cpu/machine/processor.hpp"
#include "backends/cpu/schedule/schedule.hpp"
#include "support/env.hpp"
#include "support/hash.hpp"
#include "support/sanitizers.hpp"

#include <algorithm>
#include <utility>

namespace hasten::backends {
namespace {

using namespace cpu;

Machine this_machine() {
  constexpr std::string_view widths[] = {"128", "256", "512"};
  support::warn_of_unknown_words("HASTEN_CPU_WIDTH", "width", widths);
  return detect_machine(permitted_width().value_or(0));
}

Facts facts_of_tables() {
  Facts facts;
  facts.caches = find_caches();
  return facts;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads)
      : machine_(this_machine()),
        instead_(facts_instead()),
        facts_(instead_ ? *instead_ : facts_of_tables()),
        launcher_(threads, {second_cache_bytes(facts_), last_cache_bytes(facts_)}) {
    wait_for_llvm_at_exit();  // usually the first thread's registration
    if (!facts_.threads) facts_.threads = launcher_.threads();
  }

  [[nodiscard]] std::string name() const override { return "cpu"; }

  [[nodiscard]] std::string description() const override {
    return machine_.cpu + ", " + std::to_string(machine_.bits) + "-bit vectors, " +
           std::to_string(launcher_.threads()) + " threads, LLVM " + llvm_version() + ", SLEEF " +
           sleef_version();
  }

  [[nodiscard]] std::string fingerprint() const override {
    return std::string("cpu ") + code_version + " llvm " + llvm_version() + " sleef " +
           sleef_version() + " " + machine_.math + " " + std::to_string(machine_.bits) + " " +
           machine_.triple + " " + machine_.cpu + " " + machine_.features +
           (support::watches_addresses() ? " address sanitizer" : "");
  }

  [[nodiscard]] Facts facts() const override { return facts_; }
  [[nodiscard]] std::string facts_key() const override {
    if (instead_) return {};
    std::string processors;
    for (const int number : allowed_processors()) processors += " " + std::to_string(number);
    const std::string made_by = support::to_hex(support::Hasher().add(fingerprint()).finish());
    std::string key = "hasten " HASTEN_VERSION " code " + made_by + " of " + processor_words("/") +
                      ", processors" + processors + ", " + print(facts_);
    std::replace(key.begin(), key.end(), '\n', ' ');
    return key;
  }
  [[nodiscard]] Facts measure() const override {
    return instead_ ? facts_ : measure_facts(facts_, machine_, launcher_.threads());
  }

  [[nodiscard]] bool supports(core::ScalarType) const override { return true; }
  void keep_code_in(std::shared_ptr<const CodeStore> store) override { store_ = std::move(store); }
  [[nodiscard]] bool can_compile() const override { return !llvm_is_gone(); }

  [[nodiscard]] std::optional<detail::ForeignTarget> foreign_target() const override {
    return detail::ForeignTarget::cpu;
  }

  [[nodiscard]] std::string describe_schedule(const kernels::Kernel& kernel,
                                              const Code& code) const override {
    return describe(static_cast<const LoadedKernel&>(code).schedule, kernel);
  }

  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const CompileOptions& options) override {
    return compile_object(kernel, options, machine_);
  }

  [[nodiscard]] std::shared_ptr<const Code> load(const kernels::Kernel& kernel,
                                                 std::span<const std::byte> bytes) override {
    return load_kernel(kernel, bytes, machine_, store_);
  }

  void launch(const Code& code, const LaunchArguments& arguments) override {
    launcher_.launch(static_cast<const LoadedKernel&>(code), arguments);
  }

  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const SortedKeys& to,
                      ScratchMemory*) override {
    cpu::sort_positions(extents, types, keys, to, launcher_.team());
  }

  [[nodiscard]] std::string dump(const kernels::Kernel& kernel, const CompileOptions& options,
                                 const std::string& stage) override {
    if (stage == "llvm") return llvm_text(kernel, options, machine_);
    if (stage == "asm") return assembly_text(kernel, options, machine_);
    return {};
  }

 private:
  Machine machine_;
  std::optional<Facts> instead_;  // HASTEN_MACHINE's
  Facts facts_;
  Launcher launcher_;
  std::shared_ptr<const CodeStore> store_;
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend(int threads) {
  return std::make_shared<CpuBackend>(threads);
}

}  // namespace hasten::backends
