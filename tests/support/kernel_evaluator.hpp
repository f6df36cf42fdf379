// A backend that evaluates kernels one element at a time: slow, obviously right, and with counters.
// It replaces a compiling target in tests of the runtime above the seam.
#pragma once

#include "backends/backend.hpp"
#include "core/evaluate.hpp"
#include "core/scalar_ops.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace hasten::test {

/// Keeps the small blocks that it gave out: evaluating an element makes a dozen short vectors, and
/// AddressSanitizer's allocator would take most of a test's time.
template <class T>
class SmallBlocks {
 public:
  using value_type = T;
  SmallBlocks() = default;
  template <class U>
  explicit SmallBlocks(const SmallBlocks<U>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > most) return std::allocator<T>().allocate(count);
    std::vector<std::unique_ptr<Block>>& free = free_blocks();
    if (free.empty()) return reinterpret_cast<T*>(new Block);
    Block* const block = free.back().release();
    free.pop_back();
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* at, std::size_t count) {
    if (count > most) return std::allocator<T>().deallocate(at, count);
    free_blocks().emplace_back(reinterpret_cast<Block*>(at));
  }
  friend bool operator==(const SmallBlocks&, const SmallBlocks&) { return true; }

 private:
  static constexpr std::size_t most = 16;  // elements
  struct Block {
    alignas(T) std::byte bytes[most * sizeof(T)];
  };
  static std::vector<std::unique_ptr<Block>>& free_blocks() {
    thread_local std::vector<std::unique_ptr<Block>> blocks;
    return blocks;
  }
};

/// One launch, with all skeletons.
class KernelRun final : public core::ArrayReader {
 public:
  KernelRun(const kernels::Kernel& kernel, const backends::LaunchArguments& arguments)
      : kernel_(kernel),
        arguments_(arguments),
        to_(arguments.outputs),
        values_(kernel.value_types.size()),
        evaluator_(kernel.value_types, values_, *this) {
    for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
      values_[kernel.scalars[i]] = {arguments.scalars[i], 0};
  }

  void run() {
    if (kernel_.skeleton == kernels::Skeleton::scatter) return scatter();
    if (kernel_.skeleton == kernels::Skeleton::compact) return compact();
    const bool folds = kernel_.skeleton == kernels::Skeleton::fold;
    const bool scans = kernel_.skeleton == kernels::Skeleton::scan;
    const std::size_t inner = folds ? kernel_.folded : scans ? 1 : 0;
    for_each_index(arguments_.extents.first(arguments_.extents.size() - inner),
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
  core::Bits load_linear(core::ArrayId array, std::uint32_t part, std::int64_t index) override {
    const core::ScalarType type = kernel_.inputs[array];
    return load_part(type, arguments_.inputs[array] + index * size_of(type), part);
  }
  std::int64_t extent(core::ArrayId, std::uint32_t) override {
    throw InternalError("extents are arguments of kernels");
  }

 private:
  using Leaves = std::vector<core::Bits, SmallBlocks<core::Bits>>;

  static std::ptrdiff_t size_of(core::ScalarType type) {
    return static_cast<std::ptrdiff_t>(detail::size_in_bytes(type));
  }

  // Complex elements are read and written by their parts.
  static core::Bits load_part(core::ScalarType type, const std::byte* from, std::uint32_t part) {
    const core::ScalarType of_part = detail::part_of(type);
    return core::load_bits(of_part, from + part * size_of(of_part));
  }
  // 1: the output is the imaginary part of the one before, and has its address.
  [[nodiscard]] std::uint32_t part_of_output(std::size_t output) const {
    std::uint32_t part = 0;
    for (std::size_t i = 1; i <= output; ++i)
      part = part == 0 && detail::is_complex(kernel_.outputs[i - 1]) ? 1 : 0;
    return part;
  }

  /// Visits indices in row-major order, with their numbers.
  template <class F>
  static void for_each_index(std::span<const std::int64_t> extents, F f) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    for (std::int64_t at = 0; at < count; ++at) f(index_at(at, extents), at);
  }
  static Leaves index_at(std::int64_t at, std::span<const std::int64_t> extents) {
    Leaves index(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis])
      index[axis] = core::bits_of(at % extents[axis]);
    return index;
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
    const std::span<const std::int64_t> folded = arguments_.extents.last(kernel_.folded);
    const std::int64_t row_size =
        std::accumulate(folded.begin(), folded.end(), std::int64_t{1}, std::multiplies<>{});
    std::int64_t begin = 0, end = row_size;
    if (kernel_.range) {
      const Leaves range = call(*kernel_.range, outer);
      begin = static_cast<std::int64_t>(range[0].lo), end = static_cast<std::int64_t>(range[1].lo);
    }
    for (std::int64_t k = begin; k < end; ++k) {
      Leaves index = outer;
      for (const core::Bits place : index_at(k, folded)) index.push_back(place);
      Leaves next = call(kernel_.element, index);
      const auto stored = next.end() - kernel_.stored;
      store({stored, next.end()}, row * row_size + k, kernel_.outputs.size() - kernel_.stored);
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
    // Results of inner axes lie side by side.
    std::int64_t apart = 1;
    for (std::size_t axis = 0; axis < kernel_.inner_axes; ++axis)
      apart *= arguments_.extents[arguments_.extents.size() - 2 - axis];
    const std::int64_t results = count + (kernel_.seed.empty() ? 0 : 1);
    std::int64_t at = row / apart * results * apart + row % apart;
    Leaves total;
    for (const core::Value seed : kernel_.seed) total.push_back(values_[seed]);
    std::int64_t result = 0;
    const auto store_next = [&] {
      Leaves after = outer;
      after.push_back(core::bits_of(result++));
      after.insert(after.end(), total.begin(), total.end());
      store(call(kernel_.epilogue, after), at);
      at += apart;
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

  void compact() {
    const std::size_t parts = kernel_.parts ? 2 : 1;
    std::vector<Leaves> elements[2];
    for_each_index(arguments_.extents, [&](const Leaves& index, std::int64_t) {
      Leaves element = call(kernel_.element, index);
      const bool is_kept = element[0].lo != 0;
      element.erase(element.begin());
      elements[is_kept ? 0 : 1].push_back(std::move(element));
    });
    const auto kept = std::ssize(elements[0]);
    const auto others = kernel_.parts ? std::ssize(elements[1]) : 0;
    to_ = arguments_.kept->take(kept, others);
    for (std::size_t part = 0; part < parts; ++part)
      for (std::int64_t at = 0; at < std::ssize(elements[part]); ++at)
        store(elements[part][static_cast<std::size_t>(at)], at,
              part * (kernel_.outputs.size() / parts));
    arguments_.kept->close(kept, others);
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
      pair.push_back(load_part(type, to_[leaf] + at * size_of(type), part_of_output(leaf)));
    }
    store(call(kernel_.combine, pair), at);
  }

  void store(const Leaves& element, std::int64_t at, std::size_t first_output = 0) {
    for (std::size_t leaf = 0; leaf < element.size(); ++leaf) {
      const std::size_t output = first_output + leaf;
      const core::ScalarType type = kernel_.outputs[output], part = detail::part_of(type);
      core::store_bits(part, element[leaf],
                       to_[output] + at * size_of(type) + part_of_output(output) * size_of(part));
    }
  }

  const kernels::Kernel& kernel_;
  const backends::LaunchArguments& arguments_;
  std::span<std::byte* const> to_;  // by output
  std::vector<core::Bits> values_;
  core::Evaluator evaluator_;
};

/// A sort that compares keys, and knows nothing of digits.
class EvaluatedSort {
 public:
  EvaluatedSort(std::span<const std::int64_t> extents, std::span<const core::ScalarType> types,
                std::span<const std::byte* const> keys, const backends::SortedKeys& to)
      : types_(types),
        keys_(keys),
        to_(to),
        row_size_(extents.back()),
        rows_(std::accumulate(extents.begin(), extents.end() - 1, std::int64_t{1},
                              std::multiplies<>{})) {}

  void run() const {
    for (std::int64_t row = 0; row < rows_; ++row) sort_row(row * row_size_);
  }

 private:
  [[nodiscard]] std::uint64_t component(std::size_t key, std::int64_t at) const {
    const auto bytes = static_cast<std::ptrdiff_t>(detail::size_in_bytes(types_[key]));
    return core::load_bits(types_[key], keys_[key] + at * bytes).lo;
  }
  [[nodiscard]] bool is_before(std::int64_t a, std::int64_t b) const {
    for (std::size_t key = 0; key < keys_.size(); ++key)
      if (component(key, a) != component(key, b)) return component(key, a) < component(key, b);
    return false;
  }

  void sort_row(std::int64_t begin) const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(row_size_));
    std::iota(order.begin(), order.end(), begin);
    std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
      return is_before(a, b) || (a < b && !is_before(b, a));
    });
    for (std::int64_t k = 0; k < row_size_; ++k) {
      const std::int64_t from = order[static_cast<std::size_t>(k)];
      if (to_.positions) to_.positions[begin + k] = from - begin;
      if (to_.heads)
        to_.heads[begin + k] =
            std::byte{k == 0 || is_before(order[static_cast<std::size_t>(k - 1)], from)};
      for (const backends::CarriedComponent& each : to_.carried) {
        const auto bytes = static_cast<std::ptrdiff_t>(each.bytes);
        std::memcpy(each.to + k * bytes, each.from + from * bytes, each.bytes);
      }
    }
  }

  std::span<const core::ScalarType> types_;
  std::span<const std::byte* const> keys_;
  const backends::SortedKeys& to_;
  std::int64_t row_size_, rows_;
};

class KernelEvaluator final : public backends::Backend {
 public:
  /// `lacks`: a type that it does not support, for tests of that.
  explicit KernelEvaluator(std::string fingerprint = "evaluator 1",
                           std::optional<core::ScalarType> lacks = core::ScalarType::u16)
      : fingerprint_(std::move(fingerprint)),
        lacks_(lacks) {}

  std::atomic<int> compiled{0}, loaded{0}, launched{0};
  std::atomic<int> compile_ms{0};  // simulated time of a compilation
  std::atomic<bool> compile_fails{false};

  [[nodiscard]] std::string name() const override { return "evaluator"; }
  [[nodiscard]] std::string description() const override { return "evaluates kernels, for tests"; }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }
  [[nodiscard]] bool supports(core::ScalarType type) const override { return type != lacks_; }

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

  void sort_positions(std::span<const std::int64_t> extents,
                      std::span<const core::ScalarType> types,
                      std::span<const std::byte* const> keys, const backends::SortedKeys& to,
                      backends::ScratchMemory*) override {
    ++launched;
    EvaluatedSort(extents, types, keys, to).run();
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
  std::optional<core::ScalarType> lacks_;
};

}  // namespace hasten::test
