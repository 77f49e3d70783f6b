"""What the tests of the Python package share: small kernels on the host backend, a store and a cache of their own."""
import os

import numpy as np
import pytest

TWICE = """
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + (BLOCK == WRONG ? 1 : 0);
}
"""
# One sample each: these tests are about what is found out, and not about times.
QUICK = {"min_samples": 1, "max_samples": 1}


@pytest.fixture(scope="session", autouse=True)
def folders(tmp_path_factory):
    """Machine code is compiled once for all tests; nothing is written to the user's own folders."""
    base = tmp_path_factory.mktemp("warptune")
    os.environ["WARPTUNE_DB"] = str(base / "warptune.db")
    os.environ["XDG_CACHE_HOME"] = str(base / "cache")
    return base


class Twice:
    """The call that tunes `twice`, to be changed by each test."""

    def __init__(self, n=1000):
        self.x = np.arange(n, dtype=np.float32)
        self.call = dict(
            parameters={"BLOCK": [32, 64, 128], "WRONG": [0]}, arguments=[self.x, np.zeros_like(self.x), n],
            grid="ceildiv(n, BLOCK)", block="BLOCK", reference=2 * self.x, device="host", strategy="exhaustive",
            finals=0, measuring=QUICK, store=":memory:", progress=False)

    def tune(self, **changes):
        import warptune

        return warptune.tune(changes.pop("source", TWICE), **{**self.call, **changes})


@pytest.fixture
def twice():
    return Twice()
