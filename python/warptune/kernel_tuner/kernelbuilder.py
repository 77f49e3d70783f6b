"""Kernel Tuner's kernels as callables. For work in earnest there is warptune::runtime: this one compiles for each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._arguments import is_array, write_back
from ..errors import UsageError
from ._run import run_kernel


class PythonKernel:
    """Runs one configuration of a kernel; the call returns its outputs. Arrays in a GPU's memory are changed in place."""

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
        given = list(arguments) or self._arguments
        left = run_kernel(*self._call, given, self._params, **self._options)
        for target, value in zip(given, left):
            if is_array(target):
                write_back(target, value)
        chosen = [value for value, is_output in zip(left, self._outputs) if is_output]
        return chosen[0] if len(chosen) == 1 else chosen
