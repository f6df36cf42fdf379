// Each distinct text is compiled once per process.
#include "tests/support/nvrtc_backend.hpp"

#include "backends/c_like/launch/sort/sort.hpp"
#include "backends/c_like/text/schedule.hpp"
#include "backends/c_like/text/source.hpp"
#include "backends/cuda/nvrtc.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

namespace hasten::test {
namespace {

using backends::CompileOptions;
using backends::c_like::choose_schedule;
using backends::c_like::Dialect;
using backends::c_like::fill_source;
using backends::c_like::IndexWidth;
using backends::c_like::modules_of;
using backends::c_like::source_of;

class Log {
 public:
  void add_kernel() {
    const std::lock_guard lock(mutex_);
    ++kernels_;
  }
  /// Returns whether the text is new.
  bool add_text(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return texts_.insert(text).second;
  }
  void add_time(double milliseconds) {
    const std::lock_guard lock(mutex_);
    times_.push_back(milliseconds);
  }
  NvrtcReport report() {
    const std::lock_guard lock(mutex_);
    NvrtcReport report;
    report.kernels = kernels_;
    report.texts = static_cast<std::int64_t>(texts_.size());
    report.milliseconds = times_;
    std::ranges::sort(report.milliseconds);
    return report;
  }

 private:
  std::mutex mutex_;
  std::int64_t kernels_ = 0;
  std::set<std::string> texts_;
  std::vector<double> times_;
};

Log& log() {
  static Log instance;
  return instance;
}

// The processor time of this thread, which other load on the machine does not change.
double processor_milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class NvrtcBackend final : public backends::Backend {
 public:
  NvrtcBackend(std::shared_ptr<Backend> runs, const backends::cuda::Nvrtc& compiler,
               Architectures which)
      : runs_(std::move(runs)),
        compiler_(compiler),
        which_(which) {
    for (const int arch : {75, 80, 90, 100})
      if (std::ranges::binary_search(compiler.archs, arch)) architectures_.push_back(arch);
  }

  [[nodiscard]] std::string name() const override { return "nvrtc"; }
  [[nodiscard]] std::string description() const override {
    return "compiles for CUDA, runs on " + runs_->name();
  }
  // Never equal to an earlier process's, so that nothing on disk replaces a compilation.
  [[nodiscard]] std::string fingerprint() const override {
    static const std::int64_t start = std::chrono::system_clock::now().time_since_epoch().count();
    return "nvrtc test " + std::to_string(start) + " " + runs_->fingerprint();
  }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return runs_->supports(type);
  }

  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const CompileOptions& options) override {
    log().add_kernel();
    compile_common(options);
    const kernels::Schedule schedule = choose_schedule(kernel);
    for (const std::string_view unit : modules_of(kernel, schedule, Dialect::cuda)) {
      const std::string text = source_of(kernel, schedule, Dialect::cuda, IndexWidth::narrow, unit);
      if (!log().add_text(text)) continue;
      const std::size_t hash = std::hash<std::string>()(text);
      compile_for_all(text, hash, options);
      // Code for large arrays is rare and differs only in types: compiling some of it is enough.
      if (hash / 64 % 8 == 0)
        compile_for_all(source_of(kernel, schedule, Dialect::cuda, IndexWidth::wide, unit), hash,
                        options);
    }
    return runs_->compile(kernel, options);
  }
  [[nodiscard]] std::shared_ptr<const backends::Code> load(
      const kernels::Kernel& kernel, std::span<const std::byte> bytes) override {
    return runs_->load(kernel, bytes);
  }
  void launch(const backends::Code& code, const backends::LaunchArguments& arguments) override {
    runs_->launch(code, arguments);
  }
  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const backends::SortedKeys& to,
                      backends::ScratchMemory* scratch) override {
    runs_->sort_positions(extents, types, keys, to, scratch);
  }
  [[nodiscard]] std::string dump(const kernels::Kernel& kernel, const CompileOptions& options,
                                 const std::string& stage) override {
    return runs_->dump(kernel, options, stage);
  }

 private:
  // Compiles the texts that belong to no kernel.
  void compile_common(const CompileOptions& options) const {
    std::vector<std::string> texts{fill_source(Dialect::cuda)};
    for (const auto& program : backends::c_like::sort_programs(Dialect::cuda))
      texts.push_back(program.text(Dialect::cuda));
    for (const std::string& text : texts)
      if (log().add_text(text)) compile_for_all(text, 0, options);
  }

  void compile_for_all(const std::string& text, std::size_t turn,
                       const CompileOptions& options) const {
    for (std::size_t i = 0; i < architectures_.size(); ++i)
      if (which_ == Architectures::all || i == turn % architectures_.size())
        compile(text, architectures_[i], options);
  }

  void compile(const std::string& text, int arch, const CompileOptions& options) const {
    const double start = processor_milliseconds();
    static_cast<void>(backends::cuda::compile(compiler_, text, {arch, false}, options));
    log().add_time(processor_milliseconds() - start);
  }

  std::shared_ptr<Backend> runs_;
  const backends::cuda::Nvrtc& compiler_;
  Architectures which_;
  std::vector<int> architectures_;
};

}  // namespace

NvrtcReport nvrtc_report() { return log().report(); }

std::shared_ptr<backends::Backend> make_nvrtc_backend(std::shared_ptr<backends::Backend> runs,
                                                      Architectures architectures,
                                                      std::string& why) {
  const backends::cuda::Nvrtc* const compiler = backends::cuda::nvrtc(&why);
  if (!compiler) return nullptr;
  return std::make_shared<NvrtcBackend>(std::move(runs), *compiler, architectures);
}

}  // namespace hasten::test
