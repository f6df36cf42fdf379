// Object files in memory, ready to be called.
#pragma once

#include "backends/cpu/frame.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace hasten::backends::cpu {

class LoadedObject {
 public:
  /// Throws InternalError when the bytes are no object file of ours.
  LoadedObject(std::span<const std::byte> object, bool has_finish);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  RunFunction run = nullptr;
  FinishFunction finish = nullptr;  // only if asked for

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace hasten::backends::cpu
