"""warptune.judge: kernels of the caller's against functions and kernels, on the host backend."""
import numpy as np
import pytest

import warptune

TWICE = """
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = BODY;
}
"""
RIGHT, WRONG = TWICE.replace("BODY", "x[i] + x[i]"), TWICE.replace("BODY", "x[i] < 0.5f ? 2 * x[i] : 0")


def inputs(rng, n=1000):
    return {"x": rng.random(n, np.float32), "y": np.zeros(n, np.float32), "n": n}


def judge(candidate, reference, **changes):
    call = dict(inputs=inputs, grid="ceildiv(n, 256)", block=256, device="host", seconds=0, draws=1)
    return warptune.judge(candidate, reference, **{**call, **changes})


def test_a_function_says_what_is_right():
    right = judge(RIGHT, lambda x, y, n: 2 * x)
    assert (right.verdict, right.correct, right.speed_up, right.fast_enough) == ("right", True, None, None)
    wrong = judge(WRONG, lambda x, y, n: 2 * x)
    assert wrong.verdict == "incorrect" and not wrong.correct
    assert wrong.failures[0]["outcome"] == "wrong_result" and "y[" in wrong.reason


def test_every_set_of_inputs_is_a_case():
    small = {"x": np.linspace(0.1, 0.3, 10, dtype=np.float32), "y": np.zeros(10, np.float32), "n": 10}
    large = {**small, "x": np.linspace(0.7, 0.9, 10, dtype=np.float32)}
    judged = judge(WRONG, lambda x, y, n: 2 * x, inputs=[small, large])
    assert [each["outcome"] for each in judged.cases] == ["correct", "wrong_result"]


def test_functions_for_grids_may_give_any_integer():
    def blocks(c):
        return int(np.ceil(c.n / 256))

    assert judge(RIGHT, lambda x, y, n: 2 * x, grid=blocks).verdict == "right"
    assert judge(RIGHT, RIGHT, grid=blocks).correct
    with pytest.raises(warptune.UsageError, match="the grid .* reads n, which has no single value"):
        judge(RIGHT, RIGHT, grid=blocks, inputs=[inputs(np.random.default_rng(0), n) for n in (1000, 2000)])


def test_against_a_kernel_times_are_compared(tmp_path):
    slow = TWICE.replace("BODY", "0; for (int k = 0; i < n && k < 300; ++k) y[i] = 2 * x[i] + sinf(k + x[i]) * 1e-30f")
    source = tmp_path / "mine.cu"
    source.write_text(RIGHT)
    judged = judge(source, slow, seconds=4, block=128, grid=lambda c: -(-c.n // 128), reference_grid="ceildiv(n, 64)",
                   reference_block=64)
    assert judged.verdict == "faster" and judged.speed_up > 1
    assert judged.comparisons[0]["reference_ms"] > judged.comparisons[0]["candidate_ms"]
    assert judge(WRONG, RIGHT).verdict == "incorrect"


def test_files_and_templates_describe_their_inputs_themselves(tmp_path):
    for name, text in (("old.cu", RIGHT), ("new.cu", RIGHT.replace("if (i < n) ", ""))):
        (tmp_path / name).write_text(text)
    judged = warptune.judge(tmp_path / "new.cu", tmp_path / "old.cu", sizes=[{"n": 256}], input_sets=["zeros"], device="host",
                            seconds=0)
    # Zeros make all outputs zero, which cannot tell right from wrong.
    assert [each["outcome"] for each in judged.cases] == [None, "wrong_result", "wrong_result", "wrong_result"]
    assert str(judged).startswith("incorrect: It fails in 3 of 3 cases")


def test_calls_that_cannot_be_meant_are_refused():
    with pytest.raises(warptune.UsageError, match="inputs= is missing"):
        warptune.judge(RIGHT, RIGHT)
    with pytest.raises(warptune.UsageError, match="reference= is missing"):
        judge(RIGHT, None)
    with pytest.raises(warptune.UsageError, match="sizes="):
        judge(RIGHT, RIGHT, sizes=[{"n": 4}])
    with pytest.raises(warptune.TuningError, match="cannot take the place"):
        judge(RIGHT, RIGHT.replace("int n", "long n"))
