"""What Kernel Tuner's arguments mean, as expressions of the engine."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .. import _native
from .._expressions import Configuration, called, expression_of, literal
from ..errors import UsageError

Parameters = Mapping[str, Sequence[Any]]
BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
# Their texts become one source, which every compile reads: NVRTC skips 12 MiB of it in 0.15 s.
MOST_GENERATED, MOST_GENERATED_BYTES = 4096, 16 << 20
CHOICE = "warptune_choice_"
WORD = r"\b[A-Za-z_]\w*\b"


class NotSupported(NotImplementedError):
    """An argument of Kernel Tuner's that Warptune does not take."""


def refuse(argument: str, why: str) -> None:
    raise NotSupported(f"{argument}: {why}")


def expression(value: Any, parameters: Parameters, what: str, *, truth: bool = False,
               unknown: Mapping[str, str] = MappingProxyType({})) -> str:
    """A number, a text of Python's with parameters' names, or a function of a dictionary. `truth` and `unknown` as
    `expression_of` has them."""
    if isinstance(value, str):
        try:
            _native.names(value)
            return f"({re.sub(WORD, lambda found: unknown.get(found[0], found[0]), value)})"
        except _native.EngineError:  # Python that the language does not have
            value = _evaluated(value, what)
    return expression_of(value, parameters, {}, what, truth=truth, unknown=unknown) if callable(value) else literal(value)


def _evaluated(text: str, what: str) -> Callable[[Mapping[str, Any]], Any]:
    code = compile(text, f"<{what}>", "eval")
    scope = {"math": math, "min": min, "max": max, "abs": abs, "round": round, "int": int, "float": float}
    return lambda c: eval(code, {"__builtins__": {}, **scope}, c)


def extents(problem_size: Any, parameters: Parameters) -> list[str]:
    """Three extents of the problem."""
    if callable(problem_size):
        example = problem_size({name: values[0] for name, values in parameters.items()})
        count = len(example) if isinstance(example, (tuple, list)) else 1

        def part(index: int) -> Callable[[Configuration], Any]:
            return lambda c: problem_size(c)[index] if isinstance(example, (tuple, list)) else problem_size(c)

        given = [expression_of(part(i), parameters, {}, "problem_size") for i in range(count)]
    else:
        several = problem_size if isinstance(problem_size, (tuple, list)) else [problem_size]
        given = [f"floor({expression(each, parameters, 'problem_size')})" if isinstance(each, str)
                 else literal(int(each)) for each in several]
    return [*given, "1", "1"][:3]


def divisor(given: Any, default: str, parameters: Parameters, what: str) -> str:
    if given is None:
        return default if default in parameters else "1"
    if isinstance(given, str):
        return f"floor({expression(given, parameters, what)})"
    if isinstance(given, (list, tuple)):
        return " * ".join(divisor(each, "1", parameters, what) for each in given) or "1"
    return expression(given, parameters, what)


def geometry(problem_size: Any, divisors: Sequence[Any], names: Sequence[str],
             parameters: Parameters) -> tuple[list[str], list[str]]:
    """The grid and the block, as Kernel Tuner computes them: a real division, rounded up."""
    sizes = extents(problem_size, parameters)
    grid = [f"ceil({size} / ({divisor(given, name, parameters, f'grid_div_{axis}')}))"
            for size, given, name, axis in zip(sizes, divisors, names, "xyz")]
    block = [name if name in parameters else default for name, default in zip(names, ("256", "1", "1"))]
    return grid, block


def block_names(given: Sequence[str] | None) -> list[str]:
    if given is not None and (not isinstance(given, (list, tuple)) or len(given) > 3):
        raise UsageError("block_size_names: expected a list of up to three names")
    return [*(given or ()), *BLOCK_NAMES[len(given or ()):]]


def _several(restrictions: Any) -> dict[str, Any]:
    """Each restriction by what it is called. A tuple holds several, unless its second is a list of parameters."""
    if restrictions is None:
        return {}
    several = isinstance(restrictions, list) or (isinstance(restrictions, tuple) and not _is_pair(restrictions))
    return {f"restrictions[{i}]": each for i, each in enumerate(restrictions if several else [restrictions])}


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], (list, tuple))


def constraints(restrictions: Any, parameters: Parameters) -> list[str]:
    """Texts, functions, objects of python-constraint, and pairs of these with the parameters that they are about."""
    names = list(parameters)
    return [expression(each if isinstance(each, str) else _predicate(each, names, what), parameters, what, truth=True)
            for what, each in _several(restrictions).items()]


def allowed(restrictions: Any, configuration: Mapping[str, Any]) -> bool:
    """Whether a configuration satisfies all restrictions."""
    return all(called(_predicate(each, list(configuration), what), configuration)
               for what, each in _several(restrictions).items())


def _predicate(given: Any, names: list[str], what: str) -> Callable[..., Any]:
    """A restriction as a function of a configuration."""
    if _is_pair(given):
        return _predicate_over(given[0], list(given[1]), what)
    if hasattr(given, "preProcess") and hasattr(given, "forwardCheck"):
        return _predicate_over(given, names, what)
    if isinstance(given, str):
        return _evaluated(given, what)
    if callable(given):
        return given  # type: ignore[no-any-return]
    raise UsageError(f"{what} is a {type(given).__name__}; expected a text, a function, a Constraint, or a pair of one with a "
                     "list of parameters")


def _predicate_over(given: Any, names: list[str], what: str) -> Callable[..., Any]:
    if hasattr(given, "preProcess"):  # python-constraint's objects decide of an assignment
        return lambda c: given(names, {}, {name: c[name] for name in names})
    if callable(given):
        return lambda c: given(*(c[name] for name in names))
    return _predicate(given, names, what)


def looks_like_a_file(text: str) -> bool:
    return len(text) <= 250 and not set(text) & set("();{}\\\n") and any(part in text for part in (".c", ".h"))


def source_text(kernel_source: Any, parameters: Parameters) -> tuple[str, list[Path]]:
    """The source, and where its headers lie."""
    if isinstance(kernel_source, (list, tuple)):
        files = [Path(each) for each in kernel_source]
        text, folders = source_text(kernel_source[0], parameters)
        return text, [*folders, *(file.resolve().parent for file in files[1:])]
    if callable(kernel_source):
        return _generated(kernel_source, parameters), []
    if isinstance(kernel_source, Path) or looks_like_a_file(kernel_source):
        file = Path(kernel_source)
        if not file.is_file():
            raise UsageError(f"kernel_source: there is no file {file}")
        return file.read_text(), [file.resolve().parent]
    return str(kernel_source), []


def choices(parameters: Parameters) -> dict[str, str]:
    """Macros that say which value each parameter has: the preprocessor compares integers alone."""
    def number(name: str, values: Sequence[Any], first: int) -> str:
        if len(values) == 1:  # halves of halves: expressions are nested 200 deep at most
            return f"({first} if {name} == {literal(values[0])} else 0)"
        half = len(values) // 2
        return f"({number(name, values[:half], first)} + {number(name, values[half:], first + half)})"

    return {CHOICE + name: number(name, values, 0) for name, values in parameters.items()}


def _generated(generate: Callable[[dict[str, Any]], str], parameters: Parameters) -> str:
    """The texts of a generator for all configurations, each where its parameters have those values."""
    count = math.prod(len(values) for values in parameters.values())
    if count > MOST_GENERATED:
        refuse("kernel_source", f"a function that generates the source is asked for all {count} configurations in "
               f"advance, and {MOST_GENERATED} are the most; make one source of it, with the parameters as macros")
    texts: dict[str, list[str]] = {}
    for indices in itertools.product(*(range(len(values)) for values in parameters.values())):
        configuration = {name: values[index] for (name, values), index in zip(parameters.items(), indices)}
        condition = " && ".join(f"{CHOICE}{name} == {index}" for name, index in zip(parameters, indices))
        texts.setdefault(generate(configuration), []).append(f"({condition})")
    if len(texts) == 1:
        return next(iter(texts))
    if (size := sum(map(len, texts))) > MOST_GENERATED_BYTES:
        refuse("kernel_source", f"the {len(texts)} sources that it generates have {size / 2**20:.1f} MiB together, and "
               f"{MOST_GENERATED_BYTES >> 20} MiB are the most; make one source of it, with the parameters as macros")
    branches = [f"#{'el' if i else ''}if {' || '.join(conditions)}\n{text}\n" for i, (text, conditions) in
                enumerate(texts.items())]
    return "".join(branches) + "#endif\n"


def template_name(kernel_name: str, parameters: Parameters) -> str:
    """`vector_add<float_type>` with the parameter's value in its place."""
    head, bracket, rest = kernel_name.partition("<")
    for name in parameters:
        rest = re.sub(rf"\b{re.escape(name)}\b", f"{{{name}}}", rest)
    return head + bracket + rest


def plain_values(parameters: Any) -> dict[str, list[Any]]:
    """The domains, with NumPy's numbers as Python's."""
    if not isinstance(parameters, Mapping):
        raise UsageError("tune_params: expected a dictionary of names and lists of values")
    return {name: [value.item() if hasattr(value, "item") else value for value in values]
            for name, values in parameters.items()}
