"""Functions of a configuration become expressions that mean the same."""
import itertools
import math

import numpy as np
import pytest

from warptune import UsageError
from warptune._expressions import MOST_COMBINATIONS, Configuration, called, expression_of

PARAMETERS = {"A": [1, 2, 4, 8], "B": [1, 2, 3], "T": ["float", "double"], "F": [False, True]}
CONSTANTS = {"n": 100}


def value_of(text, configuration):
    """The engine's language is Python's where it matters here."""
    names = {"true": True, "false": False, "ceil": math.ceil, "floor": math.floor, **CONSTANTS, **configuration}
    return eval(text, {"__builtins__": {"abs": abs}}, names)


FUNCTIONS = [
    lambda c: c.A * c.B <= 8,
    lambda c: c["A"] > 2 and c.B < 3 or c.T == "float",
    lambda A, B: A in (1, 2) and B % 2 == 0,
    lambda c: math.log2(c.A) % 2 == 0,
    lambda c: {1: True}.get(c.A, c.F),
    lambda c: min(c.A, c.B) > 1,
    lambda c: 1 < c.A < 8,
    lambda c: not c.F,
    lambda c: (c.A > 1) & ~(c.B < 3),
    lambda c: c.A & 2 == 2,
    lambda c: any(c.A == each for each in (2, 8)),
    lambda c: abs(c.A - 2 * c.B) < 3 if c.F else math.ceil(c.A / 3) == 1,
    lambda c: 2 ** c.B // c.A >= -(-c.n // 60),
    lambda c: True,
]
NUMBERS = [
    lambda c: int(c.n / c.A) + 1,
    lambda c: 1 << c.B,
    lambda c: c.A.bit_length(),
    lambda c: round(c.A / c.B, 2),
    lambda c: {1: -1.5, 2: 0}.get(c.B, c.A & 6),
    lambda c: int(np.ceil(c.n / c.A)) if c.T == "float" else np.float32(c.B),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_expression_decides_as_the_function_does(function):
    text = expression_of(function, PARAMETERS, CONSTANTS, "it")
    for values in itertools.product(*PARAMETERS.values()):
        configuration = dict(zip(PARAMETERS, values))
        expected = called(function, {**configuration, **CONSTANTS})
        assert bool(value_of(text, configuration)) == bool(expected), (text, configuration)


@pytest.mark.parametrize("function", NUMBERS)
def test_a_function_that_is_no_arithmetic_keeps_its_numbers(function):
    text = expression_of(function, PARAMETERS, CONSTANTS, "the grid")
    for values in itertools.product(*PARAMETERS.values()):
        configuration = dict(zip(PARAMETERS, values))
        assert value_of(text, configuration) == function(Configuration({**configuration, **CONSTANTS})), (text, configuration)


def test_numbers_of_many_values_are_nested_in_halves():
    text = expression_of(lambda c: 1 << c.A, {"A": list(range(512))}, {}, "it")
    depths = itertools.accumulate({"(": 1, ")": -1}.get(letter, 0) for letter in text)
    assert max(depths) < 20 and all(eval(text, {"A": a}) == 1 << a for a in (0, 1, 200, 511))


def test_a_constraint_of_numbers_is_a_truth():
    assert expression_of(lambda c: c.A & 2, PARAMETERS, CONSTANTS, "it", truth=True) == "(A == 2)"
    with pytest.raises(UsageError, match="it gives 0.5; .* must give True or False"):
        expression_of(lambda c: 0.5 * int(c.A), PARAMETERS, CONSTANTS, "it", truth=True)


def test_what_is_not_known_before_the_search_is_never_tabulated():
    def of(function):
        return expression_of(function, PARAMETERS, CONSTANTS, "the metric m", unknown={"time": "(time * 1000)"})

    assert of(lambda c: c.n / c.time) == "(n / (time * 1000))"
    assert of(lambda c: 1 << (c.B & 1)) == "(2 if B in [1, 3] else 1)"
    with pytest.raises(UsageError, match="the metric m .* reads time, which has no single value"):
        of(lambda c: int(c.n / c.time))


def test_arithmetic_stays_arithmetic_and_is_asked_once():
    calls = []

    def function(c):
        calls.append(c)
        return (c.n + c.A - 1) // c.A

    assert expression_of(function, PARAMETERS, CONSTANTS, "the grid") == "(((n + A) - 1) // A)"
    assert len(calls) == 1


def test_a_table_asks_each_combination_of_what_is_read_once():
    calls = []

    def function(c):
        calls.append(1)
        return float(c.A) == 4.0

    assert expression_of(function, PARAMETERS, CONSTANTS, "it") == "(A == 4)"
    assert len(calls) <= 1 + 1 + len(PARAMETERS["A"])  # as a symbol, to see what it reads, and the table


def test_what_depends_on_too_much_is_refused():
    large = {name: list(range(1, 101)) for name in "ABC"}
    assert 100 ** 3 > MOST_COMBINATIONS
    with pytest.raises(UsageError, match="1000000 combinations"):
        expression_of(lambda c: math.gcd(c.A, c.B, c.C) == 1, large, {}, "the constraint 1")


def test_an_unknown_name_is_named():
    with pytest.raises(AttributeError, match="BLOK"):
        expression_of(lambda c: c.BLOK > 1, PARAMETERS, CONSTANTS, "it")
