#!/usr/bin/env python3
"""Checks the include direction of the layers (tuner -> db -> search) and of the rooms of tuner/, that no folders
include each other in a cycle, that a backend includes no other backend, that SQL stays in db/, and that no folder holds
more than 28 source files. Usage: layers_test.py SOURCE_FOLDER"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
allowed = {"search": {"search"}, "db": {"db", "search"}, "tuner": {"tuner", "db", "search"}}
# The rooms of tuner/, lowest first: each includes itself and those before it. The order within a room is CMake's.
tuner_rooms = ["system", "device", "kernel", "measure", "session", "results", "library", "program"]
sql = re.compile(r"\b(SELECT\s+.+\s+FROM|INSERT\s+(OR\s+\w+\s+)?INTO|CREATE\s+TABLE)\b", re.S)
most_files = 28
faults = []
folders = {}  # folder -> the folders that it includes


def room_of(path):
    """The place among tuner_rooms of a file of tuner/; None for any other file."""
    parts = path.split("/")
    inside = parts[0] == "tuner" and len(parts) > 2 and parts[1] in tuner_rooms
    return tuner_rooms.index(parts[1]) if inside else None


def cycle_from(folder, path=()):
    """The folders of one include cycle through `folder`, or nothing."""
    if folder in path:
        return path[path.index(folder):]
    for included in sorted(folders.get(folder, ())):
        found = cycle_from(included, (*path, folder))
        if found:
            return found
    return ()


checked, files_in = 0, collections.Counter()
for layer, layers in allowed.items():
    for file in sorted((root / layer).rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        checked += 1
        files_in[str(file.parent.relative_to(root))] += 1
        text = file.read_text()
        name = file.relative_to(root)
        for included in re.findall(r'#include "([^"]+)"', text):
            target = included.split("/")[0]
            if target in allowed and target not in layers:
                faults.append(f"{name} includes {included}: {layer} may only include {', '.join(sorted(layers))}")
            if target in allowed:
                here, there = str(name.parent), str(pathlib.PurePosixPath(included).parent)
                if here != there:
                    folders.setdefault(here, set()).add(there)
                if layer == "tuner" and target == "tuner":
                    place, its_place = room_of(str(name)), room_of(included)
                    if place is None:
                        faults.append(f"{name} is in no room of tuner/: {', '.join(tuner_rooms)}")
                    elif its_place is None or its_place > place:
                        faults.append(f"{name} includes {included}: a room of tuner/ includes only those before it")
            backend = re.match(r"tuner/device/backends/(\w+)/", str(name))
            other = re.match(r"tuner/device/backends/(\w+)/", included)
            if backend and other and backend[1] != other[1]:
                faults.append(f"{name} includes {included}: a backend never includes another")
        if layer != "db" and sql.search(text):
            faults.append(f"{name} holds SQL: only db/ may")
for folder in sorted(folders):
    cycle = cycle_from(folder)
    if cycle:
        faults.append(f"folders include each other: {' -> '.join((*cycle, cycle[0]))}")
        break
faults += [f"{folder} holds {count} source files: at most {most_files}" for folder, count in files_in.items() if count > most_files]
print("\n".join(faults) or f"{checked} files, no fault")
sys.exit(bool(faults) or checked < 50)
