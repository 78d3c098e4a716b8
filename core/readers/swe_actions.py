"""SWE-agent's actions: text commands to a shell with a windowed file viewer, where the answer depends on what is open."""

from __future__ import annotations

import re
import shlex
from posixpath import isabs, join, normpath
from typing import TYPE_CHECKING, Any

from ..canonical import loads_last
from ..errors import JsonError
from .shape import Object, name, obj
from .shell import shown_by_command
from .sources import Shown, numbered_lines, shown
from .tools import BOOK_KEEPING, EDITOR_WRITES, EDITORS, WRITES, Call, Purpose, lookup_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_WINDOW = re.compile(r"^\[File: (?P<path>.+?) \(\d+ lines total\)\]\r?\n", re.MULTILINE)
_CAT_N = re.compile(r"Here's the result of running `cat -n` on (?P<path>[^\n]+?)(?: with view_range[^\n]*)?:\n")
_REFUSED = (
    "Your proposed edit has introduced",
    "Text not found",
    "No replacement was performed",
    "Usage:",
    "Error",
    "No file open",
)
_IN_OPEN_FILE = frozenset({"goto", "scroll_up", "scroll_down", "search_file", "edit", "insert", "replace"})
_MOVES = frozenset({"scroll_up", "scroll_down"})


class SweActions:
    """Follows the open file, its window and the folder, which decide what `goto 12` or `ls` answers."""

    def __init__(self) -> None:
        self.open_file: str | None = None
        self.folder: str | None = None
        self.window: int | None = None

    def start(self, action: str, state: Any) -> None:
        """The folder before the first action is the one after it, unless that action changed it."""
        if "cd" not in action.split():
            self._take_state(state)
            self.open_file = None

    def call(self, action: str, call_id: str | None) -> Call:
        """The action as a tool call: `kind` is its first word, its arguments are the text and what it depends on."""
        words = action.split()
        tool = words[0] if words else ""
        arguments: Object = {"command": action.strip()}
        if self.folder is not None:
            arguments["working_dir"] = self.folder
        if tool in _IN_OPEN_FILE and self.open_file is not None and not _names_its_file(action):
            arguments["open_file"] = self.open_file
        if tool in _MOVES and self.window is not None:
            arguments["first_line"] = self.window
        purpose = _purpose(tool, words)
        paths = self._written(tool, words) if purpose == "write" else ()
        return Call(call_id, tool, arguments, purpose, lookup_of(tool, arguments), paths)

    def result(self, call: Call, observation: str, state: Any) -> tuple[tuple[Shown, ...], str | None, bool | None]:
        """The lines that an observation shows, its gutter, and whether it says that an edit was refused."""
        folder = self.folder
        self._take_state(state)
        failed = observation.startswith(_REFUSED) if call.purpose == "write" else None
        found, gutter = self._windows(observation)
        if not found:
            found, gutter = shown_by_command(str(call.arguments["command"]), observation, folder)
        if found and _WINDOW.search(observation):
            self.window = found[-1].start
        return found, gutter, failed

    def _windows(self, observation: str) -> tuple[tuple[Shown, ...], str | None]:
        listed = _CAT_N.search(observation)
        if listed is not None:
            lines = numbered_lines(observation[listed.end() :], "\t")
            return shown(self._path(listed["path"]), lines), "\t"
        found: list[Shown] = []
        matches = list(_WINDOW.finditer(observation))
        for number, match in enumerate(matches):
            end = matches[number + 1].start() if number + 1 < len(matches) else len(observation)
            lines = numbered_lines(observation[match.end() : end], ":")
            found += shown(self._path(match["path"]), [(line, said.removesuffix("\r")) for line, said in lines])
        return tuple(found), ":" if found else None

    def _written(self, tool: str, words: Sequence[str]) -> tuple[str, ...]:
        if tool == "create" and len(words) > 1:
            return (self._path(words[1].strip("\"'")),)
        if tool in EDITORS and len(words) > 2:  # noqa: PLR2004  # tool, command, path
            return (self._path(words[2]),)
        return (self.open_file,) if self.open_file is not None else ()

    def _path(self, path: str) -> str:
        return path if isabs(path) or self.folder is None else normpath(join(self.folder, path))

    def _take_state(self, state: Any) -> None:
        """`state` stands after the action: an object, or its JSON as text."""
        if isinstance(state, str):
            try:
                state = loads_last(state)
            except JsonError:
                return
        known = obj(state)
        opened = name(known.get("open_file"))
        if opened is not None and opened != "n/a":
            self.open_file = opened
        self.folder = name(known.get("working_dir")) or self.folder


def _names_its_file(action: str) -> bool:
    """`search_file TERM FILE` does not depend on what is open."""
    try:
        return action.startswith("search_file") and len(shlex.split(action)) > 2  # noqa: PLR2004  # command, term, file
    except ValueError:  # an open quotation
        return False


def _purpose(tool: str, words: Sequence[str]) -> Purpose:
    if tool in BOOK_KEEPING:
        return "other"
    if tool in EDITORS:
        return "write" if len(words) > 1 and words[1] in EDITOR_WRITES else "lookup"
    return "write" if tool in WRITES else "lookup"
