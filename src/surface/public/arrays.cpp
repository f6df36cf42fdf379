// The parts of host arrays that need no template: equality, printing, errors.
#include <hasten/array/array.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <string>

namespace hasten::detail {
namespace {

// For any element type: even the widest must be countable in bytes.
bool is_too_large(std::span<const std::int64_t> shape) {
  constexpr std::int64_t most = std::int64_t{1} << 59;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (extent == 0) return false;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count) || count > most) return true;
  return false;
}

std::string list_text(std::span<const std::int64_t> numbers, const char* open, const char* close) {
  std::string text = open;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  return text + close;
}

/// Calls f with a typed pointer to the values of a leaf.
template <class F>
auto with_values(ScalarType type, const std::byte* data, F f) {
  const auto as = [&]<class T>(T*) { return f(reinterpret_cast<const T*>(data)); };
  switch (type) {
    case ScalarType::boolean: return as(static_cast<bool*>(nullptr));
    case ScalarType::i8: return as(static_cast<std::int8_t*>(nullptr));
    case ScalarType::i16: return as(static_cast<std::int16_t*>(nullptr));
    case ScalarType::i32: return as(static_cast<std::int32_t*>(nullptr));
    case ScalarType::i64: return as(static_cast<std::int64_t*>(nullptr));
    case ScalarType::u8: return as(static_cast<std::uint8_t*>(nullptr));
    case ScalarType::u16: return as(static_cast<std::uint16_t*>(nullptr));
    case ScalarType::u32: return as(static_cast<std::uint32_t*>(nullptr));
    case ScalarType::u64: return as(static_cast<std::uint64_t*>(nullptr));
    case ScalarType::f16: return as(static_cast<half*>(nullptr));
    case ScalarType::bf16: return as(static_cast<bfloat16*>(nullptr));
    case ScalarType::f32: return as(static_cast<float*>(nullptr));
    case ScalarType::f64: return as(static_cast<double*>(nullptr));
    case ScalarType::c64: return as(static_cast<std::complex<float>*>(nullptr));
    case ScalarType::c128: return as(static_cast<std::complex<double>*>(nullptr));
  }
  throw InternalError(std::string("host arrays of ") + name_of(type) + " cannot be looked at");
}

template <class T>
void print_number(std::ostream& out, T value) {
  char text[64];  // shortest form that reads back
  using Shown = std::conditional_t<is_floating_number<T> && sizeof(T) == 2, float, T>;
  const auto shown = static_cast<Shown>(value);
  out.write(text, std::to_chars(text, text + sizeof text, shown).ptr - text);
}

void print_leaf(std::ostream& out, ScalarType type, const std::byte* data, std::int64_t i) {
  with_values(type, data, [&]<class T>(const T* values) {
    if constexpr (std::is_same_v<T, bool>) {
      out << (values[i] ? "true" : "false");
    } else if constexpr (is_complex_leaf<T>) {
      out << '(';
      print_number(out, values[i].real());
      out << ", ";
      print_number(out, values[i].imag());
      out << ')';
    } else {
      print_number(out, values[i]);
    }
  });
}

/// Prints one element; `leaf` is advanced past the last leaf printed.
void print_element(std::ostream& out, const HostArray& array, Type type, std::size_t& leaf,
                   std::int64_t i) {
  if (type->is_leaf) {
    print_leaf(out, type->leaf, array.data(leaf), i);
    ++leaf;
    return;
  }
  out << '(';
  for (std::size_t m = 0; m < type->members.size(); ++m) {
    if (m != 0) out << ", ";
    print_element(out, array, type->members[m], leaf, i);
  }
  out << ')';
}

constexpr std::int64_t print_all_up_to = 1000;  // elements; longer axes show both ends
constexpr std::int64_t ends_shown = 3;

void print_axis(std::ostream& out, const HostArray& array, Type type, std::size_t axis,
                std::int64_t first) {
  if (axis == array.shape().size()) {
    std::size_t leaf = 0;
    print_element(out, array, type, leaf, first);
    return;
  }
  std::int64_t stride = 1;
  for (std::size_t k = axis + 1; k < array.shape().size(); ++k) stride *= array.shape()[k];
  const std::int64_t extent = array.shape()[axis];
  const bool shorten = array.size() > print_all_up_to && extent > 2 * ends_shown;
  out << '[';
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i != 0) out << ", ";
    if (shorten && i == ends_shown) {
      out << "..., ";
      i = extent - ends_shown;
    }
    print_axis(out, array, type, axis + 1, first + i * stride);
  }
  out << ']';
}

}  // namespace

void print_array(std::ostream& out, const HostArray& array, Type type) {
  print_axis(out, array, type, 0, 0);
}

void print_index(std::ostream& out, const std::int64_t* components, std::size_t count) {
  out << list_text({components, count}, "(", ")");
}

bool equal_arrays(const HostArray& a, const HostArray& b) {
  if (a.shape() != b.shape() || a.leaves() != b.leaves()) return false;
  const std::int64_t n = a.size();
  for (std::size_t leaf = 0; leaf < a.leaves().size(); ++leaf) {
    const ScalarType type = a.leaves()[leaf];
    const bool same = with_values(type, a.data(leaf), [&]<class T>(const T* x) {
      return std::equal(x, x + n, reinterpret_cast<const T*>(b.data(leaf)));
    });
    if (!same) return false;
  }
  return true;
}

bool identical_arrays(const HostArray& a, const HostArray& b) {
  if (a.shape() != b.shape() || a.leaves() != b.leaves()) return false;
  for (std::size_t leaf = 0; leaf < a.leaves().size(); ++leaf) {
    const auto bytes = static_cast<std::size_t>(a.size()) * size_in_bytes(a.leaves()[leaf]);
    if (bytes != 0 && std::memcmp(a.data(leaf), b.data(leaf), bytes) != 0) return false;
  }
  return true;
}

void throw_out_of_range(std::span<const std::int64_t> index, std::span<const std::int64_t> shape,
                        const Where& where) {
  throw IndexError("index " + list_text(index, "(", ")") + " is outside an array of shape " +
                       list_text(shape, "(", ")") +
                       "; each component must be at least 0 and less than its extent",
                   where);
}

void throw_wrong_size(std::span<const std::int64_t> shape, std::int64_t given, const Where& where) {
  std::int64_t size = 1;
  for (const auto extent : shape) size *= extent;
  throw ShapeError("an array of shape " + list_text(shape, "(", ")") + " has " +
                       std::to_string(size) + " elements, but " + std::to_string(given) +
                       " are given; give as many as the shape has",
                   where);
}

void throw_ragged(const Where& where) {
  throw ShapeError(
      "the nested braces of an array differ in length; every row must have as many elements as "
      "the first",
      where);
}

void check_shape(std::span<const std::int64_t> shape, const Where& where) {
  for (const auto extent : shape) {
    if (extent < 0) {
      throw ShapeError("the shape " + list_text(shape, "(", ")") +
                           " has a negative extent; a host array's extents are at least 0",
                       where);
    }
  }
  if (is_too_large(shape))
    throw MemoryError("an array of shape " + list_text(shape, "(", ")") +
                          " has more elements than memory can have; use smaller extents",
                      where);
}

std::shared_ptr<HostArray> new_array(std::span<const std::int64_t> shape, Type type,
                                     const Where& where) {
  check_shape(shape, where);
  try {
    return HostArray::allocate({shape.begin(), shape.end()}, type->leaves);
  } catch (const MemoryError& error) {  // say it at the user's line
    throw MemoryError(error.what(), where);
  }
}

std::shared_ptr<const HostArray> array_of(std::span<const std::int64_t> shape, Type type,
                                          std::vector<std::shared_ptr<Buffer>> components) {
  return std::make_shared<const HostArray>(std::vector<std::int64_t>(shape.begin(), shape.end()),
                                           type->leaves, std::move(components));
}

void throw_nothing_lent(std::span<const std::int64_t> shape, const Where& where) {
  throw ShapeError("borrow: the pointer is null, but an array of shape " +
                       list_text(shape, "(", ")") + " has elements; give the address of the first",
                   where);
}

}  // namespace hasten::detail
