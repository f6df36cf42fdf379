"""Taichi: kernels on the processor, of NumPy's arrays, which are not copied. Its kernels are made
from their source, in which the outermost loop is parallel."""
import os

import taichi


def version():
    taichi.init(arch=taichi.cpu, cpu_max_num_threads=len(os.sched_getaffinity(0)), fast_math=True,
                log_level=taichi.WARN, offline_cache=False)
    return "Taichi " + ".".join(map(str, taichi.__version__))
