#!/usr/bin/env python3
"""Two processes of one thread each beside one of two threads, in turns: prints medians and ratios.

usage: run.py PROGRAM [--rounds N] [--calls N] [--json FILE] [CASE...]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

CASES = ["heat", "nbody", "gradients", "k_means"]
BAR = 1.1


def run(command, threads):
    environment = dict(
        os.environ,
        HASTEN_THREADS=str(threads),
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )
    output = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600
    )
    lines = [line for line in output.stdout.splitlines() if line.startswith("{")]
    if output.returncode != 0 or len(lines) != 1:
        sys.exit(f"{' '.join(command)} failed:\n{output.stdout}{output.stderr}")
    return json.loads(lines[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=11)
    parser.add_argument("--json")
    parser.add_argument("cases", nargs="*", default=CASES)
    options = parser.parse_args()
    records = []
    for case in options.cases:
        own = [options.program, case, str(options.calls)]
        ranks, alone = [], []
        for _ in range(options.rounds):
            ranks.append(run(["mpirun", "-n", "2", "--bind-to", "none", *own], 1))
            alone.append(run([*own, "alone"], 2))
        checks = {result["check"] for result in ranks} | {r["check"] for r in alone}
        spread = max(checks) - min(checks)
        record = {
            "name": f"ranks/{case}",
            "ranks": 2,
            "ours_ms": statistics.median(r["ms"] for r in ranks),
            "one_process_ms": statistics.median(r["ms"] for r in alone),
            "bytes_per_call": ranks[0]["bytes"],
            "wrong": spread > 1e-4 * max(map(abs, checks)),
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
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record) + "\n")
    sys.exit(any(record["wrong"] for record in records))


if __name__ == "__main__":
    main()
