"""A PostgreSQL server of its own in a temporary folder, and what it uses: processor time, log, commits, memory."""
import dataclasses
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

ticks_per_s = os.sysconf("SC_CLK_TCK")


def server_programs():
    """Debian keeps them out of the PATH, by version."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda file: int(file.parts[-3]))
    name = str(found[-1]) if found else shutil.which("postgres")
    return pathlib.Path(name).parent if name else None


def processes():
    """(number, parent, ticks) of each process there is."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        yield int(entry.name), int(fields[1]), int(fields[11]) + int(fields[12])


def machine_cpu_s():
    """Busy time of all cores, whoever used them."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:]]
    return (sum(fields[:3]) + sum(fields[5:8])) / ticks_per_s


@dataclasses.dataclass
class Reading:
    wall_s: float
    server_cpu_s: float
    machine_cpu_s: float
    log_bytes: int
    commits: int

    def __sub__(self, earlier):
        return Reading(*(a - b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(earlier))))


class Server:
    """On a Unix socket; root may not run it and becomes `postgres`. Commits reach the disk, as they do on a site's server."""

    def __init__(self, connections):
        self.programs = server_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scale."))
        self.user = "postgres" if os.geteuid() == 0 else None
        self.socket, self.data = self.folder / "socket", self.folder / "data"
        self.folder.chmod(0o755)
        for made in (self.socket, self.data):
            made.mkdir(mode=0o700)
            if self.user:
                os.chown(made, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)
        self.socket.chmod(0o755)
        self.run("initdb", "-D", self.data, "-U", "warptune", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions")
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-c", f"max_connections={connections}",
             "-c", f"unix_socket_directories={self.socket}", "-c", "shared_buffers=512MB", "-c", "max_wal_size=8GB",
             "-c", "max_locks_per_transaction=256"],
            user=self.user, cwd="/", stdout=subprocess.DEVNULL, stderr=open(self.folder / "server.log", "a"))
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", self.socket]).returncode != 0:
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            time.sleep(0.05)

    def run(self, name, *arguments):
        return subprocess.run([self.programs / name, *arguments], user=self.user, cwd="/", check=True, text=True,
                              capture_output=True).stdout

    def client(self, database):
        return [self.programs / "psql", "-h", self.socket, "-U", "warptune", "-d", database, "-X", "-q", "-A", "-t", "-F", "\t",
                "-v", "ON_ERROR_STOP=1"]

    def rows(self, database, *statements):
        words = [word for sql in ("SET search_path TO warptune", *statements) for word in ("-c", sql)]
        text = subprocess.run([*self.client(database), *words], check=True, text=True, capture_output=True).stdout
        return [tuple(line.split("\t")) for line in text.splitlines()]

    def make(self, database):
        self.run("createdb", "-h", self.socket, "-U", "warptune", database)
        return self.address(database)

    def address(self, database, user="warptune"):
        return f"postgresql://{user}@/{database}?host={self.socket}"

    def drop(self, database):
        self.run("dropdb", "--force", "-h", self.socket, "-U", "warptune", database)

    def times(self):
        """The clock's, the server's with all that it started, and the machine's, in seconds. What ends meanwhile moves into the
        server's own account: then once more, unless something always ends."""
        for _ in range(3):
            ended = self.ended_ticks()
            ticks = sum(own for process, parent, own in processes() if self.process.pid in (process, parent))
            times = time.monotonic(), (ticks + ended) / ticks_per_s, machine_cpu_s()
            if self.ended_ticks() == ended:
                break
        return times

    def ended_ticks(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[13]) + int(fields[14])

    def begin(self, database):
        """A reading; the processor's time last, so that asking for the rest is not in it."""
        log = self.log(database)
        return Reading(*self.times(), *log)

    def end(self, database, earlier):
        """The difference to an earlier reading."""
        times = self.times()
        return Reading(*times, *self.log(database)) - earlier

    def log(self, database):
        """(bytes of the log, commits) until now. A connection tells its commits once a second, and at its end."""
        row = self.rows(database, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn, (SELECT xact_commit FROM"
                                  " pg_stat_database WHERE datname = current_database())")[0]
        return int(row[0]), int(row[1])

    def memory_mb(self):
        """(connections, megabytes each): memory that no other process shares, of those that serve a connection."""
        private = []
        for number, parent, _ in processes():
            if parent != self.process.pid:
                continue
            try:
                if b"warptune" not in pathlib.Path(f"/proc/{number}/cmdline").read_bytes():
                    continue  # a writer, a launcher
                lines = pathlib.Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            private.append(sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean:", "Private_Dirty:"))))
        return len(private), sum(private) / max(1, len(private)) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
