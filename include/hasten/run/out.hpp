// Caller-owned memory that receives results.
#pragma once

#include <hasten/array/array.hpp>
#include <hasten/detail/memory/out_memory.hpp>
#include <hasten/detail/memory/strided.hpp>
#include <hasten/detail/programs.hpp>

#include <span>
#include <tuple>

namespace hasten::detail {

struct OutAccess;

/// Stores the whole elements of a result.
template <class T>
void store_whole(const HostArray& result, const OutMemory& to) {
  std::array<std::byte*, leaf_count<T> + 1> leaves{};
  for (std::size_t k = 0; k < leaf_count<T>; ++k) leaves[k] = result.data(k);
  const std::int64_t size = result.size();
  std::vector<std::int64_t> index(to.shape.size());
  auto* element = reinterpret_cast<T*>(to.parts[0].begin);
  for (std::int64_t i = 0; i < size; ++i) {
    std::byte* const* leaf = leaves.data();
    load_leaves(*element, leaf, i);
    if (to.strides.empty() || i + 1 == size) {
      ++element;
      continue;
    }
    for (std::size_t k = index.size(); k-- > 0;) {  // the next one
      element += to.strides[k];
      if (++index[k] < to.shape[k]) break;
      element -= to.strides[k] * to.shape[k];
      index[k] = 0;
    }
  }
}

}  // namespace hasten::detail

namespace hasten {

/// Caller-owned memory for a result that is an Array<T, N>: the destination of Compiled::into,
/// written only during the call. Any alignment of T is allowed. Compound elements are stored either
/// whole and contiguous, as in a C++ array of structs, or by component, as in Array.
template <class T, std::size_t N>
class Out {
  using Where = detail::Where;

 public:
  /// A shape and the destination of the elements, in row-major order. Throws ShapeError for a null
  /// pointer unless the shape is empty, and for negative extents.
  Out(const Ix<N>& shape, T* elements, Where where = Where::current()) {
    set(shape, {{reinterpret_cast<std::byte*>(elements), sizeof(T)}}, where);
    if constexpr (!detail::Leaf<T>) memory_.store_whole = &detail::store_whole<T>;
  }
  /// Likewise; throws ShapeError if the number of elements is not that of the shape.
  Out(const Ix<N>& shape, std::span<T> elements, Where where = Where::current())
      : Out(shape, elements.data(), where) {
    const auto count = static_cast<std::int64_t>(elements.size());
    if (shape.product() != count) detail::throw_wrong_size({shape.begin(), N}, count, where);
  }
  /// Likewise with a stride for each axis, in elements, from element (0, ..., 0): a picture with
  /// padded rows has the strides {pitch, 1}, a column-major matrix {1, rows}; strides may be
  /// negative. The result is copied to its destination. Throws ShapeError if two elements would
  /// overlap. Two results may interleave in each other's gaps.
  Out(const Ix<N>& shape, T* elements, const Ix<N>& strides, Where where = Where::current())
      : Out(shape, elements, where) {
    const detail::Strided to{elements, {shape.begin(), N}, {strides.begin(), N}, sizeof(T)};
    detail::check_strides("into", to, where);
    detail::check_apart("into", to, where);
    if (!detail::is_compact(to)) memory_.strides = {strides.begin(), strides.end()};
  }
  /// The elements that a std::mdspan views, by its extents and strides.
  template <class View>
    requires detail::StridedView<std::remove_cvref_t<View>, T, N>
  explicit(false) Out(View&& view, Where where = Where::current())
      : Out(detail::extents_of<N>(view), view.data_handle(), detail::strides_of<N>(view), where) {}
  /// All elements of a vector, a std::array or a span.
  template <class R>
    requires(N == 1 && std::is_constructible_v<std::span<T>, R>)
  explicit(false) Out(R&& elements, Where where = Where::current())
      : Out(Ix<1>(std::span<T>(elements).size()), std::span<T>(elements).data(), where) {}
  /// A variable, for a rank-0 array or for a number beside arrays.
  explicit(false) Out(T& element, Where where = Where::current())
    requires(N == 0)
      : Out(Ix<0>{}, &element, where) {}
  /// Destinations for compound elements by component: a list in braces of one address per
  /// component, in the order of Array::component.
  Out(const Ix<N>& shape, const detail::ComponentPointers<T>& components,
      Where where = Where::current())
    requires(!detail::Leaf<T>)
  {
    std::vector<detail::OutMemory::Part> parts;
    std::apply(
        [&](auto*... all) {
          (parts.push_back({reinterpret_cast<std::byte*>(all), sizeof *all}), ...);
        },
        components);
    set(shape, std::move(parts), where);
  }

 private:
  friend struct detail::OutAccess;

  void set(const Ix<N>& shape, std::vector<detail::OutMemory::Part> parts, const Where& where) {
    detail::check_shape({shape.begin(), N}, where);
    for (const detail::OutMemory::Part& part : parts)
      if (!part.begin && shape.product() != 0) detail::throw_no_out({shape.begin(), N}, where);
    memory_ = {{shape.begin(), shape.end()}, std::move(parts), {}, nullptr, where};
  }

  detail::OutMemory memory_;
};

}  // namespace hasten

namespace hasten::detail {

struct OutAccess {
  template <class T, std::size_t N>
  static const OutMemory& memory(const Out<T, N>& out) {
    return out.memory_;
  }
};

/// The destinations of a group's members, in braces. A std::tuple would construct them in its own
/// header, and errors would name that place.
template <class... Outs>
struct OutGroup {
  explicit(false) OutGroup(const Outs&... each) : outs(each...) {}
  explicit(false) OutGroup(const std::tuple<Outs...>& all)
    requires(sizeof...(Outs) > 1)
      : outs(all) {}
  std::tuple<Outs...> outs;
};

/// The parameter type of Compiled::into for results of the host type H.
template <class H>
struct OutOf;
template <class T, std::size_t N>
struct OutOf<Array<T, N>> {
  using type = Out<T, N>;
};
template <Element H>
struct OutOf<H> {
  using type = Out<H, 0>;
};
template <class L>
struct OutGroupOf;
template <class... Hs>
struct OutGroupOf<List<Hs...>> {
  using type = OutGroup<typename OutOf<Hs>::type...>;
};
template <class H>
  requires(PlainGroup<H> && !Element<H>)
struct OutOf<H> : OutGroupOf<Parts<H>> {};

template <class T, std::size_t N>
void append_out(const Out<T, N>& out, std::vector<OutMemory>& all) {
  all.push_back(OutAccess::memory(out));
}
template <class... Outs>
void append_out(const OutGroup<Outs...>& group, std::vector<OutMemory>& all) {
  std::apply([&](const auto&... each) { (append_out(each, all), ...); }, group.outs);
}

}  // namespace hasten::detail
