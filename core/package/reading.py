"""Opening a package: its container, its manifest, an index of each file, and lazy sequences over them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..canonical import hash_of
from ..errors import PackageError, RecordError
from ..limits import CHECK_AT_OPEN_BYTES, MIB
from ..model import Decision, Investigation, Message, Problem
from .fields import shown
from .folder import PARTIAL, Container, open_folder
from .index import line_index
from .manifest import Manifest, read_manifest
from .members import Member, open_regular
from .messages import broken_message, message_from
from .names import DECISIONS, FILES, FRAGMENTS, MANIFEST, MESSAGES, RECORD_FILES, file_name
from .records import broken_decision, broken_fragment, decision_from, fragment_from
from .rows import Rows
from .unzip import open_zip
from .wellformed import decision_of_line

if TYPE_CHECKING:
    from .fields import Notes

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an opened package came from: what checking needs beside the records. `problems` are those of the whole."""

    container: Container
    manifest: Manifest
    problems: tuple[Problem, ...]


class DecisionRows(Rows[Decision]):
    """The decisions, which also know the package they belong to."""

    def __init__(self, member: Member | None, messages: Rows[Message], origin: Origin) -> None:
        index = None if member is None else line_index(member)
        broken = partial(broken_decision, store=messages)
        super().__init__(
            DECISIONS,
            member,
            index,
            partial(_decision_later, store=messages),
            broken,
            partial(decision_of_line, store=messages),
        )
        self.messages = messages
        self.origin = origin


def _decision_later(row: dict[str, Any], notes: Notes, store: Rows[Message]) -> Decision:
    return decision_from(row, notes, store, later=True)


def open_unchecked(path: str | os.PathLike[str]) -> Investigation:
    """Open a package at the cost of its index. Raises `PackageError` for what is refused, or is none."""
    container = _container(_path_text(path))
    members = container.members
    manifest = read_manifest(
        members.get(MANIFEST), container.name.removesuffix(PARTIAL), alone=members.keys().isdisjoint(RECORD_FILES)
    )
    messages = _rows(MESSAGES, members, message_from, broken_message)
    fragments = _rows(FRAGMENTS, members, fragment_from, broken_fragment)
    origin = Origin(container, manifest, ())
    decisions = DecisionRows(members.get(DECISIONS), messages, origin)
    problems = (*manifest.problems, *container.problems, *_table_problems(origin, (messages, decisions, fragments)))
    decisions.origin = Origin(container, manifest, problems)
    return Investigation(
        title=manifest.title,
        decisions=decisions,
        messages=messages,
        fragments=fragments,
        source=container.name,
        digest=_digest(container),
        created=manifest.created,
        prompts=manifest.prompts,
        replies=manifest.replies,
        limits=manifest.limits,
        producer=manifest.producer,
        reader="package",
        problems=problems,
        checked=0,
        total=len(messages) + len(fragments) + len(decisions),
        extra=manifest.extra,
    )


def _path_text(path: object) -> str:
    """A path as text. Raises `PackageError` for what is no path (a field left empty by the caller)."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise PackageError("not a path", expected="a path", found=shown(path))
    return os.fsdecode(path)


def _rows(name: str, members: dict[str, Member], decode: Any, broken: Any) -> Rows[Any]:
    member = members.get(name)
    return Rows(name, member, None if member is None else line_index(member), decode, broken)


def _container(path: str) -> Container:
    name = file_name(path)
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        if "\0" not in path and os.path.isdir(path + PARTIAL):  # noqa: PTH112  # a text, not yet a path
            what = "this recording was not closed"
            raise PackageError(what, file=name, expected=f"its folder {name}{PARTIAL} to be opened") from error
        raise PackageError("there is no such package", file=name, found=reason) from error
    if stat.S_ISDIR(mode):
        return open_folder(path)
    real = os.path.realpath(path)
    handle = open_regular(real, name)
    head = os.pread(handle.fd, 4, 0)
    if head not in _ZIP_STARTS:
        raise PackageError("not a package", file=name, expected="a folder or a zip file", found="another file")
    return open_zip(handle, real, name)


def small(container: Container) -> bool:
    """Whether the package is verified while it is opened."""
    return sum(member.size for member in container.members.values()) <= CHECK_AT_OPEN_BYTES


# --- what is wrong with the files as such


def _table_problems(origin: Origin, rows: tuple[Rows[Any], ...]) -> list[Problem]:
    container, table = origin.container, origin.manifest.files
    problems = [
        Problem(
            file.name,
            file.line_index.lines,
            "the last line has no newline at its end: it may be cut",
            severity="warning",
        )
        for file in rows
        if file.line_index is not None and file.line_index.cut
    ]
    for name in container.others:
        listed = table is not None and name in table
        what = (
            "a file of this name is not known: only its hash is checked"
            if listed
            else "a file that the manifest does not list"
        )
        problems.append(Problem(name, None, what, severity="warning"))
    if table is None:
        if origin.manifest.readable:
            what = "the manifest has no table of files: the recording was not closed, hashes cannot be checked"
            problems.append(Problem(MANIFEST, None, what, severity="warning"))
        problems.extend(_absent(name) for name in RECORD_FILES if name not in container.members)
        return problems
    for name in sorted({*table, *RECORD_FILES}):
        member = container.members.get(name)
        if member is None:
            if name not in container.others:
                problems.append(_absent(name))
        elif name not in table:
            if name != MANIFEST:
                problems.append(Problem(name, None, "a file that the manifest does not list: its hash is not checked"))
        else:
            problems.extend(_size_problems(member, origin, rows))
    return problems


def _absent(name: str) -> Problem:
    return Problem(name, None, "the file is missing", "a file", "nothing")


def _size_problems(member: Member, origin: Origin, rows: tuple[Rows[Any], ...]) -> list[Problem]:
    entry = (origin.manifest.files or {})[member.name]
    records = {file.name: len(file) for file in rows}.get(member.name)
    claims = [
        (entry.bytes, member.size, "bytes", "the file's size is not the one in the manifest"),
        (entry.records, records, "records", "the number of records is not the one in the manifest"),
    ]
    return [
        Problem(member.name, None, what, f"{claim} {unit}", f"{found} {unit}")
        for claim, found, unit, what in claims
        if claim is not None and found is not None and claim != found
    ]


# --- the digest


def _digest(container: Container) -> str:
    """Names the content: of a small package by the content itself, of a large one by what a change cannot keep.

    (Hashing a gigabyte would cost more than opening it. A copy of a large package has another digest, as its files have
    other times of change; a change that keeps size, time, head and tail is not seen.)
    """
    known = [container.members[name] for name in FILES if name in container.members]
    try:
        if small(container):
            return hash_of({member.name: content_hash(member) for member in known})
        return hash_of(
            {member.name: [member.size, member.handle.stat.st_mtime_ns, member.sample()] for member in known}
        )
    except RecordError as error:
        raise PackageError(error.message, file=error.file, found=error.found) from error


def content_hash(member: Member) -> str:
    """Hex SHA-256 of a member's bytes. Raises `RecordError` if it changed while open."""
    digest = sha256()
    for start in range(0, member.size, MIB):
        digest.update(member.read(start, min(MIB, member.size - start)))
    return digest.hexdigest()
