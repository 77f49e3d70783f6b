"""The products of a layer of experts by PyTorch, as torch_cases.py measures them: how many rows each expert has, and
the ways that PyTorch has to multiply them."""
import bisect
import itertools
from dataclasses import dataclass


@dataclass(frozen=True)
class GroupedCase:
    """Products of experts; one expert is one product."""
    tokens: int
    columns: int
    depth: int
    experts: int
    routing: str

    @property
    def name(self) -> str:
        return f"torch_gemm_grouped_{self.tokens}x{self.columns}x{self.depth}x{self.experts}_{self.routing}"

    def figure_of(self, milliseconds: float) -> str:
        return f"{2 * self.tokens * self.columns * self.depth / milliseconds / 1e6:.2f} GFLOP/s"

    def rows(self) -> "list[int]":
        """Of each expert, as the template's fill.cpp draws them."""
        if self.routing == "uniform":
            starts = [self.tokens * expert // self.experts for expert in range(self.experts + 1)]
            return [end - start for start, end in zip(starts, starts[1:])]
        hashes = [hashed(expert) for expert in range(self.experts)]
        likely = [float(expert % 8 != 3) if self.routing == "ragged" else 1.0 / (1 + sum(own > other for other in hashes))
                  for expert, own in enumerate(hashes)]
        up_to = list(itertools.accumulate(likely))
        rows = [0] * self.experts
        for token in range(self.tokens):
            drawn = (hashed(token + (1 << 40)) >> 11) / 2.0 ** 53 * up_to[-1]
            rows[bisect.bisect_right(up_to, drawn, 0, self.experts - 1)] += 1
        return rows


def hashed(i: int) -> int:
    """splitmix64's output function."""
    x = i * 0x9e3779b97f4a7c15 & 0xffffffffffffffff
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & 0xffffffffffffffff
    x = (x ^ x >> 27) * 0x94d049bb133111eb & 0xffffffffffffffff
    return x ^ x >> 31


def ways_to_multiply(torch, case: GroupedCase) -> "dict[str, callable]":
    """By name: _grouped_mm with the experts' matrices by rows or by columns, or a product after the other."""
    def filled(*shape: int):
        return torch.empty(shape, device="cuda", dtype=torch.bfloat16).uniform_(-1.0, 1.0)

    a, rows = filled(case.tokens, case.depth), case.rows()
    by_rows = filled(case.experts, case.depth, case.columns)
    by_columns = filled(case.experts, case.columns, case.depth).transpose(1, 2)
    ends = torch.tensor(list(itertools.accumulate(rows)), device="cuda", dtype=torch.int32)
    d = torch.empty(case.tokens, case.columns, device="cuda", dtype=torch.bfloat16)
    products = [(part, matrix, result) for part, matrix, result in zip(a.split(rows), by_rows, d.split(rows)) if len(part)]

    def one_by_one():
        for part, matrix, result in products:
            torch.mm(part, matrix, out=result)
        return d

    return {"by_rows": lambda: torch._grouped_mm(a, by_rows, offs=ends),
            "by_columns": lambda: torch._grouped_mm(a, by_columns, offs=ends), "one_by_one": one_by_one}
