"""A kernel's arguments: arrays with their roles, and numbers with their types.

The engine keeps the data of a session itself, in guarded buffers that it restores and poisons between runs, and
measures in other processes. Arrays are therefore read once, when a session begins: those in a GPU's memory (DLPack,
`__cuda_array_interface__`) are copied to the host for that, and nothing of the caller's is written to by a session.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Literal

from .errors import UsageError

Role = Literal["input", "output", "inout", "scratch"]

# NumPy's names of element types by the manifest's. Half is NumPy's float16; NumPy has no bfloat16.
ELEMENTS = {
    "float32": "float", "float64": "double", "float16": "half",
    "int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16",
    "int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64", "bool": "uint8",
}
# Types of C's in a kernel's signature by NumPy's names.
C_TYPES = {
    "float": "float32", "double": "float64", "half": "float16", "__half": "float16", "bool": "bool",
    "char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16", "unsigned short": "uint16",
    "int": "int32", "unsigned": "uint32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64",
    "long long": "int64", "long int": "int64", "unsigned long long": "uint64", "size_t": "uint64",
    "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16", "int32_t": "int32",
    "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
}
C_NAMES = {"float32": "float", "float64": "double", "float16": "half", "int8": "signed char", "uint8": "unsigned char",
           "int16": "short", "uint16": "unsigned short", "int32": "int", "uint32": "unsigned int", "int64": "long long",
           "uint64": "unsigned long long", "bool": "bool"}


@dataclass(eq=False)  # arrays have no one truth
class Argument:
    """One argument of the kernel. Made by `input`, `output`, `inout` and `scratch`."""

    value: Any
    role: Role | None
    absolute: float = 0.0
    relative: float = 0.0
    nondeterministic: bool = False
    compared: bool = True
    name: str = ""
    symbol: str = ""

    @property
    def is_output(self) -> bool:
        return self.role in ("output", "inout")


def input(array: Any) -> Argument:
    """An array that the kernel reads."""
    return Argument(array, "input")


def output(array: Any, *, absolute: float = 0.0, relative: float = 0.0, nondeterministic: bool = False) -> Argument:
    """An array that the kernel fills; only the shape and the type of `array` count.

    A result is right if |got - expected| <= absolute + relative * |expected|. `nondeterministic` allows runs of one
    configuration to differ within that, as sums of atomics do.
    """
    return Argument(array, "output", absolute, relative, nondeterministic)


def inout(array: Any, *, absolute: float = 0.0, relative: float = 0.0, nondeterministic: bool = False,
          compared: bool = True) -> Argument:
    """An array that the kernel changes; it is put back before every run. With `compared` false it is scratch memory
    with first values, which nobody looks at."""
    return Argument(array, "inout", absolute, relative, nondeterministic, compared)


def scratch(array: Any) -> Argument:
    """Memory that the kernel uses and nobody looks at; its contents are poisoned before each run."""
    return Argument(array, "scratch")


def host_array(value: Any, name: str) -> Any:
    """A NumPy array with the same contents: the array itself where it lies in the host's memory."""
    import numpy as np

    if isinstance(value, np.ma.MaskedArray):
        raise UsageError(f"the argument {name} is a masked array, and a kernel sees no mask; pass .filled(VALUE) of it, or "
                         ".data")
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # CuPy
        return value.get()
    if type(value).__module__.split(".")[0] == "torch":
        return value.detach().cpu().numpy()
    if hasattr(value, "__cuda_array_interface__"):
        return _through_cupy(value, name)
    if hasattr(value, "__dlpack__"):
        return _through_dlpack(value, name)
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        pass
    if isinstance(value, (list, tuple)):
        raise UsageError(f"the argument {name} is a {type(value).__name__}, which does not say the type of its "
                         "elements; pass numpy.array(…, dtype=…)")
    raise UsageError(f"the argument {name} is a {type(value).__name__}; expected a number, or an array with the "
                     "buffer protocol, DLPack or __cuda_array_interface__")


def whole(value: Any, what: str, least: int | None = None) -> int:
    """An integer of Python's, from one of NumPy's too."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{what} is {value!r}; expected an integer") from None
    if least is not None and number < least:
        raise UsageError(f"{what} is {number}; expected an integer of at least {least}")
    return number


def kernels_array(value: Any, name: str) -> Any:
    """What a kernel is called with: as `host_array`, of elements that lie one behind the other, in C's order."""
    array = host_array(value, name)
    if not array.flags.c_contiguous:
        raise UsageError(f"the argument {name} is not contiguous in C's order (shape {array.shape}, strides {array.strides} "
                         f"bytes), and a kernel reads memory as it lies. Pass numpy.ascontiguousarray({name}) for rows one "
                         f"behind the other, or {name}.ravel(order='K') for the elements as they lie")
    return array


def write_back(target: Any, array: Any) -> None:
    """The contents of a NumPy array into the caller's own array, if that lies in a GPU's memory."""
    if type(target).__module__.split(".")[0] == "torch":
        import torch

        if target.is_cuda:
            target.copy_(torch.from_numpy(array))
    elif hasattr(target, "__cuda_array_interface__"):
        import cupy

        cupy.asarray(target)[...] = cupy.asarray(array)


def _through_cupy(value: Any, name: str) -> Any:
    try:
        import cupy
    except ImportError:
        raise UsageError(f"the argument {name} lies in a GPU's memory and offers __cuda_array_interface__ alone; "
                         "install CuPy, which copies it, or pass a copy on the host") from None
    return cupy.asarray(value).get()


def _through_dlpack(value: Any, name: str) -> Any:
    import numpy as np

    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise UsageError(f"the argument {name} cannot be brought to the host through DLPack: {error}; pass a copy on "
                         "the host") from None


def is_array(value: Any) -> bool:
    """Whether it is an array rather than a number."""
    if isinstance(value, (bool, int, float)):
        return False
    import numpy as np

    if isinstance(value, np.generic):
        return False
    return not (isinstance(value, np.ndarray) and value.ndim == 0)


def element_type(array: Any, name: str) -> str:
    """The manifest's word for the elements of a NumPy array or number."""
    known = ELEMENTS.get(array.dtype.name)
    if known is None or array.dtype.byteorder == ">":
        raise UsageError(f"the argument {name} holds {array.dtype}; a kernel's elements are one of "
                         f"{', '.join(ELEMENTS)}, in this machine's byte order")
    return known
