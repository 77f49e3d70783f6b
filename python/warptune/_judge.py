"""`warptune.judge`: is a kernel right, and is it faster than another? For programs that let programs write kernels.

The packaged program does it (`warptune judge`), in a process of its own: nothing that a kernel does reaches the interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _places
from ._expressions import Value, expression_of, literal
from ._reference import absolute_and_relative, expected_results, take_tolerance
from ._template import Description, integer_sizes, named_arguments, only_kernel, signature, write_template
from ._tune import _extents, read_source
from .errors import TuningError, UsageError

# The command line's exit codes that come with a document; 130 is an interrupted one.
_JUDGED = (0, 6, 8, 10)


@dataclass(frozen=True)
class Judgement:
    """What `warptune.judge` found. `document` is all of it, as `warptune judge --format json` prints it."""

    document: dict[str, Any]

    @property
    def verdict(self) -> str:
        """"faster", "as_fast", "slower", "right" (nothing to compare with), "incorrect", "implausible", "not_judged"."""
        return str(self.document["verdict"])

    @property
    def reason(self) -> str:
        """A sentence or two."""
        return str(self.document["reason"])

    @property
    def correct(self) -> bool:
        """Whether it was right in all cases that count, of which there is one at least."""
        return self.verdict in ("faster", "as_fast", "slower", "right")

    @property
    def fast_enough(self) -> bool | None:
        """Whether the required speed-up may be there at every size; None where no times were compared."""
        value = self.document["fast_enough"]
        return None if value is None else bool(value)

    @property
    def speed_up(self) -> float | None:
        """The reference's time over the candidate's, at the size where it is the least; None without a comparison."""
        found = self.document["speed_up"]
        return None if found is None else float(found["estimate"])

    @property
    def interval(self) -> tuple[float, float] | None:
        """The speed-up's bounds, which hold with 95 %; None where there are none."""
        found = self.document["speed_up"]
        return None if found is None or found["low"] is None else (float(found["low"]), float(found["high"]))

    @property
    def cases(self) -> list[dict[str, Any]]:
        """Each size with each set of inputs: its outcome, its message, or why it was set aside."""
        return list(self.document["cases"])

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The cases that count and are not correct."""
        return [each for each in self.cases if each["counts"] and each["outcome"] != "correct"]

    @property
    def comparisons(self) -> list[dict[str, Any]]:
        """Times and speed-ups by size."""
        return list(self.document["comparisons"])

    def __str__(self) -> str:
        return f"{self.verdict}: {self.reason}"


def judge(
    candidate: str | os.PathLike[str],
    reference: Any = None,
    *,
    inputs: Any = None,
    grid: Any = None,
    block: Any = None,
    shared: Any = 0,
    kernel: str | None = None,
    reference_kernel: str | None = None,
    reference_grid: Any = None,
    reference_block: Any = None,
    reference_shared: Any = 0,
    tolerance: Any = None,
    sizes: Sequence[Mapping[str, int]] = (),
    exact_sizes: bool = False,
    input_sets: Sequence[str] = (),
    draws: int = 2,
    seed: int | None = None,
    configuration: Mapping[str, Value] | None = None,
    reference_configuration: Mapping[str, Value] | None = None,
    required_speed_up: float = 1.0,
    seconds: float = 10.0,
    options: Sequence[str] = ("-std=c++17",),
    include_directories: Sequence[str | os.PathLike[str]] = (),
    device: str = "",
    kernel_timeout: float = 30.0,
) -> Judgement:
    """Says whether a kernel is right on many inputs, and how much faster it is than another.

    :param candidate: CUDA C++, as a text or as the name of a .cu file; or a template's name or folder.
    :param reference: what it replaces: CUDA C++ of a kernel with the same arguments, or a template; then times are
        compared. With `inputs`, also a function of all arguments, or arrays, that say what is right. Without one, the
        candidate's own manifest says it.
    :param inputs: what the kernels are called with, as `warptune.tune` takes `arguments`; several such in a list, or a
        function of a ``numpy.random.Generator`` that makes them, called `draws` times. Without it, a manifest or the
        reference's source describes the inputs, and `sizes` and `input_sets` vary them.
    :param grid: blocks, and `block`: threads, of the candidate: integers, expressions or functions of the integers among
        the arguments. Those of the reference are the same, unless `reference_grid` and `reference_block` say otherwise.
    :param tolerance: as `warptune.tune` has it, with `inputs`; else (absolute, relative).
    :param sizes: problems to judge at, each with three near it unless `exact_sizes`.
    :param input_sets: of "random", "zeros", "negative", "wide", "outliers", "large", "tiny"; all unless given.
    :param seed: of what is drawn; one that nobody knows unless given.
    :param required_speed_up: what `fast_enough` is held against.
    :param seconds: for the comparison of times at a size, at most; 0: none.
    :raises UsageError: for a call that cannot be meant.
    :raises TuningError: for kernels or a device that cannot be judged.
    """
    call = locals()
    words = _common_words(call)
    if inputs is None:
        return _run([_name(candidate), *_against(reference), *_described_words(call), *words])
    with tempfile.TemporaryDirectory(prefix="warptune-") as folder:
        return _run(_given_words(call, Path(folder)) + words)


def _run(words: Sequence[str]) -> Judgement:
    environment = dict(os.environ)
    toolkits = os.pathsep.join(str(each) for each in _places.python_toolkits())
    if toolkits:
        known = environment.get("WARPTUNE_CUDA_PATH")
        environment["WARPTUNE_CUDA_PATH"] = f"{known}:{toolkits}" if known else toolkits
    done = subprocess.run([str(_places.program()), "judge", *words, "--format", "json"], env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode in _JUDGED:
        return Judgement(json.loads(done.stdout))
    message = done.stderr.strip().removeprefix("error: ") or f"warptune judge ended with {done.returncode}"
    kinds = {3: "request", 4: "no_device", 7: "device_lost"}
    raise UsageError(message) if done.returncode == 2 else TuningError(message, kinds.get(done.returncode, "internal"))


def _common_words(call: Mapping[str, Any]) -> list[str]:
    words = ["--draws", str(call["draws"]), "--at-least", repr(float(call["required_speed_up"])),
             "--seconds", repr(float(call["seconds"])), "--kernel-timeout", repr(float(call["kernel_timeout"]))]
    words += ["--device", call["device"]] if call["device"] else []
    words += ["--seed", str(call["seed"])] if call["seed"] is not None else []
    for each in call["include_directories"]:
        words += ["-I", os.fspath(each)]
    return words


def _name(source: str | os.PathLike[str]) -> str:
    name = os.fspath(source)
    if "\n" in name or "{" in name:
        raise UsageError("inputs= is missing: a kernel's text does not say what it is called with. Name a .cu file or a "
                         "template, or pass inputs")
    return name


def _against(reference: Any) -> list[str]:
    if reference is None:
        return []
    if not isinstance(reference, (str, os.PathLike)):
        raise UsageError("a reference that is a function or an array needs inputs=")
    return ["--against", _name(reference)]


def _assignments(values: Mapping[str, Any]) -> str:
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
    return ",".join(f"{name}={text}" for name, text in texts.items())


def _described_words(call: Mapping[str, Any]) -> list[str]:
    """Of kernels that a manifest or their own source describes."""
    words: list[str] = []
    for each in call["sizes"]:
        words += ["--size", _assignments(each)]
    for each in call["input_sets"]:
        words += ["--inputs", each]
    words += ["--exact-sizes"] if call["exact_sizes"] else []
    for name in ("configuration", "reference_configuration"):
        if call[name]:
            words += ["--" + name.replace("_", "-"), _assignments(call[name])]
    if call["tolerance"] is not None:
        absolute, relative = absolute_and_relative(call["tolerance"])
        words += ["--tolerance", f"absolute={absolute!r},relative={relative!r}"]
    words += ["--reference-kernel", call["reference_kernel"]] if call["reference_kernel"] else []
    return words + _launch_words(call, []) + _launch_words(call, [], "reference_")


def _launch_words(call: Mapping[str, Any], sizes: Sequence[Mapping[str, int]], prefix: str = "") -> list[str]:
    """`sizes` of each set of inputs, all of which the launch is for."""
    words = ["--kernel", call["kernel"]] if call["kernel"] and not prefix else []
    for key in (f"{prefix}grid", f"{prefix}block"):
        if call[key] is not None:
            words += [f"--{key.replace('_', '-')}", *(_expression(each, key, sizes) for each in _extents(call[key], key))]
    key = f"{prefix}shared"
    return words + ([f"--{key.replace('_', '-')}", _expression(call[key], key, sizes)] if call[key] != 0 else [])


def _expression(value: Any, what: str, sizes: Sequence[Mapping[str, int]]) -> str:
    if callable(value):
        known = {name: size for each in sizes for name, size in each.items()}
        unknown = {name: name for name, size in known.items() if any(each.get(name) != size for each in sizes)}
        return expression_of(value, {}, known, f"the {what}", unknown=unknown)
    return value if isinstance(value, str) else literal(value)


def _sets_of_inputs(inputs: Any, draws: int, seed: int | None) -> list[Any]:
    if callable(inputs):
        import numpy as np

        rng = np.random.default_rng(seed)
        return [inputs(rng) for _ in range(max(draws, 1))]
    several = isinstance(inputs, (list, tuple)) and inputs and all(isinstance(each, (Mapping, list, tuple)) for each in inputs)
    return list(inputs) if several else [inputs]


def _given_words(call: Mapping[str, Any], folder: Path) -> list[str]:
    """Of kernels that are called with the caller's arrays: a template for each set of them."""
    for name in ("sizes", "input_sets", "configuration", "reference_configuration"):
        if call[name]:
            raise UsageError(f"{name}= is for kernels that a manifest describes; inputs= says it itself")
    is_kernel = isinstance(call["reference"], (str, os.PathLike))
    if call["reference"] is None:
        raise UsageError("reference= is missing: a kernel, a function or arrays that say what is right")
    sets = _sets_of_inputs(call["inputs"], call["draws"], call["seed"])
    text, folders = read_source(call["candidate"])
    chosen = call["kernel"] or only_kernel(text)
    written = [_write(call, each, is_kernel, folder / str(i)) for i, each in enumerate(sets)]
    data = [word for each, _ in written[1:] for word in ("--data", str(each))]
    if not is_kernel:
        return [str(written[0][0]), *data]
    source = Path(call["candidate"]) if folders else folder / "candidate.cu"
    if not folders:
        source.write_text(text)
    launch = _launch_words({**call, "kernel": chosen}, [sizes for _, sizes in written])
    return [str(source), "--against", str(written[0][0]), *data, *launch]


def _write(call: Mapping[str, Any], inputs: Any, is_kernel: bool, folder: Path) -> tuple[Path, dict[str, int]]:
    """The template of the kernel that is called with these inputs: the reference's, or without one the candidate's."""
    text, folders = read_source(call["reference"] if is_kernel else call["candidate"])
    kernel = (call["reference_kernel"] if is_kernel else call["kernel"]) or only_kernel(text)
    arguments = named_arguments(inputs, signature(text, kernel), kernel)
    take_tolerance(arguments, call["tolerance"])
    own = {key: call[f"reference_{key}"] if is_kernel and call[f"reference_{key}"] else call[key]
           for key in ("grid", "block", "shared")}
    sizes = integer_sizes(arguments, {})
    write_template(Description(
        source=text, kernel=kernel, parameters={"WARPTUNE_NOTHING": [0]}, may_be_unused=True, arguments=arguments,
        grid=_extents(own["grid"], "grid"), block=_extents(own["block"], "block"), shared=own["shared"], sizes=sizes,
        options=call["options"], include_directories=folders,
        expected={} if is_kernel else expected_results(call["reference"], arguments)), folder)
    return folder, sizes
