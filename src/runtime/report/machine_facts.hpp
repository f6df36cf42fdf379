// Measured facts of a machine: measured once, on request, and stored beside the compiled kernels.
#pragma once

#include "backends/facts.hpp"
#include "runtime/targets.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace hasten::runtime {

/// The facts of a device, including measured ones: from memory, from disk, or measured now, which
/// takes a fraction of a second. Thread-safe. The interpreter has none.
[[nodiscard]] backends::Facts measured_facts(const Device& device);
/// Measured now, regardless of stored facts, and stored.
[[nodiscard]] backends::Facts facts_measured_anew(const Device& device);

/// Facts on disk: one text file per key (Backend::facts_key), with a checksum. A file that is
/// corrupt, of another key or of another version of the form counts as absent and is overwritten. A
/// folder that cannot be read or written counts as empty.
class FactsFile {
 public:
  FactsFile(const std::filesystem::path& folder, const std::string& key);
  [[nodiscard]] std::optional<backends::Facts> find() const;
  /// Of the other files only the few newest are kept.
  void store(const backends::Facts& facts) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty: nothing is stored
  std::string head_;            // the beginning of the file
};

}  // namespace hasten::runtime
