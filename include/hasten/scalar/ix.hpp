// Ix<N>: a shape or an index of N components, outermost first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace hasten {

namespace detail {
void print_index(std::ostream& out, const std::int64_t* components, std::size_t count);
}  // namespace detail

/// N components of int64_t, outermost first, innermost last. A plain integer converts to an Ix<1>.
template <std::size_t N>
class Ix {
 public:
  constexpr Ix() = default;
  /// One integer per component.
  template <class... Is>
    requires(N > 0 && sizeof...(Is) == N && (std::is_integral_v<Is> && ...))
  constexpr explicit(false) Ix(Is... components)
      : components_{static_cast<std::int64_t>(components)...} {}

  constexpr std::int64_t& operator[](std::size_t k) { return components_[k]; }
  constexpr const std::int64_t& operator[](std::size_t k) const { return components_[k]; }
  /// At rank 1, an index is a number.
  constexpr operator std::int64_t() const  // NOLINT(google-explicit-constructor)
    requires(N == 1)
  {
    return components_[0];
  }

  static constexpr std::size_t size() { return N; }
  constexpr const std::int64_t* begin() const { return components_; }
  constexpr const std::int64_t* end() const { return components_ + N; }
  /// The number of elements of an array of this shape.
  [[nodiscard]] constexpr std::int64_t product() const {
    std::uint64_t result = 1;  // wraps if it is too large
    for (std::size_t k = 0; k < N; ++k) result *= static_cast<std::uint64_t>(components_[k]);
    return static_cast<std::int64_t>(result);
  }

  friend constexpr bool operator==(const Ix& a, const Ix& b) {
    for (std::size_t k = 0; k < N; ++k) {
      if (a[k] != b[k]) return false;
    }
    return true;
  }
  friend constexpr Ix operator+(Ix a, const Ix& b) {
    for (std::size_t k = 0; k < N; ++k) a[k] += b[k];
    return a;
  }
  friend constexpr Ix operator-(Ix a, const Ix& b) {
    for (std::size_t k = 0; k < N; ++k) a[k] -= b[k];
    return a;
  }
  friend constexpr Ix operator*(Ix a, const Ix& b) {
    for (std::size_t k = 0; k < N; ++k) a[k] *= b[k];
    return a;
  }
  /// Prints (3, 4); at rank 1 an index prints as the number it is.
  friend std::ostream& operator<<(std::ostream& out, const Ix& ix)
    requires(N != 1)
  {
    detail::print_index(out, ix.components_, N);
    return out;
  }

 private:
  std::int64_t components_[N == 0 ? 1 : N] = {};
};

template <class... Is>
Ix(Is...) -> Ix<sizeof...(Is)>;

// Beside plain integers, without ambiguity between conversions of the index and of the number.
template <class I>
  requires std::is_integral_v<I>
constexpr bool operator==(const Ix<1>& a, I b) {
  return a[0] == static_cast<std::int64_t>(b);
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator+(const Ix<1>& a, I b) {
  return a + Ix<1>(b);
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator+(I a, const Ix<1>& b) {
  return Ix<1>(a) + b;
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator-(const Ix<1>& a, I b) {
  return a - Ix<1>(b);
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator-(I a, const Ix<1>& b) {
  return Ix<1>(a) - b;
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator*(const Ix<1>& a, I b) {
  return a * Ix<1>(b);
}
template <class I>
  requires std::is_integral_v<I>
constexpr Ix<1> operator*(I a, const Ix<1>& b) {
  return Ix<1>(a) * b;
}

/// Multiplies each component by a number.
template <std::size_t N, class I>
  requires(N != 1 && std::is_integral_v<I>)
constexpr Ix<N> operator*(Ix<N> a, I b) {
  for (std::size_t k = 0; k < N; ++k) a[k] *= static_cast<std::int64_t>(b);
  return a;
}
template <class I, std::size_t N>
  requires(N != 1 && std::is_integral_v<I>)
constexpr Ix<N> operator*(I a, const Ix<N>& b) {
  return b * a;
}

/// The I-th component, for structured bindings.
template <std::size_t I, std::size_t N>
constexpr std::int64_t get(const Ix<N>& ix) {
  static_assert(I < N, "hasten::get: an Ix<N> has components 0 to N - 1");
  return ix[I];
}

}  // namespace hasten

template <std::size_t N>
struct std::tuple_size<hasten::Ix<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, hasten::Ix<N>> {
  using type = std::int64_t;
};
