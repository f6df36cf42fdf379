#!/usr/bin/env python3
"""Writes docs/performance-gpu.md from the folders of runs of ./dev gpu, later runs first.

Without folders, the page says that no GPU was at hand.
"""
import argparse
import json
import pathlib
import sys

HEAD = """# Performance on GPUs

This page compares Hasten's programs on a GPU with the same work written by hand in CUDA, and says
whether their results are right there. `./dev gpu` measures it anew and writes this page;
[testing.md](testing.md) describes what it runs.

## How it is measured

One process runs, in turns,

- Hasten;
- hand-written CUDA ([bench/gpu/kernels.inc](../bench/gpu/kernels.inc), compiled by the same NVRTC);
- CUB, where a toolkit is there to compile it;
- kernels that measure the device's limits.

A row is made of medians. All contenders wait for the device after every run, so a launch's cost is
in every number. All arrays are on the device beforehand; results are new arrays on the device.
Every result is compared with a plain loop's on the host before anything is timed.

Contenders marked `strict` round every operation by itself, as Hasten does unless `FastMath` allows
more; [performance.md](performance.md#how-it-is-measured) has the details.
"""

ABSENT = """
## Measured

Not yet: no GPU has been at hand. [testing.md](testing.md) describes what checks the CUDA target
until then: the real NVRTC compiles every kernel, and a driver on the host runs them. `./dev gpu`
itself is tested over that driver, so that it works when there is a device.
"""

COLUMNS = """\
The ratio is Hasten's time over that of the best contender. A bar is what the project demands of a
case: a share of the limit, or a ratio.

"""

# The project's bars: name -> (description, at least or at most, number).
BARS = {
    "dot": ("limit_share", ">=", 0.90), "sum": ("limit_share", ">=", 0.90),
    "map": ("limit_share", ">=", 0.90), "scan": ("limit_share", ">=", 0.85),
    "rows-sum": ("limit_share", ">=", 0.85), "segmented-sum": ("limit_share", ">=", 0.85),
    "segmented-sum-long": ("limit_share", ">=", 0.85), "black_scholes": ("ratio", "<=", 1.0),
    "nbody": ("ratio", "<=", 1.0), "sort": ("ratio", "<=", 1.2),
    "histogram-256": ("ratio", "<=", 1.2), "histogram-64k": ("ratio", "<=", 1.2),
    "permute-add": ("ratio", "<=", 1.1), "loop": ("ratio", "<=", 1.5),
}
WORDS = {"limit_share": "of the limit", "ratio": "of the best's time"}


def read_json(folders, name):
    """The file in the first folder that has it."""
    for folder in folders:
        path = folder / name
        if path.exists():
            try:
                return json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                continue
    return None


def read_lines(folders, name):
    """The records of all folders; of several records with one name, that of the first folder is
    used."""
    found = {}
    for folder in folders:
        path = folder / name
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            found.setdefault(record.get("name", ""), record)
    return found


def number(x, digits=2):
    if x is None:
        return "-"
    return f"{x:.4f}" if digits == 2 and x < 1 else f"{x:.{digits}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def bar_of(record):
    """The bar in words, and whether it is met."""
    what, how, bar = BARS.get(record["name"], (None, None, None))
    if what is None:
        return "", ""
    got = record.get(what)
    met = got is not None and (got >= bar if how == ">=" else got <= bar)
    sign = "at least" if how == ">=" else "at most"
    return f"{sign} {bar:g} {WORDS[what]}", "-" if got is None else "yes" if met else "**no**"


def benchmarks(records):
    rows = []
    for name, r in records.items():
        bar, met = bar_of(r)
        trouble = ", ".join(r.get("wrong") or []) or r.get("error") or ""
        limit = f"{r['limit_name']} {number(r['limit_rate'], 0)} {r['limit_unit']}" \
            if r.get("limit_name") else ""
        rows.append([name, r.get("size", ""), number(r.get("ours_ms")), r.get("best_name") or "-",
                     number(r.get("best_ms")), number(r.get("ratio"), 3).rstrip("0").rstrip("."),
                     number(r.get("limit_share"), 3), limit, bar, met or "",
                     f"WRONG: {trouble}" if trouble else ""])
    head = ["case", "size", "Hasten ms", "best contender", "its ms", "ratio", "share of the limit",
            "limit", "bar", "met", ""]
    return table(head, rows)


def everyone(records):
    rows = [[name, ", ".join(f"{who} {number(ms)}" for who, ms in
                             sorted(r["medians_ms"].items(), key=lambda item: item[1]))]
            for name, r in records.items() if r.get("medians_ms")]
    return "\nAll medians in milliseconds:\n\n" + table(["case", "who"], rows) if rows else ""


def peers(records, ours):
    rows = []
    for name, r in records.items():
        mine = ours.get(name, {}).get("ours_ms")
        others = ", ".join(f"{who} {number(ms)}" for who, ms in r.get("medians_ms", {}).items())
        comparable = name != "nbody"  # measured with fewer bodies
        rows.append([name, number(mine) if comparable else "-", others, r.get("error") or ""])
    return table(["case", "Hasten ms", "others ms", "did not run"], rows)


def correctness(folders):
    rows = []
    for phase, what in (("conformance", "the conformance suite"),
                        ("memcheck", "compute-sanitizer memcheck"),
                        ("racecheck", "compute-sanitizer racecheck")):
        r = read_json(folders, f"{phase}.json")
        if not r:
            rows.append([what, "not run", "", "", "", ""])
            continue
        ended = r["unfinished"] or r["crashed"]
        rows.append([what, str(r["passed"]), str(len(r["failed"])), str(r["skipped"]),
                     str(r.get("reports", "")),
                     f"{r['unfinished']} processes were ended by the time limit, {r['crashed']} "
                     "crashed" if ended else "all ran"])
    failed = [name for phase in ("conformance", "memcheck", "racecheck")
              for name in (read_json(folders, f"{phase}.json") or {}).get("failed", [])]
    text = table(["", "passed", "failed", "skipped", "reports", ""], rows)
    return text + ("\nFailed: " + ", ".join(f"`{name}`" for name in failed) + "\n" if failed else "")


def page(folders):
    if not folders:
        return HEAD + ABSENT
    facts = read_json(folders, "info.json") or {}
    records = read_lines(folders, "bench.jsonl")
    about = records.pop("", {})
    device = about.get("device") or facts.get("gpu") or "an unnamed device"
    parts = [HEAD, f"\n## Measured on {device}\n"]
    parts.append(f"\n{facts.get('date', '')}, at commit {facts.get('commit')}; `nvidia-smi` "
                 f"reports {facts.get('gpu')}.\n")
    parts.append("\n### Correctness\n\n" + correctness(folders))
    if records:
        parts.append("\n### Speed\n\n" + COLUMNS + benchmarks(records) + everyone(records))
    others = read_lines(folders, "peers.jsonl")
    if others:
        parts.append("\n### Beside other libraries\n\nThey run in a process of their own, on the "
                     "same sizes, and the host waits for each call.\n\n" + peers(others, records))
    return "".join(parts)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    for folder in options.folders:
        if not folder.is_dir():
            parser.error(f"there is no folder {folder}")
    options.to.write_text(page(options.folders), encoding="utf-8")
    print(f"wrote {options.to}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
