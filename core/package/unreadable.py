"""Records that a converter could not read in the original: they keep their place and say what was wrong."""

from __future__ import annotations

from typing import Any

from ..model import Problem
from .fields import Fields, Notes, is_object
from .names import one_line

UNREADABLE = "unreadable"
"""Field that marks such a record; it holds the problem, with file and line of the original recording."""


def problem_from(item: Any, where: str, notes: Notes) -> Problem | None:
    """A problem that a converter stored. Its file and line are those of the original recording."""
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    what, severity = fields.text("what", required=True), fields.one_of("severity", ("error", "warning"))
    return Problem(
        one_line(fields.text("file") or notes.file),
        fields.count("line"),
        one_line(what) if what else "a problem of the recording that this was made from, not told",
        _line(fields.text("expected")),
        _line(fields.text("found")),
        "warning" if severity == "warning" else "error",
    )


def unreadable_problem(item: Any, notes: Notes) -> Problem:
    """Notes, for this line, what a converter said that it could not read."""
    problem = problem_from(item, UNREADABLE, notes)
    found = None if problem is None else f"{problem.file}, line {problem.line}: {problem.what}"
    return notes.add("the recording that this was made from could not be read here", None, found)


def _line(text: str | None) -> str | None:
    return None if text is None else one_line(text)
