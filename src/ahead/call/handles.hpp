// What callers from C hold: numbers that stand for contexts and for arrays of a library. No number
// is used twice, nor by two libraries of a process: what was freed, or is somebody else's, is found
// out without looking at memory.
#pragma once

#include <hasten/c_library.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace hasten::ahead {

using Handle = std::uint64_t;  // never 0

/// Thread-safe. `T` is shared: what is removed while somebody uses it lives until then.
template <class T>
class Handles {
 public:
  [[nodiscard]] Handle add(const hasten_library& of, std::shared_ptr<T> what) {
    const std::lock_guard lock(mutex_);
    const Handle handle = first_number() + count_++;
    known_.emplace(handle, Known{&of, std::move(what)});
    return handle;
  }
  /// Null: not known, or another library's.
  [[nodiscard]] std::shared_ptr<T> find(const hasten_library& of, Handle handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(handle);
    return found == known_.end() || found->second.of != &of ? nullptr : found->second.what;
  }
  /// As `find`; it is not known from now on.
  std::shared_ptr<T> remove(const hasten_library& of, Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(handle);
    if (found == known_.end() || found->second.of != &of) return nullptr;
    std::shared_ptr<T> what = std::move(found->second.what);
    known_.erase(found);
    return what;
  }

 private:
  struct Known {
    const hasten_library* of;
    std::shared_ptr<T> what;
  };
  // Spread by an odd factor: those of other libraries, whose tables lie elsewhere, are far away.
  [[nodiscard]] Handle first_number() const {
    return reinterpret_cast<std::uintptr_t>(this) * 0x9E3779B97F4A7C15U | 1;
  }

  mutable std::mutex mutex_;
  std::unordered_map<Handle, Known> known_;
  std::uint64_t count_ = 0;
};

}  // namespace hasten::ahead
