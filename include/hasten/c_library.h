/* What the C source of an exported library, which hasten_add_library compiles, says of the library,
 * and what it calls. Plain C; of the same version of Hasten on both sides. */
#ifndef HASTEN_C_LIBRARY_H
#define HASTEN_C_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes at a multiple of 64. */
struct hasten_block {
  const unsigned char* bytes;
  size_t size;
};

/* Functions of a kernel's object file: finish, pack_down, pack_across, multiply, and run in its forms:
 * usual, short_rows, across_rows, across_blocks, joined_rows, few_results, few_columns, direct_tiles,
 * few_targets, apart_2 to apart_4, rows_of_1 to rows_of_4, mixed_rows_of_2 to mixed_rows_of_4; null:
 * none. */
struct hasten_kernel_code {
  void (*functions[23])(void);
};

/* Machine code of all kernels, by their numbers, for one level of processors. */
struct hasten_level_code {
  int level; /* 1: baseline, 2: AVX2, 3: AVX-512 */
  struct hasten_block schedules;
  const struct hasten_kernel_code* kernels;
};

/* What sorts on processors: of the runtime's. A library whose programs sort names it; others are linked
 * without. */
struct hasten_sorter;
extern const struct hasten_sorter hasten_processor_sorter;

/* Devices of a kind: of the runtime's, which opens them. */
struct hasten_device_kind;
extern const struct hasten_device_kind hasten_cuda_devices;
extern const struct hasten_device_kind hasten_opencl_devices;

/* Texts of all kernels, by their numbers, and code where there is any. */
struct hasten_device_code {
  int target; /* as in hasten_library_options */
  struct hasten_block kernels;
  const struct hasten_device_kind* kind;
};

struct hasten_library {
  const char* name;
  /* Of the library's array struct: places for extents and for components. */
  uint32_t rank_max, components_max;
  uint32_t entry_count, level_count, device_count;
  const struct hasten_block* entries;
  const struct hasten_level_code* levels;
  const struct hasten_sorter* sorter; /* null: no program with code for processors sorts */
  const struct hasten_device_code* devices;
  /* Compiled at run time: the main function of the program that exports it; else null. */
  int (*define)(int, char**);
};

/* Without a target it is the processor if there is code for it, else what there is code for. */
struct hasten_library_options {
  int32_t threads;      /* 0: HASTEN_THREADS, else as many as may run */
  int32_t level;        /* 0: the best that the processor has; else as in hasten_level_code */
  int64_t memory_limit; /* bytes of arrays that a call may hold, 0: the entry's own */
  int32_t target;       /* 0: any, 1: the processor, 2: CUDA, 3: OpenCL */
  int32_t device;       /* of the target, by its number */
};

/* All return a status (0: all went well), set this thread's error text unless it is 0, and throw
 * nothing. From any thread. */
struct hasten_library_functions {
  int (*create)(const struct hasten_library* library, void** context,
                const struct hasten_library_options* options);
  int (*free_context)(const struct hasten_library* library, void* context);
  int (*call)(const struct hasten_library* library, void* context, uint32_t entry,
              const void* const* arguments, void* const* results);
  int (*free_array)(const struct hasten_library* library, void* array);
  /* Of the last call of this thread that went wrong; "" at first. */
  const char* (*last_error)(void);
};

/* Of a library's own runtime, libhasten_runtime.a. */
const struct hasten_library_functions* hasten_ahead_functions(void);
/* Of libhasten: compiles when a context is made. */
const struct hasten_library_functions* hasten_jit_functions(void);

#ifdef __cplusplus
}
#endif

#endif
