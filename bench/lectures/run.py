#!/usr/bin/env python3
"""Runs every technique of the templates once on a device and prints a table a template: its time, its metrics, and the speed-up over
the first one, which is the lectures' first step. Each output is verified; a technique that is not right is a line of its own, and the
exit code is 1.

  run.py WARPTUNE [--device cuda:0] [--templates FOLDER] [--only matmul,scan] [--size matmul=M=1024,N=1024,K=1024]
         [--variant PATTERN=band]
         [--sanitize TOOL]     compute-sanitizer's memcheck or racecheck on each instead, on the presets "host", --jobs at once
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path


BEYOND = "beyond"


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=os.path.abspath)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--templates", type=Path, default=Path(__file__).resolve().parents[2] / "templates")
    parser.add_argument("--only", default="")
    parser.add_argument("--size", action="append", default=[], metavar="TEMPLATE=SIZES")
    parser.add_argument("--variant", action="append", default=[], help="as PATTERN=band: for each technique, over its own")
    parser.add_argument("--sanitize", choices=["memcheck", "racecheck"])
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=60)
    return parser.parse_args()


def manifests(options):
    wanted = set(filter(None, options.only.split(",")))
    for file in sorted(options.templates.glob("*/template.toml")):
        manifest = tomllib.loads(file.read_text())
        if manifest.get("techniques") and (not wanted or manifest["name"] in wanted):
            yield file.parent, manifest


def call(command, timeout):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {timeout:.0f} s"


def fields(text):
    """The lines of `warptune run`: a name, two spaces or more, a value."""
    return dict(match.groups() for match in re.finditer(r"^(\S.*?)  +(.*)$", text, re.M))


def problem(options, name):
    sizes = [word for size in options.size if size.startswith(name + "=") for word in ("--size", size.split("=", 1)[1])]
    return sizes + [word for variant in options.variant for word in ("--variant", variant)]


def measure(options, folder, manifest):
    """A Markdown table; the names of what was not right."""
    wrong, rows, first = [], [], None
    metrics = list(manifest.get("metrics", {}))
    for name, technique in manifest["techniques"].items():
        code, out, err = call([options.warptune, "run", str(folder), "--technique", name, "--device", options.device]
                              + problem(options, manifest["name"]), options.timeout)
        found = fields(out)
        if code != 0 or found.get("outcome") != "correct":
            wrong.append(f"{manifest['name']} {name}: {(found.get('message') or err.strip() or out.strip())[-300:]}")
            continue
        number, unit = found["time"].split()[:2]
        milliseconds = float(number) * {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]
        first = first or milliseconds
        shown = [f"{float(found[metric]):.4g}" if metric in found else "" for metric in metrics]
        rows.append([f"`{name}`", f"{milliseconds:.4g}", f"{first / milliseconds:.2f}", *shown])
    head = ["technique", "ms", "speed-up", *metrics]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines), wrong


def sanitize(options, folder, name, technique):
    """What the tool said against one technique, or nothing; "beyond …" where the tool does not know what the kernel does."""
    code, out, err = call(["compute-sanitizer", "--tool", options.sanitize, "--error-exitcode", "99", options.warptune, "run", str(folder),
                           "--technique", technique, "--no-workers", "--device", options.device, "--kernel-timeout", "0"]
                          + (["--preset", "host"] if "host" in presets(folder) else []), options.timeout)
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", out + err)
    if code == 0 and summary:
        return ""
    unsupported = re.search(r"Warning: (.*) is not supported by the selected tool", out + err)
    if unsupported:
        return f"{BEYOND} {options.sanitize}: {name} {technique} ({unsupported.group(1)})"
    return f"{name} {technique}: exit {code}: {' '.join(summary) or (out + err).strip()[-300:]}"


def presets(folder):
    return tomllib.loads((folder / "template.toml").read_text()).get("presets", {})


def main():
    options = read_arguments()
    wrong, beyond, count = [], [], 0
    if options.sanitize:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            tasks = [(folder, manifest["name"], name) for folder, manifest in manifests(options) for name in manifest["techniques"]]
            count = len(tasks)
            for text in pool.map(lambda task: sanitize(options, *task), tasks):
                if text:
                    print(text, flush=True)
                    (beyond if text.startswith(BEYOND) else wrong).append(text)
    else:
        for folder, manifest in manifests(options):
            table, faults = measure(options, folder, manifest)
            print(f"### {manifest['name']}\n\n{table}\n", flush=True)
            print("\n".join(faults))
            wrong += faults
            count += len(manifest["techniques"])
    print(f"{count} techniques, {len(wrong)} not right" + (f", {len(beyond)} beyond the tool" if beyond else ""), flush=True)
    return 1 if wrong or count == 0 else 0


sys.exit(main())
