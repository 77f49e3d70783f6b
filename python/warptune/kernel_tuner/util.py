"""Kernel Tuner's helpers that scripts use: what a failure is, the best of a list of results, a configuration as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError


class ErrorConfig(str):
    """Why a configuration has no time: the value of its "__error__". Its contents are its name, which JSON writes."""

    def __new__(cls) -> "ErrorConfig":
        return super().__new__(cls, cls.__name__)

    def __repr__(self) -> str:
        return str(self)


class InvalidConfig(ErrorConfig):
    """It needs more than the device has."""


class CompilationFailedConfig(ErrorConfig):
    pass


class RuntimeFailedConfig(ErrorConfig):
    """It crashed, hung, or computed something wrong."""


ERRORS: dict[str, type[ErrorConfig]] = {
    "constraint_violation": InvalidConfig, "resource_limit": InvalidConfig, "compile_error": CompilationFailedConfig,
}

# Whether more is better, of the objectives whose names say so.
OBJECTIVES = {"time": False, "energy": False, "fitness": True, "cost": False, "loss": False,
              **{f"{prefix}{unit}": True for prefix in "GT" for unit in ("FLOP/s", "B/s", "FLOPS/W", "FLOP/J")}}


def get_objective_defaults(objective: str | None, objective_higher_is_better: bool | None) -> tuple[str, bool]:
    objective = objective or "time"
    if objective_higher_is_better is None:
        if objective not in OBJECTIVES:
            raise UsageError(f"objective_higher_is_better must be given for the objective {objective}")
        objective_higher_is_better = OBJECTIVES[objective]
    return objective, objective_higher_is_better


def get_best_config(results: Sequence[Mapping[str, Any]], objective: str,
                    objective_higher_is_better: bool = False) -> Mapping[str, Any]:
    measured = [each for each in results if "__error__" not in each and isinstance(each.get(objective), (int, float))]
    if not measured:
        return results[0]
    return (max if objective_higher_is_better else min)(measured, key=lambda each: each[objective])


def get_config_string(params: Mapping[str, Any], keys: Sequence[str] | None = None,
                      units: Mapping[str, str] | None = None) -> str:
    chosen = keys or list(params)
    return ", ".join(f"{name}={f'{value:.3f}' if isinstance(value, float) else value}{(units or {}).get(name, '')}"
                     for name, value in params.items() if name in chosen)
