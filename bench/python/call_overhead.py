#!/usr/bin/env python3
"""What a call of warptune.kernel costs beyond a raw launch from Python: medians in microseconds, on a GPU with CuPy, and PyTorch if
it is there.

    PYTHONPATH=build/release/python python3 bench/python/call_overhead.py [--calls 20000] [--rounds 15] [--json FILE]

The kernel is vector_add at 1024 elements, so that the device is never what is waited for. A raw launch is cupy.RawKernel with its
arguments made beforehand, as fast as CuPy has it. Rounds alternate between the ways, each of them is a batch of calls; the time of
a call is the median over the rounds of a batch's time by its calls. The claim to defend: at most 5 us more than the raw launch."""
import argparse
import json
import pathlib
import statistics
import time

RAW = """extern "C" __global__ void vector_add(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}"""
SIZE = 1024


def ways(cupy, warptune):
    a, b, c = (cupy.zeros(SIZE, cupy.float32) for _ in range(3))
    raw, given = cupy.RawKernel(RAW, "vector_add"), (a, b, c, cupy.int64(SIZE))
    add = warptune.kernel("vector_add")
    stream = cupy.cuda.get_current_stream()
    made = {"cupy.RawKernel": lambda: raw((4,), (256,), given),
            "warptune, CuPy's arrays": lambda: add(a, b, c),
            "the same, size and stream given": lambda: add(a, b, c, SIZE=SIZE, stream=stream.ptr)}
    try:
        import torch
    except ImportError:
        return made
    x, y, z = (torch.zeros(SIZE, device="cuda") for _ in range(3))
    made["torch.add(out=)"] = lambda: torch.add(x, y, out=z)
    made["warptune, PyTorch's tensors"] = lambda: add(x, y, z)
    return made


def batch_us(call, calls, synchronize):
    synchronize()
    begin = time.perf_counter()
    for i in range(calls):
        call()
        if i % 256 == 255:  # a full queue would make the launch wait
            synchronize_outside = time.perf_counter()
            synchronize()
            begin += time.perf_counter() - synchronize_outside
    return (time.perf_counter() - begin) / calls * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    import cupy
    import warptune

    all_ways = ways(cupy, warptune)
    synchronize = cupy.cuda.runtime.deviceSynchronize
    for call in all_ways.values():  # compiles
        for _ in range(100):
            call()
    times = {name: [] for name in all_ways}
    for _ in range(options.rounds):
        for name, call in all_ways.items():
            times[name].append(batch_us(call, options.calls // options.rounds, synchronize))
    raw = statistics.median(times["cupy.RawKernel"])
    print(f"{'way':34} {'us a call':>10} {'over raw':>10} {'quartiles':>16}")
    if options.json:
        middles = {name: statistics.median(each) for name, each in times.items()}
        options.json.write_text(json.dumps({name: {"us": middle, "over_raw_us": middle - raw} for name, middle in middles.items()}))
    for name, each in times.items():
        low, middle, high = statistics.quantiles(each, n=4)
        print(f"{name:34} {middle:10.2f} {middle - raw:10.2f} {f'{low:.2f} to {high:.2f}':>16}")


if __name__ == "__main__":
    main()
