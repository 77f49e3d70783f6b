#!/usr/bin/env python3
"""The winners of a table, and each template's default configuration, at small sizes under compute-sanitizer.

sanitize.py WARPTUNE [--results FOLDER] [--tool memcheck --tool racecheck] [--jobs N] [--only REGEX]

A size is as small as the sanitizer's speed asks for, and as large as the winner's tiles need; rows keep their length.
Exit code 1: something was found, or a result was wrong."""
import argparse
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from results import stored_results

HERE = Path(__file__).resolve().parent

# The most of each problem size, and where a template needs another number.
SMALL = {"ROWS": 5, "COLUMNS": 1 << 17, "M": 300, "N": 520, "K": 2064, "BATCH": 3, "TOKENS": 70, "HEADS": 4,
         "KV_HEADS": 2, "POSITIONS": 90, "QUERIES": 200, "KEYS": 330, "TABLE_ROWS": 1000, "SIZE": 300_007, "LENGTH": 1 << 20,
         "HEAD_DIM": 128, "BINS": 4096}
SMALL_OF = {"top_k": {"K": 256}, "batched_gemm": {"BATCH": 1000}, "embedding": {"ROWS": 500},
            "batched_transpose": {"ROWS": 300, "COLUMNS": 310}, "jacobi2d": {"STEPS": 16}}
CLEAN = re.compile(r"ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: \d+ hazards? displayed \(0 errors")


class Run(NamedTuple):
    name: str
    template: str
    options: list[str]
    size: str  # empty: that of the preset
    preset: bool


def small_size(template: str, sizes: str) -> str:
    """Of sizes as `M=8192,N=8192`. Sizes that have no limit are left to the preset."""
    most = SMALL | SMALL_OF.get(template, {})
    given = (size.split("=") for size in sizes.split(",") if size)
    return ",".join(f"{name}={min(int(value), most[name])}" for name, value in given if name in most)


def presets_of(template: str, folder: Path) -> dict[str, dict]:
    return tomllib.loads((folder / template / "template.toml").read_text()).get("presets", {})


def sizes_and_variants(problem: str, presets: dict[str, dict]) -> tuple[str, list[str]]:
    """Of a problem as run.py notes it: `--size M=8192 --variant PRECISION=half`, or `--preset large`."""
    sizes = re.findall(r"--size (\S+)", problem)
    variants = re.findall(r"--variant (\S+)", problem)
    for preset in re.findall(r"--preset (\S+)", problem):
        for name, value in presets[preset].items():
            (sizes if isinstance(value, int) else variants).append(f"{name}={value}")
    return ",".join(sizes), variants


def runs_of(results: list[dict], templates: Path) -> list[Run]:
    runs = {}
    for result in results:
        for winner in result.get("winners", []):
            template = winner["template"]
            presets = presets_of(template, templates)
            sizes, variants = sizes_and_variants(result["problem"], presets)
            options = ["--configuration", winner["configuration"], *(f"--variant={one}" for one in variants)]
            run = Run(result["case"], template, options, small_size(template, sizes), "host" in presets)
            runs.setdefault((template, *options), run)
    names = sorted(file.parent.name for file in templates.glob("*/template.toml"))
    defaults = [Run(f"{name}, default", name, [], "", "host" in presets_of(name, templates)) for name in names]
    return [*runs.values(), *defaults]


def once(run: Run, size: str, tool: str, options: argparse.Namespace) -> tuple[str, str]:
    """What became of it, in a word, and what was printed."""
    command = [options.warptune, "run", run.template, "--device", options.device, "--no-workers", *run.options,
               *(["--preset", "host"] if run.preset else []), *(["--size", size] if size else [])]
    if tool != "none":
        command = ["compute-sanitizer", "--tool", tool, *command]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "timeout", " ".join(command)
    text = " ".join(command) + "\n" + ended.stdout + ended.stderr
    if " forbids " in text:
        return "forbidden", text
    if not re.search(r"^outcome +correct", text, re.MULTILINE):
        return "failed", text
    if tool != "none" and "SUMMARY:" not in text:  # the sanitizer itself ended early
        return "failed", text
    return "clean" if tool == "none" or CLEAN.search(text) else "found", text


def sanitized(run: Run, tool: str, options: argparse.Namespace) -> tuple[str, str]:
    """At the small size; where the configuration cannot have that, at the preset's."""
    state, text = once(run, run.size, tool, options)
    return once(run, "", tool, options) if state == "forbidden" and run.size else (state, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("--results", type=Path, nargs="+", default=[HERE / "h200"], help="folders of results.jsonl")
    parser.add_argument("--templates", type=Path, default=HERE.parent.parent / "templates")
    parser.add_argument("--tool", action="append", help="memcheck, racecheck, …; none: without compute-sanitizer")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases and defaults with such names")
    parser.add_argument("--jobs", type=int, default=8, help="at a time on the device")
    parser.add_argument("--timeout", type=float, default=200, help="seconds for each")
    options = parser.parse_args()

    runs = [run for run in runs_of(list(stored_results(options.results).values()), options.templates)
            if re.search(options.only, run.name)]
    bad = 0
    for tool in options.tool or ["memcheck", "racecheck"]:
        with ThreadPoolExecutor(options.jobs) as pool:
            ended = list(pool.map(lambda run: sanitized(run, tool, options), runs))
        for run, (state, text) in zip(runs, ended):
            if state != "clean":
                print(f"{tool}: {run.name} ({run.template}): {state}\n{text[:400]}\n…\n{text[-1500:]}\n")
        print(f"{tool}: " + ", ".join(f"{sum(state == kind for state, _ in ended)} {kind}"
                                      for kind in ("clean", "found", "failed", "forbidden", "timeout")))
        bad += sum(state != "clean" for state, _ in ended)
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
