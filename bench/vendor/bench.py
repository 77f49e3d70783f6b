"""Tunes a case of cases.py on one device and measures the winner and the vendor's library in turns."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from cases import Case
from torch_process import TorchFailed, TorchProcess
from watch import Watch


# Of the winner in each turn and of the library in each of its turns, so that both are as warm. Three were too few: they
# put libraries up to a fifth too low.
SAMPLES = 25
# Setting up may use up a short tuning: then the session goes on.
MOST_TUNINGS = 3  # each twice as long as the one before


class Missing(Exception):
    """What a case needs is not there, or did not work."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error")]
    return (errors or lines or ["no word about it"])[-1]


def call(command: list[str], **options) -> subprocess.CompletedProcess:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(str(error)) from error
    if done.returncode != 0:
        raise Missing(f"{' '.join(command[:3])} ended with code {done.returncode}: {last_line(done.stderr)}")
    return done


def time_of_run(text: str) -> tuple[float, int]:
    """Milliseconds and samples, of `warptune run`'s words."""
    found = re.search(r"(?m)^time +(\S+) (ns|µs|ms|s)\b.* (\d+) samples", text)
    if not found:
        raise Missing(f"warptune run told no time: {last_line(text)}")
    return float(found[1]) * {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}[found[2]], int(found[3])


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.device = self.find_device()
        self.watch = Watch(self.device["uuid"] if self.on_gpu() else None)
        # The driver's own cache must not flatter anything; the vendor's programs take the first GPU they see.
        self.environment = os.environ | {"CUDA_CACHE_DISABLE": "1"}
        self.vendor_environment = self.environment | {"CUDA_VISIBLE_DEVICES": self.device["uuid"]}
        self.tuned: dict[tuple, dict] = {}  # results whose winners later cases may have, by what was tuned
        # Seconds of tuning before this run, by what was tuned: of sessions in OUT/bench.db, and of --begin-from's winners.
        self.spent: dict[tuple, float] = {}
        self.begun: dict[tuple, float] = {}
        self.latest: tuple[tuple | None, dict | None] = None, None  # what was measured last of a winner, and of which
        self.torch: TorchProcess | None = None

    def on_gpu(self) -> bool:
        return self.device["device"].startswith("cuda")

    def find_device(self) -> dict:
        wanted = self.options.device
        devices = json.loads(call([self.options.warptune, "devices", "--format", "json"]).stdout)["devices"]
        for device in devices:
            if device["device"] == wanted:
                return device
        raise Missing(f"there is no device {wanted}; here are {', '.join(device['device'] for device in devices)}")

    def fp32_peak_gflops(self) -> float | None:
        """A multiply-add on every FP32 lane in every cycle of the highest clock."""
        if not self.on_gpu():
            return None
        lanes = 64 if self.device["compute_capability"] in (60, 70, 72, 75, 80) else 128
        return self.device["multiprocessors"] * lanes * 2 * self.device["clock_khz"] / 1e6

    def problem(self, case: Case) -> list[str]:
        if self.options.sizes == "host":
            return ["--preset", "host"]
        preset = case.problem.removeprefix("preset ")
        if preset != case.problem:
            return ["--preset", preset]
        parts = case.problem.split(",")
        variants = [part for part in parts if not part.split("=")[1].isdigit()]
        sizes = [part for part in parts if part not in variants]
        return ["--size", ",".join(sizes)] + (["--variant", ",".join(variants)] if variants else [])

    def key(self, case: Case) -> tuple:
        """Of what is tuned: cases with the same one have the same winner."""
        return case.templates, " ".join(self.problem(case)), case.metric

    def key_of(self, result: dict) -> tuple | None:
        """As of its case; nothing for another device's."""
        if result.get("device") != self.device["name"]:
            return None
        return " ".join(winner["template"] for winner in result["winners"]), result["problem"], result["metric"]

    def take_over(self, result: dict, kept: bool) -> None:
        """Its winners serve other cases of this device, too, where they are `kept` and not tuned again."""
        key = self.key_of(result)
        if key:
            self.spent[key] = max(result["seconds"], self.spent.get(key, 0))
        if key and kept:
            self.tuned[key] = result

    def begin_from(self, result: dict) -> None:
        """Its winners are in OUT/bench.db, as those of an earlier session."""
        key = self.key_of(result)
        if key:
            self.begun[key] = max(result["seconds"], self.begun.get(key, 0))

    def prepare_torch(self) -> None:
        """Begins to load PyTorch, unless it is there."""
        if self.torch is None:
            self.torch = TorchProcess(self.options.torch, self.vendor_environment, self.options.out / "torch.log")

    def vendor_line(self, case: Case) -> str:
        if case.vendor.startswith("torch_"):
            self.prepare_torch()
            try:
                return self.torch.ask(case.vendor, SAMPLES)
            except TorchFailed as error:
                raise Missing(str(error)) from error
        return call([self.options.vendor, "--samples", str(SAMPLES), case.vendor], env=self.vendor_environment).stdout

    def vendor_figure(self, case: Case) -> dict | None:
        if case.vendor == "fp32 peak":
            return {"value": self.fp32_peak_gflops(), "note": "-"} if self.on_gpu() else None
        if self.options.vendor == "none":
            return None
        begin = time.monotonic()
        words = self.vendor_line(case).split()
        if len(words) != 4:
            raise Missing(f"{case.vendor} answered '{' '.join(words)}'")
        _, value, unit, note = words
        if unit not in case.metric:
            raise Missing(f"{case.vendor} is in {unit}, the template's {case.metric} is not")
        return {"value": float(value), "note": note} | self.watch.since(begin)

    def tune(self, case: Case, template: str, seconds: float) -> dict:
        """The session's winner, and all `seconds` that it took. Throws Missing."""
        taken, resumed = 0, False
        for times in range(MOST_TUNINGS):
            wanted = seconds * 2 ** times
            taken += wanted
            try:
                winner = self.tune_once(case, template, wanted)
            except Missing:
                if times + 1 == MOST_TUNINGS:
                    raise
                continue
            resumed |= times == 0 and winner["resumed"]
            if winner["trials"] >= self.options.fewest_trials or not winner["time_is_up"]:
                break
        del winner["time_is_up"]
        return winner | {"resumed": resumed, "seconds": taken}

    def tune_once(self, case: Case, template: str, seconds: float) -> dict:
        options = self.options
        command = [options.warptune, "tune", template, "--device", options.device, *self.problem(case)]
        # A few finalists tell what is wanted here: the winner's time. No right run here takes a second; references on the
        # host, which the time-out bounds too, take a few.
        command += ["--budget", f"{seconds:.1f}s", "--strategy", options.strategy, "--finals", "5", "--kernel-timeout", "10"]
        command += ["--db", str(options.out / "bench.db"), "--format", "json"]
        done = call(command, env=self.environment)
        document = json.loads(done.stdout)
        best, default, run = document["winner"], document["default"], document["run"]
        if not best or case.metric not in best["metrics"]:
            raise Missing(f"{template} has no winner with {case.metric} after {seconds:.1f} s: {last_line(done.stderr)}")
        values = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in best["configuration"].items()}
        first = re.search(r"(?m)^ *([\d.]+) s +1 done", done.stderr)
        return {"template": template, "trials": run["trials"] + run["resumed"], "resumed": run["resumed"] > 0,
                "from_earlier": "\nbeginning from " in done.stderr,
                "configuration": ",".join(f"{name}={value}" for name, value in values.items()), "ms": best["time_ms"],
                "default_ms": default["time_ms"] if default else None, "value": best["metrics"][case.metric], "setup_s": float(first[1]) if first else 0,
                "time_is_up": run["reason"].startswith("the time is up")}

    def before(self, case: Case, winners: list[dict]) -> float:
        """Seconds of tuning, on this device, that the winners' sessions went on or began from."""
        if any(winner["resumed"] for winner in winners):
            return self.spent.get(self.key(case), 0)
        if any(winner["from_earlier"] for winner in winners):
            return self.begun.get(self.key(case), 0)
        return 0

    def winners(self, case: Case, seconds: float) -> dict:
        """The winner of each template, and for which case and how long they were tuned."""
        there = self.tuned.get(self.key(case))
        if there:
            return {"tuned_for": there.get("tuned_for", there["case"]), "seconds": there["seconds"], "winners": there["winners"]}
        templates = case.templates.split()
        winners = [self.tune(case, template, seconds / len(templates)) for template in templates]
        before = self.before(case, winners)
        taken = sum(winner.pop("seconds") for winner in winners)
        tuned = {"tuned_for": case.name, "seconds": taken + before, "winners": winners}
        self.tuned[self.key(case)] = tuned | {"case": case.name}
        return tuned

    def measured_again(self, case: Case, winner: dict) -> dict:
        """All metrics here are so much work in a time, so that the time alone has to be measured again."""
        begin = time.monotonic()
        command = [self.options.warptune, "run", winner["template"], "--device", self.options.device]
        command += [*self.problem(case), "--configuration", winner["configuration"], "--samples", str(SAMPLES)]
        ms, samples = time_of_run(call(command, env=self.environment).stdout)
        return {"ms": ms, "value": winner["value"] * winner["ms"] / ms, "samples": samples} | self.watch.since(begin)

    def in_turns(self, case: Case, winner: dict) -> dict:
        """The winner, the vendor, the winner …, so that a clock that drifts flatters neither. Where the case before had
        the same winner, its last measurement is this one's first: nothing but that vendor came before it."""
        own, vendors = [], []
        # PyTorch compiles once for all of its turns, and takes turns within them.
        rounds = 1 if case.vendor.startswith("torch_") else self.options.rounds
        again = winner["setup_s"] <= self.options.long_setup
        key, figure = self.latest
        if again and figure and key == self.key(case):
            own.append(figure)
        for turn in range(rounds + 1):
            if again and len(own) <= turn:
                own.append(self.measured_again(case, winner))
            if turn < rounds:
                vendors.append(self.vendor_figure(case))
        self.latest = self.key(case), own[-1] if own else None
        return {"winner": own, "vendor": vendors}

    def run(self, case: Case, seconds: float) -> dict:
        """A line of results.jsonl. Throws Missing."""
        tuned = self.winners(case, seconds)
        winner = max(tuned["winners"], key=lambda one: one["value"])
        rounds = self.in_turns(case, winner)
        figures = [figure for figure in rounds["vendor"] if figure]
        if rounds["winner"]:
            winner = winner | {"finals_value": winner["value"],
                               "value": statistics.median(one["value"] for one in rounds["winner"])}
        return {"case": case.name, "device": self.device["name"], "driver": self.device["driver"],
                "problem": " ".join(self.problem(case)), "metric": case.metric, "tuned_for": tuned["tuned_for"],
                "seconds": tuned["seconds"], "vendor_case": case.vendor, "target": case.target, "winner": winner,
                "winners": tuned["winners"], "rounds": rounds,
                "vendor": statistics.median(one["value"] for one in figures) if figures else None,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
