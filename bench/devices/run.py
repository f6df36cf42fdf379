#!/usr/bin/env python3
"""Several devices beside each of them, in turns: prints medians, and ratios with their bars.

usage: run.py PROGRAM [--rounds N] [--calls N] [--json FILE] [CASE...]

The processor has one thread, and PoCL the other one. Both together are expected to reach at least
0.9 of the sum of their rates, and at most 1.03 of the better one's time. `multi:cpu` may take 1.03
of `cpu`, two halves of PoCL 1.1 of the whole.
"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import turns

CASES = [
    "black_scholes",
    "nbody",
    "mandelbrot",
    "blur",
    "histogram",
    "heat",
    "dot",
    "scan",
    "matmul",
    "small",
]
POCL_THREADS = ["POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"]

# The settings: HASTEN_TARGET, threads of the processor and of PoCL, sub-devices.
SETTINGS = {
    "cpu": ("cpu", 1, 1, 1),
    "opencl": ("opencl:0", 1, 1, 1),
    "both": ("multi:cpu,opencl:0", 1, 1, 1),
    "multi_cpu": ("multi:cpu", 1, 1, 1),
    "whole": ("opencl:0", 2, 2, 1),
    "halves": ("multi:opencl:0,opencl:1", 2, 2, 2),
}


def run(program, case, calls, setting, cache):
    target, threads, pocl_threads, parts = SETTINGS[setting]
    environment = {
        "HASTEN_TARGET": target,
        "HASTEN_THREADS": str(threads),
        "HASTEN_OPENCL_SUBDEVICES": str(parts),
        "HASTEN_CACHE_DIR": cache,
        **{name: str(pocl_threads) for name in POCL_THREADS},
    }
    return turns.run([program, case, str(calls)], environment)


def record_of(case, results):
    ms = {name: statistics.median(r["ms"] for r in all) for name, all in results.items()}
    sum_of_rates = 1 / ms["cpu"] + 1 / ms["opencl"]
    return {
        "name": f"devices/{case}",
        **{f"{name}_ms": value for name, value in ms.items()},
        "of_sum_of_rates": 1 / ms["both"] / sum_of_rates,
        "to_better": ms["both"] / min(ms["cpu"], ms["opencl"]),
        "multi_cpu_to_cpu": ms["multi_cpu"] / ms["cpu"],
        "halves_to_whole": ms["halves"] / ms["whole"],
        "wrong": turns.differ([r for all in results.values() for r in all]),
    }


def main():
    options = turns.options(__doc__, CASES)
    # Shares that other runs learned must not be reused.
    with tempfile.TemporaryDirectory() as cache:
        records = measure(options, cache)
    turns.finish(records, options.json)


def measure(options, cache):
    records = []
    for case in options.cases:
        results = {setting: [] for setting in SETTINGS}
        for _ in range(options.rounds):
            for setting, all in results.items():
                all.append(run(options.program, case, options.calls, setting, cache))
        record = record_of(case, results)
        records.append(record)
        times = "  ".join(f"{name} {record[f'{name}_ms']:.3f}" for name in SETTINGS)
        print(
            f"{record['name']:22} {times} ms\n{'':22} "
            f"both: {record['of_sum_of_rates']:.2f} of the sum of rates (bar 0.90), "
            f"{record['to_better']:.2f} of the better one (1.03); "
            f"multi:cpu {record['multi_cpu_to_cpu']:.2f} of cpu (1.03); "
            f"halves {record['halves_to_whole']:.2f} of the whole (1.10)"
            f"{'   WRONG' if record['wrong'] else ''}",
            flush=True,
        )
    return records


if __name__ == "__main__":
    main()
