#!/usr/bin/env python3
"""Workers at one PostgreSQL server while random faults befall them: killed, stopped and continued, cut off from the server;
or the server is restarted, or crashes. Each submitted session tries a whole space, so what must be in the store at the end is
known. Ends with 0 only if no trial that was ever seen there is gone or another's, no configuration of a session is there
twice, every session has ended with all of its trials, and nothing is left running. Tells the figures. A worker that was cut
off goes on for a second until it learns that its work is another one's; what both measured meanwhile stands once, with the
later figures.
Usage: cluster.py WARPTUNE [FAULTS] [WORKERS] [SEED]   (100, 4, 7; 77: there is no PostgreSQL server's program)"""
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/cluster"))
import postgres  # noqa: E402
from processes import processes_of, send  # noqa: E402
from tuning import Tuning, most_attempts  # noqa: E402

program = os.path.abspath(sys.argv[1])
faults, workers, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 100), (3, 4), (4, 7)))
rng = random.Random(seed)
patience_s = 300  # for all that is submitted to end, once nothing disturbs it
folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster."))


class Cluster:
    def __init__(self, server):
        self.server, self.tuning, self.all_sessions = server, Tuning(program, folder, server), []
        self.running = []
        self.counts = collections.Counter()

    def keep_workers(self):
        self.running = [worker for worker in self.running if worker.poll() is None]
        while len(self.running) < workers:
            worker = subprocess.Popen([program, "work", "--device", "host"], env=self.tuning.environment, start_new_session=True,
                                      stdout=subprocess.DEVNULL, stderr=open(folder / "workers.log", "a"))
            self.running.append(worker)
            self.all_sessions.append(worker.pid)

    def kill(self):
        worker = rng.choice(self.running)
        processes = processes_of(worker.pid)
        if processes:
            os.kill(worker.pid if rng.random() < 0.4 else rng.choice(processes), signal.SIGKILL)
        return bool(processes)

    def stop(self):
        """The whole of it or one process, as a suspended machine or a swapping one, for a while."""
        processes = processes_of(rng.choice(self.running).pid)
        if rng.random() < 0.5 and processes:
            processes = [rng.choice(processes)]
        stopped = [process for process in processes if send(process, signal.SIGSTOP)]
        time.sleep(rng.uniform(0.2, 3))
        for process in stopped:
            send(process, signal.SIGCONT)
        return bool(stopped)

    def cut_off(self):
        connections = self.server.rows("SELECT pid FROM pg_stat_activity WHERE application_name = 'warptune'")
        if connections:
            self.server.rows(f"SELECT pg_terminate_backend({rng.choice(connections)[0]})")
        return bool(connections)

    def restart_server(self):
        """In order, or as after a crash: it then recovers from its log."""
        self.server.stop(rng.choice((signal.SIGINT, signal.SIGQUIT)))
        time.sleep(rng.uniform(0, 2))
        self.server.start()
        return True

    def disturb(self):
        began = time.monotonic()
        while sum(self.counts.values()) < faults:
            self.keep_workers()
            if self.tuning.open_work() < 2 * workers:
                self.tuning.submit(2 * workers)
            what = rng.choices((self.kill, self.stop, self.cut_off, self.restart_server), (3, 3, 3, 1))[0]
            try:
                self.counts[what.__name__] += what()
            except ProcessLookupError:
                pass
            time.sleep(rng.uniform(0.1, 0.9))
            self.tuning.look()
        return time.monotonic() - began

    def let_end(self):
        began = time.monotonic()
        while self.tuning.open_work() > 0 and time.monotonic() < began + patience_s:
            self.keep_workers()
            self.tuning.look()
            time.sleep(0.5)
        for worker in self.running:
            worker.terminate()
        for worker in self.running:
            worker.wait()
        self.tuning.look()
        return time.monotonic() - began

    def left_running(self):
        for _ in range(50):
            left = [process for session in self.all_sessions for process in processes_of(session)]
            if not left:
                break
            time.sleep(0.2)
        return left


def judge(cluster):
    rows = cluster.server.rows
    given_up = rows(f"SELECT id, message FROM work WHERE state = 'failed' AND attempts >= {most_attempts}")
    wrong = cluster.tuning.faults() | {"processes left": cluster.left_running()}
    for what, found in wrong.items():
        print(f"{'FAIL' if found else 'ok  '} {what}: {len(found)} {found[:5] if found else ''}")
    done, attempts = rows("SELECT count(*), sum(attempts) FROM work WHERE state = 'done'")[0]
    print(f"{done} sessions done in {attempts} attempts, {len(given_up)} given up after {most_attempts}; "
          f"{len(cluster.tuning.seen)} trials, of which {len(cluster.tuning.measured_again)} were measured by two")
    return not any(wrong.values())


def main():
    if postgres.lacking():
        print(f"NOT TESTED: workers under random faults: {postgres.lacking()}")
        return 77
    server = postgres.Server(folder)
    cluster = Cluster(server)
    try:
        cluster.tuning.submit(2 * workers)
        disturbed_s, ended_s = cluster.disturb(), cluster.let_end()
        print(f"{dict(cluster.counts)} on {workers} workers in {disturbed_s:.0f} s, then {ended_s:.0f} s until all had ended")
        fine = judge(cluster)
    finally:
        for session in cluster.all_sessions:
            for process in processes_of(session):
                send(process, signal.SIGKILL)
        server.stop()
    if fine:
        shutil.rmtree(folder)
    else:
        print(f"what they said: {folder}/workers.log")
    return 0 if fine else 1


sys.exit(main())
