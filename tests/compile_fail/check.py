#!/usr/bin/env python3
"""Checks that wrong programs are refused by the compiler, with a message that helps.

Every *.cpp beside this script starts with comment lines that say what to expect:
    // expect: REGEX      must not compile, and what is first said must match (all such lines must)
    // expect gcc: REGEX  the same of one compiler (gcc, clang), where they cannot say the same
    // later: REGEX       the same, but anywhere: for what templates hide
    // compiles           must compile: the right program beside the wrong ones
What is first said are the first ten lines, as people see them; and one of them names the line of the
case that is wrong. Names of files and quoted source lines of Hasten do not count as said.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LOCATION = re.compile(r"^\S+?:\d+(:\d+)?:\s*")
QUOTED = re.compile(r"^\s*\d* \|")
FIRST_LINES = 10
MAX_FIRST_ERRORS = 40  # lines shown of a wrong outcome


def expectations(path, compiler):
    """(patterns of the first lines, of all lines, must_compile) from the top of a case."""
    first, anywhere, must_compile = [], [], False
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        what, _, pattern = line[2:].strip().partition(": ")
        kind, _, only = what.partition(" ")
        if only and is_clang(compiler) != (only == "clang"):
            continue
        if kind == "expect":
            first.append(pattern.strip())
        elif kind == "later":
            anywhere.append(pattern.strip())
        elif what == "compiles":
            must_compile = True
    return first, anywhere, must_compile


def is_clang(compiler):
    return "clang" in pathlib.Path(compiler).name


def command_of(compiler, include):
    return [compiler, "-std=c++20", "-I", include, "-Wall", "-Wextra", "-Werror",
            "-fdiagnostics-color=never"]


def precompile(compiler, include, scratch):
    """Hasten's header, which every case includes, compiled once; the options that use it."""
    folder = scratch / pathlib.Path(compiler).name
    folder.mkdir(parents=True, exist_ok=True)
    header = folder / "header.hpp"
    header.write_text("#include <hasten/hasten.hpp>\n")
    binary = folder / ("header.pch" if is_clang(compiler) else "header.hpp.gch")
    subprocess.run([*command_of(compiler, include), "-x", "c++-header", str(header), "-o",
                    str(binary)], check=True)
    return ["-include-pch", str(binary)] if is_clang(compiler) else ["-include", str(header)]


def compile_case(compiler, include, header, path):
    command = [*command_of(compiler, include), *header, "-fsyntax-only", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def messages(lines):
    """What the compiler says, without where."""
    return "\n".join(LOCATION.sub("", line) for line in lines
                     if not line.startswith("In file included from") and not QUOTED.match(line))


def judge(compiler, include, header, path):
    """None if the case behaves as it says, else what is wrong."""
    first, anywhere, must_compile = expectations(path, compiler)
    if bool(first + anywhere) == must_compile:
        return "needs either `// expect:` lines or `// compiles` at its top"
    status, diagnostics = compile_case(compiler, include, header, path)
    # People have no precompiled header on the way.
    lines = [line for line in diagnostics.splitlines() if "/header.hpp:1" not in line]
    shown = "\n".join(lines[:MAX_FIRST_ERRORS])
    if must_compile:
        return None if status == 0 else f"should compile:\n{shown}"
    if status == 0:
        return "compiles, and should not"
    begin = lines[:FIRST_LINES]
    missing = [p for p in first if not re.search(p, messages(begin), re.IGNORECASE)]
    missing += [p for p in anywhere if not re.search(p, messages(lines), re.IGNORECASE)]
    if missing:
        return f"no message matches {missing}:\n{shown}"
    if first and not any(re.match(re.escape(str(path)) + r":\d+", line) for line in begin):
        return f"the first {FIRST_LINES} lines do not name a line of the case:\n{shown}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--json", type=pathlib.Path, help="report in GoogleTest's form")
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("compilers", nargs="+")
    options = parser.parse_args()

    cases = [(compiler, path) for compiler in options.compilers
             for path in sorted(HERE.glob("*/*.cpp")) if options.filter in path.stem]
    with (tempfile.TemporaryDirectory() as scratch,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        headers = dict(zip(options.compilers, pool.map(
            lambda name: precompile(name, options.include, pathlib.Path(scratch)),
            options.compilers)))
        verdicts = list(pool.map(
            lambda case: judge(case[0], options.include, headers[case[0]], case[1]), cases))

    report = []
    for (compiler, path), wrong in zip(cases, verdicts):
        name = f"{path.stem} ({pathlib.Path(compiler).name})"
        entry = {"name": name, "result": "COMPLETED"}
        if wrong:
            print(f"FAILED {name}: {wrong}\n")
            entry["failures"] = [{"failure": wrong}]
        report.append(entry)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"testsuites": [{"testsuite": report}]}))
    failed = sum(1 for wrong in verdicts if wrong)
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
