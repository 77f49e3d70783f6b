#!/usr/bin/env python3
"""What may go wrong on a real device, each in a session that must end well: faulty kernels, a hang among a thousand, killed
workers, a killed program, two sessions on one store, full disks. Prints a line each; fails if any ends otherwise than it
should. tests/tuner/measure/workers holds the same against a fake driver.
Usage: faults.py WARPTUNE DEVICE [KILLS]"""
import collections
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

program, device = os.path.abspath(sys.argv[1]), sys.argv[2]
kills = int(sys.argv[3]) if len(sys.argv) > 3 else 100
template = pathlib.Path(__file__).resolve().parent / "template"
folder = pathlib.Path(tempfile.mkdtemp(prefix="faults."))
os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
rng = random.Random(7)
failures = []


def command(store, *options, strategy="exhaustive"):
    return [program, "tune", str(template), "--device", device, "--db", str(store), "--strategy", strategy, *options]


def tune(store, *options, **more):
    return subprocess.run(command(store, *options), text=True, capture_output=True, **more)


def start(store, *options):
    # As a session of its own, so that its workers are found by it.
    return subprocess.Popen(command(store, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True)


def trials(store):
    """configuration -> (outcome, message, recorded at)"""
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
            rows = db.execute("SELECT configuration, outcome, message, recorded_at FROM trial_list").fetchall()
    except sqlite3.OperationalError:
        return {}
    assert len({row[0] for row in rows}) == len(rows), "a configuration is there twice"
    return {row[0]: row[1:] for row in rows}


def processes_of(session):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.name.isdigit() and int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def report(what, right, words, began):
    print(f"{'ok  ' if right else 'FAIL'} {what:34} {time.monotonic() - began:6.1f} s  {words}", flush=True)
    if not right:
        failures.append(what)


def each_fault():
    began, store = time.monotonic(), folder / "each.db"
    expected = {"GOOD": {"correct"}, "LOOP": {"timeout"}, "OUTSIDE": {"wrong_result", "launch_error"},
                "WILD": {"launch_error"}, "MISALIGNED": {"launch_error"}, "TRAP": {"launch_error"},
                "DEEP": {"launch_error", "crash"}, "WRONG": {"wrong_result"}, "UNSTEADY": {"wrong_result"},
                "SHARED": {"compile_error", "resource_limit"}, "BROKEN": {"compile_error"},
                "ENDLESS": {"timeout", "crash", "compile_error"}}
    run = tune(store, "--kernel-timeout", "2", "--compile-timeout", "15")
    outcomes = collections.defaultdict(set)
    messages = {}
    for configuration, (outcome, message, _) in trials(store).items():
        fault = configuration.split('"FAULT":"')[1].split('"')[0]
        outcomes[fault].add(outcome)
        messages[fault] = message or ""
    for fault, right in expected.items():
        got = outcomes[fault]
        report(f"fault {fault}", len(got) == 1 and got <= right,
               f"{'/'.join(sorted(got))}: {messages.get(fault, '').splitlines()[0][:90] if messages.get(fault) else ''}", began)
    # A configuration is called by what differs from the default, which has no fault.
    winner = any(line.startswith("Winner") and "FAULT=" not in line for line in run.stdout.splitlines())
    report("a winner all the same", run.returncode == 0 and winner, f"exit code {run.returncode}", began)
    again = tune(store)
    report("quarantined in the store", "\n0 trials in" in again.stderr, "a second run tries nothing again", began)


def one_in_a_thousand():
    began, store = time.monotonic(), folder / "thousand.db"
    run = tune(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--finals", "0")
    count = collections.Counter(outcome for outcome, _, _ in trials(store).values())
    report("one endless loop in a thousand", run.returncode == 0 and count == {"correct": 1000, "timeout": 1},
           str(dict(count)), began)


def killed_workers():
    began, store, done = time.monotonic(), folder / "workers.db", 0
    session = start(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--no-cache")
    rounds = 0
    while done < kills:
        if session.poll() is not None:  # finished meanwhile: the same again
            rounds += 1
            store = folder / f"workers{rounds}.db"
            session = start(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--no-cache")
        workers = [pid for pid in processes_of(session.pid) if pid != session.pid]
        if workers and trials(store):
            try:
                os.kill(rng.choice(workers), signal.SIGKILL)
                done += 1
            except ProcessLookupError:
                pass
        time.sleep(rng.uniform(0.1, 0.5))
    session.send_signal(signal.SIGINT)
    code = session.wait()
    time.sleep(0.5)
    left = processes_of(session.pid)
    count = collections.Counter(outcome for outcome, _, _ in trials(store).values())
    report(f"{done} workers killed", code in (0, 130) and not left and count["correct"] > 0,
           f"exit code {code}, {dict(count)}, {len(left)} processes left", began)


def killed_program():
    began, store, known, lost, twice = time.monotonic(), folder / "program.db", {}, 0, 0
    for _ in range(kills):
        session = start(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--budget", "2000")
        time.sleep(rng.uniform(0.2, 1.5))
        os.killpg(session.pid, 0)
        session.kill()
        session.wait()
        now = trials(store)
        lost += sum(configuration not in now for configuration in known)
        twice += sum(now[c][2] != when for c, (_, _, when) in known.items() if c in now)
        known = now
        if len(known) > 900:
            store, known = folder / f"program{_}.db", {}
    deadline = time.monotonic() + 10
    while processes_of(session.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    left = processes_of(session.pid)
    report(f"program killed {kills} times", lost == 0 and twice == 0 and not left,
           f"{lost} trials lost, {twice} measured twice, {len(left)} processes left", began)
    run = tune(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--finals", "0")
    report("and resumed to its end", run.returncode == 0 and len(trials(store)) == 1001, f"exit code {run.returncode}", began)


def two_sessions():
    began, store = time.monotonic(), folder / "two.db"
    both = [start(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--finals", "0") for _ in range(2)]
    codes = [session.wait() for session in both]
    report("two sessions on one store", codes == [0, 0] and len(trials(store)) == 1001,
           f"exit codes {codes}, {len(trials(store))} trials", began)


def full_disks():
    began, store = time.monotonic(), folder / "full.db"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    run = tune(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", preexec_fn=limit)
    kept = len(trials(store))
    report("full disk for the store", run.returncode == 5 and kept > 0, f"exit code {run.returncode}, {kept} trials kept", began)
    run = tune(store, "--size", "THOUSAND=2", "--kernel-timeout", "2", "--budget", "20", "--finals", "0")
    report("and goes on with room", run.returncode == 0 and len(trials(store)) == kept + 20, f"exit code {run.returncode}", began)
    os.environ["XDG_CACHE_HOME"] = "/proc/nowhere"
    run = tune(folder / "nocache.db", "--size", "THOUSAND=2", "--budget", "20", "--finals", "0")
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    report("no room for the cache", run.returncode == 0 and len(trials(folder / "nocache.db")) == 20,
           f"exit code {run.returncode}", began)


for experiment in (each_fault, one_in_a_thousand, two_sessions, full_disks, killed_workers, killed_program):
    experiment()
print(f"{len(failures)} failed" if failures else "all ended as they should")
sys.exit(bool(failures))
