// Hand-written C++ to measure Hasten against: every program in every form, on all threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forms.hpp"

namespace contenders {

// A whole program on all threads of the current oneTBB arena.
template <class Signature>
struct Named {
  std::string name;
  Rules rules;
  std::function<Signature> run;
};

std::vector<Named<float(const float* x, int64_t n)>> sums();
std::vector<Named<float(const float* x, const float* y, int64_t n)>> dots();
std::vector<Named<void(float a, const float* x, const float* y, float* out, int64_t n)>> saxpys();
std::vector<Named<void(OptionColumns, PriceColumns, int64_t n)>> black_scholes();
// Requires at least 64 bodies, or pictures at least 64 pixels wide.
std::vector<Named<void(BodyColumns, AccelerationColumns, int64_t n)>> nbodies();
std::vector<Named<void(const Picture&, int32_t* steps)>> mandelbrots();
std::vector<Named<void(const float* a, const float* b, float* c, int64_t n)>> matmuls();
std::vector<Named<void(GreyImage, float* out)>> sobels();

// Makes OpenBLAS use its kernels for the processor's widest vectors, whatever the environment says,
// if this process has not opened it yet.
void choose_openblas_kernels();

// OpenBLAS's sgemm with such kernels, named with those that it uses, if this machine has the
// library.
std::optional<Named<void(const float* a, const float* b, float* c, int64_t n)>> openblas_matmul();

// FFTW's transform of n complex numbers on one thread if this machine has the library, else an
// empty function. The function makes the plan, by estimate or by measuring.
std::function<void(float* in, float* out)> fftw_transform(int64_t n, bool measured);

}  // namespace contenders
