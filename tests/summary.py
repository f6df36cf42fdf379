#!/usr/bin/env python3
"""Adds up the tests of one or more CTest runs and prints the closing line of ./dev test.

Each argument is the JUnit file of a CTest run; a folder test-state/results beside it may hold the
reports of GoogleTest binaries (<entry>.json), which count each of their tests.
Exit code: 0 if tests ran and none failed.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

NOT_TESTS = {"clean_state"}  # fixtures


def from_report(report, names):
    """(passed, failed, skipped) of one GoogleTest report; adds the names of what was skipped."""
    passed = failed = skipped = 0
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            if case.get("failures"):
                failed += 1
            elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
                skipped += 1
                names.append(f"{suite['name']}.{case['name']}")
            else:
                passed += 1
    return passed, failed, skipped


def from_run(junit, names):
    """(passed, failed, skipped) of one CTest run; a run without a report has failed. An entry that
    ran no test at all counts as skipped. Adds what was skipped to names."""
    if not junit.exists():
        return 0, 1, 0
    results = junit.parent / "test-state" / "results"
    totals = [0, 0, 0]
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if name in NOT_TESTS:
            continue
        report = results / f"{name}.json"
        try:
            within = []
            counts = from_report(json.loads(report.read_text()), within) if report.exists() else None
            names += [f"{name}: {one}" for one in within]
        except ValueError:  # cut off: the binary died while writing
            counts = None
        if counts is None:
            skip = status in ("notrun", "disabled") and case.find("failure") is None
            counts = (status == "run", not skip and status != "run", skip)
        elif status == "run" and sum(counts) == 0:
            counts = (0, 0, 1)
            names.append(f"{name}: all of it")
        elif status != "run" and counts[1] == 0:
            counts = (counts[0], 1, counts[2])  # all tests passed and the process failed
        totals = [total + int(count) for total, count in zip(totals, counts)]
    return tuple(totals)


def main(arguments):
    names = []
    runs = [from_run(pathlib.Path(argument), names) for argument in arguments]
    passed, failed, skipped = (sum(run[i] for run in runs) for i in range(3))
    for name in names:
        print(f"skipped: {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if passed + failed == 0:
        print("error: no test ran", file=sys.stderr)
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
