#!/usr/bin/env python3
"""A kernel of one's own, tuned from Python: python3 scale.py [DEVICE]"""
import sys

import numpy as np

import warptune

SOURCE = """
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  const int first = (blockIdx.x * BLOCK + threadIdx.x) * EACH;
  for (int i = first; i < first + EACH && i < n; ++i) y[i] = factor * x[i];
}"""


def main():
    x = np.random.default_rng(1).random(1 << 16, dtype=np.float32)
    session = warptune.tune(
        SOURCE,
        parameters={"BLOCK": [64, 128, 256, 512], "EACH": [1, 2, 4]},
        constraints=[lambda c: c.BLOCK * c.EACH <= 1024],
        arguments={"x": x, "y": warptune.output(x), "factor": 2.0, "n": x.size},
        grid="ceildiv(n, BLOCK * EACH)",
        block="BLOCK",
        reference=lambda x, y, factor, n: factor * x,
        metrics={"GB/s": lambda c: 8 * c.n / c.time / 1e9},
        budget=["30s", 6],
        device=sys.argv[1] if len(sys.argv) > 1 else "",
        store=":memory:",
    )
    print(session.report())
    print("in the source:", ", ".join(f"{name}={value}" for name, value in session.best.configuration.items()))


if __name__ == "__main__":
    main()
