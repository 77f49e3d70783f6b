#!/usr/bin/env python3
"""Runs every T1 file below folders, and prints a row of Markdown for each: what became of it, and why.

  bench/t1/run.py warptune benchmark_hub KTT BAT kernel_tuner --device host --budget 2

A T1 file is a .json file with a ConfigurationSpace. The folders are left as they are.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def t1_files(folders: list[str]) -> list[tuple[pathlib.Path, pathlib.Path]]:
    """(folder, file) of all T1 files, those that are no JSON as well if they look like one."""
    found = []
    for folder in map(pathlib.Path, folders):
        for file in sorted(folder.rglob("*.json")):
            text = file.read_text(errors="replace")
            if '"ConfigurationSpace"' in text and '"$schema"' not in text[:200]:
                found.append((folder, file))
    return found


def language(file: pathlib.Path) -> str:
    try:
        return json.loads(file.read_text())["KernelSpecification"]["Language"]
    except (ValueError, KeyError, TypeError):
        return "unknown"


def tune(program: str, file: pathlib.Path, device: str, budget: str, limit_s: float) -> tuple[str, str]:
    """(what became of it, why)."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "WARPTUNE_DB": f"{home}/store.db", "NO_COLOR": "1", "COLUMNS": "400"}
        command = [program, "tune", str(file), "--device", device, "--budget", budget, "--strategy", "random"]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit_s, check=False)
        except subprocess.TimeoutExpired as late:
            talk = (late.stderr or b"").decode(errors="replace")
            return "not in time", f"more than {limit_s:g} s; {size_of_space(talk)}"
        if done.returncode == 0:
            return "tuned", size_of_space(done.stderr)
        history = subprocess.run([program, "show", "1"], env=environment, capture_output=True, text=True, check=False)
        return "refused" if history.returncode else "nothing correct", reason(done.stderr, str(file.parent))


def size_of_space(talk: str) -> str:
    found = re.search(r"([\d,]+) of [^ ]+ configurations are valid", talk)
    return f"{found[1]} configurations" if found else "its space is not known yet"


def reason(talk: str, folder: str) -> str:
    lines = [line for line in talk.splitlines() if line and not line.startswith("note: ")]
    errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
    return re.sub(r"\s+", " ", errors[0].replace(folder + "/", "").replace("|", "\\|"))[:300] if errors else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--device", default="host")
    parser.add_argument("--budget", default="2", help="trials, or a time as 10s")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each file")
    options = parser.parse_args()
    files = t1_files(options.folders)
    if not files:
        print("no T1 file in these folders", file=sys.stderr)
        return 1
    print("| file | language | outcome | |\n| --- | --- | --- | --- |")
    for folder, file in files:
        outcome, why = tune(options.program, file, options.device, options.budget, options.limit)
        print(f"| {folder.name}: `{file.relative_to(folder)}` | {language(file)} | {outcome} | {why} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
