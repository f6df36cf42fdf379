#!/usr/bin/env python3
"""Tests what ./dev bench --peers computes from times, and the page that it writes: no peer is
needed, and nothing is fetched.

    check.py FOLDER_OF_BENCH_PEERS
"""
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

BENCH = pathlib.Path(sys.argv.pop(1))
SAMPLE = pathlib.Path(__file__).with_name("sample.jsonl")
sys.path.insert(0, str(BENCH))

import environment  # noqa: E402
import figures  # noqa: E402
import plot  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402


class Figures(unittest.TestCase):
    def record(self, samples, problems=()):
        return figures.record("sort", "4 u32", 1, samples, {}, list(problems))

    def test_ratio_is_of_medians_and_of_the_fastest(self):
        made = self.record({"hasten": [3, 100, 2], "jax": [9, 9, 9], "numba/by hand": [1, 6, 2]})
        self.assertEqual((made["ours_ms"], made["best_ms"]), (3, 2))
        self.assertEqual((made["best_name"], made["ratio"]), ("numba/by hand", 1.5))

    def test_who_is_wrong_sets_no_mark(self):
        wrong = [{"name": "jax", "kind": "wrong", "text": ""}]
        made = self.record({"hasten": [3], "jax": [1], "numba": [6]}, wrong)
        self.assertEqual((made["best_name"], made["ratio"]), ("numba", 0.5))

    def test_alone_or_absent_there_is_no_ratio(self):
        self.assertIsNone(self.record({"hasten": [3]})["ratio"])
        self.assertIsNone(self.record({"jax": [3]})["ratio"])

    def test_libraries_behind_calls_are_named(self):
        made = figures.record("fft", "", 2, {"hasten": [3], "jax": [2]}, {}, [])
        self.assertEqual(made["library"], "DUCC")

    def test_short_calls_are_timed_together(self):
        self.assertEqual([figures.calls_a_turn(ms) for ms in (100, 10, 1, 0.001, 0)],
                         [1, 1, 10, 2000, 2000])


class Report(unittest.TestCase):
    def setUp(self):
        self.records = report.read([SAMPLE])

    def test_the_newest_record_of_a_case_counts(self):
        self.assertEqual([r["name"] for r in self.records[1]], ["dot", "sort"])
        self.assertEqual(self.records[1][1]["ratio"], 1.5)

    def test_summary_counts_wins_by_threads(self):
        every = [r for records in self.records.values() for r in records]
        self.assertEqual(figures.summary(every), {1: {"fastest": 1, "within": 0, "behind": 1},
                                                  2: {"fastest": 0, "within": 1, "behind": 0}})

    def test_table_has_the_fastest_form_that_is_right(self):
        sort = report.table(self.records[1])[3]
        self.assertEqual(sort, "| `sort` | 4 u32 | 6.000 |  | 4.000 |  | numba/by hand | **1.50** |")

    def test_losses_are_explained_or_said_not_to_be(self):
        known = report.losses(self.records, {"sort": "two passes"})
        self.assertEqual(known[2:], ["| `sort` | 1.50 of numba/by hand |  | two passes |"])
        self.assertIn("not looked into", report.losses(self.records, {})[2])

    def test_what_is_missing_is_named(self):
        named = report.not_compared(self.records)
        self.assertIn("- halide is absent: ModuleNotFoundError: No module named 'halide'", named)
        self.assertIn("- `sort`: jax wrong: 50.00% differ", named)

    def test_page_and_plots_are_written(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "pictures").mkdir()
            with unittest.mock.patch("sys.stdout", io.StringIO()):
                self.assertEqual(run.main(["--report", str(SAMPLE), "--to", name]), 0)
            page = (folder / "performance-peers.md").read_text(encoding="utf-8")
            self.assertIn("- 1 thread: of 2 cases Hasten is the fastest in 1", page)
            drawing = xml.etree.ElementTree.parse(folder / "pictures" / "peers-1.svg").getroot()
            circles = drawing.findall("{http://www.w3.org/2000/svg}circle")
            # The legend's, then everyone's but Hasten's and who is wrong.
            self.assertEqual(len(circles), len(plot.COLOURS) + 2 + 2)

    def test_places_are_on_a_scale_of_powers(self):
        self.assertAlmostEqual(plot.place(4) - plot.place(2), plot.place(2) - plot.place(1))
        self.assertEqual(plot.place(1e9), plot.LEFT + plot.WIDTH)


class Environment(unittest.TestCase):
    def test_everything_is_pinned(self):
        pinned = dict(environment.pinned())
        self.assertLessEqual({"numpy", "numba", "jax", "taichi", "halide", "drjit"}, set(pinned))
        self.assertTrue(all(pinned.values()))

    def test_what_is_there_is_not_installed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "lib/python3.11/site-packages/numpy-1.0.dist-info").mkdir(parents=True)
            with unittest.mock.patch("subprocess.run", side_effect=AssertionError):
                self.assertTrue(environment.install(folder, "numpy", "1.0"))

    def test_what_does_not_install_is_named(self):
        failed = unittest.mock.Mock(returncode=1, stderr="x\nERROR: no such version\n")
        with tempfile.TemporaryDirectory() as name, \
                unittest.mock.patch("subprocess.run", return_value=failed), \
                unittest.mock.patch("sys.stdout", io.StringIO()) as said:
            self.assertFalse(environment.install(pathlib.Path(name), "halide", "0"))
        self.assertIn("halide does not install: ERROR: no such version", said.getvalue())


if __name__ == "__main__":
    unittest.main()
