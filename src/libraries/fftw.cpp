// FFTW's functions, looked up once, and its plans, which are cached: creating one takes longer than
// most transforms. Creating them is not thread-safe, running them is.
#include <hasten/detail/libraries/fftw.hpp>

#include "libraries/opened.hpp"

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace hasten::detail {
namespace {

// The values of fftw3.h.
constexpr unsigned estimate = 1U << 6, preserve_input = 1U << 4;
constexpr int forward_sign = -1, backward_sign = 1;

template <class R>
struct Fftw {
  std::string file;  // empty: not found
  void* (*plan_complex)(int rank, const int* n, int count, void* in, const int* inembed,
                        int istride, int idist, void* out, const int* onembed, int ostride,
                        int odist, int sign, unsigned flags) = nullptr;
  void* (*plan_real)(int rank, const int* n, int count, R* in, const int* inembed, int istride,
                     int idist, void* out, const int* onembed, int ostride, int odist,
                     unsigned flags) = nullptr;
  void (*run_complex)(void* plan, void* in, void* out) = nullptr;
  void (*run_real)(void* plan, R* in, void* out) = nullptr;
  void (*destroy)(void* plan) = nullptr;
};

// All users in the process share FFTW's planner; its threads library can make it safe.
template <class R>
void share_planner() {
  constexpr bool is_float = std::is_same_v<R, float>;
  void* const threads =
      dlopen(is_float ? "libfftw3f_threads.so.3" : "libfftw3_threads.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!threads) return;
  const auto share = reinterpret_cast<void (*)()>(dlsym(
      threads, is_float ? "fftwf_make_planner_thread_safe" : "fftw_make_planner_thread_safe"));
  if (share) share();
}

template <class R>
bool find_all(void* library, Fftw<R>& to) {
  const std::string begin = std::is_same_v<R, float> ? "fftwf_" : "fftw_";
  return find(library, begin + "plan_many_dft", to.plan_complex) &&
         find(library, begin + "plan_many_dft_r2c", to.plan_real) &&
         find(library, begin + "execute_dft", to.run_complex) &&
         find(library, begin + "execute_dft_r2c", to.run_real) &&
         find(library, begin + "destroy_plan", to.destroy);
}

// Never destroyed: programs may run while the process ends.
template <class R>
const Fftw<R>& fftw() {
  constexpr bool is_float = std::is_same_v<R, float>;
  static const auto& found = *new const Fftw<R>([] {
    Fftw<R> library;
    open_first(is_float ? "HASTEN_FFTWF_LIBRARY" : "HASTEN_FFTW_LIBRARY",
               {is_float ? "libfftw3f.so.3" : "libfftw3.so.3"},
               [&](void* opened, const std::string& file) {
                 if (!find_all(opened, library)) return false;
                 library.file = file;
                 share_planner<R>();
                 return true;
               });
    return library;
  }());
  return found;
}

int size(std::int64_t extent) {
  return count_in_32_bits(extent, "fft", "FFTW", "transform parts of the array");
}

struct Job {
  std::vector<int> extents;
  int count;
  int sign;  // 0: from real numbers

  friend auto operator<=>(const Job&, const Job&) = default;
};

// For one precision.
template <class R>
class Plans {
 public:
  [[nodiscard]] std::shared_ptr<void> of(const Job& job, R* from, R* to) {
    std::map<Job, std::shared_ptr<void>> old;  // destroyed after the mutex is released
    const std::lock_guard lock(mutex_);
    if (const auto known = plans_.find(job); known != plans_.end()) return known->second;
    void* const made = make(job, from, to);
    if (!made) throw MemoryError("fft: FFTW makes no plan for these extents");
    std::shared_ptr<void> plan(made, [this](void* gone) { destroy(gone); });
    if (plans_.size() >= most) old.swap(plans_);
    plans_[job] = plan;
    return plan;
  }

 private:
  static constexpr std::size_t most = 64;

  static void* make(const Job& job, R* from, R* to) {
    const int rank = static_cast<int>(job.extents.size());
    std::vector<int> half = job.extents;
    half.back() = half.back() / 2 + 1;
    const int distance = product(job.extents), half_distance = product(half);
    const unsigned flags = estimate | preserve_input;
    const int* const n = job.extents.data();
    if (job.sign == 0)
      return fftw<R>().plan_real(rank, n, job.count, from, nullptr, 1, distance, to, nullptr, 1,
                                 half_distance, flags);
    return fftw<R>().plan_complex(rank, n, job.count, from, nullptr, 1, distance, to, nullptr, 1,
                                  distance, job.sign, flags);
  }
  static int product(const std::vector<int>& extents) {
    std::int64_t all = 1;
    for (const int extent : extents) all *= extent;
    return size(all);
  }
  void destroy(void* plan) {
    const std::lock_guard lock(mutex_);
    fftw<R>().destroy(plan);
  }

  std::mutex mutex_;
  std::map<Job, std::shared_ptr<void>> plans_;
};

// Never destroyed: programs may run while the process ends.
template <class R>
Plans<R>& plans() {
  static auto& all = *new Plans<R>;
  return all;
}

Job job_of(std::span<const std::int64_t> extents, std::int64_t count, int sign) {
  Job job{{}, size(count), sign};
  for (const std::int64_t extent : extents) job.extents.push_back(size(extent));
  return job;
}

}  // namespace

template <class R>
bool has_fftw() {
  return !fftw<R>().file.empty();
}

template <class R>
void fftw_complex(std::span<const std::int64_t> extents, std::int64_t count, bool forward,
                  const std::complex<R>* from, std::complex<R>* to) {
  auto* const in = reinterpret_cast<R*>(const_cast<std::complex<R>*>(from));  // only read
  auto* const out = reinterpret_cast<R*>(to);
  const Job job = job_of(extents, count, forward ? forward_sign : backward_sign);
  fftw<R>().run_complex(plans<R>().of(job, in, out).get(), in, out);
}

template <class R>
void fftw_from_real(std::span<const std::int64_t> extents, std::int64_t count, const R* from,
                    std::complex<R>* to) {
  R* const in = const_cast<R*>(from);  // only read
  auto* const out = reinterpret_cast<R*>(to);
  const Job job = job_of(extents, count, 0);
  fftw<R>().run_real(plans<R>().of(job, in, out).get(), in, out);
}

template bool has_fftw<float>();
template bool has_fftw<double>();
template void fftw_complex(std::span<const std::int64_t>, std::int64_t, bool,
                           const std::complex<float>*, std::complex<float>*);
template void fftw_complex(std::span<const std::int64_t>, std::int64_t, bool,
                           const std::complex<double>*, std::complex<double>*);
template void fftw_from_real(std::span<const std::int64_t>, std::int64_t, const float*,
                             std::complex<float>*);
template void fftw_from_real(std::span<const std::int64_t>, std::int64_t, const double*,
                             std::complex<double>*);

}  // namespace hasten::detail
