// A file is a header, the fingerprint, the code. Its modification time is the time of its last use.
#include "runtime/compile/disk_cache.hpp"

#include "runtime/files.hpp"
#include "support/env.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace hasten::runtime {
namespace {

namespace fs = std::filesystem;
using support::Digest;

constexpr char magic[8] = {'h', 'a', 's', 't', 'e', 'n', '.', 'k'};
constexpr std::uint32_t format_version = 1;
constexpr const char* extension = ".kernel";
constexpr const char* swept_marker = "swept";
constexpr std::chrono::minutes between_sweeps{10};
constexpr std::time_t touch_after_s = 3600;  // finer than that, order does not matter

struct Header {
  char mark[8];
  std::uint32_t version, fingerprint_bytes;
  std::uint64_t code_bytes;
  Digest key, checksum;
};

Digest checksum_of(const Digest& key, std::string_view fingerprint,
                   std::span<const std::byte> code) {
  return support::Hasher().add(key).add(fingerprint).add(code.data(), code.size()).finish();
}

// A header that fits a file of this size: no more than that is read, and no sum overflows.
bool is_plausible(const Header& header, std::uint64_t bytes, std::uint64_t limit) {
  return std::memcmp(header.mark, magic, sizeof magic) == 0 && header.version == format_version &&
         header.code_bytes <= std::min(bytes, limit) &&
         bytes == sizeof header + header.fingerprint_bytes + header.code_bytes;
}

bool read_header(const OwnFile& file, Header& header, std::uint64_t limit) {
  return file && read_all(file.get(), &header, sizeof header) &&
         is_plausible(header, static_cast<std::uint64_t>(file.status().st_size), limit);
}

struct CachedFile {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type last_use;
};

std::vector<CachedFile> entries_in(const fs::path& folder) {
  std::vector<CachedFile> result;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const fs::path path = it->path();
    const bool is_kernel = is_of_digest(path, extension), is_left = is_aside(path, extension);
    if ((!is_kernel && !is_left) || !is_own_file(path)) continue;  // another user's
    const std::uint64_t bytes = it->file_size(gone);
    const fs::file_time_type time = gone ? fs::file_time_type{} : it->last_write_time(gone);
    if (gone) continue;
    if (is_kernel) result.push_back({path, bytes, time});
    if (is_left && time < fs::file_time_type::clock::now() - std::chrono::hours(1))
      fs::remove(path, gone);  // its writer has died
  }
  return result;
}

}  // namespace

fs::path cache_folder() {
  const std::string chosen = support::env("HASTEN_CACHE_DIR");
  if (chosen == "off") return {};
  if (!chosen.empty()) return chosen;
  if (const char* xdg = ::secure_getenv("XDG_CACHE_HOME"); xdg && *xdg == '/')
    return fs::path(xdg) / "hasten";
  if (const char* home = ::secure_getenv("HOME"); home && *home == '/')
    return fs::path(home) / ".cache" / "hasten";
  return {};
}

fs::path DiskCache::path_of(const Digest& key) const {
  return folder_ / (support::to_hex(key) + extension);
}

std::optional<std::vector<std::byte>> DiskCache::find(const Digest& key,
                                                      std::string_view fingerprint) const {
  if (folder_.empty() || is_refused(folder_)) return std::nullopt;
  const OwnFile file(path_of(key));
  Header header;
  if (!read_header(file, header, limit_) || header.key != key ||
      header.fingerprint_bytes != fingerprint.size())
    return std::nullopt;
  std::string made_by(header.fingerprint_bytes, '\0');
  std::vector<std::byte> code(header.code_bytes);
  if (!read_all(file.get(), made_by.data(), made_by.size()) ||
      !read_all(file.get(), code.data(), code.size()) || made_by != fingerprint ||
      checksum_of(key, made_by, code) != header.checksum)
    return std::nullopt;
  if (std::time(nullptr) - file.status().st_mtime > touch_after_s) ::futimens(file.get(), nullptr);
  return code;
}

void DiskCache::store(const Digest& key, std::string_view fingerprint,
                      std::span<const std::byte> code) const {
  if (folder_.empty() || code.size() > limit_) return;
  make_own_folder(folder_);
  if (is_refused(folder_)) return;
  Header header{{},
                format_version,
                static_cast<std::uint32_t>(fingerprint.size()),
                code.size(),
                key,
                checksum_of(key, fingerprint, code)};
  std::memcpy(header.mark, magic, sizeof magic);
  if (!replace_file(path_of(key), {std::as_bytes(std::span(&header, 1)),
                                   std::as_bytes(std::span(fingerprint)), code}))
    return;
  if (is_sweep_due()) sweep();
}

// One process sweeps every ten minutes, and each process occasionally when it stores much.
bool DiskCache::is_sweep_due() const {
  static std::atomic<unsigned> stores{0};
  const fs::path marker = folder_ / swept_marker;
  std::error_code error;
  const auto last = fs::last_write_time(marker, error);
  const auto now = fs::file_time_type::clock::now();
  if (++stores % 256 != 0 && !error && now - last < between_sweeps) return false;
  const File touched(marker, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  return touched && is_own_file(marker) && ::futimens(touched.get(), nullptr) == 0;
}

void DiskCache::sweep() const {
  if (is_refused(folder_)) return;
  std::vector<CachedFile> entries = entries_in(folder_);
  std::uint64_t bytes = 0;
  for (const CachedFile& entry : entries) bytes += entry.bytes;
  if (bytes <= limit_) return;
  std::sort(entries.begin(), entries.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.last_use < b.last_use; });
  for (const CachedFile& entry : entries) {
    if (bytes <= limit_ / 4 * 3) return;
    std::error_code error;
    fs::remove(entry.path, error);
    bytes -= entry.bytes;
  }
}

DiskCache::Summary DiskCache::summary() const {
  Summary result;
  const auto count = [](Share& share, std::uint64_t bytes) {
    ++share.entries;
    share.bytes += bytes;
  };
  for (const CachedFile& entry : entries_in(folder_)) {
    count(result.all, entry.bytes);
    const OwnFile file(entry.path);
    Header header;
    std::string made_by = "unreadable";
    if (read_header(file, header, limit_)) {
      made_by.resize(header.fingerprint_bytes);
      if (!read_all(file.get(), made_by.data(), made_by.size())) made_by = "unreadable";
    }
    count(result.by_fingerprint[made_by], entry.bytes);
  }
  return result;
}

std::uint64_t DiskCache::clear() const {
  if (is_refused(folder_)) return 0;
  std::uint64_t removed = 0;
  for (const CachedFile& entry : entries_in(folder_)) {
    std::error_code error;
    removed += fs::remove(entry.path, error);
  }
  return removed;
}

}  // namespace hasten::runtime
