"""Sessions of a tiny kernel in a store on a server. Each tries its whole space, so what must be there at the end is known."""
import os
import subprocess

most_attempts = 5  # of one piece of work; the queue gives it up then

manifest = """
name = "scaling"
[sizes]
n = 4096
pause_us = 1
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
[arguments.pause]
type = "int"
value = "pause_us"
[[launches]]
kernel = "scaling"
grid = "ceildiv(n, BLOCK * EACH)"
block = "BLOCK"
arguments = ["in", "out", "count", "pause"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
"""
# A pause makes a session last for seconds on the fastest machine, and takes no core from others.
kernel = """
extern "C" int usleep(unsigned int);
extern "C" __global__ void scaling(const float* in, float* out, int count, int pause) {
  if (pause > 1 && blockIdx.x == 0 && threadIdx.x == 0) usleep(pause);
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


class Tuning:
    """What was submitted, and what was seen in the store. Of the space, only `few` configurations or all."""

    def __init__(self, program, folder, server, few=False):
        self.program, self.folder, self.server, self.sizes = program, folder, server, 0
        self.restrict = ["--restrict", "EACH <= 2 && UNROLL == 1"] if few else []
        self.configurations = 5 * 2 if few else 5 * 5 * 3
        self.environment = os.environ | {"WARPTUNE_DB": server.address, "XDG_CACHE_HOME": str(folder / "cache")}
        self.template = folder / "template"
        self.template.mkdir()
        for name, text in (("template.toml", manifest), ("kernel.cu", kernel), ("reference.cu", reference)):
            (self.template / name).write_text(text)
        self.seen = {}  # trial -> what it is of, and its figures
        self.lost = []
        self.measured_again = set()

    def submit(self, count, pause_us=1):
        """The work's numbers."""
        sizes = self.folder / "sizes.txt"
        sizes.write_text("".join(f"n={4096 + self.sizes + i} pause_us={pause_us}\n" for i in range(count)))
        self.sizes += count
        ran = subprocess.run(
            [self.program, "submit", self.template, "--sizes", sizes, "--strategy", "exhaustive", "--finals", "0",
             "--format", "csv", *self.restrict], env=self.environment, check=True, capture_output=True, text=True)
        return [int(line.split(",")[0]) for line in ran.stdout.splitlines()[1:]]

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

    def faults(self):
        """What may not be, at the end, by what it is called."""
        self.look()
        rows = self.server.rows
        return {
            "committed trials lost": self.lost,
            "configurations twice in a session": rows("SELECT session_id, configuration FROM trials GROUP BY 1, 2"
                                                      " HAVING count(*) > 1"),
            "sessions twice": rows("SELECT problem_size FROM sessions GROUP BY 1 HAVING count(*) > 1"),
            "work that has not ended": rows("SELECT id, state FROM work WHERE state IN ('queued', 'running')"),
            "work that failed": rows(f"SELECT id, message FROM work WHERE state NOT IN ('queued', 'running', 'done')"
                                     f" AND attempts < {most_attempts}"),
            "done without all trials or a winner": rows(
                f"SELECT w.id FROM work w WHERE state = 'done' AND (w.session_id IS NULL OR (SELECT count(*) FROM trials t"
                f" WHERE t.session_id = w.session_id AND t.outcome = 'correct') <> {self.configurations} OR NOT EXISTS (SELECT"
                f" FROM winners WHERE winners.session_id = w.session_id))"),
        }
