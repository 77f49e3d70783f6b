#!/usr/bin/env python3
"""torch_cases.py for a program that asks again and again: reads lines "NAME SAMPLES", answers each with the line that
torch_cases.py prints, or with "error WHY" and its end, as a failed CUDA call spoils all later ones.
PyTorch is loaded before the first line comes; the GPU is first touched for it, and idle between two of them."""
import gc
import os
import sys

from torch_cases import CASES, measure


def load():
    """PyTorch with what compiles; the processes that compile are started here, while nobody waits."""
    import torch
    try:
        import torch._inductor.async_compile
        import torch._inductor.compile_fx
        import torch._inductor.utils
    except ImportError as error:
        print(f"torch_server: torch.compile is not prepared: {error}", file=sys.stderr)
    return torch


def forget(torch) -> None:
    """Else the ninth shape of one function would not be compiled any more, and memory would be kept."""
    torch._dynamo.reset()
    gc.collect()
    torch.cuda.empty_cache()


def fresh_cache(torch):
    """Of compiled code, for a `with`; newer versions have another name for it."""
    utils = torch._inductor.utils
    return (getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache)()


def answer(torch, request: str) -> str:
    name, samples = request.split()
    cases = {case.name: case for case in CASES}
    if name not in cases:
        raise SystemExit(f"no case has the name {name}; torch_cases.py --list shows them")
    with fresh_cache(torch):  # nothing that an earlier program left is taken
        line = measure(cases[name], int(samples))
        forget(torch)
    return line


def main() -> int:
    # What libraries and compilers read and print is not this: requests and answers have channels of their own.
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    torch = load()
    for request in requests:
        try:
            print(answer(torch, request), file=answers)
        except (SystemExit, Exception) as error:  # whatever it is, the one who asks must know
            print(f"error {' '.join(str(error).split()) or type(error).__name__}"[:500], file=answers)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
