"""Kernel Tuner's NCUObserver: refused."""

from __future__ import annotations

from typing import Any

from .._values import refuse


class NCUObserver:
    def __init__(self, *_: Any, **__: Any) -> None:
        refuse("observers", "NCUObserver: its sensor is not read; NVMLObserver has energy, power, clock and temperature")
