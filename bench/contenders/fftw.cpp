// FFTW, opened at run time: called by hand, beside programs that call it through Hasten.
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

struct Plan {
  Run run = nullptr;
  std::shared_ptr<void> plan;  // made for `n` numbers
  int64_t n = -1;
};

}  // namespace

std::function<void(float*, float*, int64_t)> fftw_transform(bool measured) {
  void* const library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto make = reinterpret_cast<Make>(dlsym(library, "fftwf_plan_dft_1d"));
  const auto run = reinterpret_cast<Run>(dlsym(library, "fftwf_execute_dft"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(library, "fftwf_destroy_plan"));
  if (make == nullptr || run == nullptr || destroy == nullptr) return {};
  const auto kept = std::make_shared<Plan>();
  kept->run = run;
  return [=](float* in, float* out, int64_t n) {
    if (kept->n != n) {
      // Measuring overwrites the arrays that it measures on.
      const Buffer<float> a(measured ? 2 * n : 0), b(measured ? 2 * n : 0);
      void* const plan = make(static_cast<int>(n), measured ? a.data() : in,
                              measured ? b.data() : out, forward, measured ? measure : estimate);
      *kept = {run, {plan, destroy}, n};
    }
    kept->run(kept->plan.get(), in, out);
  };
}

}  // namespace contenders
