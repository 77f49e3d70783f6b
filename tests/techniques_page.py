#!/usr/bin/env python3
"""templates/TECHNIQUES.md is what the templates' [techniques] say: checked, or written again.

Usage: techniques_page.py SOURCE_FOLDER [--write]. Made from the manifests, so that the page cannot name a configuration that is not
there; that each is right is tested with the templates (tests/tuner/templates_test.cpp)."""
import pathlib
import sys
import textwrap

try:
    import tomllib
except ImportError:  # before Python 3.11
    sys.exit(77)

LECTURES = {
    "tiling": "Heterogeneous Parallel Programming: thread scheduling, memory and tiling (after Hwu)",
    "memory": "Calcul GPU, the second course: memory and performance (Rouzaud-Cornabas)",
    "notebook": "Parallel computing, the CUDA notebook (Politecnico di Milano)",
    "optimising": "Notes on optimising parallel code (after Kirk & Hwu and ECE 508)",
    "distributed": "Distributed and Parallel Computing (Sexton)",
}
HEAD = """# Techniques

What the lectures teach, and the configuration of a template that shows it. Each line is one
command:

```
warptune run TEMPLATE --technique NAME
```

`--param` changes one of its parameters, `--size` the problem. This page is made from the tables
`[techniques]` of the manifests by `tests/techniques_page.py`; a test compares them, and another
runs every technique.

What a technique does to the accesses of memory stands below the tables: expressions over counts of
this technique and of others, which a test computes. `warptune run TEMPLATE --technique NAME
--device host --count` shows the counts (`MANIFEST.md` says what they are called).

The lectures, by the word that stands for each:

"""


def cell(text):
    return text.replace("|", "\\|")


def configuration(technique):
    parts = [f"{name}={str(value).lower() if isinstance(value, bool) else value}"
             for table in ("variants", "parameters") for name, value in technique.get(table, {}).items()]
    return f"`{', '.join(parts)}`" if parts else "the default"


def effects(technique):
    stated = technique.get("effect", [])
    return [stated] if isinstance(stated, str) else stated


def section(manifest):
    techniques = manifest.get("techniques", {})
    if not techniques:
        return ""
    name = manifest["name"]
    lines = [f"## [{name}]({name}/)\n", "| technique | lecture | configuration | what it does |", "| --- | --- | --- | --- |"]
    for key, technique in techniques.items():
        lines.append(f"| `{key}` | {technique.get('lecture', '')} | {configuration(technique)} | {cell(technique['about'])} |")
    counted = [f"- `{key}`: `{effect}`" for key, technique in techniques.items() for effect in effects(technique)]
    if counted:
        lines += ["", "Counted on the host:", "", *counted]
    return "\n".join(lines) + "\n\n"


def page(root, faults):
    text = HEAD + "".join(
        textwrap.fill(f"- `{word}`: {title}", 100, subsequent_indent="  ") + "\n" for word, title in LECTURES.items()) + "\n"
    for file in sorted((root / "templates").glob("*/template.toml")):
        manifest = tomllib.loads(file.read_text())
        for key, technique in manifest.get("techniques", {}).items():
            for word in filter(None, (part.strip() for part in technique.get("lecture", "").split(","))):
                if word not in LECTURES:
                    faults.append(f"{file}: techniques.{key}: no lecture '{word}'; there are {', '.join(LECTURES)}")
        text += section(manifest)
    return text.rstrip("\n") + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    faults = []
    wanted = page(root, faults)
    file = root / "templates/TECHNIQUES.md"
    if sys.argv[2:] == ["--write"]:
        file.write_text(wanted)
    elif not file.is_file() or file.read_text() != wanted:
        faults.append(f"{file} is not what the manifests say; run {sys.argv[0]} {root} --write")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
