#!/usr/bin/env python3
"""What many workers on one PostgreSQL server reach and cost, with the program's own queue, store and sessions; only GPUs are
simulated, from recorded spaces. Prints a table for each part as Markdown, and how busy the machine was otherwise.
Usage: run.py SCALE_BENCH RECORDINGS [--only PART,...] [--repeats 3] [--quick]
RECORDINGS is a folder of recorded spaces, KERNEL/DEVICE.json.gz. --quick goes through the motions in seconds; its figures mean
nothing. Ends with 77 if there is no PostgreSQL server's program."""
import argparse
import collections
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

from server import Server, server_programs

# A compile-bound space, one that is bound by its measurements, and one in between.
workers_spaces = ["convolution/A100", "dedispersion/A100", "gemm/RTX_2080_Ti"]
open_spaces = ["convolution/A100", "convolution/MI250X", "convolution/W6600", "dedispersion/A100", "dedispersion/MI250X",
               "dedispersion/W6600", "gemm/RTX_2080_Ti", "convolution_2021/RTX_2080_Ti"]
claim_locks = 0x5754776B  # db/store/queue.cpp
parts = {}


def part(function):
    parts[function.__name__] = function
    return function


def table(title, heads, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("| " + " | ".join(["---"] + ["---:"] * (len(heads) - 1)) + " |")
    for row in rows:
        print("| " + " | ".join(shown(cell) for cell in row) + " |")
    sys.stdout.flush()


def shown(cell):
    """Three digits; what could not be measured is a dash."""
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else str(cell)
    if not math.isfinite(cell):
        return "-"
    digits = 2 - math.floor(math.log10(abs(cell))) if cell else 0
    return f"{cell:,.{max(0, digits)}f}"


def middle(readings):
    """Figure by figure, of dictionaries with equal keys."""
    return {key: statistics.median(reading[key] for reading in readings) for key in readings[0]}


class Bench:
    def __init__(self, arguments):
        self.program, self.quick = arguments.program, arguments.quick
        self.repeats = 1 if arguments.quick else arguments.repeats
        self.recordings = pathlib.Path(arguments.recordings)
        self.server = Server(connections=100 if self.quick else 700)
        self.databases = 0

    def files(self, spaces):
        return "recordings=" + ",".join(str(self.recordings / f"{space}.json.gz") for space in spaces)

    def words(self, verb, options):
        return [self.program, verb, *(f"{name}={value}" for name, value in options.items())]

    def call(self, verb, *recordings, **options):
        done = subprocess.run([*self.words(verb, options), *recordings], text=True, input="", capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{verb} {options}: {done.stderr}")
        return done.stdout

    def measured(self, database, verb, *recordings, **options):
        """What the program says, and what the server used between its "begin" and its "end"."""
        said, used = {}, None
        with subprocess.Popen([*self.words(verb, options), *recordings], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                what, figures = line.split(" ", 1)
                said[what] = json.loads(figures)
                if what == "begin":
                    before = self.server.begin(database)
                elif what == "end":
                    used = self.server.end(database, before)
                if what in ("begin", "end"):  # it waits
                    process.stdin.write("\n")
                    process.stdin.flush()
        if process.returncode != 0 or used is None:
            raise RuntimeError(f"{verb} {options} ended with {process.returncode}")
        return said, used

    def fresh(self, users=()):
        """(database, address) with an empty store."""
        self.databases += 1
        database = f"tuning{self.databases}"
        address = self.server.make(database)
        self.call("prepare", store=address, users=",".join(users))
        return database, address


def one_message(bench, address, database, kind, count, recordings, key, **options):
    said, used = bench.measured(database, "messages", *recordings, store=address, kind=kind, count=count, key=key, **options)
    latency = said["latencies"]["message"]
    return {"server_us": 1e6 * used.server_cpu_s / count, "median_ms": latency["median_ms"], "p99_ms": latency["p99_ms"],
            "log_bytes": used.log_bytes / count}


# Name, kind, how many; and what is changed for them, before and behind.
message_kinds = [
    ("open a store", "open", 200, "", ""),
    ("claim, nothing there", "look", 1000, "", ""),
    ("begin and end a session, with its first trial", "session", 500, "", ""),
    ("record a trial", "record", 4000, "", ""),
    ("record a trial, its trigger off", "record", 4000, "ALTER TABLE trials DISABLE TRIGGER trial_added",
     "ALTER TABLE trials ENABLE TRIGGER trial_added"),
    ("record a trial, its commit not waited for", "record", 4000, "ALTER DATABASE {database} SET synchronous_commit TO off",
     "ALTER DATABASE {database} RESET synchronous_commit"),
    ("record 100 trials in one transaction", "batch", 100, "", ""),
    ("claim and give back", "claim", 1000, "", ""),
    ("beat", "beat", 2000, "", ""),
    ("claim and finish", "finish", 1000, "", ""),
]


@part
def messages(bench):
    """What each message costs the server."""
    database, address = bench.fresh()
    scale = 0.01 if bench.quick else 1
    files = [bench.files(workers_spaces[2:])]
    rows = []
    for name, kind, count, before, behind in message_kinds:
        count = max(5, int(count * scale))
        if kind == "claim":
            bench.call("submit", *files, store=address, sessions=(count + 1) * bench.repeats + 100, trials=1)
        bench.server.rows(database, before.format(database=database))
        found = middle([one_message(bench, address, database, kind, count, files, key=100 * len(rows) + repeat + 1)
                        for repeat in range(bench.repeats)])
        bench.server.rows(database, behind.format(database=database))
        rows.append([name, found["server_us"], found["median_ms"], found["p99_ms"], found["log_bytes"]])
    table("What a message costs", ["message", "server's processor, µs", "median, ms", "99th percentile, ms", "log, bytes"], rows)
    sizes(bench, database)


def sizes(bench, database):
    bench.server.rows(database, "VACUUM ANALYZE trials")
    row = bench.server.rows(database, "SELECT count(*), pg_table_size('trials'), pg_indexes_size('trials'), "
                                      "sum(pg_column_size(trials.*)) FROM trials")[0]
    trials, heap, indexes, columns = map(int, row)
    table("What a trial takes on the disk, bytes", ["trials", "row", "table", "indexes"],
          [[trials, columns / trials, heap / trials, indexes / trials]])


class Claims:
    """So many pieces of work that somebody seems to be at: the locks of all of them are held by one connection."""

    def __init__(self, bench, database, count):
        bench.server.rows(database, f"UPDATE work SET state = 'running', attempts = 1 WHERE id <= {count}", "VACUUM ANALYZE work")
        self.holder = subprocess.Popen(bench.server.client(database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.holder.stdin.write(f"SELECT count(pg_advisory_lock({claim_locks}, id::int)) FROM warptune.work WHERE id<={count};\n")
        self.holder.stdin.flush()
        self.holder.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.stdin.close()
        self.holder.wait()


@part
def running(bench):
    """Claims and beats beside many others' claims, and behind many rows of work that has ended."""
    counts, ended = ([0, 50], [100]) if bench.quick else ([0, 100, 1000, 3000, 10000], [100_000])
    rows = []
    for count in counts:
        rows.append([count, 0, *claims_beside(bench, count, 0)])
    for count in ended:
        rows.append([0, count, *claims_beside(bench, 0, count)])
    heads = [f"{call}: {figure}" for call in ("claim and give back", "beat", "claim, nothing there")
             for figure in ("server's processor, µs", "median, ms")]
    table("Claims and beats beside others", ["running", "ended", *heads], rows)


def claims_beside(bench, count, ended):
    database, address = bench.fresh()
    bench.call("submit", bench.files(workers_spaces[:1]), store=address, sessions=ended + count + 10, trials=1)
    bench.server.rows(database, f"UPDATE work SET state = 'done', ended_at = submitted_at WHERE id <= {ended}")
    figures = []
    with Claims(bench, database, count):
        for kind, times in (("claim", 300), ("beat", 1000), ("look", 300)):
            if kind == "look":  # work that is there, but for others
                bench.server.rows(database, f"UPDATE work SET gpu = 'another' WHERE id > {count}")
            found = middle([one_message(bench, address, database, kind, 5 if bench.quick else times, [], key=1)
                            for _ in range(bench.repeats)])
            figures += [found["server_us"], found["median_ms"]]
    bench.server.drop(database)
    return figures


def work_once(bench, workers, rate, trials, seconds, **options):
    """A window of work in plenty: rates and shares of the machine."""
    database, address = bench.fresh()
    warm_up = 0.5 if bench.quick else 4 + workers / 20
    per_second = workers * rate if rate else 6000
    sessions = int(2 * workers + 1.5 * per_second * (seconds + warm_up) / trials)
    files = bench.files(workers_spaces)
    bench.call("submit", files, store=address, sessions=sessions, trials=trials)
    bench.server.rows(database, "VACUUM ANALYZE work")
    said, used = bench.measured(database, "work", files, store=address, workers=workers, rate=rate, seconds=seconds,
                                warm_up=warm_up, **options)
    begin, end, latencies = said["begin"], said["end"], said["latencies"]
    wall = end["wall_s"] - begin["wall_s"]
    made = max(1, end["trials"] - begin["trials"])
    own = end["cpu_s"] - begin["cpu_s"]
    none = {"median_ms": float("nan"), "p99_ms": float("nan")}
    found = {"rate": made / wall, "server": used.server_cpu_s / used.wall_s, "workers": own / wall,
             "others": (used.machine_cpu_s - used.server_cpu_s) / used.wall_s - own / wall,
             "commits": used.commits / used.wall_s, "log": used.log_bytes / used.wall_s / (made / wall),
             "server_us": 1e6 * used.server_cpu_s / used.wall_s / (made / wall), "failures": end["failures"]}
    for call in ("record", "claim", "beat"):
        for figure in ("median_ms", "p99_ms"):
            found[f"{call}_{figure}"] = latencies.get(call, none)[figure]
    bench.server.drop(database)
    return found


work_heads = ["trials/s", "of linear", "server, cores", "server, µs a trial", "workers, cores", "others, cores", "commits/s",
              "log, bytes a trial", "record, ms", "claim, ms", "beat, ms"]


def work_row(found, linear):
    if found["failures"]:
        print(f"{found['failures']:.0f} workers failed; the figures of the next row are worth nothing")
    pairs = [f"{shown(found[call + '_median_ms'])} / {shown(found[call + '_p99_ms'])}" for call in ("record", "claim", "beat")]
    return [found["rate"], found["rate"] / linear, found["server"], found["server_us"], found["workers"], found["others"],
            found["commits"], found["log"], *pairs]


@part
def many(bench):
    """Many sessions: a GPU each, work in plenty."""
    counts, rates = ([1, 4], [20]) if bench.quick else ([1, 4, 16, 64, 256], [5, 20])
    for rate in rates:
        rows, linear = [], None
        for workers in counts:
            seconds = 1 if bench.quick else 30 if workers == 1 else 15
            found = middle([work_once(bench, workers, rate, trials=10 * rate, seconds=seconds) for _ in range(bench.repeats)])
            linear = linear or found["rate"]
            rows.append([workers, *work_row(found, linear * workers)])
        table(f"Many sessions of {10 * rate} trials, GPUs of about {rate} trials/s (times: median / 99th percentile)",
              ["workers", *work_heads], rows)


@part
def most(bench):
    """The same without any sleep: what server and workers can do together on this machine."""
    rows = []
    for workers in [2] if bench.quick else [1, 4, 16, 64]:
        found = middle([work_once(bench, workers, 0, trials=200, seconds=1 if bench.quick else 10) for _ in range(bench.repeats)])
        rows.append([workers, *work_row(found, rows[0][1] * workers if rows else found["rate"])])
    table("Without sleep (times: median / 99th percentile)", ["workers", *work_heads], rows)


@part
def memory(bench):
    """What a connection takes of the server's memory: that of its process which no other shares."""
    rows = []
    for workers in [4] if bench.quick else [64, 256]:
        database, address = bench.fresh()
        files = bench.files(workers_spaces)
        bench.call("submit", files, store=address, sessions=2 * workers, trials=10_000)
        words = bench.words("work", {"store": address, "workers": workers, "rate": 2, "seconds": 0.5,
                                     "warm_up": 0.5 if bench.quick else 5 + workers / 16})
        with subprocess.Popen([*words, files], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()  # all are at work
            connections, each = bench.server.memory_mb()
            process.communicate()
        rows.append([workers, connections, each])
        bench.server.drop(database)
    table("Memory of connections", ["workers", "connections", "MB each"], rows)


@part
def alone(bench):
    """One session with many GPUs, recorded in the real store: its loop does one thing after the other."""
    counts, rate = ([1, 2] if bench.quick else [1, 4, 16, 64, 256]), 20
    for strategy in ("random", "auto"):
        rows, linear = [], None
        for devices in counts:
            found = middle([work_once(bench, 1, rate * devices, trials=200 if bench.quick else 4000,
                                      seconds=1 if bench.quick else 10, devices=devices, strategy=strategy)
                            for _ in range(bench.repeats)])
            linear = linear or found["rate"]
            rows.append([devices, *work_row(found, linear * devices)])
        table(f"One session, {strategy}, GPUs of about {rate} trials/s (times: median / 99th percentile)",
              ["GPUs", *work_heads], rows)


def searched(bench, strategy, devices, compilers, seeds, spaces):
    """By space: medians over the seeds of time, evaluations and the strategy's time for each of them."""
    runs = json.loads(bench.call("search", bench.files(spaces), strategy=strategy, devices=devices, compilers=compilers,
                                 seeds=seeds, jobs=2))
    by_space = collections.defaultdict(list)
    for run in runs:
        reached = run["reached"]
        by_space[run["space"]].append((run["seconds"] if reached else math.inf, run["evaluations"] if reached else math.inf,
                                       1e3 * run["strategy_cpu_s"] / run["evaluations"]))
    return {space: [statistics.median(column) for column in zip(*found)] for space, found in by_space.items()}


def geometric(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


@part
def search(bench):
    """One session: how long until it is within 5 % of the optimum, by evaluations in flight, on a simulated clock."""
    spaces, seeds = (workers_spaces[:1], 2) if bench.quick else (open_spaces, 30)
    shapes = {"each GPU compiles for itself": (0, [1, 8] if bench.quick else [1, 2, 4, 8, 16, 32, 64, 128, 256]),
              "8 compilers for each GPU, 12 in flight": (8, [1] if bench.quick else [1, 2, 4, 8, 16, 32, 64])}
    for shape, (compilers, counts) in shapes.items():
        found = {(strategy, devices): searched(bench, strategy, devices, compilers, seeds, spaces)
                 for strategy in ("auto", "random") for devices in counts}
        search_tables(shape, counts, found)


def search_tables(shape, counts, found):
    def mean(strategy, devices, column):
        return geometric(figures[column] for figures in found[strategy, devices].values())

    rows = []
    for devices in counts:
        seconds, evaluations = mean("auto", devices, 0), mean("auto", devices, 1)
        random_s = mean("random", devices, 0)
        faster = mean("auto", counts[0], 0) / seconds
        rows.append([devices, evaluations, seconds, faster, faster / devices * counts[0],
                     random_s, mean("random", counts[0], 0) / random_s, mean("auto", devices, 2)])
    table(f"One session until within 5 %, {shape}: geometric means over spaces of medians",
          ["GPUs", "evaluations", "s", "times faster", "of linear", "`random`, s", "times faster",
           "strategy, ms an evaluation"], rows)
    spaces = sorted(found["auto", counts[0]])
    table(f"Times faster than with one GPU, {shape}, by space", ["GPUs", *spaces],
          [[devices, *(found["auto", counts[0]][space][0] / found["auto", devices][space][0] for space in spaces)]
           for devices in counts])


@part
def fair(bench):
    """A queue of several users, who submitted one after the other: how long each user's sessions wait."""
    shares = {"ann": 8, "ben": 1} if bench.quick else {"ann": 800, "ben": 100, "cleo": 50, "dan": 30, "eve": 20}
    workers, rate, trials = (2, 50, 5) if bench.quick else (16, 100, 40)
    for user in shares:
        bench.server.run("createuser", "-h", bench.server.socket, "-U", "warptune", user)
    database, _ = bench.fresh(users=shares)
    files = bench.files(workers_spaces)
    for user, sessions in shares.items():
        bench.call("submit", files, store=bench.server.address(database, user), sessions=sessions, trials=trials)
    bench.call("work", files, store=bench.server.address(database), workers=workers, rate=rate)
    rows = bench.server.rows(database, """
        WITH times AS (SELECT submitted_by, state, extract(epoch FROM started_at::timestamptz) AS started,
                              extract(epoch FROM ended_at::timestamptz) AS ended FROM work),
             whole AS (SELECT min(started) AS began, max(ended) - min(started) AS took FROM times)
        SELECT submitted_by, count(*), count(*) FILTER (WHERE state = 'done'), min(started - began) / min(took),
               percentile_cont(0.5) WITHIN GROUP (ORDER BY started - began) / min(took), max(started - began) / min(took),
               min(took)
          FROM times, whole GROUP BY 1 ORDER BY 4""")
    table(f"Waiting in a queue of {sum(shares.values()):,} sessions, {workers} workers, {float(rows[0][-1]):.0f} s in all; in"
          " hundredths of that", ["user", "sessions", "done", "first", "median", "last"],
          [[user, int(count), int(done), *(100 * float(wait) for wait in waits)] for user, count, done, *waits, _ in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("recordings")
    parser.add_argument("--only", default=",".join(parts))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if not server_programs():
        print("NOT MEASURED: there is no PostgreSQL server; install Debian's `postgresql`")
        return 77
    bench = Bench(arguments)
    try:
        for name in arguments.only.split(","):
            began = time.monotonic()
            parts[name](bench)
            print(f"\n{name}: {time.monotonic() - began:.0f} s; load average {open('/proc/loadavg').read().split()[0]}", flush=True)
    finally:
        bench.server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
