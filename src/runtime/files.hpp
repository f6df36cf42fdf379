// Files that processes share: complete, or absent. Nothing here throws.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace hasten::runtime {

/// The extension of files that are being written, before they are renamed.
inline constexpr const char* temporary_extension = ".temporary";

/// An open file, or none.
class File {
 public:
  File(const std::filesystem::path& path, int flags);  // flags as for open()
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// A file of ours to read, or none: a regular file, not a link, owned by this user or the
/// administrator, that nobody else may write.
class OwnFile {
 public:
  explicit OwnFile(const std::filesystem::path& path);
  explicit operator bool() const { return is_ours_; }
  [[nodiscard]] int get() const { return file_.get(); }
  [[nodiscard]] const struct stat& status() const { return status_; }

 private:
  File file_;
  struct stat status_ = {};
  bool is_ours_ = false;
};

/// Owners whose files a user trusts: the user, and the administrator, who may do anything anyway.
[[nodiscard]] bool is_trusted(uid_t owner, uid_t user);

/// Why a folder is neither read nor written; empty if it is usable, or does not exist yet.
[[nodiscard]] std::string why_refused(const std::filesystem::path& folder);
/// The same; the reason goes to the log.
[[nodiscard]] bool is_refused(const std::filesystem::path& folder);

/// Whether it is a regular file, not a link, of this user.
[[nodiscard]] bool is_own_file(const std::filesystem::path& path);
/// Whether replace_file() could have given this name to a temporary file of this extension.
[[nodiscard]] bool is_aside(const std::filesystem::path& path, std::string_view extension);
/// Whether the name is a digest and this extension.
[[nodiscard]] bool is_of_digest(const std::filesystem::path& path, std::string_view extension);

[[nodiscard]] bool read_all(int descriptor, void* to, std::size_t size);

/// With its parents; nobody else may read a folder that is created here.
void make_own_folder(const std::filesystem::path& folder);

/// Writes the parts, in order, to a temporary file and renames it. False: nothing changed.
bool replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::span<const std::byte>> parts);

}  // namespace hasten::runtime
