#!/usr/bin/env python3
"""What PyTorch reaches on the first GPU, eager and compiled (torch.compile), as vendor prints it: a line
"name value unit note" for each case, the faster of the two, named in the note with both times.
  torch_cases.py [--list | --samples N] [PATTERN ...]      cases by name, as a shell matches files; default all
--samples: so many for each median, instead of as many as fill 300 ms

Eager and compiled samples alternate, so that a clock that drifts flatters neither. Data, warm-up, the lengths and
numbers of samples are those of timing.cu: samples behind a busy kernel, runs below 50 us in a CUDA graph."""
import fnmatch
import statistics
import sys
from dataclasses import dataclass

MIN_SAMPLE_MS = GRAPH_BELOW_MS = 0.05
TOTAL_MS, FEWEST_SAMPLES, MOST_SAMPLES, MOST_RUNS = 300, 21, 500, 1000
HOLD_CYCLES = 200_000  # about 0.1 ms
PRECISIONS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16"}
ROW_LENGTHS = [128, 1024, 8192, 32768, 131072]
ELEMENTS = 8192 * 8192
# Elements are uniform between these, nearly as the templates fill them.
ELEMENTS_FROM_TO = {"softmax": (-4, 4), "rms_norm": (-2, 2), "layer_norm": (6, 10),
                    "cross_entropy": (-4, 4), "cross_entropy_gradient": (-4, 4), "embedding": (-1, 1),
                    "fft": (-1, 1), "batched_gemm": (-1, 1)}
# Cases of their own below.
NOT_OF_ROWS = ("embedding", "fft", "batched_gemm")
EPSILON, SCALE = 1e-5, 8.0


@dataclass(frozen=True)
class TorchCase:
    operation: str
    rows: int
    columns: int
    precision: str
    length: int = 0  # of embedding: table rows that are summed for each row of the output

    @property
    def name(self) -> str:
        times = f"x{self.length}" if self.length else ""
        return f"torch_{self.operation}_{self.rows}x{self.columns}{times}_{self.precision}"


CASES = [TorchCase(operation, ELEMENTS // columns, columns, precision)
         for operation in ELEMENTS_FROM_TO if operation not in NOT_OF_ROWS
         for columns in ROW_LENGTHS for precision in PRECISIONS]
# As cases.py has them: outputs, and table rows that are summed for each; the table is TABLE_ROWS rows.
TABLE_ROWS = 131072
CASES += [TorchCase("embedding", rows, columns, precision, length)
          for rows, columns, length in ((16384, 512, 16), (131072, 512, 1), (65536, 128, 32)) for precision in PRECISIONS]
# Rows of complex numbers; square matrices, `columns` a side.
CASES += [TorchCase("fft", 2 ** (25 - log2), 2 ** log2, "float") for log2 in (8, 10, 12, 13, 16, 20)]
CASES += [TorchCase("batched_gemm", 2 ** 25 // side ** 2, side, "float") for side in (4, 8, 16, 32, 64)]


def samples_of(torch, work) -> "tuple[callable, int]":
    """What one sample runs, and how often that is the work."""
    run_ms = min(elapsed_ms(torch, work) for _ in range(3))
    if run_ms >= GRAPH_BELOW_MS:
        return work, 1
    runs = int(min(max(MIN_SAMPLE_MS / max(run_ms, 1e-6) + 1, 1), MOST_RUNS))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(runs):
            work()
    return graph.replay, runs


def elapsed_ms(torch, work) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(HOLD_CYCLES)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def alternating_medians_ms(torch, works: list, wanted: int) -> "list[float]":
    pairs = [samples_of(torch, work) for work in works]
    for sample, _ in pairs * 3:
        elapsed_ms(torch, sample)
    times = [[] for _ in pairs]

    def enough() -> bool:
        taken = len(times[0])
        if wanted:
            return taken >= wanted
        return taken >= FEWEST_SAMPLES and (sum(map(sum, times)) >= TOTAL_MS * len(pairs) or taken >= MOST_SAMPLES)

    while not enough():
        for (sample, _), own in zip(pairs, times):
            own.append(elapsed_ms(torch, sample))
    return [statistics.median(own) / runs for own, (_, runs) in zip(times, pairs)]


def operation_of(torch, case: TorchCase, precision):
    """What is applied to the matrix."""
    def drawn(low: float, high: float):
        return torch.empty(case.columns, device="cuda").uniform_(low, high).to(precision)

    functional, shape = torch.nn.functional, (case.columns,)
    if case.operation == "softmax":
        return lambda data: torch.softmax(data, dim=-1)
    weight, bias = drawn(0.5, 1.5), drawn(-1.0, 1.0)
    if case.operation == "rms_norm":
        return lambda data: functional.rms_norm(data, shape, weight, EPSILON)
    return lambda data: functional.layer_norm(data, shape, weight, bias, EPSILON)


def pair_of(torch, case: TorchCase, x) -> "tuple[callable, callable]":
    """What is measured, eager and compiled: functions without arguments."""
    if case.operation.startswith("cross_entropy"):
        return cross_entropy_pair(torch, case, x)
    if case.operation == "embedding":
        return embedding_pair(torch, case, x)
    if case.operation == "fft":
        return fft_pair(torch, case, x)
    if case.operation == "batched_gemm":
        return product_pair(torch, x)
    operation = operation_of(torch, case, x.dtype)
    compiled = torch.compile(operation, dynamic=False)
    return lambda: operation(x), lambda: compiled(x)


def cross_entropy_pair(torch, case: TorchCase, x) -> "tuple[callable, callable]":
    """The loss of each row; with a gradient, also that of all losses times the scale, by the backward pass."""
    targets = torch.randint(0, case.columns, (case.rows,), device="cuda")
    with_gradient = case.operation == "cross_entropy_gradient"
    x.requires_grad_(with_gradient)

    def losses(data):
        return torch.nn.functional.cross_entropy(data, targets, reduction="none")

    scales = torch.full((case.rows,), SCALE, device="cuda", dtype=losses(x).dtype)

    def measured(function):
        if not with_gradient:
            return lambda: function(x)
        return lambda: torch.autograd.grad(function(x), x, scales)
    return measured(losses), measured(torch.compile(losses, dynamic=False))


def embedding_pair(torch, case: TorchCase, table) -> "tuple[callable, callable]":
    functional = torch.nn.functional
    indices = torch.randint(0, TABLE_ROWS, (case.rows, case.length), device="cuda", dtype=torch.int32)

    def gathered(data):
        rows = functional.embedding(indices, data)
        return rows.squeeze(1) if case.length == 1 else rows.sum(1)

    compiled = torch.compile(gathered, dynamic=False)
    if case.length == 1:
        return lambda: gathered(table), lambda: compiled(table)
    return lambda: functional.embedding_bag(indices, table, mode="sum"), lambda: compiled(table)


def fft_pair(torch, case: TorchCase, x) -> "tuple[callable, callable]":
    """cuFFT, once into a tensor that is there already; torch.compile has nothing else for complex numbers."""
    numbers = torch.view_as_complex(x.view(case.rows, case.columns, 2))
    output = torch.empty_like(numbers)
    return lambda: torch.fft.fft(numbers, out=output), lambda: torch.fft.fft(numbers)


def product_pair(torch, x) -> "tuple[callable, callable]":
    """cuBLAS in FP32: PyTorch uses TF32 for products only if it is told to."""
    right = torch.empty_like(x).uniform_(-1, 1)
    compiled = torch.compile(torch.bmm, dynamic=False)
    return lambda: torch.bmm(x, right), lambda: compiled(x, right)


def gigabytes_of(case: TorchCase, element_bytes: int) -> float:
    """As the templates count."""
    matrix, line = case.rows * case.columns * element_bytes, case.columns * element_bytes
    moved = {"softmax": 2 * matrix, "rms_norm": 2 * matrix + line, "layer_norm": 2 * (matrix + line),
             "cross_entropy": matrix + 8 * case.rows, "cross_entropy_gradient": 2 * matrix + 8 * case.rows,
             "embedding": case.length * (matrix + 4 * case.rows) + matrix, "fft": 4 * matrix, "batched_gemm": 3 * case.columns * matrix}
    return moved[case.operation] / 1e9


def measure(case: TorchCase, samples: int) -> str:
    import torch
    precision = getattr(torch, PRECISIONS[case.precision])
    rows = TABLE_ROWS if case.operation == "embedding" else case.rows
    shape = {"fft": (rows, 2 * case.columns), "batched_gemm": (rows, case.columns, case.columns)}
    x = torch.empty(shape.get(case.operation, (rows, case.columns)), device="cuda").uniform_(*ELEMENTS_FROM_TO[case.operation]).to(precision)
    eager, compiled = pair_of(torch, case, x)
    for _ in range(3):  # the first ones compile and load code; results are given back before the next one
        eager(), compiled()
    torch.cuda.synchronize()
    eager_ms, compiled_ms = alternating_medians_ms(torch, [eager, compiled], samples)
    note = f"{'eager' if eager_ms <= compiled_ms else 'compiled'}:eager={eager_ms:.4f}ms,compiled={compiled_ms:.4f}ms"
    return f"{case.name} {gigabytes_of(case, x.element_size()) / min(eager_ms, compiled_ms) * 1e3:.2f} GB/s {note}"


def main() -> int:
    only_names = sys.argv[1:2] == ["--list"]
    samples = int(sys.argv[2]) if sys.argv[1:2] == ["--samples"] else 0
    patterns = sys.argv[2 if only_names else 3 if samples else 1:] or ["*"]
    chosen = [case for case in CASES if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in patterns)]
    if not chosen:
        print("torch_cases: no case has such a name; torch_cases.py --list shows them", file=sys.stderr)
        return 2
    for case in chosen:
        print(case.name if only_names else measure(case, samples), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
