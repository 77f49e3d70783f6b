"""What each failed test expected, and its last lines, from CTest's log: a run of 2,500 tests prints them far above its end.

failures.py BUILD_FOLDER
"""
import re
import sys
from pathlib import Path

LINES = 15
# GoogleTest says what it expected where it happens, and a program of many tests goes on for pages after that.
FAILURE = re.compile(r"^\S+:\d+: Failure\n(?:(?!\[|\S+:\d+: Failure).*\n){1,12}", re.M)


def told(output):
    """The expectations that failed, at most three, and the last lines that say something."""
    output = "".join(line + "\n" for line in output.splitlines() if line.strip() and not line.endswith("... ok"))
    last = "\n".join(output.splitlines()[-LINES:])
    expected = [found[0].rstrip() for found in FAILURE.finditer(output)]
    return [text for text in expected if text not in last][:3] + [last]


def main(build):
    logs = Path(build) / "Testing/Temporary"
    failed = {line.split(":", 1)[1] for line in (logs / "LastTestsFailed.log").read_text().splitlines() if ":" in line}
    output = (logs / "LastTest.log").read_text(errors="replace")
    for found in re.finditer(r"^\d+/\d+ Testing: (.*?)\n.*?^Output:\n-+\n(.*?)^<end of output>", output, re.M | re.S):
        if found[1] in failed:
            print(f"\n-- {found[1]}")
            print(*told(found[2]), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
