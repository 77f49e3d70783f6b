"""`warptune.tune`: a kernel of the caller's, or a template that comes with the package."""

from __future__ import annotations

import inspect
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from . import _native, _places
from ._arguments import Argument, kernels_array, whole
from ._expressions import Value, plain
from ._progress import watched
from ._reference import expected_results, take_tolerance
from ._session import Session, Trial
from ._template import Description, integer_sizes, named_arguments, only_kernel, signature, write_template
from .errors import UsageError, translated

Verify = Literal["always", "once", "never"]


def tune(
    source: str | os.PathLike[str],
    *,
    parameters: Mapping[str, Sequence[Value]] | None = None,
    constraints: Sequence[str | Callable[..., Any]] = (),
    arguments: Mapping[str, Any] | Sequence[Any] | None = None,
    grid: Any = None,
    block: Any = None,
    shared: Any = 0,
    reference: Any = None,
    tolerance: Any = None,
    metrics: Mapping[str, Any] | None = None,
    objective: str = "time",
    budget: str | float | Sequence[str | float] | None = None,
    kernel: str | None = None,
    sizes: Mapping[str, int] | None = None,
    variants: Mapping[str, Value] | None = None,
    preset: str = "",
    defaults: Mapping[str, Value] | None = None,
    constants: Mapping[str, Any] | None = None,
    options: Sequence[str] = ("-std=c++17",),
    include_directories: Sequence[str | os.PathLike[str]] = (),
    strategy: str = "auto",
    strategy_options: Mapping[str, Value] | None = None,
    seed: int = 0,
    device: str = "",
    verify: Verify = "always",
    finals: int = 20,
    name: str = "",
    store: str | os.PathLike[str] | None = None,
    template: str | os.PathLike[str] | None = None,
    measuring: Mapping[str, Any] | None = None,
    wait: bool = True,
    progress: bool | None = None,
    on_trial: Callable[[Trial], object] | None = None,
) -> Session:
    """Searches for the fastest correct configuration of a kernel.

    With `parameters`, `source` is CUDA C++, as a text or as the name of a .cu file, in which each parameter is a macro.
    Without, it is the name or the folder of a template (`warptune.templates()`), which brings all the rest.

    :param parameters: values by name, neighbouring ones next to each other; the first is the default's.
    :param constraints: what a configuration must satisfy: expressions (``"X * Y <= 1024"``), or functions of a
        configuration (``lambda c: c.X * c.Y <= 1024``, ``lambda X, Y: …``), called before the search only. For a
        template: further expressions.
    :param arguments: what the kernel is called with, in its order or by its parameters' names: arrays (NumPy, CuPy,
        PyTorch, whatever has the buffer protocol, DLPack or ``__cuda_array_interface__``), and numbers. A pointer to
        const is an input, another one is restored before each run and compared after it; ``warptune.input``,
        ``output``, ``inout`` and ``scratch`` say it otherwise. Arrays are read once, and never written to.
    :param grid: blocks: an integer, an expression over parameters and sizes, a function of a configuration, or up to
        three of these. Integers among the arguments are sizes, by their names.
    :param block: threads, likewise; `shared`: bytes of dynamic shared memory.
    :param reference: what is right: an array, several for several outputs (in order or by name), or a function that is
        called once with copies of all arguments and returns them or fills the outputs. Without one, the kernel itself
        at its default configuration is what all others must reproduce.
    :param tolerance: how far results may be from that: an absolute number, (absolute, relative), or either by output's
        name; unless given for an output, what rounding in another order costs, as PyTorch's ``assert_close`` has it.
    :param metrics: expressions or functions over ``time`` (seconds), parameters and sizes by name; more is better
        unless it is ``(expression, "lower")``.
    :param objective: "time", "joules", a metric; several as "time,joules".
    :param budget: "60s", "1m30s", "500" or 500 (trials), "idle:100", "target:1.5"; several in a list, of which the first to be
        reached counts.
    :param defaults: the default configuration, where it is not the first values.
    :param constants: arrays for ``__constant__`` and ``__device__`` variables of the source, by name.
    :param device: "cuda:0", "cuda:all", "host", "host:sm_90"; the best there is unless said.
    :param verify: "always", "once", or "never", which the record then says.
    :param store: the file that keeps the trials and resumes them; the command line's unless named, ":memory:" for none.
    :param template: a folder to write the template to, so that the command line can be used on it.
    :param measuring: `precision`, `race`, `cold_cache`, `as`, `min_samples`, `max_samples`, `kernel_timeout`,
        `compile_timeout`, `compile_jobs` as the command line has them.
    :param wait: whether to return only when the session has ended; a running one can be iterated over.
    :param progress: a bar, if tqdm is installed; by default on terminals and in notebooks.
    :param on_trial: called with each trial, on the session's thread; what it raises ends the session.
    :raises UsageError: for a call that cannot be meant.
    :raises TuningError: for a template, a device or a space that cannot be tuned.
    """
    if isinstance(constraints, str) or callable(constraints):
        raise UsageError("constraints= takes a list, for a single one too: constraints=[…]")
    request = _request(locals())
    _require_objective(objective, (metrics or {}) if parameters is not None else None)
    keep: object = None
    if parameters is None:
        request["manifest"] = str(_places.find_template(os.fspath(source)))
        request["restrictions"] = _texts(constraints)
        _refuse_for_templates(locals())
    else:
        description = _describe(locals())
        keep, folder = _folder(template)
        request["manifest"] = str(write_template(description, folder))
        request["temporary_manifest"] = template is None
    chosen_store = os.fspath(store) if store is not None else str(_places.default_store())
    show = watched() if progress is None else progress
    session = Session(request, chosen_store, keep=keep, on_trial=on_trial, progress=show)
    if wait:
        session.wait()
    return session


_OF_OWN_KERNELS = ("arguments", "grid", "block", "shared", "reference", "tolerance", "metrics", "defaults", "constants",
                   "kernel", "options", "include_directories", "template")


def _refuse_for_templates(call: dict[str, Any]) -> None:
    usual = inspect.signature(tune).parameters
    for name in _OF_OWN_KERNELS:
        default = usual[name].default
        if call[name] is not default and (default is None or call[name] != default):
            raise UsageError(f"{name}= is for a kernel of your own, which parameters= describes; the template "
                             f"'{call['source']}' says it itself")


def _require_objective(objective: str, metrics: Mapping[str, Any] | None) -> None:
    """Of a kernel of the caller's own; a template's metrics are the engine's to know."""
    if not isinstance(objective, str):
        raise UsageError(f"objective is {objective!r}; expected a text, as \"time\", \"joules\" or a metric's name")
    known = ["time", "joules", "max_error", "rms_error", *(metrics or {})]
    for name in objective.split(","):
        if metrics is not None and name.strip() not in known:
            raise UsageError(f"the objective '{name.strip()}' is no metric of this call; expected one of {', '.join(known)}")


def _texts(constraints: Sequence[str | Callable[..., Any]]) -> list[str]:
    for each in constraints:
        if not isinstance(each, str):
            raise UsageError("constraints of a template are expressions, for example \"BLOCK_SIZE <= 256\"")
    return [str(each) for each in constraints]


def _request(call: dict[str, Any]) -> dict[str, Any]:
    sizes, variants = (call["sizes"], call["variants"]) if call["parameters"] is None else (None, None)
    request: dict[str, Any] = {
        "sizes": {name: whole(value, f"the size {name}") for name, value in (sizes or {}).items()},
        "variants": _plain_values(variants),
        "preset": call["preset"], "device": call["device"], "strategy": call["strategy"],
        "strategy_options": _plain_values(call["strategy_options"]), "seed": whole(call["seed"], "seed"),
        "name": call["name"], "objective": call["objective"], "finals": whole(call["finals"], "finals", 0),
        "budget": parse_budget(call["budget"]),
    }
    return with_places(request, call["verify"], call["measuring"] or {})


def _plain_values(given: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: plain(value) for name, value in (given or {}).items()}


MEASURING = {"precision", "race", "cold_cache", "as", "min_samples", "max_samples", "kernel_timeout", "compile_timeout",
             "compile_jobs", "cache"}


def with_places(request: dict[str, Any], verify: str, measuring: Mapping[str, Any]) -> dict[str, Any]:
    """A request with this machine's folders, and how it is measured."""
    unknown = set(measuring) - MEASURING
    if unknown:
        raise UsageError(f"measuring says '{sorted(unknown)[0]}'; there are {', '.join(sorted(MEASURING))}")
    backend = _places.backend_options()
    policy = _plain_values(measuring)
    for timeout in ("kernel_timeout", "compile_timeout"):
        if timeout in policy:
            backend[timeout] = policy.pop(timeout)
    if policy.pop("cache", True):
        policy["cache_folder"] = str(_places.cache_folder())
    request["evaluator"] = {"backend": backend, "verify": verify, **policy}
    request["worker"] = str(_places.program())
    return request


_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}


def _duration(text: str) -> float | None:
    """Seconds of "90s", "1m30s", "1500ms", "1d"; None for anything else."""
    number = r"(\d+(?:\.\d+)?)"
    match = re.fullmatch("".join(f"(?:{number}{unit})?" for unit in _UNITS), text)
    if not text or match is None:
        return None
    return sum(float(count) * unit for count, unit in zip(match.groups(), _UNITS.values()) if count)


def parse_budget(budget: str | float | Sequence[str | float] | None) -> dict[str, Any]:
    """Limits as the command line writes them; a plain number is trials, as there."""
    limits: dict[str, Any] = {}

    def take(name: str, value: float, first: Any = min) -> None:
        limits[name] = first(limits.get(name, value), value)  # of two of a kind, the one that is reached first

    if budget is None:
        return limits
    for each in budget if isinstance(budget, (list, tuple)) else [budget]:
        text = str(each).strip()
        if isinstance(each, bytes):
            raise UsageError(f"the budget {each!r} is bytes; expected a text or a number, as {each.decode('ascii', 'replace')!r}")
        if (seconds := _duration(text)) is not None:
            if not 0 < seconds <= 8784 * 3600:
                raise UsageError(f"budget {text}: a time must be above 0s and at most 8784h, as \"60s\" or \"1h\"")
            take("seconds", seconds)
        elif re.fullmatch(r"[1-9]\d*", text):
            take("trials", int(text))
        elif match := re.fullmatch(r"idle:([1-9]\d*)", text):
            take("stagnation", int(match[1]))
        elif match := re.fullmatch(r"(target|improvement):(\d+(?:\.\d*)?(?:e-?\d+)?)", text):
            if match[1] == "improvement" and float(match[2]) > 1:
                raise UsageError(f"budget {text}: an improvement is a fraction from 0 to 1, as \"improvement:0.001\" for "
                                 "0.1 %")
            if match[1] == "improvement":
                take("min_expected_improvement", float(match[2]), max)
            elif limits.setdefault("target", float(match[2])) != float(match[2]):
                raise UsageError(f"budget {text}: there is a target already, {limits['target']:g}; name one")
        else:
            raise UsageError(f"'{each}' is no budget; expected for example \"60s\", \"1m30s\", 500 (trials), \"idle:100\", "
                             "\"target:1.5\" or \"improvement:0.001\"")
    return limits


def read_source(source: str | os.PathLike[str]) -> tuple[str, list[Path]]:
    """The text, and where its headers lie: a name of a file is read."""
    if isinstance(source, os.PathLike) or ("\n" not in source and "{" not in source):
        file = Path(source)
        if not file.is_file():
            raise UsageError(f"there is no file {file}; with parameters=, the source is CUDA C++ or the name of a file "
                             "of it")
        return file.read_text(), [file.resolve().parent]
    return source, []


def _extents(value: Any, what: str) -> list[Any]:
    if value is None:
        raise UsageError(f"{what}= is missing: an integer, an expression, or up to three of them")
    extents = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(extents) <= 3:
        raise UsageError(f"{what}= has {len(extents)} extents; expected one to three")
    return extents


def _describe(call: dict[str, Any]) -> Description:
    text, folders = read_source(call["source"])
    if call["arguments"] is None:
        raise UsageError("arguments= is missing: what the kernel is called with")
    kernel = call["kernel"] or only_kernel(text)
    arguments = named_arguments(call["arguments"], signature(text, kernel), kernel)
    for name, array in (call["constants"] or {}).items():
        arguments.append(Argument(kernels_array(array, name), "input", name=name, symbol=name))
    take_tolerance(arguments, call["tolerance"])
    expected = expected_results(call["reference"], arguments) if call["reference"] is not None else {}
    include = [Path(each).resolve() for each in call["include_directories"]]
    domains = _domains(call["parameters"])
    for name in call["defaults"] or {}:
        if name not in domains:
            raise UsageError(f"defaults says '{name}', which is no parameter; there are {', '.join(domains)}")
    return Description(
        source=text, kernel=kernel, parameters=domains,
        arguments=arguments, grid=_extents(call["grid"], "grid"), block=_extents(call["block"], "block"),
        shared=call["shared"], constraints=call["constraints"], sizes=integer_sizes(arguments, call["sizes"] or {}),
        defaults=call["defaults"] or {}, defines=call["variants"] or {}, metrics=call["metrics"] or {},
        options=call["options"], include_directories=[*folders, *include], expected=expected)


def _domains(parameters: Mapping[str, Sequence[Value]]) -> dict[str, list[Value]]:
    if not parameters:
        raise UsageError("parameters= is empty, so there is nothing to tune; expected for example "
                         "{'BLOCK': [64, 128, 256]}, where BLOCK is a macro of the source")
    domains = {}
    for name, values in parameters.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise UsageError(f"the parameter {name} has the value {values!r}; expected a list of values, for example "
                             f"{{{name!r}: [{values!r}]}}")
        domains[name] = list(values)
        if not domains[name]:
            raise UsageError(f"the parameter {name} has no values")
    return domains


def _folder(template: str | os.PathLike[str] | None) -> tuple[object, Path]:
    if template is not None:
        return None, Path(template)
    folder = tempfile.TemporaryDirectory(prefix="warptune-")
    return folder, Path(folder.name)


def devices() -> list[dict[str, Any]]:
    """What there is to tune on, best first, with names and limits. A worker asks, so no GPU is opened here."""
    try:
        document = json.loads(_native.devices(json.dumps(_places.backend_options()), str(_places.program())))
    except _native.EngineError as error:
        raise translated(error) from None
    return list(document["devices"])


def templates() -> list[str]:
    """The names of the kernel templates that `tune` takes."""
    names = {manifest.parent.name for folder in _places.template_folders() for manifest in folder.glob("*/template.toml")}
    return sorted(names)
