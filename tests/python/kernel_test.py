"""warptune.kernel: templates launched on the caller's arrays, on the host and over a fake driver."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import warptune
from warptune import _places

MANIFEST = """
name = "scaled"
[sizes]
ROWS = 4
COLUMNS = 8
[variants]
PRECISION = ["float", "double"]
[parameters.BLOCK]
values = [32, 64]
default = 32
[arguments.x]
type = "float"
shape = ["ROWS", "COLUMNS"]
fill = { uniform = [0, 1] }
[arguments.y]
type = "float"
shape = ["ROWS", "COLUMNS"]
role = "output"
tolerance = { relative = 1e-6 }
[arguments.factor]
type = "float"
value = 3.0
[arguments.n]
type = "int32"
value = "ROWS * COLUMNS"
[[launches]]
kernel = "scaled"
grid = "ceildiv(ROWS * COLUMNS, BLOCK)"
block = "BLOCK"
arguments = ["x", "y", "factor", "n"]
[reference]
default_configuration = true
"""
SOURCE = """
extern "C" __global__ void scaled(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scaled")
    (folder / "template.toml").write_text(MANIFEST)
    (folder / "kernel.cu").write_text(SOURCE)
    return folder


@pytest.fixture(scope="module")
def scaled(template):
    return warptune.kernel(template, device="host")


@pytest.fixture
def arrays():
    x = np.arange(35, dtype=np.float32).reshape(5, 7)
    return x, np.zeros_like(x)


def test_results_are_written_where_the_arrays_lie_and_sizes_follow_from_shapes(scaled, arrays):
    x, y = arrays
    scaled(x, y)
    assert (y == 3 * x).all()
    scaled(x, y, 2)
    assert (y == 2 * x).all()
    scaled(x.ravel(), y.ravel(), np.float32(0.5), ROWS=5, COLUMNS=7)
    assert (y == x / 2).all()


def test_arguments_may_be_named_in_any_order(scaled, arrays):
    x, y = arrays
    scaled(factor=4.0, y=y, x=x)
    assert (y == 4 * x).all()


@pytest.mark.parametrize("change, message", [
    (lambda x, y: (x.astype(np.float64), y), "float32"),
    (lambda x, y: (x.T, y.T), "not contiguous"),
    (lambda x, y: (x[:, ::2], y), "not contiguous"),
    (lambda x, y: (x, y[:2]), "14 elements"),
    (lambda x, y: (x,), "y of scaled is missing"),
    (lambda x, y: (x, y, 1.0, 2), "4 were given"),
    (lambda x, y: (x.ravel(), y.ravel()), "size ROWS .* is missing"),
    (lambda x, y: (x, "text"), "gives no address"),
])
def test_what_does_not_fit_is_refused_before_anything_is_launched(scaled, arrays, change, message):
    x, y = arrays
    with pytest.raises((ValueError, TypeError), match=message):
        scaled(*change(x, y))
    assert (y == 0).all()


@pytest.mark.parametrize("size, kind, words", [
    (10.0, TypeError, "the size ROWS is 10.0; expected an integer"), ("10", TypeError, "the size ROWS is '10'"),
    (None, TypeError, "the size ROWS is None"), (np.float32(8), TypeError, "the size ROWS is .*8.0"),
    (2**70, ValueError, "the size ROWS is 1180591620717411303424; expected an integer from 1"),
    (-1, ValueError, "the size ROWS is -1"),
])
def test_a_size_that_is_no_integer_is_named(scaled, arrays, size, kind, words):
    x, y = arrays
    for use in (lambda: scaled(x, y, ROWS=size), lambda: scaled.choice(ROWS=size, COLUMNS=7)):
        with pytest.raises(kind, match=words):
            use()
    scaled(x, y, ROWS=np.int64(5), COLUMNS=np.uint8(7))
    assert (y == 3 * x).all()


def test_a_number_beyond_64_bits_and_bytes_in_the_other_order_are_named(scaled, arrays):
    x, y = arrays
    with pytest.raises(ValueError, match="the argument factor does not fit 64 bits"):
        scaled(x, y, 10**40)
    with pytest.raises(ValueError, match="the argument x: its bytes are in the other order"):
        scaled(x.astype(">f4"), y)


def test_read_only_outputs_and_unknown_names_are_refused(scaled, arrays):
    x, y = arrays
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        scaled(x, y)
    x.flags.writeable = False  # an input may be
    scaled(x, np.zeros_like(x))
    with pytest.raises(ValueError, match="neither an argument nor a size"):
        scaled(x, np.zeros_like(x), SIZE=3)
    with pytest.raises(warptune.UsageError, match="no template"):
        warptune.kernel("no_such_template")


def test_the_tuned_configuration_is_launched(template, arrays, tmp_path):
    session = warptune.tune(template, sizes={"ROWS": 5, "COLUMNS": 7}, device="host", strategy="exhaustive", finals=0,
                            constraints=["BLOCK == 64"], store=tmp_path / "s.db", progress=False)
    assert session.winner is not None
    wisdom = tmp_path / "scaled.wisdom.json"
    subprocess.run([str(_places.program()), "export", "scaled", "--format", "wisdom", "-o", str(wisdom), "--db",
                    str(tmp_path / "s.db")], check=True, capture_output=True)
    tuned = warptune.kernel(template, wisdom=wisdom, device="host")
    assert tuned.choice(ROWS=5, COLUMNS=7)["configuration"] == "BLOCK=64"
    assert tuned.choice(ROWS=5, COLUMNS=7)["source"] == "device"
    assert warptune.kernel(template, device="host").choice(ROWS=5, COLUMNS=7)["source"] == "default"
    x, y = arrays
    tuned.prepare(ROWS=5, COLUMNS=7)
    tuned(x, y)
    assert (y == 3 * x).all()


def test_a_wisdom_file_that_is_none_says_so(template, tmp_path):
    with pytest.raises(warptune.TuningError, match="there is no file .*none.json; `warptune export"):
        warptune.kernel(template, wisdom=tmp_path / "none.json", device="host")
    (tmp_path / "bad.json").write_text("hello")
    with pytest.raises(warptune.TuningError, match="no wisdom file"):
        warptune.kernel(template, wisdom=tmp_path / "bad.json", device="host").choice(ROWS=5, COLUMNS=7)


def test_kernels_that_do_not_compile_say_so(tmp_path, arrays):
    (tmp_path / "template.toml").write_text(MANIFEST)
    (tmp_path / "kernel.cu").write_text(SOURCE.replace("factor *", "factor %%"))
    with pytest.raises(warptune.TuningError, match="error:"):
        warptune.kernel(tmp_path, device="host")(*arrays)


def fake_driver():
    """The folder of the fake driver's library, in the build folder that the package's links lead to."""
    for folder in _places.program().resolve().parents:
        found = folder / "tests/fakes/cuda/libcuda.so.1"
        if found.exists():
            return found
    return None


def test_arrays_of_cupy_and_pytorch_go_to_their_streams_without_a_copy(template, tmp_path):
    driver = fake_driver()
    if driver is None:
        pytest.skip("the fake driver was not built: its tests need CUDA's headers")
    (tmp_path / "lib").symlink_to(driver.parent)
    environment = {**os.environ, "WARPTUNE_CUDA_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).with_name("fake_frameworks.py")), str(driver), str(template)],
                          env=environment, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    for name, stream in (("cupy", 0x51), ("torch", 0x72), ("interface", 0x31), ("given", 0x99)):
        assert seen[name] == {"kernel": "scaled", "x": seen["addresses"][0], "y": seen["addresses"][1], "n": 35, "factor": 3.0,
                              "stream": stream}, name
    assert seen["refused"] == ["the argument x: its elements are float64, the kernel's are float32",
                               "the argument x: the tensor is in the host's memory; call .cuda() beforehand"]
