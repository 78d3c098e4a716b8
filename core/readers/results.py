"""What lines of which files a tool result shows, whatever the agent: by the tools' names and the result's own gutter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .claude_results import shown_by
from .codex_items import command_of
from .shape import obj, text
from .shell import shown_by_command
from .sources import Shown, numbered_lines, shown
from .tools import EDITORS

if TYPE_CHECKING:
    from .tools import Call

_CLAUDE = frozenset({"Read", "Grep", "Bash"})
_SHELLS = frozenset({"bash", "shell", "exec_command", "shell_command", "execute_bash", "run_shell_command"})
_CAT_N = re.compile(r"Here's the result of running `cat -n` on (?P<path>[^\n]+?)(?: with view_range[^\n]*)?:\n")


def shown_in(call: Call, body: str) -> tuple[tuple[Shown, ...], str | None]:
    """The lines that a result shows, and the gutter that numbers them in its body (None: not numbered)."""
    if call.tool in _CLAUDE:
        return shown_by(call, body, None)
    if call.tool in EDITORS:
        match = _CAT_N.search(body)
        path = match["path"] if match else text(obj(call.arguments).get("path"))
        lines = numbered_lines(body[match.end() :] if match else body, "\t")
        return (shown(path, lines), "\t") if path and lines else ((), None)
    if call.tool in _SHELLS:
        return shown_by_command(command_of(call), body)
    return (), None
