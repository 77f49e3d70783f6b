"""What single configurations compute: runs in a process of their own, so that a kernel that crashes takes nothing along.

`python -m warptune._outputs` is that process. It reads the request, a line, and then configurations, a line each. An answer
is a JSON line with the outputs' sizes, or with an error, and then the outputs' bytes. The first error ends the process, for
a GPU's context may be lost with it; the next run begins another one.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .errors import TuningError


class OutputRunner:
    """Runs configurations of one template, whose data is read once. Not for several threads at once."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._request = {**request, "worker": ""}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "OutputRunner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.stdout.close()
            process.wait()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            import warptune

            paths = [str(Path(warptune.__path__[0]).parent), os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
            self._process = subprocess.Popen([sys.executable, "-m", "warptune._outputs"], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, env=environment)
            self._send(self._request)
        return self._process

    def _send(self, document: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(document).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # there will be no answer

    def run(self, configuration: dict[str, Any]) -> dict[str, bytearray]:
        """The bytes of each output after one run. Raises TuningError for one that fails or crashes."""
        process = self._started()
        assert isinstance(process.stdout, io.BufferedReader)
        self._send({"configuration": configuration})
        head = process.stdout.readline()
        document = json.loads(head) if head.endswith(b"\n") else None
        if document is not None and "error" in document:
            self.close()
            raise TuningError(document["error"], "request")
        outputs = {name: bytearray(size) for name, size in (document or {}).get("outputs", {}).items()}
        if document is None or any(process.stdout.readinto(content) < len(content) for content in outputs.values()):
            code = process.wait()
            self.close()
            raise TuningError(f"the run of {configuration} ended its process (exit code {code}); it crashed", "device")
        return outputs


def _serve() -> None:
    from . import _native

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what kernels print is talk
    runs: _native.Outputs | None = None
    request = sys.stdin.readline()
    for line in sys.stdin:
        try:
            runs = runs or _native.Outputs(request)
            outputs = runs.run(line)
        except Exception as error:  # noqa: BLE001: told to whoever asked
            answers.write(json.dumps({"error": str(error)}).encode() + b"\n")
            answers.flush()
            return
        answers.write(json.dumps({"outputs": {name: len(content) for name, content in outputs.items()}}).encode() + b"\n")
        for content in outputs.values():
            answers.write(content)
        answers.flush()


if __name__ == "__main__":
    _serve()
