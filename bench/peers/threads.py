"""So many threads for everyone: what has to be set before the peers are imported."""
import os

# Names that hold a number of threads, in each library's own words.
NUMBERS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "HL_NUM_THREADS",
           "MKL_NUM_THREADS", "TI_NUM_THREADS")


def available():
    return len(os.sched_getaffinity(0))


def limit(threads):
    """Of this process and what it starts. XLA has as many threads as there are processors that the
    process may run on, so that it is let run on no more."""
    processors = sorted(os.sched_getaffinity(0))
    if threads > len(processors):
        raise SystemExit(f"run.py: {threads} threads, but {len(processors)} processors")
    os.sched_setaffinity(0, processors[:threads])
    for name in NUMBERS:
        os.environ[name] = str(threads)
    # OpenBLAS's threads wait 28 ms in a loop else, while the next contender has its turn.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")
