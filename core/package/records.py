"""Stored objects to model objects: decisions and fragments, and what of them cannot be read.

Each function takes one JSON object that was read exactly, and `notes` for its problems; none raises. What is wrong in
one field costs that field. `problem` is set on the record where the rest cannot be relied on: a decision without a
readable prompt or index, a fragment without id or body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes
from ..errors import RecordError
from ..limits import MAX_PROMPT_MESSAGES
from ..model import (
    DECISION_STATUSES,
    EVENT_KINDS,
    FORMATS,
    FRAGMENT_STATUSES,
    OUTCOME_KINDS,
    Decision,
    Event,
    Fragment,
    Lookup,
    Message,
    Outcome,
    Patch,
    Problem,
    Reply,
    Usage,
)
from .encode import message_row
from .fields import Fields, Notes, is_object, shown
from .memory import memory_from, sources_from
from .messages import message_from
from .names import DECISIONS, FRAGMENTS, MESSAGES
from .unreadable import UNREADABLE, unreadable_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

# --- decisions


def decision_from(row: Mapping[str, Any], notes: Notes, store: Sequence[Message], *, later: bool = False) -> Decision:
    """The decision of a stored object. With `later`, its memory is decoded at first use and its problems not noted.

    (A long ledger costs several times what the rest of its line does. `check` decodes it and notes everything.)
    """
    fields = Fields(row, "", notes)
    problem = _unreadable(fields)
    first = len(notes.problems)
    index = fields.count("index", required=problem is None)
    slices = _slices(fields, len(store))
    if problem is None and (index is None or slices is None):
        problem = notes.problems[first]
    attempt, request = fields.count("attempt"), fields.mapping("request")
    memory = fields.mapping("memory")
    decision = Decision(
        index=-(notes.line or 0) if index is None else index,
        attempt=1 if attempt is None else attempt,
        status=fields.one_of("status", DECISION_STATUSES, required=problem is None) or "uncertain",
        sent=fields.flag("sent"),
        format=fields.one_of("format", FORMATS, required=problem is None) or "messages",
        slices=slices or (),
        request_hash=fields.text("request_hash"),
        request=request or {},
        missing=fields.texts("missing"),
        memory=None if memory is None or later else memory_from(memory, "memory", notes),
        events=fields.each("events", _event),
        reply=_reply(fields),
        outcome=_outcome(fields),
        usage=_usage(fields),
        sent_at=fields.text("sent_at"),
        extra=fields.rest(),
        line=notes.line,
        problem=problem,
        store=store,
    )
    if memory is None or not later:
        return decision
    return decision.with_memory_later(lambda: memory_from(memory, "memory", Notes(notes.file, notes.line)))


def broken_decision(problem: Problem, store: Sequence[Message]) -> Decision:
    """What stands for a line that cannot be read. Its index is minus its line: no decision is numbered so."""
    return Decision(index=-(problem.line or 0), status="uncertain", line=problem.line, problem=problem, store=store)


def _slices(fields: Fields, known: int) -> tuple[tuple[int, int], ...] | None:
    """The prompt as runs of known messages; None if any of it is wrong, as a prompt with gaps would be another one."""
    runs = fields.take("messages")
    if not isinstance(runs, list):
        fields.wrong("messages", "a list of [start, count]", runs)
        if runs is not None:
            fields.keep("messages", runs)
        return None
    total = 0
    for number, run in enumerate(runs):
        wrong = _wrong_run(run, known)
        if wrong is not None:
            fields.notes.add(f"`messages[{number}]` {wrong[0]}", wrong[1], shown_run(run))
            fields.keep("messages", runs)
            return None
        total += run[1]
    if total > MAX_PROMPT_MESSAGES:
        fields.notes.add("the prompt has too many messages", f"at most {MAX_PROMPT_MESSAGES}", str(total))
        fields.keep("messages", runs)
        return None
    return tuple((start, count) for start, count in runs)


def _wrong_run(run: Any, known: int) -> tuple[str, str] | None:
    if not (isinstance(run, list) and len(run) == 2 and type(run[0]) is int and type(run[1]) is int):  # noqa: PLR2004
        return "is no slice", "[start, count]"
    if run[0] < 0 or run[1] < 1:
        return "is no slice", "start from 0, count from 1"
    if run[0] + run[1] > known:
        return "leads to messages that are not there", f"positions below {known}"
    return None


def shown_run(run: Any) -> str:
    """A slice as found, in a few words."""
    if isinstance(run, list) and len(run) <= 4:  # noqa: PLR2004  # a slice, or near to one
        return "[" + ", ".join(shown(item) for item in run) + "]"
    return shown(run)


def _event(item: Any, where: str, notes: Notes) -> Event | None:
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    kind = fields.one_of("kind", EVENT_KINDS, required=True)
    message, fragments, paths = fields.count("message"), fields.texts("fragments"), fields.texts("paths")
    return Event(kind or "", message, fragments, paths, fields.rest())


def _reply(parent: Fields) -> Reply | None:
    row = parent.mapping("reply")
    if row is None:
        return None
    fields = Fields(row, "reply", parent.notes)
    text, summary, stop = fields.text("text"), fields.text("summary"), fields.take("stop")
    lookups, patch = fields.each("lookups", lookup_from), _patch(fields)
    return Reply(text, summary, lookups, patch, stop, fields.rest())


def _patch(parent: Fields) -> Patch | None:
    row = parent.mapping("patch")
    if row is None:
        return None
    fields = Fields(row, parent.name("patch"), parent.notes)
    path, before, after = (fields.text(name, required=True) for name in ("path", "before", "after"))
    if path is None or before is None or after is None:
        parent.keep("patch", row)
        return None
    return Patch(path, before, after, fields.rest())


def _outcome(parent: Fields) -> Outcome | None:
    row = parent.mapping("outcome")
    if row is None:
        return None
    fields = Fields(row, "outcome", parent.notes)
    kind, by = fields.one_of("kind", OUTCOME_KINDS, required=True), fields.text("by")
    return Outcome(kind or "", by, fields.rest())


def _usage(parent: Fields) -> Usage | None:
    row = parent.mapping("usage")
    if row is None:
        return None
    fields = Fields(row, "usage", parent.notes)
    return Usage(
        fields.count("input_tokens"),
        fields.count("cache_read_tokens"),
        fields.count("cache_write_tokens"),
        fields.count("output_tokens"),
        fields.rest(),
    )


# --- lookups and fragments


def lookup_from(item: Any, where: str, notes: Notes) -> Lookup | None:
    """What a reply asked for, or a fragment answers."""
    if not is_object(item, where, notes):
        return None
    fields = Fields(item, where, notes)
    kind = fields.text("kind", required=True)
    queries = fields.take("queries")
    if queries is not None and not isinstance(queries, list):
        fields.wrong("queries", "a list", queries)
        fields.keep("queries", queries)
        queries = [queries]  # part of the identity: two lookups that differ must not become the same
    return Lookup(
        kind=kind or "",
        queries=None if queries is None else tuple(queries),
        search=fields.take("search"),
        reference_url=fields.take("referenceUrl"),
        summary=fields.text("summary"),
        arguments=fields.take("arguments"),
        extra=fields.rest(),
    )


def fragment_from(row: Mapping[str, Any], notes: Notes) -> Fragment:
    """The fragment of a stored object. Only a lookup that did not complete may lack a body."""
    fields = Fields(row, "", notes)
    problem = _unreadable(fields)
    first = len(notes.problems)
    status = fields.one_of("status", FRAGMENT_STATUSES, required=problem is None) or "uncertain"
    before = len(notes.problems)
    name = fields.text("id", required=problem is None)
    body = fields.text("body", required=problem is None and status == "completed")
    asked = fields.take("lookup")
    lookup = None if asked is None else lookup_from(asked, "lookup", notes)
    if lookup is None and problem is None:
        if asked is None:
            fields.wrong("lookup", "an object")
        else:
            fields.keep("lookup", asked)
    if problem is None and (name is None or (body is None and len(notes.problems) > before)):
        problem = notes.problems[before if len(notes.problems) > before else first]
    return Fragment(
        id=_no_id(notes.line) if name is None else name,
        lookup=lookup or Lookup(""),
        status=status,
        requested_by=fields.count("requested_by"),
        body=body or "",
        sources=sources_from(fields, "sources"),
        evidence=fields.text("evidence"),
        call_id=fields.text("call_id"),
        extra=fields.rest(),
        problem=problem,
    )


def broken_fragment(problem: Problem) -> Fragment:
    """What stands for a line that cannot be read."""
    return Fragment(_no_id(problem.line), Lookup(""), "uncertain", None, "", problem=problem)


def _no_id(line: int | None) -> str:
    return f"line {line}"


def _unreadable(fields: Fields) -> Problem | None:
    item = fields.take(UNREADABLE)
    return None if item is None else unreadable_problem(item, fields.notes)


# --- for the writer


def refuse_unreadable(file: str, row: Mapping[str, Any], line: int) -> None:
    """Raise `RecordError` for a record that would read back with an error."""
    notes = Notes(file, line)
    if file == DECISIONS:
        decision_from(row, notes, ())
    elif file == FRAGMENTS:
        fragment_from(row, notes)
    else:
        message_from(row, notes)
    for problem in notes.problems:
        if problem.severity == "error":
            raise RecordError(problem.what, file=file, line=line, expected=problem.expected, found=problem.found)


def stored_message(message: Mapping[str, Any] | Message) -> Mapping[str, Any]:
    """The object to store: a model message's own stored object if it is one, else one made of its role and parts."""
    if not isinstance(message, Message):
        if not isinstance(message, Mapping):
            raise RecordError("the message is not an object", file=MESSAGES, expected="an object", found=shown(message))
        return message
    if message.problem is not None:
        raise RecordError(
            "a message that could not be read cannot be stored", file=MESSAGES, found=message.problem.what
        )
    row = message.raw
    if row and _same(message_from(row, Notes(MESSAGES)), message):
        return row
    return message_row(message)


def _same(one: Message, other: Message) -> bool:
    return canonical_bytes(message_row(one)) == canonical_bytes(message_row(other))
