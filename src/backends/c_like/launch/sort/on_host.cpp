// A failed command is reported only when someone waits for it, and commands after it have failed
// too by then. So if the host's sort finds no memory, its command sorts again without allocating:
// it compares places in device memory that was allocated before.
#include "backends/c_like/launch/sort/on_host.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace hasten::backends::c_like {
namespace {

// The arguments of a sort, with addresses of memory in the order of its uses.
class Sorting {
 public:
  Sorting(std::shared_ptr<const HostSort> sort, SortShape shape,
          std::span<const core::ScalarType> types, std::span<const std::byte* const> keys,
          SortedKeys to)
      : sort_(std::move(sort)),
        shape_(shape),
        types_(types.begin(), types.end()),
        keys_(keys.begin(), keys.end()),
        to_(std::move(to)) {}

  // The memory of all arrays, and of the places.
  [[nodiscard]] std::vector<Ordering::Use> uses(Address order) {
    std::vector<Ordering::Use> all;
    each_place([&](const std::byte* address, bool writes) {
      all.push_back({const_cast<Address>(address), writes});
      return const_cast<Address>(address);
    });
    all.push_back({order, true});
    return all;
  }

  void run(std::span<std::byte* const> places) {
    std::size_t next = 0;
    each_place([&](const std::byte*, bool) { return places[next++]; });
    const std::int64_t extents[] = {shape_.rows, shape_.size};
    const std::span<const std::int64_t> all = extents;
    try {
      (*sort_)(shape_.rows == 1 ? all.last(1) : all, types_, keys_, to_);
    } catch (...) {
      if (is_short())
        compare<std::uint32_t>(places[next]);
      else
        compare<std::uint64_t>(places[next]);
    }
  }

  [[nodiscard]] std::size_t order_bytes() const {
    return static_cast<std::size_t>(shape_.size) * (is_short() ? 4 : 8);
  }

 private:
  [[nodiscard]] bool is_short() const {
    return shape_.size <= std::numeric_limits<std::uint32_t>::max();
  }

  // Replaces each address by what `f` returns for it.
  template <class F>
  void each_place(F f) {
    const auto put = [&](auto*& address, bool writes) {
      using Pointer = std::remove_reference_t<decltype(address)>;
      if (address)
        address = reinterpret_cast<Pointer>(f(reinterpret_cast<const std::byte*>(address), writes));
    };
    for (const std::byte*& key : keys_) put(key, false);
    put(to_.positions, true);
    put(to_.heads, true);
    for (CarriedComponent& component : to_.carried) {
      put(component.from, false);
      put(component.to, true);
    }
  }

  [[nodiscard]] static std::uint64_t number_at(const std::byte* at, std::size_t bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, at, bytes);
    return number;
  }
  [[nodiscard]] int compared(std::int64_t a, std::int64_t b) const {
    for (std::size_t leaf = 0; leaf < types_.size(); ++leaf) {
      const std::size_t bytes = detail::size_in_bytes(types_[leaf]);
      const auto key = [&](std::int64_t i) {
        return number_at(keys_[leaf] + static_cast<std::size_t>(i) * bytes, bytes);
      };
      if (key(a) != key(b)) return key(a) < key(b) ? -1 : 1;
    }
    return 0;
  }

  template <class Place>
  void compare(std::byte* memory) const {
    auto* const order = reinterpret_cast<Place*>(memory);
    for (std::int64_t row = 0; row < shape_.rows; ++row) {
      const std::int64_t first = row * shape_.size;
      std::iota(order, order + shape_.size, Place{0});
      const auto compared_in_row = [&](Place a, Place b) {
        return compared(first + static_cast<std::int64_t>(a), first + static_cast<std::int64_t>(b));
      };
      std::sort(order, order + shape_.size, [&](Place a, Place b) {
        const int order_of_keys = compared_in_row(a, b);
        return order_of_keys != 0 ? order_of_keys < 0 : a < b;
      });
      for (std::int64_t i = 0; i < shape_.size; ++i) {
        const std::int64_t at = first + i;
        if (to_.positions) to_.positions[at] = static_cast<std::int64_t>(order[i]);
        if (to_.heads)
          to_.heads[at] = std::byte{i == 0 || compared_in_row(order[i - 1], order[i]) != 0};
        for (const CarriedComponent& component : to_.carried)
          std::memcpy(
              component.to + static_cast<std::size_t>(at) * component.bytes,
              component.from + (static_cast<std::size_t>(first) + order[i]) * component.bytes,
              component.bytes);
      }
    }
  }

  std::shared_ptr<const HostSort> sort_;
  SortShape shape_;
  std::vector<core::ScalarType> types_;
  std::vector<const std::byte*> keys_;
  SortedKeys to_;
};

}  // namespace

bool sort_on_host(RunsHostFunctions& device, const std::shared_ptr<const HostSort>& sort,
                  SortShape shape, std::span<const core::ScalarType> types,
                  std::span<const std::byte* const> keys, const SortedKeys& to,
                  ScratchMemory& scratch) {
  if (shape.rows == 0 || shape.size == 0) return true;
  auto sorting = std::make_shared<Sorting>(sort, shape, types, keys, to);
  const Address order = scratch.take(sorting->order_bytes());
  const std::vector<Ordering::Use> uses = sorting->uses(order);
  return device.run_on_host(
      "sort", uses, [sorting](std::span<std::byte* const> places) { sorting->run(places); });
}

}  // namespace hasten::backends::c_like
