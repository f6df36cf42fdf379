// All of a caller's input is checked before memory is accessed.
#include "ahead/call/arrays.hpp"

#include "ahead/call/status.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hasten::ahead {
namespace {

using detail::LibraryValue;
using detail::ScalarType;

std::string type_name(std::int32_t type) {
  const bool known = type >= 0 && type < static_cast<std::int32_t>(detail::scalar_type_count);
  return known ? detail::name_of(static_cast<ScalarType>(type))
               : "no element type (" + std::to_string(type) + ")";
}

void check_types(const ArrayStruct& array, const Place& place) {
  const LibraryValue& value = place.value;
  if (array.rank() != static_cast<std::int32_t>(value.rank))
    throw Misuse(place.text() + " must have rank " + std::to_string(value.rank) + ", and has " +
                 std::to_string(array.rank()));
  if (array.components() != static_cast<std::int32_t>(value.leaves.size()))
    throw Misuse(place.text() + " must have " + std::to_string(value.leaves.size()) +
                 " components, and has " + std::to_string(array.components()));
  for (std::size_t i = 0; i < value.leaves.size(); ++i)
    if (array.types()[i] != static_cast<std::int32_t>(value.leaves[i]))
      throw Misuse(place.text() + ": component " + std::to_string(i) + " must be of type " +
                   detail::name_of(value.leaves[i]) + ", and is of type " +
                   type_name(array.types()[i]));
}

// The number of elements; throws for extents that no array in memory has.
std::int64_t size_of(const ArrayStruct& array, const Place& place) {
  const LibraryValue& value = place.value;
  const std::span extents(array.extents(), value.rank);
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] < 0)
      throw Misuse(place.text() + ": extent " + std::to_string(axis) +
                   " is negative: " + std::to_string(extents[axis]));
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  std::int64_t size = 1;
  std::int64_t bytes = 0;
  bool fits = true;
  for (const std::int64_t extent : extents) fits &= !__builtin_mul_overflow(size, extent, &size);
  for (const ScalarType leaf : value.leaves)
    fits &= !__builtin_mul_overflow(size, static_cast<std::int64_t>(detail::size_in_bytes(leaf)),
                                    &bytes) &&
            bytes <= std::numeric_limits<std::int64_t>::max() / 2;
  if (!fits) throw Misuse(place.text() + " has more elements than any memory");
  return size;
}

void check_pointers(const ArrayStruct& array, std::int64_t size, const Place& place) {
  if (size == 0) return;
  const LibraryValue& value = place.value;
  for (std::size_t i = 0; i < value.leaves.size(); ++i) {
    const void* const data = array.data()[i];
    const std::size_t unit = detail::size_in_bytes(detail::part_of(value.leaves[i]));
    if (!data)
      throw Misuse(place.text() + ": the address of component " + std::to_string(i) + " is null");
    if (reinterpret_cast<std::uintptr_t>(data) % unit != 0)
      throw Misuse(place.text() + ": the address of component " + std::to_string(i) +
                   " is not a multiple of its element's size");
  }
}

std::size_t bytes_of(const detail::HostArray& array, std::size_t leaf) {
  return static_cast<std::size_t>(array.size()) * detail::size_in_bytes(array.leaves()[leaf]);
}

// Whether any component is memory of an argument.
bool is_borrowed(const detail::HostArray& array) {
  for (std::size_t leaf = 0; leaf < array.leaves().size(); ++leaf)
    if (array.component(leaf)->borrowed()) return true;
  return false;
}

}  // namespace

HostArrayRef borrowed(const ArrayStruct& array, const Place& place) {
  const LibraryValue& parameter = place.value;
  check_types(array, place);
  const std::int64_t size = size_of(array, place);
  check_pointers(array, size, place);
  std::vector<std::shared_ptr<detail::Buffer>> components;
  components.reserve(parameter.leaves.size());
  for (std::size_t i = 0; i < parameter.leaves.size(); ++i)
    components.push_back(detail::Buffer::borrow(
        array.data()[i],
        static_cast<std::size_t>(size) * detail::size_in_bytes(parameter.leaves[i]), {}));
  return std::make_shared<const detail::HostArray>(
      std::vector<std::int64_t>(array.extents(), array.extents() + parameter.rank),
      parameter.leaves, std::move(components));
}

void check_owned(const detail::HostArray& argument, const detail::HostArray& owner,
                 const Place& place) {
  const auto holds = [&](std::uintptr_t first, std::size_t bytes) {
    for (std::size_t leaf = 0; leaf < owner.leaves().size(); ++leaf) {
      const auto begin = reinterpret_cast<std::uintptr_t>(owner.data(leaf));
      if (first >= begin && bytes <= bytes_of(owner, leaf) &&
          first - begin <= bytes_of(owner, leaf) - bytes)
        return true;
    }
    return false;
  };
  for (std::size_t leaf = 0; leaf < argument.leaves().size(); ++leaf) {
    const std::size_t bytes = bytes_of(argument, leaf);
    if (bytes > 0 && !holds(reinterpret_cast<std::uintptr_t>(argument.data(leaf)), bytes))
      throw Misuse(place.text() + ": component " + std::to_string(leaf) + " of " +
                   std::to_string(argument.size()) +
                   " elements is not in the memory of the struct's owner, an array of " +
                   std::to_string(owner.size()));
  }
}

bool has_memory(const ArrayStruct& array) {
  return array.owner() == 0 && array.components() > 0 && array.data()[0];
}

void check_place(const ArrayStruct& array, const Place& place) {
  if (array.owner() != 0)
    throw Misuse(place.text() + " holds an array; free it first, or give another struct");
  if (array.components() < 0 || !has_memory(array)) return;
  check_types(array, place);
  check_pointers(array, size_of(array, place), place);
}

void check_extents(const ArrayStruct& array, const detail::HostArray& result, const Place& place) {
  const auto text = [](std::span<const std::int64_t> extents) {
    std::string words;
    for (const std::int64_t e : extents) words += (words.empty() ? "" : ", ") + std::to_string(e);
    return "{" + words + "}";
  };
  const std::span given(array.extents(), result.shape().size());
  if (!std::ranges::equal(given, result.shape()))
    throw Misuse(place.text() + " has extents " + text(result.shape()) +
                 ", and the memory is for " + text(given));
}

detail::OutMemory memory_of(const ArrayStruct& array, const Place& place) {
  detail::OutMemory memory;
  memory.shape.assign(array.extents(), array.extents() + place.value.rank);
  for (std::size_t i = 0; i < place.value.leaves.size(); ++i)
    memory.parts.push_back(
        {static_cast<std::byte*>(array.data()[i]), detail::size_in_bytes(place.value.leaves[i])});
  return memory;
}

void give_to(const ArrayStruct& array, const detail::HostArray& result, Handle owner) {
  array.rank() = static_cast<std::int32_t>(result.shape().size());
  array.components() = static_cast<std::int32_t>(result.leaves().size());
  array.owner() = owner;
  std::ranges::copy(result.shape(), array.extents());
  for (std::size_t leaf = 0; leaf < result.leaves().size(); ++leaf) {
    array.types()[leaf] = static_cast<std::int32_t>(result.leaves()[leaf]);
    array.data()[leaf] = result.data(leaf);
  }
}

void clear(const ArrayStruct& array) {
  array.rank() = array.components() = 0;
  array.owner() = 0;
}

HostArrayRef owned(HostArrayRef array) {
  bool is_own = array.use_count() == 1 && !is_borrowed(*array);
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf)
    is_own &= array->component(leaf).use_count() == 1;
  if (is_own) return array;
  const auto copy = detail::HostArray::allocate(array->shape(), array->leaves());
  for (std::size_t leaf = 0; leaf < array->leaves().size(); ++leaf)
    std::memcpy(copy->data(leaf), array->data(leaf), bytes_of(*array, leaf));
  return copy;
}

}  // namespace hasten::ahead
