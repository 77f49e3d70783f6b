"""`warptune.kernel`: a tuned kernel as a callable on the caller's arrays, through the runtime library."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _native, _places
from ._expressions import Value
from .errors import TuningError, UsageError


class Kernel:
    """A kernel that is launched on arrays where they lie. Made by `warptune.kernel`.

    Calling it queues a launch and waits for nothing but, at a new size, the compiler. Arguments come in the template's
    order or by name; sizes by name, as far as the arrays' shapes do not say them. ``None`` stands for a buffer that the
    kernel does not use. The stream is PyTorch's or CuPy's current one, unless ``stream=`` names another.
    """

    __slots__ = ("_launch", "_native", "name")

    def __init__(self, native: _native.Kernel, name: str) -> None:
        self._native = native
        self._launch = native.launch
        self.name = name

    def __call__(self, *arguments: Any, **named: Any) -> None:
        try:
            self._launch(*arguments, **named)
        except _native.EngineError as error:
            raise TuningError(str(error), "device") from None

    def prepare(self, **sizes: int) -> None:
        """Compiles for these sizes now, so that their first launch is as fast as the others."""
        try:
            self._native.prepare(**sizes)
        except _native.EngineError as error:
            raise TuningError(str(error), "device") from None

    def choice(self, **sizes: int) -> dict[str, Any]:
        """What a launch of these sizes uses, and from where: the wisdom's entry of this device, of its architecture, or
        the template's default configuration."""
        try:
            return dict(json.loads(self._native.choice(**sizes)))
        except _native.EngineError as error:
            raise TuningError(str(error), "device") from None

    def capture_next(self, file: str | os.PathLike[str], *, data: bool = False) -> None:
        """The next launch is recorded in the file, for ``warptune tune --capture``; with its inputs if `data`."""
        self._native.capture_next(os.fspath(file), data)

    def __repr__(self) -> str:
        return f"<warptune kernel {self._native.description()}>"


def kernel(
    template: str | os.PathLike[str],
    *,
    wisdom: str | os.PathLike[str] | None = None,
    variants: Mapping[str, Value] | None = None,
    device: str = "cuda",
    cache: bool = True,
) -> Kernel:
    """A template's kernel, to be called on arrays of CuPy, PyTorch or anything with ``__cuda_array_interface__`` or DLPack.

    >>> add = warptune.kernel("vector_add", wisdom="vector_add.wisdom.json")
    >>> add(a, b, c)                        # SIZE follows from the shapes

    :param template: a template's name, its folder, or its manifest.
    :param wisdom: what was tuned, as ``warptune export NAME --format wisdom`` writes it. Without it, the template's default
        configuration is launched.
    :param variants: the problem's named choices, such as the precision; the template's defaults for others.
    :param device: "cuda": the device whose context is current when it is called; "host": the processor, on NumPy arrays.
    :param cache: whether machine code is kept on disk for the next process.
    :raises UsageError: for a template, an argument or a size that does not fit.
    :raises TuningError: for what cannot be loaded, compiled or launched.
    """
    if device not in ("cuda", "host"):
        raise UsageError(f"device={device!r}: a kernel is called where its arguments lie; expected \"cuda\" or \"host\"")
    if wisdom is not None and not os.path.isfile(wisdom):
        raise TuningError(f"wisdom=: there is no file {os.fspath(wisdom)}; `warptune export NAME --format wisdom -o FILE` "
                          "writes one", "request")
    manifest = _places.find_template(os.fspath(template))
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in (variants or {}).items()}
    folder = str(_places.cache_folder()) if cache else ""
    try:
        native = _native.Kernel(json.dumps(_places.backend_options()), str(manifest), os.fspath(wisdom) if wisdom else "",
                                folder, texts, device == "host")
    except _native.EngineError as error:
        raise TuningError(str(error), getattr(error, "kind", "internal")) from None
    return Kernel(native, manifest.parent.name)
