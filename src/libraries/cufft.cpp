// cuFFT's functions, looked up once, and its plans, which are cached: each has memory that the work
// of one stream uses.
#include <hasten/detail/libraries/cufft.hpp>

#include "libraries/opened.hpp"

#include <compare>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace hasten::detail {
namespace {

// The values of cufft.h.
constexpr int forward_sign = -1, backward_sign = 1;
constexpr int real_to_complex = 0x2a, complex_to_complex = 0x29;
constexpr int double_to_complex = 0x6a, double_complex = 0x69;

using Plan = int;

struct Cufft {
  std::string file;
  int (*plan_many)(Plan*, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                   int ostride, int odist, int type, int batch) = nullptr;
  int (*set_stream)(Plan, void* stream) = nullptr;
  int (*destroy)(Plan) = nullptr;
  int (*run_complex)(Plan, void* in, void* out, int direction) = nullptr;
  int (*run_real)(Plan, void* in, void* out) = nullptr;
  int (*run_double_complex)(Plan, void* in, void* out, int direction) = nullptr;
  int (*run_double)(Plan, void* in, void* out) = nullptr;
};

bool find_all(void* library, Cufft& to) {
  return find(library, "cufftPlanMany", to.plan_many) &&
         find(library, "cufftSetStream", to.set_stream) &&
         find(library, "cufftDestroy", to.destroy) &&
         find(library, "cufftExecC2C", to.run_complex) &&
         find(library, "cufftExecR2C", to.run_real) &&
         find(library, "cufftExecZ2Z", to.run_double_complex) &&
         find(library, "cufftExecD2Z", to.run_double);
}

// Never destroyed: programs may run while the process ends.
const Cufft& cufft() {
  static const auto& found = *new const Cufft([] {
    Cufft library;
    open_first("HASTEN_CUFFT_LIBRARY", {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"},
               [&](void* opened, const std::string& file) {
                 if (!find_all(opened, library)) return false;
                 library.file = file;
                 return true;
               });
    return library;
  }());
  return found;
}

void check(int status, const char* what) {
  if (status != 0)
    throw TargetError(std::string("fft: ") + cufft().file + " fails in " + what + " with status " +
                      std::to_string(status) +
                      "; HASTEN_CUFFT_LIBRARY=none computes in the language");
}

int size(std::int64_t extent) {
  return count_in_32_bits(extent, "fft", cufft().file, "transform parts of the array");
}

struct Job {
  void *context, *stream;
  std::vector<int> extents;
  int count, type;

  friend auto operator<=>(const Job&, const Job&) = default;
};

Job job_of(const CudaQueue& queue, std::span<const std::int64_t> extents, std::int64_t count,
           int type) {
  Job job{queue.context, queue.stream, {}, size(count), type};
  for (const std::int64_t extent : extents) job.extents.push_back(size(extent));
  return job;
}

// Calls enqueue work and return, so that one lock for all delays nobody. Only plans take longer.
class Plans {
 public:
  template <class F>
  void with(const Job& job, F run) {
    const std::lock_guard lock(mutex_);
    auto known = plans_.find(job);
    if (known == plans_.end()) {
      if (plans_.size() >= most) forget_all();
      known = plans_.emplace(job, made(job)).first;
    }
    check(run(known->second), "a transform");
  }

 private:
  static constexpr std::size_t most = 64;

  // Rows without gaps.
  static Plan made(const Job& job) {
    std::vector<int> extents = job.extents;
    Plan plan = 0;
    check(cufft().plan_many(&plan, static_cast<int>(extents.size()), extents.data(), nullptr, 1, 0,
                            nullptr, 1, 0, job.type, job.count),
          "cufftPlanMany");
    check(cufft().set_stream(plan, job.stream), "cufftSetStream");
    return plan;
  }
  // cuFFT waits for the work of a plan that is destroyed.
  void forget_all() {
    for (const auto& [job, plan] : plans_) (void)cufft().destroy(plan);
    plans_.clear();
  }

  std::mutex mutex_;
  std::map<Job, Plan> plans_;
};

// Never destroyed: programs may run while the process ends.
Plans& plans() {
  static auto& all = *new Plans;
  return all;
}

}  // namespace

const char* cufft_file() { return cufft().file.c_str(); }

template <class R>
void cufft_complex(const CudaQueue& queue, std::span<const std::int64_t> extents,
                   std::int64_t count, bool forward, void* from, void* to) {
  constexpr bool is_float = std::is_same_v<R, float>;
  const auto run = is_float ? cufft().run_complex : cufft().run_double_complex;
  plans().with(
      job_of(queue, extents, count, is_float ? complex_to_complex : double_complex),
      [&](Plan plan) { return run(plan, from, to, forward ? forward_sign : backward_sign); });
}

template <class R>
void cufft_from_real(const CudaQueue& queue, std::span<const std::int64_t> extents,
                     std::int64_t count, void* from, void* to) {
  constexpr bool is_float = std::is_same_v<R, float>;
  const auto run = is_float ? cufft().run_real : cufft().run_double;
  plans().with(job_of(queue, extents, count, is_float ? real_to_complex : double_to_complex),
               [&](Plan plan) { return run(plan, from, to); });
}

template void cufft_complex<float>(const CudaQueue&, std::span<const std::int64_t>, std::int64_t,
                                   bool, void*, void*);
template void cufft_complex<double>(const CudaQueue&, std::span<const std::int64_t>, std::int64_t,
                                    bool, void*, void*);
template void cufft_from_real<float>(const CudaQueue&, std::span<const std::int64_t>, std::int64_t,
                                     void*, void*);
template void cufft_from_real<double>(const CudaQueue&, std::span<const std::int64_t>, std::int64_t,
                                      void*, void*);

}  // namespace hasten::detail
