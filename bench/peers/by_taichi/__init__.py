"""Taichi: kernels on the processor over NumPy's arrays, without copies. Kernels are generated from
their source; the outermost loop is parallel."""
import os

import taichi


def version():
    taichi.init(arch=taichi.cpu, cpu_max_num_threads=len(os.sched_getaffinity(0)), fast_math=True,
                log_level=taichi.WARN, offline_cache=False)
    return "Taichi " + ".".join(map(str, taichi.__version__))
