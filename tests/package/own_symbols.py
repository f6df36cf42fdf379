#!/usr/bin/env python3
"""Fails if libhasten defines symbols of LLVM's that other libraries of a process would find: an OpenCL
driver with another LLVM would call them in place of its own (src/own_symbols.map)."""
import subprocess
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: own_symbols.py LIBRARY")
    listed = subprocess.run(["nm", "--dynamic", "--defined-only", sys.argv[1]],
                            check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1] for line in listed.splitlines() if line.strip()]
    if not any("hasten" in name for name in names):
        sys.exit(f"own_symbols: {sys.argv[1]} has none of Hasten's symbols; is it the library?")
    lent = [name for name in names if "4llvm" in name]
    for name in lent[:20]:
        print(name)
    if lent:
        sys.exit(f"own_symbols: {sys.argv[1]} gives {len(lent)} symbols of LLVM's away")


main()
