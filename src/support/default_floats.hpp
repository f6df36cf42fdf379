// Temporarily replaces the floating-point environment of the process's callers.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#else
#include <cfenv>
#endif

namespace hasten::support {

/// During its lifetime this thread rounds to nearest, keeps denormal numbers and does not trap;
/// then the caller's mode and flags are restored.
class DefaultFloats {
 public:
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;
#ifdef __SSE2__
  // None of our code uses the x87, whose environment is slow to set.
  DefaultFloats() { _mm_setcsr(0x1f80); }
  ~DefaultFloats() { _mm_setcsr(callers_); }

 private:
  const unsigned callers_ = _mm_getcsr();
#else
  DefaultFloats() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&callers_); }

 private:
  std::fenv_t callers_;
#endif
};

}  // namespace hasten::support
