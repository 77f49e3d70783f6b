"""mpirun as a mere launcher of workers, which know nothing of MPI. mpirun_test.py SOURCE_FOLDER WARPTUNE"""
import shutil
import signal
import subprocess

import fixture
import processes
from fixture import SLOW_US, ClusterTest

RANKS = 3
LAUNCHER = ("mpirun", "-n", str(RANKS), "--oversubscribe", "--allow-run-as-root")


class MpirunTest(ClusterTest):
    def test_all_ranks_take_work_and_end_well_when_it_is_done(self):
        work = self.tuning.submit(RANKS, SLOW_US) + self.tuning.submit(1)
        launched = self.start_worker("well.log", *LAUNCHER)
        self.until_workers(RANKS, work)
        self.assertEqual(launched.wait(fixture.PATIENCE_S), 0)
        self.assert_all_done(work)
        self.assertEqual({attempts for _, attempts in self.work(work).values()}, {1})

    def test_what_mpirun_ends_with_a_killed_rank_is_done_by_the_next_one(self):
        """Open MPI ends all ranks if one dies: therefore work is kept in the store and not among ranks."""
        work = self.tuning.submit(RANKS, SLOW_US)
        launched = self.start_worker("killed.log", *LAUNCHER)
        processes.send(self.until_workers(RANKS, work), signal.SIGKILL)
        self.assertNotEqual(launched.wait(fixture.PATIENCE_S), 0)
        self.assertIn("signal 9", self.log("killed.log"))
        again = self.start_worker("again.log", *LAUNCHER)
        self.assertEqual(again.wait(fixture.PATIENCE_S), 0)
        self.assert_all_done(work)


def lacking():
    if not shutil.which("mpirun") or "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        return "there is no mpirun of Open MPI; install Debian's `openmpi-bin`"
    tried = subprocess.run([*LAUNCHER, "true"], capture_output=True, text=True)
    return f"mpirun starts nothing on this machine: {tried.stderr}" if tried.returncode else ""


if __name__ == "__main__":
    fixture.main("mpirun as a launcher", lacking())
