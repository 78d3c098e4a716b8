"""Listing recordings from a process of its own, which can be ended at any time: files in, rows out as they are done.

    python -m core.catalogue_process JOBS < files

Why a process: a server that lists hundreds of files keeps answering, and its own main module is not imported again by
every worker. The protocol is JSON lines. In: `[path, name]`. Out, in any order: `{"name", "rows": [{...}]}` with the
fields of `core.catalogue.Listed`, `{"name", "unread": {...}}` with those of an `InspectorError`, or
`{"name", "passed": reason}`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .batch import Found, Outcome, PassedOver, run
from .catalogue import Listed, Unread, list_file
from .errors import InspectorError
from .limits import MAX_PACKAGE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

_FIELDS = ("message", "file", "line", "expected", "found")
_POLITE = 10
"""Niceness: a page that somebody waits for comes first."""


def main() -> None:
    """List what stdin names."""
    os.nice(_POLITE)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # leaving in order ends the workers
    serve(sys.stdin, sys.stdout, int(sys.argv[1]))


def serve(files: IO[str], rows: IO[str], jobs: int) -> None:
    """Read every name, then write one line for each file as it is done."""
    named = [json.loads(line) for line in files]
    found = [Found(Path(path), name, named=False) for path, name in named]
    run(list_file, found, jobs=jobs, seconds=MAX_PACKAGE_SECONDS, each=_writer(rows))


def _writer(rows: IO[str]) -> Callable[[Outcome[list[Listed]] | PassedOver], None]:
    def write(done: Outcome[list[Listed]] | PassedOver) -> None:
        rows.write(json.dumps(_said(done)) + "\n")
        rows.flush()

    return write


def _said(done: Outcome[list[Listed]] | PassedOver) -> dict[str, Any]:
    if isinstance(done, PassedOver):
        return {"name": done.name, "passed": done.reason}
    if done.error is not None:
        return {"name": done.found.name, "unread": {name: getattr(done.error, name) for name in _FIELDS}}
    return {"name": done.found.name, "rows": [asdict(row) for row in done.made or ()]}


def read(line: str) -> tuple[str, tuple[Listed, ...] | Unread | PassedOver]:
    """One line of the answer: the file's name and what it holds, why it could not be read, or why it is passed over."""
    said = json.loads(line)
    name: str = said["name"]
    if "passed" in said:
        return name, PassedOver(name, said["passed"])
    if "unread" in said:
        error = dict(said["unread"])
        return name, Unread(name, InspectorError(error.pop("message"), **error))
    return name, tuple(Listed(**row) for row in said["rows"])


if __name__ == "__main__":
    main()
