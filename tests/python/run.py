#!/usr/bin/env python3
"""Runs the tests of the Python package with the interpreter that its extension was built for; says loudly if it cannot.

    run.py PACKAGE_FOLDER [pytest's arguments]     PACKAGE_FOLDER holds warptune/ with the built extension"""
import importlib.util
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path("none")
    if not any((folder / "warptune").glob("_native*.so")):
        print("SKIPPED: the Python extension was not built; configure with -DWARPTUNE_PYTHON=ON and nanobind 3.1, or use "
              "./bootstrap test all")
        return SKIPPED
    missing = [name for name in ("pytest", "numpy") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"SKIPPED: {sys.executable} has no {' and no '.join(missing)}; ./bootstrap test all installs them")
        return SKIPPED
    environment = {**os.environ, "PYTHONPATH": str(folder.resolve()), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "python_files=*_test.py",
                           str(pathlib.Path(__file__).parent), *sys.argv[2:]], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
