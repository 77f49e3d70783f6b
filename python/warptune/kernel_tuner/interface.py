"""Kernel Tuner's module of this name."""

from ._run import run_kernel as run_kernel
from ._tune import tune_kernel as tune_kernel
