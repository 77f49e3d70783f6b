#!/usr/bin/env python3
"""run.py WARPTUNE [DEVICE] [FAMILY...]: runs the suite of liars on a device (default: host) and judges what was accepted.

Each family is one session over its cases. Prints a row a case: what it does, the outcome it must get, what it got, its time.
The last line counts what was accepted although it is wrong, and what was refused although it is sound. Exit code 1 if there
is any, or any other outcome than the one that is wanted. Needs nothing but Python and the program."""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
from cases import Case, Family, families, write_template  # noqa: E402


@dataclass
class Result:
    family: Family
    case: Case
    got: str
    time_ms: float | None
    message: str
    verdict: str      # good, WRONG ACCEPTED, SOUND REFUSED, OTHER OUTCOME, undetected, not here


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("warptune")
    parser.add_argument("device", nargs="?", default="host")
    parser.add_argument("families", nargs="*", help="only these; default all")
    parser.add_argument("--jobs", type=int, default=1, help="sessions at a time")
    parser.add_argument("--keep", type=Path, help="a new folder for templates, stores and what the program said")
    return parser.parse_args()


def tune(program: Path, device: str, family: Family, folder: Path) -> subprocess.CompletedProcess:
    write_template(family, folder / family.name)
    command = [program, "tune", folder / family.name, "--device", device, "--db", folder / f"{family.name}.db",
               "--strategy", "exhaustive", "--deterministic", "--race", "0", "--finals", "0", "--kernel-timeout", "20",
               *family.keys.get("options", ["--precision", "0.05"])]
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "NO_COLOR": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=600)
    (folder / f"{family.name}.log").write_text(f"{done.stderr}\n{done.stdout}\nexit code {done.returncode}\n")
    return done


def trials(store: Path) -> dict[str, tuple[str, float | None, str]]:
    """Outcome, time and message of each case, by its name."""
    if not store.exists():
        return {}
    with sqlite3.connect(store) as connection:
        rows = connection.execute("select configuration, outcome, median_ms, message from trials").fetchall()
    return {json.loads(configuration)["CASE"]: tuple(rest) for configuration, *rest in rows}


def judge(case: Case, got: str, backend: str) -> str:
    if got in case.wanted:
        return "good"
    if case.elsewhere.get(backend, "").startswith("undetected"):
        return "undetected"
    if case.sound:
        return "SOUND REFUSED"
    return "WRONG ACCEPTED" if got == "correct" else "OTHER OUTCOME"


def results(program: Path, device: str, family: Family, folder: Path) -> list[Result]:
    backend = device.split(":")[0]
    if not family.runs_on(backend):
        return [Result(family, case, "", None, "", "not here") for case in family.cases]
    done = tune(program, device, family, folder)
    found, all_results = trials(folder / f"{family.name}.db"), []
    for case in family.cases:
        nothing = ("refused" if done.returncode == 3 else f"exit code {done.returncode}", None, last_words(done.stderr))
        got, time_ms, message = found.get(case.name, nothing)
        all_results.append(Result(family, case, got, time_ms, message, judge(case, got, backend)))
    return all_results


def last_words(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def row(result: Result) -> str:
    time = f"{result.time_ms:.4g} ms" if result.time_ms is not None else ""
    cells = [f"{result.family.name}/{result.case.name}", result.case.what, " or ".join(sorted(result.case.wanted)),
             result.got, time, result.verdict]
    return "| " + " | ".join(cells) + " |"


def report(all_results: list[Result], backend: str) -> int:
    print("| case | what it does | wanted | got | time | verdict |\n| --- | --- | --- | --- | --- | --- |")
    for result in all_results:
        print(row(result))
    for result in all_results:
        if result.verdict in ("WRONG ACCEPTED", "SOUND REFUSED", "OTHER OUTCOME"):
            print(f"{result.verdict}: {result.family.name}/{result.case.name}: {result.case.what}: wanted "
                  f"{' or '.join(sorted(result.case.wanted))}, got {result.got}: {result.message}")
        elif result.verdict in ("undetected", "not here"):
            reason = result.case.elsewhere.get(backend) or f"only on {' and '.join(result.family.keys['backends'])}"
            print(f"{result.verdict}: {result.family.name}/{result.case.name}: {reason}")
    count = lambda verdict: sum(result.verdict == verdict for result in all_results)  # noqa: E731
    liars = sum(not result.case.sound for result in all_results)
    bad = [count(verdict) for verdict in ("WRONG ACCEPTED", "SOUND REFUSED", "OTHER OUTCOME")]
    print(f"{liars} liars, {len(all_results) - liars} sound kernels: {bad[0]} wrong accepted, {bad[1]} sound refused, "
          f"{bad[2]} other outcomes; {count('undetected')} known to go undetected here, {count('not here')} not for this device")
    return 1 if any(bad) else 0


def main() -> int:
    options = arguments()
    chosen = [family for family in families() if not options.families or family.name in options.families]
    if unknown := set(options.families) - {family.name for family in chosen}:
        sys.exit(f"no such family: {', '.join(sorted(unknown))}")
    program = Path(options.warptune).resolve()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        done = pool.map(lambda family: results(program, options.device, family, folder), chosen)
        return report([result for family in done for result in family], options.device.split(":")[0])


if __name__ == "__main__":
    sys.exit(main())
