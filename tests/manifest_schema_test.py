"""The JSON Schema of manifests: every template of the library fits it and names it, and wrong manifests do not. That it
has the keys of the reader is tested where it is generated. manifest_schema_test.py SOURCE_FOLDER"""
import copy
import json
import sys
import tomllib
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: ./bootstrap installs it")
    sys.exit(77)

SOURCES = Path(sys.argv[1]).resolve()
SCHEMA = json.loads((SOURCES / "templates/manifest.schema.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

GOOD = tomllib.loads("""
name = "twice"
[sizes]
n = 1000
[parameters.BLOCK]
values = [32, 64]
default = 64
[arguments.x]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
[arguments.y]
type = "float"
shape = ["n"]
role = "output"
tolerance = { absolute = 1e-6 }
[[launches]]
kernel = "twice"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["x", "y"]
[reference]
default_configuration = true
""")


class ManifestSchema(unittest.TestCase):
    def test_is_a_schema_whose_keys_are_described(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

        def undescribed(node, path):
            if isinstance(node, dict):
                for key, value in node.get("properties", {}).items():
                    target = SCHEMA["definitions"][value["$ref"].split("/")[-1]] if "$ref" in value else value
                    if "description" not in target:
                        yield path + "/" + key
                for key, value in node.items():
                    yield from undescribed(value, path + "/" + key)
        self.assertEqual(list(undescribed(SCHEMA, "")), [])

    def test_fits_every_template_and_is_named_in_its_first_line(self):
        manifests = sorted((SOURCES / "templates").glob("*/template.toml"))
        self.assertGreater(len(manifests), 30)
        for manifest in manifests:
            text = manifest.read_text()
            with self.subTest(manifest.parent.name):
                self.assertEqual([error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))], [])
                self.assertEqual(text.splitlines()[0], "#:schema ../manifest.schema.json")

    def refused(self, change):
        manifest = copy.deepcopy(GOOD)
        change(manifest)
        return not VALIDATOR.is_valid(manifest)

    def test_refuses_what_the_reader_refuses(self):
        self.assertFalse(self.refused(lambda m: None))
        wrong = {
            "a key that nobody knows": lambda m: m.update(sizess={}),
            "no name": lambda m: m.pop("name"),
            "a name with a blank": lambda m: m.update(name="my kernel"),
            "no launch": lambda m: m.update(launches=[]),
            "a launch without arguments": lambda m: m["launches"][0].pop("arguments"),
            "a kernel and a copy": lambda m: m["launches"][0].update(copy={"from": "x", "to": "y", "elements": 1}),
            "pages that go nowhere": lambda m: m["launches"].append({"prefetch": {"buffer": "x"}}),
            "pages of nothing": lambda m: m["launches"].append({"touch": {}}),
            "an unknown type": lambda m: m["arguments"]["x"].update(type="float32"),
            "a value and a shape": lambda m: m["arguments"]["x"].update(value=1),
            "an unknown role": lambda m: m["arguments"]["y"].update(role="out"),
            "a fill of one number": lambda m: m["arguments"]["x"].update(fill={"uniform": [1]}),
            "a fill that says nothing": lambda m: m["arguments"]["x"].update(fill={"seed": 1}),
            "two domains": lambda m: m["parameters"]["BLOCK"].update(range=[1, 2]),
            "no default": lambda m: m["parameters"]["BLOCK"].pop("default"),
            "a size of zero": lambda m: m["sizes"].update(n=0),
            "a reference that says nothing": lambda m: m.update(reference={}),
            "a tolerance of another kind": lambda m: m["arguments"]["y"].update(tolerance={"percent": 1}),
            "a backend that is none": lambda m: m.update(backends=["opencl"]),
        }
        for what, change in wrong.items():
            with self.subTest(what):
                self.assertTrue(self.refused(change))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
