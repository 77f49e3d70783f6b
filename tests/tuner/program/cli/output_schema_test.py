"""Every verb's `--format json` is a document of tuner/results/report/output.schema.json, and its figures are those of one session.
output_schema_test.py SOURCE_FOLDER WARPTUNE"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: ./bootstrap installs it")
    sys.exit(77)

SOURCES, WARPTUNE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCHEMA = json.loads((SOURCES / "tuner/results/report/output.schema.json").read_text())

MANIFEST = """
name = "doubling"
[sizes]
n = 20000
[parameters.BLOCK]
values = [32, 64, 128]
default = 64
[parameters.FAST]
values = [false, true]
default = false
[parameters.MODE]
values = ["good", "wrong"]
default = "good"
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
[[launches]]
kernel = "doubling"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["in", "out", "count"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
[work]
flops = "n"
bytes = "8 * n"
[metrics]
"GB/s" = { value = "8 * n / time / 1e9" }
"""
KERNEL = """
#define good 0
#define wrong 1
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) out[i] = MODE == wrong ? 3 * in[i] : 2 * in[i];
  volatile float spent = 0;
  if (!FAST)
    for (int k = 0; k < 20; ++k) spent = spent + 1;
}
"""
REFERENCE = """
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0 * in[i];
}
"""


class Output(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        for name, text in (("template.toml", MANIFEST), ("kernel.cu", KERNEL), ("reference.cu", REFERENCE)):
            (cls.folder / name).write_text(text)
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith("WARPTUNE")}
        cls.environment |= {"WARPTUNE_DB": str(cls.folder / "s.db"), "XDG_CACHE_HOME": str(cls.folder / "cache")}
        cls.tuned = cls.document("tune", str(cls.folder), "--device", "host", "--strategy", "exhaustive", "--precision", "0.05",
                                 "--race", "0", "--finals", "4")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    @classmethod
    def run_program(cls, *arguments, codes=(0,), folder=None):
        done = subprocess.run([WARPTUNE, *map(str, arguments)], env=cls.environment, cwd=folder or cls.folder, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
        assert done.returncode in codes, (arguments, done.returncode, done.stderr)
        return done

    @classmethod
    def document(cls, verb, *arguments, codes=(0,)):
        text = cls.run_program(verb, *arguments, "--format", "json", codes=codes).stdout
        document = json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(f"{name} is no JSON")))
        # Under the definitions of this verb alone, so that a fault is named where it is.
        wanted = [name for name, one in SCHEMA["$defs"].items()
                  if name.startswith("verb_") and one["properties"]["verb"]["const"] == verb]
        faults = []
        for name in wanted:
            checker = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
            faults.append([f"{'/'.join(map(str, error.path))}: {error.message}" for error in checker.iter_errors(document)])
        assert [] in faults, (verb, arguments, min(faults, key=len))
        return document

    def assert_close(self, one, other):
        """An objective of time is computed from it, which costs the last bit."""
        self.assertAlmostEqual(one / other, 1, places=12)

    def test_a_tuned_session_says_everything_that_was_found(self):
        found = self.tuned
        self.assertEqual(found["session"]["key"]["kernel"], "doubling")
        self.assertEqual(found["session"]["key"]["problem_size"], {"n": 20000})
        self.assertEqual(found["default"]["configuration"], {"BLOCK": 64, "FAST": False, "MODE": "good"})
        self.assertEqual([failure["outcome"] for failure in found["failures"]], ["wrong_result"])
        self.assertEqual(found["failures"][0]["count"], 6)
        self.assertTrue(found["finals"])
        self.assertAlmostEqual(found["speed_up"], found["default"]["time_ms"] / found["winner"]["time_ms"])

    def test_a_run_on_the_host_tells_its_accesses(self):
        counted = self.document("run", str(self.folder), "--device", "host", "--count")
        (launch,) = counted["launches"]
        self.assertEqual(launch["counts"]["global_stores"], 20000)
        self.assertEqual(counted["outcome"], "correct")
        checked = self.document("run", str(self.folder), "--device", "host", "--sanitize")
        self.assertEqual((checked["findings"], checked["launches"]), ([], []))

    def test_a_run_has_its_time(self):
        done = self.document("run", str(self.folder), "--device", "host")
        self.assertGreater(done["search"]["time_ms"], 0)

    def test_a_counted_run_has_counters_and_its_time(self):
        counted = self.document("run", str(self.folder), "--device", "host", "--counters")
        self.assertEqual(counted["counters"]["values"]["global_stores"], 20000)
        self.assertIsNone(counted["counters"]["failure"])
        self.assertGreater(counted["search"]["time_ms"], 0)

    def test_a_judged_kernel_has_cases_a_verdict_and_a_reason(self):
        (self.folder / "mine.cu").write_text(
            'extern "C" __global__ void mine(const float* in, float* out, int n) {\n'
            '  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] + in[i];\n}\n')
        options = ("mine.cu", "--against", self.folder, "--device", "host", "--exact-sizes", "--inputs", "random,zeros", "--draws", "1")
        judged = self.document("judge", *options, codes=(0, 8))
        # Of zeros, all outputs are zero: that case can tell nothing.
        self.assertEqual([one["outcome"] for one in judged["cases"]], ["correct", None])
        self.assertEqual(judged["comparisons"][0]["speed_up"], judged["speed_up"])
        wrong = self.document("judge", *options, "--grid", "1", codes=(6,))
        self.assertEqual((wrong["verdict"], wrong["speed_up"]), ("incorrect", None))

    def test_the_guide_to_the_command_line_is_its_help(self):
        text = self.run_program("help", "--json").stdout
        guide = json.loads(text)
        checker = jsonschema.Draft202012Validator({"$ref": "#/$defs/verb_help", "$defs": SCHEMA["$defs"]})
        self.assertEqual([error.message for error in checker.iter_errors(guide)], [])
        verbs = {verb["name"]: verb for verb in guide["verbs"]}
        for name, verb in verbs.items():
            shown = self.run_program("help", *name.split()).stdout
            for option in verb["options"]:
                self.assertIn(option["name"], shown, name)
        self.assertNotIn("worker", verbs)
        self.assertEqual(set(verbs["best"]["formats"]), {"table", "json", "csv"})
        documented = (SOURCES / "tuner/program/cli/README.md").read_text()
        for code in guide["exit_codes"]:
            self.assertRegex(documented, rf"(?m)^\| {code['code']} \|")
        budget = next(option for option in verbs["tune"]["options"] if option["name"] == "--budget")
        self.assertTrue(budget["repeatable"])
        precision = next(option for option in verbs["tune"]["options"] if option["name"] == "--precision")
        self.assertEqual((precision["type"], precision["default"], precision["value"]), ("number", "0.01", "FRACTION"))
        self.assertLess(precision["minimum"], precision["maximum"])
        self.assertEqual(json.loads(self.run_program("help", "cache", "stats", "--json").stdout)["verbs"], [verbs["cache stats"]])

    def test_all_outputs_show_one_settled_time_of_the_winner(self):
        winner, session = self.tuned["winner"], self.tuned["session"]["session"]
        finalist = next(one for one in self.tuned["finals"] if one["trial"] == winner["trial"])
        self.assertTrue(winner["finals"])
        wanted = (finalist["time_ms"], finalist["relative_error"], self.tuned["speed_up"])
        (best,) = self.document("best")["winners"]
        self.assertEqual((best["time_ms"], best["relative_error"], best["speed_up"]), wanted)
        shown = self.document("show", session)
        self.assertEqual((shown["winner"]["time_ms"], shown["winner"]["relative_error"], shown["speed_up"]), wanted)
        trial = next(one for one in shown["trials"] if one["trial"] == winner["trial"])
        self.assertEqual(trial["settled"]["time_ms"], wanted[0])
        self.assertNotEqual(trial["search"]["time_ms"], wanted[0])
        (exported,) = self.document("export", "doubling")["winners"]
        self.assertEqual((exported["time_ms"], exported["relative_error"]), wanted[:2])
        self.assert_close(exported["gain"], wanted[2])
        self.assertEqual(exported["metrics"], winner["metrics"])
        (listed,) = self.document("history")["sessions"]
        self.assertEqual((listed["time_ms"], listed["speed_up"]), (wanted[0], wanted[2]))
        wisdom = json.loads(self.run_program("export", "doubling", "--format", "wisdom").stdout)["entries"][0]
        self.assertEqual((wisdom["time_ms"], wisdom["relative_error"], wisdom["gain"]), (*wanted[:2], exported["gain"]))
        header = self.run_program("export", "doubling").stdout
        self.assertIn(", ".join(map(repr, (*wanted[:2], exported["gain"]))), header)
        (checked, *_) = self.document("check", "--keep", "--tolerance", "1000", "--runners-up", "0")["checks"]
        self.assert_close(checked["recorded"], wanted[0])
        (size,) = self.document("select", "doubling", "--kernels", "1")["sizes"]
        self.assert_close(size["value"], wanted[0])
        self.assert_close(size["best"], wanted[0])

    def test_every_other_verb_prints_its_document(self):
        trial = self.tuned["winner"]["trial"]
        self.assertEqual(self.document("show", "--trial", trial)["trial"]["configuration"], self.tuned["winner"]["configuration"])
        self.document("devices")
        self.assertIn("host", self.document("doctor")["usable"])
        space = self.document("space", self.folder, "--device", "host")
        self.assertEqual((space["valid"], space["parameters"][1]["values"]), (12, [False, True]))
        listed = self.document("space", self.folder, "--device", "host", "--list")["configurations"]
        self.assertEqual(listed[0], {"BLOCK": 32, "FAST": False, "MODE": "good"})
        self.document("strategies")
        self.assertIn("vector_add", [one["template"] for one in self.document("templates")["templates"]])
        described = self.document("templates", self.folder)["template"]
        self.assertEqual(described["parameters"][0], {"parameter": "BLOCK", "about": None, "values": [32, 64, 128], "default": 64})
        self.document("cache", "stats")
        (group,) = self.document("history", "--group-by", "kernel,month")["groups"]
        self.assertEqual(group["kernel"], "doubling")
        self.run_program("export", "doubling", "--format", "t4", "-o", "doubling.json")
        other = self.folder / "other.db"
        self.run_program("import", "doubling.json", "--db", other)
        self.document("merge", other, "--dry-run")
        self.document("gc", "--dry-run")
        self.document("compare", "--spaces", "doubling.json", "--strategies", "random", "--repeats", "2", "--p-replicates", "0")
        self.document("diff", 1, 1)
        (self.folder / "sizes.txt").write_text("n=20000\nn=10000\n")
        sizes = self.document("tune", self.folder, "--device", "host", "--sizes", "sizes.txt", "--budget", "4", "--finals", "0",
                              "--db", self.folder / "sizes.db")["sizes"]
        self.assertEqual(sizes[1]["problem_size"], {"n": 10000})
        differences = self.document("diff", 1, 2, "--db", self.folder / "sizes.db")["differences"]
        self.assertEqual(next(one["second"] for one in differences if one["item"] == "size"), {"n": 10000})
        for verb, rows in (("select", "sizes"), ("export", "winners")):
            self.assertEqual(self.document(verb, "doubling", "--size", "n=7", codes=(6,))[rows], [])
        (self.folder / "changed").mkdir()
        for name, text in (("template.toml", MANIFEST), ("kernel.cu", KERNEL + "// new\n"), ("reference.cu", REFERENCE)):
            (self.folder / "changed" / name).write_text(text)
        (again,) = self.document("revalidate", "--template", self.folder / "changed", "--top", "2", "--db", self.folder / "sizes.db",
                                 "--size", "n=10000")["sessions"]
        self.assertEqual(again["problem_size"], {"n": 10000})

    def test_a_session_is_explained_with_its_devices_roofs(self):
        unknown = self.document("explain", "doubling")["explanation"]
        self.assertIsNone(unknown["winner"]["attainment"])
        self.assertIn("measure_roofs", [one["kind"] for one in unknown["advice"]])
        roofs = self.document("roofs", "--device", "host")["roofs"]
        self.assertEqual([one["roof"] for one in roofs], ["dram", "l2", "shared", "fp32", "fp64"])
        self.assertTrue(all(one["value"] > 0 for one in roofs))
        self.assertEqual(self.document("roofs", "--device", "host")["roofs"], roofs)  # kept, not measured again
        document = self.document("explain", "doubling")
        explained, winner = document["explanation"], self.tuned["winner"]
        self.assertEqual(document["winner"], winner)
        rates = {one["roof"]: one["rate"] for one in explained["winner"]["attainment"]["roofs"]}
        self.assertAlmostEqual(rates["fp32"] / (20000 / winner["time_ms"] * 1e3), 1, places=9)
        (launch,) = explained["winner"]["launches"]
        self.assertEqual(launch["threads_per_block"], winner["configuration"]["BLOCK"])
        self.assertEqual(launch["grid"], [-(-20000 // launch["threads_per_block"]), 1, 1])
        changes = {one["parameter"]: one for one in explained["single_changes"]}
        self.assertEqual([one["state"] for one in changes["MODE"]["others"]], ["failed"])
        self.assertEqual([one["state"] for one in changes["BLOCK"]["others"]], ["measured", "measured"])
        self.assertEqual(explained["progress"]["trials"], 12)
        slow = next(one for one in self.document("show", 1)["trials"]
                    if one["configuration"] == {**winner["configuration"], "FAST": not winner["configuration"]["FAST"]})
        trial = self.document("explain", "--trial", slow["trial"])["trial"]
        self.assertEqual([one["parameter"] for one in trial["differences"]], ["FAST"])
        self.assertEqual(trial["differences"][0]["alone"], trial["slower_by"])
        shown = self.document("show", "--trial", winner["trial"])
        self.assertEqual(shown["attainment"], explained["winner"]["attainment"])
        self.assertEqual(shown["trial"]["work"], {"flops": 20000, "bytes": 160000, "arithmetic": "fp32"})

    def test_a_trial_is_done_again_from_any_folder(self):
        trial = self.tuned["winner"]["trial"]
        with tempfile.TemporaryDirectory() as elsewhere:
            done = self.run_program("run", "--trial", trial, folder=elsewhere)
            self.assertRegex(done.stdout, r"outcome +correct")
            command = self.run_program("show", "--trial", trial, "--replay", folder=elsewhere).stdout
            done = subprocess.run(["sh", "-c", command.replace("warptune", f"'{WARPTUNE}'", 1)], cwd=elsewhere, text=True,
                                  env=self.environment, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_default_of_a_header_is_the_templates_or_what_was_measured_as_such(self):
        wanted = 'make_default() { return {64, false, "good"}; }'
        with tempfile.TemporaryDirectory() as elsewhere:
            self.assertIn(wanted, self.run_program("export", "doubling", folder=elsewhere).stdout)
            (self.folder / "template.toml").rename(self.folder / "moved.toml")
            try:
                self.assertIn(wanted, self.run_program("export", "doubling", folder=elsewhere).stdout)
            finally:
                (self.folder / "moved.toml").rename(self.folder / "template.toml")

    def test_without_a_home_there_is_a_remedy_and_no_folder(self):
        environment = {name: value for name, value in self.environment.items()
                       if name not in ("HOME", "WARPTUNE_DB", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        with tempfile.TemporaryDirectory() as elsewhere:
            for arguments, remedy in ((["history"], "--db"), (["cache", "stats"], "XDG_CACHE_HOME")):
                done = subprocess.run([WARPTUNE, *arguments], env=environment, cwd=elsewhere, text=True, capture_output=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("HOME is not set", done.stderr)
                self.assertIn(remedy, done.stderr)
            self.assertEqual(os.listdir(elsewhere), [])
            self.assertEqual(subprocess.run([WARPTUNE, "--version"], env=environment, capture_output=True).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
