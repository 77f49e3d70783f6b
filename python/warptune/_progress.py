"""The bar that shows how far a session is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._session import Trial


class Bar:
    """tqdm's bar, on a terminal or in a notebook."""

    def __init__(self, tqdm: Any, request: dict[str, Any]) -> None:
        total = request.get("budget", {}).get("trials")
        self._bar = tqdm(total=total, unit=" trials", leave=False)
        self._best = float("inf")

    def update(self, trial: Trial) -> None:
        if trial.time_ms is not None and trial.time_ms < self._best:
            self._best = trial.time_ms
            self._bar.set_postfix_str(f"best {self._best:.4g} ms")
        self._bar.update(1)

    def close(self) -> None:
        self._bar.close()


def bar(request: dict[str, Any]) -> Bar | None:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return Bar(tqdm, request)


def watched() -> bool:
    """Whether somebody looks on: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules
