"""`manifest.json`: what the package says of itself, and its table of files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..canonical import loads_reporting
from ..errors import JsonError, PackageError, RecordError
from ..limits import MAX_MANIFEST_BYTES
from ..model import NOTHING, Limits, Problem, PromptsOrigin, RepliesOrigin
from .fields import Fields, Notes, is_object, shown
from .names import FORMAT, MANIFEST, VERSION, inner_name, one_line
from .unreadable import problem_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .members import Member

SOURCE_PROBLEMS = "source_problems"
"""Manifest field in which a converter keeps what was wrong in the recording it converted."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What the manifest claims of one file; None where it claims nothing readable."""

    sha256: str | None
    bytes: int | None
    records: int | None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest as read. `files` is None where there is no table: the recording was not closed."""

    title: str
    created: str | None = None
    prompts: PromptsOrigin = "unknown"
    replies: RepliesOrigin = "unknown"
    limits: Limits = field(default_factory=Limits)
    producer: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, FileEntry] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    readable: bool = True


def read_manifest(member: Member | None, name: str, *, alone: bool) -> Manifest:
    """Read the manifest. A missing or damaged one is a problem, unless it stands `alone`, with no file of records.

    Raises `PackageError` for one that is damaged and alone, of another format or version, or over a limit.
    """
    notes = Notes(MANIFEST)
    if member is None:
        notes.add("the manifest is missing: where prompts and replies come from is not known", MANIFEST, "nothing")
        return Manifest(name, problems=tuple(notes.problems), readable=False)
    if member.size > MAX_MANIFEST_BYTES:
        raise PackageError(
            "the manifest is too large",
            file=MANIFEST,
            expected=f"at most {MAX_MANIFEST_BYTES} bytes",
            found=f"{member.size} bytes",
        )
    try:
        data = member.read(0, member.size).removeprefix(b"\xef\xbb\xbf")
    except RecordError as error:
        raise PackageError(error.message, file=MANIFEST, expected=error.expected, found=error.found) from error
    try:
        row, twice = loads_reporting(data)
    except JsonError as error:
        return _damaged(error, name, alone=alone)
    if not isinstance(row, dict):
        return _damaged(JsonError("not an object", expected="an object", found=shown(row)), name, alone=alone)
    for key in twice:
        notes.add("an object holds the same key twice: the last one stands", "each key once", shown(key))
    return _manifest(row, name, notes)


def _damaged(error: JsonError, name: str, *, alone: bool) -> Manifest:
    """What stands for a manifest that cannot be read: as much is known as without one."""
    if alone:
        raise PackageError(
            f"the manifest cannot be read: {error.message}",
            file=MANIFEST,
            expected=error.expected,
            found=error.found,
        ) from error
    what = f"the manifest cannot be read: {error.message}; where prompts and replies come from is not known"
    problem = Problem(MANIFEST, _line_of(error), what, error.expected, error.found)
    return Manifest(name, problems=(problem,), readable=False)


def _line_of(error: JsonError) -> int | None:
    """The line where a text stops being JSON, as far as its reader told a place."""
    cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        return cause.lineno
    if isinstance(cause, UnicodeDecodeError):
        return cause.object.count(b"\n", 0, cause.start) + 1
    return None


def _manifest(row: dict[str, Any], name: str, notes: Notes) -> Manifest:
    fields = Fields(row, "", notes)
    for key, wanted in (("format", FORMAT), ("version", VERSION)):
        value = fields.take(key)
        if type(value) is not type(wanted) or value != wanted:
            raise PackageError(
                f"not a package of this format: `{key}`", file=MANIFEST, expected=str(wanted), found=shown(value)
            )
    title = fields.text("title", required=True)
    prompts = _origin(fields, "prompts", "recorded", "rebuilt")
    replies = _origin(fields, "replies", "model", "scripted")
    created, producer = fields.text("created"), fields.mapping("producer")
    limits, files = _limits(fields), _files(fields)
    notes.problems.extend(fields.each(SOURCE_PROBLEMS, problem_from))
    return Manifest(
        title=name if title is None else title,
        created=created,
        prompts=cast("PromptsOrigin", prompts),
        replies=cast("RepliesOrigin", replies),
        limits=limits,
        producer=producer or NOTHING,
        files=files,
        extra=fields.rest(),
        problems=tuple(notes.problems),
    )


def _origin(fields: Fields, field_: str, *allowed: str) -> str:
    """One of the known words, or `unknown`; an unknown word stays among the extra fields."""
    value = fields.one_of(field_, (*allowed, "unknown"), required=True)
    if value is None or value in allowed:
        return value or "unknown"
    if value != "unknown":
        fields.keep(field_, value)
    return "unknown"


def _limits(parent: Fields) -> Limits:
    row = parent.mapping("limits")
    if row is None:
        return Limits()
    fields = Fields(row, "limits", parent.notes)
    limits = Limits(fields.count("prompt_bytes"), fields.count("context_bytes"), fields.count("calls"))
    if fields.rest():
        parent.keep("limits", dict(fields.rest()))
    return limits


def _files(parent: Fields) -> Mapping[str, FileEntry] | None:
    table = parent.mapping("files")
    if table is None:
        return None
    entries: dict[str, FileEntry] = {}
    for name, row in table.items():
        where = f"files.{one_line(name[:80])}"
        if not is_object(row, where, parent.notes):
            continue
        fields = Fields(row, where, parent.notes)
        hash_ = fields.text("sha256", required=True)
        entries[one_line(inner_name(name))] = FileEntry(
            None if hash_ is None else hash_.removeprefix("sha256:").lower(),
            fields.count("bytes"),
            fields.count("records"),
        )
        if fields.rest():
            parent.keep("files", table)
    return entries


def refuse_manifest(row: Mapping[str, Any]) -> None:
    """Raise `PackageError` for a manifest that would read back with a problem (for the writer)."""
    notes = Notes(MANIFEST)
    _manifest(dict(row), "", notes)
    for problem in notes.problems:
        raise PackageError(problem.what, file=MANIFEST, expected=problem.expected, found=problem.found)
