// Compactions: the kept elements in order, on any number of threads; and the dropped ones.
#include "backends/cpu/launch/launch.hpp"
#include "tests/unit/cpu/kernels.hpp"
#include "tests/unit/cpu/widths.hpp"

#include <functional>

namespace hasten::test::cpu {
namespace {

using Values = Maker::Values;

// Sizes around vectors and tiles.
const std::int64_t sizes[] = {1, 2, 15, 16, 17, 63, 64, 65, 1009, 16'383, 16'384, 16'385, 200'003};

/// Allocates memory for outputs, as the runtime does.
class Kept final : public backends::KeptMemory {
 public:
  explicit Kept(const Kernel& kernel) : kernel_(kernel) {}

  std::span<std::byte* const> take(std::int64_t kept, std::int64_t others) override {
    const std::size_t half = kernel_.parts ? kernel_.outputs.size() / 2 : kernel_.outputs.size();
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i)
      columns.emplace_back(kernel_.outputs[i], i < half ? kept : others);
    for (Column& column : columns) addresses_.push_back(column.data());
    return addresses_;
  }
  void close(std::int64_t kept, std::int64_t others) override { counts = {kept, others}; }

  std::vector<Column> columns;
  std::array<std::int64_t, 2> counts{};

 private:
  const Kernel& kernel_;
  std::vector<std::byte*> addresses_;
};

// Keeps the elements for which input 0 is true; the leaves are the other inputs.
Maker compact_of(const std::vector<ScalarType>& leaves, bool parts) {
  std::vector<ScalarType> inputs = leaves;
  inputs.insert(inputs.begin(), boolean);
  Maker m(1, inputs);
  m.kernel.skeleton = kernels::Skeleton::compact;
  m.kernel.parts = parts;
  m.element([&](const Values& ix) {
    Values results;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) results.push_back(m.load(i, ix[0]));
    return results;
  });
  for (int part = 0; part < (parts ? 2 : 1); ++part)
    m.kernel.outputs.insert(m.kernel.outputs.end(), leaves.begin(), leaves.end());
  return m;
}

Column mask_of(std::int64_t n, std::int64_t of_seven) {
  Column mask(boolean, n);
  for (std::int64_t i = 0; i < n; ++i) mask.set(i, {i * i * 31 % 7 < of_seven ? 1U : 0U, 0});
  return mask;
}

using Launch = std::function<void(const backends::LaunchArguments&)>;

void check_compact(const Maker& m, std::vector<Column> inputs, const Launch& launch) {
  const std::int64_t n = inputs[0].size();
  std::vector<const std::byte*> addresses;
  for (Column& column : inputs) addresses.push_back(column.data());
  Kept kept(m.kernel);
  const std::int64_t extents[] = {n};
  launch({extents, addresses, {}, {}, n, n, nullptr, &kept});
  const std::size_t leaves = inputs.size() - 1;
  std::array<std::int64_t, 2> counts{};
  for (std::int64_t i = 0; i < n; ++i) {
    const std::size_t part = inputs[0].get(i).lo != 0 ? 0 : 1;
    if (part == 1 && !m.kernel.parts) continue;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      ASSERT_EQ(kept.columns[part * leaves + leaf].get(counts[part]), inputs[leaf + 1].get(i))
          << "element " << i << " of " << n;
    ++counts[part];
  }
  EXPECT_EQ(kept.counts, counts);
}

void check_compact(const Maker& m, std::vector<Column> inputs, int threads) {
  kernels::verify(m.kernel);
  check_compact(m, std::move(inputs), [&](const auto& arguments) {
    target(threads)->launch(code_of(m.kernel), arguments);
  });
}

TEST(CpuCompact, EveryTypeAndShare) {
  for (const ScalarType type :
       {boolean, ScalarType::i8, ScalarType::u16, ScalarType::i32, ScalarType::u64, ScalarType::f16,
        ScalarType::f32, ScalarType::f64}) {
    const Maker m = compact_of({type}, false);
    for (const std::int64_t n : sizes)
      for (const std::int64_t share : {0, 3, 7})
        check_compact(m, {mask_of(n, share), small_numbers(type, n)}, 3);
  }
}

TEST(CpuCompact, SeveralLeavesInParts) {
  const std::vector<ScalarType> leaves = {ScalarType::f64, ScalarType::u8, ScalarType::i32};
  const Maker m = compact_of(leaves, true);
  for (const std::int64_t n : sizes)
    for (const int threads : {1, 3}) {
      std::vector<Column> inputs = {mask_of(n, 4)};
      for (const ScalarType type : leaves) inputs.push_back(small_numbers(type, n));
      check_compact(m, std::move(inputs), threads);
    }
}

// Where no cache holds the results, tiles are copied past the caches, to any place in a line.
TEST(CpuCompact, PastTheCaches) {
  const std::vector<ScalarType> leaves = {ScalarType::f64, ScalarType::u8, ScalarType::i32};
  for (const bool parts : {false, true}) {
    const Maker m = compact_of(leaves, parts);
    for (const Loaded& code : on_vectors_of_every_width(m.kernel))
      for (const std::int64_t n : sizes)
        for (const int threads : {1, 3}) {
          std::vector<Column> inputs = {mask_of(n, 4)};
          for (const ScalarType type : leaves) inputs.push_back(small_numbers(type, n));
          check_compact(m, std::move(inputs), [&](const auto& arguments) {
            backends::cpu::Launcher(threads, {1 << 20, 0}).launch(*code.kernel, arguments);
          });
        }
  }
}

}  // namespace
}  // namespace hasten::test::cpu
