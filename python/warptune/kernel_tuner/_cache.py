"""Kernel Tuner's cache files: read, and written so that Kernel Tuner and `warptune import` read them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._expressions import literal
from ..errors import UsageError
from ._values import allowed
from .util import CompilationFailedConfig, InvalidConfig, RuntimeFailedConfig

# Between writes during a search: a file of thousands of results takes a while.
SECONDS_APART = 5.0

FAILURES = {each.__name__: each for each in (InvalidConfig, CompilationFailedConfig, RuntimeFailedConfig)}


class _Encoder(json.JSONEncoder):
    def default(self, value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        return str(value)


def _key(values: Sequence[Any]) -> str:
    return ",".join(str(value) for value in values)


def _list_of(extents: Any) -> list[Any]:
    plain = extents.tolist() if hasattr(extents, "tolist") else extents
    return list(plain) if isinstance(plain, (list, tuple)) else [plain]


def _joined(first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The values of both by parameter."""
    return {name: [*first.get(name, ()), *(value for value in values if value not in first.get(name, ()))]
            for name, values in second.items()}


class Cache:
    """One file. What it holds is not measured again."""

    def __init__(self, file: Any, call: Mapping[str, Any], parameters: Mapping[str, Sequence[Any]]) -> None:
        self.file = Path(file if str(file).endswith(".json") else f"{file}.json")
        self.parameters = list(parameters)
        self.entries: dict[str, dict[str, Any]] = {}
        problem = call["problem_size"]
        self._head: dict[str, Any] = {
            "device_name": "", "kernel_name": call["kernel_name"],
            "problem_size": "callable" if callable(problem) else problem, "tune_params_keys": self.parameters,
            "tune_params": dict(parameters), "objective": call["objective"] or "time"}
        self._written = time.monotonic()
        if self.file.is_file():
            self._read()

    @property
    def device(self) -> str:
        return str(self._head["device_name"])

    def _read(self) -> None:
        text = self.file.read_text().rstrip()
        # A search that was cut off leaves the file open.
        for end in ("", "}}", "}\n}"):
            try:
                document = json.loads(text.rstrip(",") + end)
                break
            except json.JSONDecodeError:
                continue
        else:
            raise UsageError(f"cache: {self.file} is no cache file of Kernel Tuner's")
        for name in ("kernel_name", "tune_params_keys"):
            if document.get(name) != self._head[name]:
                raise UsageError(f"cache: {self.file} is of {name} {document.get(name)}, and this call of "
                                 f"{self._head[name]}; name another file")
        self._require_same_problem(document)
        self._head["device_name"] = document.get("device_name", "")
        self._head["tune_params"] = _joined(document.get("tune_params", {}), self._head["tune_params"])
        self.entries = document["cache"]

    def _require_same_problem(self, document: Mapping[str, Any]) -> None:
        asked = self._head["problem_size"]
        if asked == "callable" or "problem_size" not in document:
            return
        if _list_of(document["problem_size"]) != _list_of(asked):
            raise UsageError("Cannot load cache which contains results for different problem_size, cache: "
                             f"{document['problem_size']}, requested: {asked}; name another file than {self.file}")

    def entries_of(self, parameters: Mapping[str, Sequence[Any]], restrictions: Any) -> dict[str, dict[str, Any]]:
        """Those of a space."""
        found = {}
        for key, entry in self.entries.items():
            configuration = {name: entry[name] for name in parameters}
            inside = all(value in parameters[name] for name, value in configuration.items())
            if inside and allowed(restrictions, configuration):
                found[key] = entry
        return found

    @staticmethod
    def results(entries: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        found = []
        for entry in entries.values():
            result = dict(entry)
            # Older files have the error in the objective's place.
            errors = [FAILURES[value] for value in entry.values() if isinstance(value, str) and value in FAILURES]
            if errors or "__error__" in entry:
                result["__error__"] = errors[0]() if errors else RuntimeFailedConfig()
            result.update(compile_time=0, verification_time=0, benchmark_time=0)
            found.append(result)
        return found

    def unknown(self, entries: Mapping[str, Mapping[str, Any]]) -> str:
        """A constraint that leaves out what is known."""
        rows: dict[tuple[Any, ...], list[Any]] = {}
        names = self.parameters
        for entry in entries.values():
            values = [entry[name] for name in names]
            rows.setdefault(tuple(values[:-1]), []).append(values[-1])
        parts = []
        for head, last in rows.items():
            terms = [f"{name} == {literal(value)}" for name, value in zip(names, head)]
            terms.append(f"{names[-1]} in [{', '.join(literal(value) for value in last)}]")
            parts.append(f"({' and '.join(terms)})")
        return f"not ({' or '.join(parts)})"

    def begin(self, device: str) -> None:
        """Before anything is measured there. Raises UsageError where the file is of another device."""
        if self.device and device and self.device != device:
            raise UsageError(f"cache: {self.file} is of {self.device}, and this call measures on {device}; name another file")
        self._head["device_name"] = device or self.device

    def add(self, results: Sequence[Mapping[str, Any]]) -> None:
        for result in results:
            self._put(result)
        self._save()

    def keep(self, result: Mapping[str, Any]) -> None:
        """During a search, which may be killed: what it measured is in the file some seconds later."""
        self._put(result)
        if time.monotonic() - self._written >= SECONDS_APART:
            self._save()

    def _put(self, result: Mapping[str, Any]) -> None:
        self.entries[_key([result[name] for name in self.parameters])] = dict(result)

    def _save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        whole = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        self.write(whole, self._head["tune_params"], self.entries)
        os.replace(whole, self.file)
        self._written = time.monotonic()

    def write(self, file: Path, parameters: Mapping[str, Sequence[Any]], entries: Mapping[str, Any]) -> None:
        document = {**self._head, "tune_params": parameters, "cache": entries}
        file.write_text(json.dumps(document, cls=_Encoder, indent=""))
