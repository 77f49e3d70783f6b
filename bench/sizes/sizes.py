#!/usr/bin/env python3
"""Many problem sizes in the budget of a few: what `tune --sizes` loses against sizes tuned alone.

    bench/sizes/sizes.py WARPTUNE [--device cuda:0] [--template gemm] [--values 256,640,1600,4096]
                         [--budget 24] [--alone 4] [--sample 6] [--seed 0] [--folder FOLDER]

tunes every combination of the values as M, N and K in one run with the budget, in seconds. Then it
tunes a sample of the sizes alone, each for longer, in a store of its own. The regret of a size is
its settled time in the first store over that in the second, less one; below zero, the shared run
found something better. Prints a line for each sampled size and the mean last.
"""

import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune", type=pathlib.Path)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--template", default="gemm")
    parser.add_argument("--values", default="256,640,1600,4096")
    parser.add_argument("--budget", type=float, default=24)
    parser.add_argument("--alone", type=float, default=4)
    parser.add_argument("--sample", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("sizes"))
    return parser.parse_args()


class Bench:
    def __init__(self, options):
        self.options = options
        options.folder.mkdir(parents=True, exist_ok=True)

    def warptune(self, *words, log=None):
        command = [str(self.options.warptune.resolve()), *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if log:
            (self.options.folder / log).write_text(done.stdout + done.stderr)
        if done.returncode not in (0, 6):
            sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def tune(self, name, seconds, *words):
        start = time.monotonic()
        self.warptune("tune", self.options.template, "--device", self.options.device, "--budget", f"{seconds}s",
                      "--seed", self.options.seed, "--db", self.options.folder / f"{name}.db", *words,
                      log=f"{name}.txt")
        return time.monotonic() - start

    def winners(self, name):
        text = self.warptune("best", pathlib.Path(self.options.template).name, "--format", "json",
                             "--db", self.options.folder / f"{name}.db")
        return {tuple(winner["problem_size"][d] for d in "MNK"): winner for winner in json.loads(text)["winners"]}


def text_of(size):
    return ",".join(f"{name}={value}" for name, value in zip("MNK", size))


def main():
    options = arguments()
    bench = Bench(options)
    values = [int(value) for value in options.values.split(",")]
    sizes = list(itertools.product(values, repeat=3))
    listed = options.folder / "sizes.txt"
    listed.write_text("\n".join(text_of(size) for size in sizes) + "\n")
    took = bench.tune("together", options.budget, "--sizes", listed)
    together = bench.winners("together")
    print(f"{len(together)} of {len(sizes)} sizes have a winner after {took:.1f} s", flush=True)
    chosen = random.Random(options.seed).sample(sizes, min(options.sample, len(sizes)))
    print(f"{'size':>16} {'together':>11} {'alone':>11} {'regret':>8}")
    regrets = []
    for size in sorted(chosen):
        name = "alone-" + "-".join(map(str, size))
        bench.tune(name, options.alone, "--size", text_of(size), "--transfer", "off")
        alone = bench.winners(name).get(size)
        if size not in together or not alone:
            print(f"{'x'.join(map(str, size)):>16} has no winner in both stores")
            continue
        times = together[size]["time_ms"] * 1e3, alone["time_ms"] * 1e3
        regrets.append(times[0] / times[1] - 1)
        print(f"{'x'.join(map(str, size)):>16} {times[0]:>8.1f} µs {times[1]:>8.1f} µs {regrets[-1]:>8.1%}",
              flush=True)
    if regrets:
        print(f"mean regret {sum(regrets) / len(regrets):.1%}, worst {max(regrets):.1%}")


if __name__ == "__main__":
    main()
