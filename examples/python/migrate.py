#!/usr/bin/env python3
"""A script for Kernel Tuner on Warptune: only the import is another."""
import numpy

from warptune.kernel_tuner import tune_kernel

SOURCE = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""


def main():
    size = 100000
    a = numpy.random.randn(size).astype(numpy.float32)
    b = numpy.random.randn(size).astype(numpy.float32)
    arguments = [numpy.zeros_like(b), a, b, numpy.int32(size)]
    parameters = {"block_size_x": [128 + 64 * i for i in range(4)]}
    results, env = tune_kernel("vector_add", SOURCE, size, arguments, parameters, answer=[a + b, None, None, None],
                               metrics={"GFLOP/s": lambda p: size / 1e6 / p["time"]})
    print(env["device_name"], len(results), "configurations, the best:", env["best_config"]["block_size_x"])


if __name__ == "__main__":
    main()
