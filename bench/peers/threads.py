"""Sets the number of threads for all contenders; must run before the peers are imported."""
import os

# The environment variables that hold each library's number of threads.
NUMBERS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "HL_NUM_THREADS",
           "MKL_NUM_THREADS", "TI_NUM_THREADS")


def available():
    return len(os.sched_getaffinity(0))


def limit(threads):
    """Sets the threads of this process and its children. XLA has as many threads as the process may
    use processors, so the process is limited to that many."""
    processors = sorted(os.sched_getaffinity(0))
    if threads > len(processors):
        raise SystemExit(f"run.py: {threads} threads, but {len(processors)} processors")
    os.sched_setaffinity(0, processors[:threads])
    for name in NUMBERS:
        os.environ[name] = str(threads)
    # Otherwise, OpenBLAS's threads spin for 28 ms, during the next contender's turn.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "20")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")
