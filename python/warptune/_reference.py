"""What is right: the reference's results in the outputs' types, and how far a kernel's may be from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ._arguments import Argument, element_type, host_array
from .errors import UsageError

# What PyTorch's assert_close allows of each type, absolute and relative: rounding in another order, and no more.
USUAL_TOLERANCE = {"float": (1e-5, 1.3e-6), "double": (1e-7, 1e-7), "half": (1e-5, 1e-3)}


def expected_results(reference: Any, arguments: list[Argument]) -> dict[str, Any]:
    """What is right, by output: from arrays, or from a function that is called once with copies of everything."""
    import numpy as np

    outputs = [argument for argument in arguments if argument.is_output and argument.compared]
    if callable(reference):
        values = [np.array(argument.value) if argument.role else argument.value for argument in arguments]
        _require_takes(reference, [argument.name for argument in arguments])
        results = reference(*values)
        if results is None:  # it filled its arguments
            results = {argument.name: value for argument, value in zip(arguments, values)
                       if argument in outputs}
            if outputs and all(_bits(results[each.name]) == _bits(each.value) for each in outputs):
                _require_filling(reference, arguments, outputs)
    else:
        results = reference
    if not isinstance(results, Mapping):
        several = list(results) if isinstance(results, (tuple, list)) else [results]
        if len(several) != len(outputs):
            names = ", ".join(output.name for output in outputs) or "none"
            raise UsageError(f"the reference gives {len(several)} arrays, and the kernel writes {len(outputs)} ({names}): "
                             "give one for each in this order, or a dict; say which arguments are no outputs with "
                             "warptune.input(array) or warptune.scratch(array)")
        results = {output.name: value for output, value in zip(outputs, several)}
    return {name: _expected(name, value, outputs) for name, value in results.items() if value is not None}


def _bits(array: Any) -> bytes:
    return bytes(array.tobytes())


def _other_contents(array: Any) -> Any:
    """Differs from the array in every element."""
    import numpy as np

    if array.dtype.kind == "b":
        return np.logical_not(array)
    return np.invert(np.frombuffer(_bits(array), np.uint8)).view(array.dtype).reshape(array.shape)


def _require_filling(reference: Callable[..., Any], arguments: list[Argument], outputs: list[Argument]) -> None:
    """A function that forgot its `return` would make every kernel wrong. What was right before it ran tells nothing, so it
    runs once more, on outputs with other contents."""
    import numpy as np

    values = [np.array(argument.value) if argument.role else argument.value for argument in arguments]
    others = {each.name: _other_contents(each.value) for each in outputs}
    values = [np.array(others.get(argument.name, value)) if argument.role else value
              for argument, value in zip(arguments, values)]
    try:
        reference(*values)
    except Exception:  # noqa: BLE001: it looks at what it was given, so it does something
        return
    if all(_bits(value) == _bits(others[argument.name]) for argument, value in zip(arguments, values) if argument in outputs):
        names = " and ".join(each.name for each in outputs)
        raise UsageError(f"the reference returned nothing and left {names} unchanged, so it does not say what is right: let "
                         f"it return the expected contents, or fill {names} in place")


def _require_takes(reference: Callable[..., Any], names: list[str]) -> None:
    import inspect

    try:
        signature = inspect.signature(reference)
    except (TypeError, ValueError):  # some of C's say nothing
        return
    try:
        signature.bind(*names)
    except TypeError as error:
        raise UsageError(f"the reference is called with all arguments of the kernel, in its order: {', '.join(names)}; the "
                         f"function takes {signature} ({error})") from None


def _expected(name: str, value: Any, outputs: list[Argument]) -> Any:
    import numpy as np

    found = [output for output in outputs if output.name == name]
    if not found:
        raise UsageError(f"the reference gives {name}, which is no output; there are "
                         f"{', '.join(output.name for output in outputs) or 'none'}")
    array = np.asarray(host_array(value, name))
    if array.size != found[0].value.size:
        raise UsageError(f"the reference gives {array.size} elements of {name}, which has {found[0].value.size}")
    return as_elements(array, found[0].value.dtype, f"the reference gives {name}")


def as_elements(array: Any, wanted: Any, what: str) -> Any:
    """The array in an output's type. Raises UsageError where that costs more than rounding: no kernel could be right."""
    import numpy as np

    if array.dtype.kind not in "biufc":
        raise UsageError(f"{what} elements of {array.dtype}, which are no numbers; pass .astype(numpy.{wanted})")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an imaginary part
        converted = array.astype(wanted)
        if wanted.kind == "f":  # which rounds
            lost = (np.isfinite(array) != np.isfinite(converted)) | (array.imag != 0)
        else:
            lost = array != converted
    if np.any(lost):
        raise UsageError(f"{what} the value {array[lost].flat[0]} ({array.dtype}), and its elements are {wanted}, which cannot "
                         f"hold it. Let it give what the kernel should write: round, clip or wrap as the kernel does, then "
                         f".astype(numpy.{wanted})")
    return converted


def take_tolerance(arguments: list[Argument], tolerance: Any) -> None:
    """Outputs that say nothing themselves get the call's tolerance, or what is usual for their type."""
    outputs = [argument for argument in arguments if argument.is_output]
    by_name: Mapping[str, Any] = {}
    if isinstance(tolerance, Mapping):
        by_name = {name: own for name, own in tolerance.items() if name in {output.name for output in outputs}}
        tolerance = {name: own for name, own in tolerance.items() if name not in by_name} or None
    every = None if tolerance is None else absolute_and_relative(tolerance)
    for output in outputs:
        if output.absolute or output.relative:
            continue
        own = by_name.get(output.name)
        pair = every if own is None else absolute_and_relative(own)
        output.absolute, output.relative = pair or USUAL_TOLERANCE.get(element_type(output.value, output.name), (0.0, 0.0))


def absolute_and_relative(tolerance: Any) -> tuple[float, float]:
    """Of a number, which is absolute, of a pair, or of a dictionary of both."""
    if isinstance(tolerance, Mapping):
        unknown = set(tolerance) - {"absolute", "relative"}
        if unknown:
            raise UsageError(f"the tolerance says '{sorted(unknown)[0]}'; expected absolute, relative or an output's name")
        tolerance = (tolerance.get("absolute", 0.0), tolerance.get("relative", 0.0))
    pair = tolerance if isinstance(tolerance, (tuple, list)) else (tolerance, 0.0)
    try:
        absolute, relative = map(float, pair)
    except (TypeError, ValueError):
        raise UsageError(f"the tolerance is {tolerance!r}; expected a number, which is absolute, or a pair (absolute, "
                         "relative), for all outputs or in a dictionary by output's name") from None
    return absolute, relative
