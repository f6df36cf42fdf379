// The launcher of the CPU target, without the rest of it.
#include "backends/cpu/ahead/linked_backend.hpp"

#include "backends/cpu/launch/launch.hpp"
#include "backends/cpu/machine/processor.hpp"

#include <hasten/run/error.hpp>

namespace hasten::backends {
namespace {

class LinkedBackend final : public Backend {
 public:
  LinkedBackend(int threads, cpu::SortFunction sort)
      : sort_(sort),
        launcher_(threads, find_cache_sizes) {}

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
    if (!sort_) throw InternalError("a library that sorts was linked without what sorts");
    sort_(extents, types, keys, to, launcher_.team());
  }

 private:
  static cpu::CacheSizes find_cache_sizes() {
    Facts facts;
    facts.caches = cpu::find_caches();
    return {second_cache_bytes(facts), last_cache_bytes(facts)};
  }

  [[noreturn]] static void fail() {
    throw InternalError("a library compiled ahead of time has no compiler");
  }

  const cpu::SortFunction sort_;
  cpu::Launcher launcher_;
};

}  // namespace

std::shared_ptr<Backend> make_linked_cpu_backend(int threads, cpu::SortFunction sort) {
  return std::make_shared<LinkedBackend>(threads, sort);
}

std::shared_ptr<const Code> linked_code(const kernels::Kernel& kernel,
                                        const kernels::Schedule& schedule,
                                        const cpu::KernelFunctions& functions) {
  return std::make_shared<const cpu::LoadedKernel>(kernel, schedule, functions);
}

}  // namespace hasten::backends
