"""Kernel Tuner's strategies by name: `strategy=kernel_tuner.strategies.minimize`."""

from __future__ import annotations

from ._tune import STRATEGIES


def __getattr__(name: str) -> str:
    if name in STRATEGIES:
        return name
    raise AttributeError(f"there is no strategy {name}; there are {', '.join(STRATEGIES)}")
