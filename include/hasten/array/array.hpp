// Arrays in host memory: Array<T, N>, Vector<T>, Matrix<T>, Scalar<T>.
#pragma once

#include <hasten/detail/access.hpp>
#include <hasten/detail/hints.hpp>
#include <hasten/detail/literal.hpp>
#include <hasten/detail/memory/strided.hpp>
#include <hasten/detail/memory/whole_elements.hpp>
#include <hasten/run/error.hpp>

#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <span>

namespace hasten {

template <class T>
using Scalar = Array<T, 0>;
template <class T>
using Vector = Array<T, 1>;
template <class T>
using Matrix = Array<T, 2>;

}  // namespace hasten

namespace hasten::detail {

// Non-template parts, defined in src/surface/public/arrays.cpp.
void print_array(std::ostream&, const HostArray&, Type);
bool equal_arrays(const HostArray&, const HostArray&);      // elements by ==: NaN differs from NaN
bool identical_arrays(const HostArray&, const HostArray&);  // bit by bit
[[noreturn]] void throw_out_of_range(std::span<const std::int64_t> index,
                                     std::span<const std::int64_t> shape, const Where&);
[[noreturn]] void throw_wrong_size(std::span<const std::int64_t> shape, std::int64_t given,
                                   const Where&);
[[noreturn]] void throw_ragged(const Where&);
void check_shape(std::span<const std::int64_t> shape, const Where&);  // not negative, size
                                                                      // representable
[[noreturn]] void throw_nothing_lent(std::span<const std::int64_t> shape, const Where&);
/// An array whose elements are still to be written. Throws what check_shape throws, and
/// MemoryError.
std::shared_ptr<HostArray> new_array(std::span<const std::int64_t> shape, Type, const Where&);
std::shared_ptr<const HostArray> array_of(std::span<const std::int64_t> shape, Type,
                                          std::vector<std::shared_ptr<Buffer>> components);

/// Nested initializer lists: one level per axis.
template <class T, std::size_t N>
struct NestedOf {
  using type = std::initializer_list<typename NestedOf<T, N - 1>::type>;
};
template <class T>
struct NestedOf<T, 0> {
  using type = T;
};
template <class T, std::size_t N>
using Nested = typename NestedOf<T, N>::type;

template <std::size_t N, class L>
void measure(const L& list, std::int64_t* shape) {
  *shape = static_cast<std::int64_t>(list.size());
  if constexpr (N > 1) {
    if (list.size() != 0) measure<N - 1>(*list.begin(), shape + 1);
  }
}

/// An index that remembers where the user wrote it.
struct LocatedIndex {
  template <class I>
    requires std::is_integral_v<I>
  explicit(false) LocatedIndex(I i, Where here = Where::current())
      : value(static_cast<std::int64_t>(i)),
        where(here) {}
  std::int64_t value;
  Where where;
};

template <std::size_t N>
struct LocatedIx {
  explicit(false) LocatedIx(const Ix<N>& ix, Where here = Where::current())
      : value(ix),
        where(here) {}
  template <class I>
    requires(N == 1 && std::is_integral_v<I>)
  explicit(false) LocatedIx(I i, Where here = Where::current()) : value(i),
                                                                  where(here) {}
  Ix<N> value;
  Where where;
};

/// A new array that is written element by element.
template <Element T>
class ArrayWriter {
 public:
  template <std::size_t N>
  ArrayWriter(const Ix<N>& shape, const Where& where)
      : host_(new_array({shape.begin(), N}, element_type<T>(), where)) {
    for (std::size_t i = 0; i < leaf_count<T>; ++i) leaves_[i] = host_->data(i);
  }
  void put(std::int64_t i, const T& value) {
    std::byte* const* leaf = leaves_.data();
    store_leaves(value, leaf, i);
  }
  /// Copies all elements at once; they are primitive.
  void copy(const T* from, std::size_t count)
    requires Leaf<T>
  {
    if (count != 0) std::memcpy(leaves_[0], from, count * sizeof(T));
  }
  /// Copies primitive elements that are laid out with strides.
  void gather(const Strided& from)
    requires Leaf<T>
  {
    detail::gather(leaves_[0], from);
  }
  std::shared_ptr<const HostArray> take() { return std::move(host_); }

 private:
  std::shared_ptr<HostArray> host_;
  std::array<std::byte*, leaf_count<T> == 0 ? 1 : leaf_count<T>> leaves_{};
};

}  // namespace hasten::detail

namespace hasten {

/// An immutable array of rank N in host memory; copies share it. Row-major, with one contiguous
/// buffer per component (leaf) of T. A buffer is 64-byte aligned unless it is borrowed.
template <class T, std::size_t N>
class Array {
  static_assert(detail::is_element<T>,
                "hasten: this is no element type: arrays hold bool, char, integers of 8 to 64 "
                "bits, half, bfloat16, float, double, std::complex, hasten::Ix, and std::tuple, "
                "std::pair, std::array, std::optional, std::variant and structs registered with "
                "HASTEN_STRUCT of these");
  using Where = detail::Where;

 public:
  using element_type = T;
  static constexpr std::size_t rank = N;

  /// An empty array; at rank 0, T{}.
  Array() {
    if constexpr (N == 0) *this = Array(T{});
  }
  Array(const Array&) noexcept = default;
  Array& operator=(const Array&) noexcept = default;
  /// Leaves an empty array behind; at rank 0, the same element.
  Array(Array&& other) noexcept : host_(taken_from(other)) {}
  Array& operator=(Array&& other) noexcept {
    host_ = taken_from(other);
    return *this;
  }
  ~Array() = default;
  /// Elements in braces, one level per axis.
  explicit(false) Array(detail::Nested<T, N> elements, Where where = Where::current())
    requires(N > 0)
  {
    Ix<N> shape;
    detail::measure<N>(elements, &shape[0]);
    detail::ArrayWriter<T> out(shape, where);
    std::int64_t next = 0;
    put_list<0>(elements, shape, next, out, where);
    host_ = out.take();
  }
  /// A rank-0 array of one element.
  explicit(false) Array(const T& value)
    requires(N == 0)
  {
    detail::ArrayWriter<T> out(Ix<0>{}, Where{});
    out.put(0, value);
    host_ = out.take();
  }
  /// A rank-0 array from a number of another type; a number that does not fit is a BuildError.
  template <detail::Number Num>
    requires(N == 0 && detail::Leaf<T> && !std::is_same_v<Num, T>)
  explicit(false) Array(Num value, Where where = Where::current())
      : Array(detail::number_as<T>(value, where)) {}
  /// Copies the elements, in row-major order. Throws ShapeError if their number is not that of the
  /// shape.
  Array(const Ix<N>& shape, std::span<const T> elements, Where where = Where::current()) {
    fill_from(shape, elements, static_cast<std::int64_t>(elements.size()), where);
  }
  Array(const Ix<N>& shape, std::initializer_list<T> elements, Where where = Where::current())
      : Array(shape, std::span<const T>(elements.begin(), elements.size()), where) {}
  Array(const Ix<N>& shape, const std::vector<bool>& elements, Where where = Where::current())
    requires std::is_same_v<T, bool>
  {
    fill_from(shape, elements, static_cast<std::int64_t>(elements.size()), where);
  }
  /// Copies the elements of a range.
  explicit Array(std::span<const T> elements, Where where = Where::current())
    requires(N == 1)
      : Array(Ix<1>(elements.size()), elements, where) {}
  explicit Array(const std::vector<bool>& elements, Where where = Where::current())
    requires(N == 1 && std::is_same_v<T, bool>)
      : Array(Ix<1>(elements.size()), elements, where) {}

  /// The array whose element at ix is f(ix).
  template <class F>
  static Array from_function(const Ix<N>& shape, F f, Where where = Where::current()) {
    detail::ArrayWriter<T> out(shape, where);
    const std::int64_t size = shape.product();
    Ix<N> ix;
    for (std::int64_t i = 0; i < size; ++i) {
      out.put(i, static_cast<T>(f(ix)));
      for (std::size_t axis = N; axis-- > 0;) {  // the next index in row-major order
        if (++ix[axis] < shape[axis]) break;
        ix[axis] = 0;
      }
    }
    return Array(out.take());
  }
  /// Uses foreign memory without copying it, at any alignment of T. release() is called once, from
  /// any thread, when the last array, program or running call that uses the memory is gone. The
  /// elements must not change before that. If they change between calls, targets that work in host
  /// memory see the new elements, and devices may use their old copy until release(array). If they
  /// change during a call, the call may see some old and some new ones. Results may be the borrowed
  /// memory itself and then change with it. Nothing else is at risk: checks on a borrowed array are
  /// repeated on every call.
  static Array borrow(const Ix<N>& shape, const T* elements, std::function<void()> release,
                      Where where = Where::current())
    requires detail::Leaf<T>
  {
    check_lent(shape, elements != nullptr, where);
    return lent(shape, elements, std::move(release));
  }
  /// Likewise for all elements of a span or vector. Throws ShapeError if their number is not that
  /// of the shape.
  static Array borrow(const Ix<N>& shape, std::span<const T> elements,
                      std::function<void()> release, Where where = Where::current()) {
    const auto count = static_cast<std::int64_t>(elements.size());
    check_lent(shape, true, where);
    if (shape.product() != count) detail::throw_wrong_size({shape.begin(), N}, count, where);
    return borrow(shape, elements.data(), std::move(release), where);
  }
  static Array borrow(std::span<const T> elements, std::function<void()> release,
                      Where where = Where::current())
    requires(N == 1)
  {
    return borrow(Ix<1>(elements.size()), elements.data(), std::move(release), where);
  }
  /// Likewise with a stride for each axis, in elements. `elements` points at element (0, ..., 0).
  /// Strides may be negative, or 0, which repeats an element. A picture with padded rows has the
  /// strides {pitch, 1}, a column-major matrix {1, rows}. Dense row-major memory is not copied.
  /// Otherwise this thread copies the elements now, in one pass, compound elements into their
  /// components, and release() is called before borrow returns.
  static Array borrow(const Ix<N>& shape, const T* elements, const Ix<N>& strides,
                      std::function<void()> release, Where where = Where::current()) {
    const detail::Strided from{elements, {shape.begin(), N}, {strides.begin(), N}, sizeof(T)};
    check_lent(shape, elements != nullptr, where);
    detail::check_strides("borrow", from, where);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(elements) % alignof(T) == 0;
    if constexpr (detail::is_laid_out<T>) {
      if (is_aligned && detail::is_compact(from)) return lent(shape, elements, std::move(release));
    }
    Array result = gathered(shape, from, where);
    if (release) release();
    return result;
  }
  /// Borrows what a std::mdspan views, by its extents and strides.
  template <class View>
    requires detail::StridedView<View, const T, N>
  static Array borrow(const View& view, std::function<void()> release,
                      Where where = Where::current()) {
    return borrow(detail::extents_of<N>(view), view.data_handle(), detail::strides_of<N>(view),
                  std::move(release), where);
  }
  /// Borrows whole compound elements that are contiguous, as in a C++ array of structs. The rules
  /// are those for primitive elements, except that a component is copied out when it is first
  /// needed. CPU programs that read each element once, in one operation, at first read the elements
  /// in place. release() is called once, when nothing reads the memory any more: when all
  /// components have been copied, or when the last array, program or call is gone. Optionals,
  /// variants and elements that contain them are copied now, and release() is called before borrow
  /// returns.
  static Array borrow(const Ix<N>& shape, const T* elements, std::function<void()> release,
                      Where where = Where::current())
    requires(!detail::Leaf<T>)
  {
    check_lent(shape, elements != nullptr, where);
    Ix<N> strides;
    for (std::size_t k = 0; k < N; ++k)
      strides[k] = detail::row_major_stride({shape.begin(), N}, k);
    return borrow(shape, elements, strides, std::move(release), where);
  }
  /// Borrows compound elements by component, without copying: a list in braces of one address per
  /// component, in the order of component(). release() is called once, when no component is used
  /// any more.
  static Array borrow(const Ix<N>& shape, const detail::ConstComponentPointers<T>& components,
                      std::function<void()> release, Where where = Where::current())
    requires(!detail::Leaf<T>)
  {
    std::apply([&](auto*... all) { check_lent(shape, (... && all), where); }, components);
    const std::shared_ptr<void> owner(nullptr, [release = std::move(release)](void*) {
      if (release) release();
    });
    std::vector<std::shared_ptr<detail::Buffer>> buffers;
    const auto lend = [&](const auto* component) {
      const auto bytes = static_cast<std::size_t>(shape.product()) * sizeof *component;
      buffers.push_back(detail::Buffer::borrow(component, bytes, [owner] {}));
    };
    std::apply([&](auto*... all) { (lend(all), ...); }, components);
    return of_components(shape, std::move(buffers));
  }

  /// The extents, outermost first.
  [[nodiscard]] Ix<N> shape() const {
    Ix<N> result;
    for (std::size_t k = 0; host_ && k < N; ++k) result[k] = host_->shape()[k];
    return result;
  }
  /// The number of elements.
  [[nodiscard]] std::int64_t size() const { return host_ ? host_->size() : 0; }

  /// The element at an index (at rank 1, also a number). Throws IndexError if it is out of range.
  T operator[](const detail::LocatedIx<N>& ix) const { return at(ix.value, ix.where); }
  /// The element at a(i, j, ...), with one integer per axis. Throws IndexError if it is out of
  /// range.
  template <class... Is>
  T operator()(detail::LocatedIndex first, Is... rest) const {
    static_assert(sizeof...(Is) + 1 == N,
                  "hasten: a(i, j, ...) takes one index per axis: this array has another rank");
    static_assert((std::is_integral_v<Is> && ...), "hasten: indices of host arrays are integers");
    return at(Ix<N>(first.value, rest...), first.where);
  }
  /// The only element of a rank-0 array.
  [[nodiscard]] T item() const
    requires(N == 0)
  {
    return load(0);
  }
  /// All elements in row-major order, without a copy if they are in host memory. The array must
  /// outlive the span: calling span() on a temporary does not compile.
  [[nodiscard]] std::span<const T> span() const&
    requires detail::Leaf<T>
  {
    return component<0>();
  }
  template <class Hint = hint::keep_the_array_in_a_variable_its_memory_goes_with_it>
  std::span<const T> span() const&& = delete;  // hasten: the array is gone before the span
  /// All values of leaf I (leaves are numbered depth first), in row-major order; like span(),
  /// without a copy if they are in host memory.
  template <std::size_t I>
  [[nodiscard]] std::span<const detail::LeafAt<I, T>> component() const& {
    static_assert(I < detail::leaf_count<T>, "hasten: the element type has fewer leaves");
    if (!host_) return {};
    return {reinterpret_cast<const detail::LeafAt<I, T>*>(host_->data(I)),
            static_cast<std::size_t>(size())};
  }
  template <std::size_t I, class Hint = hint::keep_the_array_in_a_variable_its_memory_goes_with_it>
  std::span<const detail::LeafAt<I, T>> component() const&& = delete;  // hasten: the same
  /// A copy of all elements in row-major order.
  [[nodiscard]] std::vector<T> to_vector() const {
    std::vector<T> result;
    const std::int64_t n = size();
    result.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) result.push_back(load(i));
    return result;
  }

  /// Equal shapes and equal elements; NaN is not equal to NaN.
  friend bool operator==(const Array& a, const Array& b) {
    return detail::equal_arrays(*a.host(), *b.host());
  }
  /// Prints the elements in nested brackets: [[1, 2], [3, 4]].
  friend std::ostream& operator<<(std::ostream& out, const Array& a) {
    detail::print_array(out, *a.host(), detail::element_type<T>());
    return out;
  }

  /// Rank-1 arrays are ranges of values.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::int64_t;
    using reference = T;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::random_access_iterator_tag;

    Iterator() = default;
    Iterator(const Array* array, std::int64_t i) : array_(array), i_(i) {}
    T operator*() const { return array_->load(i_); }
    T operator[](difference_type n) const { return array_->load(i_ + n); }
    Iterator& operator+=(difference_type n) { return i_ += n, *this; }
    Iterator& operator-=(difference_type n) { return i_ -= n, *this; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return Iterator(array_, i_++); }
    Iterator operator--(int) { return Iterator(array_, i_--); }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.i_ - b.i_; }
    friend bool operator==(Iterator a, Iterator b) { return a.i_ == b.i_; }
    friend auto operator<=>(Iterator a, Iterator b) { return a.i_ <=> b.i_; }

   private:
    const Array* array_ = nullptr;
    std::int64_t i_ = 0;
  };
  /// Rank-1 arrays can be looped over.
  [[nodiscard]] Iterator begin() const
    requires(N == 1)
  {
    return {this, 0};
  }
  [[nodiscard]] Iterator end() const
    requires(N == 1)
  {
    return {this, size()};
  }

 private:
  friend struct detail::Access;
  explicit Array(std::shared_ptr<const detail::HostArray> host) : host_(std::move(host)) {}

  static std::shared_ptr<const detail::HostArray> taken_from(Array& other) noexcept {
    if constexpr (N == 0)
      return other.host_;
    else
      return std::move(other.host_);
  }

  static void check_lent(const Ix<N>& shape, bool is_there, const Where& where) {
    detail::check_shape({shape.begin(), N}, where);
    if (!is_there && shape.product() != 0) detail::throw_nothing_lent({shape.begin(), N}, where);
  }
  static Array of_components(const Ix<N>& shape,
                             std::vector<std::shared_ptr<detail::Buffer>> components) {
    return Array(
        detail::array_of({shape.begin(), N}, detail::element_type<T>(), std::move(components)));
  }
  static Array lent(const Ix<N>& shape, const T* elements, std::function<void()> release) {
    const auto count = static_cast<std::size_t>(shape.product());
    if constexpr (detail::Leaf<T>) {
      return of_components(
          shape, {detail::Buffer::borrow(elements, count * sizeof(T), std::move(release))});
    } else {
      static const auto offsets = detail::leaf_offsets<T>();
      return Array(detail::lend_whole({shape.begin(), shape.end()},
                                      detail::element_type<T>()->leaves,
                                      {elements, count, sizeof(T), offsets}, std::move(release)));
    }
  }
  static Array gathered(const Ix<N>& shape, const detail::Strided& from, const Where& where) {
    if constexpr (detail::Leaf<T>) {
      detail::ArrayWriter<T> out(shape, where);
      out.gather(from);
      return Array(out.take());
    } else {
      const auto element = [&](const Ix<N>& ix) {
        std::int64_t at = 0;
        for (std::size_t k = 0; k < N; ++k) at += ix[k] * from.strides[k];
        return static_cast<const T*>(from.first)[at];
      };
      return from_function(shape, element, where);
    }
  }

  /// Never null: a default-constructed array allocates its memory on the first call.
  [[nodiscard]] std::shared_ptr<const detail::HostArray> host() const {
    return host_ ? host_ : detail::ArrayWriter<T>(Ix<N>{}, Where{}).take();
  }
  [[nodiscard]] T load(std::int64_t i) const {
    if constexpr (detail::Leaf<T>) {
      return reinterpret_cast<const T*>(host_->data(0))[i];
    } else {
      std::array<std::byte*, detail::leaf_count<T> + 1> leaves;
      for (std::size_t k = 0; k < detail::leaf_count<T>; ++k) leaves[k] = host_->data(k);
      std::byte* const* leaf = leaves.data();
      T value{};
      detail::load_leaves(value, leaf, i);
      return value;
    }
  }
  [[nodiscard]] T at(const Ix<N>& ix, const Where& where) const {
    const Ix<N> extents = shape();
    std::int64_t linear = 0;
    for (std::size_t k = 0; k < N; ++k) {
      if (ix[k] < 0 || ix[k] >= extents[k]) {
        detail::throw_out_of_range({ix.begin(), N}, {extents.begin(), N}, where);
      }
      linear = linear * extents[k] + ix[k];
    }
    return load(linear);
  }
  template <class Elements>
  void fill_from(const Ix<N>& shape, const Elements& elements, std::int64_t count,
                 const Where& where) {
    detail::ArrayWriter<T> out(shape, where);
    if (shape.product() != count) detail::throw_wrong_size({shape.begin(), N}, count, where);
    if constexpr (detail::Leaf<T> && std::is_same_v<Elements, std::span<const T>>) {
      out.copy(elements.data(), elements.size());
    } else {
      std::int64_t i = 0;
      for (const auto& e : elements) out.put(i++, e);
    }
    host_ = out.take();
  }
  template <std::size_t Axis, class L>
  static void put_list(const L& list, const Ix<N>& shape, std::int64_t& next,
                       detail::ArrayWriter<T>& out, const Where& where) {
    if constexpr (Axis == N) {
      out.put(next++, list);
    } else {
      if (static_cast<std::int64_t>(list.size()) != shape[Axis]) detail::throw_ragged(where);
      for (const auto& part : list) put_list<Axis + 1>(part, shape, next, out, where);
    }
  }

  std::shared_ptr<const detail::HostArray> host_;
};

/// Equal shapes and identical bits.
template <class T, std::size_t N>
bool identical(const Array<T, N>& a, const Array<T, N>& b) {
  return detail::identical_arrays(*detail::Access::host(a), *detail::Access::host(b));
}

}  // namespace hasten
