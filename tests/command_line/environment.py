#!/usr/bin/env python3
"""Hostile environments: whatever the switches hold, a program gives its result or an error.

Each switch of src/support/env.cpp is set to each of some values, and all of them at once. A run that
is killed, hangs, or prints another number is a mistake.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.parent
VALUES = ["", "x", "on", "-1", "0", "1", "1000000", "99999999999999999999", "/dev/null", "/dev/full",
          "absent/file", "%s%n%p", "\udcff\udcfe", "a" * 20_000, ",,,=,", "dir=", "cpu:7", "multi:"]
SECONDS = 120


def switches():
    text = (ROOT / "src/support/env.cpp").read_text()
    return re.findall(r'\{"(HASTEN_[A-Z_]+)"', text)


def run(tool, scratch, variables):
    """The exit code, what was printed, what was said on standard error."""
    command = [tool, "hir", str(ROOT / "tests/hir/dotp.hir"), "--run", "--array", "1000", "--array",
               "1000"]
    # Where there is no other target by default, as on machines without a GPU.
    environment = {"HASTEN_TARGET": "cpu", "HASTEN_CACHE_DIR": "off", **os.environ, **variables}
    with subprocess.Popen(command, cwd=scratch, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "", ""
        finally:
            pathlib.Path(f"/tmp/perf-{process.pid}.map").unlink(missing_ok=True)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def mistake(tool, scratch, variables, expected):
    code, out, err = run(tool, scratch, variables)
    named = {name: value[:40] for name, value in variables.items()}
    if code is None:
        return f"{named}: hangs"
    if code == 0 and expected in out:
        return None
    if code == 1 and err.strip():
        return None
    return f"{named}: ended with {code}:\n{out[-2000:]}{err[-2000:]}"


# Values that are not taken, and what is said of them.
WARNED_OF = [
    ("HASTEN_THREADS", "0", "no whole number from 1 to 4096"),
    ("HASTEN_THREADS", "1000000000", "no whole number from 1 to 4096"),
]


def silence(tool, scratch, name, value, words):
    code, _, err = run(tool, scratch, {name: value})
    if code == 0 and err.count(f"hasten: {name}: ") == 1 and words in err:
        return None
    return f"{name}={value}: ended with {code}, and said: {err[-2000:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    names = switches()
    code, expected, err = run(options.tool, options.scratch, {})
    if code != 0 or len(names) < 20:
        print(f"no result to compare with, or {len(names)} switches: {err}")
        return 1
    cases = [{name: value} for name in names for value in VALUES]
    cases += [dict.fromkeys(names, value) for value in VALUES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [m for m in pool.map(
            lambda case: mistake(options.tool, options.scratch, case, expected.strip()), cases) if m]
    found += [m for case in WARNED_OF if (m := silence(options.tool, options.scratch, *case))]
    print(*found, sep="\n")
    print(f"{len(cases)} environments of {len(names)} switches, {len(found)} mistakes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
