#!/usr/bin/env python3
"""Runs Kernel Tuner's own CUDA examples with only the import changed, and prints a table: ran, or refused by which argument.

    kernel_tuner_examples.py FOLDER [--small] [--only NAME...] [--against] [--search-seconds S] [--evaluations N]
                             [--seconds S] [--deadline S] [--json FILE]

FOLDER is examples/cuda of Kernel Tuner's repository, which is not part of this one. --small divides the problems' sizes, for
machines without a GPU.

--against runs each script a second time with Kernel Tuner itself, if it is installed. Both get the same wall time: with
--search-seconds, the first tune_kernel of a script takes random configurations for so long instead of all, and later ones take
--evaluations of them. Each tool's best is by its own clock; then Kernel Tuner measures both winners, in two turns, and the last
column of times is what it says of them.

Two scripts run at a time, so that one makes its data while the other tunes. A lock gives the device to one of them."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

# In this order: what --small makes of the scripts' sizes.
SMALLER = [(r"\b800000000\b", "100000"), (r"\b[18]0{7,8}\b", "10000"), (r"\b2e7\b", "2e4"), (r"\(4096, ?4096\)", "(192, 192)"),
           (r"\b4096\b", "192"), (r"\b128 ?\* ?1024\b", "2*1024"), (r"\b64 ?\* ?1024\b", "1024"), (r"\b72000000\b", "10000")]
# Those that Kernel Tuner's papers are about come first, for a deadline may cut the rest.
FIRST = ["vector_add", "matmul", "convolution", "convolution_correct", "pnpoly_cupy", "reduction", "sepconv", "spmv", "stencil",
         "zeromeanfilter", "expdist"]

PRELUDE = """
import fcntl as _fcntl, functools as _functools, inspect as _inspect, json as _json, os as _os, time as _time
import {package} as _kt
from {package} import interface as _interface
_tune, _run, _calls = _kt.tune_kernel, _kt.run_kernel, []
_options = _json.loads(_os.environ["EXAMPLE_OPTIONS"])

class _Device:
    def __enter__(self):
        self.file = open(_options["lock"], "w")
        _fcntl.flock(self.file, _fcntl.LOCK_EX)
    def __exit__(self, *_):
        self.file.close()

def _limits(options):
    more = dict(options.get("strategy_options") or {{}})
    first, seconds, evaluations = not _calls, _options["search_seconds"], _options["evaluations"]
    if not seconds and not evaluations:
        return options
    strategy = options.get("strategy") or "random_sample"
    if seconds and first:
        more.update(time_limit=seconds)
        if strategy == "random_sample":
            more.setdefault("max_fevals", 1000000)
    elif evaluations:
        more.update(max_fevals=evaluations)
    return {{**options, "strategy": strategy, "strategy_options": more}}

def _winner(results, names):
    timed = [each for each in results if each and "__error__" not in each and isinstance(each.get("time"), float)]
    best = min(timed, key=lambda each: each["time"], default=None)
    return timed, best, best and {{name: getattr(best[name], "item", lambda: best[name])() for name in names}}

def _both(call, ours, theirs):
    call = {{**call, "tune_params": {{name: sorted({{ours[name], theirs[name]}}) for name in theirs}}, "quiet": True,
            "restrictions": [" or ".join("(" + " and ".join(f"{{name}} == {{value!r}}" for name, value in each.items()) + ")"
                                         for each in (ours, theirs))], "iterations": 32}}
    for name in ("strategy", "strategy_options", "cache", "observers", "metrics", "objective", "parallel", "verbose", "verify",
                 "objective_higher_is_better", "log"):
        call.pop(name, None)
    best = [[], []]
    for _ in range(2):
        for each in _tune(**call)[0]:
            for times, configuration in zip(best, (ours, theirs)):
                if isinstance(each.get("time"), float) and all(each[name] == value for name, value in configuration.items()):
                    times.append(each["time"])
    return [min(times) if times else None for times in best]

@_functools.wraps(_tune)
def _limited(*arguments, **options):
    with _Device():
        options, begin = _limits(options), _time.perf_counter()
        results, env = _tune(*arguments, **options)
        seconds = _time.perf_counter() - begin
        bound = dict(_inspect.signature(_tune).bind(*arguments, **options).arguments)
        timed, best, configuration = _winner(results, bound["tune_params"])
        call = dict(best=best and best["time"], configuration=configuration, correct=len(timed), seconds=seconds,
                    tried=sum(each is not None for each in results))
        other = _options["other"][len(_calls)] if len(_calls) < len(_options["other"]) else None
        if not _calls and other and other["configuration"] and configuration:
            same = other["configuration"] == configuration
            call["judged"] = [1.0, 1.0] if same else _both(bound, other["configuration"], configuration)
    _calls.append(call)
    with open(_options["result"], "w") as file:
        _json.dump(_calls, file)
    return results, env

@_functools.wraps(_run)
def _single(*arguments, **options):
    with _Device():
        return _run(*arguments, **options)
_kt.tune_kernel = _interface.tune_kernel = _limited
_kt.run_kernel = _interface.run_kernel = _single
"""


def smaller(text):
    for pattern, size in SMALLER:
        text = re.sub(pattern, size, text)
    return text


def adapted(text, options, package):
    """The script with its import changed, and smaller if asked for."""
    if package != "kernel_tuner":
        text = re.sub(r"^(\s*)from kernel_tuner", rf"\1from {package}", text, flags=re.M)
        text = re.sub(r"^(\s*)import kernel_tuner\s*$", rf"\1from warptune import kernel_tuner", text, flags=re.M)
    text = smaller(text) if options.small else text
    future = re.match(r"((?:#[^\n]*\n|\s*\n|from __future__[^\n]*\n)*)", text)
    head = future.group(1) if "__future__" in future.group(1) else ""
    return head + PRELUDE.format(package=package) + text[len(head):]


def finished(command, cwd, environment, seconds):
    """(return code, output, errors); the code is None if it took too long, and its whole group of processes is ended."""
    with subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
            return process.returncode, output, errors
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, "", ""


def verdict(code, output, errors, seconds):
    """What became of a script: (word, reason)."""
    if code is None:
        return "not done in time", f"{seconds:.0f} s"
    if code == 0 and re.search(r"\b\d+ skipped", output) and not re.search(r"\b\d+ passed", output):
        return "needs", "what it skips itself without"
    if code == 0:
        return "ran", ""
    lines = (errors.strip() or output.strip()).splitlines() or [""]
    last = next((line for line in reversed(lines) if re.match(r"(E +)?[\w.]+(Error|Exception|NotSupported)\b", line)), lines[-1])
    refused = re.search(r"NotSupported: (.*)", last)
    missing = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", errors) or \
        re.search(r"ImportError: (?:Unable to import )?([\w.-]+)", last)
    if refused:
        return "refused", refused.group(1)
    return ("needs", missing.group(1)) if missing else ("failed", last)


def run(script, options, package, other):
    """{"outcome", "reason", "calls"} of one script under one tuner."""
    with tempfile.TemporaryDirectory(prefix="example-") as folder:
        work = pathlib.Path(folder) / "cuda"
        shutil.copytree(script.parent, work)
        for source in work.glob("*.cu") if options.small else []:  # some have the sizes in them
            source.write_text(smaller(source.read_text()))
        (work / script.name).write_text(adapted(script.read_text(), options, package))
        result = pathlib.Path(folder) / "result.json"
        told = {"lock": options.lock, "search_seconds": options.search_seconds, "evaluations": options.evaluations,
                "result": str(result), "other": other}
        environment = {**os.environ, "EXAMPLE_OPTIONS": json.dumps(told), "WARPTUNE_DB": str(pathlib.Path(folder) / "store.db"),
                       "MPLBACKEND": "Agg"}
        # Some are unit tests, for pytest.
        command = ["-m", "pytest", "-q", script.name] if script.name.startswith("test_") else [script.name]
        code, output, errors = finished([sys.executable, *command], work, environment, options.seconds)
        if options.logs:
            pathlib.Path(options.logs, f"{script.stem}.{package}.txt").write_text(output[-20000:] + "\n--- errors\n" + errors[-20000:])
        outcome, reason = verdict(code, output, errors, options.seconds)
        return {"outcome": outcome, "reason": reason, "calls": json.loads(result.read_text()) if result.exists() else []}


def example(script, options):
    found = {"example": script.stem}
    if time.monotonic() > options.end:
        found["warptune"] = {"outcome": "not reached", "reason": "the deadline", "calls": []}
    else:
        found["warptune"] = run(script, options, "warptune.kernel_tuner", [])
        if options.against:
            found["kernel_tuner"] = run(script, options, "kernel_tuner", found["warptune"]["calls"]) \
                if time.monotonic() < options.end else {"outcome": "not reached", "reason": "the deadline", "calls": []}
    return found


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def ratio(above, below):
    return None if not above or not below else above / below


def row(found):
    """The first call of both, side by side."""
    ours, theirs = found["warptune"], found.get("kernel_tuner", {"outcome": "", "reason": "", "calls": []})
    first, second = (each["calls"][0] if each["calls"] else {} for each in (ours, theirs))
    judged = second.get("judged") or [None, None]
    rates = [ratio(call.get("tried"), call.get("seconds")) for call in (first, second)]
    cells = [found["example"], f"{ours['outcome']} {ours['reason']}".strip()[:110], f"{theirs['outcome']} {theirs['reason']}".strip()[:60],
             number(first.get("best")), number(second.get("best")), number(ratio(judged[0], judged[1]), 3),
             f"{first.get('tried', '')} ({first.get('correct', '')})" if first else "",
             f"{second.get('tried', '')} ({second.get('correct', '')})" if second else "",
             number(first.get("seconds"), 3), number(second.get("seconds"), 3), number(ratio(*rates), 3)]
    return "| " + " | ".join(cells) + " |"


HEAD = """| example | Warptune | Kernel Tuner | best, ms | theirs, ms | ours / theirs, by their clock | tried (correct) | theirs | seconds | theirs | rate ratio |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def shares(all_found):
    """(ran, refused, able): of the scripts that can run here. Where Kernel Tuner was run too, these are the ones that it runs; else
    those that lack nothing."""
    able = [found["warptune"]["outcome"] for found in all_found
            if found.get("kernel_tuner", {}).get("outcome", "ran") == "ran" and found["warptune"]["outcome"] not in ("needs", "not reached")]
    return able.count("ran"), able.count("refused"), len(able)


def judged(all_found):
    """Our winner's time over Kernel Tuner's winner's, by Kernel Tuner's clock, of each example that has both."""
    pairs = [found["kernel_tuner"]["calls"][0].get("judged") for found in all_found if found.get("kernel_tuner", {}).get("calls")]
    return sorted(pair[0] / pair[1] for pair in pairs if pair and pair[0] and pair[1])


def rates(all_found):
    """Configurations a second over Kernel Tuner's, of each example's first search."""
    both = [(found["warptune"]["calls"][0], found["kernel_tuner"]["calls"][0]) for found in all_found
            if found["warptune"]["calls"] and found.get("kernel_tuner", {}).get("calls")]
    return sorted(ours["tried"] / ours["seconds"] / (theirs["tried"] / theirs["seconds"]) for ours, theirs in both
                  if ours["tried"] and theirs["tried"])


def summary(all_found):
    ran, refused, able = shares(all_found)
    lines = [f"{ran} of {able} ran that can run here, {refused} refused; {len(all_found) - able} of {len(all_found)} cannot, or were "
             "not reached"]
    times, speeds = judged(all_found), rates(all_found)
    if times:
        lines.append(f"best time over Kernel Tuner's, by its clock, in {len(times)} examples: median {statistics.median(times):.3f}, worst "
                     f"{times[-1]:.3f}; no worse within 2 % in {sum(each <= 1.02 for each in times)}")
    if speeds:
        lines.append(f"configurations a second over Kernel Tuner's: median {statistics.median(speeds):.2f}, from {speeds[0]:.2f} to "
                     f"{speeds[-1]:.2f}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--evaluations", type=int, default=0)
    parser.add_argument("--search-seconds", type=float, default=0)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--seconds", type=float, default=600, help="of a whole script, at most")
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no further script is begun")
    parser.add_argument("--against", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--logs", type=pathlib.Path, help="a folder for what the scripts print")
    options = parser.parse_args()
    options.end = time.monotonic() + options.deadline
    scripts = {script.stem: script for script in sorted(options.folder.glob("*.py"))}
    order = [name for name in FIRST if name in scripts] + [name for name in scripts if name not in FIRST]
    order = [name for name in order if not options.only or name in options.only]
    if options.logs:
        options.logs.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    all_found = []
    with tempfile.NamedTemporaryFile(prefix="device-") as lock, concurrent.futures.ThreadPoolExecutor(2) as pool:
        options.lock = lock.name
        futures = [pool.submit(example, scripts[name], options) for name in order]
        for future in futures:
            all_found.append(future.result())
            print(row(all_found[-1]), flush=True)
            if options.json:  # as it grows: a time-out then costs the rest alone
                options.json.write_text(json.dumps(all_found, indent=1))
    print("\n" + "\n".join(summary(all_found)))


if __name__ == "__main__":
    main()
