#!/usr/bin/env python3
"""What PyTorch reaches on the first GPU, eager and compiled (torch.compile), as vendor prints it: a line
"name value unit note" for each case, the faster of the two, named in the note with both times.
  torch_cases.py [--list | --samples N] [PATTERN ...]      cases by name, as a shell matches files; default all
--samples: so many for each median, instead of as many as fill 300 ms

Attention is scaled_dot_product_attention by cuDNN and by FlashAttention, the faster of the two. Grouped products are
_grouped_mm, with matrices by rows or by columns, and a product after the other: the fastest of the three.
Products with 4-bit weights are torch_int4.py's.
Eager and compiled samples alternate, so that a clock that drifts flatters neither. Data, warm-up, the lengths and
numbers of samples are those of timing.cu: samples behind a busy kernel, outputs overwritten before each, runs below
50 us in a CUDA graph."""
import fnmatch
import statistics
import sys
import time
from dataclasses import dataclass

import torch_int4
from torch_experts import GroupedCase, ways_to_multiply

MIN_SAMPLE_MS = GRAPH_BELOW_MS = 0.05
TOTAL_MS, FEWEST_SAMPLES, MOST_SAMPLES, MOST_RUNS = 300, 21, 500, 1000
# About 0.1 ms; 2 ms at most.
HOLD_CYCLES, MOST_HOLD_CYCLES, CYCLES_PER_SECOND = 200_000, 4_000_000, 2e9
OVERWRITTEN_BY = 255
PRECISIONS = {"float": "float32", "half": "float16", "bfloat16": "bfloat16", "uint8": "uint8"}
FLOATING = ["float", "half", "bfloat16"]
ROW_LENGTHS = [128, 1024, 8192, 32768, 131072]
ELEMENTS = 8192 * 8192
# Elements are uniform between these, nearly as the templates fill them.
ELEMENTS_FROM_TO = {"softmax": (-4, 4), "rms_norm": (-2, 2), "layer_norm": (6, 10),
                    "cross_entropy": (-4, 4), "cross_entropy_gradient": (-4, 4), "embedding": (-1, 1),
                    "cumsum": (-1, 1), "rope": (-1, 1), "top_k": (-4, 4),
                    "batched_transpose": (0, 100), "batched_gemm": (-1, 1), "fft": (-1, 1)}
OF_ROWS = ["softmax", "rms_norm", "layer_norm", "cross_entropy", "cross_entropy_gradient", "cumsum"]
EPSILON, SCALE, ROPE_BASE = 1e-5, 8.0, 10000.0


@dataclass(frozen=True)
class TorchCase:
    operation: str
    rows: int
    columns: int
    precision: str
    length: int = 0  # of embedding: table rows that are summed for a row of the output; rope: heads; top_k: k;
    #                  of batched matrices: how many there are

    @property
    def name(self) -> str:
        times = f"x{self.length}" if self.length else ""
        return f"torch_{self.operation}_{self.rows}x{self.columns}{times}_{self.precision}"


CASES = [TorchCase(operation, ELEMENTS // columns, columns, precision)
         for operation in OF_ROWS for columns in ROW_LENGTHS for precision in FLOATING]
# As cases.py has them: outputs, and table rows that are summed for each; the table is TABLE_ROWS rows.
TABLE_ROWS = 131072
CASES += [TorchCase("embedding", rows, columns, precision, length)
          for rows, columns, length in ((16384, 512, 16), (131072, 512, 1), (65536, 128, 32)) for precision in FLOATING]
# Tokens, elements of all heads, heads; rows, columns, k.
CASES += [TorchCase("rope", rows, columns, precision, heads)
          for rows, columns, heads in ((8192, 4096, 32), (32768, 1024, 8), (16384, 4096, 64)) for precision in FLOATING]
CASES += [TorchCase("top_k", rows, columns, precision, k)
          for rows, columns, k in ((2048, 32768, 64), (2048, 32768, 1), (2048, 32768, 256), (65536, 1024, 8),
                                   (512, 131072, 64)) for precision in FLOATING]
BATCHED = ["batched_transpose", "batched_gemm"]
CASES += [TorchCase("batched_transpose", rows, columns, precision, batch)
          for batch, rows, columns in ((64, 1024, 1024), (64, 256, 3136), (64, 3136, 256), (65536, 32, 32))
          for precision in ("float", "half", "uint8")]
CASES += [TorchCase("batched_gemm", size, size, "float", batch)
          for batch, size in ((1048576, 4), (262144, 8), (65536, 16), (32768, 32), (16384, 64))]
# Rows of complex numbers.
CASES += [TorchCase("fft", 2 ** (25 - log2), 2 ** log2, "float") for log2 in (8, 10, 12, 13, 16, 20)]


@dataclass(frozen=True)
class AttentionCase:
    batch: int
    heads: int
    kv_heads: int
    queries: int  # of a sequence, as many as keys or one
    keys: int
    head_dim: int
    causal: bool = False

    @property
    def name(self) -> str:
        heads = f"{self.heads}" if self.heads == self.kv_heads else f"{self.heads}:{self.kv_heads}"
        kind = "attention" if self.queries == self.keys else "attention_decode"
        return f"torch_{kind}_{self.batch}x{heads}x{self.keys}x{self.head_dim}{'_causal' if self.causal else ''}"

    def figure_of(self, milliseconds: float) -> str:
        """As the templates count: both products of the pairs that are seen, or the bytes of all matrices."""
        if self.queries == self.keys:
            pairs = self.keys * (self.keys + 1) // 2 if self.causal else self.keys ** 2
            return f"{4 * self.batch * self.heads * pairs * self.head_dim / milliseconds / 1e9:.2f} TFLOP/s"
        moved = 4 * self.batch * self.head_dim * (self.heads * self.queries + self.kv_heads * self.keys)
        return f"{moved / milliseconds / 1e6:.2f} GB/s"


CASES += [AttentionCase(4, 32, 32, 4096, 4096, 128), AttentionCase(4, 32, 32, 4096, 4096, 128, True),
          AttentionCase(4, 32, 32, 4096, 4096, 64), AttentionCase(4, 32, 8, 4096, 4096, 128, True),
          AttentionCase(64, 32, 8, 1, 8192, 128)]


CASES += [GroupedCase(16384, 4096, 4096, experts, routing)
          for experts in (8, 64) for routing in ("uniform", "ragged", "skewed")] + [
          GroupedCase(16384, 4096, 4096, 1, "uniform")]
CASES += torch_int4.CASES


class Sample:
    """One sample of a work, queued behind a kernel that keeps the device busy until the host has queued all of it: else
    the host's way through torch.compile's checks, up to 0.1 ms, would count."""

    def __init__(self, torch, work):
        self.torch, self.work, self.held = torch, work, HOLD_CYCLES
        self.kept, self.sizes = outputs_of(torch, work)
        self.run, self.runs = work, 1
        run_ms = min(self.elapsed_ms() for _ in range(3))
        if run_ms < GRAPH_BELOW_MS:
            self.record(int(min(max(MIN_SAMPLE_MS / max(run_ms, 1e-6) + 1, 1), MOST_RUNS)))

    def record(self, runs: int) -> None:
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for _ in range(runs):
                result = self.work()
        self.run, self.runs = graph.replay, runs
        self.kept, self.sizes = bytes_of(self.torch, result), []

    def overwrite_outputs(self) -> None:
        """As Warptune does before each sample: after a run of its own, a run finds its output in the L2 cache. A fresh
        block of the same size is the one that the work gets next."""
        fresh = [self.torch.empty(size, dtype=self.torch.uint8, device="cuda") for size in self.sizes]
        for output in self.kept + fresh:
            output.fill_(OVERWRITTEN_BY)

    def elapsed_ms(self) -> float:
        cuda = self.torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        cuda._sleep(self.held)
        began = time.perf_counter()
        self.overwrite_outputs()
        begin.record()
        self.run()
        end.record()
        queueing = time.perf_counter() - began
        self.held = int(min(max(self.held, 2 * queueing * CYCLES_PER_SECOND), MOST_HOLD_CYCLES))
        end.synchronize()
        return begin.elapsed_time(end)


def bytes_of(torch, result) -> list:
    """The memory of the tensors that a work returns, each as a row of bytes."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [torch.empty(0, dtype=torch.uint8, device="cuda").set_(one.detach().untyped_storage())
            for one in results if torch.is_tensor(one)]


def outputs_of(torch, work) -> "tuple[list, list[int]]":
    """Those that are the same memory each time, and the sizes of those that every run allocates."""
    first, second = bytes_of(torch, work()), bytes_of(torch, work())
    same = [one.data_ptr() == other.data_ptr() for one, other in zip(first, second)]
    return ([output for output, stays in zip(first, same) if stays],
            [output.nbytes for output, stays in zip(first, same) if not stays])


def alternating_medians_ms(torch, works: list, wanted: int) -> "list[float]":
    samples = [Sample(torch, work) for work in works]
    for sample in samples * 3:
        sample.elapsed_ms()
    times = [[] for _ in samples]

    def enough() -> bool:
        taken = len(times[0])
        if wanted:
            return taken >= wanted
        return taken >= FEWEST_SAMPLES and (sum(map(sum, times)) >= TOTAL_MS * len(samples) or taken >= MOST_SAMPLES)

    while not enough():
        for sample, own in zip(samples, times):
            own.append(sample.elapsed_ms())
    return [statistics.median(own) / sample.runs for own, sample in zip(times, samples)]


def operation_of(torch, case: TorchCase, precision):
    """What is applied to the matrix."""
    def drawn(low: float, high: float):
        return torch.empty(case.columns, device="cuda").uniform_(low, high).to(precision)

    functional, shape = torch.nn.functional, (case.columns,)
    if case.operation == "softmax":
        return lambda data: torch.softmax(data, dim=-1)
    if case.operation == "cumsum":
        return lambda data: torch.cumsum(data, dim=-1)
    if case.operation == "top_k":
        return lambda data: torch.topk(data, case.length, dim=-1)
    if case.operation == "rope":
        return rotation(torch, case, precision)
    if case.operation in BATCHED:
        return of_batch(torch, case)
    weight, bias = drawn(0.5, 1.5), drawn(-1.0, 1.0)
    if case.operation == "rms_norm":
        return lambda data: functional.rms_norm(data, shape, weight, EPSILON)
    return lambda data: functional.layer_norm(data, shape, weight, bias, EPSILON)


def of_batch(torch, case: TorchCase):
    shape = (case.length, case.rows, case.columns)
    if case.operation == "batched_transpose":
        return lambda data: data.view(shape).transpose(1, 2).contiguous()
    other = torch.empty(shape, device="cuda").uniform_(-1.0, 1.0)
    return lambda data: torch.bmm(data.view(shape), other)


def rotation(torch, case: TorchCase, precision):
    """Pairs of two halves, in the data's own precision, with tables, as in Hugging Face's models."""
    head = case.columns // case.length
    frequencies = ROPE_BASE ** (-torch.arange(0, head, 2, device="cuda") / head)
    angles = torch.arange(case.rows, device="cuda").unsqueeze(1) * torch.cat((frequencies, frequencies))
    cosines, sines = angles.cos().to(precision), angles.sin().to(precision)
    positions = torch.arange(case.rows, device="cuda")

    def rotated(data):
        data = data.view(case.rows, case.length, head)
        first, second = data.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)
        return data * cosines[positions].unsqueeze(1) + turned * sines[positions].unsqueeze(1)
    return rotated


def pair_of(torch, case: TorchCase, x) -> "tuple[callable, callable]":
    """What is measured, eager and compiled: functions without arguments."""
    if case.operation.startswith("cross_entropy"):
        return cross_entropy_pair(torch, case, x)
    if case.operation == "embedding":
        return embedding_pair(torch, case, x)
    if case.operation == "fft":
        return fft_pair(torch, case, x)
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


def gigabytes_of(case: TorchCase, element_bytes: int) -> float:
    """As the templates count."""
    matrix, line = case.rows * case.columns * element_bytes, case.columns * element_bytes
    moved = {"softmax": 2 * matrix, "rms_norm": 2 * matrix + line, "layer_norm": 2 * (matrix + line),
             "cross_entropy": matrix + 8 * case.rows, "cross_entropy_gradient": 2 * matrix + 8 * case.rows,
             "embedding": case.length * (matrix + 4 * case.rows) + matrix,
             "fft": 4 * matrix, "batched_transpose": 2 * matrix * case.length, "cumsum": 2 * matrix,
             "rope": 2 * matrix + 4 * case.rows,
             "top_k": matrix + case.rows * case.length * (element_bytes + 4)}
    return moved[case.operation] / 1e9


def work_of(case: TorchCase, element_bytes: int) -> "tuple[float, str]":
    """Of one run, in units of the template's metric."""
    if case.operation == "batched_gemm":
        return 2 * case.length * case.rows ** 3 / 1e9, "GFLOP/s"
    return gigabytes_of(case, element_bytes), "GB/s"


def attention_of(torch, case: AttentionCase, backend) -> callable:
    def filled(heads: int, rows: int, bound: float):
        shape = (case.batch, heads, rows, case.head_dim)
        return torch.empty(shape, device="cuda", dtype=torch.bfloat16).uniform_(-bound, bound)

    q, k, v = (filled(case.heads, case.queries, 2.5), filled(case.kv_heads, case.keys, 2.5),
               filled(case.kv_heads, case.keys, 1.0))

    def work():
        with torch.nn.attention.sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=case.causal, enable_gqa=case.heads != case.kv_heads)
    return work


def measure_attention(torch, case: AttentionCase, samples: int) -> str:
    import torch.nn.attention
    backends = {"cudnn": "CUDNN_ATTENTION", "flash": "FLASH_ATTENTION"}
    return fastest(torch, case, {name: attention_of(torch, case, getattr(torch.nn.attention.SDPBackend, backend))
                                 for name, backend in backends.items()}, samples)


def fastest(torch, case: "AttentionCase | GroupedCase", candidates: "dict[str, callable]", samples: int) -> str:
    """The line of the fastest way of those that this PyTorch has."""
    works = {}
    for name, work in candidates.items():
        try:
            for _ in range(3):  # the first ones compile and load code
                work()
        except (RuntimeError, AttributeError) as error:
            print(f"torch_cases: {case.name}: {name} cannot: {str(error).splitlines()[0]}", file=sys.stderr)
        else:
            works[name] = work
    if not works:
        raise SystemExit(f"torch_cases: {case.name}: no way of this PyTorch takes it; version 2.8 or later has one")
    torch.cuda.synchronize()
    times = dict(zip(works, alternating_medians_ms(torch, list(works.values()), samples)))
    best = min(times, key=times.get)
    note = ",".join(f"{name}={time:.4f}ms" for name, time in times.items())
    return f"{case.name} {case.figure_of(times[best])} {best}:{note}"


def rows_of(case: TorchCase) -> int:
    """Of all data; complex numbers are two rows of floats."""
    if case.operation in BATCHED:
        return case.rows * case.length
    return {"embedding": TABLE_ROWS, "fft": 2 * case.rows}.get(case.operation, case.rows)


def measure(case: "TorchCase | AttentionCase | GroupedCase | torch_int4.Int4Case", samples: int) -> str:
    import torch
    if isinstance(case, AttentionCase):
        return measure_attention(torch, case, samples)
    if isinstance(case, GroupedCase):
        return fastest(torch, case, ways_to_multiply(torch, case), samples)
    if isinstance(case, torch_int4.Int4Case):
        return fastest(torch, case, torch_int4.works_of(torch, case), samples)
    precision = getattr(torch, PRECISIONS[case.precision])
    x = torch.empty(rows_of(case), case.columns, device="cuda").uniform_(*ELEMENTS_FROM_TO[case.operation]).to(precision)
    eager, compiled = pair_of(torch, case, x)
    for _ in range(3):  # the first ones compile and load code; results are given back before the next one
        eager(), compiled()
    torch.cuda.synchronize()
    eager_ms, compiled_ms = alternating_medians_ms(torch, [eager, compiled], samples)
    note = f"{'eager' if eager_ms <= compiled_ms else 'compiled'}:eager={eager_ms:.4f}ms,compiled={compiled_ms:.4f}ms"
    work, unit = work_of(case, x.element_size())
    return f"{case.name} {work / min(eager_ms, compiled_ms) * 1e3:.2f} {unit} {note}"


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
