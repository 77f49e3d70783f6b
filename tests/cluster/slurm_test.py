"""Workers on a real Slurm with two nodes, started by the batch file that is shipped. slurm_test.py SOURCE_FOLDER WARPTUNE"""
import fixture
import slurm
from fixture import SOURCES, WARPTUNE, ClusterTest

BATCH_FILE = SOURCES / "examples/cluster/work.sbatch"
SLOW_US = 40_000  # a session then takes 4 s at least


class SlurmTest(ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.slurm = slurm.Slurm(cls.folder)

    def tearDown(self):
        super().tearDown()
        for task in self.slurm.jobs():
            self.slurm.run("scancel", "--signal=KILL", "--full", task, check=False)
            self.slurm.run("scancel", task, check=False)
        self.until(lambda: not self.slurm.jobs(), "all jobs to end")

    def start_workers(self, array="1-2"):
        """The shipped file, in which the device is the only thing that these nodes have not."""
        environment = self.tuning.environment
        return self.slurm.submit(f"--array={array}", f"--output={self.folder}/job.%A_%a.log", BATCH_FILE, "--device", "host",
                                 **{key: environment[key] for key in ("WARPTUNE_DB", "XDG_CACHE_HOME")},
                                 PATH=f"{WARPTUNE.parent}:{self.slurm.environment['PATH']}")

    def nodes(self, job):
        return {node for state, node in self.slurm.jobs(job).values() if state == "RUNNING"}

    def test_an_array_of_workers_spreads_over_the_nodes_and_ends_when_all_is_done(self):
        work = self.tuning.submit(2, SLOW_US) + self.tuning.submit(2)
        job = self.start_workers()
        self.until_trials(2, 1)
        self.assertEqual(self.nodes(job), {"n1", "n2"})
        self.assert_all_done(work)
        self.until(lambda: not self.slurm.jobs(job), "the workers to end")
        for task in (1, 2):
            self.assertRegex(self.log(f"job.{job}_{task}.log"), r"work \d+: done")
        self.assertIn("JobState=COMPLETED", self.slurm.run("scontrol", "show", "job", f"{job}_1"))

    def test_a_job_that_pre_empts_a_worker_costs_no_trial_and_the_requeued_worker_goes_on(self):
        work = self.tuning.submit(1, SLOW_US)
        job = self.start_workers("1")
        self.until_trials(1, 2)
        urgent = self.slurm.submit("--partition=urgent", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 1")
        self.until(lambda: self.slurm.jobs(job)[f"{job}_1"][0] == "PENDING", "the worker to be requeued")
        state, attempts, _ = self.work(work)[work[0]]
        self.assertEqual((state, attempts), ("queued", 0))
        self.until(lambda: not self.slurm.jobs(urgent), "the other job to end")
        self.slurm.release(f"{job}_1")
        self.assert_all_done(work)
        self.assertRegex(self.log(f"job.{job}_1.log"), r"(?s)work \d+: given back.*work \d+: done")  # the log goes on, too

    def test_a_worker_whose_time_is_up_gives_its_session_back_and_the_next_one_goes_on(self):
        work = self.tuning.submit(1, SLOW_US)
        job = self.start_workers("1")
        self.until_trials(1, 2)
        self.slurm.run("scancel", "--batch", "--signal=TERM", job)  # what --signal does before the end
        self.until(lambda: not self.slurm.jobs(job), "the worker to end")
        state, attempts, _ = self.work(work)[work[0]]
        self.assertEqual((state, attempts), ("queued", 0))
        self.start_workers("1")
        self.assert_all_done(work)

    def test_the_work_of_a_node_that_dies_is_done_by_the_other(self):
        work = self.tuning.submit(2, SLOW_US)
        job = self.start_workers()
        self.until_trials(2, 2)
        self.slurm.kill_node("n2")
        self.assert_all_done(work)
        self.assertEqual(sorted(attempts for _, attempts, _ in self.work(work).values()), [1, 2])


if __name__ == "__main__":
    fixture.main("workers on Slurm", slurm.lacking())
