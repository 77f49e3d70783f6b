"""
The engine, as the package's Python files use it. Not an interface: use `import warptune`.
"""

from collections.abc import Callable, Mapping, Sequence


class EngineError(RuntimeError):
    pass

class Stop:
    """Ends a session; may be set from any thread."""

    def __init__(self) -> None: ...

    def set(self) -> None:
        """End the session with what it has."""

    def is_set(self) -> bool:
        """Whether it was set."""

version: str = '0.1.0'

def tune(request: str, store: str, stop: Stop, notify: Callable[[str, str], object]) -> str:
    """
    Run a session; the result is a JSON document. `notify(event, document)` is told of what happens.
    """

def tune_sizes(request: str, problems: str, store: str, stop: Stop) -> str:
    """
    Run the sessions of many problems within one budget; the result is a JSON document.
    """

def work(request: str, stop: Stop, notify: Callable[[str, str], object]) -> str:
    """
    Take work of a queue and tune it; the result is a JSON document. `notify(event, document)` is told of it.
    """

def devices(backend: str, worker: str) -> str:
    """
    The devices there are and why others are not, as a JSON document; asked by a worker.
    """

def kernels(source: str) -> str:
    """
    The kernels of a CUDA source with their parameters, as a JSON document.
    """

def names(expression: str) -> list[str]:
    """
    The names that an expression uses. Raises EngineError where it is none.
    """

def kernel_tuner_macros(grid: Sequence[str], block: Sequence[str], block_names: Sequence[str]) -> list[tuple[str, str]]:
    """
    The macros that Kernel Tuner defines besides the parameters, with the expressions of their values.
    """

class Kernel:
    """A template that is launched on arrays. Use `warptune.kernel`."""

    def __init__(self, backend: str, manifest: str, wisdom: str, cache_folder: str, variants: Mapping[str, str], on_host: bool) -> None: ...

    def launch(self, *arguments: object, **named: object) -> None:
        """Queue a launch."""

    def prepare(self, **sizes: int) -> None:
        """Compile for these sizes."""

    def choice(self, **sizes: int) -> str:
        """What a launch of these sizes uses, as a JSON document."""

    def capture_next(self, file: str, data: bool) -> None:
        """Record the next launch."""

    def description(self) -> str:
        """How it is called."""

class Outputs:
    """One problem on one device, for single runs in this process."""

    def __init__(self, request: str) -> None: ...

    def run(self, configuration: str) -> dict[str, bytes]:
        """Run one configuration once; what its outputs hold, as bytes by name."""

class Store:
    """A store file, open."""

    def __init__(self, file: str, writable: bool) -> None: ...

    def sessions(self, kernel: str, device: str, name: str, limit: int) -> str:
        """Sessions, newest first, as a JSON document."""

    def findings(self, session: int) -> str:
        """All of one session, as a JSON document."""

    def label(self, session: int, name: str | None, note: str | None) -> None:
        """Change a session's name, its note, or both."""
