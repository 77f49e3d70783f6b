#!/usr/bin/env python3
"""The shape of the code: lengths of functions and files, share of comments. Needs the package lizard, which finds functions.
Usage: code_shape.py NAME=FOLDER[,FOLDER...] ...     e.g. warptune=search,db,tuner ninja=../ninja/src"""
import pathlib
import re
import statistics
import sys

import lizard

SUFFIXES = {".h", ".cpp", ".cc", ".cu", ".cuh", ".py"}
NOT_SOURCE = re.compile(r"(_test\.|/tests?/|/third_party/|/testing/|_perftest\.|/benchmarks?/)")


def share_of_comments(text, python):
    """Characters in comments (and Python's docstrings) of all that are not blank."""
    if python:
        found = re.findall(r'"""(?:.|\n)*?"""|#[^\n]*', text)
    else:
        found = re.findall(r"//[^\n]*|/\*(?:.|\n)*?\*/", text)
    size = lambda parts: sum(len(re.sub(r"\s", "", part)) for part in parts)
    return size(found), size([text])


def row(name, folders):
    files = [f for folder in folders for f in sorted(pathlib.Path(folder).rglob("*"))
             if f.suffix in SUFFIXES and not NOT_SOURCE.search("/" + str(f.relative_to(folder)))]
    lines, functions, comments, characters = [], [], 0, 0
    for file in files:
        text = file.read_text(errors="replace")
        lines.append(text.count("\n"))
        functions += [f.length for f in lizard.analyze_file(str(file)).function_list]
        inside, all_of_it = share_of_comments(text, file.suffix == ".py")
        comments += inside
        characters += all_of_it
    over = sum(length > 60 for length in functions)
    print(f"{name:<12} {len(files):>6} {statistics.median(lines):>8.0f} {max(lines):>8} {len(functions):>10} "
          f"{statistics.median(functions):>8.0f} {sorted(functions)[len(functions) * 95 // 100]:>8} {max(functions):>8} "
          f"{over:>8} {100 * comments / characters:>10.1f}")


print(f"{'PROJECT':<12} {'FILES':>6} {'MEDIAN':>8} {'LONGEST':>8} {'FUNCTIONS':>10} {'MEDIAN':>8} {'95TH':>8} {'LONGEST':>8} {'OVER 60':>8} {'COMMENTS %':>10}")
for argument in sys.argv[1:]:
    name, _, folders = argument.partition("=")
    row(name, folders.split(","))
