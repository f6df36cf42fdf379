#!/usr/bin/env python3
"""Tests what summary.py says of CTest runs: counts, names, and what failures printed.

    check.py
"""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import summary

ENTRY = ('<testcase name="{name}" status="{status}">{inside}'
         "<system-out>{out}</system-out></testcase>")


def case(name, *, failures=(), skipped=False):
    result = {"name": name, "result": "SKIPPED" if skipped else "COMPLETED", "status": "RUN"}
    if failures:
        result["failures"] = [{"failure": text} for text in failures]
    return result


class Summary(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.run = pathlib.Path(self.folder.name)
        self.results = self.run / "test-state" / "results"
        self.results.mkdir(parents=True)
        self.entries = []

    def entry(self, name, status="run", out="", cases=None, text=None):
        inside = "<failure message=''/>" if status == "fail" else ""
        self.entries.append(ENTRY.format(name=name, status=status, inside=inside, out=out))
        if cases is not None:
            text = json.dumps({"testsuites": [{"name": "Suite", "testsuite": cases}]})
        if text is not None:
            (self.results / f"{name}.json").write_text(text)

    def printed(self):
        junit = self.run / "junit.xml"
        junit.write_text("<testsuite>" + "".join(self.entries) + "</testsuite>")
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = summary.main([str(junit)])
        return code, out.getvalue().splitlines()

    def test_all_pass(self):
        self.entry("clean_state")
        self.entry("script")
        self.entry("unit", cases=[case("A"), case("B", skipped=True)])
        self.assertEqual(self.printed(), (0, ["skipped: unit: Suite.B",
                                              "2 passed, 0 failed, 1 skipped"]))

    def test_failures_stand_last_with_their_messages(self):
        self.entry("unit", status="fail", out="lost among others",
                   cases=[case("A", failures=["a.cpp:1\n1 is not 2"]), case("B", skipped=True)])
        self.assertEqual(self.printed(), (1, ["skipped: unit: Suite.B", "failed: unit: Suite.A",
                                              "    a.cpp:1", "    1 is not 2",
                                              "0 passed, 1 failed, 1 skipped"]))

    def test_of_a_script_the_end_of_its_output(self):
        lines = [f"line {i}" for i in range(2 * summary.LINES)]
        self.entry("script", status="fail", out="\n".join(lines))
        code, printed = self.printed()
        self.assertEqual((code, printed[0], printed[-2]), (1, "failed: script", f"    {lines[-1]}"))
        self.assertEqual(len(printed), summary.LINES + 2)

    def test_a_process_that_failed_after_its_tests(self):
        self.entry("unit", status="fail", out="leak", cases=[case("A")])
        self.assertEqual(self.printed(), (1, ["failed: unit", "    leak",
                                              "1 passed, 1 failed, 0 skipped"]))

    def test_a_report_that_is_cut_off(self):
        self.entry("unit", status="fail", out="killed", text='{"testsuites": [')
        self.assertEqual(self.printed(), (1, ["failed: unit", "    killed",
                                              "0 passed, 1 failed, 0 skipped"]))

    def test_no_test_of_an_entry_runs(self):
        self.entry("script")
        self.entry("unit", cases=[])
        self.entry("other", status="disabled")
        self.assertEqual(self.printed(), (0, ["skipped: unit: all of it", "skipped: other",
                                              "1 passed, 0 failed, 2 skipped"]))

    def test_a_run_without_results(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = summary.main([str(self.run / "absent.xml")])
        self.assertEqual((code, out.getvalue().splitlines()[-1]),
                         (1, "0 passed, 1 failed, 0 skipped"))

    def test_reports_of_scripts(self):
        cases = [{"name": "a"}, {"name": "b", "failures": [{"failure": "text"}]},
                 {"result": "SKIPPED"}]
        self.entry("script", status="fail", text=json.dumps({"testsuites": [{"testsuite": cases}]}))
        self.assertEqual(self.printed(), (1, ["skipped: script: ", "failed: script: b", "    text",
                                              "1 passed, 1 failed, 1 skipped"]))

    def test_nothing_ran(self):
        self.assertEqual(self.printed()[0], 1)


if __name__ == "__main__":
    unittest.main()
