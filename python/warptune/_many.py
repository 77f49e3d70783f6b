"""`warptune.tune_sizes`: a template at many sizes within one budget. `warptune.work`: sessions that others submitted."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _native, _places
from ._expressions import Value
from ._session import Findings
from ._tune import Verify, _plain_values, _request, _texts
from .errors import UsageError, translated


@dataclass(frozen=True)
class TunedSize:
    """What one problem of many came to. `session` has its trials and its winner; None if the budget ended before its
    turn. `trials` and `seconds` are of this call alone."""

    problem: dict[str, Value]
    session: Findings | None = field(repr=False)
    trials: int
    seconds: float


@dataclass(frozen=True)
class TakenWork:
    """Work of a queue that this machine took. `end` is "done", "failed" (it would fail anywhere), "given back" (it is in
    the queue again) or "taken away" (cancelled, or another node's). `session` is its number in the store."""

    work: int
    kernel: str
    problem: dict[str, Value]
    attempts: int
    end: str
    session: int | None


def tune_sizes(
    template: str | os.PathLike[str],
    sizes: Sequence[Mapping[str, Value]],
    *,
    constraints: Sequence[str] = (),
    objective: str = "time",
    budget: str | float | Sequence[str | float] | None = None,
    variants: Mapping[str, Value] | None = None,
    strategy: str = "auto",
    strategy_options: Mapping[str, Value] | None = None,
    seed: int = 0,
    device: str = "",
    verify: Verify = "always",
    finals: int = 20,
    name: str = "",
    store: str | os.PathLike[str] | None = None,
    measuring: Mapping[str, Any] | None = None,
) -> list[TunedSize]:
    """Tunes a template at many sizes, as `warptune tune --sizes`: a session for each, all within one budget.

    By default one model searches all of them, and learns from each what to try at the others. With another strategy,
    with a budget of something else than time or trials, or for several variants, each is searched by itself, in slices
    of the budget. Ctrl-C ends it with what it has. The same call goes on where it stopped. May be called from several
    threads.

    :param template: its name or folder (`warptune.templates()`).
    :param sizes: the problems: sizes and variants by name; what one leaves out is the template's.
    :param variants: of all problems that do not name their own.
    :param budget: of all problems together. The other parameters are those of `warptune.tune`.
    :returns: what each problem came to, in the order of `sizes`.
    :raises UsageError: for a call that cannot be meant.
    :raises TuningError: for a problem that the template does not have or that is there twice, and as `warptune.tune`.
    """
    if isinstance(constraints, str):
        raise UsageError("constraints= takes a list, for a single one too: constraints=[…]")
    if isinstance(sizes, Mapping) or not all(isinstance(each, Mapping) for each in sizes):
        raise UsageError("sizes is no list of problems; expected for example [{'M': 512, 'N': 512}, {'M': 4096, 'N': 64}]")
    request = _request({**locals(), "parameters": None, "sizes": None, "preset": ""})
    request["manifest"] = str(_places.find_template(os.fspath(template)))
    request["restrictions"] = _texts(constraints)
    problems = json.dumps([_plain_values(each) for each in sizes])
    with tempfile.TemporaryDirectory(prefix="warptune-") as folder:  # sessions are read from a store at the end
        file = os.fspath(store) if store is not None else str(_places.default_store())
        chosen = str(Path(folder) / "sizes.db") if file == ":memory:" else file
        document = _ended(lambda stop: _native.tune_sizes(json.dumps(request), problems, chosen, stop))
    return [TunedSize(each["problem"], Findings(each["findings"]) if each["findings"] else None, each["trials"],
                      each["seconds"]) for each in document["sizes"]]


def work(
    store: str | None = None,
    *,
    device: str = "",
    drain: bool = False,
    idle_exit: float = 0,
    grace: float = 20,
    on_work: Callable[[TakenWork], object] | None = None,
    on_words: Callable[[str], object] | None = None,
) -> list[TakenWork]:
    """Tunes the sessions that were submitted to a shared store on this machine, as `warptune work`, one after the other.

    Each session is a process of its own, which ends with this one. Ctrl-C ends the current one, and its work is given
    back. One call at a time in a process.

    :param store: the store's address, as ``postgresql://db.site/tuning``; that of ``WARPTUNE_DB`` unless named.
    :param device: "cuda:0", "cuda:all", "host"; the best there is unless said.
    :param drain: whether to return when the queue has nothing for these devices.
    :param idle_exit: returns after so many seconds without work; 0: never.
    :param grace: seconds that a session has to end by itself once it is stopped.
    :param on_work: called with each work that has ended; `on_words` with the lines that sessions write for people. What
        they raise ends the call, as Ctrl-C does.
    :returns: what was taken, in order.
    :raises TuningError: for a store that is a file or cannot be reached, and for a device that is not there.
    """
    toolkits = os.pathsep.join(str(folder) for folder in _places.python_toolkits())
    known = os.environ.get("WARPTUNE_CUDA_PATH")
    found = [f"WARPTUNE_CUDA_PATH={known}:{toolkits}" if known else f"WARPTUNE_CUDA_PATH={toolkits}"] if toolkits else []
    request = {
        "store": store if store is not None else str(_places.default_store()), "program": str(_places.program()),
        "device": device, "backend": _places.backend_options(), "environment": found, "drain": drain,
        "idle_exit": float(idle_exit), "grace": float(grace),
    }

    def notify(event: str, text: str) -> None:
        told = json.loads(text)
        if event == "work" and on_work is not None:
            on_work(TakenWork(**told))
        elif event == "words" and on_words is not None:
            on_words(told["text"])

    document = _ended(lambda stop: _native.work(json.dumps(request), stop, notify))
    return [TakenWork(**each) for each in document["work"]]


def _ended(call: Callable[[_native.Stop], str]) -> dict[str, Any]:
    """The document of a call of the engine's, which runs on a thread of its own: this one sees Ctrl-C."""
    stop = _native.Stop()
    documents: list[str] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            documents.append(call(stop))
        except BaseException as failure:  # noqa: BLE001: it is raised below
            errors.append(failure)

    thread = threading.Thread(target=run, name="warptune sessions")  # the interpreter waits for it at its end
    thread.start()
    while thread.is_alive():
        try:
            thread.join(0.2)
        except KeyboardInterrupt:
            if stop.is_set():
                raise
            stop.set()
            print("ending with what there is; Ctrl-C again leaves at once", file=sys.stderr)
    if errors:
        raise translated(errors[0]) from None
    return dict(json.loads(documents[0]))
