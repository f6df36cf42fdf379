// As in OpenCL C 1.2, sections 6.12.1 to 6.12.3, 6.12.8 and 6.12.11: only for the scalar types that
// the generator (c_like) uses. Types exist without the header.
//
// One function is defined here: PoCL's log of floats is a call, which prevents vectorisation of the
// loop over a group's items. It is the CPU target's (cpu/ops_inline_math.cpp).
#include "backends/opencl/declarations.hpp"

namespace hasten::backends::opencl {

std::string_view declarations() {
  return R"(#define as_uint(x) __builtin_astype((x), uint)
#define as_float(x) __builtin_astype((x), float)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_double(x) __builtin_astype((x), double)
#define HASTEN_VALUE __attribute__((overloadable, const))
#define HASTEN_EFFECT __attribute__((overloadable))
size_t HASTEN_VALUE get_local_id(uint);
size_t HASTEN_VALUE get_group_id(uint);
size_t HASTEN_VALUE get_num_groups(uint);
void __attribute__((overloadable, convergent)) barrier(uint);
#define HASTEN_ONE(f) float HASTEN_VALUE f(float); double HASTEN_VALUE f(double);
#define HASTEN_TWO(f) float HASTEN_VALUE f(float, float); double HASTEN_VALUE f(double, double);
HASTEN_ONE(fabs) HASTEN_ONE(sqrt) HASTEN_ONE(cbrt)
HASTEN_ONE(exp) HASTEN_ONE(exp2) HASTEN_ONE(expm1)
double HASTEN_VALUE log(double);
HASTEN_ONE(log2) HASTEN_ONE(log10) HASTEN_ONE(log1p)
HASTEN_ONE(sin) HASTEN_ONE(cos) HASTEN_ONE(tan)
HASTEN_ONE(asin) HASTEN_ONE(acos) HASTEN_ONE(atan)
HASTEN_ONE(sinh) HASTEN_ONE(cosh) HASTEN_ONE(tanh)
HASTEN_ONE(asinh) HASTEN_ONE(acosh) HASTEN_ONE(atanh)
HASTEN_ONE(erf) HASTEN_ONE(erfc)
HASTEN_ONE(floor) HASTEN_ONE(ceil) HASTEN_ONE(round) HASTEN_ONE(trunc) HASTEN_ONE(rint)
HASTEN_TWO(pow) HASTEN_TWO(atan2) HASTEN_TWO(hypot) HASTEN_TWO(fmod) HASTEN_TWO(copysign)
float HASTEN_VALUE fma(float, float, float);
double HASTEN_VALUE fma(double, double, double);
uint HASTEN_VALUE popcount(uint);
ulong HASTEN_VALUE popcount(ulong);
uint HASTEN_VALUE clz(uint);
ulong HASTEN_VALUE clz(ulong);
#define HASTEN_ATOMIC(f, T) \
  T HASTEN_EFFECT f(volatile __global T*, T); T HASTEN_EFFECT f(volatile __local T*, T);
#define HASTEN_ATOMICS(f) HASTEN_ATOMIC(atomic_##f, int) HASTEN_ATOMIC(atomic_##f, uint) \
  HASTEN_ATOMIC(atom_##f, long) HASTEN_ATOMIC(atom_##f, ulong)
HASTEN_ATOMICS(add) HASTEN_ATOMICS(min) HASTEN_ATOMICS(max)
HASTEN_ATOMICS(and) HASTEN_ATOMICS(or) HASTEN_ATOMICS(xor)
#define HASTEN_EXCHANGE(f, T) \
  T HASTEN_EFFECT f(volatile __global T*, T, T); T HASTEN_EFFECT f(volatile __local T*, T, T);
HASTEN_EXCHANGE(atomic_cmpxchg, uint) HASTEN_EXCHANGE(atom_cmpxchg, ulong)
)"
         R"(#ifdef __FMA__
static float HASTEN_VALUE log(float x) {
  const bool is_small = x < 0x1p-126f;
  const int bits = __builtin_astype(is_small ? x * 0x1p23f : x, int);
  const int exponent = (bits - 0x3f400000) >> 23;
  const float m = __builtin_astype(bits - (exponent << 23), float);
  float e = (float)exponent - (is_small ? 23.0f : 0.0f);
  e = x == as_float(0x7f800000u) ? as_float(0x7f800000u) : e;
  e = x == 0 ? as_float(0xff800000u) : e;
  const float f = x >= 0 ? m - 1 : as_float(0x7fc00000u);
  float p = -0x1.71e928p-5f;
  p = fma(p, f, 0x1.ad0a78p-4f); p = fma(p, f, -0x1.0da4dcp-3f);
  p = fma(p, f, 0x1.288486p-3f); p = fma(p, f, -0x1.54ed86p-3f);
  p = fma(p, f, 0x1.99695ep-3f); p = fma(p, f, -0x1.000046p-2f);
  p = fma(p, f, 0x1.5555a4p-2f); p = fma(p, f, -0.5f);
  const float sum = fma(e, 0x1.62e4p-1f, f);
  float lost = f - fma(-e, 0x1.62e4p-1f, sum);
  lost = lost < 1 ? lost : 1;
  return sum + fma(f * f, p, fma(e, 0x1.7f7d1cp-20f, lost));
}
#else
float HASTEN_VALUE log(float);
#endif
)";
}

}  // namespace hasten::backends::opencl
