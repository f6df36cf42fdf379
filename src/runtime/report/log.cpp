// HASTEN_DEBUG: what the runtime does, on standard error.
#include "runtime/report/log.hpp"

#include "support/env.hpp"

#include <atomic>
#include <cstdio>

namespace hasten::runtime {
namespace {

std::atomic<std::int64_t> level{0};

}  // namespace

void refresh_log_level() { level = support::env_number("HASTEN_DEBUG").value_or(0); }

std::int64_t log_level() noexcept { return level.load(std::memory_order_relaxed); }

void write_log(const std::string& line) {
  const std::string text = "hasten: " + line + "\n";  // one write: lines of threads do not mix
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace hasten::runtime
