// The floating-point environment of the process's callers, put aside.
#pragma once

#include <cfenv>

namespace hasten::support {

/// While it lives, this thread rounds to nearest, has denormal numbers and does not trap; then the
/// caller's mode and flags are back.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&callers_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace hasten::support
