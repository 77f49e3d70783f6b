#!/usr/bin/env python3
"""Builds the site: puts its sources together, then runs Doxygen and Sphinx. Every warning is an error.

    docs/build.py --program build/quick/warptune --output build/docs [--builder html|linkcheck]

Each fact has one home. Pages of the tree's folders are taken into the site by MyST's include directive, help texts come from the
program itself, the API from the public headers. Sphinx reads a copy of this folder in which these stand, because links in an included
page are meant from its own place. Exit code 77: Sphinx, MyST, Breathe or Doxygen is missing (./bootstrap docs installs them)."""
import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import built_links  # noqa: E402
import site_pages  # noqa: E402

SKIPPED = 77


def missing():
    """The Debian packages that are not installed."""
    modules = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser", "breathe": "python3-breathe", "furo": "furo"}
    found = [package for module, package in modules.items() if not importlib.util.find_spec(module)]
    return found + ([] if shutil.which("doxygen") else ["doxygen"])


def published_headers(folder):
    """The headers as programs see them; returns their folder."""
    for component in ("runtime", "tuner"):
        subprocess.run(["cmake", f"-DWARPTUNE_SOURCE={ROOT}", f"-DFOLDER={folder / component}", f"-DCOMPONENT={component}", "-P",
                        ROOT / "tuner/package/headers.cmake"], check=True)
        shutil.copytree(folder / component, folder / "all", dirs_exist_ok=True)
    return folder / "all"


def api_xml(output):
    """Runs Doxygen on the published headers; returns the folder of its XML."""
    shutil.rmtree(output, ignore_errors=True)
    headers = published_headers(output / "headers")
    values = {"HEADERS": headers, "PYTHON": sys.executable, "FILTER": HERE / "api_comments.py", "OUTPUT": output}
    settings = re.sub(r"@(\w+)@", lambda match: str(values[match[1]]), (HERE / "Doxyfile.in").read_text())
    (output / "Doxyfile").write_text(settings)
    said = subprocess.run(["doxygen", output / "Doxyfile"], capture_output=True, text=True)
    if said.returncode or said.stderr.strip():
        sys.exit(f"doxygen:\n{said.stderr}")
    return output / "xml"


def version():
    return re.search(r"VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text().split("project(", 1)[1])[1]


def debians_python():
    """Debian's modules are Debian's Python's; another one may come first on the path."""
    python = "/usr/bin/python3"
    if missing() and os.path.exists(python) and not os.path.samefile(python, sys.executable):
        os.execv(python, [python, *sys.argv])


def python_package(program):
    """The folder of the Python package that was built with a program, for pages that are notebooks; None, said aloud, if they cannot
    be run."""
    folder = program.parent / "python"
    needed = {"nbclient": "python3-nbclient", "nbformat": "python3-nbformat", "ipykernel": "python3-ipykernel", "numpy": "python3-numpy"}
    lacking = [package for module, package in needed.items() if not importlib.util.find_spec(module)]
    if not (folder / "warptune").is_dir():
        lacking.append(f"{folder}/warptune (configure with -DWARPTUNE_PYTHON=ON)")
    if not lacking:
        return folder
    print(f"NOT RUN: the notebooks' cells stand without what they show, for {', '.join(lacking)} is missing")
    return None


def main():
    options = argparse.ArgumentParser(description="Builds the site.")
    options.add_argument("--program", required=True, type=pathlib.Path, help="a warptune, which is asked for its help texts")
    options.add_argument("--output", required=True, type=pathlib.Path, help="a folder, made if it is not there")
    options.add_argument("--builder", default="html", choices=["html", "linkcheck"])
    arguments = options.parse_args()
    debians_python()
    if missing():
        print(f"SKIPPED: the site is not built, for {', '.join(missing())} is not installed; ./bootstrap docs installs it")
        return SKIPPED

    output = arguments.output.resolve()
    xml = api_xml(output / "api")
    program = arguments.program.resolve()
    site_pages.write(output / "source", program, xml, python_package(program))
    environment = dict(os.environ, WARPTUNE_DOCS_XML=str(xml), WARPTUNE_DOCS_VERSION=version())
    strict = ["-W", "--keep-going"] if arguments.builder == "html" else []
    built = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", arguments.builder, *strict, "-d", output / "doctrees",
                            output / "source", output / arguments.builder], env=environment)
    if arguments.builder != "html" or built.returncode:
        return built.returncode
    dead = built_links.dead_links(output / "html")
    print("\n".join(f"dead link: {link}" for link in dead) or f"the site is {output / 'html/index.html'}")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
