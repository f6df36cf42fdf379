// Files appear by an atomic rename.
#include "runtime/files.hpp"

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

}  // namespace

File::File(const fs::path& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
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
