#!/usr/bin/env python3
"""Runs the commands of documentation pages and compares what they say. Usage: commands_test.py PROGRAM SOURCE_FOLDER PAGE...

Each page is a session of its own: an empty folder, an empty store, no GPU, `warptune` on the path. In a fence `console`, or in one
without a language that has lines beginning with `$ `, these lines are commands. Lines after a backslash, and lines that begin with `> `,
continue a command. What follows is what it prints:

- A line may be cut with an ellipsis (…), and a line that is only an ellipsis stands for any lines.
- Figures may differ, with their units; so may the values of configurations (TILE=32) and a device's name in brackets.
- A search ends elsewhere on another machine: of the lines `Winner` and `Speed-up` the label is compared.
- Which columns of a table fit depends on what is in them: of a line of four or more columns the first is compared. Of a heading
  each column must be there, or be named by the line that says which are not shown.
- Lines that a page leaves out, such as progress, may come in between. Those that it shows must come, in this order.

A file that a page shows is written: a fence with `:caption: NAME`, or the output of `$ cat NAME` if there is no such file yet.

    <!-- not run: REASON -->          the next fence's commands need what a test has not: a GPU, a network, an installation
    <!-- run by: FILE -->             this file of the tree runs them
    <!-- exit codes: 0 8 -->          what the last command of the next fence may end with, instead of 0
    <!-- with: COMMAND -->            done first, where a page begins in the middle; not shown to readers

Budgets of time are cut to BUDGET_S: how much is tried does not change what is said. A fence without commands that looks like some is
an error, so that none goes by untested."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
sys.dont_write_bytecode = True
import markdown  # noqa: E402

BUDGET_S = 5
SHELLS = {"", "console", "bash", "sh", "shell", "text"}
MARK = re.compile(r"<!-- (not run|run by|exit codes|with): (.+?) -->")
COMMAND_LIKE = re.compile(r"^(\./|cmake |ctest |cpack |warptune |podman |docker |apt-get |sudo |python3 |g\+\+ |nvcc )", re.M)

LEFT_OUT = re.compile(r"(?m)^Not shown, for want of room: (.*(?:\n  .*)*)")
LABEL_ONLY = re.compile(r"(Winner|Speed-up)  ")
FIGURE = r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
UNIT = r"(?: ?(?:ns|us|µs|ms|s|min|h|KiB|MiB|GiB|GB/s|GFLOP/s|%)(?!\w))?"
STABLE = [(re.compile(pattern), wild) for pattern, wild in [
    (r"\b[A-Z][A-Z_0-9]*=[^\s,]+(?:,[A-Z][A-Z_0-9]*=[^\s,]+)*|the default configuration", r"(?:\S*[A-Z]=\S+|the default configuration)"),
    (r"host \([^()]*(?:\([^()]*\)[^()]*)*\)", r"host \(.*\)"),
    (rf"± {FIGURE} %", rf"± (?:{FIGURE} %|unknown)"),
    (FIGURE + UNIT, FIGURE + UNIT),
    (r"\s+", r"\s+"),
    (r"…", r".*"),
]]


def pattern_of(line):
    """A regular expression for a shown line: what may vary as a wildcard, all else as it stands."""
    result, rest = "", line.strip()
    if LABEL_ONLY.match(rest):
        return LABEL_ONLY.match(rest)[1] + r"\s.*"
    while rest:
        found = [(match.start(), -match.end(), wild) for expression, wild in STABLE if (match := expression.search(rest))]
        if not found:
            break
        start, end, wild = min(found)
        result += re.escape(rest[:start]) + wild
        rest = rest[-end:]
    return result + re.escape(rest)


def expected(line):
    cells = re.split(r"\s{2,}", line.strip())
    return pattern_of(cells[0]) + r"(\s.*)?" if len(cells) > 3 else pattern_of(line)


def missing_line(shown, said):
    """The first shown line that does not come, after those before it, in what was said; None if all do."""
    lines = iter(said.split("\n"))
    for line in shown:
        if line.strip() in ("", "…"):
            continue
        wanted = re.compile(expected(line))
        found = next((candidate.strip() for candidate in lines if wanted.fullmatch(candidate.strip())), None)
        if found is None or lost_columns(line, found, said):
            return line
    return None


def lost_columns(shown, found, said):
    """Columns of a shown heading that the program's has not, and does not say that it leaves out. None of another line."""
    cells = re.split(r"\s{2,}", shown.strip())
    if len(cells) <= 3 or not all(re.fullmatch(r"[A-Z][A-Z /%-]+", cell) for cell in cells):
        return []
    there = re.split(r"\s{2,}", found) + [name for lines in LEFT_OUT.findall(said) for name in re.split(r",\s+", lines)]
    return [cell for cell in cells if cell not in there]


def commands_of(block):
    """[(command, [shown lines])] of a fence."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and (found[-1][0].endswith("\\") or line.startswith("> ")):
            found[-1] = (found[-1][0] + "\n" + line.removeprefix("> "), [])
        elif found:
            found[-1][1].append(line)
    return found


def shortened(command):
    def cut(match):
        seconds = int(match[2]) * {"s": 1, "m": 60, "h": 3600}[match[3]]
        return f"{match[1]}{min(seconds, BUDGET_S)}s"

    return re.sub(r"(--budget )(\d+)([smh])\b", cut, command)


class Page:
    """One page, run in a folder of its own."""

    def __init__(self, program, root, file, folder):
        self.root, self.file, self.folder, self.faults, self.ran = root, file, folder, [], 0
        (folder / "bin").mkdir()
        (folder / "bin/warptune").symlink_to(program)
        self.work = folder / "work"
        self.work.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("WARPTUNE_", "COLUMNS"))}
        self.environment.update(PATH=f"{folder / 'bin'}:{os.environ['PATH']}", WARPTUNE_DB=str(folder / "store.db"), LC_ALL="C.UTF-8",
                                XDG_CACHE_HOME=str(folder / "cache"), HOME=str(folder), CUDA_VISIBLE_DEVICES="", COLUMNS="100")

    def fault(self, line, text):
        self.faults.append(f"{self.file.name}:{line}: {text}")

    def run(self, line, command, shown, codes):
        if re.fullmatch(r"cat [\w./-]+", command) and not (self.work / command[4:]).exists():
            (self.work / command[4:]).write_text("\n".join(shown).rstrip("\n") + "\n")
            return
        self.ran += 1
        try:
            done = subprocess.run(["bash", "-c", shortened(command)], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
        except subprocess.TimeoutExpired:
            return self.fault(line, f"$ {command}\ndoes not end")
        if done.returncode not in codes:
            self.fault(line, f"$ {command}\nended with {done.returncode}:\n{done.stdout}")
        line_missing = missing_line(shown, done.stdout)
        if line_missing is not None:
            self.fault(line, f"$ {command}\ndoes not say\n    {line_missing}\nbut\n{done.stdout}")

    def captioned(self, block):
        """Writes the file that a fence shows under its name; whether it is one."""
        caption = next((line.split(":", 2)[2].strip() for line in block.lines[:3] if line.startswith(":caption:")), None)
        if caption:
            lines = block.lines
            while lines and (lines[0].startswith(":") or not lines[0]):
                lines = lines[1:]
            (self.work / caption).write_text("\n".join(lines) + "\n")
        return caption is not None

    def marked(self, marks, line):
        """Carries out the marks above a fence; whether its commands are to be run, and what they may end with."""
        codes, run = {0}, True
        for kind, value in marks:
            if kind == "exit codes":
                codes = {int(code) for code in value.split()}
            elif kind == "with":
                self.run(line, value, [], {0})
            elif kind == "run by" and not (self.root / value).is_file():
                self.fault(line, f"'{value}', which is to run this, is not there")
            run = run and kind in ("exit codes", "with")
        return run, codes

    def run_all(self):
        marks = []
        for block in markdown.blocks(self.file.read_text()):
            if block.fence is None:
                marks = MARK.findall(block.text)
                continue
            run, codes = self.marked(marks, block.line)
            marks = []
            if self.captioned(block) or block.fence not in SHELLS or not run:
                continue
            commands = commands_of(block)
            if not commands and COMMAND_LIKE.search(block.text):
                self.fault(block.line, "commands that no test runs: begin them with `$ `, or say why in <!-- not run: … -->")
            for index, (command, shown) in enumerate(commands, 1):
                self.run(block.line, command, shown, codes if index == len(commands) else {0})
        return self.faults


def compares_rightly():
    """The comparison itself: what it must let pass, and what it must not."""
    said = "tuning x for N=256 on host (AMD EPYC (x))\n  0.3 s  2 done, best 1.5 ms\nWinner  A=16,B=2\n12 trials in 3.2 s: the time is up"
    good = [["tuning x for N=1 on host (Intel)", "Winner  A=1"], ["…", "3 trials in 900 ms: the …"], ["Winner    default"]]
    bad = [["tuning y for N=1 on host (x)"], ["Winner  A=1", "tuning x for N=1 on host (x)"], ["  2 done, best 1.5 ms"], ["3 trials in 1 s"], ["Loser  A=1"]]
    wrong = [shown for shown in good if missing_line(shown, said)] + [shown for shown in bad if not missing_line(shown, said)]
    if shortened("warptune tune x --budget 5m --budget 60") != f"warptune tune x --budget {BUDGET_S}s --budget 60":
        wrong.append("budgets")
    return [f"the comparison judges {what} wrongly" for what in wrong]


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    faults, ran = compares_rightly(), 0
    for name in sys.argv[3:]:
        with tempfile.TemporaryDirectory(prefix="warptune_page.") as folder:
            page = Page(program, root, (root / name).resolve(), pathlib.Path(folder))
            faults += page.run_all()
            ran += page.ran
    print("\n\n".join(faults) or f"{ran} commands do what their pages say")
    return 1 if faults or not ran else 0


sys.exit(main())
