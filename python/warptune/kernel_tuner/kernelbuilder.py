"""Kernel Tuner's kernels as callables. For work in earnest there is warptune::runtime: this one compiles for each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UsageError
from ._run import run_kernel


class PythonKernel:
    """Runs one configuration of a kernel; the call returns its outputs."""

    def __init__(self, kernel_name: str, kernel_string: Any, problem_size: Any, arguments: Sequence[Any],
                 params: dict[str, Any] | None = None, inputs: Sequence[bool] | None = None,
                 outputs: Sequence[bool] | None = None, device: int = 0, platform: int = 0, **options: Any) -> None:
        if params is None:
            raise UsageError("params: expected the values of the parameters")
        self._call = (kernel_name, kernel_string, problem_size)
        self._arguments = list(arguments)
        self._params = params
        self._outputs = list(outputs) if outputs is not None else [not each for each in inputs or ()]
        self._options = {"device": device, **options}

    def __call__(self, *arguments: Any) -> Any:
        left = run_kernel(*self._call, list(arguments) or self._arguments, self._params, **self._options)
        chosen = [value for value, is_output in zip(left, self._outputs) if is_output]
        return chosen[0] if len(chosen) == 1 else chosen
