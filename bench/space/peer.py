#!/usr/bin/env python3
"""Kernel Tuner's Searchspace on the same files, beside the figures of space_bench.

    peer.py --spaces FOLDER --bench space_bench.json --dump space_dump --venv FOLDER

Creates the virtual environment if need be, installs kernel-tuner there, times the construction of every space that it
can list, compares the full sets of configurations with what space_dump prints, and prints one table (Markdown).
All times are CPU time of one thread, the best of several runs.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import time
import venv
import warnings
from pathlib import Path

LISTABLE = 1_000_000  # configurations; beyond that Kernel Tuner, which lists them all, runs for minutes or forever
MAX_THREADS = 1024  # Kernel Tuner's own limit on block_size_x * block_size_y * block_size_z; the files state it too


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spaces", type=Path, required=True, help="folder of *.json")
    parser.add_argument("--bench", type=Path, required=True, help="what space_bench --benchmark_out wrote")
    parser.add_argument("--dump", type=Path, required=True, help="the program space_dump")
    parser.add_argument("--venv", type=Path, required=True, help="where the virtual environment is or shall be")
    return parser.parse_args()


def enter(folder):
    """Continues this script inside the virtual environment."""
    python = folder / "bin" / "python"
    if Path(sys.prefix).resolve() == folder.resolve():
        return
    if not python.exists():
        venv.create(folder, with_pip=True)
    probe = [python, "-c", "import kernel_tuner"]
    if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "kernel-tuner"], check=True)
    os.execv(python, [str(python), *sys.argv])


def best_ms(action):
    """The least CPU time in ms of at least 3 runs, more while they fit half a second; and the last result."""
    times = []
    while len(times) < 3 or (sum(times) < 500 and len(times) < 20):
        start = time.process_time()
        result = action()
        times.append((time.process_time() - start) * 1e3)
    return min(times), result


def construct(space):
    from kernel_tuner.searchspace import Searchspace

    return Searchspace(dict(space["parameters"]), list(space["constraints"]), MAX_THREADS)


def same_set(peer, file, dump):
    lines = subprocess.run([dump, file], capture_output=True, text=True, check=True).stdout.split()
    ours = set(lines)
    theirs = {",".join(map(str, row)) for row in peer.list}
    return len(ours) == len(lines) and ours == theirs


def hamming_ms(peer):
    """Median over 20 random configurations, none asked before (Kernel Tuner caches)."""
    rows = random.Random(1).sample(list(peer.list), 20)
    times = []
    for row in rows:
        start = time.process_time()
        peer.get_neighbors_no_cache(row, "Hamming")
        times.append((time.process_time() - start) * 1e3)
    return sorted(times)[len(times) // 2]


def our_figures(path):
    """Name -> the best repetition's CPU time in ns, and the memory in bytes."""
    scale = {"ns": 1, "us": 1e3, "ms": 1e6}
    times, memory = {}, {}
    for run in json.loads(path.read_text())["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        if run.get("error_occurred"):
            raise SystemExit(f"{run['name']}: {run['error_message']}")
        name = run["run_name"]
        times[name] = min(times.get(name, math.inf), run["cpu_time"] * scale[run["time_unit"]])
        memory[name] = run.get("index_bytes")
    return times, memory


def main():
    options = arguments()
    enter(options.venv)
    warnings.simplefilter("ignore")  # what Kernel Tuner's own parser makes of the constraints
    import kernel_tuner

    times, memory = our_figures(options.bench)
    queries, ratios, differing = [], [], []
    print("| space | valid | Warptune ms | Kernel Tuner ms | times faster | same set | index kB |")
    print("| --- | ---: | ---: | ---: | ---: | --- | ---: |")
    for file in sorted(options.spaces.glob("*.json")):
        space = json.loads(file.read_text())
        name = space["name"]
        ours = times[f"construct/{name}"] / 1e6
        row = [name, f"{space['valid']:,}" if space["valid"] < 1e9 else f"{space['valid']:.3g}", f"{ours:.3f}"]
        if space["valid"] <= LISTABLE:
            theirs, peer = best_ms(lambda: construct(space))
            same = same_set(peer, file, options.dump)
            if not same:
                differing.append(name)
            ratios.append(theirs / ours)
            row += [f"{theirs:.1f}", f"{theirs / ours:.0f}", "yes" if same else "NO"]
            if f"hamming/{name}" in times:
                queries.append((name, hamming_ms(peer)))
        else:
            row += ["cannot list", "", ""]
        print("|", " | ".join([*row, f"{memory[f'construct/{name}'] / 1e3:.0f}"]), "|")
    geometric = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nGeometric mean over {len(ratios)} spaces: {geometric:.0f} times faster than Kernel Tuner "
          f"{getattr(kernel_tuner, '__version__', '')}.\n")
    print("| query, ns | " + " | ".join(name for name, _ in queries) + " |")
    print("| --- |" + " ---: |" * len(queries))
    for query in ("at", "index_of", "sample", "hamming"):
        print(f"| {query} | " + " | ".join(f"{times[f'{query}/{name}']:.0f}" for name, _ in queries) + " |")
    print("| hamming, Kernel Tuner | " + " | ".join(f"{theirs * 1e6:,.0f}" for _, theirs in queries) + " |")
    if differing:
        raise SystemExit(f"the sets differ: {', '.join(differing)}")


if __name__ == "__main__":
    main()
