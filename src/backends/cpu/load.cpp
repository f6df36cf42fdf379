// The object file is kept as long as the kernel, as is the source of other forms.
#include "backends/cpu/load.hpp"

#include <hasten/run/error.hpp>

#include "backends/code_store.hpp"
#include "backends/cpu/compile.hpp"
#include "backends/cpu/jit.hpp"
#include "backends/cpu/llvm_lifetime.hpp"
#include "backends/cpu/perf_map.hpp"
#include "support/counters.hpp"
#include "support/hash.hpp"
#include "support/stack.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hasten::backends::cpu {
namespace {

struct KeptCode {
  kernels::Schedule schedule;
  CompileOptions options;
  std::span<const std::byte> object;
};

KeptCode split(std::span<const std::byte> bytes) {
  const kernels::ScheduledCode code = kernels::split_schedule(bytes);
  if (code.code.empty()) throw InternalError("code of a kernel has no object");
  return {code.schedule, unpacked(code.code[0]), code.code.subspan(1)};
}

std::shared_ptr<const LoadedObject> load_object(const kernels::Kernel& kernel,
                                                std::span<const std::byte> code,
                                                const Exports& exports) {
  auto object =
      std::make_shared<const LoadedObject>(code, exports, kernels::foreign_functions(kernel));
  const RunFunction run = object->functions().run[number_of(exports.form)];
  add_to_perf_map(kernel, code, exports.form, reinterpret_cast<const void*>(run));
  return object;
}

/// The source from which other forms are compiled.
struct FormSource {
  kernels::Kernel kernel;
  CompileOptions options;
  Machine machine;
  std::shared_ptr<const CodeStore> store;
  std::shared_ptr<std::atomic<std::int64_t>> compiled;  // how many

  [[nodiscard]] FormCode load(std::span<const std::byte> bytes, Form form) const {
    auto object = load_object(kernel, split(bytes).object, {form});
    const RunFunction run = object->functions().run[number_of(form)];
    return {run, std::move(object)};
  }

  [[nodiscard]] std::vector<std::byte> compile(Form form) const {
    support::check_room_to_compile();
    std::vector<std::byte> bytes = compile_object(kernel, options, machine, form);
    ++support::counters().kernels_compiled;
    ++*compiled;
    return bytes;
  }

  [[nodiscard]] FormCode make(Form form) const {
    if (llvm_is_gone())
      throw TargetError(
          "the process is ending, and no kernel can be compiled any more: the program has not run "
          "with arrays of such extents before; run it earlier");
    const std::string name = std::string(run_symbol(form)) + " " +
                             std::to_string(std::to_integer<int>(packed(options))) + " " +
                             support::to_hex(kernels::key_of(kernel));
    return load_or_make(
        store.get(), name, [&](std::span<const std::byte> bytes) { return load(bytes, form); },
        [&] { return compile(form); });
  }
};

MakeForm form_maker(FormSource source) {
  return [from = std::make_shared<const FormSource>(std::move(source))](Form form) {
    std::optional<FormCode> code;
    support::on_large_stack([&] { code = from->make(form); });
    return *std::move(code);
  };
}

}  // namespace

std::shared_ptr<LoadedKernel> load_kernel(const kernels::Kernel& kernel,
                                          std::span<const std::byte> bytes, const Machine& machine,
                                          std::shared_ptr<const CodeStore> store) {
  const KeptCode code = split(bytes);
  const Exports exports{Form::usual, exports_finish(kernel), code.schedule.packed.rows > 0};
  auto object = load_object(kernel, code.object, exports);
  const KernelFunctions functions = object->functions();
  const auto compiled = std::make_shared<std::atomic<std::int64_t>>(0);
  MakeForm make;
  if (forms_of(kernel, code.schedule) != only(Form::usual))
    make = form_maker({kernel, code.options, machine, std::move(store), compiled});
  auto loaded = std::make_shared<LoadedKernel>(kernel, code.schedule, functions, std::move(object),
                                               std::move(make));
  loaded->compiled_later = compiled;
  return loaded;
}

}  // namespace hasten::backends::cpu
