"""Kernel Tuner's PMTObserver: refused."""

from __future__ import annotations

from typing import Any

from .._values import refuse


class PMTObserver:
    def __init__(self, *_: Any, **__: Any) -> None:
        refuse("observers", "PMTObserver: its sensor is not read; NVMLObserver has energy, power, clock and temperature")
