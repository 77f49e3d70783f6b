"""torch_server.py in a process of its own, for as many cases as there are: importing PyTorch and making its context take
seconds, so that both are done once."""
import atexit
import queue
import subprocess
import threading
from pathlib import Path


class TorchFailed(Exception):
    """A case had no answer."""


class TorchProcess:
    """For one thread. The process is started at once and loads PyTorch in the meantime."""

    def __init__(self, python: str, environment: dict[str, str], log: Path, timeout_s: float = 180):
        self.command = [python, str(Path(__file__).with_name("torch_server.py"))]
        self.environment, self.log, self.timeout_s = environment, log, timeout_s
        self.process: subprocess.Popen | None = None
        atexit.register(self.end)
        self.restart()

    def start(self) -> None:
        self.answers: queue.Queue[str] = queue.Queue()
        try:
            with open(self.log, "a", encoding="utf-8") as log:
                self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE,
                                                stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1)
        except OSError as error:
            raise TorchFailed(f"PyTorch's process did not start: {error}") from error
        threading.Thread(target=self.read, args=(self.process, self.answers), daemon=True).start()

    def restart(self) -> None:
        """If that fails, the one who asks is told."""
        self.end()
        try:
            self.start()
        except TorchFailed:
            pass

    @staticmethod
    def read(process: subprocess.Popen, answers: "queue.Queue[str]") -> None:
        """An empty line is the process' end."""
        for line in process.stdout:
            answers.put(line.strip())
        answers.put("")

    def ask(self, name: str, samples: int) -> str:
        """The line of a case. Throws TorchFailed; then a new process is there for the next one."""
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(f"{name} {samples}\n")
            self.process.stdin.flush()
            line = self.answers.get(timeout=self.timeout_s)
        except OSError as error:
            raise self.failure(name, "its process is gone") from error
        except queue.Empty as error:
            raise self.failure(name, f"no answer within {self.timeout_s:.0f} s") from error
        if not line or line.startswith("error"):
            raise self.failure(name, line.removeprefix("error ") or "its process ended")
        return line

    def failure(self, name: str, what: str) -> TorchFailed:
        self.restart()  # it has loaded PyTorch by the time it is asked
        return TorchFailed(f"{name}: {what}; {self.log} has its words")

    def end(self) -> None:
        if self.process is None:
            return
        try:
            self.process.stdin.close()  # without more to read, it ends and lets its compilers end
            self.process.wait(timeout=5)
        except (subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        self.process = None
