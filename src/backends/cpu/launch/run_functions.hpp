// The forms of a loaded kernel, made on first use.
#pragma once

#include "backends/cpu/functions.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>

namespace hasten::backends::cpu {

struct FormCode {
  RunFunction run;
  std::shared_ptr<const void> keeps;  // keeps the function's code loaded
};
/// Slow; throws the errors of compiling.
using MakeForm = std::function<FormCode(Form)>;

class RunFunctions {
 public:
  /// `make` provides the forms that are not known; null: all are.
  RunFunctions(const std::array<RunFunction, form_count>& known, MakeForm make);
  ~RunFunctions();
  RunFunctions(const RunFunctions&) = delete;
  RunFunctions& operator=(const RunFunctions&) = delete;

  /// Thread-safe. Threads that ask for the same form at once may each make it: no thread waits for
  /// another, which might belong to the parent of a forked process.
  [[nodiscard]] RunFunction of(Form form) const;

 private:
  std::array<RunFunction, form_count> known_;
  MakeForm make_;
  mutable std::array<std::atomic<const FormCode*>, form_count> made_ = {};
};

}  // namespace hasten::backends::cpu
