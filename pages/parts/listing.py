"""Behind `state.py`: the rows of the archive's files, read in a process of its own and kept until a file changes.

What is known is shared by all visitors, as the archive is. Nothing here is of Streamlit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final, TypeAlias

from core.catalogue import Listed, Unread
from core.catalogue_process import read
from core.errors import InspectorError
from core.limits import MAX_LISTED_FILES

from . import opening
from .catalogue import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.batch import PassedOver

    from .catalogue import Entry

Answer: TypeAlias = "tuple[Listed, ...] | Unread | PassedOver"
Known: TypeAlias = "tuple[Path, opening.Stamp]"

_JOBS: Final = max(1, min(4, os.cpu_count() or 1))
_ENDED: Final = 5.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of an archive's files: answers by entry id, how many files there are, whether more are being read."""

    answers: dict[str, Answer]
    total: int
    running: bool
    stopped: bool


class Listing:
    """Reads files in the background, one run at a time; keeps what it read by path, size and change time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Known, Answer] = {}
        self._latest: dict[Path, Answer] = {}
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def look(self, entries: Sequence[Entry]) -> Seen:
        """What is known now. Starts reading what is not, unless it was stopped."""
        answers, missing = self._sorted_out(entries)
        with self._lock:
            if missing and self._process is None and not self._stopped:
                self._start(missing)
            return Seen(answers, len(entries), self._process is not None, self._stopped and bool(missing))

    def known(self, entries: Sequence[Entry]) -> Seen:
        """What was last known of these files, without a look at any: a page asks in every run, of thousands."""
        answers = {entry.id: self._latest[entry.path] for entry in entries if entry.path in self._latest}
        return Seen(answers, len(entries), self._process is not None, self._stopped)

    def stop(self) -> None:
        """Read no further; what is known stays."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()

    def go_on(self) -> None:
        """Read on at the next look."""
        with self._lock:
            self._stopped = False

    def _sorted_out(self, entries: Sequence[Entry]) -> tuple[dict[str, Answer], list[tuple[Entry, Known]]]:
        answers: dict[str, Answer] = {}
        missing = []
        for entry in entries:
            try:
                key = entry.path, opening.stamp_of(entry.path)
            except InspectorError as error:
                answers[entry.id] = Unread(entry.name, error)
                continue
            if key in self._known:
                answers[entry.id] = self._known[key]
            else:
                missing.append((entry, key))
        return answers, missing

    def _start(self, missing: Sequence[tuple[Entry, Known]]) -> None:
        command = [sys.executable, "-m", "core.catalogue_process", str(_JOBS)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
        )
        keys = {str(number): key for number, (_, key) in enumerate(missing)}
        lines = [json.dumps([str(entry.path), str(number)]) + "\n" for number, (entry, _) in enumerate(missing)]
        threading.Thread(target=self._follow, args=(self._process, lines, keys), daemon=True).start()

    def _follow(self, process: subprocess.Popen[str], lines: Sequence[str], keys: dict[str, Known]) -> None:
        """Hand over the names, keep every answer, and say of what has none that it has none: it is not tried for ever."""
        try:
            _hand_over(process.stdin, lines)
            for line in process.stdout or ():
                name, answer = read(line)
                self._keep(keys.pop(name), answer)
        finally:
            process.wait()
            with self._lock:
                for key in () if self._stopped else tuple(keys.values()):
                    self._keep(
                        key, Unread(key[0].name, InspectorError("it was not listed: the process that read it ended"))
                    )
                self._process = None

    def _keep(self, key: Known, answer: Answer) -> None:
        while len(self._known) >= MAX_LISTED_FILES:
            self._known.pop(next(iter(self._known)), None)
        self._known[key] = answer
        if len(self._latest) >= MAX_LISTED_FILES:
            self._latest.clear()
        self._latest[key[0]] = answer


def _hand_over(pipe: IO[str] | None, lines: Sequence[str]) -> None:
    if pipe is None:
        return
    try:
        pipe.writelines(lines)
        pipe.close()
    except OSError:  # the process was ended: its answers end, too
        return


ARCHIVE: Final = Listing()
"""The one listing of this server."""
