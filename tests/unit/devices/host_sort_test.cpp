// Sorts by a function of the host's among a device's commands: the memory is found where the device
// has it, and a sort that fails there is done without memory.
#include "backends/c_like/launch/sort/on_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <vector>

namespace hasten::backends::c_like {
namespace {

// Addresses are numbers, and what they are of lies elsewhere.
class FakeDevice final : public RunsHostFunctions, public ScratchMemory {
 public:
  [[nodiscard]] bool runs_host_functions() const override { return true; }
  [[nodiscard]] bool run_on_host(const char*, std::span<const Ordering::Use> uses,
                                 HostFunction f) override {
    if (!sees) return false;
    std::vector<std::byte*> places;
    for (const Ordering::Use& use : uses) places.push_back(memory_.at(use.address).data());
    f(places);
    return true;
  }
  [[nodiscard]] std::byte* take(std::size_t bytes) override {
    next_ += 64;
    const auto address = reinterpret_cast<std::byte*>(next_);
    memory_[address].resize(bytes);
    return address;
  }
  template <class T>
  [[nodiscard]] std::byte* put(const std::vector<T>& elements) {
    std::byte* const address = take(elements.size() * sizeof(T));
    std::memcpy(memory_[address].data(), elements.data(), elements.size() * sizeof(T));
    return address;
  }
  template <class T>
  [[nodiscard]] std::vector<T> get(const void* address) const {
    const auto& bytes = memory_.at(const_cast<std::byte*>(static_cast<const std::byte*>(address)));
    std::vector<T> elements(bytes.size() / sizeof(T));
    std::memcpy(elements.data(), bytes.data(), bytes.size());
    return elements;
  }

  bool sees = true;

 private:
  std::map<std::byte*, std::vector<std::byte>> memory_;
  std::uintptr_t next_ = 64;
};

// Two rows of keys of two components, with everything that can be asked for.
class HostSorts : public testing::Test {
 protected:
  bool sort(const HostSort& by) {
    const std::byte* const keys[] = {device.put(high), device.put(low)};
    const core::ScalarType types[] = {core::ScalarType::u16, core::ScalarType::u8};
    to.positions = reinterpret_cast<std::int64_t*>(device.take(8 * n));
    to.heads = device.take(n);
    to.carried = {{4, device.put(values), device.take(4 * n)}};
    return sort_on_host(device, std::make_shared<const HostSort>(by), {rows, n / rows}, types, keys,
                        to, device);
  }
  void expect_sorted() {
    std::vector<std::int64_t> order;
    std::vector<std::byte> heads;
    std::vector<std::uint32_t> carried;
    constexpr auto size = static_cast<std::int64_t>(n / rows);
    for (std::int64_t begin = 0; begin < std::int64_t{n}; begin += size) {
      std::vector<std::int64_t> row(size);
      std::iota(row.begin(), row.end(), std::int64_t{0});
      const auto key = [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(begin + i);
        return std::pair(high[at], low[at]);
      };
      std::ranges::sort(row, [&](std::int64_t a, std::int64_t b) {
        return std::pair(key(a), a) < std::pair(key(b), b);
      });
      for (std::size_t i = 0; i < row.size(); ++i) {
        order.push_back(row[i]);
        heads.push_back(std::byte{i == 0 || key(row[i]) != key(row[i - 1])});
        carried.push_back(values[static_cast<std::size_t>(begin + row[i])]);
      }
    }
    EXPECT_EQ(device.get<std::int64_t>(to.positions), order);
    EXPECT_EQ(device.get<std::byte>(to.heads), heads);
    EXPECT_EQ(device.get<std::uint32_t>(to.carried[0].to), carried);
  }

  static constexpr std::size_t rows = 2, n = 10;
  const std::vector<std::uint16_t> high{3, 1, 3, 1, 256, 2, 2, 2, 2, 0};
  const std::vector<std::uint8_t> low{1, 2, 0, 2, 9, 7, 6, 7, 200, 1};
  const std::vector<std::uint32_t> values{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  FakeDevice device;
  SortedKeys to;
};

TEST_F(HostSorts, AreGivenWhereMemoryLies) {
  std::vector<std::int64_t> extents;
  EXPECT_TRUE(sort([&](std::span<const std::int64_t> of, std::span<const core::ScalarType> types,
                       std::span<const std::byte* const> keys, const SortedKeys& there) {
    extents.assign(of.begin(), of.end());
    ASSERT_EQ(types.size(), 2U);
    EXPECT_EQ(std::memcmp(keys[0], high.data(), n * 2), 0);
    EXPECT_EQ(std::memcmp(keys[1], low.data(), n), 0);
    EXPECT_EQ(std::memcmp(there.carried[0].from, values.data(), n * 4), 0);
    there.positions[3] = 77;
    there.heads[4] = std::byte{5};
    there.carried[0].to[0] = std::byte{9};
  }));
  EXPECT_EQ(extents, (std::vector<std::int64_t>{rows, n / rows}));
  EXPECT_EQ(device.get<std::int64_t>(to.positions)[3], 77);
  EXPECT_EQ(device.get<std::byte>(to.heads)[4], std::byte{5});
  EXPECT_EQ(device.get<std::uint32_t>(to.carried[0].to)[0], 9U);
}

TEST_F(HostSorts, ThatFindNoMemoryAreDoneWithoutIt) {
  EXPECT_TRUE(sort([](auto, auto, auto, const SortedKeys& there) {
    there.positions[0] = -1;
    throw std::bad_alloc();
  }));
  expect_sorted();
}

TEST_F(HostSorts, OfMemoryThatIsNotSeenAreLeft) {
  device.sees = false;
  EXPECT_FALSE(sort([](auto, auto, auto, const SortedKeys&) { FAIL(); }));
}

}  // namespace
}  // namespace hasten::backends::c_like
