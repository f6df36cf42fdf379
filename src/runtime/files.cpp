// Files appear by an atomic rename.
#include "runtime/files.hpp"

#include "runtime/report/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace hasten::runtime {
namespace {

namespace fs = std::filesystem;

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

fs::path unique_name(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  fs::path result = path;
  result += "." + std::to_string(::getpid()) + "." + std::to_string(count++) + temporary_extension;
  return result;
}

bool write_file(const fs::path& path, std::initializer_list<std::span<const std::byte>> parts) {
  const File file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file) return false;
  for (const std::span<const std::byte> part : parts)
    if (!write_all(file.get(), part)) return false;
  return true;
}

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t digest_digits = 32;

bool is_all(std::string_view text, std::string_view of) {
  return text.find_first_not_of(of) == std::string_view::npos;
}

bool is_of_friends(const struct stat& status) { return is_trusted(status.st_uid, ::geteuid()); }
bool others_may_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

bool is_trusted(uid_t owner, uid_t user) { return owner == user || owner == 0; }

File::File(const fs::path& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

OwnFile::OwnFile(const fs::path& path)
    : file_(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW) {  // a FIFO is not waited for
  is_ours_ = file_ && ::fstat(file_.get(), &status_) == 0 && S_ISREG(status_.st_mode) &&
             is_of_friends(status_) && !others_may_write(status_);
}

std::string why_refused(const fs::path& folder) {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) return {};
  if (!S_ISDIR(status.st_mode)) return folder.string() + " is no folder";
  if (!is_of_friends(status)) return folder.string() + " belongs to another user";
  if (others_may_write(status))
    return folder.string() + " may be written by other users (chmod go-w)";
  return {};
}

bool is_refused(const fs::path& folder) {
  const std::string why = why_refused(folder);
  if (why.empty()) return false;
  log(1, [&] { return "nothing is kept on disk: " + why; });
  return true;
}

bool is_own_file(const fs::path& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == ::geteuid();
}

bool is_of_digest(const fs::path& path, std::string_view extension) {
  const std::string name = path.filename().string();
  return name.ends_with(extension) &&
         is_all(name.substr(0, name.size() - extension.size()), digits) &&
         name.size() == digest_digits + extension.size();
}

bool is_aside(const fs::path& path, std::string_view extension) {
  if (path.extension() != temporary_extension) return false;
  const fs::path process = path.stem(), file = process.stem();  // of NAME.PROCESS.COUNT.temporary
  const auto is_number = [](const fs::path& part) {
    const std::string text = part.extension().string();
    return text.size() > 1 && is_all(std::string_view(text).substr(1), "0123456789");
  };
  return is_number(process) && is_number(file) && is_of_digest(file.stem(), extension);
}

bool read_all(int descriptor, void* to, std::size_t size) {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = ::read(descriptor, next, size);
    if (n <= 0) return false;
    next += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

void make_own_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
}

bool replace_file(const fs::path& path, std::initializer_list<std::span<const std::byte>> parts) {
  const fs::path aside = unique_name(path);
  std::error_code error;
  const bool written = write_file(aside, parts);
  if (written) fs::rename(aside, path, error);
  if (written && !error) return true;
  fs::remove(aside, error);
  return false;
}

}  // namespace hasten::runtime
