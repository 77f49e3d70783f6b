"""Where things are on this machine: the program, the templates, CUDA's libraries, the store, the cache.

The engine reads no environment: whoever uses it does. The variables are those of the command line.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from .errors import TuningError, UsageError

PACKAGE = Path(__file__).resolve().parent


def program() -> Path:
    """The command-line program that came with the package; it serves as worker, too."""
    for folder in _package_folders():
        file = folder / "bin" / "warptune"
        if file.exists():
            return file
    raise TuningError(f"the program is missing from the package: there is no {PACKAGE}/bin/warptune; install "
                      "warptune again", "internal")


def _package_folders() -> list[Path]:
    # In a build folder the package's files are links to the sources, and the program lies beside the links.
    import warptune

    return [Path(entry) for entry in warptune.__path__] + [PACKAGE]


def template_folders() -> list[Path]:
    """Where templates are looked for by name, in the command line's order."""
    named = os.environ.get("WARPTUNE_TEMPLATES")
    folders = [Path(named)] if named else []
    folders.append(Path("templates"))
    real = program().resolve().parent
    folders.append(real / "templates")
    folders.extend(sorted(real.parent.glob("share/warptune-*/templates")))
    return [folder for folder in folders if folder.is_dir()]


def find_template(name: str) -> Path:
    """The manifest of a template by its name or its path."""
    import difflib

    path = Path(name)
    if path.is_file():
        return path
    if (path / "template.toml").is_file():
        return path / "template.toml"
    known: list[str] = []
    for folder in template_folders():
        if (folder / name / "template.toml").is_file():
            return folder / name / "template.toml"
        known += sorted(manifest.parent.name for manifest in folder.glob("*/template.toml"))
    near = difflib.get_close_matches(name, known, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise UsageError(f"there is no template '{name}'{hint}; warptune.templates() lists those there are")


def python_toolkits() -> list[Path]:
    """CUDA's toolkit as PyPI's packages bring it (`warptune[cuda13]`), for this interpreter."""
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    roots = [Path(entry) for entry in (spec.submodule_search_locations or [])] if spec else []
    return [root / part for root in roots for part in ("cu13", "cuda_runtime", "cuda_nvrtc") if (root / part).is_dir()]


def toolkits() -> list[Path]:
    folders = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders += [Path(entry) for entry in os.environ.get("WARPTUNE_CUDA_PATH", "").split(":") if entry]
    return folders + python_toolkits()


def backend_options() -> dict[str, Any]:
    folders = toolkits()
    options: dict[str, Any] = {
        "library_directories": [str(folder / lib) for folder in folders for lib in ("lib64", "lib")],
        "cuda_include_directories": [str(folder / "include") for folder in folders if (folder / "include").is_dir()],
    }
    if os.environ.get("CXX"):
        options["host_compiler"] = os.environ["CXX"]
    return options


def _home(variable: str, below: str) -> Path:
    chosen = os.environ.get(variable)
    return Path(chosen) if chosen else Path.home() / below


def default_store() -> Path:
    chosen = os.environ.get("WARPTUNE_DB")
    return Path(chosen) if chosen else _home("XDG_DATA_HOME", ".local/share") / "warptune" / "warptune.db"


def cache_folder() -> Path:
    return _home("XDG_CACHE_HOME", ".cache") / "warptune"


def main() -> None:
    """The command `warptune` of an installed package: the packaged program takes this process's place."""
    environment = dict(os.environ)
    found = os.pathsep.join(str(folder) for folder in python_toolkits())
    if found:
        known = environment.get("WARPTUNE_CUDA_PATH")
        environment["WARPTUNE_CUDA_PATH"] = f"{known}:{found}" if known else found
    file = str(program())
    os.execve(file, [file, *sys.argv[1:]], environment)
