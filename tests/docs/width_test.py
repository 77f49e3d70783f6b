#!/usr/bin/env python3
"""No prose of a Markdown page is wider than 100 columns. Tables, headings and code may be, and so may a line that is a
single link or piece of code. Usage: width_test.py SOURCE_FOLDER"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import markdown  # noqa: E402
from links_test import pages  # noqa: E402

WIDEST = 100
MARK = r"(?:[-*+>] +|\d+\. +)*"
ONE_PIECE = re.compile(rf"{MARK}(?:\S+|!?\[[^\]]*\]\S*|`[^`]*`\S*)")


def too_wide(line):
    text = line.strip()
    return len(line) > WIDEST and not text.startswith(("|", "#", "<!--")) and not ONE_PIECE.fullmatch(text)


def faults_of(text):
    """(line, columns) of every line of prose that is too wide."""
    return [(block.line + place, len(line)) for block in markdown.blocks(text) if block.fence is None
            for place, line in enumerate(block.lines) if too_wide(line)]


def finds_what_is_too_wide():
    """The checker itself: a check that finds nothing proves nothing."""
    wide, link = "word " * 20 + "end", "x" * WIDEST
    wrong = [line for line in (wide, f"- {wide}", f"  {wide}") if faults_of(f"a\n{line}") != [(2, len(line))]]
    good = (wide[:WIDEST], f"| {wide} |", f"# {wide}", f"```\n{wide}\n```", f"- [a b]({link})", link)
    wrong += [text for text in good if faults_of(text)]
    return [f"the checker judges {text!r} wrongly" for text in wrong]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = pages(root)
    faults = finds_what_is_too_wide()
    faults += [f"{page.relative_to(root)}:{line}: {columns} columns" for page in found
               for line, columns in faults_of(page.read_text())]
    if len(found) < 50:
        faults.append(f"only {len(found)} pages found")
    print("\n".join(faults) or f"{len(found)} pages without a line of prose over {WIDEST} columns")
    return 1 if faults else 0


sys.exit(main())
