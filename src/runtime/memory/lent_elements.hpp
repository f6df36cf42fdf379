// Arrays of structs owned by others: a component is extracted on first use.
#pragma once

#include <hasten/detail/host_array.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hasten::runtime {

/// Elements in memory owned by others, stored whole and adjacent.
class LentElements {
 public:
  struct Member {
    std::size_t offset, bytes;
    friend bool operator==(const Member&, const Member&) = default;
  };
  /// The layout of every element.
  struct Layout {
    std::size_t element_bytes;
    std::vector<Member> members;  // by leaf
    friend bool operator==(const Layout&, const Layout&) = default;
  };

  LentElements(std::span<const std::byte> memory, Layout layout, std::shared_ptr<void> owner)
      : memory_(memory),
        layout_(std::move(layout)),
        owner_(std::move(owner)) {}

  [[nodiscard]] std::span<const std::byte> memory() const { return memory_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Copies a component out of all elements.
  void take_out(std::size_t member, std::byte* to) const;

  /// Whether a reader of this many components, which reads each element once, should read them in
  /// place: true for that many readers. Later ones extract what they need, for all others.
  [[nodiscard]] bool may_be_read(std::size_t components) const {
    return readings_.fetch_add(1, std::memory_order_relaxed) < components;
  }

 private:
  const std::span<const std::byte> memory_;
  const Layout layout_;
  const std::shared_ptr<void> owner_;
  mutable std::atomic<std::size_t> readings_ = 0;
};
using LentElementsRef = std::shared_ptr<const LentElements>;

/// The elements from which all components of the array are still to be extracted; null: none are.
[[nodiscard]] LentElementsRef whole_elements(const detail::HostArray& array);

}  // namespace hasten::runtime
