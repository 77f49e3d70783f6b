#!/usr/bin/env python3
"""What `warptune init` makes of programs as their authors wrote them.

drafts.py WARPTUNE FOLDER... [--device D] [--budget B] [-I FOLDER] [--jobs N]

Of each .cu below a folder: whether the draft is complete, whether its default configuration is correct as drafted, and
whether tuning found a faster one. Prints a line for each source and a table with a row for each folder."""
import argparse
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

COLUMNS = ["sources", "complete drafts", "correct as drafted", "tuned to something faster"]
REACHED = ["incomplete", "complete, not correct", "correct, nothing faster found", "faster"]


class Draft(NamedTuple):
    complete: bool = False
    correct: bool = False
    faster: bool = False
    note: str = ""  # the first line that says what is wrong

    def reached(self) -> list[bool]:
        return [True, self.complete, self.correct, self.faster]


def warptune(options: argparse.Namespace, *words: object, seconds: float) -> subprocess.CompletedProcess:
    command = [options.warptune, *map(str, words)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"error: not done after {seconds:.0f} s")


def complaint(text: str) -> str:
    found = re.search(r"^(?:error: |message +|# TODO: )(.*)", text, re.MULTILINE)
    return found[1] if found else ""


def draft_of(source: Path, options: argparse.Namespace) -> Draft:
    with tempfile.TemporaryDirectory() as folder:
        manifest = Path(folder) / "template.toml"
        if warptune(options, "init", source, "-o", manifest, "--force", seconds=30).returncode != 0:
            return Draft(note=complaint(manifest.read_text() if manifest.exists() else ""))
        include = [word for path in options.include for word in ("-I", path)]
        run = warptune(options, "run", manifest, "--device", options.device, *include, seconds=60)
        if not re.search(r"^outcome +correct", run.stdout, re.MULTILINE):
            return Draft(True, note=complaint(run.stdout + run.stderr))
        tuned = warptune(options, "tune", manifest, "--device", options.device, "--budget", options.budget, "--db",
                         Path(folder) / "store.db", *include, seconds=120)
        return Draft(True, True, bool(re.search(r"^Speed-up +\d", tuned.stdout, re.MULTILINE)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--budget", default="4s", help="of each tuning")
    parser.add_argument("-I", dest="include", action="append", default=[], help="a folder of the programs' headers")
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()

    rows = []
    for folder in options.folders:
        sources = sorted(folder.rglob("*.cu"))
        with ThreadPoolExecutor(options.jobs) as pool:
            drafts = list(pool.map(lambda source: draft_of(source, options), sources))
        for source, draft in zip(sources, drafts):
            print(f"{source}: {REACHED[sum(draft.reached()) - 1]}{': ' + draft.note if draft.note else ''}")
        rows.append([folder.name, *(sum(column) for column in zip(*(draft.reached() for draft in drafts)))])
    print(f"| | {' | '.join(COLUMNS)} |\n| --- |{' ---: |' * len(COLUMNS)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
