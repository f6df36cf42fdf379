#!/usr/bin/env python3
"""Measures Hasten beside the peers in one process; see README.md. ./dev bench --peers runs it.

    run.py LIBRARY [--filter REGEX] [--json FILE] [--threads N,...] [--repeat N] [--peers NAME,...]
    run.py --report FILE... [--to FOLDER]
"""
import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys

import figures
import threads


def processor():
    """The machine's processor by its own name, with what identifies its generation."""
    told = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        told.setdefault(name.strip(), value.strip())
    flags = told.get("flags", "").split()
    widest = next((w for f, w in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if f in flags), "")
    parts = [told.get("model name", platform.machine()), f"family {told.get('cpu family', '?')}",
             f"model {told.get('model', '?')}", widest, f"{threads.available()} processors"]
    return ", ".join(part for part in parts if part)


def present(names):
    """The versions of the peers that can be imported; for the others, the reasons."""
    import registry
    versions, absent = {}, {}
    for name in names:
        try:
            versions[name] = registry.load_peer(name)
        except Exception as error:  # pylint: disable=broad-except
            absent[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return versions, absent


def shown(record):
    """One line of the table."""
    ratio = "" if record["ratio"] is None else f"{record['ratio']:.2f}"
    others = {k: v for k, v in record["medians_ms"].items() if k != figures.OURS}
    listed = ", ".join(f"{k} {figures.milliseconds(v)}"
                       for k, v in sorted(others.items(), key=lambda item: item[1]))
    line = (f"{record['name']:20} {record['threads']:2} {figures.milliseconds(record['ours_ms']):>8}"
            f" {figures.milliseconds(record['best_ms']):>8} {ratio:>6}  {listed}")
    return "\n".join([line, *(f"    {p['name']} {p['kind']}: {p['text']}"
                              for p in record["problems"])])


def run_all(options):
    """Runs the cases in this process, on options.threads."""
    machine = {"machine": processor()}
    threads.limit(options.threads)
    import harness
    import registry
    from hasten_library import Library
    versions, absent = present(options.peers)
    for name, why in absent.items():
        print(f"{name} is ABSENT: {why}", flush=True)
    print("; ".join(versions.values()), flush=True)
    machine |= {"versions": versions, "absent": absent}
    library = Library(options.library, options.threads)
    print(f"{'case':20} {'th':>2} {'ours ms':>8} {'best ms':>8} {'ratio':>6}  everyone", flush=True)
    failed = False
    for case in registry.load_cases():
        if not re.search(options.filter, case.name):
            continue
        record = harness.measure(case, library, versions, options) | machine
        print(shown(record), flush=True)
        failed |= any(p["name"] == figures.OURS for p in record["problems"])
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
    return 1 if failed else 0


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", help="libhasten_peers.so")
    parser.add_argument("--filter", default="", metavar="REGEX", help="cases by name")
    parser.add_argument("--json", metavar="FILE", help="records are added to it, one a line")
    parser.add_argument("--threads", metavar="N,...", help="default: 1 and all")
    parser.add_argument("--repeat", type=int, default=11, help="turns of each contender")
    parser.add_argument("--pause-ms", type=float, default=10.0, help="between turns")
    parser.add_argument("--peers", default="numpy,numba,jax,taichi,halide,drjit", metavar="NAME,...")
    parser.add_argument("--report", nargs="+", metavar="FILE", help="write the page from records")
    parser.add_argument("--to", default="docs", metavar="FOLDER", help="of the page and its plots")
    return parser.parse_args(arguments)


def main(arguments):
    options = parsed(arguments)
    if options.report:
        import report
        return report.write(options.report, pathlib.Path(options.to))
    if not options.library:
        raise SystemExit("run.py: which library? see --help")
    counts = sorted({1, threads.available()})
    if options.threads:
        counts = [int(n) for n in options.threads.split(",")]
    if len(counts) == 1:
        options.threads = counts[0]
        options.peers = [name for name in options.peers.split(",") if name]
        return run_all(options)
    # One process for each number, since libraries make their threads once.
    kept = [a for a in arguments if a != options.threads and a != "--threads"
            and a != f"--threads={options.threads}"]
    codes = [subprocess.run([sys.executable, __file__, *kept, "--threads", str(n)],
                            check=False).returncode for n in counts]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
