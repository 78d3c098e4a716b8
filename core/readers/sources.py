"""Which lines of which file a result shows, and which version of the file they come from.

Lines are taken from what the result shows: a gutter (`12→text`, `12<TAB>text`, `12:text`, `12 | text`), a structured
answer, or the range in a plain `sed -n 'a,bp' FILE` (`shell.py`).

A transcript records no content hashes. So a source's `hash` is a *version label*, `observed:N`, not a content hash: N
grows when the agent's own edit of that path succeeded, or when a result shows a line with another text than before.
Two results with one label agree on every line that both show, and no recorded edit lies between them; nothing more is
claimed. `edits:K` (kept in the fragment's `extra`) counts recorded edits only: under it, lines that differ with no
recorded edit between are a conflict, and are shown as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..limits import MAX_SHOWN_LINES
from ..model import SourceRange

GUTTERS = ("→", "\t", ":", " | ")
_NUMBERED = re.compile(r"[ \t]*(\d{1,9})(→|\t|:| \| )(.*)", re.DOTALL)
_FOUND = re.compile(r"((?:[A-Za-z]:)?[^:\n]+):(\d{1,9}):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """Consecutive lines of a file as a result shows them; `start` is the number of the first (1-based)."""

    path: str
    start: int
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The number of the last line."""
        return self.start + len(self.lines) - 1


def numbered_lines(body: str, gutter: str | None = None) -> list[tuple[int, str]]:
    """The lines that carry a number, in order; all with the gutter of the first one (or the given one)."""
    found: list[tuple[int, str]] = []
    for line in body.split("\n"):
        match = _NUMBERED.fullmatch(line)
        if match is None or (gutter is not None and match[2] != gutter):
            continue
        gutter = match[2]
        found.append((int(match[1]), match[3]))
    return found


def gutter_of(body: str) -> str | None:
    """The gutter of the first line, if it carries a number."""
    match = _NUMBERED.fullmatch(body.partition("\n")[0])
    return match[2] if match else None


def shown(path: str, lines: list[tuple[int, str]]) -> tuple[Shown, ...]:
    """The lines as runs of consecutive numbers."""
    runs: list[tuple[int, list[str]]] = []
    for number, line in lines[:MAX_SHOWN_LINES]:
        if number < 1:
            continue
        if runs and runs[-1][0] + len(runs[-1][1]) == number:
            runs[-1][1].append(line)
        else:
            runs.append((number, [line]))
    return tuple(Shown(path, start, tuple(texts)) for start, texts in runs)


def shown_by_search(body: str) -> tuple[Shown, ...]:
    """What `path:12:text` lines show, file by file, in order."""
    runs: list[tuple[str, int, list[str]]] = []
    for line in body.split("\n")[:MAX_SHOWN_LINES]:
        match = _FOUND.fullmatch(line)
        if match is None or int(match[2]) < 1:
            continue
        path, number = match[1], int(match[2])
        if runs and runs[-1][0] == path and runs[-1][1] + len(runs[-1][2]) == number:
            runs[-1][2].append(match[3])
        else:
            runs.append((path, number, [match[3]]))
    return tuple(Shown(path, start, tuple(texts)) for path, start, texts in runs)


@dataclass
class _Seen:
    version: int = 1
    edits: int = 0
    lines: dict[int, int] = field(default_factory=dict)


@dataclass
class Versions:
    """Which version of each path a run has seen so far, told by its edits and by the lines that results show."""

    seen: dict[str, _Seen] = field(default_factory=dict)

    def observe(self, runs: tuple[Shown, ...]) -> tuple[tuple[SourceRange, ...], dict[str, int]]:
        """The ranges of what one result shows, each with its version label; and per path its count of recorded edits."""
        for path in {run.path: None for run in runs}:
            seen = self.seen.setdefault(path, _Seen())
            lines: dict[int, int] = {}
            for run in runs:
                if run.path == path:
                    lines.update(zip(range(run.start, run.end + 1), map(hash, run.lines), strict=True))
            if any(seen.lines[number] != lines[number] for number in seen.lines.keys() & lines.keys()):
                seen.version += 1
                seen.lines.clear()
            seen.lines.update(lines)
        ranges = tuple(
            SourceRange(run.path, f"observed:{self.seen[run.path].version}", run.start, run.end) for run in runs
        )
        return ranges, {run.path: self.seen[run.path].edits for run in runs}

    def edited(self, path: str) -> None:
        """The agent's own edit of this path succeeded: what was seen of it is of an older version."""
        seen = self.seen.setdefault(path, _Seen())
        seen.version += 1
        seen.edits += 1
        seen.lines.clear()
