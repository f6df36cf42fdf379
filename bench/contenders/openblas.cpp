// OpenBLAS, opened at run time: a contender if it is installed, not a dependency.
#include <dlfcn.h>

#include <tbb/task_arena.h>

#include <cstdlib>

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

}  // namespace

std::function<void(const float*, const float*, float*, int64_t)> openblas_matmul() {
  unsetenv("OPENBLAS_CORETYPE");
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  const auto set_threads = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads"));
  if (sgemm == nullptr) return {};
  return [=](const float* a, const float* b, float* c, int64_t n) {
    if (set_threads != nullptr) set_threads(tbb::this_task_arena::max_concurrency());
    const int size = static_cast<int>(n);
    sgemm(row_major, no_transpose, no_transpose, size, size, size, 1.0f, a, size, b, size, 0.0f, c,
          size);
  };
}

}  // namespace contenders
