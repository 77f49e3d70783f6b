"""Every case of bench/vendor/cases.py speaks of a problem and a metric that its templates have, and of a case that the vendor
program has.  vendor_cases_test.py SOURCE_FOLDER      ends with code 77, skipped, if all that is wrong is that a template
is not in the tree, or that this Python (before 3.11) reads no TOML."""
import re
import sys
from pathlib import Path

try:
    import tomllib
except ImportError:
    print("SKIPPED: this Python has no tomllib")
    sys.exit(77)

sources = Path(sys.argv[1])
sys.path.insert(0, str(sources / "bench/vendor"))
from cases import CASES  # noqa: E402  its folder is only known now
from torch_cases import CASES as TORCH_CASES  # noqa: E402

# Names are written whole, or begin there and end in a number or a word that the program appends.
texts = "".join(file.read_text() for file in (sources / "bench/vendor").glob("*.cu"))
vendor_names = set(re.findall(r'"((?:cub|cublas|cublaslt|cusparse|cudnn|copy|empty_kernel|read|meet|conv|image)_\w*)"', texts))


torch_names = {case.name for case in TORCH_CASES}


def vendor_has(name: str) -> bool:
    if name.startswith("torch_"):
        return name in torch_names
    bare = name.removeprefix("cudnn_")
    return name == "fp32 peak" or bare in vendor_names or any(
        known.endswith("_") and name.startswith(known) for known in vendor_names - {"cudnn_"})


def complaints(case, manifest: dict) -> list[str]:
    found = []
    if case.metric not in manifest["metrics"]:
        found.append(f"has no metric '{case.metric}'")
    if case.problem.startswith("preset "):
        if case.problem.removeprefix("preset ") not in manifest["presets"]:
            found.append(f"has no {case.problem}")
        return found
    for assignment in case.problem.split(","):
        name, value = assignment.split("=")
        size = manifest["sizes"].get(name)
        variant = manifest.get("variants", {}).get(name)
        if variant is not None:
            if value not in [str(known).lower() if isinstance(known, bool) else str(known) for known in variant]:
                found.append(f"has no {name}={value}")
        elif size is None:
            found.append(f"has no size or variant {name}")
        elif isinstance(size, dict) and int(value) > size.get("most", int(value)):
            found.append(f"takes {name} up to {size['most']} only")
    return found


failures, missing = [], []
if len({case.name for case in CASES}) != len(CASES):
    failures.append("two cases have one name")
for case in CASES:
    if not vendor_has(case.vendor):
        failures.append(f"{case.name}: the vendor program has no {case.vendor}")
    for template in case.templates.split():
        file = sources / "templates" / template / "template.toml"
        if file.exists():
            failures += [f"{case.name}: {template} {what}" for what in complaints(case, tomllib.loads(file.read_text()))]
        else:
            missing.append(f"SKIPPED {case.name}: there is no template {template}")
print("\n".join(failures + missing) or f"{len(CASES)} cases")
sys.exit(1 if failures else 77 if missing else 0)
