"""The conflicts of a whole run: every context's, and the FILEs that disagree anywhere, numbered for addresses.

A context that holds no working view is looked at in one that is built from its prompt (`core.working_view`), and says so.
Each answer is worked out from every encoding that the context can be sent in: they have to agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from .canonical import canonical_bytes_trusted
from .codec import CODECS, V4, encode, lineage, restore
from .conflicts import conflicts
from .errors import InspectorError
from .measure.stored import stored_context
from .working_view import working_view

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .codec.base import View
    from .conflicts import FileConflicts
    from .model import Decision, DecisionKey, Investigation

    Progress = Callable[[int, int], None]

Snapshot: TypeAlias = tuple[bytes, bytes]
"""Canonical bytes of the metadata and of the origin that make a FILE."""


@dataclass(frozen=True)
class ContextConflicts:
    """One context. `files` come from the view as it is stored (or built); `format` is its encoding.

    `agreeing` are the encodings from which exactly the same conflicts were found, `differing` those that gave others.
    `reason` says why a context could not be looked at.
    """

    key: DecisionKey
    format: str
    built: bool = False
    files: tuple[FileConflicts, ...] = ()
    agreeing: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class ConflictingFile:
    """One FILE that disagrees in some context. `number` counts from 1 in order of appearance.

    `lines` tells for each line number, ascending, the contexts in which it conflicts, in order.
    """

    number: int
    path: str
    snapshot: Snapshot
    identity: Mapping[str, str]
    lines: Mapping[int, tuple[DecisionKey, ...]]

    @property
    def keys(self) -> tuple[DecisionKey, ...]:
        """The contexts in which any line of it conflicts, in order."""
        return tuple(dict.fromkeys(sorted(key for keys in self.lines.values() for key in keys)))


@dataclass(frozen=True)
class ConflictIndex:
    """All contexts of a run in their order, and the FILEs that disagree."""

    contexts: tuple[ContextConflicts, ...]
    files: tuple[ConflictingFile, ...]

    def context(self, key: DecisionKey) -> ContextConflicts | None:
        """The context of a decision."""
        return next((each for each in self.contexts if each.key == key), None)


def conflict_index(investigation: Investigation, progress: Progress | None = None) -> ConflictIndex:
    """Look at every context; `progress(done, total)` is called after each. Contexts that cannot be read say why."""
    contexts = []
    total = len(investigation.decisions)
    build = partial(working_view, investigation)
    for done, decision in enumerate(investigation.decisions, start=1):
        contexts.append(context_conflicts(decision, build))
        if progress is not None:
            progress(done, total)
    return ConflictIndex(tuple(contexts), tuple(_files(contexts)))


def view_at(decision: Decision, build: Callable[[Decision], View]) -> tuple[View, str, bool]:
    """The working view of a decision, its encoding, and whether it was built because none is stored.

    Raises `ViewError` or `JsonError` where the stored one cannot be read.
    """
    if decision.format not in CODECS and decision.problem is None:
        return build(decision), V4, True
    stored = stored_context(decision)
    return stored.view, stored.format, False


def context_conflicts(decision: Decision, build: Callable[[Decision], View]) -> ContextConflicts:
    """The conflicts in one context, from every encoding."""
    try:
        view, form, built = view_at(decision, build)
        files = conflicts(view, form)
        agreeing: list[str] = []
        differing: list[str] = []
        for version in CODECS:
            same = _from(view, form, version) == files
            (agreeing if same else differing).append(version)
    except InspectorError as error:
        return ContextConflicts(decision.key, decision.format, reason=str(error))
    return ContextConflicts(decision.key, form, built, files, tuple(agreeing), tuple(differing))


def _from(view: View, form: str, version: str) -> tuple[FileConflicts, ...]:
    if form in lineage(version):
        return conflicts(encode(view, version, given=form).view, version)
    return conflicts(restore(view, form, to=version), version)


def snapshot(file: FileConflicts) -> Snapshot:
    """What makes a FILE the same one in another context."""
    return canonical_bytes_trusted(dict(file.metadata)), canonical_bytes_trusted(dict(file.origin))


def _files(contexts: Sequence[ContextConflicts]) -> list[ConflictingFile]:
    first: dict[Snapshot, FileConflicts] = {}
    lines: dict[Snapshot, dict[int, list[DecisionKey]]] = {}
    for context in contexts:
        for file in context.files:
            name = snapshot(file)
            first.setdefault(name, file)
            for line in file.conflicting_lines:
                lines.setdefault(name, {}).setdefault(line, []).append(context.key)
    return [
        ConflictingFile(
            number,
            file.path,
            name,
            file.identity,
            {line: tuple(keys) for line, keys in sorted(lines[name].items())},
        )
        for number, (name, file) in enumerate(first.items(), start=1)
    ]
