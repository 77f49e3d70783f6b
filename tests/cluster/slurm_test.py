"""Workers on a real Slurm with two nodes, started by the batch file that is shipped. slurm_test.py SOURCE_FOLDER WARPTUNE"""
import re
import signal
import subprocess
import sys

import fixture
import slurm
from fixture import SLOW_US, SOURCES, WARPTUNE, ClusterTest
from processes import processes_with, send, words_of

BATCH_FILE = SOURCES / "examples/cluster/work.sbatch"
SESSION_FILE = SOURCES / "examples/cluster/session.sbatch"


class SlurmTest(ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.slurm = slurm.Slurm(cls.folder)
        except RuntimeError as error:  # its own matter, and nothing that is tested here
            print(f"NOT TESTED: workers on Slurm: it does not come up on this machine: {error}", flush=True)
            sys.exit(77)
        cls.addClassCleanup(cls.slurm.stop)

    def tearDown(self):
        super().tearDown()
        for task in self.slurm.jobs():
            self.slurm.run("scancel", "--signal=KILL", "--full", task, check=False)
            self.slurm.run("scancel", task, check=False)
        self.until(lambda: not self.slurm.jobs(), "all jobs to end")

    def job_environment(self):
        environment = {key: self.tuning.environment[key] for key in ("WARPTUNE_DB", "XDG_CACHE_HOME")}
        return environment | {"PATH": f"{WARPTUNE.parent}:{self.slurm.environment['PATH']}"}

    def start_workers(self, array="1-2", *more):
        """The shipped file, in which the device is the only thing that these nodes have not."""
        options = [f"--array={array}", f"--output={self.folder}/job.%A_%a.log", *more]
        return self.slurm.submit(*options, BATCH_FILE, "--device", "host", **self.job_environment())

    def start_session(self, size):
        """One session on both nodes, by the other shipped file. The nodes have one name, which need not be an address."""
        words = ("--device", "host", "--size", f"n={size},pause_us=40000", "--strategy", "exhaustive", "--finals", "0")
        return self.slurm.submit(f"--output={self.folder}/session.%j.log", SESSION_FILE, self.tuning.template, *words,
                                 WARPTUNE_AGENT_HOST="127.0.0.1", **self.job_environment())

    def assert_session_whole(self, job, size):
        self.until(lambda: not self.slurm.jobs(job), "the session's job to end")
        said = self.log(f"session.{job}.log")
        self.assertIn("JobState=COMPLETED", self.slurm.run("scontrol", "show", "job", job), said)
        rows = self.server.rows("SELECT count(*), count(DISTINCT configuration) FROM trials t, sessions s WHERE t.session_id = s.id"
                                f" AND s.problem_size LIKE '%{size}%' AND t.outcome = 'correct'")
        self.assertEqual([int(number) for number in rows[0]], [75, 75], said)

    def assert_given_back(self, work):
        """What was begun and is not done costs none of its attempts, and waits for a worker."""
        self.assertLessEqual(set(self.work(work).values()), {("queued", 0), ("done", 1)})

    def test_an_array_of_workers_spreads_over_the_nodes_and_ends_when_all_is_done(self):
        work = self.tuning.submit(2, SLOW_US) + self.tuning.submit(2)
        job = self.start_workers()
        self.until_workers(2, work)
        self.assert_all_done(work)
        self.until(lambda: not self.slurm.jobs(job), "the workers to end")
        tasks = [self.slurm.run("scontrol", "show", "job", f"{job}_{task}") for task in (1, 2)]
        self.assertEqual({re.search(" NodeList=(.*)", task)[1] for task in tasks}, {"n1", "n2"})
        for task, said in enumerate(tasks, 1):
            self.assertIn("JobState=COMPLETED", said)
            self.assertRegex(self.log(f"job.{job}_{task}.log"), r"work \d+: done")

    def test_a_job_that_pre_empts_a_worker_costs_no_trial_and_the_requeued_worker_goes_on(self):
        work = self.tuning.submit(2, SLOW_US)
        job = self.start_workers("1")
        self.until_workers(1, work)
        urgent = self.slurm.submit("--partition=urgent", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 1")
        self.until(lambda: self.keep_busy(2, work) or self.slurm.jobs(job)[f"{job}_1"] == "PENDING", "the worker to be requeued")
        self.assert_given_back(work)
        self.until(lambda: not self.slurm.jobs(urgent), "the other job to end")
        self.slurm.release(f"{job}_1")
        self.assert_all_done(work)
        self.assertRegex(self.log(f"job.{job}_1.log"), "(?s) offers .* offers ")  # the log goes on, too

    def test_a_worker_whose_time_is_up_gives_its_session_back_and_the_next_one_goes_on(self):
        work = self.tuning.submit(2, SLOW_US)
        job = self.start_workers("1")
        self.until_workers(1, work)
        self.slurm.run("scancel", "--batch", "--signal=TERM", job)  # what --signal=B: does before the end
        self.until(lambda: not self.slurm.jobs(job), "the worker to end")
        self.assert_given_back(work)
        self.start_workers()
        self.assert_all_done(work)

    def test_all_gpus_of_a_worker_are_in_one_node(self):
        with self.assertRaises(subprocess.CalledProcessError) as refused:  # each of the two nodes has one
            self.start_workers("1", "--gpus=2")
        self.assertIn("configuration is not available", refused.exception.stderr)

    def test_a_session_uses_all_nodes_of_its_job(self):
        job = self.start_session(3001)
        self.assert_session_whole(job, 3001)
        self.assertRegex(self.log(f"session.{job}.log"), r"1 agent with 1 device gave [1-9]\d* trials")

    def test_a_session_outlives_its_agents(self):
        job = self.start_session(3002)
        self.until(lambda: " joins: " in self.log(f"session.{job}.log"), "an agent")
        agents = [process for process in processes_with(f"SLURM_JOB_ID={job}") if "agent" in words_of(process)]
        self.assertTrue(agents)
        self.assertTrue(any([send(process, signal.SIGKILL) for process in agents]))
        self.assert_session_whole(job, 3002)
        self.assertIn(" is gone: ", self.log(f"session.{job}.log"))

    def test_the_work_of_a_node_that_dies_is_done_by_the_other(self):
        work = self.tuning.submit(3, SLOW_US)
        self.start_workers()
        worker = self.until_workers(2, work, spare=1)
        self.slurm.kill_node(self.slurm.node_of(worker))  # stays down: this test is the last by its name
        self.assert_all_done(work)
        self.assertEqual(max(attempts for _, attempts in self.work(work).values()), 2)


if __name__ == "__main__":
    fixture.main("workers on Slurm", slurm.lacking())
