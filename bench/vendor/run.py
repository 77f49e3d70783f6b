#!/usr/bin/env python3
"""Tunes the cases of cases.py on one device, measures each winner and the vendor's library in turns, with as many samples
for both, and prints the table of bench/vendor/README.md. Every finished case is a line of OUT/results.jsonl; the same command goes on with
the cases that have none yet, and trials are in OUT/bench.db.

  build.sh VENDOR; run.py WARPTUNE VENDOR [options]          VENDOR "none": winners alone
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from cases import CASES, Case
from watch import Watch


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


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.device = self.find_device()
        self.watch = Watch(self.device["uuid"] if self.on_gpu() else None)
        # The driver's own cache must not flatter anything; the vendor's program takes the first GPU it sees.
        self.environment = os.environ | {"CUDA_CACHE_DISABLE": "1"}
        self.vendor_environment = self.environment | {"CUDA_VISIBLE_DEVICES": self.device["uuid"]}

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

    def vendor_program(self, case: Case) -> list[str]:
        if case.vendor.startswith("torch_"):
            return [self.options.torch, str(Path(__file__).with_name("torch_cases.py"))]
        return [self.options.vendor]

    def vendor_figure(self, case: Case, samples: int | None) -> dict | None:
        """`samples`: as many as the winner had, so that both are as warm; None: as the program likes."""
        if case.vendor == "fp32 peak":
            return {"value": self.fp32_peak_gflops(), "note": "-"} if self.on_gpu() else None
        if self.options.vendor == "none":
            return None
        begin = time.monotonic()
        as_many = ["--samples", str(samples)] if samples else []
        done = call([*self.vendor_program(case), *as_many, case.vendor], env=self.vendor_environment)
        _, value, unit, note = done.stdout.split()
        if unit not in case.metric:
            raise Missing(f"{case.vendor} is in {unit}, the template's {case.metric} is not")
        return {"value": float(value), "note": note} | self.watch.since(begin)

    def tune(self, case: Case, template: str, seconds: float) -> dict:
        options = self.options
        command = [options.warptune, "tune", template, "--device", options.device, *self.problem(case)]
        # A few finalists tell what is wanted here: the winner's time. No right run here takes a second; references on the
        # host, which the time-out bounds too, take a few.
        command += ["--budget", f"{seconds:.1f}s", "--strategy", options.strategy, "--finals", "5", "--kernel-timeout", "10"]
        command += ["--db", str(options.out / "bench.db"), "--format", "json"]
        done = call(command, env=self.environment)
        best = json.loads(done.stdout)["winner"]
        values = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in best["configuration"].items()}
        trials = sum(int(count) for count in re.findall(r"(?m)^(?:resuming: )?(\d+) trials? (?:in|are|is)", done.stderr))
        first = re.search(r"(?m)^ *([\d.]+) s +1 done", done.stderr)
        return {"template": template, "trials": trials, "configuration": ",".join(f"{name}={value}" for name, value in values.items()),
                "ms": best["time_ms"], "value": best["metrics"][case.metric], "setup_s": float(first[1]) if first else 0}

    def measured_again(self, case: Case, winner: dict) -> dict:
        """All metrics here are so much work in a time, so that the time alone has to be measured again."""
        begin = time.monotonic()
        command = [self.options.warptune, "run", winner["template"], "--device", self.options.device]
        command += [*self.problem(case), "--configuration", winner["configuration"]]
        done = call(command, env=self.environment)
        number, unit = re.search(r"(?m)^time +(\S+) (ns|µs|ms|s)\b", done.stdout).groups()
        ms = float(number) * {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]
        samples = int(re.search(r"(?m)^time .* (\d+) samples", done.stdout)[1])
        return {"ms": ms, "value": winner["value"] * winner["ms"] / ms, "samples": samples} | self.watch.since(begin)

    def run(self, case: Case, seconds: float) -> dict:
        templates = case.templates.split()
        winners = [self.tune(case, template, seconds / len(templates)) for template in templates]
        winner = max(winners, key=lambda one: one["value"])
        rounds = self.in_turns(case, winner)
        figures = [figure for figure in rounds["vendor"] if figure]
        if rounds["winner"]:
            winner = winner | {"finals_value": winner["value"],
                               "value": statistics.median(one["value"] for one in rounds["winner"])}
        return {"case": case.name, "device": self.device["name"], "driver": self.device["driver"],
                "problem": " ".join(self.problem(case)), "metric": case.metric, "seconds": seconds,
                "vendor_case": case.vendor, "target": case.target, "winner": winner, "winners": winners,
                "rounds": rounds, "vendor": statistics.median(one["value"] for one in figures) if figures else None,
                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def in_turns(self, case: Case, winner: dict) -> dict:
        """The winner, the vendor, the winner …, so that a clock that drifts flatters neither."""
        own, vendors = [], []
        # PyTorch compiles in each of its processes, and takes turns within them.
        rounds = 1 if case.vendor.startswith("torch_") else self.options.rounds
        again = winner["setup_s"] <= self.options.long_setup
        for turn in range(rounds + 1):
            if again:
                own.append(self.measured_again(case, winner))
            if turn < rounds:
                vendors.append(self.vendor_figure(case, own[-1]["samples"] if own else None))
        return {"winner": own, "vendor": vendors}


def ratio_of(result: dict) -> float | None:
    return result["winner"]["value"] / result["vendor"] if result.get("vendor") else None


def verdict_of(result: dict) -> str:
    ratio = ratio_of(result)
    if ratio is None or result["target"] is None:
        return "-"
    return "ok" if ratio >= result["target"] else "short"


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def sensed(figure: dict | None) -> str:
    if not figure or "clock_mhz" not in figure:
        return "-"
    return f"{figure['clock_mhz']:.0f} MHz {figure['power_w']:.0f} W"


def table_row(result: dict) -> list[str]:
    name = f"{result['case']}, {result['metric']}"
    if "skipped" in result:
        return [name, f"SKIPPED: {result['skipped']}"] + [""] * 8
    winner, ratio, target = result["winner"], ratio_of(result), result["target"]
    last = {side: ones[-1] if ones else None for side, ones in result["rounds"].items()}
    note = (last["vendor"] or {}).get("note", "-")
    vendor = f"{number(result['vendor'])} ({result['vendor_case']}{'' if note == '-' else ', ' + note})"
    return [name, number(winner["value"]), vendor if result["vendor"] else "-", f"{ratio:.3f}" if ratio else "-",
            f"{target:.2f}" if target else "-", verdict_of(result), str(winner["trials"]), sensed(last["winner"]),
            sensed(last["vendor"]), f"`{winner['template']}` {winner['configuration']}"]


def print_table(results: list[dict]) -> None:
    columns = ["case", "winner", "vendor, same run", "ratio", "target", "", "trials", "winner at", "vendor at", "configuration"]
    print("| " + " | ".join(columns) + " |")
    print("| --- | ---: | ---: | ---: | ---: | --- | ---: | --- | --- | --- |")
    for result in results:
        print("| " + " | ".join(table_row(result)) + " |")
    verdicts = [verdict_of(result) if "skipped" not in result else "skipped" for result in results]
    print(f"\n{verdicts.count('ok')} ok, {verdicts.count('short')} short, {verdicts.count('-')} without a target or a vendor, "
          f"{verdicts.count('skipped')} SKIPPED")


def stored_results(file: Path) -> dict[str, dict]:
    """The last line of each case counts."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {result["case"]: result for result in map(json.loads, lines)}


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("vendor", help="what build.sh made, or none")
    parser.add_argument("--torch", default=sys.executable, metavar="PYTHON", help="a Python that has PyTorch, for its cases")
    parser.add_argument("--most-seconds", type=float, default=float("inf"), metavar="S", help="of tuning, for each case")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose name it matches")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sizes", choices=["vendor", "host"], default="vendor", help="host: the templates' small presets")
    parser.add_argument("--seconds-scale", type=float, default=1, metavar="X", help="times the cases' seconds of tuning")
    parser.add_argument("--total-seconds", type=float, metavar="N", help="of tuning, for all cases still to be run")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="S", help="begin no case later than that")
    parser.add_argument("--long-setup", type=float, default=6, metavar="S",
                        help="where the first trial came later than that, the winner is not measured again between the "
                             "vendor's figures: its time in the session's finals counts, just before them")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--out", type=Path, default=Path("vendor-results"), metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="measurements of the vendor, between the winner's")
    parser.add_argument("--again", action="store_true", help="cases that have a result, too")
    parser.add_argument("--table", action="store_true", help="print the table of what there is, and run nothing")
    return parser.parse_args()


def run_case(bench: Bench, case: Case, seconds: float) -> dict:
    try:
        result = bench.run(case, seconds)
    except Missing as missing:
        say(f"*** SKIPPED {case.name}: {missing}")
        return {"case": case.name, "metric": case.metric, "skipped": str(missing)}
    ratio = ratio_of(result)
    say(f"{case.name}: {number(result['winner']['value'])} of {number(result['vendor'])} {case.metric}, "
        f"ratio {f'{ratio:.3f}' if ratio else '-'}, target {case.target}: {verdict_of(result)}")
    return result


def run_all(options: argparse.Namespace, chosen: list[Case], done: dict[str, dict]) -> None:
    bench, start = Bench(options), time.monotonic()
    waiting = [case for case in chosen if options.again or "skipped" in done.get(case.name, {"skipped": ""})]
    scale = options.seconds_scale
    if options.total_seconds is not None and waiting:
        scale = options.total_seconds / sum(case.seconds for case in waiting)
    peak = bench.fp32_peak_gflops()
    say(f"{bench.device['name']}, driver {bench.device['driver'] or '-'}, FP32 peak {number(peak)} GFLOP/s; "
        f"{len(waiting)} cases, {sum(min(scale * case.seconds, options.most_seconds) for case in waiting):.0f} s of tuning")
    for case in waiting:
        if time.monotonic() - start > options.stop_after:
            say(f"stopping before {case.name}: {options.stop_after:.0f} s are over; the same command goes on")
            return
        done[case.name] = run_case(bench, case, min(scale * case.seconds, options.most_seconds))
        with open(options.out / "results.jsonl", "a", encoding="utf-8") as lines:
            print(json.dumps(done[case.name]), file=lines)


def main() -> int:
    options = parse_options()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if re.search(options.only, case.name)]
    done = stored_results(options.out / "results.jsonl")
    if not chosen:
        say(f"no case matches '{options.only}'; there are: {', '.join(case.name for case in CASES)}")
        return 2
    if not options.table:
        try:
            run_all(options, chosen, done)
        except Missing as missing:
            say(f"error: {missing}")
            return 1
    results = [done[case.name] for case in chosen if case.name in done]
    print_table(results)
    return 3 if any("skipped" in result for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
