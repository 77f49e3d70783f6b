"""What must not take the interpreter along: kernels that fault or hang, workers that are killed; threads, forks, several tuners."""
import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import warptune
from conftest import TWICE, Twice

RIGHT = {32: "correct", 64: "correct", 128: "correct"}


def outcomes(session):
    return {trial.configuration["BLOCK"]: trial.outcome for trial in session}


@pytest.mark.parametrize("fault, outcome", [
    ("*(volatile int*)8 = 1", "crash"), ("volatile int zero = 0; y[0] = n / zero", "crash"),
    ("__builtin_trap()", "crash"),
    ("for (volatile int turn = 0;; turn = turn + 1) {}", "timeout"),
])
def test_a_kernel_that_faults_costs_one_trial(fault, outcome, twice):
    source = TWICE.replace("if (i < n)", f"if (BLOCK == 64) {{ {fault}; }}\n  if (i < n)")
    found = outcomes(twice.tune(source=source, measuring={"kernel_timeout": 2, "min_samples": 1, "max_samples": 1}))
    assert found == {**RIGHT, 64: outcome}


def test_a_candidate_that_crashes_is_incorrect_and_says_so(twice):
    source = """extern "C" __global__ void twice(const float* x, float* y, int n) { *(volatile int*)8 = n; }"""
    judged = warptune.judge(source, lambda x, y, n: 2 * x, inputs={"x": twice.x, "y": np.zeros_like(twice.x), "n": 1000}, grid=4,
                            block=256, device="host", seconds=0)
    assert judged.verdict == "incorrect" and "crash" in judged.failures[0]["outcome"]


def read(path):
    """Of a file in /proc; empty if its process has ended meanwhile."""
    try:
        return pathlib.Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children(pid):
    """The processes that this one began, and those that they did."""
    with contextlib.suppress(OSError):
        threads = os.listdir(f"/proc/{pid}/task")
        own = [int(child) for thread in threads for child in read(f"/proc/{pid}/task/{thread}/children").split()]
        return own + [later for child in own for later in children(child)]
    return []  # it has ended


def workers():
    return [pid for pid in children(os.getpid()) if "worker" in read(f"/proc/{pid}/cmdline")]


def test_workers_that_are_killed_are_replaced(twice):
    killed = []

    def kill_all_once(trial):
        if not killed:
            killed.extend(workers())
            for pid in killed:
                with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
                    os.kill(pid, signal.SIGKILL)

    found = outcomes(twice.tune(parameters={"BLOCK": list(range(32, 32 * 13, 32)), "WRONG": [0]}, on_trial=kill_all_once))
    assert killed and len(found) == 12
    assert sum(outcome == "correct" for outcome in found.values()) >= 9  # the others were in flight
    assert outcomes(Twice(300).tune()) == RIGHT


def test_several_threads_share_a_session(twice):
    session = twice.tune(wait=False)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda _: outcomes(session), range(4)))
    assert seen == [RIGHT] * 4


def test_several_threads_launch_one_kernel():
    add = warptune.kernel("vector_add", device="host")
    add.prepare(SIZE=5000)

    def work(number):
        a, b = np.full(5000, number, np.float32), np.arange(5000, dtype=np.float32)
        c = np.zeros_like(a)
        for _ in range(20):
            c[:] = 0
            add(a, b, c)
            if not (c == a + b).all():
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_several_threads_read_a_store_while_a_session_writes_it(twice, tmp_path):
    store = tmp_path / "s.db"
    first = twice.tune(store=store)
    session = Twice(700).tune(store=store, wait=False)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        read = list(pool.map(lambda _: len(warptune.Store(store).session(first.id)), range(8)))
    assert read == [3] * 8 and outcomes(session) == RIGHT


TUNER = """
import sys
sys.path.insert(0, {folder!r})
from conftest import Twice
session = Twice(int(sys.argv[1])).tune(store=sys.argv[2])
print(sorted(trial.outcome for trial in session))
"""


def test_two_processes_tune_into_one_store(tmp_path):
    code = TUNER.format(folder=os.path.dirname(__file__))
    both = [subprocess.Popen([sys.executable, "-c", code, size, str(tmp_path / "s.db")], stdout=subprocess.PIPE, text=True)
            for size in ("500", "600")]
    assert [process.communicate()[0] for process in both] == ["['correct', 'correct', 'correct']\n"] * 2
    sessions = warptune.Store(tmp_path / "s.db").sessions("twice")
    assert len(sessions) == 2


def test_processes_that_are_spawned_tune_while_a_session_runs(twice):
    session = twice.tune(wait=False)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_tune_in_a_child, os.path.dirname(__file__), 400).result() == RIGHT
    assert outcomes(session) == RIGHT


def _tune_in_a_child(folder, size):
    return outcomes(Twice(size).tune())


def test_a_process_forked_during_a_session_ends_as_usual(twice):
    session = twice.tune(wait=False)
    forked = multiprocessing.get_context("fork").Process(target=time.sleep, args=(0.05,))
    forked.start()
    forked.join(30)
    assert forked.exitcode == 0
    assert outcomes(session) == RIGHT


LEAVING = """
import os, sys
sys.path.insert(0, {folder!r})
from conftest import Twice
session = Twice().tune(parameters={{"BLOCK": list(range(32, 1025)), "WRONG": [0]}}, wait=False)
next(iter(session))
print("leaving", flush=True)
"""


def test_an_interpreter_that_ends_takes_its_session_and_workers_along():
    with subprocess.Popen([sys.executable, "-c", LEAVING.format(folder=os.path.dirname(__file__))], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline() == "leaving\n"
        begun = children(process.pid)
        assert process.wait(60) == 0
    for _ in range(100):  # they notice that nobody is there
        if not any(pathlib.Path(f"/proc/{pid}").exists() for pid in begun):
            break
        time.sleep(0.1)
    assert not [pid for pid in begun if pathlib.Path(f"/proc/{pid}").exists()]


def test_an_exception_in_one_thread_leaves_the_others_sessions(twice):
    def observe(trial):
        raise LookupError("enough")

    failed = []

    def work():
        with pytest.raises(LookupError):
            twice.tune(on_trial=observe)
        failed.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert outcomes(Twice(600).tune()) == RIGHT
    thread.join()
    assert failed
