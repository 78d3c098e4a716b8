"""A server of the app in a process of its own, for benchmarks and tests."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 90.0


@contextmanager
def served(
    log: Path,
    *arguments: object,
    flags: Sequence[str] = (),
    command: Sequence[str] | None = None,
    base: str = "",
    poll: float = 0.1,
    **process: object,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The app started as `streamlit run app.py FLAGS -- ARGUMENTS` (or by `command --port PORT`) on a free port.

    Gives its address and process; stopped afterwards. What it prints goes to the file `log`. `base` is the prefix that it is
    told to serve below. `poll`: seconds between two looks at its port. `process` are arguments of `Popen`, such as `env`. Raises `RuntimeError` where it does not become healthy.
    """
    port = free_port()
    if command is None:
        run = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), *flags, "--"]
        run += [str(argument) for argument in arguments]
    else:
        run = [*command, "--port", str(port), *flags, *(str(argument) for argument in arguments)]
    options: Mapping[str, object] = {"cwd": ROOT} | process
    with log.open("wb") as output:
        started = subprocess.Popen(run, stdout=output, stderr=subprocess.STDOUT, **options)  # type: ignore[call-overload]  # noqa: S603  # our own
        try:
            address = f"http://127.0.0.1:{port}" + (f"/{base}" if base else "")
            _wait(address + "/_stcore/health", started, log, poll)
            yield address, started
        finally:
            started.terminate()
            try:
                started.wait(20)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(url: str, process: subprocess.Popen[bytes], log: Path, poll: float) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310  # our own server on this machine
                return
        except (urllib.error.URLError, OSError):
            time.sleep(poll)
    raise RuntimeError(f"the server did not start in {START_SECONDS:g} s: {log.read_text()}")
