#!/usr/bin/env python3
"""Adds up the tests of one or more CTest runs and prints the closing line of ./dev test.

Each argument is the JUnit file of a CTest run; a folder test-state/results beside it may hold the
reports of GoogleTest binaries (<entry>.json), which count each of their tests. What failed stands
last, with its messages, where the end of a long log shows it.
Exit code: 0 if tests ran and none failed.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

NOT_TESTS = {"clean_state"}  # fixtures
LINES = 40  # of what a failure printed


class Outcome:
    """Counts of tests, and the names (and messages) of those that failed or were skipped."""

    def __init__(self):
        self.passed = 0
        self.failures = []  # (name, lines of output)
        self.skipped = []  # names

    def fail(self, name, output):
        self.failures.append((name, output.strip().splitlines()))


def add_report(outcome, entry, report):
    """Adds the tests of a report in GoogleTest's form; answers how many (passed, failed, skipped).
    Reports of scripts may have no names of suites."""
    passed = failed = skipped = 0
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            names = [part for part in (suite.get("name"), case.get("name")) if part]
            name = f"{entry}: {'.'.join(names)}"
            if case.get("failures"):
                failed += 1
                outcome.fail(name, "\n".join(one.get("failure", "") for one in case["failures"]))
            elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
                skipped += 1
                outcome.skipped.append(name)
            else:
                passed += 1
    outcome.passed += passed
    return passed, failed, skipped


def add_entry(outcome, case, report):
    """Adds one entry of a CTest run. An entry that ran no test at all counts as skipped; one whose
    process failed has failed, even if its report says that all tests passed or is cut off."""
    entry, status = case.get("name"), case.get("status")
    printed = "\n".join((case.findtext("system-out") or "").splitlines()[-LINES:])
    counts = None
    if report.exists():
        try:
            counts = add_report(outcome, entry, json.loads(report.read_text()))
        except ValueError:  # the binary died while writing
            pass
    if status == "run":
        if counts is None:
            outcome.passed += 1
        elif sum(counts) == 0:
            outcome.skipped.append(f"{entry}: all of it")
    elif counts is None and status in ("notrun", "disabled") and case.find("failure") is None:
        outcome.skipped.append(entry)
    elif counts is None or counts[1] == 0:
        outcome.fail(entry, printed)


def add_run(outcome, junit):
    """Adds one CTest run; a run without a JUnit file has failed."""
    if not junit.exists():
        outcome.fail(str(junit.parent), "the run wrote no results")
        return
    results = junit.parent / "test-state" / "results"
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        if case.get("name") not in NOT_TESTS:
            add_entry(outcome, case, results / f"{case.get('name')}.json")


def main(arguments):
    outcome = Outcome()
    for argument in arguments:
        add_run(outcome, pathlib.Path(argument))
    for name in outcome.skipped:
        print(f"skipped: {name}")
    for name, lines in outcome.failures:
        print(f"failed: {name}")
        for line in lines[:LINES]:
            print(f"    {line}")
    failed = len(outcome.failures)
    print(f"{outcome.passed} passed, {failed} failed, {len(outcome.skipped)} skipped")
    if outcome.passed + failed == 0:
        print("error: no test ran", file=sys.stderr)
    return 0 if outcome.passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
