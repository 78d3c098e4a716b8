"""Foreign recordings: transcripts and captured requests of other agents, each read into the one model.

`READERS` is a plain dict from a reader's name to its `Reader`; adding a format is one new file and one line there. A
format is told by what the file holds, never by its name. `open_any` tries the native package first.
"""

from __future__ import annotations

import gc
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import TooManyValuesError, UnsupportedError
from ..package import member_names, open_package
from . import captured, claude_code, codex, mini_swe_agent, swe_agent
from .known import unsupported
from .recording import Recording
from .refusal import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..model import Investigation


@dataclass(frozen=True, slots=True)
class Reader:
    """How one format is told and read.

    `title` is what a person calls it. `knows(recording)` looks at the content only and never raises. `read(recording)`
    gives the file's investigations in file order and raises `RecordingError` if there is none in it.
    """

    title: str
    knows: Callable[[Recording], bool]
    read: Callable[[Recording], tuple[Investigation, ...]]


READERS: Mapping[str, Reader] = {
    claude_code.READER: Reader("a Claude Code session", claude_code.knows, claude_code.read),
    codex.READER: Reader("a Codex rollout", codex.knows, codex.read),
    swe_agent.READER: Reader("a SWE-agent trajectory", swe_agent.knows, swe_agent.read),
    mini_swe_agent.READER: Reader("a mini-swe-agent trajectory", mini_swe_agent.knows, mini_swe_agent.read),
    captured.READER: Reader("captured requests", captured.knows, captured.read),
}
"""Name (as in `Investigation.reader`) → reader, in the order in which they are tried."""


def open_any(path: Path | str, progress: Callable[[int, int], None] | None = None) -> tuple[Investigation, ...]:
    """Every investigation that the package or recording at `path` holds, in file order; at least one.

    Raises `PackageError` for a package that is refused, `UnsupportedError` for a file that no reader knows (the message
    says what was looked for, and what the file looks like) or that is of a known but unsupported kind (it is named), and
    `RecordingError` for a recording that cannot be read or holds no model call. `progress(done, total)` counts bytes of a
    recording of many lines.
    """
    path = Path(path)
    if _is_package(path):
        return (open_package(path),)
    if path.is_dir():
        raise UnsupportedError(
            "a folder without a manifest.json", file=path.name, expected="a package, or a recording file"
        )
    recording = Recording.of(path)
    recording.progress = progress
    for reader in READERS.values():
        if reader.knows(recording):
            with _collector_paused():
                return reader.read(recording)
    kind = unsupported(recording)
    if kind:
        raise UnsupportedError(f"this is {kind}, which is known but not supported yet", file=path.name)
    looked_for = ", ".join(["a package", *(reader.title for reader in READERS.values())])
    limit = recording.no_document
    if isinstance(limit, TooManyValuesError):
        raise UnsupportedError(limit.message, file=path.name, expected=limit.expected, found=limit.found)
    raise refusal(recording, looked_for)


def main_part(investigations: Sequence[Investigation]) -> int:
    """Which investigation of a file (from 1) is meant where none is named: the one with the most model calls, else the first.

    The first in the file is often a side call: a title, a topic, a state.
    """
    calls = [len(each.decisions) for each in investigations]
    return calls.index(max(calls)) + 1


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes many objects and no cycles; the cyclic collector would walk them over and over (a quarter of the time)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_package(path: Path) -> bool:
    if path.is_dir():
        return (path / "manifest.json").exists() or (path / "decisions.jsonl").exists()
    if not path.is_file() or not zipfile.is_zipfile(path):  # a pipe must not even be opened
        return False
    return "header.json" not in member_names(path)  # an Inspect AI log is a zip too
