// Handles of callers from C: numbers for the contexts and arrays of a library. No number is used
// twice, nor by two libraries of a process: freed and foreign handles are detected without an
// access to memory.
#pragma once

#include "ahead/call/brief_lock.hpp"

#include <hasten/c_library.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace hasten::ahead {

using Handle = std::uint64_t;  // never 0

/// Thread-safe. `T` is shared: an object that is removed while in use lives until its last use. A
/// handle combines a slot of a list, which is reused, with the number of handles before it: calls
/// that make and free an array allocate nothing here.
template <class T>
class Handles {
 public:
  [[nodiscard]] Handle add(const hasten_library& of, std::shared_ptr<T> what) {
    const std::lock_guard lock(lock_);
    if (free_.empty()) {
      if (known_.size() == places) throw std::bad_alloc();
      if (free_.capacity() <= known_.size()) free_.reserve(2 * known_.size() + 8);  // for `remove`
      known_.emplace_back();
      free_.push_back(known_.size() - 1);
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    const Handle handle = first_number() + (count_++ * places | place);
    known_[place] = {handle, &of, std::move(what)};
    return handle;
  }
  /// Null: unknown, or another library's.
  [[nodiscard]] std::shared_ptr<T> find(const hasten_library& of, Handle handle) const {
    const std::lock_guard lock(lock_);
    const std::size_t place = place_of(handle);
    return is_known(of, handle, place) ? known_[place].what : nullptr;
  }
  /// Like `find`; the handle is unknown from now on.
  std::shared_ptr<T> remove(const hasten_library& of, Handle handle) {
    const std::lock_guard lock(lock_);
    const std::size_t place = place_of(handle);
    if (!is_known(of, handle, place)) return nullptr;
    free_.push_back(place);
    return std::exchange(known_[place], Known{}).what;
  }

 private:
  static constexpr std::size_t places = 1 << 24;  // a power of two: handles in use at once

  struct Known {
    Handle handle = 0;
    const hasten_library* of = nullptr;
    std::shared_ptr<T> what;
  };
  // Spread by an odd factor: handles of other libraries, with tables elsewhere, are far away.
  [[nodiscard]] Handle first_number() const {
    return reinterpret_cast<std::uintptr_t>(this) * 0x9E3779B97F4A7C15U | 1;
  }
  [[nodiscard]] std::size_t place_of(Handle handle) const {
    return (handle - first_number()) % places;
  }
  [[nodiscard]] bool is_known(const hasten_library& of, Handle handle, std::size_t place) const {
    return place < known_.size() && known_[place].handle == handle && known_[place].of == &of;
  }

  mutable BriefLock lock_;
  std::vector<Known> known_;
  std::vector<std::size_t> free_;
  std::uint64_t count_ = 0;
};

}  // namespace hasten::ahead
