"""Sessions that pages are tested with, as warptune-sessions/2: what a store of several GPUs would hold, made up by a formula."""
import datetime
import itertools
import json

LIMITS = {"max_threads_per_block": 1024, "warp_size": 32, "multiprocessors": 132}
START = datetime.datetime(2026, 3, 14, 9, 0, 0, tzinfo=datetime.timezone.utc)
BLOCKS, TILES, COPIES = [32, 64, 128, 256, 512, 1024], [1, 2, 4, 8], ["plain", "async"]


def moment(seconds):
    return (START + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_of(block, tile, copy):
    """Milliseconds: best, 0.512, at 256, 4 and async."""
    return 0.512 * (1 + abs(block - 256) / 256) * (1 + abs(tile - 4) / 8) * (1.25 if copy == "plain" else 1)


def trial(place, configuration, ms, outcome="correct", message="", registers=32, occupancy=0.5, spills=0):
    correct = outcome == "correct"
    return {
        "configuration": configuration, "outcome": outcome, "objectives": [ms] if correct else [],
        **({"measurement": {"median_ms": ms, "relative_error": 0.01, "cut_short": False, "joules": None, "clock_mhz": 1980.0, "power_w": None,
                            "temperature_c": None, "discarded_samples": 0, "samples_ms": [ms]}} if correct else {}),
        "metrics": {"GB/s": 100 / ms} if correct else {},
        "phases_ms": {"compile": 400.0, "verify": 20.0, "measure": 80.0, "framework": 1.0},
        **({} if outcome == "compile_error" else {"resources": {
            "registers_per_thread": registers, "local_bytes_per_thread": spills, "static_shared_bytes": 1024, "dynamic_shared_bytes": 0,
            "threads_per_block": 128, "occupancy": occupancy}}),
        "message": message, "device_uuid": "GPU-1", "recorded_at": moment(place + 1)}


def session(trials, kernel="axpy", device="NVIDIA H200", sizes=None, number=0, state="finished", winner=None, strategy="annealing", **more):
    return {
        "key": {"kernel": kernel,
                "device": {"backend": "cuda", "name": device, "architecture": "sm_90", "driver": "580.159", "memory_gib": 141, "multiprocessors": 132,
                           "limits": LIMITS},
                "compiler": "NVRTC 13.0", "source_hash": f"{number:032x}", "manifest_hash": "0" * 32, "options": "-std=c++17",
                "problem_size": sizes or {"N": 1048576}, "variants": {}, "policy": "verify=always", "capture": "", "restrictions": []},
        "strategy": strategy, "seed": "7", "objective": "time", "space_size": "48", "state": state, "origin": "", "manifest": "",
        "capture_file": "", "tool_version": "0.1.0", "started_at": moment(0), "updated_at": moment(len(trials)), "store": "a" * 32,
        "trials": trials, **({"winner": winner} if winner else {}), "checks": [], **more}


def winner_of(trials, finalists, default):
    """`finalists` are places of trials with how much slower each is, and its bounds; the first is the winner."""
    ms = [trials[place]["objectives"][0] for place, *_ in finalists]
    return {
        "trial": finalists[0][0], "objective": ms[0], "relative_error": 0.004, "default_objective": trials[default]["objectives"][0],
        "decided_at": moment(len(trials) + 5), "default_trial": default, "time_ms": ms[0], "time_error": 0.004,
        "default_time_ms": trials[default]["objectives"][0], "default_time_error": 0.01,
        "ties": [place for place, _, low, _ in finalists[1:] if low <= 0],
        "finalists": [{"trial": place, "objective": figure, "relative_error": 0.004, "visits": 12, "slower_by": by, "slower_low": low, "slower_high": high,
                       "time_ms": figure, "time_error": 0.004, "metrics": {}} for figure, (place, by, low, high) in zip(ms, finalists)]}


def usual():
    """All 48 configurations, of which each with BLOCK 1024 and TILE 8 fails in its own way."""
    trials = []
    for place, (block, tile, copy) in enumerate(itertools.product(BLOCKS, TILES, COPIES)):
        configuration = {"BLOCK": block, "TILE": tile, "COPY": copy}
        if block == 1024 and tile == 8:
            kind = ("compile_error", "error: too many resources\nsecond line") if copy == "plain" else ("wrong_result", "out[7]: expected 2, got 3")
            trials.append(trial(place, configuration, 0, *kind))
        else:
            trials.append(trial(place, configuration, time_of(block, tile, copy), registers=24 + 8 * tile, occupancy=min(1, 256 / block), spills=16 * (tile // 8)))
    places = {tuple(one["configuration"].values()): place for place, one in enumerate(trials)}
    finalists = [(places[256, 4, "async"], 0, 0, 0), (places[256, 2, "async"], 0.02, -0.01, 0.05), (places[128, 4, "async"], 0.5, 0.45, 0.55)]
    return session(trials, winner=winner_of(trials, finalists, places[32, 1, "plain"]))


def signed():
    """The usual trials by a score that is to be small: their time less 0.8 ms, so the best is below zero."""
    session_ = usual()
    session_.update(objective="score", name="signed", note="", labelled_at=moment(0))
    session_["key"]["source_hash"] = "e" * 32
    for one in session_["trials"]:
        one["objectives"] = [round(ms - 0.8, 6) for ms in one["objectives"]]
        one["metrics"] = {"score": score for score in one["objectives"]}
    winner = session_["winner"]
    winner.update(objective=winner["objective"] - 0.8, default_objective=winner["default_objective"] - 0.8)
    for finalist in winner["finalists"]:
        finalist.update(objective=finalist["objective"] - 0.8, metrics={"score": finalist["objective"] - 0.8})
    return session_


def on_devices(count, serial=0.1):
    """The same problem on several GPUs, by Amdahl's law."""
    ms = 100 * (serial + (1 - serial) / count)
    trials = [trial(place, {"BLOCK": block}, ms * (1 + place)) for place, block in enumerate(BLOCKS)]
    return session(trials, kernel="sweep", sizes={"N": 1048576, "GPUS": count}, number=count)


HOSTILE = {
    "kernel": "</script><script>window.hacked=1</script>", "parameter": "\"><img src=x onerror=window.hacked=1>",
    "message": "<!--<script>\u2028 window.hacked=1 & <b>bold</b> ]]>", "value": "<svg onload=window.hacked=1>"}


def hostile():
    trials = [trial(place, {HOSTILE["parameter"]: f"{HOSTILE['value']}{place % 3}", "B'<i>": place}, 1.0 + place,
                    *(("crash", HOSTILE["message"]) if place == 5 else ())) for place in range(8)]
    return session(trials, kernel=HOSTILE["kernel"], device="<h1>H200</h1>", number=1000, name="<u>name</u>", note="</title>", labelled_at=moment(0))


def many(count):
    """More trials than a chart can show points; the best is the last but one."""
    trials = [trial(place, {"A": place % 40, "B": place // 40 % 50, "C": place // 2000}, 1.0 + (place * 7919 % count) / 100, registers=16 + place % 128,
                    occupancy=(1 + place % 16) / 16) for place in range(count)]
    trials[-2]["objectives"] = [0.5]
    trials[-2]["measurement"]["median_ms"] = 0.5
    return session(trials, kernel="many", number=2000)


def write(file, sessions):
    with open(file, "w") as out:
        json.dump({"schema": "warptune-sessions/2", "sessions": sessions}, out)
