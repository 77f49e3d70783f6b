"""Sessions: what a search found, while it runs and afterwards."""

from __future__ import annotations

import html
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._progress import bar
from .errors import TuningError, UsageError, translated

if TYPE_CHECKING:
    import pandas

Value = bool | int | float | str


@dataclass(frozen=True)
class Trial:
    """One configuration and what became of it.

    `time_ms` is its settled time: that of the finals where it took part, else the search's median; None unless the
    outcome is "correct". `relative_error` is half the width of that time's 95 % interval over it.
    """

    configuration: dict[str, Value]
    outcome: str
    time_ms: float | None = None
    relative_error: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    message: str = ""
    samples_ms: tuple[float, ...] = field(default=(), repr=False)
    resources: dict[str, float] | None = field(default=None, repr=False)
    phases_ms: dict[str, float] = field(default_factory=dict, repr=False)
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"

    @property
    def id(self) -> int:
        """Its number in the store; 0 while its session runs."""
        return int(self.details.get("trial", 0))

    def as_row(self) -> dict[str, Any]:
        """One flat dictionary: parameters, then outcome, times, metrics, resources."""
        row: dict[str, Any] = dict(self.configuration)
        row.update(outcome=self.outcome, time_ms=self.time_ms, relative_error=self.relative_error, **self.metrics)
        row.update(self.resources or {})
        if self.message:
            row["message"] = self.message
        return row


def trial_of(document: dict[str, Any]) -> Trial:
    """From the JSON document of a trial."""
    settled = document.get("settled") or {}
    return Trial(document["configuration"], document["outcome"], settled.get("time_ms"),
                 settled.get("relative_error"), settled.get("metrics") or {}, document.get("message") or "",
                 tuple(document.get("samples_ms") or ()), document.get("resources"), document.get("phases_ms") or {},
                 document)


@dataclass(frozen=True)
class Winner:
    """The settled result of a session: the fastest correct configuration, with how sure that is."""

    configuration: dict[str, Value]
    time_ms: float
    relative_error: float | None
    metrics: dict[str, float]
    speed_up: float | None  # over the default configuration
    ties: list[dict[str, Value]]  # configurations that were not told apart from it


class Findings:
    """What is known of a session: its trials and its winner. `Session` is one that runs; stores hand out others."""

    def __init__(self, document: dict[str, Any] | None = None) -> None:
        self._document = document
        self._trials: list[Trial] = [trial_of(each) for each in document["trials"]] if document else []

    def _finished(self) -> dict[str, Any]:
        assert self._document is not None
        return self._document

    @property
    def id(self) -> int:
        """The session's number in its store, as `warptune show` takes it."""
        return int(self._finished()["session"]["session"])

    @property
    def kernel(self) -> str:
        return str(self._finished()["session"]["key"]["kernel"])

    @property
    def device(self) -> str:
        return str(self._finished()["session"]["key"]["device"]["name"])

    @property
    def trials(self) -> list[Trial]:
        """Every trial, in the order in which they were recorded."""
        self._finished()
        return list(self._trials)

    @property
    def _unended(self) -> bool:
        """Whether the search still runs, or was killed: such a session may have no winner."""
        return bool(self._finished()["session"].get("state") != "finished")

    @property
    def winner(self) -> Winner | None:
        """None if nothing was correct, or the session has not ended."""
        document = self._finished()
        chosen = document.get("winner")
        if not chosen:
            return None
        ties = [each["configuration"] for each in document.get("finals") or []
                if each.get("tied") and each["configuration"] != chosen["configuration"]]
        return Winner(chosen["configuration"], chosen["time_ms"], chosen.get("relative_error"),
                      chosen.get("metrics") or {}, document.get("speed_up"), ties)

    @property
    def best(self) -> Trial | None:
        """The winner's trial; of a session that has not ended, the best that is correct so far. None if there is none."""
        winner = self.winner
        if winner is None:
            return next(iter(self._ranked()), None) if self._unended else None
        return next((trial for trial in self._trials if trial.configuration == winner.configuration), None)

    def document(self) -> dict[str, Any]:
        """The JSON document of the whole session, as `warptune show --format json` explains it."""
        return self._finished()

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each trial: parameters, outcome, times in ms, metrics, resources."""
        import pandas

        return pandas.DataFrame([trial.as_row() for trial in self.trials])

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def _objective(self) -> str:
        """What decides who wins: "time", "joules", a metric; the first of several."""
        return str(self._finished()["session"]["objective"]).split(",")[0]

    def _ranked(self) -> list[Trial]:
        """The correct trials, best first: finalists as the finals ranked them, then the others by what the search
        measured of the objective."""
        places = {each["trial"]: place for place, each in enumerate(self._finished().get("finals") or [])}
        sign = -1.0 if self._objective in self._finished()["session"]["maximised"] else 1.0

        def rank(trial: Trial) -> tuple[int, float]:
            value = (trial.details.get("settled") or {}).get("value")
            return places.get(trial.id, len(places)), float("inf") if value is None else sign * value

        return sorted((trial for trial in self._trials if trial.correct and trial.time_ms is not None), key=rank)

    def _headline(self, winner: Winner) -> str:
        name = self._objective
        value = winner.metrics.get(name)
        luck = ", not separable from the default" if self._finished().get("separable") is False else ""
        if name == "time" or value is None:
            text = f"{winner.time_ms:.4g} ms with {_text_of(winner.configuration)}"
            return text + (luck or (f", {winner.speed_up:.2f} times the default's speed" if winner.speed_up else ""))
        text = f"{name} = {value:.4g} ({winner.time_ms:.4g} ms) with {_text_of(winner.configuration)}"
        if luck:
            return text + luck
        gain = self._finished().get("gain")
        return text + (f", {gain:.2f} times as good as the default" if gain else "")

    def _repr_html_(self) -> str:
        """For notebooks: the winner, and the best ten by the session's objective, the winner first."""
        self._finished()
        winner = self.winner
        head = f"<p><b>{html.escape(self.kernel)}</b> on {html.escape(self.device)}: "
        if winner is None:
            return head + f"{html.escape(self._no_winner())}</p>"
        head += html.escape(self._headline(winner)) + "</p>"
        ranked = sorted(self._ranked(), key=lambda trial: trial.configuration != winner.configuration)
        names = list(winner.configuration)
        metrics = sorted(winner.metrics, key=lambda name: name != self._objective)
        finals = bool(self._finished().get("finals"))
        times = ["time (ms)", "in search (ms)"] if finals else ["time (ms)"]
        cells = "".join(f"<th>{html.escape(name)}</th>" for name in [*times, *metrics, *names])
        rows = [f"<tr>{cells}</tr>"]
        for trial in ranked[:10]:
            values = [*_times_of(trial, finals), *(f"{trial.metrics.get(name, float('nan')):.4g}" for name in metrics),
                      *(str(trial.configuration[name]) for name in names)]
            rows.append("<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in values) + "</tr>")
        return f"{head}<table>{''.join(rows)}</table>"

    def _no_winner(self) -> str:
        """What to show where there is none."""
        best = self.best
        if best is None:
            return ("it did not end, and " if self._unended else "") + _nothing_correct(self._trials)
        count = sum(trial.correct for trial in self._trials)
        best_text = "fastest" if self._objective == "time" else "best"
        return f"it did not end; of its {count} correct trials, {best.time_ms:.4g} ms with " \
               f"{_text_of(best.configuration)} is the {best_text} so far. The same call of tune goes on with them"


def _times_of(trial: Trial, finals: bool) -> list[str]:
    """The time; where there were finals, theirs and the search's, which were measured at different times."""
    if not finals:
        return [f"{trial.time_ms:.4g}"]
    searched = (trial.details.get("search") or {}).get("time_ms")
    in_finals = (trial.details.get("settled") or {}).get("finals")
    return [f"{trial.time_ms:.4g}" if in_finals else "", f"{searched:.4g}" if searched is not None else ""]


def _nothing_correct(trials: list[Trial]) -> str:
    """How many failed, and the first's reason."""
    if not trials:
        return "nothing was tried"
    first = trials[0]
    message = first.message.strip()
    return f"none of {len(trials)} configurations was correct; {_text_of(first.configuration)}: {first.outcome}" + \
        (f", {message}" if message else "")


def _text_of(configuration: dict[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in configuration.items())


class Session(Findings):
    """A session that runs on a thread of its own, with the engine's worker processes behind it.

    Iterating gives trials as they come, then those of earlier runs, and ends with the session. `winner`, `best`,
    `trials`, `to_pandas` and `report` wait for its end. Ctrl-C while waiting or iterating ends the session with what it has,
    as on the command line; `interrupted` then says so. One object may be used from several threads.
    """

    def __init__(self, request: dict[str, Any], store: str, *, keep: object = None,
                 on_start: Callable[[str], object] | None = None, on_trial: Callable[[Trial], object] | None = None,
                 progress: bool = False) -> None:
        """`on_start` is called with the device's name before anything is measured. What either function raises ends the
        session."""
        super().__init__()
        self._keep = keep  # the template's folder, as long as somebody may read it
        self._pid = os.getpid()
        self._on_start = on_start
        self._on_trial = on_trial
        self._changed = threading.Condition()
        self._stop = _native.Stop()
        self._error: BaseException | None = None
        self._kernel = ""  # its name, once the template was read
        self._bar = bar(request) if progress else None
        self.manifest = Path(request["manifest"])
        self._thread = threading.Thread(target=self._run, args=(json.dumps(request), store), daemon=True,
                                        name="warptune session")
        _running.add(self)
        self._thread.start()

    # The session's thread.

    def _run(self, request: str, store: str) -> None:
        document, error = None, None
        try:
            document = json.loads(_native.tune(request, store, self._stop, self._notify))
        except BaseException as failure:  # noqa: BLE001: it is raised where somebody waits
            error = translated(failure)
            # What the engine says of a word of the call, as an objective; observers' own errors come from deeper.
            if type(failure) is ValueError and failure.__traceback__ is not None and failure.__traceback__.tb_next is None:
                error = UsageError(str(failure))
            if isinstance(error, TuningError) and self._keep is not None:  # of files that the caller has never seen
                error = TuningError(str(error).replace(f"{self.manifest.parent}{os.sep}", ""), error.kind)
        if self._bar is not None:
            self._bar.close()
        with self._changed:
            if document is not None:
                self._trials = [trial_of(each) for each in document["trials"]]
            self._document, self._error = document, error
            self._changed.notify_all()
        _running.discard(self)

    def _notify(self, event: str, text: str) -> None:
        document = json.loads(text)
        if event == "trial":
            trial = trial_of(document)
            with self._changed:
                self._trials.append(trial)
                self._changed.notify_all()
            if self._bar is not None:
                self._bar.update(trial)
            if self._on_trial is not None:
                self._on_trial(trial)
        elif event == "start":
            self._kernel = document["kernel"]
            if self._on_start is not None:
                self._on_start(document["device"])

    # Everybody else's.

    @property
    def done(self) -> bool:
        with self._changed:
            return self._document is not None or self._error is not None

    def stop(self) -> None:
        """Ends the session with what it has. Returns at once; `wait` waits for the end."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the session's end; whether it has ended. Raises what ended it, if it failed."""
        if os.getpid() != self._pid:
            raise RuntimeError("this session belongs to the process that this one was forked from; only that one can "
                               "wait for it")
        try:
            self._wait(timeout)
        except KeyboardInterrupt:
            self._end_on_ctrl_c()
            self._wait(None)
        if self._error is not None:
            raise self._error
        return self.done

    def _end_on_ctrl_c(self) -> None:
        """For a handler of KeyboardInterrupt, which is raised again the second time."""
        if self._stop.is_set():
            raise
        self._stop.set()
        print("ending the session with what it has; Ctrl-C again leaves at once", file=sys.stderr)

    def _wait(self, timeout: float | None) -> None:
        with self._changed:
            if timeout is not None:
                self._changed.wait_for(lambda: self._document is not None or self._error is not None, timeout)
                return
            # In pieces, so that signals are seen.
            while self._document is None and self._error is None:
                self._changed.wait(0.2)

    def _finished(self) -> dict[str, Any]:
        self.wait()
        return super()._finished()

    @property
    def interrupted(self) -> bool:
        return bool(self._finished()["run"]["interrupted"])

    @property
    def reason(self) -> str:
        """Why it ended, in words."""
        return str(self._finished()["run"]["reason"])

    def report(self) -> str:
        """The end of a session for people, as the command line prints it."""
        return str(self._finished()["report"])

    def save_template(self, folder: str | os.PathLike[str]) -> Path:
        """Copies the template that was tuned, for `warptune tune FOLDER` and for C++; the manifest's path."""
        import shutil

        shutil.copytree(self.manifest.parent, folder, dirs_exist_ok=True)
        return Path(folder) / "template.toml"

    def _news(self, told: int) -> tuple[list[Trial], bool]:
        """The trials after the first `told`, for which it waits a moment, and whether the session has ended."""
        with self._changed:
            ended = self._document is not None or self._error is not None
            new = self._trials[told:] if self._document is None else []
            if not new and not ended:
                self._changed.wait(0.2)
            return new, ended

    def __iter__(self) -> Iterator[Trial]:
        told = 0
        ended = False
        while not ended:
            try:
                new, ended = self._news(told)
            except KeyboardInterrupt:
                self._end_on_ctrl_c()
                continue
            yield from new
            told += len(new)
        self.wait()
        # Now the list begins with those of earlier runs, of which the engine tells nothing while it runs.
        resumed = self._finished()["run"]["resumed"]
        yield from self._trials[:resumed]
        yield from self._trials[resumed + told:]

    def _repr_html_(self) -> str:
        # A notebook shows what a cell gives: that must neither wait nor raise.
        if self.done and self._error is None:
            return super()._repr_html_()
        return f"<p>{html.escape(repr(self))}</p>"

    def __repr__(self) -> str:
        if not self.done:
            return f"<warptune.Session {self._kernel}: {len(self._trials)} trials so far>"
        if self._error is not None:
            return f"<warptune.Session {self._kernel}: failed, {self._error}>"
        winner = self.winner
        found = f"{winner.time_ms:.4g} ms with {_text_of(winner.configuration)}" if winner else self._no_winner()
        return f"<warptune.Session {self.id} of {self.kernel} on {self.device}: {len(self._trials)} trials, {found}>"


_running: set[Session] = set()


def _end_all() -> None:
    # When the interpreter ends, workers must not outlive it.
    for session in list(_running):
        if session._pid == os.getpid():
            session.stop()
    for session in list(_running):
        if session._pid == os.getpid():
            session._thread.join()


import atexit  # noqa: E402

atexit.register(_end_all)
