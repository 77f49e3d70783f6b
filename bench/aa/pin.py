#!/usr/bin/env python3
"""Copies a kernel template so that one configuration is left, under many names.

pin.py TEMPLATE COPY NAMES [PARAMETER=VALUE ...]

Every parameter gets one value, the one given or its default; a new parameter SAME, which the kernel does not look at,
has NAMES values.
"""
import pathlib
import shutil
import sys
import tomllib


def literal(value):
    return f"'{value}'" if isinstance(value, str) else str(int(value)) if isinstance(value, bool) else str(value)


def main(template, copy, names, *given):
    shutil.copytree(template, copy, dirs_exist_ok=True)
    manifest = pathlib.Path(copy) / "template.toml"
    text = manifest.read_text()
    wanted = dict(item.split("=", 1) for item in given)
    pins = []
    for name, parameter in tomllib.loads(text)["parameters"].items():
        value = parameter["default"]
        if name in wanted:
            value = type(value)(wanted[name])
        pins.append(f'"{name} == {literal(value)}",')
    if "constraints = [" in text:
        text = text.replace("constraints = [", "constraints = [\n  " + "\n  ".join(pins), 1)
    else:
        text = "constraints = [" + "\n".join(pins) + "]\n" + text
    manifest.write_text(text + f"\n[parameters.SAME]\nrange = [1, {names}]\ndefault = 1\nunused = true\n")


main(*sys.argv[1:])
