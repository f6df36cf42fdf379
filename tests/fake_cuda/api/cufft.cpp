// The part of cuFFT that src/libraries/cufft.cpp calls: the sums that define a transform, axis by
// axis, in double, computed in the stream.
#include "tests/fake_cuda/stream.hpp"

#include <cmath>
#include <complex>
#include <cstdint>

using namespace fake_cuda;

namespace {

constexpr int success = 0, invalid_plan = 1, invalid_value = 4, exec_failed = 6;
constexpr int r2c = 0x2a, c2c = 0x29, d2z = 0x6a, z2z = 0x69;

using Wide = std::complex<double>;

struct Plan {
  std::vector<int> extents;
  int type = 0, count = 0;
  CUstream stream = nullptr;

  [[nodiscard]] std::size_t size() const {
    std::size_t all = 1;
    for (const int n : extents) all *= static_cast<std::size_t>(n);
    return all;
  }
  [[nodiscard]] bool is_of_real() const { return type == r2c || type == d2z; }
};

struct Plans {
  std::mutex mutex;
  std::map<int, Plan> all;
  int next = 1;
};
Plans& plans() {
  static auto* const all = new Plans;
  return *all;
}

// Transforms one axis, whose elements are `step` apart.
void transform_line(Wide* line, int n, std::size_t step, int sign) {
  std::vector<Wide> sums(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      sums[static_cast<std::size_t>(k)] +=
          line[static_cast<std::size_t>(j) * step] *
          std::polar(1.0, sign * 2 * M_PI * static_cast<double>(std::int64_t{j} * k % n) / n);
  for (std::size_t k = 0; k < sums.size(); ++k) line[k * step] = sums[k];
}

void transform(std::vector<Wide>& x, const std::vector<int>& extents, int sign) {
  std::size_t step = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const auto n = static_cast<std::size_t>(extents[axis]);
    for (std::size_t first = 0; first < x.size(); ++first)
      if (first / step % n == 0) transform_line(x.data() + first, extents[axis], step, sign);
    step *= n;
  }
}

template <class From, class R>
CUresult run(Device& device, const Plan& plan, void* in, void* out, int sign) {
  const std::size_t n = plan.size(), count = static_cast<std::size_t>(plan.count);
  const auto last = static_cast<std::size_t>(plan.extents.back());
  const std::size_t kept = plan.is_of_real() ? last / 2 + 1 : last;
  const auto* const from = reinterpret_cast<const From*>(
      device.memory(reinterpret_cast<CUdeviceptr>(in), count * n * sizeof(From)));
  auto* const to = reinterpret_cast<std::complex<R>*>(device.memory(
      reinterpret_cast<CUdeviceptr>(out), count * (n / last) * kept * sizeof(std::complex<R>)));
  if (!from || !to) return CUDA_ERROR_ILLEGAL_ADDRESS;
  std::size_t next = 0;
  for (std::size_t one = 0; one < count; ++one) {
    std::vector<Wide> x(from + one * n, from + (one + 1) * n);
    transform(x, plan.extents, sign);
    for (std::size_t i = 0; i < n; ++i)
      if (i % last < kept) to[next++] = std::complex<R>(x[i]);
  }
  return CUDA_SUCCESS;
}

template <class From, class R>
int tell(int handle, int type, void* in, void* out, int sign) {
  Plan plan;
  {
    const std::lock_guard lock(plans().mutex);
    const auto found = plans().all.find(handle);
    if (found == plans().all.end() || found->second.type != type) return invalid_plan;
    plan = found->second;
  }
  Device* device = nullptr;
  if (enter(&device) != CUDA_SUCCESS) return exec_failed;
  const CUresult told =
      submit(*device, plan.stream, guarded(*device, [device, plan, in, out, sign] {
        return run<From, R>(*device, plan, in, out, sign);
      }));
  return told == CUDA_SUCCESS ? success : exec_failed;
}

}  // namespace

extern "C" {

int cufftPlanMany(int* plan, int rank, int* n, int* inembed, int, int, int* onembed, int, int,
                  int type, int batch) {
  if (rank < 1 || rank > 3 || batch < 1 || inembed || onembed) return invalid_value;
  for (int axis = 0; axis < rank; ++axis)
    if (n[axis] < 1) return invalid_value;
  const std::lock_guard lock(plans().mutex);
  *plan = plans().next++;
  plans().all[*plan] = {{n, n + rank}, type, batch, nullptr};
  return success;
}
int cufftSetStream(int plan, CUstream stream) {
  const std::lock_guard lock(plans().mutex);
  const auto found = plans().all.find(plan);
  if (found == plans().all.end()) return invalid_plan;
  found->second.stream = stream;
  return success;
}
int cufftDestroy(int plan) {
  const std::lock_guard lock(plans().mutex);
  return plans().all.erase(plan) == 1 ? success : invalid_plan;
}
int cufftExecC2C(int plan, void* in, void* out, int sign) {
  return tell<std::complex<float>, float>(plan, c2c, in, out, sign);
}
int cufftExecZ2Z(int plan, void* in, void* out, int sign) {
  return tell<std::complex<double>, double>(plan, z2z, in, out, sign);
}
int cufftExecR2C(int plan, void* in, void* out) {
  return tell<float, float>(plan, r2c, in, out, -1);
}
int cufftExecD2Z(int plan, void* in, void* out) {
  return tell<double, double>(plan, d2z, in, out, -1);
}

}  // extern "C"
