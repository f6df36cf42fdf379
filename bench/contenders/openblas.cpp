// OpenBLAS, opened at run time: a contender if it is installed, not a dependency.
#include <dlfcn.h>

#include <tbb/task_arena.h>

#include <cstdlib>
#include <string>

#include "contenders.hpp"

namespace contenders {
namespace {

// The values of cblas.h.
constexpr int row_major = 101;
constexpr int no_transpose = 111;

using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                       float* c, int ldc);
using SetThreads = void (*)(int);
using CoreName = const char* (*)();

}  // namespace

// A version older than the processor takes it for one without vectors of 256 bits: 0.3.21 has a
// third of the rate on an Emerald Rapids. Where AVX-512 is there, its kernels for it are asked for.
void choose_openblas_kernels() {
#if defined(__x86_64__)
  const bool has_512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  const bool has_256 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_512 || has_256) {
    setenv("OPENBLAS_CORETYPE", has_512 ? "SkylakeX" : "Haswell", 1);
    return;
  }
#endif
  unsetenv("OPENBLAS_CORETYPE");
}

std::optional<Named<void(const float*, const float*, float*, int64_t)>> openblas_matmul() {
  choose_openblas_kernels();
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  const auto set_threads = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
  const auto core = reinterpret_cast<CoreName>(dlsym(library, "openblas_get_corename"));
  if (sgemm == nullptr) return {};
  const std::string kernels = core == nullptr ? "" : std::string("-") + core();
  const auto run = [=](const float* a, const float* b, float* c, int64_t n) {
    if (set_threads != nullptr) set_threads(tbb::this_task_arena::max_concurrency());
    const int size = static_cast<int>(n);
    sgemm(row_major, no_transpose, no_transpose, size, size, size, 1.0f, a, size, b, size, 0.0f, c,
          size);
  };
  return Named<void(const float*, const float*, float*, int64_t)>{"openblas" + kernels,
                                                                  Rules::contract, run};
}

}  // namespace contenders
