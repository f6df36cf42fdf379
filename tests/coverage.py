#!/usr/bin/env python3
"""Prints line coverage by folder and in all, from llvm-cov's summary: SUMMARY.json ROOT.

Exit code: 0 if at least 90 % of the lines are reached.
"""
import collections
import json
import pathlib
import sys

WANTED_PERCENT = 90


def main(summary, root):
    files = json.loads(pathlib.Path(summary).read_text())["data"][0]["files"]
    folders = collections.defaultdict(lambda: [0, 0])
    worst = []
    for file in files:
        path = pathlib.Path(file["filename"]).relative_to(root)
        lines = file["summary"]["lines"]
        for name in (str(path.parent), "in all"):
            folders[name][0] += lines["covered"]
            folders[name][1] += lines["count"]
        worst.append((lines["count"] - lines["covered"], str(path), lines["percent"]))
    print("files with the most lines that no test reaches:")
    for missed, path, percent in sorted(worst, reverse=True)[:15]:
        print(f"{missed:7}  {percent:5.1f} %  {path}")
    print("\n  lines   reached")
    total = folders.pop("in all")
    for name, (covered, count) in [*sorted(folders.items()), ("in all", total)]:
        print(f"{count:7}  {100 * covered / max(count, 1):6.1f} %  {name}")
    return 0 if 100 * total[0] >= WANTED_PERCENT * total[1] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
