// CUB's collectives as plain C functions, from a library that nvcc compiles where there is a
// toolkit, so that building the benchmarks needs no toolkit.
//
// All functions work on device memory in a stream and return a cudaError. As in CUB, a null
// `memory` asks for its size.
#pragma once

#include <cstddef>

extern "C" {
using CubSum = int(void* memory, std::size_t* bytes, const float* x, float* out, long long n,
                   void* stream);
using CubScan = int(void* memory, std::size_t* bytes, const float* x, float* out, long long n,
                    void* stream);
using CubSegmentedSum = int(void* memory, std::size_t* bytes, const float* x, float* out,
                            const long long* offsets, long long segments, void* stream);
using CubSort = int(void* memory, std::size_t* bytes, const unsigned* x, unsigned* out, long long n,
                    void* stream);
using CubHistogram = int(void* memory, std::size_t* bytes, const int* keys, unsigned* counts,
                         int bins, long long n, void* stream);
}
