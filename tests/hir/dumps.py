#!/usr/bin/env python3
"""Dumps read back: `hasten hir` receives what HASTEN_DUMP=core writes for a program that builds
many others, and must print all of them unchanged; so must it for HASTEN_DUMP=dir=...
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HEADING = re.compile(r"^(?:====|//) (\w+: program .*)$")
PLACE = re.compile(r" *// .*$")


def programs(text):
    """The texts of a dump by their headings, without places in the source."""
    found, lines = {}, []
    for line in text.splitlines():
        if heading := HEADING.match(line):
            lines = found.setdefault(heading.group(1), [])
        elif line.strip():
            lines.append(PLACE.sub("", line))
    return found


def dump(program, words):
    """The program's output to standard error with these stages requested."""
    environment = {**os.environ, "HASTEN_DUMP": words}
    return subprocess.run([program], check=True, capture_output=True, text=True, timeout=600,
                          env=environment).stderr


def read_back(tool, path):
    done = subprocess.run([tool, "hir", str(path)], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        print(f"{path.name}: {done.stderr.strip()}")
        return None
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.scratch, ignore_errors=True)
    arguments.scratch.mkdir(parents=True)
    everything = arguments.scratch / "everything.txt"
    everything.write_text(dump(arguments.program, "core"))
    dumped = programs(everything.read_text())
    printed = programs(read_back(arguments.tool, everything) or "")
    failed = len(dumped) < 50
    for heading, text in dumped.items():
        if printed.get(heading) != text:
            failed += 1
            print(f"{heading}: dumped\n" + "\n".join(text) + "\nread back\n" +
                  "\n".join(printed.get(heading, [])))
    folder = arguments.scratch / "folder"
    dump(arguments.program, f"core,dir={folder}")
    first = sorted(folder.glob("1-core.txt"))
    failed += len(first) != 1 or read_back(arguments.tool, first[0]) is None
    print(f"dumps: {len(dumped)} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
