// A file is a header with the form and the key, the facts, and a line with their checksum.
#include "runtime/report/machine_facts.hpp"

#include "runtime/compile/disk_cache.hpp"
#include "runtime/files.hpp"
#include "runtime/report/log.hpp"
#include "support/env.hpp"
#include "support/hash.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

namespace hasten::runtime {
namespace {

namespace fs = std::filesystem;
using backends::Facts;

constexpr const char* form = "# hasten machine facts, form 1\n# of ";
constexpr const char* extension = ".facts";
constexpr off_t longest_file = 1 << 16;
constexpr std::size_t most_files = 16;

std::string checksum_line(std::string_view text) {
  return "# checksum " + support::to_hex(support::Hasher().add(text).finish()) + "\n";
}

// Files owned by this user or the administrator.
std::optional<std::string> own_text(const fs::path& path) {
  const OwnFile file(path);
  if (!file || file.status().st_size > longest_file || is_refused(path.parent_path()))
    return std::nullopt;
  std::string text(static_cast<std::size_t>(file.status().st_size), '\0');
  if (!read_all(file.get(), text.data(), text.size())) return std::nullopt;
  return text;
}

void remove_old_files(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (!is_of_digest(it->path(), extension) || !is_own_file(it->path())) continue;
    const fs::file_time_type time = it->last_write_time(gone);
    if (!gone) files.emplace_back(time, it->path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + most_files < files.size(); ++i) fs::remove(files[i].second, error);
}

// While the lock is held, other processes wait to measure: two at once would each see half of the
// machine. If the folder cannot be locked, none waits.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : folder_(folder, O_RDONLY | O_DIRECTORY) {
    if (folder_) ::flock(folder_.get(), LOCK_EX);
  }

 private:
  File folder_;
};

Facts measure(const Device& device) {
  const auto start = std::chrono::steady_clock::now();
  const Facts facts = device.backend->measure();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  log(1, [&] {
    return fmt::format("machine of {} measured in {:.0f} ms", device.name, took.count());
  });
  return facts;
}

Facts kept_or_measured(const Device& device, const std::string& key, bool anew) {
  const fs::path folder = cache_folder();
  const FactsFile file(folder, key);
  if (!anew)
    if (const auto kept = file.find()) return *kept;
  if (!folder.empty()) make_own_folder(folder);
  const FolderLock lock(folder);
  if (!anew)
    if (const auto kept = file.find()) return *kept;
  const Facts facts = measure(device);
  file.store(facts);
  return facts;
}

Facts facts_of(const Device& device, bool anew) {
  if (!device.backend) return {};
  const std::string key = device.backend->facts_key();
  if (key.empty()) return device.backend->facts();
  static std::mutex mutex;
  static std::map<std::string, Facts>& known = *new std::map<std::string, Facts>;
  const std::lock_guard lock(mutex);
  const auto at = known.find(key);
  if (at != known.end() && !anew) return at->second;
  const bool wanted = anew || support::env("HASTEN_MACHINE") == "remeasure";
  return known[key] = kept_or_measured(device, key, wanted);
}

}  // namespace

FactsFile::FactsFile(const fs::path& folder, const std::string& key) : head_(form + key + "\n") {
  if (folder.empty()) return;
  path_ = folder / (support::to_hex(support::Hasher().add(head_).finish()) + extension);
}

std::optional<Facts> FactsFile::find() const {
  if (path_.empty()) return std::nullopt;
  const auto text = own_text(path_);
  const std::size_t last = checksum_line("").size();
  if (!text || !text->starts_with(head_) || text->size() < head_.size() + last) return std::nullopt;
  const std::string_view body = std::string_view(*text).substr(0, text->size() - last);
  if (!text->ends_with(checksum_line(body))) return std::nullopt;
  std::string why;
  return backends::parse_facts(body, why);
}

void FactsFile::store(const Facts& facts) const {
  if (path_.empty()) return;
  make_own_folder(path_.parent_path());
  if (is_refused(path_.parent_path())) return;
  const std::string body = head_ + backends::print(facts), end = checksum_line(body);
  replace_file(path_, {std::as_bytes(std::span(body)), std::as_bytes(std::span(end))});
  remove_old_files(path_.parent_path());
}

Facts measured_facts(const Device& device) { return facts_of(device, false); }
Facts facts_measured_anew(const Device& device) { return facts_of(device, true); }

}  // namespace hasten::runtime
