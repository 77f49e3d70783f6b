"""What the package raises. An error's text says what was attempted, on what, and what to do next."""

from __future__ import annotations


class UsageError(ValueError):
    """The call itself is at fault: an argument that does not fit, a name that is none."""


class TuningError(RuntimeError):
    """What was asked for cannot be done: a template that does not load, a device that is not there.

    `kind` says whose matter it is, by the engine's words: "request", "manifest", "no_device", "device",
    "store", "workload", "expression" and so on.
    """

    def __init__(self, message: str, kind: str = "internal") -> None:
        super().__init__(message)
        self.kind = kind


def translated(error: BaseException) -> BaseException:
    """An engine's error as this package raises it; any other as it is."""
    from ._native import EngineError

    if isinstance(error, EngineError):
        return TuningError(str(error), getattr(error, "kind", "internal"))
    return error
