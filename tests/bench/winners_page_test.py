"""The figures of templates/WINNERS.md are those of the stored results of bench/vendor.
winners_page_test.py SOURCE_FOLDER"""
import re
import sys
import unittest
from pathlib import Path

SOURCES = Path(sys.argv[1])
sys.path.insert(0, str(SOURCES / "bench/vendor"))
from results import library_of, ratio_of, stored_results  # noqa: E402  its folder is only known now

PAGE = (SOURCES / "templates/WINNERS.md").read_text(encoding="utf-8")
# A star means that tuning took less than these seconds.
STARRED_BELOW = 60


def shown(ratio: float) -> str:
    """Three digits; two behind the point of what is more than 1, so that nothing below 1 looks like 1."""
    return f"{ratio:.3f}" if ratio < 1 else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}"


def rows(page: str) -> list[tuple[str, str, str]]:
    """The case, the H200's cell and the H100's of every row that links a template."""
    cells = [[cell.strip() for cell in line.split("|")[2:5]] for line in page.splitlines() if line.startswith("| [")]
    return [(re.match("`([^`]*)`", case)[1], newer, older) for case, newer, older in cells]


def fault(cell: str, result: dict | None) -> str:
    """Why a cell does not show the result; nothing if it does."""
    if not result:
        return "there is no such result" if cell else ""
    figure = re.match(r"([\d.]*)", cell)[1]
    if figure != shown(ratio_of(result)):
        return f"the stored ratio is {ratio_of(result):.4f}"
    target = re.search(r"target ([\d.]+)", cell)
    if target and float(target[1]) != result["target"]:
        return f"the target is {result['target']}"
    if " of " in cell and ("a copy" in cell) != (library_of(result) == "copy"):
        return f"the case is held against {library_of(result)}"
    return ""


class WinnersPage(unittest.TestCase):
    newer, older = (stored_results([SOURCES / "bench/vendor" / folder]) for folder in ("h200", "h100"))

    def test_has_the_stored_ratios_of_the_h200(self):
        self.assertGreater(len(rows(PAGE)), 30)
        for case, cell, _ in rows(PAGE):
            self.assertEqual(fault(cell, self.newer.get(case)), "", f"{case}: {cell}")

    def test_has_the_stored_ratios_of_the_h100_and_a_star_where_tuning_was_short(self):
        for case, _, cell in rows(PAGE):
            result = self.older.get(case)
            self.assertEqual(fault(cell, result), "", f"{case}, H100: {cell}")
            starred = bool(result) and result["seconds"] < STARRED_BELOW
            self.assertEqual("*" in cell, starred, f"{case}, H100: {cell}")

    def test_a_last_digit_that_is_off_by_one_is_a_fault(self):
        result = {"winner": {"value": 1.05}, "vendor": 1.0, "vendor_case": "copy_1", "target": 1.0}
        self.assertEqual(fault("1.05 of a copy, target 1.00", result), "")
        for wrong in ["1.04 of a copy", "1.06 of a copy", "1.05 of cuBLAS", "1.05 of a copy, target 0.90", ""]:
            self.assertTrue(fault(wrong, result), wrong)
        self.assertTrue(fault("1.05", None))
        self.assertFalse(fault("", None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
