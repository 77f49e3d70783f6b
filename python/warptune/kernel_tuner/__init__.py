"""Kernel Tuner's interface on Warptune's engine, for scripts that move over.

Change `from kernel_tuner import tune_kernel` to `from warptune.kernel_tuner import tune_kernel`. The signatures are those
of Kernel Tuner 1.5 for `lang` CUDA, NVCUDA and CuPy; all three mean Warptune's own backends, on a machine without a GPU
the host's. What is not supported raises NotSupported, which names the argument. New scripts use `warptune.tune`.
"""

from __future__ import annotations

from . import strategies
from ._run import run_kernel
from ._tune import tune_kernel
from ._values import NotSupported
from .integration import create_device_targets, store_results

__all__ = ["NotSupported", "create_device_targets", "run_kernel", "store_results", "strategies",
           "tune_kernel"]
