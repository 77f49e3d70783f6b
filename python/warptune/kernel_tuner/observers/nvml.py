"""What Kernel Tuner asks NVML for, as Warptune's workers measured it."""

from __future__ import annotations

from typing import Any

from .._values import refuse
from . import BenchmarkObserver

# By observable: the name among a trial's measured figures.
FIGURES = {"nvml_energy": "joules", "nvml_power": "power_w", "core_freq": "clock_mhz", "temperature": "temperature_c"}


class NVMLObserver(BenchmarkObserver):
    """Energy in J, power in W, the multiprocessors' clock in MHz and the temperature in °C of each configuration."""

    def __init__(self, observables: list[str], device: int = 0, save_all: bool = False, **others: Any) -> None:
        for name in observables:
            if name not in FIGURES:
                refuse("observers", f"NVMLObserver: '{name}' is not measured; there are {', '.join(FIGURES)}")
        if save_all or others:
            refuse("observers", f"NVMLObserver: {next(iter(others), 'save_all')} has no counterpart")
        self.observables = list(observables)
        self._measured: dict[str, Any] = {}

    @property
    def needs_energy(self) -> bool:
        return "nvml_energy" in self.observables

    def take(self, measured: dict[str, Any]) -> None:
        self._measured = measured

    def get_results(self) -> dict[str, Any]:
        for name in self.observables:
            if self._measured.get(FIGURES[name]) is None:
                refuse("observers", f"NVMLObserver: this device does not tell {name}")
        return {name: self._measured[FIGURES[name]] for name in self.observables}
