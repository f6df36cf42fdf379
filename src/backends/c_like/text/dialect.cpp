// The table of dialects, and the preludes of their texts.
#include "backends/c_like/text/dialect.hpp"

namespace hasten::backends::c_like {
namespace {

constexpr const char* opencl_extensions = R"(#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
)";

constexpr const char* opencl_prelude = R"(#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#define f64_bits(x) as_ulong((f64)(x))
#define bits_f64(x) as_double((u64)(x))
#define is_negative_f64(x) ((as_ulong(x) >> 63) != 0)
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
typedef char i8; typedef short i16; typedef int i32; typedef long i64;
typedef uchar u8; typedef ushort u16; typedef uint u32; typedef ulong u64;
typedef float f32;
#ifdef __NV_CL_C_VERSION
#define HIDE(x) asm("" : "+r"(x))
#define HIDES 1
#else
#define HIDE(x)
#define HIDES 0
#endif
#define f32_bits(x) as_uint((f32)(x))
#define bits_f32(x) as_float((u32)(x))
#define is_negative_f32(x) ((as_uint(x) >> 31) != 0)
#define ones_u32(x) ((i32)popcount((u32)(x)))
#define ones_u64(x) ((i32)popcount((u64)(x)))
#define zeros_u32(x) ((i32)clz((u32)(x)))
#define zeros_u64(x) ((i32)clz((u64)(x)))
#define KERNEL __kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
#define FULL_KERNEL KERNEL
#define GLOBAL __global
#define LOCAL __local
#define ALIGNED(n) __attribute__((aligned(n)))
#define RESTRICT restrict
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ROLLED
#define WHOLLY
#define BY_EIGHT
#define EACH(i, n) const ix i = GROUP * 256 + ITEM; if (i < (n))
#define NEXT return
#define TASK(task, n) const ix task = GROUP;
#define ATOMIC_u32(word, space, at, x) atomic_##word((volatile space u32*)(at), (u32)(x))
#define ATOMIC_i32(word, space, at, x) atomic_##word((volatile space i32*)(at), (i32)(x))
#define ATOMIC_u64(word, space, at, x) atom_##word((volatile space u64*)(at), (u64)(x))
#define ATOMIC_i64(word, space, at, x) atom_##word((volatile space i64*)(at), (i64)(x))
#define WORD_u32(space, at) EXCHANGE_u32(space, at, 0, 0)
#define WORD_u64(space, at) EXCHANGE_u64(space, at, 0, 0)
#define EXCHANGE_u32(space, at, old, x) atomic_cmpxchg((volatile space u32*)(at), (u32)(old), (u32)(x))
#define EXCHANGE_u64(space, at, old, x) atom_cmpxchg((volatile space u64*)(at), (u64)(old), (u64)(x))
#define ITEM ((ix)get_local_id(0))
#define GROUP ((ix)get_group_id(0))
#define GROUPS ((ix)get_num_groups(0))
#define GROUP_Y ((ix)get_group_id(1))
#define GROUPS_Y ((ix)get_num_groups(1))
)";

constexpr const char* cuda_prelude =
    R"(typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32; typedef double f64;
#define HIDE(x) asm("" : "+r"(x))
#define HIDES 1
#define f32_bits(x) __float_as_uint(x)
#define bits_f32(x) __uint_as_float(x)
#define f64_bits(x) ((u64)__double_as_longlong(x))
#define bits_f64(x) __longlong_as_double((i64)(x))
#define is_negative_f32(x) ((f32_bits(x) >> 31) != 0)
#define is_negative_f64(x) ((f64_bits(x) >> 63) != 0)
#define ones_u32(x) __popc(x)
#define ones_u64(x) __popcll(x)
#define zeros_u32(x) __clz((i32)(x))
#define zeros_u64(x) __clzll((i64)(x))
#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define FULL_KERNEL extern "C" __global__ void __launch_bounds__(256, 8)
#define GLOBAL
#define LOCAL __shared__
#define ALIGNED(n) __align__(n)
#define RESTRICT __restrict__
#define BARRIER __syncthreads()
#define ROLLED _Pragma("unroll 1")
#define WHOLLY _Pragma("unroll")
#define BY_EIGHT _Pragma("unroll 8")
#define EACH(i, n) ROLLED for (ix i = GROUP * 256 + ITEM; i < (n); i += GROUPS * 256)
#define NEXT continue
#define TASK(task, n) ROLLED for (ix task = GROUP; task < (n); task += GROUPS)
#define ATOMIC_add atomicAdd
#define ATOMIC_min atomicMin
#define ATOMIC_max atomicMax
#define ATOMIC_and atomicAnd
#define ATOMIC_or atomicOr
#define ATOMIC_xor atomicXor
#define ATOMIC_u32(word, space, at, x) ATOMIC_##word((u32*)(at), (u32)(x))
#define ATOMIC_i32(word, space, at, x) ATOMIC_##word((i32*)(at), (i32)(x))
#define ATOMIC_u64(word, space, at, x) ATOMIC_##word((u64*)(at), (u64)(x))
#define ATOMIC_i64(word, space, at, x) ATOMIC_##word((i64*)(at), (i64)(x))
#define ATOMIC_f32(word, space, at, x) ATOMIC_##word((f32*)(at), (f32)(x))
#define ATOMIC_f64(word, space, at, x) ATOMIC_##word((f64*)(at), (f64)(x))
#define WORD_u32(space, at) (*(volatile u32*)(at))
#define WORD_u64(space, at) (*(volatile u64*)(at))
#define EXCHANGE_u32(space, at, old, x) atomicCAS((u32*)(at), (u32)(old), (u32)(x))
#define EXCHANGE_u64(space, at, old, x) atomicCAS((u64*)(at), (u64)(old), (u64)(x))
#define ITEM ((ix)threadIdx.x)
#define GROUP ((ix)blockIdx.x)
#define GROUPS ((ix)gridDim.x)
#define GROUP_Y ((ix)blockIdx.y)
#define GROUPS_Y ((ix)gridDim.y)
)";

}  // namespace

constexpr Dialect Dialect::cuda{.name = "cuda",
                                .foreign = detail::ForeignTarget::cuda,
                                .extensions = "",
                                .prelude = cuda_prelude,
                                .function = "static __device__ __forceinline__ ",
                                .f32_suffix = "f",
                                .f32_magnitude = "fabsf",
                                .has_rsqrt = true,
                                .module_per_function = true,
                                .misfolds_rounded_nan = false,
                                .misnegates_16_bits = true,
                                .misfolds_clamps = true,
                                .items_in_lanes = false,
                                .shuffles = true,
                                .adds_floats = true,
                                .forward_progress = true,
                                .scan_local_bytes = 45056};

constexpr Dialect Dialect::opencl{.name = "opencl",
                                  .foreign = detail::ForeignTarget::opencl,
                                  .extensions = opencl_extensions,
                                  .prelude = opencl_prelude,
                                  .function = "static ",
                                  .f32_suffix = "",
                                  .f32_magnitude = "fabs",
                                  .has_rsqrt = false,
                                  .module_per_function = false,
                                  .misfolds_rounded_nan = true,
                                  .misnegates_16_bits = true,
                                  .misfolds_clamps = true,
                                  .items_in_lanes = true,
                                  .shuffles = false,
                                  .adds_floats = false,
                                  .forward_progress = false,
                                  .scan_local_bytes = 24576};

}  // namespace hasten::backends::c_like
