"""bench/vendor/run.py on the host backend, with a vendor and a PyTorch that say the same of everything.
vendor_run_test.py SOURCE_FOLDER WARPTUNE"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES, WARPTUNE = Path(sys.argv[1]), sys.argv[2]

THREE = "^rms_norm 524288x128 (float|half|bfloat16)$"


class VendorRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.cache.cleanup)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.vendor = self.folder / "vendor"
        self.says("0.001 GB/s best")

    def says(self, figure: str) -> None:
        self.vendor.write_text(f'#!/bin/sh\nfor name; do :; done; echo "$name {figure}" | tee -a {self.folder}/asked\n')
        self.vendor.chmod(0o755)

    def torch(self, says: str) -> Path:
        """A Python that does not know what it is asked to run: it answers every line, and notes each of its starts."""
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\necho start >>{self.folder}/starts\n'
                          f'while read -r name samples; do {says}; done\n')
        python.chmod(0o755)
        return python

    def bench(self, *options: str) -> subprocess.CompletedProcess:
        command = [SOURCES / "bench/vendor/run.py", WARPTUNE, self.vendor, "--device", "host", "--sizes", "host",
                   "--only", "^copy", "--total-seconds", "2", "--long-setup", "1000",
                   "--fewest-trials", "1", "--out", self.folder / "out", *options]
        environment = os.environ | {"WARPTUNE_TEMPLATES": str(SOURCES / "templates"),
                                    "XDG_CACHE_HOME": self.cache.name, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def results(self, out: str = "out") -> list[dict]:
        return [json.loads(line) for line in (self.folder / out / "results.jsonl").read_text().splitlines()]

    def test_winner_and_vendor_take_turns_with_as_many_samples_and_not_again(self):
        run = self.bench()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| copy 2^30, GB/s |", run.stdout)
        (result,) = self.results()
        self.assertGreater(result["winner"]["value"], 0)
        self.assertGreater(result["winner"]["trials"], 0)
        self.assertEqual(result["vendor"], 0.001)
        self.assertEqual(len(result["rounds"]["winner"]), 3)
        self.assertEqual([one["samples"] for one in result["rounds"]["winner"]], [25] * 3)
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

    def test_cases_of_one_problem_share_a_tuning_and_a_measurement(self):
        torch = self.torch('echo "$name 0.001 GB/s eager:$samples"')
        run = self.bench("--only", "^rms_norm 524288x128 (float|of copy)$", "--torch", str(torch), "--rounds", "1")
        self.assertEqual(run.returncode, 0, run.stderr)
        first, second = self.results()
        self.assertEqual([first["vendor_case"], second["vendor_case"]], ["torch_rms_norm_524288x128_float", "copy_67108864"])
        self.assertEqual([first["tuned_for"], second["tuned_for"]], [first["case"]] * 2)
        self.assertEqual(first["winners"], second["winners"])
        self.assertEqual(first["rounds"]["winner"][-1], second["rounds"]["winner"][0])
        self.assertNotEqual(*second["rounds"]["winner"])
        self.assertEqual(first["rounds"]["vendor"][0]["note"], f"eager:{first['rounds']['winner'][0]['samples']}")

    def test_a_later_run_takes_the_winner_that_an_earlier_one_stored(self):
        torch = self.torch('echo "$name 0.001 GB/s eager:1"')
        only = ["--torch", str(torch), "--rounds", "1", "--only"]
        self.assertEqual(self.bench(*only, "^rms_norm 524288x128 float$").returncode, 0)
        self.assertEqual(self.bench(*only, "^rms_norm 524288x128 of copy$").returncode, 0)
        first, second = self.results()
        self.assertEqual(second["tuned_for"], first["case"])
        self.assertEqual(second["winners"], first["winners"])

    def test_one_process_has_all_cases_of_pytorch(self):
        torch = self.torch('echo "$name 0.001 GB/s eager:1"')
        run = self.bench("--only", THREE, "--torch", str(torch), "--rounds", "1", "--total-seconds", "2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.folder / "starts").read_text(), "start\n")

    def test_where_pytorch_dies_its_case_is_skipped_and_the_next_one_has_a_new_process(self):
        torch = self.torch('case $name in *_float) exit 3;; *_half) echo "error out of memory"; exit 1;; '
                           '*) echo "$name 0.001 GB/s eager:1";; esac')
        run = self.bench("--only", THREE, "--torch", str(torch), "--rounds", "1", "--total-seconds", "2")
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("SKIPPED rms_norm 524288x128 float: torch_rms_norm_524288x128_float: its process ended", run.stderr)
        self.assertIn("SKIPPED rms_norm 524288x128 half: torch_rms_norm_524288x128_half: out of memory", run.stderr)
        self.assertEqual([result["case"] for result in self.results() if "vendor" in result], ["rms_norm 524288x128 bfloat16"])

    def test_what_is_short_of_its_target_is_tuned_further(self):
        self.says("1000000 GB/s best")
        only = ["--only", "^(copy 2.30|stencil1d of copy)$", "--rounds", "1", "--total-seconds", "2"]
        self.assertEqual(self.bench(*only).returncode, 0)
        run = self.bench(*only, "--again", "short")
        self.assertEqual(run.returncode, 0, run.stderr)
        before, after = [one for one in self.results() if one["case"] == "stencil1d of copy"]
        self.assertEqual([one["case"] for one in self.results()].count("copy 2^30"), 1)  # it has no target
        self.assertGreaterEqual(after["seconds"], before["seconds"] + 2)
        self.assertGreaterEqual(after["winner"]["trials"], before["winner"]["trials"])

    def test_what_was_tuned_for_less_than_its_seconds_is_tuned_again_and_nothing_else(self):
        only = ["--only", "^(copy 2.30|stencil1d of copy)$", "--rounds", "1", "--total-seconds", "2"]
        self.assertEqual(self.bench(*only).returncode, 0)
        first, second = self.results()
        (self.folder / "out/results.jsonl").write_text(json.dumps(first | {"seconds": 60}) + "\n" + json.dumps(second) + "\n")
        run = self.bench(*only, "--again", "brief")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([one["case"] for one in self.results()], [first["case"], second["case"], second["case"]])

    def test_a_search_from_the_winner_of_its_own_device_lasts_for_what_that_one_lacks(self):
        only = ["--only", "^stencil1d of copy$", "--rounds", "1", "--total-seconds"]
        self.assertEqual(self.bench(*only, "1").returncode, 0)
        (earlier,) = self.results()
        (winner,) = earlier["winners"]
        winner["configuration"] = re.sub("BLOCK_SIZE=[0-9]+", "BLOCK_SIZE=512", winner["configuration"])  # not the default
        folder = self.folder / "out"
        for device, lacks in [(earlier["device"], 2), ("another", 3)]:
            (folder / "results.jsonl").write_text(json.dumps(earlier | {"seconds": 1, "device": device}) + "\n")
            out = self.folder / device
            run = self.bench(*only, "3", "--again", "brief", "--also", folder, "--begin-from", folder, "--out", out)
            self.assertIn(f"1 cases, up to {lacks} s of tuning", run.stderr)
            self.assertEqual([one["seconds"] for one in self.results(device)], [3])

    def test_searches_begin_from_the_winners_of_earlier_results(self):
        self.bench()
        (earlier,) = self.results()
        (winner,) = earlier["winners"]
        self.assertFalse(winner["from_earlier"])
        winner["configuration"] = re.sub("BLOCK_SIZE=[0-9]+", "BLOCK_SIZE=512", winner["configuration"])
        winner["configuration"] = re.sub(",[A-Z_]+=[^,]+$", "", winner["configuration"])  # as before the template had it
        (self.folder / "out/results.jsonl").write_text(json.dumps(earlier) + "\n")
        later = self.folder / "later"
        run = self.bench("--begin-from", self.folder / "out", "--out", later)
        self.assertIn("1 earlier session to begin from", run.stderr)
        store = [WARPTUNE, "show", "1", "--db", later / "bench.db", "--format", "json"]
        shown = json.loads(subprocess.run(store, capture_output=True, check=True).stdout)
        self.assertEqual([trial["settled"]["time_ms"] for trial in shown["trials"]], [winner["ms"], winner["default_ms"]])
        self.assertEqual(shown["trials"][0]["configuration"]["BLOCK_SIZE"], 512)
        self.assertEqual(*(trial["configuration"].keys() for trial in shown["trials"]))
        self.assertTrue(self.results("later")[0]["winner"]["from_earlier"])

    def test_what_is_measured_again_keeps_its_winner(self):
        self.assertEqual(self.bench().returncode, 0)
        self.says("0.002 GB/s best")
        self.assertEqual(self.bench("--again", "measured").returncode, 0)
        before, after = self.results()
        self.assertEqual([after["winners"], after["seconds"]], [before["winners"], before["seconds"]])
        self.assertEqual([before["vendor"], after["vendor"]], [0.001, 0.002])

    def test_a_tuning_that_setting_up_has_used_up_goes_on(self):
        run = self.bench("--total-seconds", "0.5", "--fewest-trials", "20")
        self.assertEqual(run.returncode, 0, run.stderr)
        (result,) = self.results()
        self.assertTrue(result["winner"]["trials"] >= 20 or result["seconds"] == 0.5 + 1 + 2, result)
        self.assertGreater(result["seconds"], 0.5)

    def test_no_case_begins_that_would_end_too_late(self):
        run = self.bench("--stop-after", "1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1 cases are left, from copy 2^30 on", run.stderr)
        self.assertFalse((self.folder / "out/results.jsonl").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
