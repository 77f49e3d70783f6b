"""tune_kernel: Kernel Tuner's call, searched and measured by Warptune's engine."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .._expressions import Configuration
from .._outputs import OutputRunner
from .._session import Session, Trial
from .._template import Description
from ..errors import TuningError, UsageError
from . import _cache
from ._problem import describe, expected_arrays
from ._run import contents, request_for
from ._values import expression, plain_values, refuse
from .observers import BenchmarkObserver, OutputObserver, hook_of
from .observers.nvml import NVMLObserver
from .util import ERRORS, ErrorConfig, RuntimeFailedConfig, get_best_config, get_config_string, get_objective_defaults

# Kernel Tuner's strategies by the nearest of Warptune's.
STRATEGIES = {
    "brute_force": "exhaustive", "random_sample": "random", "minimize": "hill_climbing", "basinhopping": "basin_hopping",
    "diff_evo": "differential_evolution", "genetic_algorithm": "genetic", "greedy_mls": "hill_climbing",
    "ordered_greedy_mls": "hill_climbing", "greedy_ils": "local_search", "dual_annealing": "annealing",
    "mls": "multi_start", "pso": "particle_swarm", "simulated_annealing": "annealing",
    "firefly_algorithm": "firefly", "bayes_opt": "gaussian_process", "skopt": "gaussian_process",
    "adaptive_tabu_greywolf": "tabu",
}
ALL = 10**9  # trials: the space ends the search


def tune_kernel(
    kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, tune_params: Any, grid_div_x: Any = None,
    grid_div_y: Any = None, grid_div_z: Any = None, restrictions: Any = None, answer: Any = None, atol: float = 1e-6,
    verify: Any = None, verbose: bool = False, lang: str | None = None, device: int = 0, platform: int = 0,
    smem_args: Any = None, cmem_args: Any = None, texmem_args: Any = None, compiler: Any = None,
    compiler_options: Any = None, defines: Any = None, log: Any = None, iterations: int = 7, block_size_names: Any = None,
    quiet: bool = False, strategy: Any = None, strategy_options: Any = None, cache: Any = None, metrics: Any = None,
    simulation_mode: Any = None, parallel: Any = None, observers: Any = None, objective: Any = None,
    objective_higher_is_better: Any = None, objectives: Any = None, seed: Any = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Kernel Tuner's `tune_kernel`: (results, env), a dictionary for each configuration.

    What differs: a configuration that computes something wrong does not end the search, but has an "__error__"; `time`
    is the median of `iterations` samples at least, and that of the finals for the best.
    """
    begin = time.perf_counter()
    if log:
        logging.basicConfig(filename=f"{kernel_name}{datetime.now():%Y%m%d-%H:%M:%S}.log", level=log)
    call = dict(locals())
    tuning = _Tuning(call)
    results = tuning.simulate() if simulation_mode else tuning.measure()
    env = tuning.environment(results, begin)
    if results and not quiet:
        keys = [*tuning.parameters, tuning.objective, *(metrics or ())]
        print(f"\nBEST PERFORMING CONFIGURATION FOR OBJECTIVE {tuning.objective}:")
        print(get_config_string(env["best_config"], keys))
    return results, env


class _Tuning:
    def __init__(self, call: Mapping[str, Any]) -> None:
        self.call = call
        self.begin = time.perf_counter()
        self.parameters = plain_values(call["tune_params"])
        self.device = ""
        self.answer = call["answer"]
        if call["objectives"]:
            refuse("objectives", "name one objective; warptune.tune(objective=\"time,joules\") gives a Pareto front")
        self.objective, self.higher = get_objective_defaults(call["objective"], call["objective_higher_is_better"])
        self.metrics: Mapping[str, Any] = call["metrics"] or {}
        if self.objective != "time" and self.objective not in self.metrics:
            refuse("objective", f"'{self.objective}' is neither time nor one of the metrics")
        self.observers: Sequence[BenchmarkObserver] = call["observers"] or []
        for observer in self.observers:
            hook = hook_of(observer) if isinstance(observer, BenchmarkObserver) else "its class"
            if hook is not None:
                refuse("observers", f"{type(observer).__name__}: {hook} would have to run beside each launch, and kernels "
                       "run in processes of their own; derive it from warptune.kernel_tuner.observers.BenchmarkObserver "
                       "and leave that method out")
        self.verify: Callable[..., Any] | None = call["verify"]
        if self.verify is not None and not callable(self.verify):
            raise UsageError("verify: expected a function of the answer and the output")
        self.cache = _cache.Cache(call["cache"], call, self.parameters) if call["cache"] else None
        self.cached = self.cache.entries_of(self.parameters, call["restrictions"]) if self.cache is not None else {}

    # What the engine is asked for.

    def search(self) -> dict[str, Any]:
        strategy = self.call["strategy"] or "brute_force"
        if not isinstance(strategy, str):
            refuse("strategy", "a strategy of one's own is written in C++ here; name one of " + ", ".join(STRATEGIES))
        from_us = STRATEGIES.get(strategy, "auto" if strategy == "auto" else None)
        if from_us is None:
            refuse("strategy", f"'{strategy}' has no counterpart; there are {', '.join(STRATEGIES)}, and auto")
        options = dict(self.call["strategy_options"] or {})
        budget: dict[str, Any] = {}
        if options.get("time_limit") is not None:
            # Each result is to be run once more, which takes as long as that takes: half of the time is for it.
            budget["seconds"] = float(options["time_limit"]) / (2 if self.runs_again() else 1)
        budget["trials"] = int(options["max_fevals"]) if options.get("max_fevals") else ALL
        for name in options:
            if name not in ("time_limit", "max_fevals", "searchspace_construction_options"):
                refuse("strategy_options", f"'{name}' is a setting of Kernel Tuner's {strategy}; Warptune's "
                       f"{from_us} has its own (`warptune strategies`), and max_fevals and time_limit")
        seed = self.call["seed"]
        return {"strategy": from_us, "budget": budget, "seed": int(seed) if seed is not None else 0, "most_failures": 0}

    def describe(self) -> Description:
        compared = self.answer is not None and self.verify is None
        description = describe(self.call, self.answer, compared)
        if compared:
            description.expected = expected_arrays(description, self.answer)
        if self.objective != "time":
            description.metrics = {"objective": (self._objective_expression(), "higher" if self.higher else "lower")}
        if self.cache is not None and self.cached:
            description.constraints = [*description.constraints, self.cache.unknown(self.cached)]
        return description

    def _objective_expression(self) -> str:
        """Over the engine's `time`, which is in seconds, and Kernel Tuner's in ms. A metric may read those before it."""
        texts = {"time": "(time * 1000)"}
        for name in self.metrics:
            if name == self.objective:
                break
            try:
                texts[name] = self._metric_expression(name, texts)
            except Exception:  # noqa: BLE001: it is for this metric alone, if the objective does not read it
                continue
        return self._metric_expression(self.objective, texts)

    def _metric_expression(self, name: str, texts: Mapping[str, str]) -> str:
        return expression(self.metrics[name], self.parameters, f"the metric {name}", unknown=texts)

    def known(self) -> list[dict[str, Any]]:
        """What the cache holds of this call's space, with the metrics of this call."""
        results = _cache.Cache.results(self.cached)
        for result in results:
            if "__error__" not in result:
                _add_metrics(self.metrics, result)
        return results

    # Measuring.

    def measure(self) -> list[dict[str, Any]]:
        description = self.describe()
        known = self.known()
        with tempfile.TemporaryDirectory(prefix="warptune-") as folder:
            verified = bool(description.expected)
            least = max(1, int(self.call["iterations"]))
            measuring = {"min_samples": min(3, least), "max_samples": max(least, 3)} if least < 3 else \
                {"min_samples": least, "max_samples": max(least, 30)}
            request = request_for(description, Path(folder), self.call["device"], "always" if verified else "never",
                                  measuring)
            request["evaluator"]["energy"] = any(isinstance(each, NVMLObserver) and each.needs_energy
                                                 for each in self.observers)
            request.update(self.search())
            if self.objective != "time":
                request["objective"] = "objective"
            if self.call["parallel"]:
                request["device"] = self._all_devices()
            try:
                trials = self._run(request)
            except TuningError as error:
                if known and error.kind == "request":
                    return known  # nothing is left to be measured
                raise
            with OutputRunner(request) as runner:
                fresh = self._results(trials, description, runner)
        if self.cache is not None:
            self.cache.add(fresh)
        return known + fresh

    @staticmethod
    def _all_devices() -> str:
        from .._tune import devices

        return "cuda:all" if any(device["backend"] == "cuda" for device in devices()) else ""

    def _run(self, request: dict[str, Any]) -> list[Trial]:
        quiet, verbose = self.call["quiet"], self.call["verbose"]

        def tell(trial: Trial) -> None:
            if self.cache is not None and not self.runs_again():
                self.cache.keep(_measured(trial, _failure_of(trial)))
            if trial.correct and not quiet:
                print(", ".join([*(f"{name}={value}" for name, value in trial.configuration.items()),
                                 f"time={trial.time_ms:.3f}ms"]), flush=True)
            elif not trial.correct and verbose:
                print(f"skipping config {'_'.join(str(value) for value in trial.configuration.values())}, "
                      f"reason: {trial.outcome}: {trial.message}", flush=True)

        # As there, cache= alone brings back what was measured.
        session = Session(request, ":memory:", on_start=self.cache.begin if self.cache is not None else None, on_trial=tell)
        session.wait()
        self.device = session.device
        return session.trials

    def _results(self, trials: list[Trial], description: Description, runner: OutputRunner) -> list[dict[str, Any]]:
        """In the trials' order. With a time limit, those for whose further run there was none are left out; the fastest
        come first."""
        limit = (self.call["strategy_options"] or {}).get("time_limit") if self.runs_again() else None
        if limit is None:
            return [self._result(trial, description, runner) for trial in trials]
        found: dict[int, dict[str, Any]] = {}
        for i in sorted(range(len(trials)), key=lambda i: (trials[i].correct, trials[i].time_ms or 0.0)):
            if not any("time" in result for result in found.values()) or time.perf_counter() - self.begin < float(limit):
                found[i] = self._result(trials[i], description, runner)
        return [found[i] for i in sorted(found)]

    def _result(self, trial: Trial, description: Description, runner: OutputRunner) -> dict[str, Any]:
        failure = _failure_of(trial)
        outputs = None
        if failure is None and self.runs_again():
            try:
                outputs = contents(description, runner.run(trial.configuration))
            except TuningError:
                failure = RuntimeFailedConfig
        if failure is None and self.verify is not None and not _verified(self.verify, self.answer, outputs, self.call["atol"]):
            failure = RuntimeFailedConfig
        result = _measured(trial, failure)
        if failure is None:
            self._observe(trial, outputs, result)
            _add_metrics(self.metrics, result)
        return result

    def runs_again(self) -> bool:
        """Whether Python looks at what each configuration computed."""
        return self.verify is not None or any(isinstance(observer, OutputObserver) for observer in self.observers)

    def _observe(self, trial: Trial, outputs: Any, result: dict[str, Any]) -> None:
        for observer in self.observers:
            observer.register_configuration(dict(trial.configuration))
            if isinstance(observer, OutputObserver):
                observer.process_output(self.answer, outputs)
            if isinstance(observer, NVMLObserver):
                observer.take(trial.details.get("search") or {})
            result.update(observer.get_results())

    # A recorded space.

    def simulate(self) -> list[dict[str, Any]]:
        if self.cache is None or not self.cache.entries:
            refuse("simulation_mode", "it needs cache=, a file with measured configurations")
        assert self.cache is not None
        if not self.cached:
            raise UsageError(f"simulation_mode: {self.cache.file} has {len(self.cache.entries)} configurations, of which none "
                             "has these tune_params' values and satisfies the restrictions; change either")
        with tempfile.TemporaryDirectory(prefix="warptune-") as folder:
            recorded = Path(folder) / "cache.json"
            self.cache.write(recorded, self.parameters, self.cached)
            session = Session({"device": f"replay:{recorded}", "manifest": "", "evaluator": {"backend": {}}, "finals": 0,
                               **self.search()}, ":memory:")
            session.wait()
        self.device = self.cache.device
        by_values = {tuple(entry[name] for name in self.parameters): entry for entry in self.known()}
        chosen = [tuple(trial.configuration[name] for name in self.parameters) for trial in session.trials]
        return [by_values[values] for values in chosen if values in by_values]

    def environment(self, results: list[dict[str, Any]], begin: float) -> dict[str, Any]:
        import warptune

        env: dict[str, Any] = {"device_name": self.device or (self.cache.device if self.cache else ""),
                               "iterations": self.call["iterations"], "compiler_options": self.call["compiler_options"],
                               "kernel_tuner": f"warptune {warptune.__version__}"}
        if results:
            env["best_config"] = get_best_config(results, self.objective, self.higher)
        for phase in ("compile", "verification", "benchmark", "strategy", "framework"):
            env[f"total_{phase}_time"] = sum(result.get(f"{phase}_time", 0.0) for result in results)
        env["overhead_time"] = 1000 * (time.perf_counter() - begin)
        return env


def _failure_of(trial: Trial) -> type[ErrorConfig] | None:
    return None if trial.correct else ERRORS.get(trial.outcome, RuntimeFailedConfig)


def _measured(trial: Trial, failure: type[ErrorConfig] | None) -> dict[str, Any]:
    """A result without metrics and what observers add."""
    result: dict[str, Any] = dict(trial.configuration)
    if failure is None:
        result["time"] = trial.time_ms
        result["times"] = list(trial.samples_ms)
    else:
        result["__error__"] = failure()
        result["error_message"] = trial.message or "the output is not the answer"
    phases = trial.phases_ms
    result.update(compile_time=phases.get("compile", 0.0), verification_time=phases.get("verify", 0.0),
                  benchmark_time=phases.get("measure", 0.0), strategy_time=0.0,
                  framework_time=phases.get("framework", 0.0), timestamp=str(datetime.now(timezone.utc)))
    return result


def _verified(verify: Callable[..., Any], answer: Any, outputs: Any, atol: float) -> bool:
    import inspect

    try:
        takes = "atol" in inspect.signature(verify).parameters
    except (TypeError, ValueError):
        takes = True
    return bool(verify(answer, outputs, atol=atol) if takes else verify(answer, outputs))


def _add_metrics(metrics: Mapping[str, Any], result: dict[str, Any]) -> None:
    import math

    for name, metric in metrics.items():
        if callable(metric):
            result[name] = metric(result)
        elif isinstance(metric, str):
            result[name] = eval(metric, {"math": math}, Configuration(result))
        else:
            raise UsageError(f"metrics: {name} is a {type(metric).__name__}; expected a text or a function")
