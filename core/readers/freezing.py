"""From what was collected to the immutable model: decisions at once, fragments when somebody first asks for them.

Which lines a result shows is only worked out with the fragments: in a long transcript it costs more than all the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias, overload

from ..model import Decision, Fragment, Outcome, Reply
from .sources import Versions

if TYPE_CHECKING:
    from ..model import Message
    from .shape import Object
    from .turn import Asked, Look, Turn

Log: TypeAlias = "list[tuple[Asked, Look] | tuple[str, ...]]"
"""What happened to files, in order: a result that may show lines, or the paths that an edit changed."""


class LaterFragments(Sequence[Fragment]):
    """The fragments of a run, made all together at the first look at any of them."""

    def __init__(self, asked: list[Asked], log: Log) -> None:
        self._asked = asked
        self._log = log
        self._made: tuple[Fragment, ...] | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._asked)

    @overload
    def __getitem__(self, place: int) -> Fragment: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Fragment]: ...
    def __getitem__(self, place: int | slice) -> Fragment | Sequence[Fragment]:
        if self._made is None:
            with self._lock:
                if self._made is None:
                    self._made = fragments_of(self._asked, self._log)
                    self._log = []
        return self._made[place]


def fragments_of(asked: list[Asked], log: Log) -> tuple[Fragment, ...]:
    """The fragments, with the lines that each shows and the version of the file that they are of."""
    versions = Versions()
    sources = {}
    for entry in log:
        if isinstance(entry[0], str):
            for path in entry:
                versions.edited(str(path))
            continue
        one, look = entry
        shown, gutter = look()
        sources[id(one)], edits = versions.observe(shown)
        if gutter is not None:
            one.extra["gutter"] = gutter
        if edits:
            one.extra["edits"] = edits
    return tuple(
        Fragment(
            id=f"f{one.number}",
            lookup=one.call.lookup,
            status=one.status,
            requested_by=one.turn.index,
            body=one.body,
            sources=sources.get(id(one), ()),
            call_id=one.call.id,
            extra=one.extra,
        )
        for one in asked
    )


def decision_of(turn: Turn, store: tuple[Message, ...], *, is_last: bool) -> Decision:
    """A request with its reply as a decision."""
    return Decision(
        index=turn.index,
        status=turn.status,
        sent=turn.sent,
        slices=turn.slices,
        request=turn.request,
        missing=turn.missing,
        events=turn.events,
        reply=_reply(turn),
        outcome=turn.outcome or _outcome(turn, is_last=is_last),
        usage=turn.usage,
        sent_at=turn.sent_at,
        extra=turn.extra,
        line=turn.line,
        store=store,
    )


def _reply(turn: Turn) -> Reply:
    lookups = tuple(asked.call.lookup for asked in turn.asked if asked.number)
    applied = [asked for asked in turn.asked if asked.call.purpose == "write" and asked.answered and not asked.number]
    patch = applied[0].call.patch if len(applied) == 1 else None
    extra: Object = {"writes": turn.writes} if turn.writes else {}
    if turn.dropped:
        extra["calls_not_made"] = turn.dropped
    return Reply(text="\n".join(turn.texts) if turn.texts else None, lookups=lookups, patch=patch, extra=extra)


def _outcome(turn: Turn, *, is_last: bool) -> Outcome | None:
    if any(write["applied"] for write in turn.writes):
        return Outcome("patched")
    return None if is_last else Outcome("continued")
