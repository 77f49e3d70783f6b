#!/usr/bin/env python3
"""The planted bugs still fit their templates: every template has some, the text that each replaces is there exactly once,
and its configuration names parameters and values that there are. Usage: planted_bugs_test.py SOURCE_FOLDER"""
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
    name = bug.get("file", "kernel.cu")
    file = next((file for file in (folder / name, folder.parent / "include" / name) if file.exists()), None)
    times = file.read_text().count(bug["search"]) if file else 0
    if times != 1:
        yield f"the text to replace is {times} times in {name}"
    for assignment in filter(None, bug.get("configuration", "").split(",")):
        name, value = (part.strip() for part in assignment.split("="))
        parameter = manifest["parameters"].get(name)
        if parameter is None:
            yield f"there is no parameter {name}"
        elif domain(parameter) and value not in domain(parameter):
            yield f"{value} is not a value of {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    manifests = sorted((root / "templates").glob("*/template.toml"))
    faults = [f"{manifest.parent.name}: there is no bugs.toml" for manifest in manifests
              if not (manifest.parent / "bugs.toml").exists()]
    files = sorted((root / "templates").glob("*/bugs.toml"))
    for file in files:
        folder = file.parent
        manifest = tomllib.loads((folder / "template.toml").read_text())
        for bug in tomllib.loads(file.read_text())["bug"]:
            faults += [f"{folder.name}: {bug['name']}: {fault}" for fault in faults_of(bug, folder, manifest)]
    print("\n".join(faults))
    return 1 if faults or not files else 0


sys.exit(main())
