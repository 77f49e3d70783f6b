"""The package as a whole: its stubs are the extension's, its types hold, its program and templates are found."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import warptune
from warptune import _places
from warptune._session import Findings, Winner

PACKAGE = pathlib.Path(_places.__file__).resolve().parent


def test_the_stub_is_what_the_extension_has(tmp_path):
    pytest.importorskip("nanobind.stubgen")
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the committed stub is written with CPython 3.11, and others spell types differently")
    made = tmp_path / "_native.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "warptune._native", "-o", str(made)], check=True)
    assert made.read_text() == (PACKAGE / "_native.pyi").read_text(), \
        f"write it anew: python -m nanobind.stubgen -m warptune._native -o {PACKAGE}/_native.pyi"


def test_the_types_hold():
    pytest.importorskip("mypy")
    if not (PACKAGE.parent / "pyproject.toml").exists():
        pytest.skip("this is an installed package, without its sources")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull], cwd=PACKAGE.parent,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_public_name_is_there_and_explained():
    for name in warptune.__all__:
        assert getattr(warptune, name).__doc__, name
    with pytest.raises(AttributeError, match="no_such_name"):
        warptune.no_such_name


def test_the_program_of_the_package_runs_with_pythons_toolkit():
    code = "import sys; sys.argv = ['warptune', 'templates', '--format', 'csv']; import warptune._places as p; p.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.search(r"^gemm,", done.stdout, re.M)


def test_the_package_is_the_command_too():
    done = subprocess.run([sys.executable, "-m", "warptune", "templates", "--format", "csv"], capture_output=True, text=True, check=True)
    assert re.search(r"^gemm,", done.stdout, re.M)


def test_toolkits_of_pythons_packages_are_found(tmp_path):
    (tmp_path / "nvidia/cu13/include").mkdir(parents=True)
    (tmp_path / "nvidia/cu13/lib").mkdir()
    code = ("import sys; sys.path.insert(0, sys.argv[1]); import warptune._places as p; o = p.backend_options(); "
            "print([l for l in o['library_directories'] + o['cuda_include_directories'] if sys.argv[1] in l])")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert f"{tmp_path}/nvidia/cu13/lib'" in done.stdout and f"{tmp_path}/nvidia/cu13/include'" in done.stdout


def test_the_commands_store_is_the_packages(twice_session):
    done = subprocess.run([str(_places.program()), "show", "--format", "json", str(twice_session.id)], capture_output=True,
                          text=True, check=True)
    assert '"kernel": "twice"' in done.stdout


@pytest.fixture
def twice_session():
    from conftest import Twice

    return Twice().tune(store=None)


def test_luck_is_no_speed_up():
    document = {"session": {"maximised": []}, "trials": [], "separable": False, "gain": 1.9}
    for metrics, text in (({}, "0.1 ms"), ({"GB/s": 5.0}, "GB/s = 5")):
        found = type("Found", (Findings,), {"_objective": next(iter(metrics), "time")})(document)
        told = found._headline(Winner({"BLOCK": 64}, 0.1, 0.05, metrics, 1.9, []))
        assert told.startswith(text) and told.endswith(", not separable from the default")
        found._document = document | {"separable": True}
        assert "1.90 times" in found._headline(Winner({"BLOCK": 64}, 0.1, 0.05, metrics, 1.9, []))
