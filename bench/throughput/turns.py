#!/usr/bin/env python3
"""Compares programs by how many configurations a second they compile, verify and measure: xgemm at one size, with an empty cache of
machine code and then again with the filled one, as run.sh does. The programs take turns, and every second turn goes backwards.
Builds nothing. Usage: turns.py DEVICE BUDGET_S SIZE FOR_S PROGRAM...     e.g. turns.py cuda:0 10 M=2048,N=2048,K=2048 500 old new
  BUDGET_S  seconds of each run with the empty cache;  FOR_S  no turn begins after that many seconds"""
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

device, budget_s, size, for_s, *programs = sys.argv[1:]
template = pathlib.Path(__file__).parent / "xgemm"
ENDS = re.compile(r"(\d+) trials? in ([\d.]+) s \(set-up ([\d.]+) s, search ([\d.]+) s, finals ([\d.]+) s")
PHASES = ("compile_ms", "verify_ms", "measure_ms", "framework_ms")


def tune(program, budget, work, name):
    """One session: its number of trials, its seconds (whole, set-up, search, finals), and the mean phases of its trials in ms."""
    store = f"{work}/{name}.db"
    # Neither the driver's cache nor NVRTC's may help.
    caches = {"XDG_CACHE_HOME": f"{work}/cache", "CUDA_CACHE_DISABLE": "1", "CUDA_CACHE_PATH": f"{work}/driver"}
    ran = subprocess.run([program, "tune", template, "--size", size, "--device", device, "--budget", budget, "--strategy", "random",
                          "--seed", "1", "--db", store], env=os.environ | caches, capture_output=True, text=True)
    ends = ENDS.search(ran.stderr)
    if not ends:
        sys.exit(f"{program} made no session:\n{ran.stderr}")
    with sqlite3.connect(store) as connection:
        means = connection.execute(f"SELECT {', '.join(f'avg({phase})' for phase in PHASES)} FROM trials").fetchone()
    connection.close()
    return (int(ends[1]), *map(float, ends.groups()[1:]), *(mean or 0 for mean in means))


cold, warm = ({program: [] for program in programs} for _ in range(2))
begun, turn = time.monotonic(), 0
while time.monotonic() - begun < float(for_s):
    for program in programs if turn % 2 == 0 else reversed(programs):
        with tempfile.TemporaryDirectory() as work:
            cold[program].append(tune(program, f"{budget_s}s", work, "cold"))
            warm[program].append(tune(program, str(cold[program][-1][0]), work, "warm"))
    turn += 1

print(f"{'CACHE':<6}{'TURNS':>6}{'MEDIAN/S':>10}{'MEAN/S':>10}{'SET-UP':>8}{'SEARCH':>8}{'FINALS':>8}{'COMPILE':>9}{'VERIFY':>8}"
      f"{'MEASURE':>9}{'TUNER':>8}  PROGRAM   (seconds a session, ms a trial)")
for cache, sessions in (("empty", cold), ("filled", warm)):
    for program in programs:
        columns = list(zip(*sessions[program]))
        trials, seconds = columns[:2]
        means = [statistics.mean(column) for column in columns[2:]]
        print(f"{cache:<6}{turn:>6}{statistics.median(n / s for n, s in zip(trials, seconds)):>10.1f}{sum(trials) / sum(seconds):>10.1f}"
              + "".join(f"{value:>8.2f}" for value in means[:3])
              + f"{means[3]:>9.2f}{means[4]:>8.3f}{means[5]:>9.3f}{means[6]:>8.3f}  {program}")
