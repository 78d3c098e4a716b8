"""What lines of which files a Claude Code tool result shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shape import count, is_object, name, obj, text
from .shell import shown_by_command
from .sources import Shown, numbered_lines, shown, shown_by_search

if TYPE_CHECKING:
    from .tools import Call


def shown_by(call: Call, body: str, structured: Any) -> tuple[tuple[Shown, ...], str | None]:
    """The lines that a result shows, and the gutter in which its body numbers them (None: not numbered).

    `structured` is the line's `toolUseResult`, the same answer once more as data; its path and start are preferred.
    """
    arguments = call.arguments if is_object(call.arguments) else {}
    if call.tool == "Read":
        return _read(text(arguments.get("file_path")), body, structured)
    if call.tool == "Grep" and arguments.get("output_mode") == "content":
        return _grep(arguments.get("path"), body)
    if call.tool == "Bash":
        return shown_by_command(text(arguments.get("command")), body)
    return (), None


def _read(path: str, body: str, structured: Any) -> tuple[tuple[Shown, ...], str | None]:
    lines = numbered_lines(body)
    gutter = next((mark for mark in ("→", "\t") if lines and f"{lines[0][0]}{mark}" in body[:40]), None)
    file = obj(obj(structured).get("file"))
    start, content, known = count(file.get("startLine")), file.get("content"), name(file.get("filePath"))
    if isinstance(content, str) and start and known and count(file.get("numLines")):
        return shown(known, list(enumerate(content.split("\n"), start))), gutter
    return (shown(path, lines), gutter) if path and gutter else ((), None)


def _grep(path: Any, body: str) -> tuple[tuple[Shown, ...], str | None]:
    found = shown_by_search(body)
    if found:
        return found, "path:"
    lines = numbered_lines(body, ":")
    return (shown(path, lines), ":") if isinstance(path, str) and lines else ((), None)
