#!/usr/bin/env python3
"""The Python package on a machine with a GPU, from an installed wheel: tests, start-up, a launch's overhead, Kernel Tuner's examples.

    OUT=results python3 bench/python/on_gpu.py CARRIED [--minutes 8] [--search-seconds 4] [--only STEP...] [--small]

Nothing is built and nothing is fetched. The machine has Python, a GPU, NumPy, CuPy, PyTorch and pytest; CARRIED holds the rest:

    CARRIED/wheels/*.whl       warptune's wheel for this Python; kernel_tuner and what it needs that the machine lacks
    CARRIED/examples/cuda/     examples/cuda of Kernel Tuner's repository, which is not part of this one

Wheels are taken without their dependencies. What cannot be imported is named, loudly, and costs only the steps that need it. Each
step has a time-out, and its log goes to $OUT; the last thing printed is one table. Ends with 1 if a step failed or a claim does not
hold. --small is for trying this without a GPU."""
import argparse
import importlib.metadata
import importlib.util
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
import xml.etree.ElementTree

import kernel_tuner_examples

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests" / "python"
WANTED = ["numpy", "scipy", "pandas", "sklearn", "cupy", "torch", "cuda.bindings", "pytest", "warptune", "constraint", "kernel_tuner"]


class Run:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + 60 * options.minutes
        self.out = pathlib.Path(os.environ.get("OUT") or "out")
        self.out.mkdir(parents=True, exist_ok=True)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="warptune-python-"))
        self.site = self.scratch / "site"
        self.rows = []  # what, result, wanted, ok
        self.environment = {**os.environ, "PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1",
                            "PYTHONUNBUFFERED": "1", "XDG_CACHE_HOME": str(self.scratch / "cache"),
                            "XDG_DATA_HOME": str(self.scratch / "data")}

    def left(self):
        return self.end - time.monotonic()

    def say(self, what, result, wanted="", ok=True):
        self.rows.append((what, str(result), wanted, ok))
        print(f"   {'' if ok else 'NOT MET: '}{what}: {result}" + (f" (wanted {wanted})" if wanted else ""), flush=True)

    def step(self, name, command, seconds, append=False):
        """(whether it ended with 0, its output, its seconds). The whole group of processes is ended at the time-out."""
        seconds = max(1.0, min(seconds, self.left()))
        begin, log = time.monotonic(), self.out / f"{name}.log"
        with log.open("a" if append else "w") as file:
            file.write(f"$ {' '.join(map(str, command))}\n")
            file.flush()
            start = file.tell()
            process = subprocess.Popen([str(each) for each in command], stdout=file, stderr=subprocess.STDOUT, cwd=self.scratch,
                                       env=self.environment, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                code = None
            try:
                os.killpg(process.pid, signal.SIGKILL)  # workers that a step left
            except ProcessLookupError:
                pass
            process.wait()
        took = time.monotonic() - begin
        text = log.read_text(errors="replace")[start:]
        end = "ok" if code == 0 else f"NOT DONE after {seconds:.0f} s" if code is None else f"FAILED with exit code {code}"
        print(f"== {name}: {end}, {took:.1f} s", flush=True)
        if code != 0:
            print("\n".join("   | " + line[:200] for line in text.strip().splitlines()[-25:]), flush=True)
            self.say(f"step {name}", end, "ok", ok=False)
        return code == 0, text, took


def install(run):
    """The wheels, into a folder of their own. What the machine has already is left out: its own versions fit together."""
    wheels = sorted((run.options.carried / "wheels").glob("*.whl"))
    chosen = [wheel for wheel in wheels if suits(wheel.name)]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--no-cache-dir", "--upgrade",
           "--target", run.site]
    ok, _, took = run.step("install", [*pip, *chosen], 60)
    if not ok:  # one that does not fit must not cost the others
        for wheel in chosen:
            run.step("install", [*pip, wheel], 30, append=True)
    run.say("installing the wheels", f"{took:.1f} s")
    packed = next((wheel for wheel in chosen if wheel.name.startswith("warptune-")), None)
    if packed is None:
        run.say("the wheel", "none for this Python", "one", ok=False)
        return
    size = sum(file.stat().st_size for file in (run.site / "warptune").rglob("*") if file.is_file())
    run.say("the wheel", f"{packed.name}, {packed.stat().st_size / 2**20:.1f} MiB, {size / 2**20:.1f} MiB installed")


def suits(name):
    """Of warptune's wheels the one of this Python: the stable interface's, or its own. Of others, what is missing."""
    if not name.startswith("warptune-"):
        return not has(name.split("-")[0])
    own = f"-cp{sys.version_info.major}{sys.version_info.minor}-"
    return "-abi3-" in name if sys.version_info >= (3, 12) else own in name


def has(distribution):
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def look_around(run):
    """What the machine has; what is missing is said loudly."""
    code = ("import importlib, sys\nprint('Python', sys.version.split()[0], sys.executable)\n"
            f"for name in {WANTED!r}:\n"
            "    try:\n"
            "        module = importlib.import_module(name)\n"
            "        print(name, getattr(module, '__version__', 'there'))\n"
            "    except Exception as error:\n"
            "        print('!! MISSING', name, type(error).__name__, error)\n")
    _, text, _ = run.step("machine", [sys.executable, "-c", code], 90)
    print("   " + "\n   ".join(text.strip().splitlines()), flush=True)
    missing = re.findall(r"^!! MISSING (\S+)", text, re.M)
    run.say("packages that are missing", ", ".join(missing) or "none", "none", not missing)
    if shutil.which("nvidia-smi"):
        _, text, _ = run.step("machine", ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"], 20, True)
        run.say("GPU", text.strip())
    _, text, _ = run.step("machine", [program(run), "doctor"], 60, True)
    print("   " + "\n   ".join(text.strip().splitlines()[:40]), flush=True)


def program(run):
    return run.site / "bin" / "warptune"


def start_up(run):
    """`import warptune`, and the first use of it, each in an interpreter of its own."""
    code = ("import time; b = time.perf_counter(); import warptune; i = time.perf_counter(); warptune.tune; warptune.Session; "
            "u = time.perf_counter(); print(i - b, u - b)")
    ok, text, _ = run.step("start_up", ["bash", "-c", f"for i in $(seq 15); do '{sys.executable}' -c '{code}' || exit 1; done"], 90)
    if ok:
        times = [[1000 * float(each) for each in line.split()] for line in text.strip().splitlines()]
        imported, used = (statistics.median(each[i] for each in times[1:]) for i in (0, 1))
        run.say("import warptune, median of 14", f"{imported:.1f} ms", "at most 100 ms", imported <= 100)
        run.say("and warptune.tune, with the extension", f"{used:.1f} ms")


def tune_gemm(run):
    """What a user does first."""
    size = ["--device", "host"] if run.options.small else []
    ok, text, took = run.step("gemm", [program(run), "tune", "gemm", "--budget", "20s", *size], 90)
    if ok:
        winner = next((line.strip() for line in text.splitlines() if "GFLOP/s" in line), "")
        run.say("warptune tune gemm --budget 20s", f"{took:.1f} s, {winner}", "under a minute", took < 60)


def tests(run):
    """The whole suite of the package."""
    report = run.scratch / "junit.xml"
    ok, text, took = run.step("tests", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "python_files=*_test.py",
                                        "-rs", "--durations=10", f"--junitxml={report}", TESTS], 150)
    if report.exists():
        cases = xml.etree.ElementTree.parse(report).getroot()
        suite = cases if cases.tag == "testsuite" else cases[0]
        counts = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        passed = counts["tests"] - counts["failures"] - counts["errors"] - counts["skipped"]
        on_gpu = [case for case in suite.iter("testcase") if "gpu_test" in case.get("classname", "")]
        gpu_passed = sum(not any(child.tag in ("failure", "error", "skipped") for child in case) for case in on_gpu)
        bad = counts["failures"] + counts["errors"]
        run.say("pytest", f"{passed} passed, {bad} failed, {counts['skipped']} skipped, {took:.0f} s", "none failed", bad == 0)
        run.say("of which on the GPU", f"{gpu_passed} of {len(on_gpu)} passed", "all", gpu_passed == len(on_gpu) and gpu_passed > 0)
        for case in suite.iter("testcase"):
            for child in case:
                if child.tag in ("failure", "error"):
                    print(f"   FAILED {case.get('classname')}.{case.get('name')}: {(child.get('message') or '')[:300]}", flush=True)


def overhead(run):
    """warptune.kernel against a raw launch."""
    made = run.scratch / "overhead.json"
    ok, text, _ = run.step("overhead", [sys.executable, HERE / "call_overhead.py", "--json", made], 60)
    if ok:
        print("   " + "\n   ".join(text.strip().splitlines()), flush=True)
        for name, over in json.loads(made.read_text()).items():
            if "warptune" in name or "same" in name:
                run.say(f"a call beyond a raw launch: {name}", f"{over['over_raw_us']:.2f} us", "at most 5 us", over["over_raw_us"] <= 5)


def examples(run):
    """Kernel Tuner's examples, under both tuners."""
    seconds, made = run.left() - 15, run.scratch / "examples.json"
    against = ["--against"] if importlib_finds(run, "kernel_tuner") and not run.options.small else []
    sizes = ["--small", "--evaluations", "4"] if run.options.small else ["--search-seconds", str(run.options.search_seconds),
                                                                          "--evaluations", "8"]
    only = ["--only", *run.options.examples] if run.options.examples else []
    run.step("examples", [sys.executable, HERE / "kernel_tuner_examples.py", run.options.carried / "examples" / "cuda", *sizes, *against,
                          "--seconds", "75", "--deadline", str(max(seconds - 30, 10)), "--json", made,
                          "--logs", run.scratch / "logs", *only], seconds)
    text = (run.out / "examples.log").read_text().split("\n", 1)[1]
    print(text, flush=True)
    with (run.out / "examples_logs.txt").open("w") as file:  # what each script printed, its end
        for log in sorted((run.scratch / "logs").glob("*.txt")):
            file.write(f"##### {log.name}\n{log.read_text()[-6000:]}\n")
    if not made.exists():
        return
    shutil.copy(made, run.out / "examples.json")
    found = json.loads(made.read_text())
    ran, refused, able = kernel_tuner_examples.shares(found)
    run.say("Kernel Tuner's examples with another import", f"{ran} of {able} ran that can run here, {refused} refused; {len(found)} in all",
            "90 % run", able > 0 and ran >= 0.9 * able)
    times, rates = kernel_tuner_examples.judged(found), kernel_tuner_examples.rates(found)
    if times:
        run.say("best time over Kernel Tuner's, by its clock", f"median {statistics.median(times):.3f}, worst {times[-1]:.3f}, no worse "
                f"within 2 % in {sum(each <= 1.02 for each in times)} of {len(times)}", "no worse", statistics.median(times) <= 1.02)
    if rates:
        run.say("configurations a second over Kernel Tuner's", f"median {statistics.median(rates):.2f}, from {rates[0]:.2f} to {rates[-1]:.2f}")


def importlib_finds(run, name):
    sys.path.insert(0, str(run.site))
    return importlib.util.find_spec(name) is not None


STEPS = {"install": install, "machine": look_around, "start_up": start_up, "overhead": overhead, "gemm": tune_gemm, "tests": tests,
         "examples": examples}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("carried", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--search-seconds", type=float, default=4)
    parser.add_argument("--only", nargs="+", choices=list(STEPS), help="and installing")
    parser.add_argument("--examples", nargs="+", help="these alone")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    run = Run(options)
    begin = time.monotonic()
    for name, work in STEPS.items():
        if options.only and name not in options.only and name != "install":
            continue
        if run.left() < 5:
            run.say(f"step {name}", "not begun: the time is up", "ok", ok=False)
            continue
        try:
            work(run)
        except Exception as error:  # noqa: BLE001: one step must not cost the others
            run.say(f"step {name}", f"{type(error).__name__}: {error}", "ok", ok=False)
    lines = [f"\n{'what':52} {'':8} {'result':70} wanted"]
    lines += [f"{what:52} {'' if ok else 'NOT MET':8} {result:70} {wanted}" for what, result, wanted, ok in run.rows]
    lines.append(f"\n{time.monotonic() - begin:.0f} s in all; logs in {run.out}")
    print("\n".join(lines), flush=True)
    (run.out / "summary.txt").write_text("\n".join(lines) + "\n")
    shutil.rmtree(run.scratch, ignore_errors=True)
    sys.exit(0 if all(ok for *_, ok in run.rows) else 1)


if __name__ == "__main__":
    main()
