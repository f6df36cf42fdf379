#!/usr/bin/env python3
"""Programs on machines that are not present, by `hasten simulate`.

usage: simulate.py BIN            tables for the machines of bench/ranks/machines, as Markdown
       simulate.py BIN --check    what is predicted for two ranks from one, beside what two take
BIN is the folder of hasten-ranks-bench and hasten.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# For each case: extents, numbers, and the extents in hasten-ranks-bench.
TABLES = {
    "nbody": (["1048576"], []),
    "heat_3d": (["2048x2048x2048"], ["100"]),
    "sort": (["4000000000"], []),
    "histogram": (["16000000000"], []),
    "gradients": (["32768x32768"], ["100"]),
    "k_means": (["1000000000x8", "16x8"], []),
}
MEASURED = {
    "nbody": (["16384"], []),
    "heat_3d": (["256x256x256"], ["10"]),
    "sort": (["16000000"], []),
    "histogram": (["16000000"], []),
    "gradients": (["2048x2048"], ["10"]),
    "k_means": (["500000x8", "16x8"], []),
}


def run(command, **environment):
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=900
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done


def program(bin_folder, case, folder):
    """The case as a core program."""
    done = run([bin_folder / "hasten-ranks-bench", case, "0", "alone"], HASTEN_DUMP="core")
    lines = done.stderr.splitlines()
    path = folder / f"{case}.hir"
    path.write_text("\n".join(line for line in lines if not line.startswith("====")) + "\n")
    return path


def simulate(bin_folder, path, machine, devices, sizes):
    arrays, numbers = sizes
    command = [bin_folder / "hasten", "simulate", path, "--machine", machine, "--devices",
               ",".join(map(str, devices))]
    for extents in arrays:
        command += ["--array", extents]
    for number in numbers:
        command += ["--scalar", number]
    rows = [line.split() for line in run(command).stdout.splitlines()[2:]]
    return {int(row[0]): float(row[1]) for row in rows}


def tables(options, folder):
    for machine in sorted((HERE / "machines").glob("*.txt")):
        counts = [1, 2, 4, 8] if machine.stem == "gpus" else [1, 4, 16, 64, 256, 1024]
        print(f"\n`bench/ranks/machines/{machine.name}`: milliseconds (speed-up)\n")
        print("| program | " + " | ".join(str(n) for n in counts) + " |")
        print("| --- |" + " --- |" * len(counts))
        for case, sizes in TABLES.items():
            found = simulate(options.bin, program(options.bin, case, folder), machine, counts, sizes)
            cells = [f"{found[n]:.1f} ({found[counts[0]] / found[n]:.1f})" for n in counts]
            print(f"| {case} {' '.join(sizes[0])} | " + " | ".join(cells) + " |", flush=True)


def measured(options, case, ranks):
    command = ["mpirun", "--bind-to", "none", "-n", str(ranks),
               options.bin / "hasten-ranks-bench", case, "7"]
    environment = {"HASTEN_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    times = []
    for _ in range(options.rounds):
        lines = run(command, **environment).stdout.splitlines()
        times.append(next(json.loads(line)["ms"] for line in lines if line.startswith("{")))
    return statistics.median(times)


STREAMED_BYTES = 8 * 64_000_000  # of the case `stream`


def machine_with(folder, bandwidth, memory, rate):
    """A machine whose rates of arithmetic, sorting, gathers and updates follow from one number, to
    which programs are fitted."""
    path = folder / "machine.txt"
    path.write_text(
        f"device bandwidth {bandwidth} flops {rate} doubles {rate / 2} launch 5e-6 "
        f"sort {rate / 20} gathers {rate / 5} updates {rate / 5}\nnode devices 2 memory {memory}\n"
        "within latency 2e-6 bandwidth 5e9\nbetween latency 2e-6 bandwidth 5e9\n")
    return path


def fitted(simulated, one, bandwidth, memory):
    """The bandwidth, memory and rate with which the simulated time of one rank equals the measured
    time."""
    least = simulated(bandwidth, memory, 1e15)
    if least >= one:  # memory alone explains the time, or caches help
        return bandwidth * least / one, memory * least / one, 1e15
    low, high = 1e5, 1e15
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if simulated(bandwidth, memory, middle) > one else (low, middle)
    return bandwidth, memory, high


def check(options, folder):
    """The memory bandwidths of one rank and of two are those that a stream measures. The rate of
    the rest is fitted to a program's time on one rank; then the time of two ranks is predicted."""
    streamed = [measured(options, "stream", ranks) for ranks in (1, 2)]
    bandwidth, memory = (STREAMED_BYTES / (ms * 1e-3) for ms in streamed)
    print(f"memory: {bandwidth / 1e9:.1f} GB/s of one rank, {memory / 1e9:.1f} of two")
    for case, sizes in MEASURED.items():
        path = program(options.bin, case, folder)
        one, two = measured(options, case, 1), measured(options, case, 2)

        def of_one(*rates):
            return simulate(options.bin, path, machine_with(folder, *rates), [1], sizes)[1]

        found = fitted(of_one, one, bandwidth, max(bandwidth, memory))
        machine = machine_with(folder, *found)
        predicted = simulate(options.bin, path, machine, [2], sizes)[2]
        print(f"{case:10} one rank {one:9.3f} ms, two {two:9.3f} ms, predicted {predicted:9.3f} ms: "
              f"{100 * (predicted / two - 1):+.0f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (check if options.check else tables)(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
