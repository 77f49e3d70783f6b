"""A kernel template written from a call: the source, a manifest, and the arrays as .npy files.

What Python tunes is then what the command line tunes: the same search, verification and measurement, workers that may
crash, a session's key made of contents. The folder may be kept (`tune(…, template="folder")`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _native
from ._arguments import C_NAMES, C_TYPES, Argument, element_type, is_array, kernels_array, whole
from ._expressions import Value, expression_of, literal
from .errors import UsageError

Extent = Any  # an integer, an expression, or a function of a configuration


@dataclass
class Parameter:
    """A parameter in a kernel's signature."""

    name: str
    type: str
    pointer: bool
    const: bool


@dataclass
class Description:
    """All that a manifest says, as a call gave it."""

    source: str
    kernel: str
    parameters: dict[str, list[Value]]
    arguments: list[Argument]
    grid: Sequence[Extent]
    block: Sequence[Extent]
    shared: Extent = 0
    constraints: Sequence[str | Callable[..., Any]] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    defaults: Mapping[str, Value] = field(default_factory=dict)
    defines: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[str] = ("-std=c++17",)
    cuda_options: Sequence[str] = ()
    include_directories: Sequence[Path] = ()
    expected: dict[str, Any] = field(default_factory=dict)  # NumPy arrays by argument
    may_be_unused: bool = False
    name: str = ""


def signature(source: str, kernel: str) -> list[Parameter] | None:
    """The parameters of a kernel in a source; nothing where the source does not show them."""
    plain = kernel.split("<")[0].split("::")[-1].strip()
    for found in json.loads(_native.kernels(source)):
        if found["name"] == plain:
            return [Parameter(each["name"], each["type"], each["pointers"] > 0, each["const"])
                    for each in found["parameters"]]
    return None


def only_kernel(source: str) -> str:
    """The name of the kernel in a source that has one."""
    names = [found["name"] for found in json.loads(_native.kernels(source))]
    if len(names) == 1:
        return str(names[0])
    raise UsageError(f"the source has {len(names)} kernels ({', '.join(names) or 'none was found'}); say which is tuned: "
                     "kernel=\"NAME\"")


def named_arguments(given: Mapping[str, Any] | Sequence[Any], parameters: list[Parameter] | None,
                    kernel: str) -> list[Argument]:
    """The arguments in the kernel's order, with names and roles."""
    if parameters is not None and len(given) != len(parameters):
        raise UsageError(f"{kernel} has {len(parameters)} parameters ({', '.join(each.name for each in parameters)}), "
                         f"and {len(given)} arguments were given")
    if isinstance(given, Mapping):
        order = [each.name for each in parameters] if parameters else list(given)
        missing = [name for name in order if name not in given]
        if missing:
            raise UsageError(f"{kernel} has a parameter {missing[0]}, which is not among the arguments "
                             f"{', '.join(given)}")
        values = [given[name] for name in order]
    else:
        values = list(given)
        order = [each.name for each in parameters] if parameters else [f"argument{i}" for i in range(len(values))]
    return [_argument(name, value, parameters[i] if parameters else None)
            for i, (name, value) in enumerate(zip(order, values))]


def _argument(name: str, value: Any, parameter: Parameter | None) -> Argument:
    argument = value if isinstance(value, Argument) else Argument(value, None)
    argument = Argument(**{**argument.__dict__, "name": name})
    if argument.role is None and is_array(argument.value):
        argument.role = "input" if parameter is not None and parameter.const else "inout"
    if parameter is not None and parameter.pointer and argument.role is None and hasattr(argument.value, "dtype"):
        raise UsageError(f"the kernel's parameter {name} takes an array, and a {type(argument.value).__name__} without "
                         "dimensions is a number; pass .reshape(1) of it")
    if parameter is not None and parameter.pointer != (argument.role is not None):
        wanted = "an array" if parameter.pointer else f"a number ({parameter.type})"
        raise UsageError(f"the kernel's parameter {name} takes {wanted}, not a {type(argument.value).__name__}")
    if argument.role is not None:
        argument.value = kernels_array(argument.value, name)
        if argument.value.size == 0:
            raise UsageError(f"the argument {name} is an empty array; give it an element at least")
        require_elements(argument, parameter)
    else:
        argument.value = _number(argument.value, parameter, name)
    return argument


def require_elements(argument: Argument, parameter: Parameter | None) -> None:
    """That the array's elements are what the kernel's pointer points to, as far as the signature tells."""
    import numpy as np

    if argument.value.dtype.byteorder == ">":
        raise UsageError(f"the argument {argument.name} holds {argument.value.dtype}, whose bytes are in the other order; pass "
                         f".astype(numpy.{argument.value.dtype.name})")
    wanted = C_TYPES.get(parameter.type) if parameter is not None else None
    if wanted is None or _same_bits(argument.value.dtype, np.dtype(wanted)):
        return
    raise UsageError(f"the kernel's parameter {argument.name} points to {parameter.type}, and the array holds "  # type: ignore[union-attr]
                     f"{argument.value.dtype}; convert it with .astype(numpy.{wanted})")


def _number(value: Any, parameter: Parameter | None, name: str) -> Any:
    """As `_typed_number`, and finite: a manifest has no word for others."""
    import numpy as np

    with np.errstate(over="ignore"):
        number = _typed_number(value, parameter, name)
    if number.dtype.kind == "f" and not np.isfinite(number):
        lost = f", which {number.dtype} cannot hold" if np.isfinite(float(value)) else ""
        raise UsageError(f"the argument {name} is {value}{lost}; a kernel is tuned with finite numbers")
    return number


def _typed_number(value: Any, parameter: Parameter | None, name: str) -> Any:
    """A NumPy number of the kernel's own type: of another size it would shift every argument behind it, and of another
    kind its bits would mean something else."""
    import numpy as np

    wanted = C_TYPES.get(parameter.type) if parameter is not None else None
    if isinstance(value, (np.generic, np.ndarray)):
        number = value if isinstance(value, np.generic) else value[()]
        if wanted is not None and not _same_bits(number.dtype, np.dtype(wanted)):
            raise UsageError(f"the kernel's parameter {name} is {parameter.type}, and the argument is "  # type: ignore[union-attr]
                             f"{number.dtype}; pass numpy.{wanted}({value})")
        return number
    if wanted is None:
        wanted = "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"
        if parameter is None or not isinstance(value, (bool, int, float)):
            raise UsageError(f"the type of the argument {name} is not known; pass a NumPy number, such as "
                             f"numpy.int32({value!r})")
    kind = np.dtype(wanted)
    if kind.kind in "iu" and not (np.iinfo(kind).min <= value <= np.iinfo(kind).max and value == int(value)):
        raise UsageError(f"the argument {name} is {value}, which is no {wanted}")
    return kind.type(value)


def _same_bits(given: Any, wanted: Any) -> bool:
    """Whether a kernel reads numbers of both types alike; signed or not, the kernel decides."""
    return bool(given == wanted) or (given.itemsize == wanted.itemsize and given.kind in "iub" and wanted.kind in "iub")


# The manifest.

def _text(value: object) -> str:
    """A TOML value; its basic strings are JSON's."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_text(each) for each in value) + "]"
    if hasattr(value, "item"):
        return _text(value.item())
    return repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


class _Writer:
    def __init__(self, description: Description) -> None:
        self.of = description
        self.lines: list[str] = []
        self.constants: dict[str, Value] = dict(description.sizes)

    def expression(self, value: Extent, what: str, **kind: Any) -> str:
        if callable(value):
            return expression_of(value, self.of.parameters, self.constants, what, **kind)
        return value if isinstance(value, str) else literal(value)

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)

    def head(self) -> None:
        of = self.of
        name = of.name or re.sub(r"[^A-Za-z0-9_-]+", "_", of.kernel).strip("_")
        self.add(f"name = {_text(name)}", f"options = {_text(list(of.options))}")
        cuda_options = list(of.cuda_options)
        # A source with a host part, as people keep them: it is cut out before anything is compiled.
        if re.search(r"<<<|\bint\s+main\s*\(|#\s*include\s*<(std|c?math|c?assert|iostream)", of.source):
            self.add("whole_program = true")
            cuda_options.append("-default-device")
        if cuda_options:
            self.add(f"options_cuda = {_text(cuda_options)}")
        if of.include_directories:
            self.add(f"include_directories = {_text([str(each) for each in of.include_directories])}")
        texts = [self.expression(each, f"the constraint {i + 1}", truth=True) for i, each in enumerate(of.constraints)]
        if texts:
            self.add("constraints = [", *(f"  {_text(text)}," for text in texts), "]")
        if of.sizes:
            self.add("", "[sizes]", *(f"{_key(name)} = {value}" for name, value in of.sizes.items()))
        if of.defines:
            self.add("", "[defines]", *(f"{_key(name)} = {_text(self.expression(value, f'the define {name}'))}"
                                        for name, value in of.defines.items()))

    def parameters(self) -> None:
        for name, values in self.of.parameters.items():
            self.add("", f"[parameters.{_key(name)}]", f"values = {_text(list(values))}",
                     f"default = {_text(self.of.defaults.get(name, values[0]))}")
            if self.of.may_be_unused:
                self.add("unused = true")

    def argument(self, argument: Argument) -> None:
        array = argument.value
        kind = "temporaries" if argument.role == "scratch" else "arguments"
        self.add("", f"[{kind}.{_key(argument.name)}]", f"type = {_text(element_type(array, argument.name))}")
        if argument.role is None:
            known = argument.name in self.of.sizes and self.of.sizes[argument.name] == array
            self.add(f"value = {_text(argument.name if known else literal(array))}")
            return
        self.add(f"shape = {_text([str(extent) for extent in array.shape] or ['1'])}")
        if argument.role == "scratch":
            return
        self.add(f"role = {_text(argument.role)}")
        if argument.symbol:
            self.add(f"symbol = {_text(argument.symbol)}")
        if argument.role != "output":
            self.add(f"fill = {{ npy = {_text(argument.name + '.npy')} }}")
        if not argument.is_output:
            return
        if argument.absolute or argument.relative:
            self.add(f"tolerance = {{ absolute = {argument.absolute!r}, relative = {argument.relative!r} }}")
        else:
            self.add("tolerance = { absolute = 0 }")
        if not argument.compared:
            self.add('counts = "0"')
        if argument.nondeterministic:
            self.add('nondeterministic = "true"')

    def launch(self) -> None:
        of = self.of
        self.add("", "[[launches]]", f"kernel = {_text(of.kernel)}")
        for key, extents in (("grid", of.grid), ("block", of.block)):
            texts = [self.expression(extent, f"the {key}'s {'xyz'[i]}") for i, extent in enumerate(extents)]
            self.add(f"{key} = {_text(texts)}")
        if of.shared != 0:
            self.add(f"shared = {_text(self.expression(of.shared, 'the shared memory'))}")
        self.add(f"arguments = {_text([each.name for each in of.arguments if not each.symbol])}")

    def reference(self) -> None:
        self.add("", "[reference]", "default_configuration = true")
        for name in self.of.expected:
            self.add(f"data.{_key(name)} = {{ npy = {_text(name + '.expected.npy')} }}")

    def metrics(self) -> None:
        for name, value in self.of.metrics.items():
            better = "higher"
            if isinstance(value, tuple):
                value, better = value
            if better not in ("higher", "lower"):
                raise UsageError(f"the metric {name} says {better!r}; expected \"higher\" or \"lower\" is better")
            text = self.expression(value, f"the metric {name}", unknown={"time": "time"})
            self.add("", f"[metrics.{_key(name)}]", f"value = {_text(text)}", f"better = {_text(better)}")


def write_template(description: Description, folder: Path) -> Path:
    """Writes all files; the manifest's path."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(description)
    writer.head()
    writer.parameters()
    for argument in description.arguments:
        writer.argument(argument)
        if argument.role in ("input", "inout"):
            np.save(folder / f"{argument.name}.npy", _plain(argument.value))
    for name, array in description.expected.items():
        np.save(folder / f"{name}.expected.npy", _plain(array))
    writer.launch()
    writer.reference()
    writer.metrics()
    (folder / "kernel.cu").write_text(description.source)
    manifest = folder / "template.toml"
    manifest.write_text("\n".join(writer.lines) + "\n")
    return manifest


def _plain(array: Any) -> Any:
    import numpy as np

    plain = np.ascontiguousarray(array)
    return plain.view(np.uint8) if plain.dtype == np.bool_ else plain


def integer_sizes(arguments: list[Argument], sizes: Mapping[str, int]) -> dict[str, int]:
    """The problem's sizes: those given, and every positive integer among the arguments, by its name."""
    found = {argument.name: int(argument.value) for argument in arguments
             if argument.role is None and argument.value.dtype.kind in "iu" and 0 < int(argument.value) < 2**63}
    return {**found, **{name: whole(value, f"the size {name}") for name, value in sizes.items()}}


def c_type(name: str) -> str:
    return C_NAMES.get(name, name)
