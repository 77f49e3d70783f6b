"""Python functions of a configuration, made into expressions of the engine's language.

A constraint that is a text is part of a session's key, is drawn into the search space's index and can be explained. So a
lambda is called once with symbols instead of numbers, which write down what is done to them; where it decides (`and`,
`if`, `in`), each way is followed. A function that needs real numbers (`math.log2`, a look-up) is asked for each
combination of the parameters that it reads, once, and becomes a table.
(Rejected: calling it back from the engine. It would have no text, and the interpreter's lock would be taken for each
partial configuration.)
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from .errors import UsageError

Value = bool | int | float | str
Rows = dict[tuple[int, ...], Any]  # values by the indices of parameters' values

MOST_PATHS = 64
MOST_COMBINATIONS = 200_000


def literal(value: object) -> str:
    """A value as the language writes it."""
    if hasattr(value, "item") and not isinstance(value, Symbol):
        value = value.item()  # NumPy's numbers
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError(f"{value} cannot stand in an expression")
        return repr(value) if value >= 0 else f"({value!r})"
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
        return f"'{text}'"
    raise UsageError(f"{value!r} is no number, boolean or string")


class _Fork(BaseException):
    """A decision that depends on a symbol; not an Exception, so that no `except` of the function's hides it."""

    def __init__(self, condition: str) -> None:
        self.condition = condition


class _NeedsNumbers(BaseException):
    """The function does what symbols cannot."""


class Symbol:
    """A value that is not known yet, as the text that gives it."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str, decisions: list[bool], boolean: bool = False) -> None:
        self.text = text
        self._decisions = decisions  # those still to be replayed
        self._boolean = boolean

    def _made(self, text: str, boolean: bool = False) -> "Symbol":
        return Symbol(text, self._decisions, boolean)

    def _binary(self, operator: str, other: object, swapped: bool = False, boolean: bool = False) -> "Symbol":
        text = other.text if isinstance(other, Symbol) else literal(other)
        pair = (text, self.text) if swapped else (self.text, text)
        return self._made(f"({pair[0]} {operator} {pair[1]})", boolean)

    def __bool__(self) -> bool:
        if not self._decisions:
            raise _Fork(self.text)
        return self._decisions.pop(0)

    def __add__(self, other: object) -> "Symbol": return self._binary("+", other)
    def __radd__(self, other: object) -> "Symbol": return self._binary("+", other, True)
    def __sub__(self, other: object) -> "Symbol": return self._binary("-", other)
    def __rsub__(self, other: object) -> "Symbol": return self._binary("-", other, True)
    def __mul__(self, other: object) -> "Symbol": return self._binary("*", other)
    def __rmul__(self, other: object) -> "Symbol": return self._binary("*", other, True)
    def __truediv__(self, other: object) -> "Symbol": return self._binary("/", other)
    def __rtruediv__(self, other: object) -> "Symbol": return self._binary("/", other, True)
    def __floordiv__(self, other: object) -> "Symbol": return self._binary("//", other)
    def __rfloordiv__(self, other: object) -> "Symbol": return self._binary("//", other, True)
    def __mod__(self, other: object) -> "Symbol": return self._binary("%", other)
    def __rmod__(self, other: object) -> "Symbol": return self._binary("%", other, True)
    def __pow__(self, other: object) -> "Symbol": return self._binary("**", other)
    def __rpow__(self, other: object) -> "Symbol": return self._binary("**", other, True)
    def __eq__(self, other: object) -> "Symbol": return self._compared("==", other)  # type: ignore[override]
    def __ne__(self, other: object) -> "Symbol": return self._compared("!=", other)  # type: ignore[override]
    def __lt__(self, other: object) -> "Symbol": return self._compared("<", other)
    def __le__(self, other: object) -> "Symbol": return self._compared("<=", other)
    def __gt__(self, other: object) -> "Symbol": return self._compared(">", other)
    def __ge__(self, other: object) -> "Symbol": return self._compared(">=", other)
    def __neg__(self) -> "Symbol": return self._made(f"(-{self.text})")
    def __pos__(self) -> "Symbol": return self
    def __abs__(self) -> "Symbol": return self._made(f"abs({self.text})")
    def __floor__(self) -> "Symbol": return self._made(f"floor({self.text})")
    def __ceil__(self) -> "Symbol": return self._made(f"ceil({self.text})")
    def __and__(self, other: object) -> "Symbol": return self._logical("and", other)
    def __or__(self, other: object) -> "Symbol": return self._logical("or", other)

    def __invert__(self) -> "Symbol":
        if not self._boolean:
            raise _NeedsNumbers
        return self._made(f"(not {self.text})", True)

    def _compared(self, operator: str, other: object) -> "Symbol":
        if other is None or isinstance(other, (list, tuple, dict)):
            raise _NeedsNumbers
        return self._binary(operator, other, boolean=True)

    def _logical(self, operator: str, other: object) -> "Symbol":
        # Of integers, & and | are arithmetic that the language does not have.
        if not self._boolean or not (isinstance(other, bool) or (isinstance(other, Symbol) and other._boolean)):
            raise _NeedsNumbers
        return self._binary(operator, other, boolean=True)

    def _refuse(self, *_: object) -> NoReturn:
        raise _NeedsNumbers

    __int__ = __float__ = __index__ = __complex__ = __round__ = __trunc__ = _refuse
    __lshift__ = __rshift__ = __rlshift__ = __rrshift__ = __xor__ = __divmod__ = __rdivmod__ = _refuse
    __iter__ = __len__ = __getitem__ = __contains__ = _refuse
    __format__ = __str__ = _refuse


class Configuration(Mapping[str, Any]):
    """What a function of a configuration is given: values by attribute (`c.BLOCK`) or by key (`c["BLOCK"]`)."""

    def __init__(self, values: Mapping[str, Any], used: set[str] | None = None) -> None:
        self._values = values
        self._used = used

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"{name} is no parameter and no size; there are {', '.join(self._values)}")
        if self._used is not None:
            self._used.add(name)
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def called(function: Callable[..., Any], values: Mapping[str, Any], used: set[str] | None = None) -> Any:
    """With one configuration, or by names: `lambda BLOCK, TILE: …`."""
    configuration = Configuration(values, used)
    names = _parameter_names(function)
    if len(names) != 1:
        return function(*(configuration[name] for name in names))
    if names[0] not in values:
        return function(configuration)
    try:
        return function(configuration[names[0]])
    except (AttributeError, TypeError, _NeedsNumbers) as error:
        # `lambda c: c.BLOCK` may mean the configuration, although a size is called c as well.
        with contextlib.suppress(Exception, _NeedsNumbers):
            return function(configuration)
        raise error from None


def _parameter_names(function: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["configuration"]
    return [each.name for each in parameters
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) and each.default is each.empty]


def expression_of(function: Callable[..., Any], parameters: Mapping[str, Sequence[Value]],
                  constants: Mapping[str, Value], what: str, *, truth: bool = False,
                  unknown: Mapping[str, str] = MappingProxyType({})) -> str:
    """The function as an expression, of True or False with `truth`. `unknown` names what has no value yet, as the time, by
    the expressions that give it. Raises UsageError, saying `what` it is, where it depends on too much."""
    text = _traced(function, {**{name: name for name in (*parameters, *constants)}, **unknown})
    if text is not None:
        return text
    order, rows = _tabulated(function, parameters, constants, what, unknown)
    if truth or all(isinstance(value, bool) for value in rows.values()):
        _require_truths(rows, what)
        return _truths_text(order, parameters, rows)
    return _values_text(order, parameters, rows, what)


def _traced(function: Callable[..., Any], texts: Mapping[str, str]) -> str | None:
    paths = 0

    def follow(decided: list[bool]) -> str:
        nonlocal paths
        decisions = list(decided)
        values = {name: Symbol(text, decisions) for name, text in texts.items()}
        try:
            result = called(function, values)
        except _Fork as fork:
            paths += 1
            if paths > MOST_PATHS:
                raise _NeedsNumbers from None
            yes, no = follow([*decided, True]), follow([*decided, False])
            return f"({yes} if {fork.condition} else {no})"
        if isinstance(result, Symbol):
            return result.text
        return literal(result)

    try:
        return follow([])
    except (_NeedsNumbers, AttributeError, TypeError, UsageError):
        return None


def _tabulated(function: Callable[..., Any], parameters: Mapping[str, Sequence[Value]], constants: Mapping[str, Value],
               what: str, unknown: Mapping[str, str]) -> tuple[list[str], Rows]:
    """The parameters that the function reads, and its value for the indices of each of their combinations."""
    read: set[str] = set()
    while True:
        order = sorted((name for name in parameters if name in read), key=lambda name: len(parameters[name]))
        count = math.prod(len(parameters[name]) for name in order)
        if count > MOST_COMBINATIONS:
            raise UsageError(f"{what} reads {', '.join(order)}, which have {count} combinations; a function that is "
                             f"no arithmetic may read at most {MOST_COMBINATIONS}. Write it as an expression")
        rows: Rows = {}
        used: set[str] = set()
        for indices in itertools.product(*(range(len(parameters[name])) for name in order)):
            values = {name: domain[0] for name, domain in parameters.items()}
            values.update(constants)
            values.update({name: 1.0 for name in unknown})
            values.update({name: parameters[name][index] for name, index in zip(order, indices)})
            rows[indices] = plain(called(function, values, used))
        for name in used & set(unknown):
            raise UsageError(f"{what} does something else than arithmetic, as int() or round(), and reads {name}, which "
                             "has no single value before that. Use arithmetic, math.floor or math.ceil, or write it as an "
                             "expression")
        new = (used & set(parameters)) - read
        if not new:
            return order, rows
        read |= new


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    return value.item() if hasattr(value, "item") else value


def _require_truths(rows: Rows, what: str) -> None:
    for value in rows.values():
        if not isinstance(value, int):
            raise UsageError(f"{what} gives {value!r}; a function that is no arithmetic must give True or False")


def _by_text(below: Callable[[int, tuple[int, ...]], str], prefix: tuple[int, ...],
             values: Sequence[Value]) -> dict[str, list[str]]:
    """The values of the next parameter, by the expression that holds for them."""
    groups: dict[str, list[str]] = {}
    for index, value in enumerate(values):
        groups.setdefault(below(len(prefix) + 1, (*prefix, index)), []).append(literal(value))
    return groups


def _is_one_of(name: str, values: Sequence[str]) -> str:
    return f"{name} in [{', '.join(values)}]" if len(values) > 1 else f"{name} == {values[0]}"


def _truths_text(order: Sequence[str], parameters: Mapping[str, Sequence[Value]], rows: Rows) -> str:
    def below(level: int, prefix: tuple[int, ...]) -> str:
        if level == len(order):
            return "true" if rows[prefix] else "false"
        name = order[level]
        groups = _by_text(below, prefix, parameters[name])
        if len(groups) == 1:
            return next(iter(groups))
        parts = []
        for text, values in groups.items():
            if text != "false":
                chosen = _is_one_of(name, values)
                parts.append(chosen if text == "true" else f"({chosen} and {text})")
        return f"({' or '.join(parts)})"

    return below(0, ())


def _values_text(order: Sequence[str], parameters: Mapping[str, Sequence[Value]], rows: Rows, what: str) -> str:
    def chosen(name: str, groups: Sequence[tuple[str, list[str]]]) -> str:
        if len(groups) == 1:
            return groups[0][0]
        half = len(groups) // 2  # halves of halves: expressions are nested 200 deep at most
        first = [value for _, values in groups[:half] for value in values]
        return f"({chosen(name, groups[:half])} if {_is_one_of(name, first)} else {chosen(name, groups[half:])})"

    def below(level: int, prefix: tuple[int, ...]) -> str:
        if level == len(order):
            return _value_text(rows[prefix], what)
        return chosen(order[level], list(_by_text(below, prefix, parameters[order[level]]).items()))

    return below(0, ())


def _value_text(value: Any, what: str) -> str:
    try:
        return literal(value)
    except UsageError as error:
        raise UsageError(f"{what} gives {value!r}: {error}") from None
