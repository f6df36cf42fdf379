// What is measured of a machine: once, when somebody asks, and kept beside the compiled kernels.
#pragma once

#include "backends/facts.hpp"
#include "runtime/targets.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace hasten::runtime {

/// The facts of a device, the measured ones too: from memory, from disk, or measured now, which
/// takes a part of a second. Thread-safe. The interpreter has none.
[[nodiscard]] backends::Facts measured_facts(const Device& device);
/// Measured now, whatever was kept, and kept.
[[nodiscard]] backends::Facts facts_measured_anew(const Device& device);

/// Facts on disk: one file of text for each key (Backend::facts_key), with a checksum. What is
/// corrupt, of another key or of another version of the form counts as absent and is overwritten.
/// A folder that cannot be read or written is an empty one.
class FactsFile {
 public:
  FactsFile(const std::filesystem::path& folder, const std::string& key);
  [[nodiscard]] std::optional<backends::Facts> find() const;
  /// Of the other files, those that were written last are kept, few of them.
  void store(const backends::Facts& facts) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty: nothing is kept
  std::string head_;            // what the file begins with
};

}  // namespace hasten::runtime
