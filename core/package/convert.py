"""Any investigation, also one that a foreign reader made, as a package: messages stay shared, problems stay known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes
from ..model import Message, Problem
from .draft import Draft, header, runs
from .encode import decision_row, fragment_row, problem_row
from .manifest import SOURCE_PROBLEMS
from .names import DECISIONS, FRAGMENTS
from .records import stored_message
from .unreadable import UNREADABLE

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from ..model import Decision, Investigation


def investigation_to_package(
    investigation: Investigation,
    path: str | os.PathLike[str],
    *,
    zip: bool = False,  # noqa: A002  # as in `PackageWriter`
) -> None:
    """Write an investigation as the package `path`. Same investigation, same bytes.

    Every record keeps its place among its kind, also one that could not be read (it says so). Each message is stored
    once. A decision's `request_hash` is kept as it was claimed where its messages are stored as they were, and computed
    anew where a foreign message had to be given the package's form. The problems of the original go to the manifest.
    Raises `PackageError` where files cannot be made or written, `JsonError` for values that JSON cannot carry.
    """
    first = header(
        investigation.title,
        investigation.prompts,
        investigation.replies,
        investigation.limits,
        investigation.producer or None,
        investigation.created,
    )
    first |= dict(investigation.extra)
    if investigation.problems:
        first[SOURCE_PROBLEMS] = [problem_row(problem) for problem in investigation.problems]
    draft = Draft(path, first, zip_=zip, sync=False)
    try:
        converter = _Converter(draft, investigation.messages)
        for fragment in investigation.fragments:
            row = fragment_row(fragment)
            draft.append(FRAGMENTS, [canonical_bytes(_marked(row, fragment.problem))])
        for decision in investigation.decisions:
            converter.append(decision)
        converter.places(investigation.messages, range(len(investigation.messages)))  # those that no decision used
        draft.close()
    except BaseException:
        draft.discard()  # nothing was recorded here: half a conversion is worth nothing, and would hold the name
        raise


class _Converter:
    """Writes decisions; knows which messages are stored where, so that none is read twice without need."""

    def __init__(self, draft: Draft, messages: Sequence[Message]) -> None:
        self._draft = draft
        self._messages = messages
        self._known: dict[int, int] = {}
        self._rebuilt: set[int] = set()  # ids whose stored object is not the original one

    def append(self, decision: Decision) -> None:
        ids = decision.message_ids
        store = decision.store
        places = self.places(store, ids)
        row = decision_row(decision, runs(places), decision.request_hash)
        if decision.problem is not None:
            row = _marked(row, decision.problem) | _no_prompt(row["messages"])
            if decision.index < 0:
                del row["index"]
        elif decision.request_hash is None or self._any_rebuilt(store, ids):
            row["request_hash"] = self._draft.request_hash(
                decision.format, places, lambda number: _text(_at(store, ids[number]))[0]
            )
        self._draft.append(DECISIONS, [canonical_bytes(row)])

    def places(self, store: Sequence[Message], ids: Iterable[int]) -> list[int]:
        """Where messages of `store` are stored; those that are not yet are stored now."""
        ids = list(ids)
        if store is not self._messages:
            return self._draft.append_messages([_text(_at(store, number))[0] for number in ids])
        new = [number for number in dict.fromkeys(ids) if number not in self._known]
        for number in new:
            text, as_it_was = _text(_at(store, number))
            self._known[number] = self._draft.append_messages([text])[0]
            if not as_it_was:
                self._rebuilt.add(number)
        return [self._known[number] for number in ids]

    def _any_rebuilt(self, store: Sequence[Message], ids: Sequence[int]) -> bool:
        if store is self._messages:
            return not self._rebuilt.isdisjoint(ids)
        return not all(_text(_at(store, number))[1] for number in ids)


def _at(store: Sequence[Message], place: int) -> Message:
    if 0 <= place < len(store):
        return store[place]
    what = "a decision refers to a message that is not there"
    return Message("", (), problem=Problem("", None, what, f"positions below {len(store)}", str(place)))


def _text(message: Message) -> tuple[bytes, bool]:
    """A message's stored object as canonical bytes, and whether it is the original one."""
    if message.problem is not None:
        return canonical_bytes(_marked(dict(message.raw), message.problem)), True
    row = stored_message(message)
    return canonical_bytes(row), row is message.raw


def _marked(row: dict[str, Any], problem: Problem | None) -> dict[str, Any]:
    """A record, and where it could not be read why."""
    return row if problem is None else row | {UNREADABLE: problem_row(problem)}


def _no_prompt(found: object) -> dict[str, Any]:
    """The prompt of a record that could not be read: places in the old package mean nothing in the new one."""
    return {"messages": [], "messages_as_found": found}
