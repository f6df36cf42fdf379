// Files that processes share: whole, or not there. Nothing here throws.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>

namespace hasten::runtime {

/// Of files that are being written, and become others by a rename.
inline constexpr const char* temporary_extension = ".temporary";

/// An open file, or none.
class File {
 public:
  File(const std::filesystem::path& path, int flags);  // as for open()
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

[[nodiscard]] bool read_all(int descriptor, void* to, std::size_t size);

/// With those above it; nobody else may read a folder that is made here.
void make_own_folder(const std::filesystem::path& folder);

/// Writes the parts, one after the other, to a file aside and renames it. False: nothing changed.
bool replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::span<const std::byte>> parts);

}  // namespace hasten::runtime
