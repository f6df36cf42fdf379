// A backend that evaluates kernels one element at a time: slow, obviously right, and with counters.
// It replaces a compiling target in tests of the runtime above the seam.
#pragma once

#include "backends/backend.hpp"
#include "core/evaluate.hpp"
#include "core/scalar_ops.hpp"

#include <hasten/run/error.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hasten::test {

/// One launch, with all skeletons.
class KernelRun final : public core::ArrayReader {
 public:
  KernelRun(const kernels::Kernel& kernel, const backends::LaunchArguments& arguments)
      : kernel_(kernel),
        arguments_(arguments),
        values_(kernel.value_types.size()),
        evaluator_(kernel.value_types, values_, *this) {
    for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
      values_[kernel.scalars[i]] = {arguments.scalars[i], 0};
  }

  void run() {
    if (kernel_.skeleton == kernels::Skeleton::scatter) return scatter();
    const bool folds = kernel_.skeleton == kernels::Skeleton::fold;
    const bool scans = kernel_.skeleton == kernels::Skeleton::scan;
    for_each_index(arguments_.extents.first(arguments_.extents.size() - (folds || scans ? 1 : 0)),
                   [&](const Leaves& index, std::int64_t at) {
                     if (scans)
                       scan(index, at);
                     else
                       store(folds ? fold(index, at) : call(kernel_.element, index), at);
                   });
  }

  core::Bits load(core::ArrayId, std::uint32_t, std::span<const std::int64_t>) override {
    throw InternalError("kernels read by linear index only");
  }
  core::Bits load_linear(core::ArrayId array, std::uint32_t, std::int64_t index) override {
    const core::ScalarType type = kernel_.inputs[array];
    return core::load_bits(type, arguments_.inputs[array] + index * size_of(type));
  }
  std::int64_t extent(core::ArrayId, std::uint32_t) override {
    throw InternalError("extents are arguments of kernels");
  }

 private:
  using Leaves = std::vector<core::Bits>;

  static std::ptrdiff_t size_of(core::ScalarType type) {
    return static_cast<std::ptrdiff_t>(detail::size_in_bytes(type));
  }

  /// Visits indices in row-major order, with their numbers.
  template <class F>
  static void for_each_index(std::span<const std::int64_t> extents, F f) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    for (std::int64_t at = 0; at < count; ++at) {
      Leaves index(extents.size());
      std::int64_t rest = at;
      for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis])
        index[axis] = core::bits_of(rest % extents[axis]);
      f(index, at);
    }
  }

  Leaves call(const core::Region& region, const Leaves& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) values_[region.params[i]] = arguments[i];
    evaluator_.run(region);
    Leaves results;
    for (const core::Value v : region.results) results.push_back(values_[v]);
    return results;
  }

  Leaves fold(const Leaves& outer, std::int64_t row) {
    Leaves total;
    for (const core::Value seed : kernel_.seed) total.push_back(values_[seed]);
    std::int64_t begin = 0, end = arguments_.extents.back();
    if (kernel_.range) {
      const Leaves range = call(*kernel_.range, outer);
      begin = static_cast<std::int64_t>(range[0].lo), end = static_cast<std::int64_t>(range[1].lo);
    }
    for (std::int64_t k = begin; k < end; ++k) {
      Leaves index = outer;
      index.push_back(core::bits_of(k));
      Leaves next = call(kernel_.element, index);
      const auto stored = next.end() - kernel_.stored;
      store({stored, next.end()}, row * arguments_.extents.back() + k,
            kernel_.outputs.size() - kernel_.stored);
      next.erase(stored, next.end());
      if (!total.empty()) {
        total.insert(total.end(), next.begin(), next.end());
        next = call(kernel_.combine, total);
      }
      total = std::move(next);
    }
    Leaves after = outer;
    after.insert(after.end(), total.begin(), total.end());
    return call(kernel_.epilogue, after);
  }

  void scan(const Leaves& outer, std::int64_t row) {
    const std::int64_t count = arguments_.extents.back();
    std::int64_t at = row * (count + (kernel_.seed.empty() ? 0 : 1));
    Leaves total;
    for (const core::Value seed : kernel_.seed) total.push_back(values_[seed]);
    std::int64_t result = 0;
    const auto store_next = [&] {
      Leaves after = outer;
      after.push_back(core::bits_of(result++));
      after.insert(after.end(), total.begin(), total.end());
      store(call(kernel_.epilogue, after), at++);
    };
    if (!total.empty()) store_next();
    for (std::int64_t k = 0; k < count; ++k) {
      Leaves index = outer;
      index.push_back(core::bits_of(k));
      Leaves next = call(kernel_.element, index);
      if (!total.empty()) {
        total.insert(total.end(), next.begin(), next.end());
        next = call(kernel_.combine, total);
      }
      total = std::move(next);
      store_next();
    }
  }

  // Fills a scatter's outputs, if the kernel asks for it.
  void fill() {
    Leaves seed;
    for (const core::Value leaf : kernel_.seed) seed.push_back(values_[leaf]);
    for (std::int64_t at = 0; at < arguments_.output_size; ++at) store(seed, at);
  }

  // Runs each loop over its own index space, one after the other.
  void scatter() {
    fill();
    const auto run = [&](const core::Region& element, std::uint32_t writes,
                         std::span<const std::int64_t> extents) {
      for_each_index(extents, [&](const Leaves& index, std::int64_t) {
        update(call(element, index), writes);
      });
    };
    if (kernel_.loops.empty()) return run(kernel_.element, kernel_.writes, arguments_.extents);
    for (std::size_t i = 0; i < kernel_.loops.size(); ++i) {
      const kernels::Loop& loop = kernel_.loops[i];
      run(loop.element, loop.writes,
          arguments_.extents.subspan(kernels::first_axis(kernel_, i), loop.rank));
    }
  }

  void update(const Leaves& element, std::uint32_t writes) {
    const auto each = static_cast<std::ptrdiff_t>(element.size() / writes);
    for (auto write = element.begin(); write != element.end(); write += each)
      update_one(Leaves(write, write + each));
  }

  void update_one(const Leaves& written) {
    if (written[0].lo == 0) return;
    const auto at = static_cast<std::int64_t>(written[1].lo);
    Leaves pair(written.begin() + 2, written.end());
    for (std::size_t leaf = 0; leaf < kernel_.outputs.size(); ++leaf) {
      const core::ScalarType type = kernel_.outputs[leaf];
      pair.push_back(core::load_bits(type, arguments_.outputs[leaf] + at * size_of(type)));
    }
    store(call(kernel_.combine, pair), at);
  }

  void store(const Leaves& element, std::int64_t at, std::size_t first_output = 0) {
    for (std::size_t leaf = 0; leaf < element.size(); ++leaf) {
      const core::ScalarType type = kernel_.outputs[first_output + leaf];
      core::store_bits(type, element[leaf],
                       arguments_.outputs[first_output + leaf] + at * size_of(type));
    }
  }

  const kernels::Kernel& kernel_;
  const backends::LaunchArguments& arguments_;
  std::vector<core::Bits> values_;
  core::Evaluator evaluator_;
};

class KernelEvaluator final : public backends::Backend {
 public:
  explicit KernelEvaluator(std::string fingerprint = "evaluator 1")
      : fingerprint_(std::move(fingerprint)) {}

  std::atomic<int> compiled{0}, loaded{0}, launched{0};
  std::atomic<int> compile_ms{0};  // simulated time of a compilation
  std::atomic<bool> compile_fails{false};

  [[nodiscard]] std::string name() const override { return "evaluator"; }
  [[nodiscard]] std::string description() const override { return "evaluates kernels, for tests"; }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool supports(core::ScalarType type) const override {
    return type != core::ScalarType::u16;
  }

  // The "code" is the kernel's text; load() passes the kernel again.
  [[nodiscard]] std::vector<std::byte> compile(const kernels::Kernel& kernel,
                                               const backends::CompileOptions&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(compile_ms));
    ++compiled;
    if (compile_fails) throw InternalError("the evaluator was told to fail");
    const std::string text = kernels::print(kernel);
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return {bytes, bytes + text.size()};
  }

  [[nodiscard]] std::shared_ptr<const backends::Code> load(
      const kernels::Kernel& kernel, std::span<const std::byte> bytes) override {
    ++loaded;
    const std::string text = kernels::print(kernel);
    if (bytes.size() != text.size() || std::memcmp(bytes.data(), text.data(), text.size()) != 0)
      throw InternalError("these bytes are not of this kernel");
    auto code = std::make_shared<Kept>();
    code->kernel = kernel;
    return code;
  }

  void launch(const backends::Code& code, const backends::LaunchArguments& arguments) override {
    ++launched;
    KernelRun(static_cast<const Kept&>(code).kernel, arguments).run();
  }

  void sort_positions(std::span<const std::int64_t>, std::span<const core::ScalarType>,
                      std::span<const std::byte* const>, const backends::SortedKeys&,
                      backends::ScratchMemory*) override {
    throw InternalError("the evaluator does not sort");
  }

  [[nodiscard]] std::string dump(const kernels::Kernel&, const backends::CompileOptions&,
                                 const std::string& stage) override {
    return stage == "asm" ? "no instructions at all" : "";
  }

 private:
  struct Kept : backends::Code {
    kernels::Kernel kernel;
  };
  std::string fingerprint_;
};

}  // namespace hasten::test
