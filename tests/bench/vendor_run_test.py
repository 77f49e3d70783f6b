"""bench/vendor/run.py on the host backend, with a vendor that says the same of everything.
vendor_run_test.py SOURCE_FOLDER WARPTUNE"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES, WARPTUNE = Path(sys.argv[1]), sys.argv[2]


class VendorRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.vendor = self.folder / "vendor"
        self.says("0.001 GB/s best")

    def says(self, figure: str) -> None:
        self.vendor.write_text(f'#!/bin/sh\nfor name; do :; done; echo "$name {figure}" | tee -a {self.folder}/asked\n')
        self.vendor.chmod(0o755)

    def bench(self, *options: str) -> subprocess.CompletedProcess:
        command = [SOURCES / "bench/vendor/run.py", WARPTUNE, self.vendor, "--device", "host", "--sizes", "host",
                   "--only", "^copy", "--total-seconds", "4", "--long-setup", "1000", "--out", self.folder / "out", *options]
        environment = os.environ | {"WARPTUNE_TEMPLATES": str(SOURCES / "templates"),
                                    "XDG_CACHE_HOME": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def results(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "out/results.jsonl").read_text().splitlines()]

    def test_winner_and_vendor_take_turns_with_as_many_samples_and_not_again(self):
        run = self.bench()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| copy 2^30, GB/s |", run.stdout)
        (result,) = self.results()
        self.assertGreater(result["winner"]["value"], 0)
        self.assertGreater(result["winner"]["trials"], 0)
        self.assertEqual(result["vendor"], 0.001)
        self.assertEqual(len(result["rounds"]["winner"]), 3)
        self.assertTrue(all(one["samples"] > 0 for one in result["rounds"]["winner"]))
        self.assertEqual((self.folder / "asked").read_text().split("\n")[:2], ["copy_1073741824 0.001 GB/s best"] * 2)
        self.assertEqual(self.bench().stdout, run.stdout)
        self.assertEqual(len(self.results()), 1)

    def test_what_fails_is_skipped_loudly_and_tried_again(self):
        self.says("0.001 Gkeys/s best")
        run = self.bench()
        self.assertEqual(run.returncode, 3)
        self.assertIn("*** SKIPPED copy 2^30", run.stderr)
        self.assertIn("SKIPPED: copy_1073741824 is in Gkeys/s", run.stdout)
        self.says("0.001 GB/s best")
        self.assertEqual(self.bench().returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
