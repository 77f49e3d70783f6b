"""The last lines of each test that failed, from CTest's log: a run of 2,500 tests prints them far above its end.

failures.py BUILD_FOLDER
"""
import re
import sys
from pathlib import Path

LINES = 15

logs = Path(sys.argv[1]) / "Testing/Temporary"
failed = {line.split(":", 1)[1] for line in (logs / "LastTestsFailed.log").read_text().splitlines() if ":" in line}
output = (logs / "LastTest.log").read_text(errors="replace")
for found in re.finditer(r"^\d+/\d+ Testing: (.*?)\n.*?^Output:\n-+\n(.*?)^<end of output>", output, re.M | re.S):
    if found[1] in failed:
        print(f"\n-- {found[1]}")
        print(*[line for line in found[2].splitlines() if line.strip() and not line.endswith("... ok")][-LINES:], sep="\n")
