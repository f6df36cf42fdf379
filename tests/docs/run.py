#!/usr/bin/env python3
"""Compiles and runs the programs of the guides.

Of each page, blocks ```cpp stand at namespace scope and blocks ```cpp main in main(), in order; a
block ```text holds what the block before it prints. The first line of each block is line 1 of
"program.cpp", so that errors name lines that a reader can count.
"""
import argparse
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "@@@"
BEGIN = '#line 1 "program.cpp"\n'


def program(page):
    """The C++ program of a page, and the texts its blocks print."""
    outside, inside, expected = [], [], []
    for kind, text in BLOCK.findall(page):
        if kind == "cpp":
            outside.append(BEGIN + text)
        elif kind == "cpp main":
            inside.append(f'std::cout << "{MARK}";\n' + BEGIN + text)
            expected.append("")
        elif kind == "text" and expected:
            expected[-1] = text
    source = "\n".join(outside) + "\nint main() {\n" + "\n".join(inside) + "\n}\n"
    return source, expected


def check(page, arguments, scratch):
    source, expected = program(page.read_text())
    name = scratch / page.stem
    name.with_suffix(".cpp").write_text(source)
    subprocess.run([*arguments.compiler, "-std=c++20", "-O0", f"-I{arguments.include}",
                    str(name.with_suffix(".cpp")), "-o", str(name), str(arguments.library),
                    f"-Wl,-rpath,{arguments.library.parent}"], check=True)
    printed = subprocess.run([str(name)], check=True, capture_output=True, text=True,
                             timeout=120).stdout.split(MARK)[1:]
    failed = 0
    for got, wanted in zip(printed, expected, strict=True):
        if got != wanted:
            failed += 1
            print(f"{page.name}: expected\n{wanted}but it printed\n{got}")
    print(f"{page.name}: {len(expected)} programs, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--scratch", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", required=True, nargs="+")
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    return 1 if sum(check(page, arguments, arguments.scratch) for page in arguments.pages) else 0


if __name__ == "__main__":
    sys.exit(main())
