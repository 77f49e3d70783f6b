#!/usr/bin/env python3
"""Milliseconds a page of `warptune serve`, over stores of a million trials. Usage: run.py WARPTUNE [TRIALS [REPEATS]]

Makes two stores in a temporary folder ($TMPDIR): one session with all the trials, and 2,000 sessions that recorded them in turns, with 200
winners checked ten times each. Asks each page REPEATS times over one connection, in another place of the list each time, and prints the
server's own time (Server-Timing), and the client's until the last byte."""
import http.client
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SESSIONS, CHECKED = 2000, 200
SAMPLES = bytes(8 * 20)


def first_session(folder, program, file):
    """An empty store of the present schema with one session, as the program makes it."""
    device = {"backend": "cuda", "name": "NVIDIA Synthetic 0", "architecture": "sm_90", "driver": "580.159", "memory_gib": 140,
              "multiprocessors": 132, "limits": {"warp_size": 32}}
    key = {"kernel": "kernel_0", "device": device, "compiler": "NVRTC 13.0", "source_hash": "s", "manifest_hash": "m", "options": "",
           "problem_size": {"M": 0}, "variants": {}, "policy": "p", "capture": "", "restrictions": []}
    session = {"key": key, "strategy": "annealing", "seed": "1", "objective": "time", "space_size": "5000000", "state": "finished", "origin": "",
               "manifest": "", "capture_file": "", "tool_version": "0.1.0", "started_at": "2026-01-01T00:00:00.000Z",
               "updated_at": "2026-01-01T00:00:00.000Z", "store": "0" * 32, "name": "", "note": "", "labelled_at": "", "trials": [],
               "winner": None, "checks": []}
    (folder / "session.json").write_text(json.dumps({"schema": "warptune-sessions/2", "sessions": [session]}))
    subprocess.run([program, "import", folder / "session.json", "--db", file], check=True, capture_output=True)


def add_sessions(store, count):
    for number in range(1, 20):
        store.execute("INSERT INTO devices (backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
                      " SELECT backend, ?, architecture, driver, memory_gib, multiprocessors, limits FROM devices WHERE id = 1",
                      (f"NVIDIA Synthetic {number}",))
    for number in range(1, 10):
        store.execute("INSERT INTO kernels (name, source_hash, manifest_hash) VALUES (?, 's', 'm')", (f"kernel_{number}",))
    columns = [row[1] for row in store.execute("PRAGMA table_info(sessions)") if row[1] not in
               ("id", "kernel_id", "device_id", "problem_size", "started_at")]
    for i in range(1, count):
        store.execute(f"INSERT INTO sessions (kernel_id, device_id, problem_size, started_at, {', '.join(columns)}) SELECT ?, ?, ?, ?,"
                      f" {', '.join(columns)} FROM sessions WHERE id = 1",
                      (1 + i % 10, 1 + i // 10 % 20, json.dumps({"M": 64 * (i // 200)}), f"2026-01-01T{i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}.000Z"))


def trial_rows(trials, sessions):
    rng = random.Random(1)
    for i in range(trials):
        good, time_ms = rng.random() < 0.8, 0.5 + rng.random()
        configuration = json.dumps({"BLOCK": 32 * (i % 32), "TILE": i // 32 % 64, "UNROLL": i // 2048 % 16, "STAGES": i // 32768 % 8,
                                    "VECTOR": i // 262144, "ORDER": "row"})
        yield (1 + i % sessions, configuration, "correct" if good else "resource_limit", json.dumps([time_ms] if good else []),
               time_ms if good else None, 0.004 if good else None, 0 if good else None, SAMPLES if good else None,
               json.dumps({"GFLOP/s": 2147.4 / time_ms} if good else {}), "" if good else "too much shared memory: 98304 bytes of 49152",
               "2026-01-01T00:00:00.000Z", "GPU-1")


def fill(file, trials, sessions):
    store = sqlite3.connect(file)
    add_sessions(store, sessions)
    triggers = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        store.execute(f"DROP TRIGGER {name}")
    store.executemany(
        "INSERT INTO trials (session_id, configuration, outcome, objectives, median_ms, relative_error, cut_short, samples_ms, metrics, message,"
        " recorded_at, device_uuid, compile_ms, verify_ms, measure_ms, framework_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1, 1, 1)",
        trial_rows(trials, sessions))
    store.execute("INSERT INTO outcome_counts SELECT session_id, outcome, count(*) FROM trials GROUP BY session_id, outcome")
    store.execute("INSERT INTO winners (session_id, trial_id, objective, relative_error, decided_at, time_ms, time_error, default_trial_id,"
                  " default_objective, default_time_ms) SELECT session_id, id, objective, 0.004, recorded_at, objective, 0.004, id, objective * 2,"
                  " objective * 2 FROM (SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY objective) AS place FROM trials"
                  " WHERE outcome = 'correct') WHERE place = 1")
    store.execute(f"INSERT INTO checks SELECT trial_id, printf('2026-02-%02dT00:00:00.000Z', value), 'correct', objective * (1 + value / 200.0),"
                  f" 0.01, objective, '', '' FROM (SELECT * FROM winners LIMIT {CHECKED}) JOIN (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL"
                  " SELECT value + 1 FROM n WHERE value < 10) SELECT value FROM n)")
    for _, sql in triggers:
        store.execute(sql)
    store.commit()
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


class Pages:
    def __init__(self, program, file):
        self.process = subprocess.Popen([program, "serve", "--db", file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found = re.search(r"http://([^:]+):(\d+)/\?token=(\w+)", self.process.stdout.readline())
        self.address, self.headers = (found[1], int(found[2])), {"Authorization": f"Bearer {found[3]}"}

    def get(self, target):
        """(the server's ms, the client's ms, text)"""
        connection = http.client.HTTPConnection(*self.address)
        begin = time.perf_counter()
        connection.request("GET", target, headers=self.headers)
        answer = connection.getresponse()
        text = answer.read()
        spent_ms = 1e3 * (time.perf_counter() - begin)
        assert answer.status == 200, (target, answer.status, text)
        connection.close()
        return float(re.search(r"dur=([\d.]+)", answer.getheader("Server-Timing"))[1]), spent_ms, text

    def measure(self, what, targets):
        times = [self.get(target)[:2] for target in targets]
        server, client = (sorted(one) for one in zip(*times))
        at = lambda one, share: one[min(len(one) - 1, int(len(one) * share))]
        print(f"| {what} | {statistics.median(server):.1f} | {at(server, 0.99):.1f} | {statistics.median(client):.1f} | {at(client, 0.99):.1f} |",
              flush=True)

    def end(self):
        self.process.terminate()
        self.process.wait()


def measure(program, file, title, trials, sessions, repeats):
    pages, rng = Pages(program, file), random.Random(2)
    spread = [rng.randrange(trials * 9 // 10) for _ in range(repeats)]
    mine = lambda i: 1 + (spread[i] % sessions)
    print(f"\n{title}, {os.path.getsize(file) / 2**20:.0f} MiB\n\n| page | median, ms | 99 % | client, median | 99 % |\n| --- | ---: | ---: | ---: | ---: |")
    times = range(repeats)
    pages.measure("overview", ["/"] * min(repeats, 20))
    pages.measure("sessions, a page of 50", [f"/sessions?offset={50 * (i % max(1, sessions // 50))}" for i in times])
    pages.measure("sessions, searched by text", [f"/sessions?q=Synthetic {i % 20}".replace(" ", "%20") for i in times])
    pages.measure("a session", [f"/session/{mine(i)}" for i in times])
    pages.measure("trials, a page of 100", [f"/session/{mine(i)}/trials?after={spread[i] + 1}" for i in times])
    pages.measure("trials, the page before", [f"/session/{mine(i)}/trials?before={spread[i] + 1000}" for i in times])
    pages.measure("trials of one outcome", [f"/session/{mine(i)}/trials?outcome=resource_limit&after={spread[i] + 1}" for i in times])
    best = json.loads(pages.get("/api/session/1/trials?order=best&limit=1")[2])["trials"][0]["trial"]
    pages.measure("best trials first", ["/session/1/trials?order=best"] + [f"/session/1/trials?order=best&after={best}"] * (repeats - 1))
    pages.measure("winners of a kernel", [f"/winners?kernel=kernel_{i % 10}" for i in range(min(repeats, 20))])
    pages.measure("checks", ["/checks"] * min(repeats, 20))
    pages.end()


def main():
    program = str(Path(sys.argv[1]).resolve())
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    with tempfile.TemporaryDirectory(prefix="warptune_serve.") as name:
        folder = Path(name)
        for title, sessions in ((f"{trials:,} trials in one session", 1), (f"{trials:,} trials in {SESSIONS:,} sessions", SESSIONS)):
            file = folder / f"{sessions}.db"
            first_session(folder, program, file)
            fill(file, trials, sessions)
            measure(program, str(file), title, trials, sessions, repeats)


main()
