"""What the tests of this folder have in common: SCRIPT SOURCE_FOLDER WARPTUNE [test names]. A folder with a PostgreSQL server
and sessions of a tiny kernel; all that is started ends with the test, however that ends."""
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import postgres
import processes
from tuning import Tuning

SOURCES, WARPTUNE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
PATIENCE_S = 120
SLOW_US = 100_000  # a pause; a session then takes 4 s at least


def main(what, *lacking):
    """Runs the module's tests, or says loudly what is missing."""
    missing = [text for text in (postgres.lacking(), *lacking) if text]
    if missing:
        print(f"NOT TESTED: {what}: {'; '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="warptune-cluster."))
        cls.watch = processes.watch_over(cls.folder)
        cls.addClassCleanup(os.close, cls.watch)
        cls.addClassCleanup(processes.clear, cls.folder)
        cls.server = cls.make_server()
        cls.addClassCleanup(cls.server.stop)
        cls.tuning = Tuning(WARPTUNE, cls.folder, cls.server, few=True)

    @classmethod
    def make_server(cls):
        return postgres.Server(cls.folder)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            self.show_logs()

    def show_logs(self):
        for log in sorted(self.folder.rglob("*.log")):
            print(f"--- the end of {log.relative_to(self.folder)}", log.read_text(errors="replace")[-2500:], sep="\n", flush=True)

    def tearDown(self):
        """What a failed test has left is not the next one's to do."""
        if self.tuning.sizes == 0 or not self.server.answers():
            return
        left = [row[0] for row in self.server.rows("SELECT id FROM work WHERE state IN ('queued', 'running')")]
        if left:
            self.warptune("cancel", *left)
            self.server.rows("DELETE FROM work WHERE state = 'cancelled'")

    def warptune(self, *arguments):
        """The exit code and what was said."""
        ran = subprocess.run([WARPTUNE, *map(str, arguments)], env=self.tuning.environment, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=2 * PATIENCE_S)
        return ran.returncode, ran.stdout

    def start_worker(self, log, *before):
        """`before` are a launcher and its options."""
        with open(self.folder / log, "a") as words:
            return subprocess.Popen([*before, WARPTUNE, "work", "--device", "host", "--drain"], env=self.tuning.environment,
                                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=words, start_new_session=True)

    def log(self, name):
        """Empty as long as there is none."""
        file = self.folder / name
        return file.read_text(errors="replace") if file.exists() else ""

    def until(self, condition, what):
        until = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), until, f"waited for {what}")
            time.sleep(0.1)

    def keep_busy(self, count, work):
        """Workers that end early get more to do, which is added to `work`."""
        if self.tuning.open_work() < count:
            work.extend(self.tuning.submit(1, SLOW_US))

    def busy_workers(self):
        """Processes whose sessions have a trial, those that have come least far first."""
        rows = self.server.rows(
            "SELECT worker FROM work w, sessions s WHERE w.state = 'running' AND s.state = 'running'"
            " AND s.problem_size = w.problem AND EXISTS (SELECT FROM trials t WHERE t.session_id = s.id)"
            " ORDER BY (SELECT count(*) FROM trials t WHERE t.session_id = s.id)")
        return [int(row[0].split(":")[-1]) for row in rows]  # HOST:PROCESS

    def until_workers(self, count, work, spare=0):
        """So many sessions are under way at once, with a trial each, and some more wait. Returns the worker that has most left to
        do."""
        busy = []

        def are_busy():
            self.tuning.look()
            self.keep_busy(count + spare, work)
            busy[:] = self.busy_workers()
            return len(busy) >= count
        self.until(are_busy, f"{count} workers that have recorded a trial")
        return busy[0]

    def work(self, ids):
        """id -> (state, attempts)"""
        rows = self.server.rows(f"SELECT id, state, attempts FROM work WHERE id IN ({', '.join(map(str, ids))})")
        return {int(row[0]): (row[1], int(row[2])) for row in rows}

    def assert_all_done(self, ids):
        code, said = self.warptune("wait", *ids, "--timeout", PATIENCE_S)
        self.assertEqual(code, 0, said)
        self.assertEqual({state for state, _ in self.work(ids).values()}, {"done"})
        self.assertEqual({what: found for what, found in self.tuning.faults().items() if found}, {})
