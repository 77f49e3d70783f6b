"""Result files in the community's T4 format, as Kernel Tuner's scripts write them."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._cache import _Encoder

TIMES = {"compile_time": "compilation", "benchmark_time": "benchmark", "framework_time": "framework",
         "strategy_time": "search_algorithm", "verification_time": "validation"}
INVALIDITY = {"CompilationFailedConfig": "compile", "RuntimeFailedConfig": "runtime", "InvalidConfig": "constraints"}


def _json_file(name: str) -> Path:
    file = Path(name if name.endswith(".json") else f"{name}.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def get_t4_results(results: Sequence[Mapping[str, Any]], tune_params: Mapping[str, Any],
                   objective: str = "time") -> dict[str, Any]:
    """What store_output_file writes."""
    written = []
    for result in results:
        known = {*tune_params, *TIMES, "timestamp", "times", "__error__", "error_message"}
        times = {name: result.get(key, 0) for key, name in TIMES.items()}
        times["runtimes"] = list(result.get("times", []))
        written.append({
            "timestamp": result.get("timestamp", ""),
            "configuration": {name: result[name] for name in tune_params},
            "times": times,
            "invalidity": INVALIDITY[str(result["__error__"])] if "__error__" in result else "correct",
            "correctness": 0 if "__error__" in result else 1,
            "measurements": [{"name": name, "value": value, "unit": "ms" if name == "time" else ""}
                             for name, value in result.items() if name not in known],
            "objectives": [objective],
        })
    return {"results": written, "schema_version": "1.0.0", "metadata": {"timeunit": "milliseconds"}}


def store_output_file(output_filename: str, results: Sequence[Mapping[str, Any]], tune_params: Mapping[str, Any],
                      objective: str = "time") -> None:
    document = get_t4_results(results, tune_params, objective)
    _json_file(output_filename).write_text(json.dumps(document, cls=_Encoder))


def store_metadata_file(metadata_filename: str, target: str = "") -> None:
    """What ran where: the operating system, and the devices as Warptune sees them."""
    import warptune

    document = {"metadata": {"operating_system": platform.system(),
                             "hardware": {"hardware_description": warptune.devices()},
                             "environment": {"device_query": {}, "requirements": [f"warptune=={warptune.__version__}"]}},
                "schema_version": "1.0.0"}
    _json_file(metadata_filename).write_text(json.dumps(document, indent=2))
