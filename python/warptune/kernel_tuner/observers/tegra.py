"""Kernel Tuner's TegraObserver: refused."""

from __future__ import annotations

from typing import Any

from .._values import refuse


class TegraObserver:
    def __init__(self, *_: Any, **__: Any) -> None:
        refuse("observers", "TegraObserver: its sensor is not read; NVMLObserver has energy, power, clock and temperature")
