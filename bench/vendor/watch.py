"""Clock and power of a GPU while something is measured on it, as nvidia-smi tells them."""
import atexit
import shutil
import statistics
import subprocess
import threading
import time


class Watch:
    """Polls in the background; without a GPU or nvidia-smi it knows nothing."""

    def __init__(self, uuid: str | None):
        self.samples: list[tuple[float, float, float]] = []  # monotonic seconds, MHz, W
        if not uuid or not shutil.which("nvidia-smi"):
            return
        line_by_line = ["stdbuf", "-oL"] if shutil.which("stdbuf") else []
        query = [*line_by_line, "nvidia-smi", "-i", uuid, "--query-gpu=clocks.sm,power.draw",
                 "--format=csv,noheader,nounits", "-lms", "50"]
        self.process = subprocess.Popen(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        atexit.register(self.process.terminate)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        for line in self.process.stdout:
            try:
                clock_mhz, power_w = map(float, line.split(","))
            except ValueError:
                continue  # "[N/A]"
            self.samples.append((time.monotonic(), clock_mhz, power_w))

    def since(self, begin: float) -> dict:
        """The median clock and power of the samples that show the GPU at work: within a fifth of the highest power."""
        taken = [(clock, power) for at, clock, power in list(self.samples) if at >= begin]
        if not taken:
            return {}
        highest = max(power for _, power in taken)
        at_work = [(clock, power) for clock, power in taken if power >= 0.8 * highest]
        return {"clock_mhz": statistics.median(clock for clock, _ in at_work),
                "power_w": statistics.median(power for _, power in at_work)}
