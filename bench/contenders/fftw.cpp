// FFTW, opened at run time and called directly, beside programs that call it through Hasten.
#include <dlfcn.h>

#include <memory>

#include "buffer.hpp"
#include "contenders.hpp"

namespace contenders {
namespace {

// The values of fftw3.h.
constexpr int forward = -1;
constexpr unsigned measure = 0, estimate = 1U << 6;

using Make = void* (*)(int n, float* in, float* out, int sign, unsigned flags);
using Run = void (*)(void* plan, float* in, float* out);
using Destroy = void (*)(void* plan);
using Forget = void (*)();

}  // namespace

std::function<void(float*, float*)> fftw_transform(int64_t n, bool measured) {
  void* const library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto make = reinterpret_cast<Make>(dlsym(library, "fftwf_plan_dft_1d"));
  const auto run = reinterpret_cast<Run>(dlsym(library, "fftwf_execute_dft"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library, "fftwf_destroy_plan"));
  const auto forget = reinterpret_cast<Forget>(dlsym(library, "fftwf_forget_wisdom"));
  if (make == nullptr || run == nullptr || destroy == nullptr || forget == nullptr) return {};
  // Measuring overwrites these arrays. They are aligned like the arrays of later calls.
  const Buffer<float> in(2 * n), out(2 * n);
  void* const made =
      make(static_cast<int>(n), in.data(), out.data(), forward, measured ? measure : estimate);
  const std::shared_ptr<void> plan(made, destroy);
  forget();  // else a later plan by estimate would reuse the measured plan
  return [=](float* from, float* to) { run(plan.get(), from, to); };
}

}  // namespace contenders
