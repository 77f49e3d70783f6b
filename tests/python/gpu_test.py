"""On a GPU, with CuPy and PyTorch as far as they are there: arrays in its memory, launches on its streams, kernels that fault.

Skipped where there is no GPU; bench/python/on_gpu.py runs these with all others from an installed wheel."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import warptune
from conftest import TWICE, Twice
from warptune import _places
from warptune.kernel_tuner.kernelbuilder import PythonKernel

GPU = "cuda:0"
README = pathlib.Path(__file__).parents[2] / "python" / "README.md"


@pytest.fixture(scope="module", autouse=True)
def gpu():
    if not any(device["backend"] == "cuda" for device in warptune.devices()):
        pytest.skip("there is no GPU")


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.spin = self.cupy.RawKernel('extern "C" __global__ void spin(long long n) {\n'
                                        "  for (const long long end = clock64() + n; clock64() < end;) {}\n}", "spin")

    def array(self, values):
        return self.cupy.asarray(values)

    def values(self, array):
        return array.get()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def inside(self, stream):
        return stream

    def keep_busy(self):
        self.spin((1,), (1,), (200_000_000,))

    def synchronize(self, stream):
        stream.synchronize()


class PyTorch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")

    def array(self, values):
        return self.torch.from_numpy(values).cuda()

    def values(self, tensor):
        return tensor.cpu().numpy()

    def stream(self):
        return self.torch.cuda.Stream()

    def inside(self, stream):
        return self.torch.cuda.stream(stream)

    def keep_busy(self):
        self.torch.cuda._sleep(200_000_000)

    def synchronize(self, stream):
        stream.synchronize()


@pytest.fixture(params=[CuPy, PyTorch])
def framework(request):
    return request.param()


def outcomes(session):
    return {trial.configuration["BLOCK"]: trial.outcome for trial in session}


RIGHT = {32: "correct", 64: "correct", 128: "correct"}


def test_arrays_in_its_memory_are_read_and_left_as_they_were(framework, twice):
    x, y = framework.array(twice.x), framework.array(np.full_like(twice.x, 7))
    expected = framework.array(2 * twice.x)
    assert outcomes(twice.tune(arguments=[x, y, 1000], reference=expected, device=GPU)) == RIGHT
    assert (framework.values(y) == 7).all() and (framework.values(x) == twice.x).all()
    wrong = twice.tune(arguments=[x, y, 1000], reference=x, device=GPU)
    assert set(outcomes(wrong).values()) == {"wrong_result"}


def test_a_kernel_writes_where_the_arrays_lie(framework):
    add = warptune.kernel("vector_add")
    values = np.arange(100_003, dtype=np.float32)
    a, b, c = framework.array(values), framework.array(values + 1), framework.array(np.zeros_like(values))
    add(a, b, c)
    assert (framework.values(c) == 2 * values + 1).all()
    with pytest.raises(ValueError, match="float32"):
        add(framework.array(values.astype(np.float64)), b, c)


def test_kernel_tuners_callable_writes_where_the_arrays_lie(framework):
    source = "__global__ void triple(float* y, const float* x, int n) { int i = blockIdx.x * block_size_x + threadIdx.x; " \
             "if (i < n) y[i] = 3 * x[i]; }"
    x = np.arange(1000, dtype=np.float32)
    given = [framework.array(np.zeros_like(x)), framework.array(x), np.int32(x.size)]
    triple = PythonKernel("triple", source, x.size, given, {"block_size_x": 64})
    triple(*given)
    assert (framework.values(given[0]) == 3 * x).all() and (framework.values(given[1]) == x).all()


def test_a_kernel_waits_in_the_current_stream(framework):
    add = warptune.kernel("vector_add")
    a, b, c = (framework.array(np.zeros(1 << 20, np.float32)) for _ in range(3))
    add.prepare(SIZE=1 << 20)
    add(a, b, c)  # loaded: what follows is launches alone
    for given in (False, True):
        framework.values(a)  # everything before has ended
        stream = framework.stream()
        with framework.inside(stream):
            framework.keep_busy()
            a += 3
            if not given:
                add(a, b, c)
        if given:
            add(a, b, c, stream=stream)
        framework.synchronize(stream)
        assert (framework.values(c) == (6 if given else 3)).all()


def test_the_operation_of_pytorch_that_the_readme_shows(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    session = warptune.tune("vector_add", sizes={"SIZE": 1 << 20}, budget=5, device=GPU, store=tmp_path / "s.db", progress=False)
    assert session.winner is not None
    monkeypatch.chdir(tmp_path)
    subprocess.run([str(_places.program()), "export", "vector_add", "--format", "wisdom", "-o", "vector_add.wisdom.json", "--db",
                    "s.db"], check=True, capture_output=True)
    shown = re.findall(r"^```python\n(import torch.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    assert len(shown) == 1
    (tmp_path / "shown.py").write_text(shown[0])  # torch reads the source of what it is given
    monkeypatch.syspath_prepend(tmp_path)
    import shown as operation

    assert operation.add.choice(SIZE=1 << 20)["source"] == "device"
    a, b = (torch.rand(1 << 20, device="cuda") for _ in range(2))
    assert torch.equal(operation.tuned_add(a, b), a + b)
    compiled = torch.compile(lambda x, y: 2 * operation.tuned_add(x, y), backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(a, b), 2 * (a + b))


def test_two_sessions_on_one_gpu():
    sessions = [Twice(n).tune(device=GPU, wait=False) for n in (500, 700)]
    assert [outcomes(session) for session in sessions] == [RIGHT, RIGHT]


@pytest.mark.parametrize("fault, outcome", [
    ("*(volatile int*)8 = 1", ("crash", "launch_error")), ("asm volatile(\"trap;\")", ("crash", "launch_error")),
    ("while (true) y[0] = clock64()", ("timeout",)),
])
def test_a_kernel_that_faults_costs_one_trial(fault, outcome, twice):
    source = TWICE.replace("if (i < n)", f"if (BLOCK == 64) {{ {fault}; }}\n  if (i < n)")
    found = outcomes(twice.tune(source=source, device=GPU, measuring={"kernel_timeout": 2}))
    assert found.pop(64) in outcome and found == {32: "correct", 128: "correct"}
    framework = CuPy()
    assert (framework.values(framework.array(twice.x) * 2) == 2 * twice.x).all()  # this process's context is as it was


FAULTING = """
import sys
import cupy, warptune
a, b, c = (cupy.zeros(1 << 16, cupy.float32) for _ in range(3))
kernel = warptune.kernel(sys.argv[1])
kernel(a)
try:
    cupy.cuda.runtime.deviceSynchronize()
except cupy.cuda.runtime.CUDARuntimeError as error:
    print("told:", error, flush=True)
try:
    kernel(a)
except warptune.TuningError as error:
    print("refused:", error, flush=True)
session = warptune.tune("vector_add", sizes={"SIZE": 5000}, constraints=["BLOCK_SIZE == 64"], budget=2, device="cuda:0",
                        finals=0, store=":memory:", progress=False)
print("tuned:", session.best.correct, flush=True)
"""
MANIFEST = """
name = "faulting"
[sizes]
SIZE = 65536
[parameters.BLOCK]
values = [64]
default = 64
[arguments.a]
type = "float"
shape = ["SIZE"]
role = "output"
[[launches]]
kernel = "faulting"
grid = 1
block = "BLOCK"
arguments = ["a"]
[reference]
default_configuration = true
"""


def test_a_fault_in_the_callers_context_is_an_exception_and_sessions_go_on(tmp_path):
    pytest.importorskip("cupy")
    (tmp_path / "template.toml").write_text(MANIFEST)
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void faulting(float* a) { *(volatile int*)8 = BLOCK; }\n')
    done = subprocess.run([sys.executable, "-c", FAULTING, str(tmp_path)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["told", "refused", "tuned"], done.stderr
    assert done.stdout.splitlines()[-1] == "tuned: True"
    assert done.returncode >= 0, f"ended by signal {-done.returncode}"


JUDGED = """
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = BODY;
}
"""


def test_judging_with_arrays_in_its_memory(framework):
    n = 1 << 20
    x = np.random.default_rng(1).random(n, np.float32)
    call = dict(inputs={"x": framework.array(x), "y": framework.array(np.zeros_like(x)), "n": n}, grid="ceildiv(n, 256)",
                block=256, device=GPU, seconds=2)
    right = JUDGED.replace("BODY", "2 * x[i]")
    wrong = warptune.judge(JUDGED.replace("BODY", "x[i] < 0.5f ? 2 * x[i] : 0"), framework.array(2 * x), **call)
    assert wrong.verdict == "incorrect" and wrong.failures[0]["outcome"] == "wrong_result"
    assert warptune.judge(right, lambda x, y, n: 2 * x, **call).verdict == "right"
    slow = JUDGED.replace("BODY", "0; for (int k = 0; i < n && k < 300; ++k) y[i] = 2 * x[i] + sinf(k + x[i]) * 1e-30f")
    judged = warptune.judge(right, slow, **call)
    assert judged.verdict == "faster" and judged.interval[0] > 1
    crashed = warptune.judge(JUDGED.replace("BODY", "*(volatile float*)8"), right, **call)
    assert crashed.verdict == "incorrect", crashed


def test_scripts_for_kernel_tuner_take_its_arrays(framework):
    from warptune.kernel_tuner import run_kernel, tune_kernel

    source = """__global__ void vector_add(float *c, float *a, float *b, int n) {
        int i = blockIdx.x * block_size_x + threadIdx.x;
        if (i < n) c[i] = a[i] + b[i] + (block_size_x == 96 ? 1 : 0);
    }"""
    a = np.arange(1000, dtype=np.float32)
    arguments = [framework.array(np.zeros_like(a)), framework.array(a), framework.array(a + 1), np.int32(1000)]
    left = run_kernel("vector_add", source, 1000, arguments, {"block_size_x": 64})
    assert np.array_equal(left[0], 2 * a + 1)
    results, env = tune_kernel("vector_add", source, 1000, arguments, {"block_size_x": [64, 96]},
                               answer=[2 * a + 1, None, None, None], quiet=True)
    assert {result["block_size_x"]: "__error__" in result for result in results} == {64: False, 96: True}
    assert "NVIDIA" in env["device_name"]
