// The launcher of devices that are programmed in text, without the code that generates texts.
#include "backends/c_like/ahead/texts.hpp"
#include "backends/c_like/device_backend.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <utility>

namespace hasten::backends {
namespace {

using c_like::IndexWidth;

class LinkedDevice final : public c_like::DeviceBackend {
 public:
  using DeviceBackend::DeviceBackend;

  [[nodiscard]] std::string fingerprint() const override { return driver().fingerprint(); }
  void keep_code_in(std::shared_ptr<const CodeStore> store) override { keep_common(store); }
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

  [[nodiscard]] std::shared_ptr<const Code> link(const kernels::Kernel& kernel,
                                                 std::shared_ptr<const TextKernel> text) {
    check_types(kernel);
    const TextModule& first = text->modules.at(0);
    return std::make_shared<c_like::LoadedKernel>(
        kernel, text->facts, driver().dialect(),
        c_like::LoadedKernel::FirstModule{first.name, program(first, text->options)},
        [this, text](IndexWidth width, std::string_view module) {
          return program(find(*text, width, module), text->options);
        },
        nullptr);
  }

 private:
  static const TextModule& find(const TextKernel& text, IndexWidth width, std::string_view module) {
    const bool is_wide = width == IndexWidth::wide;
    const auto found = std::ranges::find_if(text.modules, [&](const TextModule& each) {
      return each.is_wide == is_wide && each.name == module;
    });
    if (found == text.modules.end())
      throw InternalError("the library has no module " + std::string(module) + " of a kernel");
    return *found;
  }

  // A driver that is older than the code may reject it, and still accept the text.
  [[nodiscard]] std::shared_ptr<c_like::Program> program(const TextModule& module,
                                                         const CompileOptions& options) {
    if (!module.code.empty()) {
      try {
        return driver().load(module.code);
      } catch (const TargetError&) {}
    }
    return driver().load(driver().compile(module.text, options));
  }

  void check_types(const kernels::Kernel& kernel) const {
    for (const auto* types : {&kernel.value_types, &kernel.outputs})
      for (const core::ScalarType type : *types)
        if (!supports(type))
          throw TargetError("the target \"" + name() + "\" cannot compute with elements of type " +
                            detail::name_of(type) + "; use another device, or the processor");
  }

  [[noreturn]] static void fail() {
    throw InternalError("a library compiled ahead of time has no compiler");
  }
};

}  // namespace

std::shared_ptr<Backend> make_linked_device(std::shared_ptr<c_like::Driver> driver) {
  return std::make_shared<LinkedDevice>(std::move(driver));
}

std::shared_ptr<const Code> linked_text(Backend& device, const kernels::Kernel& kernel,
                                        std::shared_ptr<const TextKernel> text) {
  return static_cast<LinkedDevice&>(device).link(kernel, std::move(text));
}

}  // namespace hasten::backends
