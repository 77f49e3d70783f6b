#!/usr/bin/env python3
"""The planted bugs of bench/mutants still fit the templates: the text that each replaces is there, and its configuration names parameters
and values that there are. Usage: planted_bugs_test.py SOURCE_FOLDER"""
import pathlib
import sys

try:
    import tomllib
except ImportError:  # before Python 3.11
    sys.exit(77)


def domain(parameter):
    """The values as they are written in a configuration; nothing where they are given by a rule."""
    values = parameter.get("values")
    return values and {str(value).lower() if isinstance(value, bool) else str(value) for value in values}


def faults_of(bug, folder, manifest):
    # A header of all templates is named as kernels include it.
    files = [folder / bug["file"], folder.parent / "include" / bug["file"]] if "file" in bug else \
        [file for file in folder.iterdir() if file.suffix in (".cu", ".cuh", ".h")]
    files = [file for file in files if file.exists()]
    if not any(bug["search"] in file.read_text() for file in files):
        yield "the text to replace is not there"
    for assignment in filter(None, bug.get("configuration", "").split(",")):
        name, value = (part.strip() for part in assignment.split("="))
        parameter = manifest["parameters"].get(name)
        if parameter is None:
            yield f"there is no parameter {name}"
        elif domain(parameter) and value not in domain(parameter):
            yield f"{value} is not a value of {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    faults, count = [], 0
    for file in sorted((root / "bench/mutants/bugs").glob("*.toml")):
        folder = root / "templates" / file.stem
        manifest = tomllib.loads((folder / "template.toml").read_text())
        for bug in tomllib.loads(file.read_text())["bug"]:
            count += 1
            faults += [f"{file.stem}: {bug['name']}: {fault}" for fault in faults_of(bug, folder, manifest)]
    print("\n".join(faults))
    return 1 if faults or count == 0 else 0


sys.exit(main())
