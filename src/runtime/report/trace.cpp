// Events are appended as they end, so that a process that dies leaves a readable trace: the format
// allows the closing bracket to be missing.
#include "runtime/report/trace.hpp"

#include "support/env.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace hasten::runtime {
namespace {

std::atomic<bool> tracing{false};
const TraceClock::time_point origin = TraceClock::now();

class TraceFile {
 public:
  void open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (path == path_) return;
    close();
    path_ = path;
    if (!path.empty()) file_ = std::fopen(path.c_str(), "w");
    if (file_) std::fputs("[", file_);
    tracing = file_ != nullptr;
  }

  void write(const std::string& event) {
    const std::lock_guard lock(mutex_);
    if (!file_) return;
    std::fputs(is_first_ ? "\n" : ",\n", file_);
    is_first_ = false;
    std::fputs(event.c_str(), file_);
    std::fflush(file_);
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    close();
  }

 private:
  void close() {
    tracing = false;
    if (!file_) return;
    std::fputs("\n]\n", file_);
    std::fclose(file_);
    file_ = nullptr;
    is_first_ = true;
    path_.clear();
  }

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::string path_;
  bool is_first_ = true;
};

// Never destroyed: other threads may trace while the process ends.
TraceFile& trace_file() {
  static TraceFile& instance = *[] {
    std::atexit([] { trace_file().finish(); });
    return new TraceFile;
  }();
  return instance;
}

std::string json_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
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
  if (details.bytes > 0) add(fmt::format(R"("bytes":{})", details.bytes));
  if (!details.shape.empty()) add(fmt::format(R"("shape":"{}")", json_text(details.shape)));
  if (!details.where.empty()) add(fmt::format(R"("where":"{}")", json_text(details.where)));
  return text.empty() ? "" : R"(,"args":{)" + text + "}";
}

}  // namespace

void trace(std::string_view category, std::string_view name, TraceClock::time_point start,
           TraceClock::time_point end, const TraceDetails& details) {
  const auto micros = [](auto duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  trace_file().write(fmt::format(
      R"({{"name":"{}","cat":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{}{}}})",
      json_text(name), category, micros(start - origin), micros(end - start), getpid(),
      syscall(SYS_gettid), arguments_text(details)));
}

}  // namespace hasten::runtime
