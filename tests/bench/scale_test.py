"""bench/scale/run.py goes through all of its parts on small spaces of its own; what it measures is not looked at.
scale_test.py SOURCE_FOLDER SCALE_BENCH"""
import gzip
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES, PROGRAM = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(SOURCES / "bench/scale"))
import run  # noqa: E402  (the folder must be known first)


def recording(values: int) -> dict:
    """As Kernel Tuner writes them: two parameters, some configurations that do not compile."""
    cache = {}
    for a in range(values):
        for b in range(values):
            time = 0.2 + 0.01 * ((a - 3) ** 2 + (b - 5) ** 2)
            failed = (a + b) % 7 == 6
            cache[f"{a},{b}"] = {"A": a, "B": b, "compile_time": 20.0 + a, "framework_time": 0.5,
                                 **({"time": "CompilationFailedConfig"} if failed else {"time": time, "times": [time] * 8})}
    domain = list(range(values))
    return {"device_name": "d", "kernel_name": "k", "problem_size": [16], "objective": "time", "tune_params_keys": ["A", "B"],
            "tune_params": {"A": domain, "B": domain}, "cache": cache}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for space in run.workers_spaces:
            file = Path(folder) / f"{space}.json.gz"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(gzip.compress(json.dumps(recording(15)).encode()))
        done = subprocess.run([sys.executable, "-B", SOURCES / "bench/scale/run.py", PROGRAM, folder, "--quick"], text=True,
                              capture_output=True)
    print(done.stdout, done.stderr)
    if done.returncode != 0:
        return done.returncode
    missing = [part for part in run.parts if not re.search(rf"^{part}: \d+ s", done.stdout, re.M)]
    # Every session of the fairness part ended, and no worker failed.
    unfair = [row for row in re.findall(r"^\| (?:ann|ben) \| (\d+) \| (\d+) \|", done.stdout, re.M) if row[0] != row[1]]
    print(f"parts without figures: {missing}; users whose sessions did not end: {unfair}")
    return 1 if missing or unfair or "failed" in done.stdout else 0


sys.exit(main())
