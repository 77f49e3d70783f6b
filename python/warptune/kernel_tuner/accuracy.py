"""Kernel Tuner's arrays of a precision that depends on the configuration: refused, for an argument has one type here."""

from __future__ import annotations

from typing import Any

from ._values import refuse


class Tunable:
    def __init__(self, *_: Any, **__: Any) -> None:
        refuse("arguments", f"{type(self).__name__}: an array has one type and one content for all configurations; tune each "
               "precision by a call of its own")


class TunablePrecision(Tunable):
    pass


class AccuracyObserver:
    def __init__(self, *_: Any, **__: Any) -> None:
        refuse("observers", "AccuracyObserver: warptune.tune has the metrics max_error and rms_error")
