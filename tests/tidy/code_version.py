#!/usr/bin/env python3
"""What the code of kernels is made from is in the digest that says which code on disk is valid.

Follows what the digested sources include: each header that is reached, and the source beside it,
must be digested, too, or be one of those that no kernel's code depends on.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include (?:"([^"]+)"|<(hasten/[^>]+)>)', re.MULTILINE)
# No kernel's code is made here.
ELSEWHERE = [
    "src/support/",  # memory, files, threads, hashes
    "src/backends/backend.hpp", "src/backends/code_store.hpp", "src/backends/sorted_keys.hpp", "src/backends/host_sort.hpp",
    "src/backends/timed_work.hpp",
    "src/backends/late_inputs.hpp", "src/backends/host_memory.hpp",  # the seam
    "src/backends/facts.",  # what reports say of machines
    "src/backends/cuda/", "src/backends/opencl/",  # drivers, but for what is digested by name
    "include/hasten/run/",  # errors and options, which are in keys
    "include/hasten/detail/host_array.hpp",  # arrays of foreign functions, which no kernel calls
]


def reached_from(source, root):
    for quoted, public in INCLUDE.findall(source.read_text(encoding="utf-8")):
        header = root / "include" / public if public else root / "src" / quoted
        for file in (header, header.with_suffix(".cpp")):
            if file.exists():
                yield file


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--backend", required=True)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    digested = {source.resolve() for source in options.sources}
    missing = {}
    for source in sorted(digested):
        for file in reached_from(source, options.root.resolve()):
            name = str(file.relative_to(options.root.resolve()))
            if file not in digested and not name.startswith(tuple(ELSEWHERE)):
                missing.setdefault(name, source)
    for name, source in missing.items():
        print(f"{options.backend}: {source} includes {name}, which is not in the digest of "
              f"src/CMakeLists.txt")
    core = options.root.resolve() / "src" / "core"
    for name in ("scalar_ops.cpp", "scalar_ops.hpp", "operators.cpp"):
        if core / name not in digested:
            missing[name] = None
            print(f"{options.backend}: src/core/{name} is not in the digest")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
