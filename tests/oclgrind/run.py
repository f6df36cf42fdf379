#!/usr/bin/env python3
"""Runs a program with Oclgrind as its only OpenCL device, and fails for anything in Oclgrind's log.

Oclgrind interprets kernels item by item, and reports reads and writes outside buffers, races within
and between groups, barriers that not all items reach, and wrong uses of the API; its own exit code
says nothing of them.
"""
import argparse
import os
import pathlib
import subprocess
import sys

SHOWN = 60  # lines of the log


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="liboclgrind-rt-icd.so")
    parser.add_argument("--log", required=True, type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    arguments.log.unlink(missing_ok=True)
    environment = os.environ | {
        "OCL_ICD_VENDORS": arguments.library,  # the loader takes this one instead of its folder
        "OCLGRIND_LOG": str(arguments.log),
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_CHECK_API": "1",
    }
    result = subprocess.run(arguments.command, env=environment, check=False).returncode
    if not arguments.log.exists():
        print("Oclgrind wrote no log: it was not the device", file=sys.stderr)
        return 1
    lines = arguments.log.read_text(errors="replace").splitlines()
    found = [line for line in lines if line.strip()]
    for line in lines[:SHOWN] if found else []:
        print(line)
    if found:
        print(f"Oclgrind reports something: {arguments.log}, {len(lines)} lines", file=sys.stderr)
    return result or bool(found)


if __name__ == "__main__":
    sys.exit(main())
