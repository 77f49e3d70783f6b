"""Observers: what is noted of each configuration beside its time.

Kernels run in processes of their own, so an observer cannot stand beside a launch: one whose `before_start`,
`after_start`, `during` or `after_finish` does something is refused. `register_configuration`, `process_output` and
`get_results` are called for each configuration, in this order, after it was measured.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class BenchmarkObserver(ABC):
    """Adds what `get_results` returns to each configuration's result."""

    def register_device(self, dev: Any) -> None:
        self.dev = dev

    def register_configuration(self, params: dict[str, Any]) -> None:
        pass

    def before_start(self) -> None:
        pass

    def after_start(self) -> None:
        pass

    def during(self) -> None:
        pass

    def after_finish(self) -> None:
        pass

    @abstractmethod
    def get_results(self) -> dict[str, Any]:
        ...


class OutputObserver(BenchmarkObserver):
    """Is given what a configuration computed, from a run of its own."""

    @abstractmethod
    def process_output(self, answer: Any, output: Any) -> None:
        ...


HOOKS = ("before_start", "after_start", "during", "after_finish")


def hook_of(observer: BenchmarkObserver) -> str | None:
    """A method that would have to run beside a launch."""
    for hook in HOOKS:
        own = getattr(type(observer), hook, None)
        if own is not None and own is not getattr(BenchmarkObserver, hook):
            return hook
    return None
