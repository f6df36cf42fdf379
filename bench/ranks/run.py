#!/usr/bin/env python3
"""Two processes of one thread each beside one of two threads, in turns: prints medians and ratios.

usage: run.py PROGRAM [--rounds N] [--calls N] [--json FILE] [CASE...]
"""

import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import turns

CASES = ["heat", "nbody", "gradients", "k_means"]
BAR = 1.1


def run(command, threads):
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return turns.run(command, {"HASTEN_THREADS": str(threads), **as_root})


def main():
    options = turns.options(__doc__, CASES)
    records = []
    for case in options.cases:
        own = [options.program, case, str(options.calls)]
        ranks, alone = [], []
        for _ in range(options.rounds):
            ranks.append(run(["mpirun", "-n", "2", "--bind-to", "none", *own], 1))
            alone.append(run([*own, "alone"], 2))
        record = {
            "name": f"ranks/{case}",
            "ranks": 2,
            "ours_ms": statistics.median(r["ms"] for r in ranks),
            "one_process_ms": statistics.median(r["ms"] for r in alone),
            "bytes_per_call": ranks[0]["bytes"],
            "wrong": turns.differ(ranks + alone),
        }
        record["ratio"] = record["ours_ms"] / record["one_process_ms"]
        records.append(record)
        print(
            f"{record['name']:18} two ranks {record['ours_ms']:9.3f} ms   "
            f"two threads {record['one_process_ms']:9.3f} ms   ratio {record['ratio']:.2f} "
            f"(bar {BAR})   {record['bytes_per_call']} bytes a call"
            f"{'   WRONG' if record['wrong'] else ''}",
            flush=True,
        )
    turns.finish(records, options.json)


if __name__ == "__main__":
    main()
