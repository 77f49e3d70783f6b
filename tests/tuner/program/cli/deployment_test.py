"""Measured as deployed: ways of launching, clocks and power caps, as users say them. Clocks and caps are the fake NVML's
alone. deployment_test.py WARPTUNE FAKE_LIBRARIES_FOLDER [test names]"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WARPTUNE, FAKES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
PATIENCE_S = 30
MANIFEST = """
name = "twice"
[sizes]
n = 1000
[parameters.BLOCK]
values = [32, 64, 128, 256]
default = 64
[arguments.x]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2] }
[arguments.y]
type = "float"
shape = ["n"]
role = "output"
tolerance = { absolute = 0 }
[[launches]]
kernel = "twice"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["x", "y"]
[reference]
default_configuration = true
"""
KERNEL = """extern "C" __global__ void twice(const float* x, float* y) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < 1000) y[i] = 2 * x[i];
}
"""


class Deployment(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "twice").mkdir()
        (self.folder / "twice/template.toml").write_text(MANIFEST)
        (self.folder / "twice/kernel.cu").write_text(KERNEL)
        libraries = self.folder / "toolkit/lib64"
        libraries.mkdir(parents=True)
        for library in [*(FAKES / "cuda").glob("*.so*"), *(FAKES / "nvrtc").glob("*.so*")]:
            (libraries / library.name).symlink_to(library)
        self.log = self.folder / "nvml.log"
        self.environment = {**os.environ, "CUDA_HOME": str(self.folder / "toolkit"), "FAKE_NVML_LOG": str(self.log),
                            "WARPTUNE_DB": str(self.folder / "store.db"), "XDG_CACHE_HOME": str(self.folder / "cache"),
                            "XDG_RUNTIME_DIR": str(self.folder)}

    def warptune(self, *words, code=0, **environment):
        done = subprocess.run([WARPTUNE, *words], cwd=self.folder, env={**self.environment, **environment}, text=True,
                              capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_run_takes_exactly_as_many_samples_as_are_asked_for(self):
        for wanted in ("1", "7", "250"):
            self.assertRegex(self.warptune("run", "twice", "--device", "host", "--samples", wanted), rf" {wanted} samples?\b")
        self.assertIn("--samples and --count contradict each other", self.warptune("run", "twice", "--samples", "7", "--count", code=2))

    def changes(self):
        return self.log.read_text().split("\n")[:-1] if self.log.exists() else []

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def start_session(self, **environment):
        """A session that goes on until it is ended, and its keeper's id; its clock is locked."""
        session = subprocess.Popen(
            [WARPTUNE, "tune", "twice", "--device", "cuda:0", "--clock", "1200", "--budget", "5m", "--finals", "0"],
            cwd=self.folder, env={**self.environment, "FAKE_CUDA_FAULT": "40:600", **environment}, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        self.wait_for(lambda: "lock 1200" in self.changes(), "nothing locked the clock")
        return session, self.keeper_of(session.pid)

    @staticmethod
    def keeper_of(pid):
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                parent = int(re.search(r"PPid:\t(\d+)", status.read_text())[1])
                words = (status.parent / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == pid and b"keep-settings" in words:
                return int(status.parent.name)
        return None

    def test_a_way_of_launching_is_a_session_of_its_own_and_is_shown(self):
        tune = ("tune", "twice", "--device", "cuda:0", "--budget", "4", "--finals", "0")
        self.warptune(*tune)
        for way in ("automatic", "graph", "stream"):
            self.warptune(*tune, "--as", way)
        self.assertEqual(len(json.loads(self.warptune("history", "--format", "json"))["sessions"]), 3)
        self.assertNotIn("as=", self.warptune("show", "1"))
        self.assertIn("as=graph", self.warptune("show", "2"))
        self.assertIn("as=stream", self.warptune("show", "3"))
        self.assertIn("--as graph", self.warptune("show", "--trial", "5", "--replay"))
        self.assertIn("outcome", self.warptune("run", "twice", "--device", "cuda:0", "--as", "graph"))
        self.warptune("run", "--trial", "5")
        self.assertIn("automatic, stream, graph", self.warptune("tune", "twice", "--as", "telepathy", code=2))

    def test_what_was_launched_otherwise_is_measured_again_as_it_was(self):
        self.warptune("tune", "twice", "--device", "cuda:0", "--budget", "4", "--finals", "0", "--as", "graph")
        self.warptune("check", "twice")
        self.assertIn("as=graph", self.warptune("show", "1"))

    def test_clock_and_cap_hold_for_the_session_and_go_back_behind_it(self):
        self.warptune("tune", "twice", "--device", "cuda:0", "--budget", "4", "--finals", "0", "--clock", "1200",
                      "--power-cap", "300")
        self.assertEqual(self.changes(), ["lock 1200", "cap 300000", "unlock", "cap 700000"])
        self.assertIn("clock_mhz=1200 power_cap_w=300", self.warptune("show", "1"))
        self.warptune("check", "twice")
        self.assertEqual(self.changes()[4:], ["lock 1200", "cap 300000", "unlock", "cap 700000"])
        self.warptune("run", "twice", "--device", "cuda:0", "--clock", "900", "--no-workers")
        self.assertEqual(self.changes()[8:], ["lock 900", "unlock"])

    def test_without_permission_it_says_who_may_and_changes_nothing(self):
        said = self.warptune("tune", "twice", "--device", "cuda:0", "--clock", "1200", "--budget", "4", code=4,
                             FAKE_NVML_SET_RESULT="4")
        self.assertIn("locking the graphics clock at 1200 MHz on cuda:0", said)
        self.assertIn("NVML_ERROR_NO_PERMISSION 4 (Insufficient Permissions)", said)
        self.assertIn("as root", said)
        self.assertEqual(self.changes(), [])

    def test_only_a_gpu_of_this_machine_has_a_clock_to_set(self):
        tune = ("tune", "twice", "--clock", "1200", "--budget", "4")
        self.assertIn("host has no clock", self.warptune(*tune, "--device", "host", code=4))
        self.assertIn("--agents", self.warptune(*tune, "--device", "cuda:0", "--agents", "0", code=3,
                                                WARPTUNE_AGENT_TOKEN="a token of sixteen bytes"))
        self.assertEqual(self.changes(), [])

    def test_whatever_ends_a_session_puts_the_device_back(self):
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=end.name):
                self.log.unlink(missing_ok=True)
                session, keeper = self.start_session()
                self.assertIsNotNone(keeper)
                session.send_signal(end)
                self.wait_for(lambda: self.changes() == ["lock 1200", "unlock"], f"still {self.changes()}")
                session.wait(PATIENCE_S)

    def test_the_session_puts_the_device_back_where_its_keeper_was_killed(self):
        session, keeper = self.start_session()
        os.kill(keeper, signal.SIGKILL)
        session.send_signal(signal.SIGINT)
        session.wait(PATIENCE_S)
        self.assertEqual(self.changes(), ["lock 1200", "unlock"])

    def test_a_keeper_heeds_no_signal_but_its_sessions_end(self):
        session, keeper = self.start_session()
        for word in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(keeper, word)
        time.sleep(0.3)
        self.assertEqual(self.changes(), ["lock 1200"])
        session.kill()
        self.wait_for(lambda: self.changes() == ["lock 1200", "unlock"], "the device was not put back")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
