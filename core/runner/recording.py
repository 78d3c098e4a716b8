"""Where a run records itself: a `PackageWriter`, or in memory, behind the same two calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ..canonical import canonical_bytes, hash_of
from ..model import Decision, Fragment, Investigation, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..canonical import Json
    from ..model import Event, Lookup, Memory, Message, Outcome, Reply, SourceRange


class Recorder(Protocol):
    """What a run needs of a recorder; `core.package.PackageWriter` has it."""

    def append_decision(
        self,
        messages: Sequence[Message],
        *,
        index: int | None,
        attempt: int,
        status: str,
        sent: bool | None,
        format: str,  # noqa: A002  # the field's name in the format
        request: Mapping[str, Any] | None,
        memory: Memory | None,
        events: Sequence[Event],
        reply: Reply | None,
        outcome: Outcome | None,
    ) -> object:
        """Store one request as it was frozen, and what became of it."""

    def append_fragment(
        self,
        id: str,  # noqa: A002  # the field's name in the format
        lookup: Lookup,
        body: str,
        *,
        status: str,
        requested_by: int | None,
        sources: Sequence[SourceRange],
    ) -> object:
        """Store what one lookup returned, in full."""


@dataclass
class InMemoryRecorder:
    """Collects a run as the one model, each distinct message once."""

    messages: list[Message] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)
    _known: dict[bytes, int] = field(default_factory=dict)

    def append_decision(
        self,
        messages: Sequence[Message],
        *,
        index: int | None,
        attempt: int,
        status: str,
        sent: bool | None,
        format: str,  # noqa: A002  # the field's name in the format
        request: Mapping[str, Any] | None,
        memory: Memory | None,
        events: Sequence[Event],
        reply: Reply | None,
        outcome: Outcome | None,
    ) -> None:
        """Store one request and what became of it."""
        rows = [dict(message.raw) for message in messages]
        self.decisions.append(
            Decision(
                index=len(self.decisions) + 1 if index is None else index,
                attempt=attempt,
                status=status,
                sent=sent,
                format=format,
                slices=tuple((self._place(message), 1) for message in messages),
                request_hash=hash_of({"format": format, "messages": rows}),
                request=request or {},
                memory=memory,
                events=tuple(events),
                reply=reply,
                outcome=outcome,
                store=self.messages,
            )
        )

    def append_fragment(
        self,
        id: str,  # noqa: A002  # the field's name in the format
        lookup: Lookup,
        body: str,
        *,
        status: str,
        requested_by: int | None,
        sources: Sequence[SourceRange],
    ) -> None:
        """Store what one lookup returned."""
        self.fragments.append(Fragment(id, lookup, status, requested_by, body, tuple(sources)))

    def investigation(
        self, title: str, limits: Limits, created: str | None = None, producer: Mapping[str, Any] | None = None
    ) -> Investigation:
        """What was recorded so far. `digest` names the prompts and bodies."""
        content: Json = [[each.request_hash for each in self.decisions], [each.body for each in self.fragments]]
        return Investigation(
            title=title,
            decisions=tuple(self.decisions),
            messages=self.messages,
            fragments=tuple(self.fragments),
            source="scripted run",
            digest=hash_of(content),
            created=created,
            prompts="recorded",
            replies="scripted",
            limits=limits,
            producer=producer or {},
        )

    def _place(self, message: Message) -> int:
        place = self._known.setdefault(canonical_bytes(dict(message.raw)), len(self.messages))
        if place == len(self.messages):
            self.messages.append(message)
        return place
