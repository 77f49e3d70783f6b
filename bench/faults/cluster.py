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
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
faults, workers, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 100), (3, 4), (4, 7)))
rng = random.Random(seed)
patience_s = 300  # for all that is submitted to end, once nothing disturbs it
most_attempts = 5  # of one piece of work; the queue gives it up then
folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster."))

manifest = """
name = "scaling"
[sizes]
n = 4096
[parameters.BLOCK]
values = [32, 64, 128, 256, 512]
default = 64
[parameters.EACH]
values = [1, 2, 4, 8, 16]
default = 1
[parameters.UNROLL]
values = [1, 2, 4]
default = 1
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
[arguments.count]
type = "int"
value = "n"
[[launches]]
kernel = "scaling"
grid = "ceildiv(n, BLOCK * EACH)"
block = "BLOCK"
arguments = ["in", "out", "count"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
"""
configurations = 5 * 5 * 3
kernel = """
extern "C" __global__ void scaling(const float* in, float* out, int count) {
#pragma unroll UNROLL
  for (int e = 0; e < EACH; ++e) {
    const int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;
    if (i < count) out[i] = 2 * in[i];
  }
}
"""
reference = """
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0 * in[i];
}
"""


def server_programs():
    """Debian keeps them out of the PATH, by version."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda file: int(file.parts[-3]))
    name = str(found[-1]) if found else shutil.which("postgres")
    return pathlib.Path(name).parent if name else None


class Server:
    """PostgreSQL in the folder, on a Unix socket. Root may not run it and becomes `postgres`."""

    def __init__(self, programs):
        self.programs, self.socket, data = programs, folder / "socket", folder / "data"
        self.user = "postgres" if os.geteuid() == 0 else None
        for made in (self.socket, data):
            made.mkdir(mode=0o700)
            if self.user:
                os.chown(made, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)
        folder.chmod(0o755)
        self.socket.chmod(0o755)
        self.data = data
        self.run("initdb", "-D", data, "-U", "warptune", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions")
        self.start()
        self.run("createdb", "-h", self.socket, "-U", "warptune", "tuning")
        self.address = f"postgresql://warptune@/tuning?host={self.socket}"

    def start(self):
        # Without fsync a killed process loses nothing either, only a machine would.
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
             f"unix_socket_directories={self.socket}", "-c", "max_connections=200"], user=self.user, cwd="/",
            stdout=subprocess.DEVNULL, stderr=open(folder / "server.log", "a"))
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", self.socket]).returncode != 0:
            assert self.process.poll() is None, (folder / "server.log").read_text()
            time.sleep(0.05)

    def run(self, name, *arguments):
        return subprocess.run([self.programs / name, *arguments], user=self.user, cwd="/", check=True, text=True,
                              capture_output=True).stdout

    def rows(self, sql):
        text = self.run("psql", "-h", self.socket, "-U", "warptune", "-d", "tuning", "-X", "-q", "-A", "-t", "-F", "\t", "-c",
                        "SET search_path TO warptune", "-c", sql)
        return [tuple(line.split("\t")) for line in text.splitlines()]

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait()


def processes_of(session):
    """Of a worker: itself, its session's program, and the workers and compilers of that."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.name.isdigit() and int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.name))
    return found


class Cluster:
    def __init__(self, server):
        self.server, self.sizes, self.all_sessions = server, 0, []
        self.environment = os.environ | {"WARPTUNE_DB": server.address, "XDG_CACHE_HOME": str(folder / "cache")}
        self.template = folder / "template"
        self.template.mkdir()
        for name, text in (("template.toml", manifest), ("kernel.cu", kernel), ("reference.cu", reference)):
            (self.template / name).write_text(text)
        self.seen = {}  # trial -> what it is of, and its figures
        self.lost = []
        self.measured_again = set()
        self.running = []
        self.counts = collections.Counter()

    def submit(self, count):
        sizes = folder / "sizes.txt"
        sizes.write_text("".join(f"n={4096 + self.sizes + i}\n" for i in range(count)))
        self.sizes += count
        subprocess.run([program, "submit", self.template, "--sizes", sizes, "--strategy", "exhaustive", "--finals", "0"],
                       env=self.environment, check=True, capture_output=True)

    def keep_workers(self):
        self.running = [worker for worker in self.running if worker.poll() is None]
        while len(self.running) < workers:
            worker = subprocess.Popen([program, "work", "--device", "host"], env=self.environment, start_new_session=True,
                                      stdout=subprocess.DEVNULL, stderr=open(folder / "workers.log", "a"))
            self.running.append(worker)
            self.all_sessions.append(worker.pid)

    def look(self):
        """Remembers what is committed, and whether what was is still there."""
        now = {row[0]: (row[1:4], row[4:]) for row in self.server.rows(
            "SELECT id, session_id, configuration, outcome, median_ms, recorded_at FROM trials")}
        for trial, (what, figures) in self.seen.items():
            if trial not in now or now[trial][0] != what:
                self.lost.append((trial, what, now.get(trial)))
            elif now[trial][1] != figures:
                self.measured_again.add(trial)
        self.seen |= now

    def open_work(self):
        return int(self.server.rows("SELECT count(*) FROM work WHERE state IN ('queued', 'running')")[0][0])

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
            if self.open_work() < 2 * workers:
                self.submit(2 * workers)
            what = rng.choices((self.kill, self.stop, self.cut_off, self.restart_server), (3, 3, 3, 1))[0]
            try:
                self.counts[what.__name__] += what()
            except ProcessLookupError:
                pass
            time.sleep(rng.uniform(0.1, 0.9))
            self.look()
        return time.monotonic() - began

    def let_end(self):
        began = time.monotonic()
        while self.open_work() > 0 and time.monotonic() < began + patience_s:
            self.keep_workers()
            self.look()
            time.sleep(0.5)
        for worker in self.running:
            worker.terminate()
        for worker in self.running:
            worker.wait()
        self.look()
        return time.monotonic() - began

    def left_running(self):
        for _ in range(50):
            left = [process for session in self.all_sessions for process in processes_of(session)]
            if not left:
                break
            time.sleep(0.2)
        return left


def send(process, number):
    try:
        os.kill(process, number)
        return True
    except ProcessLookupError:
        return False


def judge(cluster):
    rows = cluster.server.rows
    given_up = rows(f"SELECT id, message FROM work WHERE state = 'failed' AND attempts >= {most_attempts}")
    wrong = {
        "committed trials lost": cluster.lost,
        "configurations twice in a session": rows("SELECT session_id, configuration FROM trials GROUP BY 1, 2"
                                                  " HAVING count(*) > 1"),
        "sessions twice": rows("SELECT problem_size FROM sessions GROUP BY 1 HAVING count(*) > 1"),
        "work that has not ended": rows("SELECT id, state FROM work WHERE state IN ('queued', 'running')"),
        "work that failed": rows(f"SELECT id, message FROM work WHERE state NOT IN ('queued', 'running', 'done')"
                                 f" AND attempts < {most_attempts}"),
        "done without all trials or a winner": rows(
            f"SELECT w.id FROM work w WHERE state = 'done' AND (w.session_id IS NULL OR (SELECT count(*) FROM trials t WHERE"
            f" t.session_id = w.session_id AND t.outcome = 'correct') <> {configurations} OR NOT EXISTS (SELECT FROM winners"
            f" WHERE winners.session_id = w.session_id))"),
        "processes left": cluster.left_running(),
    }
    for what, found in wrong.items():
        print(f"{'FAIL' if found else 'ok  '} {what}: {len(found)} {found[:5] if found else ''}")
    done, attempts = rows("SELECT count(*), sum(attempts) FROM work WHERE state = 'done'")[0]
    print(f"{done} sessions done in {attempts} attempts, {len(given_up)} given up after {most_attempts}; "
          f"{len(cluster.seen)} trials, of which {len(cluster.measured_again)} were measured by two")
    return not any(wrong.values())


def main():
    programs = server_programs()
    if not programs:
        print("NOT TESTED: workers under random faults: there is no PostgreSQL server; install Debian's `postgresql`")
        return 77
    server = Server(programs)
    cluster = Cluster(server)
    try:
        cluster.submit(2 * workers)
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
