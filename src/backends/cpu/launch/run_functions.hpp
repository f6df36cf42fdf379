// The forms of a loaded kernel, made when they are first asked for.
#pragma once

#include "backends/cpu/functions.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>

namespace hasten::backends::cpu {

struct FormCode {
  RunFunction run;
  std::shared_ptr<const void> keeps;  // what the function is in
};
/// Slow; throws what compiling throws.
using MakeForm = std::function<FormCode(Form)>;

class RunFunctions {
 public:
  /// `make` gives the forms that are not known; null: all are.
  RunFunctions(const std::array<RunFunction, form_count>& known, MakeForm make);
  ~RunFunctions();
  RunFunctions(const RunFunctions&) = delete;
  RunFunctions& operator=(const RunFunctions&) = delete;

  /// Of any thread. Threads that ask for the same form at once may each make it: nobody waits for
  /// another, who might be in a process that has forked since.
  [[nodiscard]] RunFunction of(Form form) const;

 private:
  std::array<RunFunction, form_count> known_;
  MakeForm make_;
  mutable std::array<std::atomic<const FormCode*>, form_count> made_ = {};
};

}  // namespace hasten::backends::cpu
