// Compiled kernels on disk: one file each, named by its key.
//
// Files have a checksum and the fingerprint of the backend that made them; a file that is corrupt,
// foreign or of another version counts as absent and is overwritten. Files appear by an atomic
// rename, so that processes can share a folder. Nothing here throws or reports: a folder that
// cannot be read or written counts as empty.
#pragma once

#include "support/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hasten::runtime {

/// HASTEN_CACHE_DIR, else $XDG_CACHE_HOME/hasten, else ~/.cache/hasten. Empty when the cache is
/// disabled or none of these exists.
[[nodiscard]] std::filesystem::path cache_folder();

class DiskCache {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{256} << 20;

  explicit DiskCache(std::filesystem::path folder, std::uint64_t limit_bytes = default_limit)
      : folder_(std::move(folder)),
        limit_(limit_bytes) {}

  [[nodiscard]] std::optional<std::vector<std::byte>> find(const support::Digest& key,
                                                           std::string_view fingerprint) const;
  /// Occasionally also removes the least recently used files, down to the limit.
  void store(const support::Digest& key, std::string_view fingerprint,
             std::span<const std::byte> code) const;

  struct Share {
    std::uint64_t entries = 0, bytes = 0;
  };
  struct Summary {
    Share all;
    std::map<std::string, Share> by_fingerprint;
  };
  [[nodiscard]] Summary summary() const;
  [[nodiscard]] std::uint64_t limit_bytes() const { return limit_; }
  /// Returns the number of files removed.
  std::uint64_t clear() const;
  /// Removes the least recently used files until three quarters of the limit are left.
  void sweep() const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const support::Digest& key) const;
  [[nodiscard]] bool is_sweep_due() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace hasten::runtime
