"""The one immutable model that stands between readers and views.

A reader (native package, transcript, captured requests) builds an `Investigation`; everything else (delivery,
diagnosis, measuring, pages, scripts) reads it and nothing but it. The words are those of the package format.

Conventions that hold everywhere:

- *bytes* are UTF-8 bytes of a text, a lone surrogate counting as 3 (`canonical.byte_length`); *offsets* and *spans* are
  such bytes within one message's `text`; *lines* of files are 1-based and inclusive;
- a decision is named by its `key` (`index`, `attempt`); a message *position* is its place in one decision's prompt;
- unknown fields of a stored record are kept in `extra` (or, for messages, in `raw`) and shown, never dropped;
- sequences may be lazy: indexing one reads and decodes that record, `len` does not. A record that cannot be read is
  still there, with `problem` set and nothing else to rely on, so that its neighbours keep their places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .canonical import byte_length, canonical_text, hash_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .canonical import Json

DecisionKey: TypeAlias = tuple[int, int]
"""(`index`, `attempt`)."""

Severity: TypeAlias = Literal["error", "warning"]
PromptsOrigin: TypeAlias = Literal["recorded", "rebuilt", "unknown"]
RepliesOrigin: TypeAlias = Literal["model", "scripted", "unknown"]

DECISION_STATUSES = ("accepted", "rejected", "unused", "uncertain")
FRAGMENT_STATUSES = ("completed", "failed", "uncertain")
OUTCOME_KINDS = ("continued", "stopped", "patched", "failed")
EVENT_KINDS = ("compaction", "cleared", "patched")
BODY_STATES = ("whole", "cut", "gone", "no room", "empty")
FORMATS = (
    "bounded_repair_v1",
    "investigation_project_v4",
    "investigation_project_v5",
    "investigation_project_v6",
    "messages",
)
NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return NOTHING


def _none() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a package or recording that did not stop the rest from opening.

    `file` is a name inside the package, `line` is 1-based; `what` is one sentence; `expected` and `found` are short.
    `severity` is `error` where something could not be read or does not match, `warning` where it only looks odd.
    """

    file: str
    line: int | None
    what: str
    expected: str | None = None
    found: str | None = None
    severity: Severity = "error"


# --- messages


@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain text of a message."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A call that the model asked for, as it stands in a later prompt."""

    id: str | None
    name: str
    arguments: Any
    kind: Literal["tool_call"] = "tool_call"

    @property
    def text(self) -> str:
        """How the call is shown and measured: its name and the canonical text of its arguments."""
        arguments = self.arguments if isinstance(self.arguments, str) else canonical_text(self.arguments)
        return f"{self.name} {arguments}"


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """The answer to a tool call, as it stands in a prompt."""

    id: str | None
    text: str
    is_error: bool | None = None
    kind: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """Content that is not text (an image, an encrypted summary): its kind, size in bytes and hash only."""

    media: str
    bytes: int
    sha256: str | None
    kind: Literal["opaque"] = "opaque"

    @property
    def text(self) -> str:
        """Nothing: what is not text is neither searched nor measured as text."""
        return ""


Part: TypeAlias = TextPart | ToolCallPart | ToolResultPart | OpaquePart


@dataclass(frozen=True)
class Message:
    """One distinct message. `raw` is the stored object itself (unknown fields included): what hashes are taken over.

    `stands_for` is `summary` or `placeholder` where this message replaced others. `problem` is set if it is unreadable.
    """

    role: str
    parts: tuple[Part, ...]
    stands_for: str | None = None
    raw: Mapping[str, Any] = field(default_factory=_nothing, repr=False)
    problem: Problem | None = None

    @cached_property
    def text(self) -> str:
        """The parts' texts joined with nothing between them; what offsets and spans count in."""
        return self.parts[0].text if len(self.parts) == 1 else "".join(part.text for part in self.parts)

    @cached_property
    def byte_length(self) -> int:
        """UTF-8 bytes of `text`."""
        return byte_length(self.text)


# --- lookups and what they return


@dataclass(frozen=True)
class Lookup:
    """What a reply asks for. The free-text `summary` is no part of its identity."""

    kind: str
    queries: tuple[Any, ...] | None = None
    search: Any = None
    reference_url: Any = None
    summary: str | None = None
    arguments: Any = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)

    @cached_property
    def identity(self) -> str:
        """Canonical text of `[kind, queries, search, referenceUrl]`, plus `arguments` where there are any.

        Absent and `null` are the same here; the order of `queries` matters.
        """
        queries = None if self.queries is None else list(self.queries)
        key: list[Json] = [self.kind, queries, self.search, self.reference_url]
        if self.arguments is not None:
            key.append(self.arguments)
        return canonical_text(key)


@dataclass(frozen=True, slots=True)
class SourceRange:
    """Lines `start`..`end` (1-based, inclusive) of the version `hash` of `path`. `hash` is None where not recorded."""

    path: str
    hash: str | None
    start: int
    end: int
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False, compare=False)


@dataclass(frozen=True)
class Fragment:
    """The body that one lookup returned, in full, before any truncation.

    `requested_by` is the `index` of the decision that asked; `evidence` is the evidence id that carries it in a working
    view; `call_id` ties it to the tool call and tool result of that id in a prompt.
    """

    id: str
    lookup: Lookup
    status: str
    requested_by: int | None
    body: str
    sources: tuple[SourceRange, ...] = ()
    evidence: str | None = None
    call_id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)
    problem: Problem | None = None

    @cached_property
    def byte_length(self) -> int:
        """UTF-8 bytes of `body`."""
        return byte_length(self.body)

    @property
    def comparable(self) -> str:
        """What to compare with another answer: the body, without a wrapper that differs every time where a reader knows one.

        Codex writes chunk ids and wall times around an output; its reader keeps the rest in `extra` as `comparable`.
        """
        kept = self.extra.get("comparable")
        return kept if isinstance(kept, str) else self.body


# --- what the recorder claims about its memory


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One completed lookup as a prompt's ledger names it. `message`, `start`, `end`: claimed place, bytes in that message."""

    identity: str
    status: str
    decision: int | None
    fragment: str | None
    body: str | None
    message: int | None = None
    start: int | None = None
    end: int | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A retained fragment as the recorder says it was sent: `sent_bytes` of body, and its claimed place."""

    fragment: str
    sent_bytes: int
    truncated: bool
    message: int | None = None
    start: int | None = None
    end: int | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False, compare=False)


@dataclass(frozen=True)
class Memory:
    """The recorder's log of its memory for one prompt: a claim, to be checked against the transmitted text."""

    base_bytes: int | None = None
    context_bytes: int | None = None
    ledger: tuple[LedgerEntry, ...] = ()
    supplied: tuple[SourceRange, ...] = ()
    blocks: tuple[Block, ...] = ()
    evicted: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


# --- decisions


@dataclass(frozen=True)
class Event:
    """What happened to the context before a request, by structural markers only (`EVENT_KINDS`)."""

    kind: str
    message: int | None = None
    fragments: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


@dataclass(frozen=True, slots=True)
class Patch:
    """A before/after change of one file; `before` occurs there exactly once."""

    path: str
    before: str
    after: str
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False, compare=False)


@dataclass(frozen=True)
class Reply:
    """What came back: `text` as received, and what it decided (lookups, a patch, or a stop)."""

    text: str | None = None
    summary: str | None = None
    lookups: tuple[Lookup, ...] = ()
    patch: Patch | None = None
    stop: Any = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


@dataclass(frozen=True)
class Outcome:
    """What became of a decision (`OUTCOME_KINDS`); `by` names the gate or limit that stopped it."""

    kind: str
    by: str | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)


@dataclass(frozen=True)
class Usage:
    """Recorded token counts of one request, None where not recorded. Cached input is input."""

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)

    @property
    def prompt_tokens(self) -> int | None:
        """Fresh + cache read + cache write tokens; None if no input count is recorded."""
        counts = (self.input_tokens, self.cache_read_tokens, self.cache_write_tokens)
        return None if all(count is None for count in counts) else sum(count or 0 for count in counts)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of one message of a prompt, with its place: `start`..`end` are bytes in that message's `text`."""

    message: int
    part: int
    role: str
    start: int
    end: int
    content: Part

    @property
    def text(self) -> str:
        """The part's text."""
        return self.content.text


@dataclass(frozen=True)
class Decision:
    """One stored context: the exact messages of one request, the reply, and what became of it.

    `slices` are ordered `(start, count)` runs of positions in the investigation's `messages`; `store` is that sequence.
    `sent` is None where it is not known: only decisions with `sent is True` can have delivered anything.
    """

    index: int
    attempt: int = 1
    status: str = "accepted"
    sent: bool | None = None
    format: str = "messages"
    slices: tuple[tuple[int, int], ...] = ()
    request_hash: str | None = None
    request: Mapping[str, Any] = field(default_factory=_nothing)
    missing: tuple[str, ...] = ()
    memory: Memory | None = field(default_factory=_none)
    events: tuple[Event, ...] = ()
    reply: Reply | None = None
    outcome: Outcome | None = None
    usage: Usage | None = None
    sent_at: str | None = None
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)
    line: int | None = None
    problem: Problem | None = None
    store: Sequence[Message] = field(default=(), repr=False, compare=False)

    def with_memory_later(self, decode: Callable[[], Memory | None]) -> Decision:
        """The same decision, whose `memory` is decoded at its first use: a long ledger costs only those who read it.

        `decode` must give the same each time it is called and raise nothing.
        """
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, _decode_memory=decode)
        del made.__dict__["memory"]
        return made

    if not TYPE_CHECKING:  # a type checker would take it for a licence to read any name

        def __getattr__(self, name: str) -> Any:
            """Only reached for what is not there yet: `memory`, where a reader left it for later."""
            decode = self.__dict__.get("_decode_memory")
            if name == "memory" and decode is not None:
                memory = self.__dict__["memory"] = decode()
                self.__dict__.pop("_decode_memory", None)  # with it goes the stored form, several times as large
                return memory
            if name == "memory" and name in self.__dict__:  # another thread was faster
                return self.__dict__[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @property
    def key(self) -> DecisionKey:
        """What names this decision: (`index`, `attempt`)."""
        return (self.index, self.attempt)

    @property
    def message_ids(self) -> tuple[int, ...]:
        """Positions in the investigation's `messages`, in prompt order: equal ids are the same message."""
        return tuple(place for start, count in self.slices for place in range(start, start + count))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The prompt, message by message, as received by the model. Read anew each time: keep it while you use it."""
        known = len(self.store)
        return tuple([self.store[place] for place in self.message_ids if 0 <= place < known])

    @property
    def prompt_bytes(self) -> int:
        """UTF-8 bytes of all messages of this prompt, system included."""
        return sum(message.byte_length for message in self.messages)

    def computed_request_hash(self) -> str:
        """`sha256:` of the canonical JSON of `{"format", "messages": [message objects]}` as stored now."""
        return hash_of({"format": self.format, "messages": [dict(message.raw) for message in self.messages]})


def sections(messages: Sequence[Message]) -> tuple[Section, ...]:
    """The prompt part by part, in order; a fragment never stands across two sections."""
    found: list[Section] = []
    for position, message in enumerate(messages):
        start = 0
        for number, part in enumerate(message.parts):
            end = start + byte_length(part.text)
            found.append(Section(position, number, message.role, start, end, part))
            start = end
    return tuple(found)


# --- the whole


@dataclass(frozen=True, slots=True)
class Limits:
    """Recorded limits; None where the recording has none. A limit is never inferred."""

    prompt_bytes: int | None = None
    context_bytes: int | None = None
    calls: int | None = None


@dataclass(frozen=True)
class Investigation:
    """One bounded run. `digest` names its content for caches and addresses; `source` is the name it was opened by.

    `problems` are those known so far: `checked` of `total` records have been verified (hashes, references, shapes).
    `problems_complete` is true once everything was checked; until then nothing may be called verified.
    """

    title: str
    decisions: Sequence[Decision]
    messages: Sequence[Message]
    fragments: Sequence[Fragment]
    source: str = ""
    digest: str = ""
    created: str | None = None
    prompts: PromptsOrigin = "unknown"
    replies: RepliesOrigin = "unknown"
    limits: Limits = Limits()
    producer: Mapping[str, Any] = field(default_factory=_nothing)
    reader: str = "package"
    problems: tuple[Problem, ...] = ()
    checked: int = 0
    total: int = 0
    extra: Mapping[str, Any] = field(default_factory=_nothing, repr=False)

    @property
    def problems_complete(self) -> bool:
        """Whether every record has been checked; until then nothing may be called verified."""
        return self.checked >= self.total
