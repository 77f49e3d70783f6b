#!/usr/bin/env python3
"""Checks the include direction of the layers (tuner -> db -> search), that a backend includes no other backend, and that SQL
stays in db/. Usage: layers_test.py SOURCE_FOLDER"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {"search": {"search"}, "db": {"db", "search"}, "tuner": {"tuner", "db", "search"}}
sql = re.compile(r"\b(SELECT\s+.+\s+FROM|INSERT\s+(OR\s+\w+\s+)?INTO|CREATE\s+TABLE)\b", re.S)
faults = []
checked = 0
for layer, layers in allowed.items():
    for file in sorted((root / layer).rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        checked += 1
        text = file.read_text()
        name = file.relative_to(root)
        for included in re.findall(r'#include "([^"]+)"', text):
            target = included.split("/")[0]
            if target in allowed and target not in layers:
                faults.append(f"{name} includes {included}: {layer} may only include {', '.join(sorted(layers))}")
            backend = re.match(r"tuner/backends/(\w+)/", str(name))
            other = re.match(r"tuner/backends/(\w+)/", included)
            if backend and other and backend[1] != other[1]:
                faults.append(f"{name} includes {included}: a backend never includes another")
        if layer != "db" and sql.search(text):
            faults.append(f"{name} holds SQL: only db/ may")
print("\n".join(faults) or f"{checked} files, no fault")
sys.exit(bool(faults) or checked < 50)
