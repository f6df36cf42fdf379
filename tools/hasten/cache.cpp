// `hasten cache`: shows what the cache of compiled kernels holds.
#include "commands.hpp"
#include "runtime/compile/disk_cache.hpp"
#include "runtime/files.hpp"
#include "runtime/report/text.hpp"

#include <hasten/run/error.hpp>

#include <fmt/format.h>

#include <ostream>
#include <string>

namespace hasten_tool {
namespace {

using hasten::runtime::DiskCache;

std::string size_text(const DiskCache::Share& share) {
  return fmt::format("{}, {}",
                     hasten::runtime::counted(static_cast<std::int64_t>(share.entries), "kernel"),
                     hasten::runtime::bytes_text(static_cast<double>(share.bytes)));
}

// A fingerprint lists every feature of a processor; its beginning suffices for people.
std::string shortened(const std::string& fingerprint) {
  constexpr std::size_t most = 72;
  return fingerprint.size() <= most ? fingerprint : fingerprint.substr(0, most) + "...";
}

}  // namespace

void cache(std::ostream& out, bool clears) {
  const auto folder = hasten::runtime::cache_folder();
  if (folder.empty()) {
    out << "there is no kernel cache: HASTEN_CACHE_DIR is \"off\", or no home folder is known\n";
    return;
  }
  if (const std::string why = hasten::runtime::why_refused(folder); !why.empty())
    throw hasten::Error("the kernel cache is not used: " + why);
  const DiskCache disk(folder);
  out << folder.string() << '\n';
  if (clears) {
    const auto removed = static_cast<std::int64_t>(disk.clear());
    out << "  removed " << hasten::runtime::counted(removed, "kernel") << '\n';
    return;
  }
  const DiskCache::Summary summary = disk.summary();
  const double limit = static_cast<double>(disk.limit_bytes());
  out << "  " << size_text(summary.all) << " of at most " << hasten::runtime::bytes_text(limit)
      << '\n';
  for (const auto& [fingerprint, share] : summary.by_fingerprint)
    out << "  " << shortened(fingerprint) << ": " << size_text(share) << '\n';
}

}  // namespace hasten_tool
