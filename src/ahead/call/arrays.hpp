// The array struct of a library's C header, whose size depends on the library:
//
//   int32_t rank, components; uint64_t owner; int64_t extents[R]; int32_t types[C]; void* data[C];
//
// in:  structs that a caller filled: borrowed memory
// out: host arrays; structs that are filled with results, or results in the caller's memory
#pragma once

#include "ahead/call/handles.hpp"

#include <hasten/c_library.h>
#include <hasten/detail/host_array.hpp>
#include <hasten/detail/library_interface.hpp>
#include <hasten/detail/memory/out_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace hasten::ahead {

class ArrayStruct {
 public:
  ArrayStruct(void* at, const hasten_library& library)
      : at_(static_cast<std::byte*>(at)),
        ranks_(library.rank_max),
        components_(library.components_max) {}

  [[nodiscard]] std::int32_t& rank() const { return *field<std::int32_t>(0); }
  [[nodiscard]] std::int32_t& components() const { return *field<std::int32_t>(4); }
  [[nodiscard]] Handle& owner() const { return *field<Handle>(8); }
  [[nodiscard]] std::int64_t* extents() const { return field<std::int64_t>(16); }
  [[nodiscard]] std::int32_t* types() const { return field<std::int32_t>(16 + 8 * ranks_); }
  [[nodiscard]] void** data() const {
    const std::size_t end = 16 + 8 * ranks_ + 4 * components_;
    return field<void*>((end + 7) / 8 * 8);
  }

 private:
  template <class T>
  [[nodiscard]] T* field(std::size_t offset) const {
    return reinterpret_cast<T*>(at_ + offset);
  }
  std::byte* at_;
  std::size_t ranks_, components_;
};

using HostArrayRef = std::shared_ptr<const detail::HostArray>;

/// An argument or result of an entry.
struct Place {
  const std::string& entry;
  const char* what;
  const detail::LibraryValue& value;

  /// The beginning of messages: "step: argument bodies".
  [[nodiscard]] std::string text() const { return entry + ": " + what + " " + value.name; }
};

/// The array, with borrowed memory. Throws Misuse unless it matches the parameter.
[[nodiscard]] HostArrayRef borrowed(const ArrayStruct& array, const Place& parameter);
/// Throws Misuse unless each component of an argument lies in the memory of its owner.
void check_owned(const detail::HostArray& argument, const detail::HostArray& owner,
                 const Place& parameter);

/// Whether results go to the caller's memory.
[[nodiscard]] bool has_memory(const ArrayStruct& array);
/// Throws Misuse unless results can be stored there: it holds no array that was not freed, or the
/// caller's memory for the result's types and rank.
void check_place(const ArrayStruct& array, const Place& result);
/// Throws Misuse unless the caller's memory has these extents.
void check_extents(const ArrayStruct& array, const detail::HostArray& made, const Place& result);
/// The caller's memory, which check_place has checked.
[[nodiscard]] detail::OutMemory memory_of(const ArrayStruct& array, const Place& result);
/// Fills the struct.
void give_to(const ArrayStruct& array, const detail::HostArray& result, Handle owner);
/// Zeros the struct, except for the caller's memory.
void clear(const ArrayStruct& array);

/// The array itself if it is the library's memory and has no other holder, else a copy.
[[nodiscard]] HostArrayRef owned(HostArrayRef array);

}  // namespace hasten::ahead
