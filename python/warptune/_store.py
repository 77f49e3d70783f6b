"""Stores: sessions that were tuned before, on this machine or elsewhere."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from . import _native, _places
from ._session import Findings
from .errors import translated


@dataclass(frozen=True)
class SessionRecord:
    """A session as a list shows it."""

    id: int
    kernel: str
    device: str
    problem: dict[str, int]
    trials: int
    correct: int
    state: str
    started_at: str
    name: str
    details: dict[str, Any] = field(repr=False)


class Store:
    """A file with sessions; the one that the command line uses unless another is named.

    Reading needs no write permission, and several processes may share a file. For one thread at a time.
    """

    def __init__(self, file: str | os.PathLike[str] | None = None, *, writable: bool = False) -> None:
        self.file = os.fspath(file) if file is not None else str(_places.default_store())
        try:
            self._store = _native.Store(self.file, writable)
        except _native.EngineError as error:
            raise translated(error) from None

    def sessions(self, kernel: str = "", *, device: str = "", name: str = "", limit: int = 0) -> list[SessionRecord]:
        """Newest first: of a kernel, on devices whose name contains a text, of a name. `limit` 0 is all."""
        return [_record(each) for each in json.loads(self._store.sessions(kernel, device, name, limit))]

    def session(self, id: int) -> Findings:
        """Everything of one session. Raises KeyError."""
        return Findings(json.loads(self._store.findings(id)))

    def label(self, id: int, *, name: str | None = None, note: str | None = None) -> None:
        """Changes a session's name, its note, or both; the store must be writable."""
        try:
            self._store.label(id, name, note)
        except _native.EngineError as error:
            raise translated(error) from None


def _record(document: dict[str, Any]) -> SessionRecord:
    key = document["key"]
    return SessionRecord(document["session"], key["kernel"], key["device"]["name"],
                         {**key["problem_size"], **key["variants"]}, document["trials"], document["correct"],
                         document["state"], document["started_at"], document["name"] or "", document)
