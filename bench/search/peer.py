#!/usr/bin/env python3
"""Runs Kernel Tuner's own strategies (PyPI: kernel-tuner) on recorded spaces and scores their runs with our scorer.

Each of our classical strategies has a namesake there; both are told the same budget. Run by peer.sh in its own environment.
"""

import argparse
import gzip
import json
import multiprocessing
import random
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.runners.simulation import SimulationRunner
from kernel_tuner.searchspace import Searchspace

SPACES = [
    "convolution/A100", "convolution/MI250X", "convolution/W6600", "dedispersion/A100", "dedispersion/MI250X",
    "dedispersion/W6600", "gemm/RTX_2080_Ti", "convolution_2021/RTX_2080_Ti",
]  # fmt: skip
STRATEGIES = [
    "random_sample", "greedy_mls", "mls", "greedy_ils", "basinhopping", "simulated_annealing", "genetic_algorithm",
    "diff_evo", "pso", "firefly_algorithm",
]  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of recorded spaces")
    parser.add_argument("score_runs", type=Path, help="our scorer, built with -DWARPTUNE_BENCH=ON")
    parser.add_argument("work", type=Path, help="folder for the runs")
    parser.add_argument("--spaces", nargs="+", default=SPACES)
    parser.add_argument("--strategies", nargs="+", default=STRATEGIES)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    return parser.parse_args()


class Space:
    """A recorded space as Kernel Tuner's strategies see it."""

    def __init__(self, file):
        recorded = json.loads(gzip.decompress(file.read_bytes()))
        self.cache = recorded["cache"]
        parameters = {name: list(dict.fromkeys(values)) for name, values in recorded["tune_params"].items()}
        self.searchspace = Searchspace(None, None, None, from_cache={"tune_params": parameters, "cache": self.cache})
        self.parameters = parameters
        # Old files hold failures as texts or as a huge time; Kernel Tuner's reader makes them errors.
        for record in self.cache.values():
            if not isinstance(record["time"], (int, float)) or record["time"] >= 1e20:
                record["__error__"] = util.RuntimeFailedConfig()
            for phase in ("compile_time", "verification_time", "benchmark_time"):
                record.setdefault(phase, 0)


class OrderedKeys(dict):
    """A set that keeps the order of insertion."""

    def add(self, key):
        self[key] = None


def one_run(space, strategy, budget, seed):
    random.seed(seed)
    np.random.seed(seed % 2**32)
    options = Options(
        strategy_options=Options(max_fevals=budget), objective=["time"], objective_higher_is_better=[False],
        cache=space.cache, tune_params=space.parameters, restrictions=None, metrics=None, verbose=False, quiet=True,
        max_fevals=budget, simulated_time=0, budget=util.TuningBudget(None, min(budget, space.searchspace.size)),
    )  # fmt: skip
    runner = SimulationRunner(None, Options(kernel_name="replay"), Options(quiet=True), 1, None)
    runner.visited_results = OrderedKeys()
    try:
        strategy_map[strategy].tune(space.searchspace, runner, options)
    except util.StopCriterionReached:
        pass
    return [{"configuration": {name: space.cache[key][name] for name in space.parameters}} for key in runner.visited_results]


spaces = {}  # by name; inherited by the workers that fork


def job(task):
    name, strategy, budget, seed = task
    warnings.filterwarnings("ignore")
    return one_run(spaces[name], strategy, budget, seed)


def main():
    args = arguments()
    args.score_runs = args.score_runs.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    rows = {}
    for name in args.spaces:
        file = args.data / f"{name}.json.gz"
        spaces[name] = Space(file)
        described = json.loads(subprocess.run([args.score_runs, file], check=True, capture_output=True).stdout)
        budget = round(described["evaluations"])
        with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
            for strategy in args.strategies:
                tasks = [(name, strategy, budget, 1000 + i) for i in range(args.repeats)]
                runs = args.work / f"{name.replace('/', '_')}_{strategy}.json"
                runs.write_text(json.dumps(pool.map(job, tasks, chunksize=1)))
                scored = subprocess.run([args.score_runs, file, runs], check=True, capture_output=True).stdout
                score = json.loads(scored)
                rows[strategy, name] = score["p_direct"], score["p_direct_error"]
                print(f"{name} {strategy} {budget} {score['p_direct']:.3f} ± {score['p_direct_error']:.3f}", flush=True)
    print("| strategy | mean |" + "".join(f" {name} |" for name in args.spaces))
    print("|---|---:|" + "---:|" * len(args.spaces))
    for strategy in args.strategies:
        values = [rows[strategy, name][0] for name in args.spaces]
        print(f"| {strategy} | {np.mean(values):.2f} |" + "".join(f" {value:.2f} |" for value in values))


if __name__ == "__main__":
    sys.exit(main())
