"""Numba: loops compiled by LLVM, parallel where that pays, with fastmath."""
import os

import numba


def version():
    numba.set_num_threads(min(len(os.sched_getaffinity(0)), numba.config.NUMBA_NUM_THREADS))
    return f"Numba {numba.__version__}"
