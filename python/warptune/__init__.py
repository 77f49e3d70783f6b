"""Tuning GPU kernels from Python.

>>> import warptune
>>> session = warptune.tune(source, parameters={"BLOCK": [64, 128, 256]},
...                         arguments={"x": x, "y": warptune.output(y), "n": np.int32(n)},
...                         grid="ceildiv(n, BLOCK)", block="BLOCK", reference=2 * x, budget="30s")
>>> session.best.configuration, session.best.time_ms

`tune` takes a kernel's source or the name of a template that comes with the package. Compiling and
measuring happen in processes of their own: a kernel that crashes costs one trial, and never the
interpreter. `tune_sizes` tunes a template at many sizes within one budget, and `work` takes sessions
that were submitted to a shared store. `Store` reads what was tuned, `devices` says what there is to
tune on, and `warptune.kernel_tuner` runs scripts that were written for Kernel Tuner.

Everything is imported when it is first used, so that `import warptune` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import warptune.kernel_tuner as kernel_tuner
    from ._arguments import inout as inout, input as input, output as output, scratch as scratch
    from ._judge import Judgement as Judgement, judge as judge
    from ._kernel import Kernel as Kernel, kernel as kernel
    from ._many import TakenWork as TakenWork, TunedSize as TunedSize, tune_sizes as tune_sizes, work as work
    from ._session import Session as Session, Trial as Trial, Winner as Winner
    from ._store import SessionRecord as SessionRecord, Store as Store
    from ._tune import devices as devices, templates as templates, tune as tune
    from .errors import TuningError as TuningError, UsageError as UsageError

    __version__: str

_WHERE = {
    "Judgement": "_judge",
    "Kernel": "_kernel",
    "Session": "_session",
    "SessionRecord": "_store",
    "Store": "_store",
    "TakenWork": "_many",
    "Trial": "_session",
    "TunedSize": "_many",
    "TuningError": "errors",
    "UsageError": "errors",
    "Winner": "_session",
    "devices": "_tune",
    "inout": "_arguments",
    "input": "_arguments",
    "judge": "_judge",
    "kernel": "_kernel",
    "output": "_arguments",
    "scratch": "_arguments",
    "templates": "_tune",
    "tune": "_tune",
    "tune_sizes": "_many",
    "work": "_many",
}

__all__ = [*_WHERE, "kernel_tuner"]


if not TYPE_CHECKING:  # to a type checker, what is not listed above is an error

    def __getattr__(name):
        import importlib

        if name == "__version__":
            value = importlib.import_module("._native", __name__).version
        elif name in ("kernel_tuner", "errors"):
            value = importlib.import_module(f".{name}", __name__)
        elif name in _WHERE:
            value = getattr(importlib.import_module(f".{_WHERE[name]}", __name__), name)
        else:
            raise AttributeError(f"module 'warptune' has no attribute '{name}'")
        globals()[name] = value
        return value

    def __dir__():
        return sorted([*globals(), *__all__])
