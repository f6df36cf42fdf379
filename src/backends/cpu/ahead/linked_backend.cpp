// The launcher of the CPU target, and nothing else of it.
#include "backends/cpu/ahead/linked_backend.hpp"

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/machine/processor.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends {
namespace {

class LinkedBackend final : public Backend {
 public:
  explicit LinkedBackend(int threads) : LinkedBackend(threads, facts_of_tables()) {}

  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] std::string description() const override { return "code compiled ahead of time"; }
  [[nodiscard]] std::string fingerprint() const override { return {}; }
  [[nodiscard]] bool supports(core::ScalarType) const override { return true; }

  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel&,
                                               const CompileOptions&) override {
    fail();
  }
  [[nodiscard]] std::shared_ptr<const Code> load(const kernels::Kernel&,
                                                 std::span<const std::byte>) override {
    fail();
  }
  [[nodiscard]] std::string dump(const kernels::Kernel&, const CompileOptions&,
                                 const std::string&) override {
    return {};
  }

  void launch(const Code& code, const LaunchArguments& arguments) override {
    launcher_.launch(static_cast<const cpu::LoadedKernel&>(code), arguments);
  }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const SortedKeys& to,
                      ScratchMemory*) override {
    launcher_.sort_positions(extents, types, keys, to);
  }

 private:
  LinkedBackend(int threads, const Facts& facts)
      : launcher_(threads, {second_cache_bytes(facts), last_cache_bytes(facts)}) {}

  static Facts facts_of_tables() {
    Facts facts;
    facts.caches = cpu::find_caches();
    return facts;
  }

  [[noreturn]] static void fail() {
    throw InternalError("a library compiled ahead of time has no compiler");
  }

  cpu::Launcher launcher_;
};

}  // namespace

std::shared_ptr<Backend> make_linked_cpu_backend(int threads) {
  return std::make_shared<LinkedBackend>(threads);
}

std::shared_ptr<const Code> linked_code(const kernels::Kernel& kernel,
                                        const kernels::Schedule& schedule,
                                        const cpu::KernelFunctions& functions) {
  return std::make_shared<const cpu::LoadedKernel>(kernel, schedule, functions);
}

}  // namespace hasten::backends
