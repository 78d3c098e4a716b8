"""What lines of which files a Claude Code tool result shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ..limits import MAX_SHOWN_LINES
from .shape import count, is_object, name, obj, text
from .shell import shown_by_command
from .sources import Shown, gutter_of, numbered_lines, shown, shown_by_search

if TYPE_CHECKING:
    from .tools import Call


Read: TypeAlias = "tuple[str, int, str | None]"
"""What a structured answer says about a read: path, first line, and the content where the body does not number it."""


def read_of(call: Call, body: str, structured: Any) -> Read | None:
    """What a line's `toolUseResult` (the answer once more, as data) says about a `Read`; None if it says nothing."""
    file = obj(obj(structured).get("file"))
    start, content, path = count(file.get("startLine")), file.get("content"), name(file.get("filePath"))
    if call.tool != "Read" or not isinstance(content, str) or not start or not path or not count(file.get("numLines")):
        return None
    return path, start, None if gutter_of(body) else content


def shown_by(call: Call, body: str, read: Read | None) -> tuple[tuple[Shown, ...], str | None]:
    """The lines that a result shows, and the gutter in which its body numbers them (None: not numbered).

    `read` is what the structured answer says: its path is preferred, and its lines where the body numbers none.
    """
    arguments = call.arguments if is_object(call.arguments) else {}
    if call.tool == "Read":
        return _read(text(arguments.get("file_path")), body, read)
    if call.tool == "Grep" and arguments.get("output_mode") == "content":
        return _grep(arguments.get("path"), body)
    if call.tool == "Bash":
        return shown_by_command(text(arguments.get("command")), body)
    return (), None


def _read(path: str, body: str, read: Read | None) -> tuple[tuple[Shown, ...], str | None]:
    if read is not None:
        path, start, content = read
        if content is not None:
            return (Shown(path, start, tuple(content.split("\n")[:MAX_SHOWN_LINES])),), None
    gutter = gutter_of(body)
    return (shown(path, numbered_lines(body, gutter)), gutter) if path and gutter in {"→", "\t"} else ((), None)


def _grep(path: Any, body: str) -> tuple[tuple[Shown, ...], str | None]:
    found = shown_by_search(body)
    if found:
        return found, "path:"
    lines = numbered_lines(body, ":")
    return (shown(path, lines), ":") if isinstance(path, str) and lines else ((), None)
