"""run_kernel: one configuration, once, and what it computed."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._outputs import OutputRunner
from .._template import Description, write_template
from .._tune import with_places
from ._problem import describe


def device_name(device: int) -> str:
    """Kernel Tuner's number: the first is the best there is, which is the host where there is no GPU."""
    return f"cuda:{device}" if device else ""


def request_for(description: Description, folder: Path, device: int, verify: str,
                measuring: dict[str, Any]) -> dict[str, Any]:
    manifest = write_template(description, folder)
    request = {"manifest": str(manifest), "temporary_manifest": True, "device": device_name(device)}
    return with_places(request, verify, measuring)


def contents(description: Description, outputs: Mapping[str, bytes | bytearray]) -> list[Any]:
    """The arguments after a run, in the kernel's order."""
    import numpy as np

    results = []
    for argument in description.arguments:
        if argument.symbol:
            continue
        if argument.name in outputs:
            array = np.frombuffer(outputs[argument.name], dtype=argument.value.dtype)
            results.append(array[:argument.value.size].reshape(argument.value.shape).copy())
        else:
            results.append(argument.value)
    return results


def run_kernel(
    kernel_name: str, kernel_source: Any, problem_size: Any, arguments: Any, params: dict[str, Any], grid_div_x: Any = None,
    grid_div_y: Any = None, grid_div_z: Any = None, lang: str | None = None, device: int = 0, platform: int = 0,
    smem_args: Any = None, cmem_args: Any = None, texmem_args: Any = None, compiler: Any = None,
    compiler_options: Any = None, defines: Any = None, block_size_names: Any = None, quiet: bool = False, log: Any = None,
) -> list[Any]:
    """Runs one configuration and returns all arguments as it left them, in the kernel's order.

    It runs in a process of its own. Raises TuningError if the kernel does not compile, fails or crashes.
    """
    call = dict(locals())
    call["tune_params"] = {name: [value] for name, value in params.items()} or {"kernel_tuner_unused": [0]}
    description = describe(call, None, compared=False)
    with tempfile.TemporaryDirectory(prefix="warptune-") as folder:
        request = request_for(description, Path(folder), device, "never", {})
        with OutputRunner(request) as runner:
            return contents(description, runner.run({name: values[0] for name, values in description.parameters.items()}))
