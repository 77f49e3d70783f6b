#!/usr/bin/env python3
"""Holds our scorer against the published one (PyPI: autotuning-methodology) on the same runs.

Kernel Tuner replays recorded spaces with its own strategies; the tool scores those runs, and so do we. Compared are the
times over which both look, random search's curve, the strategy's curve and P. Run by verify.sh in its own environment.
"""

import argparse
import gzip
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from autotuning_methodology import experiments, report_experiments, runner

CONFIDENCE = 0.95  # of intervals that are not compared
RESOLUTION = 1000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of recorded spaces, with t1/")
    parser.add_argument("score_runs", type=Path, help="our scorer, built with -DWARPTUNE_BENCH=ON")
    parser.add_argument("work", type=Path, help="folder for what is written on the way")
    parser.add_argument("--spaces", nargs="+", default=["convolution/A100", "dedispersion/A100"])
    parser.add_argument("--strategies", nargs="+", default=["random_sample", "genetic_algorithm"])
    parser.add_argument("--repeats", type=int, default=25)
    parser.add_argument("--tolerance", type=float, default=0.03, help="difference in P that is put down to bagging")
    return parser.parse_args()


def lay_out(args, kernel, device):
    """Unpacks a space to where the tool looks for it; returns the application's entry of the experiment."""
    name = f"{kernel}_milo"
    caches, kernels = args.work / "cachefiles" / name, args.work / "kernels"
    for folder in (caches, kernels):
        folder.mkdir(parents=True, exist_ok=True)
    for file in (f"{device}.json", f"{device}_T4.json"):
        (caches / file).write_bytes(gzip.decompress((args.data / kernel / f"{file}.gz").read_bytes()))
    problem = (args.data / "t1" / f"{name}.json").read_text()
    (kernels / f"{name}.json").write_text(problem)
    source = kernels / json.loads(problem)["KernelSpecification"]["KernelFile"]
    source.parent.mkdir(parents=True, exist_ok=True)
    source.touch()  # only its existence is checked when replaying
    return {
        "name": name,
        "folder": str(kernels),
        "input_file": f"{name}.json",
        "objective_performance_keys": ["time"],
    }


def experiment_file(args, kernel, device):
    application = lay_out(args, kernel, device)
    defaults = Path(experiments.__file__).parent / "experiments_defaults.json"
    experiment = json.loads(defaults.read_text())
    experiment["name"] = f"{kernel} {device}"
    experiment["parent_folder"] = str(args.work / "experiments" / f"{kernel}_{device}")
    Path(experiment["parent_folder"]).mkdir(parents=True, exist_ok=True)
    groups = experiment["experimental_groups_defaults"]
    groups.update(applications=[application], gpus=[device], repeats=args.repeats, ignore_cache=True)
    groups["pattern_for_full_search_space_filenames"]["regex"] = str(
        args.work / "cachefiles" / "${applications}" / "${gpus}_T4.json"
    )
    experiment["search_strategies"] = [
        {"name": s, "search_method": s, "display_name": s, "autotuner": "KernelTuner"} for s in args.strategies
    ]
    path = args.work / f"{kernel}_{device}.json"
    path.write_text(json.dumps(experiment))
    return path


def recorded_run(results, time_keys):
    """One of the tool's runs as score_runs reads it; times add up as the tool adds them."""
    run, now_s = [], 0.0
    for result in results:
        for key in time_keys:
            value = result["times"][key]
            now_s += sum(value) if isinstance(value, list) else value
        run.append({"configuration": result["configuration"], "time_s": now_s})
    return run


def intercept_runs(folder):
    """The tool keeps objectives and times of its runs but not their configurations, so they are taken on the way."""
    write_results = runner.write_results

    def write_and_keep(repeated, description, compressed=False):
        unpacked = [pickle.loads(gzip.decompress(r)) if compressed else r for r in repeated]
        runs = [recorded_run(results, description.objective_time_keys) for results in unpacked]
        (folder / f"{description.group_name}.json").write_text(json.dumps(runs))
        path = Path(description.run_folder) / f"{description.device_name}_{description.application_name}.npz"
        path.unlink(missing_ok=True)
        write_results(repeated, description, compressed)

    runner.write_results = write_and_keep
    return lambda: setattr(runner, "write_results", write_results)


def published(args, kernel, device, folder):
    """Runs the tool on a space; returns its grid, its baseline and, by strategy, its curve and P."""
    restore = intercept_runs(folder)
    try:
        experiment, strategies, statistics, results = experiments.execute_experiment(
            str(experiment_file(args, kernel, device)), full_validate_on_load=False
        )
    finally:
        restore()
    data = report_experiments.get_aggregation_data(
        folder, experiment, statistics, strategies, results, 0.95, 0.01, CONFIDENCE, RESOLUTION
    )
    baseline, curves, space, grid, _ = next(iter(data.values()))
    random_curve = baseline.get_curve(grid, "time")
    distribution = space.objective_performances_total_sorted
    scores = {}
    for strategy, curve in zip(strategies, curves):
        values = curve.get_curve_over_time(grid, dist=distribution, confidence_level=CONFIDENCE, return_split=False)[2]
        scores[strategy["name"]] = values, np.mean(baseline.get_standardised_curve(grid, values, "time"))
    return grid, random_curve, scores


def ours(args, kernel, device, runs):
    space = args.data / kernel / f"{device}.json.gz"
    output = subprocess.run([args.score_runs, space, runs], check=True, capture_output=True, text=True).stdout
    return json.loads(output)


def relative_difference(a, b):
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b)) / np.maximum(np.abs(b), 1e-12)))


def verify_space(args, kernel, device):
    """Prints a line for each strategy; returns whether all agree."""
    folder = args.work / "runs" / f"{kernel}_{device}"
    folder.mkdir(parents=True, exist_ok=True)
    grid, random_curve, scores = published(args, kernel, device, folder)
    agree = True
    for name, (curve, p) in scores.items():
        mine = ours(args, kernel, device, folder / f"{name}.json")
        grid_off = relative_difference(mine["grid_s"], grid)
        random_off = relative_difference(mine["baseline"], random_curve)
        curve_off = float(np.mean(np.abs(np.asarray(mine["curve"]) - curve) / curve))
        same = grid_off < 1e-9 and random_off < 1e-9 and abs(mine["p"] - p) < args.tolerance
        agree &= same
        print(
            f"{kernel}/{device} {name}: P {p:.3f} published, {mine['p']:.3f} ±{mine['p_error']:.3f} ours"
            f" (P_direct {mine['p_direct']:.3f} ±{mine['p_direct_error']:.3f});"
            f" off by {grid_off:.1e} in times, {random_off:.1e} in random search,"
            f" {curve_off:.1e} on average in the curve: {'agree' if same else 'DISAGREE'}",
            flush=True,
        )
    return agree


def main():
    args = arguments()
    args.data, args.score_runs, args.work = args.data.resolve(), args.score_runs.resolve(), args.work.resolve()
    warnings.simplefilter("ignore")
    np.random.seed(1)
    agree = [verify_space(args, *space.split("/")) for space in args.spaces]
    sys.exit(0 if all(agree) else 1)


if __name__ == "__main__":
    main()
