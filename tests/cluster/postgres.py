"""A PostgreSQL server of one's own in a folder, on a Unix socket."""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time


def server_programs():
    """Debian keeps them out of the PATH, by version."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda file: int(file.parts[-3]))
    name = str(found[-1]) if found else shutil.which("postgres")
    return pathlib.Path(name).parent if name else None


def lacking():
    return "" if server_programs() else "there is no PostgreSQL server; install Debian's `postgresql`"


class Server:
    """Root may not run it and becomes `postgres`. `data` and `wal` may be on other disks than the folder."""

    def __init__(self, folder, data=None, wal=None):
        self.programs, self.socket, self.data = server_programs(), folder / "socket", data or folder / "data"
        self.log, self.user = folder / "server.log", "postgres" if os.geteuid() == 0 else None
        for made in filter(None, (self.socket, self.data, wal)):
            made.mkdir(mode=0o700)
            if self.user:
                os.chown(made, pwd.getpwnam(self.user).pw_uid, pwd.getpwnam(self.user).pw_gid)
        folder.chmod(0o755)
        self.socket.chmod(0o755)
        where = ["-D", self.data] + (["--waldir", wal, "--wal-segsize", "1"] if wal else [])
        self.run("initdb", *where, "-U", "warptune", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions")
        self.start()
        self.run("createdb", "-h", self.socket, "-U", "warptune", "tuning")
        self.address = f"postgresql://warptune@/tuning?host={self.socket}"

    def start(self):
        # Without fsync a killed process loses nothing either, only a machine would.
        with open(self.log, "a") as words:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                 f"unix_socket_directories={self.socket}", "-c", "max_connections=200"], user=self.user, cwd="/",
                stdout=subprocess.DEVNULL, stderr=words)
        while not self.answers():
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.05)

    def answers(self):
        asked = [self.programs / "pg_isready", "-q", "-h", self.socket, "-U", "warptune", "-d", "postgres"]
        return subprocess.run(asked).returncode == 0

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
