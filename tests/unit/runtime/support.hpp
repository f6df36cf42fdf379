// Shared by the runtime's tests: environment, folders, and a test target.
#pragma once

#include "runtime/compile/kernel_cache.hpp"
#include "runtime/compile/program_cache.hpp"
#include "runtime/targets.hpp"
#include "tests/support/kernel_evaluator.hpp"

#include <hasten/hasten.hpp>

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace hasten::test {

/// Sets an environment variable during its lifetime.
class SetEnv {
 public:
  SetEnv(const char* name, const std::string& value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~SetEnv() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  SetEnv(const SetEnv&) = delete;
  SetEnv& operator=(const SetEnv&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A new folder that the destructor removes.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hasten-XXXXXX").string();
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs programs on a new KernelEvaluator, with a new kernel cache and nothing compiled before.
class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() {
    runtime::add_device("evaluator", backend);
    forget();
  }
  ~RuntimeTest() override { forget(); }

  /// Clears the caches, as in a fresh process.
  static void forget() {
    runtime::forget_programs();
    runtime::forget_kernels();
  }

  TemporaryFolder folder;
  SetEnv cache_folder{"HASTEN_CACHE_DIR", folder.path().string()};
  std::shared_ptr<KernelEvaluator> backend = std::make_shared<KernelEvaluator>();
  Options options{.target = Target("evaluator")};
};

}  // namespace hasten::test
