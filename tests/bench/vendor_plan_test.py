"""Which cases bench/vendor/run.py takes, and what its tables show, without a device.  vendor_plan_test.py SOURCE_FOLDER"""
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1]) / "bench/vendor"))
from cases import CASES, Case  # noqa: E402  its folder is only known now
from plan import Pace, ordered, part_of, tuning_of  # noqa: E402
from results import library_of, print_table, stored_results  # noqa: E402


def result(case: str, at: str, value: float = 2.0, target: float | None = 1.0) -> dict:
    return {"case": case, "metric": "GB/s", "at": at, "target": target, "seconds": 4.0, "vendor": 1.0,
            "vendor_case": "torch_softmax_1x1_float", "winner": {"value": value, "trials": 1234},
            "rounds": {"winner": [], "vendor": [{"value": 1.0, "note": "compiled:eager=2ms,compiled=1ms"}]}}


class Tables(unittest.TestCase):
    def test_name_what_every_case_is_held_against(self):
        for case in CASES:
            self.assertTrue(library_of(result(case.name, "") | {"vendor_case": case.vendor}), case.name)


class Plan(unittest.TestCase):
    known = {"sgemm 1024", "transpose 4096", "transpose 4096 of copy", "reduction 2^20"}
    pace = Pace(scale=1.0, most=4.0)

    def cost(self, cases: list[Case]) -> float:
        return sum(self.pace.expected(case, any(tuning_of(other) == tuning_of(case) for other in cases[:place]))
                   for place, case in enumerate(cases))

    def test_cases_of_a_template_and_of_a_tuning_are_neighbours(self):
        cases = ordered(CASES, set())
        for names in ([case.templates for case in cases], [tuning_of(case) for case in cases]):
            changes = sum(one != next for one, next in zip(names, names[1:]))
            self.assertEqual(changes + 1, len(set(names)))

    def test_what_has_no_result_anywhere_comes_first(self):
        last = [case.name for case in ordered(CASES, self.known)[-3:]]
        # A case that shares its tuning with one that has no result comes with it.
        self.assertEqual(sorted(last), ["sgemm 1024", "transpose 4096", "transpose 4096 of copy"])

    def test_every_case_is_in_one_part_and_parts_take_equally_long(self):
        cases = ordered(CASES, self.known)
        for parts in (1, 2, 8):
            dealt = [part_of(cases, self.known, (part, parts), self.pace) for part in range(1, parts + 1)]
            self.assertEqual(sorted(case.name for part in dealt for case in part), sorted(case.name for case in CASES))
            tunings = [tuning for part in dealt for tuning in {tuning_of(case) for case in part}]
            self.assertEqual(len(tunings), len(set(tunings)))
            costs = [self.cost(part) for part in dealt]
            self.assertLess(max(costs) - min(costs), 60)

    def test_a_case_is_expected_to_take_what_the_longest_of_the_last_ones_took(self):
        pace = Pace(scale=1.0, most=4.0)
        case = next(case for case in CASES if case.name == "softmax 8192x8192 float")
        for beside in (9.0, 2.0, 3.0, 2.0, 1.0):
            pace.took(case, False, 4.0 + beside)
        self.assertEqual(pace.expected(case, False), 4.0 + 3.0)
        self.assertEqual(pace.expected(case, True), 3.0)

    def test_a_set_up_that_takes_long_is_not_cut(self):
        case = next(case for case in CASES if case.name == "merge sort 2^27")
        self.assertEqual(Pace(scale=1.0, most=4.0).tuning(case), case.least)
        self.assertEqual(Pace(scale=0.01, most=4.0).tuning(case), 0.01 * case.seconds)


class Results(unittest.TestCase):
    def folder(self, *results: dict) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in results))
        return Path(folder.name)

    def test_the_latest_result_of_all_folders_counts(self):
        new, old = result("a", "2026-02-02T00:00:00Z"), result("a", "2026-01-01T00:00:00Z")
        for folders in ([self.folder(new), self.folder(old)], [self.folder(old, new)], [self.folder(old), self.folder(new)]):
            self.assertEqual(stored_results(folders), {"a": new})

    def test_a_result_is_not_lost_to_a_case_that_was_skipped_later(self):
        there, skipped = result("a", "2026-01-01T00:00:00Z"), {"case": "a", "metric": "GB/s", "skipped": "no PyTorch"}
        self.assertEqual(stored_results([self.folder(there, skipped)]), {"a": there})
        self.assertEqual(stored_results([self.folder(skipped, there)]), {"a": there})

    def test_results_of_several_folders_become_one_of_a_line_a_case(self):
        first, second = (result(name, "2026-01-01T00:00:00Z") for name in ("softmax 8192x8192 float", "copy 2^30"))
        out, other = self.folder(first), self.folder(first | {"at": "2025-01-01T00:00:00Z"}, second)
        command = [sys.executable, "-B", Path(sys.argv[1]) / "bench/vendor/run.py", "none", "none", "--collect", "--table", "page"]
        run = subprocess.run([*command, "--out", out, "--also", other], capture_output=True, text=True, check=True)
        self.assertIn("2 ok, 0 short", run.stdout)
        self.assertEqual([json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()], [second, first])

    def test_the_page_names_library_verdict_seconds_and_trials(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            print_table([result("a", ""), result("b", "", value=0.98), result("c", "", target=None)], "page")
        self.assertIn("| a, GB/s | 2 | 1 (PyTorch, compiled) | 2.000 | 1.00 | met | 4 | 1,234 |", printed.getvalue())
        self.assertIn("| b, GB/s | 0.98 | 1 (PyTorch, compiled) | 0.980 | 1.00 | **short** | 4 | 1,234 |", printed.getvalue())
        self.assertIn("| c, GB/s | 2 | 1 (PyTorch, compiled) | 2.000 |  |  | 4 | 1,234 |", printed.getvalue())
        self.assertIn("1 ok, 1 short, 1 without a target or a vendor, 0 SKIPPED", printed.getvalue())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
