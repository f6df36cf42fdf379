// See cub.hpp. nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC -arch=native cub.cu -o libbench_cub.so
#include <cub/cub.cuh>
#include <cstddef>

extern "C" {

int bench_cub_sum(void* memory, std::size_t* bytes, const float* x, float* out, long long n,
                  void* stream) {
  return cub::DeviceReduce::Sum(memory, *bytes, x, out, n, static_cast<cudaStream_t>(stream));
}

int bench_cub_scan(void* memory, std::size_t* bytes, const float* x, float* out, long long n,
                   void* stream) {
  return cub::DeviceScan::InclusiveSum(memory, *bytes, x, out, n,
                                       static_cast<cudaStream_t>(stream));
}

int bench_cub_segmented_sum(void* memory, std::size_t* bytes, const float* x, float* out,
                            const long long* offsets, long long segments, void* stream) {
  return cub::DeviceSegmentedReduce::Sum(memory, *bytes, x, out, segments, offsets, offsets + 1,
                                         static_cast<cudaStream_t>(stream));
}

int bench_cub_sort(void* memory, std::size_t* bytes, const unsigned* x, unsigned* out, long long n,
                   void* stream) {
  return cub::DeviceRadixSort::SortKeys(memory, *bytes, x, out, n, 0, 32,
                                        static_cast<cudaStream_t>(stream));
}

int bench_cub_histogram(void* memory, std::size_t* bytes, const int* keys, unsigned* counts,
                        int bins, long long n, void* stream) {
  return cub::DeviceHistogram::HistogramEven(memory, *bytes, keys, counts, bins + 1, 0, bins,
                                             static_cast<int>(n),
                                             static_cast<cudaStream_t>(stream));
}

}  // extern "C"
