// The seam's functions for any device that is programmed in text.
#include "backends/backend.hpp"

#include "backends/c_like/code_version.hpp"
#include "backends/c_like/launch/call_work.hpp"
#include "backends/c_like/launch/launch.hpp"
#include "backends/c_like/launch/recorder.hpp"
#include "backends/c_like/text/schedule.hpp"
#include "support/counters.hpp"
#include "support/env.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <type_traits>

namespace hasten::backends {
namespace c_like {
namespace {

class CLikeBackend final : public Backend {
 public:
  explicit CLikeBackend(std::shared_ptr<Driver> driver)
      : driver_(std::move(driver)),
        common_(*driver_),
        limit_(std::min(support::env_number("HASTEN_INDEX_LIMIT").value_or(narrow_limit),
                        narrow_limit)) {}

  [[nodiscard]] std::string name() const override { return driver_->name(); }
  [[nodiscard]] std::string description() const override { return driver_->description(); }
  [[nodiscard]] std::string fingerprint() const override {
    return std::string("c_like ") + code_version + " " + driver_->fingerprint();
  }
  [[nodiscard]] Facts facts() const override { return driver_->facts(); }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return driver_->has_double() ||
           (type != core::ScalarType::f64 && type != core::ScalarType::c128);
  }

  [[nodiscard]] std::optional<detail::ForeignTarget> foreign_target() const override {
    return driver_->dialect().foreign;
  }

  void keep_code_in(std::shared_ptr<const CodeStore> store) override {
    store_ = store;
    common_.sorter.keep_code_in(store);
    common_.fill.keep_code_in(std::move(store));
  }

  [[nodiscard]] std::string describe_schedule(const kernels::Kernel& kernel,
                                              const Code& code) const override {
    return describe(static_cast<const LoadedKernel&>(code).schedule(), kernel);
  }

  // Bytes are the schedule, what the other modules would be compiled with, and the first module:
  // its name as a line, and its narrow code.
  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const CompileOptions& options) override {
    const kernels::Schedule schedule = choose_schedule(kernel);
    const std::string_view first = modules_of(kernel, schedule, driver_->dialect()).front();
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
    return std::make_shared<LoadedKernel>(
        kernel, schedule, driver_->dialect(),
        LoadedKernel::FirstModule{
            std::move(name),
            naming_foreign(kernel, [&] { return driver_->load(code.subspan(length)); })},
        [this, kernel, schedule, options = code[0]](IndexWidth width, std::string_view module) {
          return make_other(kernel, schedule, options, width, module);
        },
        unpacked(code[0]).polls ? quiet_word() : nullptr);
  }
  void launch(const Code& code, const LaunchArguments& arguments) override {
    c_like::launch(*driver_, common_, static_cast<const LoadedKernel&>(code), arguments, limit_);
  }
  [[nodiscard]] std::unique_ptr<Replay> record(std::span<const RecordedLaunch> launches) override {
    Recorder recorder(*driver_);
    for (const RecordedLaunch& launch : launches)
      c_like::launch(recorder, common_, static_cast<const LoadedKernel&>(*launch.code),
                     launch.arguments, limit_);
    return make_replay(driver_, recorder.launches());
  }
  [[nodiscard]] bool can_record() const override { return true; }
  [[nodiscard]] std::shared_ptr<support::StopWord> make_stop_word() override {
    return driver_->make_stop_word();
  }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const SortedKeys& to,
                      ScratchMemory* scratch) override {
    std::int64_t rows = 1;
    for (const std::int64_t extent : extents.first(extents.size() - 1)) rows *= extent;
    common_.sorter.sort({rows, extents.back()}, types, keys, to, *scratch);
  }

  [[nodiscard]] std::unique_ptr<ForeignQueue> foreign_queue(
      std::span<std::byte* const> reads) override {
    return driver_->foreign_queue(reads);
  }

  [[nodiscard]] bool in_host_memory() const override { return false; }
  [[nodiscard]] std::size_t memory_bytes() const override { return driver_->memory_bytes(); }
  [[nodiscard]] std::byte* allocate(std::size_t bytes) override { return driver_->allocate(bytes); }
  void free(std::byte* address) override { driver_->free(address); }
  void write(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->write(to, from, bytes);
  }
  void read(std::byte* to, const std::byte* from, std::size_t bytes) override {
    driver_->read(to, const_cast<Address>(from), bytes);
  }
  [[nodiscard]] bool can_copy_from(const Backend& other) const override {
    const auto* const source = dynamic_cast<const CLikeBackend*>(&other);
    return source && driver_->can_copy_from(*source->driver_);
  }
  void copy_from(std::byte* to, Backend& other, const std::byte* from, std::size_t bytes) override {
    driver_->copy_from(to, *static_cast<CLikeBackend&>(other).driver_, const_cast<Address>(from),
                       bytes);
  }
  [[nodiscard]] bool is_used_by_others(const std::byte* address) override {
    return driver_->is_used_by_others(const_cast<Address>(address));
  }
  void finish() override { driver_->finish(); }
  [[nodiscard]] std::unique_ptr<Work> begin_work() override {
    return std::make_unique<CallWork>(driver_);
  }
  [[nodiscard]] std::int64_t timed(core::FunctionRef<void()> f) override {
    return driver_->timed(f);
  }

  [[nodiscard]] std::string dump(const kernels::Kernel& kernel, const CompileOptions& options,
                                 const std::string& stage) override {
    const bool own = stage == driver_->dialect().name;
    if (!own) return {};
    return source_of(kernel, choose_schedule(kernel), driver_->dialect(), IndexWidth::narrow,
                     main_module, options.polls);
  }

 private:
  static constexpr std::byte end_of_line{'\n'};

  [[nodiscard]] std::shared_ptr<support::StopWord> quiet_word() const {
    auto word = driver_->make_stop_word();
    if (!word) throw MemoryError(name() + ": there is no memory of the host's that it can see");
    return word;
  }

  static std::byte packed(const CompileOptions& options) {
    return static_cast<std::byte>((options.contract ? 1 : 0) | (options.fast_math ? 2 : 0) |
                                  (options.own_math ? 4 : 0) | (options.polls ? 8 : 0));
  }
  static CompileOptions unpacked(std::byte options) {
    const auto has = [&](std::byte bit) { return (options & bit) != std::byte{0}; };
    return {has(std::byte{1}), has(std::byte{2}), has(std::byte{4}), has(std::byte{8})};
  }

  [[nodiscard]] std::vector<std::byte> compile_module(const kernels::Kernel& kernel,
                                                      const kernels::Schedule& schedule,
                                                      IndexWidth width, std::string_view module,
                                                      const CompileOptions& options) const {
    CompileOptions all = options;
    all.foreign_text = !foreign_names(kernel).empty();
    return naming_foreign(kernel, [&] {
      return driver_->compile(
          source_of(kernel, schedule, driver_->dialect(), width, module, options.polls), all);
    });
  }

  // What a compiler does not take of a kernel that calls functions of the user's text is most
  // likely that text.
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
                                                    std::string_view module) const {
    std::string name = width == IndexWidth::wide ? "wide " : "narrow ";
    name.append(module).append(" ").append(std::to_string(std::to_integer<int>(options)));
    name.append(" ").append(support::to_hex(kernels::key_of(kernel)));
    return naming_foreign(kernel, [&] {
      return cached_program(*driver_, store_.get(), name, [&] {
        ++support::counters().kernels_compiled;
        return compile_module(kernel, schedule, width, module, unpacked(options));
      });
    });
  }

  std::shared_ptr<Driver> driver_;
  std::shared_ptr<const CodeStore> store_;
  CommonPrograms common_;
  std::int64_t limit_;
};

}  // namespace

std::shared_ptr<Backend> make_c_like_backend(std::shared_ptr<Driver> driver) {
  return std::make_shared<CLikeBackend>(std::move(driver));
}

}  // namespace c_like
}  // namespace hasten::backends
