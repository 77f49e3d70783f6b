#!/usr/bin/env python3
"""Why a strategy's sessions make fewer trials a second than those of `random`, with an empty cache of machine code.

    causes.py WARPTUNE TEMPLATE SECONDS [STRATEGY ...] [--size M=…] [--device cuda:0] [--rounds N] [--once] [--with='--objective time,joules']

Tunes with each strategy for so many seconds (default: random, auto), each with a cache of its own, then with `repeat` the
same configurations in the order in which they ended. What the repetition is slower by than `random`, the configurations
cost: they take longer to compile, or to measure. What the strategy is slower by than its repetition, its decisions cost:
asking waits for them, or they take cores from the compilers, so that the same configurations take longer to compile.
Compilers and device are busy for the shares given; the larger one is what the session waits for.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

COLUMNS = ("SESSION", "TRIALS", "SEARCH_S", "TRIALS/S", "COMPILE_MS", "COMPILERS", "DEVICE_MS", "DEVICE", "WAITED_US", "OWN_US")


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.caches = options, folder, 0

    def run(self, *words, **environment):
        done = subprocess.run([self.options.warptune, *words], capture_output=True, text=True,
                              env={**os.environ, "CUDA_CACHE_DISABLE": "1", **environment})
        if done.returncode:
            sys.exit(f"warptune {' '.join(words)} failed:\n{done.stderr}")
        return done

    def tune(self, store, *words):
        """One session with an empty cache; returns what it says at its end."""
        self.caches += 1
        size = ["--size", self.options.size] if self.options.size else []
        return self.run("tune", self.options.template, *size, "--device", self.options.device, "--finals", "0", "--seed", "1",
                        "--db", store, *shlex.split(self.options.words), *words, XDG_CACHE_HOME=os.path.join(self.folder, f"cache{self.caches}")).stderr

    def row(self, name, log, store, session):
        trials, search_s = re.search(r"(\d+) trials? in .*search ([\d.]+) s", log).groups()
        own_us = re.search(r"own time was (\d+) µs", log).group(1)
        waited = re.search(r"it waited (\d+) µs", log)
        waited_us = waited.group(1) if waited else "-"  # older versions do not say
        phases = [t["phases_ms"] for t in json.loads(self.run("show", str(session), "--db", store, "--format", "json").stdout)["trials"]]
        compile_ms = sum(p["compile"] for p in phases)
        device_ms = sum(p["verify"] + p["measure"] + p["framework"] for p in phases)
        count, spent_ms = int(trials), float(search_s) * 1e3
        cores, devices = len(os.sched_getaffinity(0)), self.options.device.count(",") + 1
        print(f"{name:<16}{count:>8}{float(search_s):>10.1f}{count * 1e3 / spent_ms:>10.1f}{compile_ms / count:>12.1f}"
              f"{compile_ms / spent_ms / cores:>10.0%}{device_ms / count:>11.2f}{device_ms / spent_ms / devices:>8.0%}"
              f"{waited_us:>11}{own_us:>8}", flush=True)

    def strategy(self, name, number):
        store = os.path.join(self.folder, f"{name}{number}.db")
        seconds = f"{self.options.seconds}s"
        self.row(name, self.tune(store, "--strategy", name, "--budget", seconds), store, 1)
        if self.options.once:
            return
        # A restriction that forbids nothing makes it another session, which measures again what the first one knows.
        log = self.tune(store, "--strategy", "repeat", "--transfer", "1", "--restrict", "1 == 1", "--budget", seconds)
        self.row(name + ", again", log, store, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("template")
    parser.add_argument("seconds", type=float)
    parser.add_argument("strategies", nargs="*", default=["random", "auto"])
    parser.add_argument("--size", default="")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=1, help="so many times everything")
    parser.add_argument("--once", action="store_true", help="without the repetitions")
    parser.add_argument("--with", dest="words", default="", help="further options of tune, in one word")
    options = parser.parse_args()
    print("{:<16}{:>8}{:>10}{:>10}{:>12}{:>10}{:>11}{:>8}{:>11}{:>8}".format(*COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        for number in range(options.rounds):
            for name in options.strategies:
                bench.strategy(name, number)


if __name__ == "__main__":
    main()
