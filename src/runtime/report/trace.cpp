// Events are appended as they end, so that a process that dies leaves a readable trace: the format
// allows the closing bracket to be missing.
#include "runtime/report/trace.hpp"

#include "runtime/report/text.hpp"
#include "support/env.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace hasten::runtime {
namespace {

std::atomic<bool> tracing{false};
const TraceClock::time_point origin = TraceClock::now();

// Quotes the text as a string of JSON.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

class TraceFile {
 public:
  void open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (path == path_) return;
    close();
    path_ = path;
    if (!path.empty()) file_ = std::fopen(path.c_str(), "w");
    if (!path.empty() && !file_)
      support::warn_of_env("HASTEN_TRACE", support::cannot_write(path, errno));
    if (file_) std::fputs("[", file_);
    tracing = file_ != nullptr;
  }

  void write(const std::string& event) {
    const std::lock_guard lock(mutex_);
    if (!file_) return;
    std::fputs(is_first_ ? "\n" : ",\n", file_);
    is_first_ = false;
    std::fputs(event.c_str(), file_);
    warn_if(std::fflush(file_) != 0);
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    close();
  }

  /// The number of a line, which is named in the file before it is first used.
  long number_of(const std::string& line) {
    const auto [found, is_new] = [&] {
      const std::lock_guard lock(mutex_);
      const auto [it, was_added] = lines_.emplace(line, first_line + std::ssize(lines_));
      return std::pair{it->second, was_added};
    }();
    if (is_new)
      write(R"({"name":"thread_name","ph":"M","pid":)" + std::to_string(getpid()) + R"(,"tid":)" +
            std::to_string(found) + R"(,"args":{"name":)" + json_string(line) + "}}");
    return found;
  }

 private:
  static constexpr long first_line = 1L << 30;  // no thread has these numbers

  void close() {
    tracing = false;
    lines_.clear();
    if (!file_) return;
    std::fputs("\n]\n", file_);
    warn_if(std::fclose(file_) != 0);
    file_ = nullptr;
    is_first_ = true;
    path_.clear();
  }

  // A full disk is noticed only when the file's buffer is written.
  void warn_if(bool failed) const {
    if (failed) support::warn_of_env("HASTEN_TRACE", support::cannot_write(path_, errno));
  }

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::string path_;
  bool is_first_ = true;
  std::map<std::string, long> lines_;
};

// Never destroyed: other threads may trace while the process ends.
TraceFile& trace_file() {
  static TraceFile& instance = *[] {
    std::atexit([] { trace_file().finish(); });
    return new TraceFile;
  }();
  return instance;
}

}  // namespace

void refresh_tracing() {
  const std::string path = support::env("HASTEN_TRACE");
  if (!path.empty() || is_tracing()) trace_file().open(path);
}

bool is_tracing() noexcept { return tracing.load(std::memory_order_relaxed); }

namespace {

std::string arguments_text(const TraceDetails& details) {
  std::string text;
  const auto add = [&](const std::string& member) { text += (text.empty() ? "" : ",") + member; };
  if (details.bytes > 0) add(R"("bytes":)" + std::to_string(details.bytes));
  if (!details.shape.empty()) add(R"("shape":)" + json_string(details.shape));
  if (!details.where.empty()) add(R"("where":)" + json_string(details.where));
  return text.empty() ? "" : R"(,"args":{)" + text + "}";
}

}  // namespace

void trace(std::string_view category, std::string_view name, TraceClock::time_point start,
           TraceClock::time_point end, const TraceDetails& details) {
  const auto micros = [](auto duration) {
    return fixed_text(std::chrono::duration<double, std::micro>(duration).count(), 3);
  };
  const long line =
      details.line.empty() ? syscall(SYS_gettid) : trace_file().number_of(details.line);
  trace_file().write(R"({"name":)" + json_string(name) + R"(,"cat":)" + json_string(category) +
                     R"(,"ph":"X","ts":)" + micros(start - origin) + R"(,"dur":)" +
                     micros(end - start) + R"(,"pid":)" + std::to_string(getpid()) + R"(,"tid":)" +
                     std::to_string(line) + arguments_text(details) + "}");
}

}  // namespace hasten::runtime
