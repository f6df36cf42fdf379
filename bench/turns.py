"""Shared by the benchmarks of whole processes, which run in turns and print one JSON object
each."""

import argparse
import json
import os
import subprocess
import sys


def options(doc, cases):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=11)
    parser.add_argument("--json")
    parser.add_argument("cases", nargs="*", default=cases)
    return parser.parse_args()


def run(command, environment):
    """The object that the command prints in this environment, extended by `environment`."""
    output = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    lines = [line for line in output.stdout.splitlines() if line.startswith("{")]
    if output.returncode != 0 or len(lines) != 1:
        sys.exit(f"{' '.join(command)} failed:\n{output.stdout}{output.stderr}")
    return json.loads(lines[0])


def differ(results):
    """Whether results differ by more than the order of float sums explains."""
    checks = [result["check"] for result in results]
    return max(checks) - min(checks) > 1e-4 * max(1, *map(abs, checks))


def finish(records, path):
    """Writes one line per result to the file, if there is one, and exits; with 1 if a result is
    wrong."""
    if path:
        with open(path, "w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record) + "\n")
    sys.exit(any(record["wrong"] for record in records))
