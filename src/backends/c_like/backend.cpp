// Code of a device that is programmed in text: generated from kernels where they are compiled.
#include "backends/c_like/code_version.hpp"
#include "backends/c_like/device_backend.hpp"
#include "backends/c_like/text/schedule.hpp"
#include "support/counters.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <type_traits>

namespace hasten::backends {
namespace c_like {
namespace {

class CLikeBackend final : public DeviceBackend {
 public:
  using DeviceBackend::DeviceBackend;

  [[nodiscard]] std::string fingerprint() const override {
    return std::string("c_like ") + code_version + " " + driver().fingerprint();
  }
  [[nodiscard]] std::optional<detail::ForeignTarget> foreign_target() const override {
    return driver().dialect().foreign;
  }

  void keep_code_in(std::shared_ptr<const CodeStore> store) override {
    keep_common(store);
    store_ = std::move(store);
  }

  [[nodiscard]] std::string describe_schedule(const kernels::Kernel& kernel,
                                              const Code& code) const override {
    return describe(static_cast<const LoadedKernel&>(code).schedule(), kernel);
  }

  // The bytes are the schedule, the options with which the other modules would be compiled, and the
  // first module: its name as a line, and its narrow code.
  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const CompileOptions& options) override {
    const kernels::Schedule schedule = choose_schedule(kernel);
    const std::string_view first = modules_of(kernel, schedule, driver().dialect()).front();
    std::vector<std::byte> bytes{packed(options)};
    const auto name = std::as_bytes(std::span(first));
    bytes.insert(bytes.end(), name.begin(), name.end());
    bytes.push_back(end_of_line);
    const std::vector<std::byte> code =
        compile_module(kernel, schedule, IndexWidth::narrow, first, options);
    bytes.insert(bytes.end(), code.begin(), code.end());
    return kernels::with_schedule(schedule, bytes);
  }
  [[nodiscard]] std::shared_ptr<const Code> load(const kernels::Kernel& kernel,
                                                 std::span<const std::byte> bytes) override {
    const auto [schedule, code] = kernels::split_schedule(bytes);
    const auto end = std::ranges::find(code, end_of_line);
    if (code.empty() || end == code.end()) throw InternalError("code of a kernel has no module");
    std::string name;
    for (auto at = code.begin() + 1; at < end; ++at) name += static_cast<char>(*at);
    const auto length = static_cast<std::size_t>(end + 1 - code.begin());
    const auto compiled = std::make_shared<std::atomic<std::int64_t>>(0);
    auto loaded = std::make_shared<LoadedKernel>(
        kernel, launch_facts(kernel, schedule), driver().dialect(),
        LoadedKernel::FirstModule{
            std::move(name),
            naming_foreign(kernel, [&] { return driver().load(code.subspan(length)); })},
        [this, kernel, schedule, options = code[0], compiled](IndexWidth width,
                                                              std::string_view module) {
          return make_other(kernel, schedule, options, width, module, *compiled);
        },
        unpacked(code[0]).polls ? quiet_word() : nullptr);
    loaded->compiled_later = compiled;
    return loaded;
  }
  [[nodiscard]] std::string dump(const kernels::Kernel& kernel, const CompileOptions& options,
                                 const std::string& stage) override {
    const bool own = stage == driver().dialect().name;
    if (!own) return {};
    return source_of(kernel, choose_schedule(kernel), driver().dialect(), IndexWidth::narrow,
                     main_module, options.polls);
  }

 private:
  static constexpr std::byte end_of_line{'\n'};

  [[nodiscard]] std::shared_ptr<support::StopWord> quiet_word() const {
    auto word = driver().make_stop_word();
    if (!word) throw MemoryError(name() + ": there is no memory of the host's that it can see");
    return word;
  }

  [[nodiscard]] std::vector<std::byte> compile_module(const kernels::Kernel& kernel,
                                                      const kernels::Schedule& schedule,
                                                      IndexWidth width, std::string_view module,
                                                      const CompileOptions& options) const {
    CompileOptions all = options;
    all.foreign_text = !foreign_names(kernel).empty();
    return naming_foreign(kernel, [&] {
      return driver().compile(
          source_of(kernel, schedule, driver().dialect(), width, module, options.polls), all);
    });
  }

  // If a compiler rejects a kernel that calls functions of the user's text, that text is the most
  // likely cause.
  template <class F>
  [[nodiscard]] std::invoke_result_t<F> naming_foreign(const kernels::Kernel& kernel, F f) const {
    try {
      return f();
    } catch (const RefusedText& error) {
      const std::string names = foreign_names(kernel);
      if (names.empty()) throw;
      throw TargetError(name() + ": a kernel that calls the foreign function " + names +
                        " does not compile; mend its text: " + error.words());
    }
  }

  [[nodiscard]] std::shared_ptr<Program> make_other(const kernels::Kernel& kernel,
                                                    const kernels::Schedule& schedule,
                                                    std::byte options, IndexWidth width,
                                                    std::string_view module,
                                                    std::atomic<std::int64_t>& compiled) const {
    std::string name = width == IndexWidth::wide ? "wide " : "narrow ";
    name.append(module).append(" ").append(std::to_string(std::to_integer<int>(options)));
    name.append(" ").append(support::to_hex(kernels::key_of(kernel)));
    return naming_foreign(kernel, [&] {
      return cached_program(driver(), store_.get(), name, [&] {
        ++support::counters().kernels_compiled;
        ++compiled;
        return compile_module(kernel, schedule, width, module, unpacked(options));
      });
    });
  }

  std::shared_ptr<const CodeStore> store_;
};

}  // namespace

std::shared_ptr<Backend> make_c_like_backend(std::shared_ptr<Driver> driver,
                                             std::shared_ptr<const HostSort> sort) {
  return std::make_shared<CLikeBackend>(std::move(driver), std::move(sort));
}

}  // namespace c_like
}  // namespace hasten::backends
