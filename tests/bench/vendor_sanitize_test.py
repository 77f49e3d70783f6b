"""bench/vendor/sanitize.py with a warptune and a compute-sanitizer that say what the test wants.
vendor_sanitize_test.py SOURCE_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES = Path(sys.argv[1])


class VendorSanitize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "templates/twice").mkdir(parents=True)
        (self.folder / "templates/twice/template.toml").write_text(
            '[presets.host]\nROWS = 3\n[presets.large]\nROWS = 9\nPRECISION = "half"\n')
        winner = {"template": "twice", "configuration": "BLOCK_SIZE=64"}
        result = {"case": "twice 8192", "problem": "--size ROWS=8192,OTHER=7 --variant PRECISION=half",
                  "winners": [winner, winner]}
        (self.folder / "results.jsonl").write_text(json.dumps(result) + "\n")

    def program(self, name: str, text: str) -> None:
        file = self.folder / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.folder}/asked\n{text}\n')
        file.chmod(0o755)

    def sanitize(self, warptune: str, sanitizer: str = 'shift 2\n"$@"\necho "ERROR SUMMARY: 0 errors"',
                 *options: str) -> subprocess.CompletedProcess:
        self.program("warptune", warptune)
        self.program("compute-sanitizer", sanitizer)
        command = [sys.executable, "-B", SOURCES / "bench/vendor/sanitize.py", self.folder / "warptune", "--results",
                   self.folder, "--templates", self.folder / "templates", "--tool", "memcheck", "--jobs", "1", *options]
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True)

    def asked(self) -> list[str]:
        return [line for line in (self.folder / "asked").read_text().splitlines() if line.startswith("warptune")]

    def test_each_winner_and_default_runs_once_at_a_small_size(self):
        run = self.sanitize('echo "outcome   correct"')
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("memcheck: 2 clean", run.stdout)
        winner, default = self.asked()
        self.assertIn("--configuration BLOCK_SIZE=64 --variant=PRECISION=half --preset host --size ROWS=5", winner)
        self.assertNotIn("--configuration", default)

    def test_a_size_that_a_configuration_cannot_have_becomes_that_of_the_preset(self):
        run = self.sanitize('case "$*" in *--size*) echo "error: twice forbids it" ; exit 2 ;; esac\n'
                            'echo "outcome   correct"')
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(len(self.asked()), 3)

    def test_a_preset_of_the_table_gives_its_sizes_and_variants(self):
        result = {"case": "twice", "problem": "--preset large",
                  "winners": [{"template": "twice", "configuration": "BLOCK_SIZE=64"}]}
        (self.folder / "results.jsonl").write_text(json.dumps(result) + "\n")
        self.sanitize('echo "outcome   correct"', 'shift 2\n"$@"\necho "ERROR SUMMARY: 0 errors"', "--only", "twice$")
        self.assertIn("--variant=PRECISION=half --preset host --size ROWS=5", self.asked()[0])

    def test_what_the_sanitizer_finds_fails_and_is_shown(self):
        run = self.sanitize('echo "outcome   correct"',
                            'shift 2\n"$@"\necho "Invalid read"; echo "ERROR SUMMARY: 2 errors"')
        self.assertEqual(run.returncode, 1)
        self.assertIn("memcheck: twice 8192 (twice): found", run.stdout)
        self.assertIn("Invalid read", run.stdout)

    def test_a_wrong_result_and_a_run_too_long_fail(self):
        wrong = self.sanitize('echo "outcome   wrong result"')
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("2 failed", wrong.stdout)
        late = self.sanitize("exec sleep 60", 'shift 2\nexec "$@"', "--timeout", "0.2", "--only", "default")
        self.assertEqual(late.returncode, 1)
        self.assertIn("1 timeout", late.stdout)

    def test_no_case_of_the_name_is_no_success(self):
        self.assertEqual(self.sanitize('echo "outcome   correct"', "true", "--only", "nothing").returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
