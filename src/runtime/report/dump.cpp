// HASTEN_DUMP: the stages of a program while it is compiled.
#include "runtime/report/dump.hpp"

#include "core/print.hpp"
#include "support/env.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace hasten::runtime {

namespace {

constexpr const char* switch_name = "HASTEN_DUMP";
constexpr std::string_view all_stages[] = {"surface", "core", "fused",  "kernels", "plan",
                                           "llvm",    "asm",  "opencl", "cuda"};

}  // namespace

Dump::Dump(const std::source_location& where, bool is_silent) {
  const std::vector<std::string> words = support::env_words(switch_name);
  if (words.empty() || is_silent) return;
  support::warn_of_unknown_words(switch_name, "stage", all_stages, "dir=");
  for (const std::string& item : words) {
    if (item.starts_with("dir=")) {
      folder_ = item.substr(4);
    } else {
      stages_.push_back(item);
    }
  }
  static std::atomic<int> count{0};
  program_ = fmt::format("{} {}", ++count, core::print(where));
}

bool Dump::wants(const std::string& stage) const {
  return std::find(stages_.begin(), stages_.end(), stage) != stages_.end();
}

void Dump::write(const std::string& stage, const std::string& text) {
  if (folder_.empty()) {
    const std::string all = fmt::format("==== {}: program {}\n{}\n", stage, program_, text);
    std::fwrite(all.data(), 1, all.size(), stderr);
    return;
  }
  std::error_code ignored;  // a dump that cannot be written is not worth an exception
  std::filesystem::create_directories(folder_, ignored);
  const std::string number = program_.substr(0, program_.find(' '));
  const std::string path = fmt::format("{}/{}-{}.txt", folder_, number, stage);
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (!file) return support::warn_of_env(switch_name, support::cannot_write(path, errno));
  fmt::print(file, "// {}: program {}\n{}\n", stage, program_, text);
  std::fclose(file);
}

}  // namespace hasten::runtime
