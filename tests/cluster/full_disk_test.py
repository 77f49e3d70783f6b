"""A server whose disk is full while workers record trials. full_disk_test.py SOURCE_FOLDER WARPTUNE"""
import subprocess
import tempfile

import fixture
import postgres
from fixture import SLOW_US, ClusterTest

WORKERS = ("first", "second")


def mount(folder, mib):
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "tmpfs", folder], check=True, capture_output=True)
    return folder


def lacking():
    """Whether a small file system can be had."""
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode != 0:
            return "a small file system cannot be mounted: that is root's, and not even root's in most containers"
        subprocess.run(["umount", folder], check=True)
    return ""


class FullDiskTest(ClusterTest):
    def fill(self):
        try:
            with open(self.disk / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(1 << 16))
        except OSError:
            pass

    def make_space(self):
        (self.disk / "filler").unlink()

    def start_workers(self):
        return [self.start_worker(f"{name}.log") for name in WORKERS]

    def exit_codes(self, workers):
        return [worker.wait(fixture.PATIENCE_S) for worker in workers]


class TablesOnAFullDisk(FullDiskTest):
    @classmethod
    def make_server(cls):
        cls.disk = mount(cls.folder / "disk", 80)
        return postgres.Server(cls.folder, data=cls.disk / "data", wal=cls.folder / "wal")

    def test_workers_say_so_and_end_and_the_same_command_goes_on_when_there_is_space(self):
        work = self.tuning.submit(2, SLOW_US) + self.tuning.submit(8)
        workers = self.start_workers()
        self.until_workers(2, work)
        self.fill()
        self.assertEqual(self.exit_codes(workers), [5, 5])
        for name in WORKERS:
            self.assertIn("No space left on device); free space on the server, then repeat the command: everything committed so"
                          " far is kept", self.log(f"{name}.log"))
        self.tuning.look()
        self.assertNotIn("failed", {state for state, _ in self.work(work).values()})
        self.make_space()
        self.assertEqual(self.exit_codes(self.start_workers()), [0, 0])
        self.assert_all_done(work)


class LogOnAFullDisk(FullDiskTest):
    """The server's own, which it writes ahead of tables: it stops, and does not start until there is space."""

    @classmethod
    def make_server(cls):
        cls.disk = mount(cls.folder / "disk", 30)
        return postgres.Server(cls.folder, wal=cls.disk / "wal")

    def write_until_it_stops(self):
        def has_stopped():
            try:
                self.server.rows("SELECT pg_logical_emit_message(false, '', repeat('x', 100000))")
            except subprocess.CalledProcessError:
                pass
            return self.server.process.poll() is not None
        self.until(has_stopped, "the server to stop")

    def test_workers_wait_for_a_server_that_stopped_and_go_on_without_a_word(self):
        work = self.tuning.submit(2, SLOW_US)
        workers = self.start_workers()
        self.until_workers(2, work)
        self.fill()
        self.write_until_it_stops()
        self.assertIn("PANIC", self.server.log.read_text())
        self.make_space()
        self.server.start()
        self.assertEqual(self.exit_codes(workers), [0, 0])
        self.assert_all_done(work)


if __name__ == "__main__":
    fixture.main("a server whose disk is full", lacking())
