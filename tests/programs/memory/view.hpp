// The part of C++23's std::mdspan that Hasten uses.
#pragma once

#include <array>
#include <cstddef>

namespace hasten_test {

template <class T, std::size_t N>
class View {
 public:
  using element_type = T;
  View(T* first, std::array<int, N> extents, std::array<int, N> strides)
      : first_(first),
        extents_(extents),
        strides_(strides) {}
  static constexpr std::size_t rank() { return N; }
  [[nodiscard]] T* data_handle() const { return first_; }
  [[nodiscard]] int extent(std::size_t k) const { return extents_[k]; }
  [[nodiscard]] int stride(std::size_t k) const { return strides_[k]; }

 private:
  T* first_;
  std::array<int, N> extents_, strides_;
};

}  // namespace hasten_test
