// Copies of strided elements. Axes that are contiguous together are merged; of the rest the two
// significant ones, the innermost and the one with the smallest stride, are traversed in tiles, so
// that cache lines are read once.
#include <hasten/detail/memory/strided.hpp>
#include <hasten/run/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace hasten::detail {
namespace {

bool is_empty(const Strided& from) { return std::ranges::find(from.shape, 0) != from.shape.end(); }

std::string strides_text(const Strided& there) {
  std::string text;
  for (const std::int64_t stride : there.strides)
    text += (text.empty() ? "(" : ", ") + std::to_string(stride);
  return text + ")";
}

struct Axis {
  std::int64_t extent, there, here;  // strides in elements; here is row-major
};

// Without axes of one element; the innermost last, at least one axis.
std::vector<Axis> axes_of(const Strided& there) {
  std::vector<Axis> axes;
  std::int64_t here = 1;
  for (std::size_t k = there.shape.size(); k-- > 0;) {
    const Axis axis{there.shape[k], there.strides[k], here};
    here *= axis.extent;
    if (axis.extent == 1) continue;
    if (!axes.empty() && axes.back().there * axes.back().extent == axis.there)
      axes.back().extent *= axis.extent;
    else
      axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  std::ranges::reverse(axes);
  return axes;
}

// One of them is const.
template <class There, class Here>
struct Sides {
  There* there;
  Here* here;
};
void copy(const Sides<const std::byte, std::byte>& sides, std::size_t bytes) {
  std::memcpy(sides.here, sides.there, bytes);
}
void copy(const Sides<std::byte, const std::byte>& sides, std::size_t bytes) {
  std::memcpy(sides.there, sides.here, bytes);
}
template <class S>
S moved(const S& sides, const Axis& axis, std::int64_t steps) {
  return {sides.there + steps * axis.there, sides.here + steps * axis.here};
}

constexpr std::int64_t tile = 32;  // elements along an axis

template <std::size_t bytes, class S>
void copy_straight(const S& sides, const Axis& rows, const Axis& columns) {
  for (std::int64_t i = 0; i < rows.extent; ++i) {
    const S row = moved(sides, rows, i * static_cast<std::int64_t>(bytes));
    for (std::int64_t j = 0; j < columns.extent; ++j)
      copy(moved(row, columns, j * static_cast<std::int64_t>(bytes)), bytes);
  }
}

// Copies at most a tile, through a buffer: whole lines are read, and whole lines are written, even
// where the lines of one axis are so far apart that few of them fit into a cache together.
template <std::size_t bytes>
using Tile = std::byte[tile][tile][bytes];  // by columns

template <std::size_t bytes, class S>
void copy_turned(const S& sides, const Axis& rows, const Axis& columns) {
  constexpr std::int64_t size = bytes;
  Tile<bytes> between;
  // Each side is traversed in the order of its memory.
  const auto here = [&](auto f) {
    for (std::int64_t i = 0; i < rows.extent; ++i)
      for (std::int64_t j = 0; j < columns.extent; ++j)
        f(sides.here + (i * rows.here + j * columns.here) * size, between[j][i]);
  };
  const auto there = [&](auto f) {
    for (std::int64_t j = 0; j < columns.extent; ++j)
      for (std::int64_t i = 0; i < rows.extent; ++i)
        f(sides.there + (i * rows.there + j * columns.there) * size, between[j][i]);
  };
  const auto in = [](const std::byte* from, std::byte* to) { std::memcpy(to, from, bytes); };
  const auto out = [](std::byte* to, const std::byte* from) { std::memcpy(to, from, bytes); };
  if constexpr (std::is_const_v<std::remove_pointer_t<decltype(sides.there)>>) {
    there(in);
    here(out);
  } else {
    here(in);
    there(out);
  }
}

template <std::size_t bytes, class S>
void copy_tiles(const S& sides, const Axis& rows, const Axis& columns) {
  if (std::llabs(rows.there) >= std::llabs(columns.there) || rows.extent == 1)
    return copy_straight<bytes>(sides, rows, columns);
  constexpr std::int64_t size = bytes;
  Axis some_rows = rows, some_columns = columns;
  for (std::int64_t i = 0; i < rows.extent; i += tile)
    for (std::int64_t j = 0; j < columns.extent; j += tile) {
      some_rows.extent = std::min(tile, rows.extent - i);
      some_columns.extent = std::min(tile, columns.extent - j);
      copy_turned<bytes>(moved(moved(sides, rows, i * size), columns, j * size), some_rows,
                         some_columns);
    }
}

template <class S>
void copy_plane(const S& sides, const Axis& rows, const Axis& columns, std::size_t bytes) {
  if (columns.there == 1) {
    for (std::int64_t i = 0; i < rows.extent; ++i)
      copy(moved(sides, rows, i * static_cast<std::int64_t>(bytes)),
           static_cast<std::size_t>(columns.extent) * bytes);
    return;
  }
  switch (bytes) {
    case 1: return copy_tiles<1>(sides, rows, columns);
    case 2: return copy_tiles<2>(sides, rows, columns);
    case 4: return copy_tiles<4>(sides, rows, columns);
    case 8: return copy_tiles<8>(sides, rows, columns);
    default: return copy_tiles<16>(sides, rows, columns);
  }
}

// Removes and returns the axis with the smallest stride, except for the innermost.
Axis taken_rows(std::vector<Axis>& axes) {
  if (axes.empty()) return {1, 0, 0};
  const auto smallest =
      std::ranges::min_element(axes, {}, [](const Axis& axis) { return std::llabs(axis.there); });
  const Axis rows = *smallest;
  axes.erase(smallest);
  return rows;
}

template <class S>
void copy_all(const S& sides, const Strided& there) {
  if (is_empty(there)) return;
  std::vector<Axis> axes = axes_of(there);
  const Axis columns = axes.back();
  axes.pop_back();
  const Axis rows = taken_rows(axes);
  const auto size = static_cast<std::int64_t>(there.element_bytes);
  std::vector<std::int64_t> index(axes.size());
  std::size_t next = 0;
  do {
    S plane = sides;
    for (std::size_t k = 0; k < axes.size(); ++k) plane = moved(plane, axes[k], index[k] * size);
    copy_plane(plane, rows, columns, there.element_bytes);
    for (next = axes.size(); next > 0; --next) {
      if (++index[next - 1] < axes[next - 1].extent) break;
      index[next - 1] = 0;
    }
  } while (next > 0);
}

}  // namespace

bool is_compact(const Strided& from) {
  if (is_empty(from)) return true;
  std::int64_t stride = 1;
  for (std::size_t k = from.shape.size(); k-- > 0;) {
    if (from.shape[k] != 1 && from.strides[k] != stride) return false;
    stride *= from.shape[k];
  }
  return true;
}

void check_strides(const char* operation, const Strided& there, const Where& where) {
  if (is_empty(there)) return;
  std::int64_t below = 0, above = 0;  // bytes before and behind the first element
  bool fits = true;
  for (std::size_t k = 0; k < there.shape.size(); ++k) {
    if (there.shape[k] == 1) continue;
    std::int64_t reach = 0;
    fits = fits && !__builtin_mul_overflow(there.shape[k], there.strides[k], &reach) &&
           !__builtin_mul_overflow(reach, static_cast<std::int64_t>(there.element_bytes), &reach);
    std::int64_t& end = reach < 0 ? below : above;
    fits = fits && !__builtin_add_overflow(end, reach, &end);
  }
  if (!fits)
    throw ShapeError(std::string(operation) + ": the strides " + strides_text(there) +
                         " reach beyond any memory; give strides in elements, not bytes",
                     where);
}

void check_apart(const char* operation, const Strided& there, const Where& where) {
  if (is_empty(there)) return;
  std::vector<Axis> axes = axes_of(there);
  std::ranges::sort(axes, {}, [](const Axis& axis) { return std::llabs(axis.there); });
  std::int64_t reach = 1;  // of the axes before
  for (const Axis& axis : axes) {
    if (axis.extent > 1 && std::llabs(axis.there) < reach)
      throw ShapeError(std::string(operation) + ": with the strides " + strides_text(there) +
                           " elements would lie in each other's place; give each its own",
                       where);
    reach = std::llabs(axis.there) * axis.extent;
  }
}

void gather(std::byte* to, const Strided& from) {
  copy_all(Sides<const std::byte, std::byte>{static_cast<const std::byte*>(from.first), to}, from);
}

void scatter(const Strided& to, const std::byte* from) {
  auto* const first = static_cast<std::byte*>(const_cast<void*>(to.first));
  copy_all(Sides<std::byte, const std::byte>{first, from}, to);
}

}  // namespace hasten::detail
