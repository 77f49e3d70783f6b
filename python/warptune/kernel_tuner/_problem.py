"""A call of Kernel Tuner's as a description of a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _native
from .._arguments import Argument, host_array, is_array, kernels_array
from .._expressions import literal
from .._reference import as_elements
from .._template import Description, Parameter, signature
from ..errors import UsageError
from ._values import (block_names, choices, constraints, expression, geometry, plain_values, refuse, source_text, template_name)

LANGUAGES = ("CUDA", "NVCUDA", "CUPY")
RTOL = 1e-5  # numpy.allclose's, which Kernel Tuner does not change


def check_language(lang: str | None, source: str) -> None:
    if lang is not None and lang.upper() not in LANGUAGES:
        refuse("lang", f"'{lang}' is not one of {', '.join(LANGUAGES)}, which all mean Warptune's own backends")
    if lang is None and ("__kernel" in source or "__global__" not in source):
        refuse("lang", "the source has no __global__ function; Warptune tunes CUDA C++ alone")


def describe(call: Mapping[str, Any], answer: Sequence[Any] | None, compared: bool) -> Description:
    """`call` has the arguments that tune_kernel and run_kernel share. `compared` false: every array that a kernel may
    write is an output, of which nothing is compared."""
    parameters = plain_values(call["tune_params"])
    source, folders = source_text(call["kernel_source"], parameters)
    generated = choices(parameters) if callable(call["kernel_source"]) else {}
    check_language(call["lang"], source)
    for argument in ("texmem_args", "compiler"):
        if call[argument] is not None:
            refuse(argument, "texture references are gone from CUDA 12; read through __ldg or texture objects" if
                   argument == "texmem_args" else "Warptune compiles with NVRTC, and for the host with $CXX")
    names = block_names(call["block_size_names"])
    grid, block = geometry(call["problem_size"], [call[f"grid_div_{axis}"] for axis in "xyz"], names, parameters)
    if call["compiler_options"] is not None and not isinstance(call["compiler_options"], (list, tuple)):
        raise UsageError("compiler_options: expected a list of options")
    arguments = _arguments(call, source, answer, compared)
    return Description(
        source=source, kernel=template_name(call["kernel_name"], parameters), parameters=parameters,
        arguments=arguments, grid=grid, block=block, shared=_shared(call["smem_args"], parameters),
        constraints=constraints(call.get("restrictions"), parameters),
        defines={**_defines(call["defines"], parameters, names, grid, block), **generated},
        options=_options(call["compiler_options"], common=True),
        cuda_options=_options(call["compiler_options"], common=False),
        include_directories=folders, may_be_unused=True)


def _shared(given: Mapping[str, Any] | None, parameters: Mapping[str, Sequence[Any]]) -> str | int:
    if given is None:
        return 0
    unknown = set(given) - {"size"}
    if unknown:
        refuse("smem_args", f"'{sorted(unknown)[0]}' means nothing; expected size")
    return f"floor({expression(given['size'], parameters, 'smem_args')})"


def _options(given: Sequence[str] | None, common: bool) -> list[str]:
    """Options for every backend: the language, macros and folders; the rest is for NVRTC."""
    chosen = [option for option in given or () if bool(re.match(r"-(std=|-std=|D|I|U)", option)) == common]
    if common and not any("std=" in option for option in chosen):
        chosen.insert(0, "-std=c++17")
    return chosen


def _defines(given: Mapping[str, Any] | None, parameters: Mapping[str, Sequence[Any]], names: Sequence[str],
             grid: Sequence[str], block: Sequence[str]) -> dict[str, str]:
    if given is not None:
        own = {}
        for name, value in given.items():
            if value == name and name in parameters:
                continue  # the parameter itself, which is a macro in any case
            own[name] = expression(value, parameters, f"defines[{name!r}]")
        return own
    macros = _native.kernel_tuner_macros(grid, block, names)
    return {name: extent for name, extent in macros if name not in parameters}


def _arguments(call: Mapping[str, Any], source: str, answer: Sequence[Any] | None, compared: bool) -> list[Argument]:
    given = call["arguments"]
    if not isinstance(given, (list, tuple)):
        raise UsageError("arguments: expected a list")
    if answer is not None and len(answer) != len(given):
        raise UsageError(f"answer has {len(answer)} elements, and the kernel {len(given)} arguments; None stands for an input")
    known = signature(source, call["kernel_name"])
    if known is not None and len(known) != len(given):
        raise UsageError(f"{call['kernel_name']} has {len(known)} parameters, and arguments has {len(given)}")
    made = []
    for i, value in enumerate(given):
        parameter = known[i] if known is not None else None
        made.append(_argument(value, f"argument{i}" if parameter is None else parameter.name, parameter,
                              answer[i] if answer is not None else None, float(call.get("atol", 0) or 0), compared))
    for name, value in (call["cmem_args"] or {}).items():
        made.append(Argument(kernels_array(value, name).reshape(-1), "input", name=f"{name}_constant", symbol=name))
    return made


def _argument(value: Any, name: str, parameter: Parameter | None, expected: Any, atol: float,
              compared: bool) -> Argument:
    if hasattr(value, "select_for_configuration") or (hasattr(value, "param_key") and hasattr(value, "data")):
        refuse("arguments", f"{name} is a Tunable, whose data depends on the configuration")
    if not is_array(value):
        if isinstance(value, (bool, int, float)):
            raise UsageError(f"arguments: {name} is a Python number, which has no type; pass numpy.int32({value}) or the "
                             "like")
        return Argument(value[()] if hasattr(value, "ndim") else value, None, name=name)
    array = kernels_array(value, name)
    if parameter is not None and parameter.const:
        return Argument(array, "input", name=name)
    if expected is not None and compared:
        return Argument(array, "inout", absolute=atol, relative=RTOL, name=name)
    return Argument(array, "inout", compared=False, name=name)


def expected_arrays(description: Description, answer: Sequence[Any] | None) -> dict[str, Any]:
    if answer is None:
        return {}
    import numpy as np

    expected = {}
    for argument, value in zip(description.arguments, answer):
        if value is None or not argument.is_output:
            continue
        array = np.asarray(host_array(value, argument.name))
        if array.size != argument.value.size:
            raise UsageError(f"answer: {argument.name} has {argument.value.size} elements, not {array.size}")
        expected[argument.name] = as_elements(array, argument.value.dtype, f"answer: {argument.name} has")
    return expected


__all__ = ["check_language", "describe", "expected_arrays", "literal"]
