"""What a tool call is: a lookup (it asks for evidence), a write (it changes files), or book-keeping of the agent.

Plain tables, keyed by the tool names that agents use. A tool that is not named here is a lookup. A write that failed
changed nothing and only gave an answer: it counts as a lookup too, so that an edit which is refused again and again is
seen as a repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..model import Lookup, Patch
from .shape import is_object, name, objects, text

if TYPE_CHECKING:
    from collections.abc import Mapping

Purpose = Literal["lookup", "write", "other"]

WRITES = frozenset(
    {"Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch", "edit", "create", "insert", "append", "replace"}
    | {"write_file", "create_file", "edit_file", "replace_in_file", "write_to_file", "apply_diff"}
)
"""Tools that change a file."""

EDITOR_WRITES = frozenset({"create", "str_replace", "insert", "undo_edit"})
"""Commands of `str_replace_editor` and its descendants that change a file; `view` is a lookup."""

EDITORS = frozenset({"str_replace_editor", "str_replace_based_edit_tool", "file_editor"})

BOOK_KEEPING = frozenset(
    {"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "update_plan", "think", "task_tracker"}
    | {"AskUserQuestion", "request_user_input", "ExitPlanMode", "EnterPlanMode", "enter_plan_mode", "exit_plan_mode"}
    | {"submit", "finish"}
)
"""Tools that ask for no evidence: plans, to-do lists, questions to the person, the end of the run."""

FREE_TEXT: Mapping[str, tuple[str, ...]] = {
    "Bash": ("description", "timeout", "run_in_background"),
    "Task": ("description",),
    "Agent": ("description",),
    "shell": ("justification", "prefix_rule", "timeout", "timeout_ms"),
    "shell_command": ("justification", "prefix_rule", "timeout_ms"),
    "exec_command": ("justification", "prefix_rule", "yield_time_ms"),
    "write_stdin": ("yield_time_ms",),
    "bash": ("timeout",),
}
"""Arguments that do not decide the answer: what is said to the person, and how long to wait. No part of the identity."""

_SUMMARIES = ("description", "justification")
_PATHS = ("file_path", "path", "notebook_path", "filePath", "filename", "target_file")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a reply: what it is for, and as what it would be looked up. `paths`: files that it would change."""

    id: str | None
    tool: str
    arguments: Any
    purpose: Purpose
    lookup: Lookup
    paths: tuple[str, ...] = ()
    patch: Patch | None = None


def call(call_id: str | None, tool: str, arguments: Any) -> Call:
    """A tool call with what it is for."""
    purpose = _purpose(tool, arguments)
    paths = _paths(arguments) if purpose == "write" else ()
    patch = _patch(arguments, paths) if purpose == "write" else None
    return Call(call_id, tool, arguments, purpose, lookup_of(tool, arguments), paths, patch)


def lookup_of(tool: str, arguments: Any) -> Lookup:
    """The lookup that a call is: `kind` is the tool, `arguments` are those that decide the answer."""
    if not is_object(arguments):
        return Lookup(kind=tool, arguments=arguments)
    free = FREE_TEXT.get(tool, ())
    summary = next((arguments[key] for key in _SUMMARIES if key in free and name(arguments.get(key))), None)
    left = {key: arguments[key] for key in free if key in arguments}
    kept = {key: value for key, value in arguments.items() if key not in free}
    return Lookup(kind=tool, arguments=kept, summary=summary, extra={"not_identity": left} if left else {})


def _purpose(tool: str, arguments: Any) -> Purpose:
    if tool in BOOK_KEEPING:
        return "other"
    if tool in EDITORS:
        command = text(arguments.get("command")) if is_object(arguments) else ""
        return "write" if command in EDITOR_WRITES else "lookup"
    return "write" if tool in WRITES else "lookup"


def _paths(arguments: Any) -> tuple[str, ...]:
    if isinstance(arguments, str):
        return patched_paths(arguments)
    if not is_object(arguments):
        return ()
    found = [arguments[key] for key in _PATHS if name(arguments.get(key))]
    return tuple(found[:1]) or patched_paths(text(arguments.get("input") or arguments.get("patch")))


def patched_paths(patch: str) -> tuple[str, ...]:
    """The files that an `apply_patch` text names."""
    found: dict[str, None] = {}
    for line in patch.split("\n"):
        for mark in ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "):
            if line.startswith(mark):
                found[line.removeprefix(mark).strip()] = None
    return tuple(found)


def _patch(arguments: Any, paths: tuple[str, ...]) -> Patch | None:
    """A single before/after change, where the call is one (not `replace_all`: there `before` may occur often)."""
    if not is_object(arguments) or len(paths) != 1 or arguments.get("replace_all") or objects(arguments.get("edits")):
        return None
    before, after = arguments.get("old_string"), arguments.get("new_string")
    before = arguments.get("old_str") if before is None else before
    after = arguments.get("new_str") if after is None else after
    return Patch(paths[0], before, after) if isinstance(before, str) and isinstance(after, str) and before else None
