#!/usr/bin/env python3
"""Runs ./dev gpu's program over the fake CUDA driver, with stand-ins for NVIDIA's tools: a command
that people run on a machine they have for minutes must work at the first try.

The environment names the fake driver. Exit code: 0 if everything is as it should be.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

# A report of the sanitizer is asked for by a variable.
SANITIZER = """#!/bin/sh
while [ "${1#--}" != "$1" ]; do
  if [ "$1" = --version ]; then echo "stand-in 1.0"; exit 0; fi
  shift 2
done
"$@" || exit $?
echo "========= ERROR SUMMARY: ${STAND_IN_ERRORS:-0} errors"
"""
NVIDIA_SMI = "#!/bin/sh\necho 'stand-in GPU, 1.0, 8 GiB'\n"
TESTS = "*Folds.TwoOf*:*Permutations.Gather*"


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


def run(arguments, options, **more):
    environment = dict(os.environ, PATH=f"{options.scratch / 'tools'}:{os.environ['PATH']}", **more)
    done = subprocess.run([sys.executable, str(options.command), *map(str, arguments)], check=False,
                          capture_output=True, text=True, env=environment, cwd=options.scratch)
    return done.returncode, done.stdout + done.stderr


def expect(condition, what, output):
    if not condition:
        print(f"FAILED: {what}\n{output}")
        sys.exit(1)


def check_whole_run(options):
    out = options.scratch / "whole"
    status, output = run(["--programs", options.programs, "--out", out, "--tiny", "--jobs", "2",
                          "--filter", options.filter, "--phases",
                          "info,smoke,bench,conformance,peers,memcheck,racecheck",
                          "--minutes", "13", "--limit", "smoke=300", "--limit", "bench=300",
                          "--limit", "conformance=300"], options)
    expect(status == 0, "the run says that something is wrong", output)
    listed = subprocess.run([options.programs / "hasten-gpu-bench", "--list"], check=True,
                            capture_output=True, text=True).stdout.split()
    records = [json.loads(line) for line in (out / "bench.jsonl").read_text().splitlines()]
    expect("device" in records[0], "the first record is not about the device", output)
    names = {record["name"] for record in records[1:]}
    expect(set(listed) <= names, f"no records of {set(listed) - names}", output)
    for record in records[1:]:
        expect(not record["wrong"] and not record["error"] and record["ours_ms"],
               f"a bad record: {record}", output)
    for phase in ("conformance", "memcheck", "racecheck"):
        summary = json.loads((out / f"{phase}.json").read_text())
        expect(summary["passed"] > 0 and not summary["failed"], f"{phase}: {summary}", output)
    page = (out / "performance-gpu.md").read_text()
    for part in ("stand-in GPU", "| loop |", "compute-sanitizer memcheck", "| sum |"):
        expect(part in page, f"the page has no {part!r}", page)


def check_findings(options):
    """A report of the sanitizer fails its phase."""
    out = options.scratch / "findings"
    status, output = run(["--programs", options.programs, "--out", out, "--tiny", "--jobs", "1",
                          "--filter", options.filter, "--phases", "memcheck", "--limit",
                          "memcheck=300", "--minutes", "6"], options, STAND_IN_ERRORS="3")
    expect(status == 1, "reports of the sanitizer do not fail", output)
    summary = json.loads((out / "memcheck.json").read_text())
    expect(summary["reports"] == 3, f"reports: {summary}", output)


def check_hang(options):
    """A phase that hangs is ended, what it had shown counts, and the next one runs."""
    programs, out = options.scratch / "hanging", options.scratch / "hang"
    programs.mkdir()
    executable(programs / "conformance_cuda", "#!/bin/sh\n"
               "echo '[ RUN      ] Some.Test'\necho '[       OK ] Some.Test (1 ms)'\n"
               "echo '[ RUN      ] Some.Other'\nsleep 1000\n")
    executable(programs / "hasten-gpu-bench", "#!/bin/sh\n"
               "while [ \"$1\" != --json ]; do shift; done\n"
               "echo '{\"device\":\"none\"}' >\"$2\"\n"
               "echo '{\"name\":\"sum\",\"wrong\":[],\"error\":null}' >>\"$2\"\nprintf '{\"na' >>\"$2\"\n")
    status, output = run(["--programs", programs, "--out", out, "--jobs", "1", "--phases",
                          "conformance,bench", "--limit", "conformance=2"], options)
    expect(status == 1, "a hang does not fail", output)
    summary = json.loads((out / "conformance.json").read_text())
    expect(summary["passed"] == 1 and summary["unfinished"] == 1, f"of the hang: {summary}", output)
    expect(summary["ended"] == ["Some.Other"], f"of the hang: {summary}", output)
    expect(json.loads((out / "phases.json").read_text())["bench"], "no phase after a hang", output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default=TESTS)
    options = parser.parse_args()
    shutil.rmtree(options.scratch, ignore_errors=True)
    (options.scratch / "tools").mkdir(parents=True)
    executable(options.scratch / "tools" / "compute-sanitizer", SANITIZER)
    executable(options.scratch / "tools" / "nvidia-smi", NVIDIA_SMI)
    check_hang(options)
    check_whole_run(options)
    check_findings(options)
    print("./dev gpu works over the fake driver")
    return 0


if __name__ == "__main__":
    sys.exit(main())
