"""The examples run as they stand, and say what they promise."""
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("example, words", [("scale.py", "in the source: BLOCK="), ("migrate.py", "configurations, the best:")])
def test_an_example_runs(example, words, tmp_path):
    environment = {**os.environ, "WARPTUNE_DB": str(tmp_path / "store.db")}
    arguments = ["host"] if example == "scale.py" else []
    done = subprocess.run([sys.executable, str(EXAMPLES / example), *arguments], capture_output=True, text=True, cwd=tmp_path,
                          env=environment)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
