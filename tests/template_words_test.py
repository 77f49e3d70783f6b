#!/usr/bin/env python3
"""Every parameter of the library's templates has one of the glossary's names (templates/README.md, "Parameter names") or an `about` that defines
it, none has a retired name, and the page lists every template. Usage: template_words_test.py SOURCE_FOLDER"""
import pathlib
import re
import sys

try:
    import tomllib
except ImportError:  # before Python 3.11
    sys.exit(77)

# What several templates called by several names, and the glossary by one.
RETIRED = {"BLOCK", "BLOCK_X", "BLOCK_Y", "BLOCK_Z", "BLOCK_M", "BLOCK_N", "BLOCK_K", "THREAD_M", "THREAD_N", "ITEMS", "COARSEN",
           "VOXELS", "BODIES", "POINTS", "PIXELS", "ROWS_PER_THREAD", "METHOD", "PATH", "PADDED", "LOOKS", "SWEEP", "A_SKEW", "SPLITS",
           "VECTOR", "WORD", "MIN_BLOCKS", "ACCESS", "GROUP_M", "SLICES_K"}


def glossary(page):
    """The words that begin a table row under the heading "Parameter names"."""
    section = page.split("\n## Parameter names\n", 1)[1].split("\n## ", 1)[0]
    return {word for row in re.findall(r"^\|([^|]*)\|", section, re.M) for word in re.findall(r"`([A-Z0-9_]+)`", row)}


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "templates/README.md").read_text()
    words = glossary(page)
    faults = ["the glossary has no words"] if len(words) < 10 else []
    for file in sorted((root / "templates").glob("*/template.toml")):
        if f"| [{file.parent.name}]({file.parent.name}/) |" not in page:
            faults.append(f"{file}: templates/README.md does not list it")
        if not (file.parent / "README.md").is_file():
            faults.append(f"{file.parent} has no README.md")
        for name, parameter in tomllib.loads(file.read_text())["parameters"].items():
            if name in RETIRED:
                faults.append(f"{file}: {name} is a retired name; see Parameter names in templates/README.md")
            elif name not in words and not parameter.get("about"):
                faults.append(f"{file}: {name} is not in the glossary and has no `about`")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
