"""Finds and ends what a test has started. As a program, `processes.py FOLDER` waits until its standard input ends, which it
does with the test however that ends, and then clears the folder."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time


def fields_of(process):
    """State, parent, group, session …; nothing if it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def words_of(process):
    """Its command line; nothing if it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def parent_of(process):
    fields = fields_of(process)
    return int(fields[1]) if fields else None


def all_processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def processes_of(session):
    """Of a worker that leads a session: itself, its session's program, and the workers and compilers of that."""
    fields = {process: fields_of(process) for process in all_processes()}
    return [process for process, of in fields.items() if of and int(of[3]) == session and of[0] != "Z"]


def processes_with(text):
    """Those with the text in their environment or in their folder's name: a scheduler's are in sessions of their own. Their
    zombies have neither."""
    found = []
    for process in set(all_processes()) - {os.getpid()}:
        try:
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
            if text.encode() in environment or text in os.readlink(f"/proc/{process}/cwd"):
                found.append(process)
        except OSError:
            continue
    return found


def send(process, number):
    try:
        os.kill(process, number)
        return True
    except ProcessLookupError:
        return False


def end_all(text):
    """Again until there are none: one may just be starting another."""
    for _ in range(100):
        left = processes_with(text)
        if not left:
            return
        for process in left:
            send(process, signal.SIGKILL)
        time.sleep(0.05)


def clear(folder):
    end_all(str(folder))
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        if line.split()[1].startswith(str(folder)):
            subprocess.run(["umount", "-l", line.split()[1]], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def watch_over(folder):
    """Clears the folder even if this process is killed, with all that it has started, as ctest does after a time-out. Returns
    the pipe on which it is waited for."""
    reading, writing = os.pipe()
    subprocess.run(["setsid", "--fork", sys.executable, "-B", __file__, folder], stdin=reading, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, cwd="/", check=True)
    os.close(reading)
    return writing


if __name__ == "__main__":
    sys.stdin.read()
    clear(sys.argv[1])
