"""PyTorch's two ways to multiply with 4-bit weights: its own kernel with its own packing, and a plain product with
weights that were dequantised before. The faster is the vendor's figure. Used by torch_cases.py."""
from dataclasses import dataclass

INNER_K_TILES = 8  # of PyTorch's packing: the largest, and the fastest


@dataclass(frozen=True)
class Int4Case:
    rows: int  # of A
    columns: int
    depth: int
    group: int = 128

    @property
    def name(self) -> str:
        return f"torch_int4_{self.rows}x{self.columns}x{self.depth}_{self.group}"

    def figure_of(self, milliseconds: float) -> str:
        return f"{2 * self.rows * self.columns * self.depth / milliseconds / 1e6:.2f} GFLOP/s"


CASES = [Int4Case(rows, 8192, 8192) for rows in (1, 16, 64, 4096)]


def works_of(torch, case: Int4Case) -> "dict[str, callable]":
    """Functions without arguments, which agree with each other or raise an error."""
    weights = torch.randint(0, 16, (case.columns, case.depth), device="cuda", dtype=torch.uint8)
    scales = torch.empty(case.depth // case.group, case.columns, device="cuda").uniform_(0.05, 0.15).to(torch.bfloat16)
    a = torch.empty(case.rows, case.depth, device="cuda").uniform_(-1.0, 1.0).to(torch.bfloat16)
    dequantised = ((weights.float() - 8) * scales.float().repeat_interleave(case.group, 0).t()).to(torch.bfloat16).t()
    dequantised = dequantised.contiguous()
    packed = torch._convert_weight_to_int4pack(weights[:, ::2] << 4 | weights[:, 1::2], INNER_K_TILES)
    scales_and_zeros = torch.stack((scales, torch.zeros_like(scales)), dim=2).contiguous()
    works = {"int4pack": lambda: torch._weight_int4pack_mm(a, packed, case.group, scales_and_zeros),
             "matmul": lambda: torch.matmul(a, dequantised)}
    results = [work().float() for work in works.values()]
    if (results[0] - results[1]).abs().max() > 0.02 * results[1].abs().max():
        raise SystemExit(f"torch_cases: {case.name}: {' and '.join(works)} do not agree")
    return works
