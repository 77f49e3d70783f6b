#!/usr/bin/env python3
"""Changes one operator of the engine's own code at a time, and tells which changes its tests notice.

    bench/code_mutants/run.py BUILD FOLDER [--number N] [--seed S] [--at FILE:LINE:COLUMN]

BUILD is a configured build of this tree (preset dev); FOLDER is one of those in PROGRAMS below. Each change is made in the
tree itself, so let nobody else work in it meanwhile; the file is put back however this ends. A change that does not compile is
drawn anew. One that the programs survive is listed: it is a missing test, or means the same program.

Exit code 1 if a change survived."""
import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The test programs that a folder's changes are held against, by their path in the build.
PROGRAMS = {
    "search": ["tests/search/search_tests", "tests/search/models/models_tests", "tests/search/strategies/strategies_tests",
               "tests/search/compare/scoring_tests", "tests/conformance/strategy_conformance"],
    "db": ["tests/db/db_tests", "tests/db/interchange/interchange_tests"],
    "tuner/kernel": ["tests/tuner/tuner_tests", "tests/tuner/cuda_plan_tests"],
    "tuner/measure": ["tests/tuner/session_tests", "tests/tuner/measure/workers/workers_tests",
                      "tests/tuner/measure/agents/agents_tests", "tests/tuner/cuda_plan_tests", "tests/tuner/access_tests"],
    "tuner/session": ["tests/tuner/session_tests", "tests/tuner/tuner_tests", "tests/tuner/session/compare/compare_tests",
                      "tests/tuner/results/select/select_tests"],
}
# The formatter puts spaces around binary operators, and none around a template's brackets.
CHANGES = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ",
           " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " += ": " -= ", " -= ": " += ", "std::min": "std::max",
           "std::max": "std::min", "return true;": "return false;", "return false;": "return true;"}
CHANGE = re.compile("|".join(map(re.escape, sorted(CHANGES, key=len, reverse=True))) + r"|(?<![\w.])\d+(?![\w.'])")
# Text that is no code: comments, strings, characters, what the preprocessor reads.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[^\n]*', re.S | re.M)
PATIENCE_S = 300


def places(text):
    """(offset, old, new) of every change that can be made."""
    code = NO_CODE.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    for match in CHANGE.finditer(code):
        old = match[0]
        yield match.start(), old, CHANGES.get(old) or str(int(old) + 1)


def builds(build, programs):
    targets = [pathlib.PurePath(program).name for program in programs]
    return subprocess.run(["ninja", "-C", build, *targets], capture_output=True).returncode == 0


def noticed_by(build, programs):
    """The first program that fails, crashes or does not end; None if all pass."""
    for program in programs:
        try:
            ran = subprocess.run([build / program, "--gtest_brief=1", "--gtest_fail_fast"], capture_output=True, timeout=PATIENCE_S,
                                 cwd=build)
        except subprocess.TimeoutExpired:
            return f"{program} (time)"
        if ran.returncode:
            return program
    return None


def tried(build, programs, file, offset, old, new):
    """None if it does not compile; else what noticed it, or an empty text."""
    text = file.read_text()
    try:
        file.write_text(text[:offset] + new + text[offset + len(old):])
        if not builds(build, programs):
            return None
        return noticed_by(build, programs) or ""
    finally:
        file.write_text(text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("folder", choices=PROGRAMS)
    options.add_argument("--number", type=int, default=20, help="changes that compile (default 20)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--at", help="FILE:LINE:COLUMN of one change, as a run listed it")
    arguments = options.parse_args()
    build, programs = arguments.build.resolve(), PROGRAMS[arguments.folder]
    if not builds(build, programs) or noticed_by(build, programs):
        sys.exit("the programs do not pass as they are")

    drawn = [(file, *place) for file in sorted((ROOT / arguments.folder).rglob("*.cpp")) for place in places(file.read_text())]
    random.Random(arguments.seed).shuffle(drawn)

    def name(file, offset):
        before = file.read_text()[:offset]
        return f"{file.relative_to(ROOT)}:{before.count(chr(10)) + 1}:{offset - before.rfind(chr(10))}"

    if arguments.at:
        drawn = [one for one in drawn if name(one[0], one[1]) == arguments.at]
    survivors, done = [], 0
    for file, offset, old, new in drawn:
        if done == arguments.number:
            break
        found = tried(build, programs, file, offset, old, new)
        if found is None:
            continue
        done += 1
        line = f"{name(file, offset)}: {old.strip()} -> {new.strip()}"
        print(f"{'noticed ' if found else 'SURVIVED'} {line}{f' by {found}' if found else ''}", flush=True)
        if not found:
            survivors.append(line)
    print(f"{done - len(survivors)} of {done} changes in {arguments.folder} were noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
