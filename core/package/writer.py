"""Recording an investigation while it runs: `PackageWriter`, for somebody's own agent loop.

    with PackageWriter("run-17", title="Video does not start", created="2026-11-30T12:00:00Z") as package:
        package.append_decision([{"role": "user", "text": prompt}], reply={"text": answer})
        package.append_fragment("f1", lookup={"kind": "search", "search": "play("}, body=found, requested_by=1)

What holds:

- records go to `NAME.partial/`, which opens like a package; each is on disk when the call returns, messages before the
  decision that refers to them; a crash costs at most the record that was being written;
- `close` writes the table of files with their hashes and renames; leaving the `with` block by an exception does not
  close: the recording stays in `NAME.partial/` and says that it was not closed;
- the same calls give the same bytes: nothing is taken from the clock or the machine (`created` is the caller's).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes
from ..errors import RecordError
from .draft import Draft, header, runs
from .encode import as_json
from .fields import shown
from .manifest import SOURCE_PROBLEMS, refuse_manifest
from .names import DECISIONS, FRAGMENTS, MANIFEST, MESSAGES
from .records import refuse_unreadable, stored_message
from .unreadable import UNREADABLE

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

    from ..model import (
        DecisionKey,
        Event,
        Limits,
        Lookup,
        Memory,
        Message,
        Outcome,
        PromptsOrigin,
        RepliesOrigin,
        Reply,
        SourceRange,
        Usage,
    )


RESERVED = {"messages", "request_hash", "files", UNREADABLE, SOURCE_PROBLEMS}
"""Fields that the writer fills in itself, or that only a converter writes."""


class PackageWriter:
    """Writes one package, record by record. A context manager; safe to call from several threads.

    `path` is the package to make (a folder, or with `zip=True` a zip file); records go to `path` + `.partial` until
    `close`. Neither may exist: nothing is ever overwritten, and a second writer on the same name is refused.
    `prompts` is `recorded` or `rebuilt`, `replies` is `model` or `scripted`; `limits` are the run's own, if it has any;
    `producer` names the recording program; `created` is a time that the caller chooses (RFC 3339), or None.
    `sync=False` leaves out the wait for the disk after each record: for converting, not for recording.

    Raises `PackageError` where files cannot be made or written, `RecordError` for a record that a reader could not read
    back, `JsonError` for values that JSON cannot carry. After an error the package is as it was before the call.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        title: str,
        prompts: PromptsOrigin = "recorded",
        replies: RepliesOrigin = "model",
        limits: Mapping[str, int] | Limits | None = None,
        producer: Mapping[str, Any] | None = None,
        created: str | None = None,
        zip: bool = False,  # noqa: A002  # the word of the format; nothing here zips iterables
        sync: bool = True,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        manifest = _with_extra(header(title, prompts, replies, limits, producer, created), extra, MANIFEST)
        refuse_manifest(manifest)
        self._draft = Draft(path, manifest, zip_=zip, sync=sync)
        self.path = self._draft.path
        self.partial = self._draft.partial
        self._lock = threading.RLock()
        self._keys: set[DecisionKey] = set()
        self._fragments: set[str] = set()
        self._last_index = 0

    # --- records

    def append_decision(
        self,
        messages: Iterable[Mapping[str, Any] | Message],
        *,
        index: int | None = None,
        attempt: int = 1,
        status: str = "accepted",
        sent: bool | None = True,
        format: str = "messages",  # noqa: A002  # the field's name in the format
        request: Mapping[str, Any] | None = None,
        missing: Sequence[str] = (),
        memory: Mapping[str, Any] | Memory | None = None,
        events: Sequence[Mapping[str, Any] | Event] = (),
        reply: Mapping[str, Any] | Reply | None = None,
        outcome: Mapping[str, Any] | Outcome | None = None,
        usage: Mapping[str, Any] | Usage | None = None,
        sent_at: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> DecisionKey:
        """Store one request as it was frozen, and what became of it. Returns its key.

        `messages` is the complete prompt, message by message, as objects of `messages.jsonl` (or model `Message`s); each
        distinct one is stored once. `index` counts from 1 and is one more than the last where not given. All else is a
        field of a line of `decisions.jsonl`, as plain JSON or as the model object; `extra` takes fields of your own.
        """
        rows = [stored_message(message) for message in listed("messages", messages, MESSAGES)]
        with self._lock:
            number = self._last_index + 1 if index is None else index
            fields = {
                "request": dict(request) if isinstance(request, Mapping) else request,
                "missing": listed("missing", missing, DECISIONS),
                "memory": memory,
                "events": listed("events", events, DECISIONS),
                "reply": reply,
                "outcome": outcome,
                "usage": usage,
                "sent_at": sent_at,
            }
            row: dict[str, Any] = {
                "index": number,
                "attempt": attempt,
                "status": status,
                "sent": sent,
                "format": format,
            }
            row |= {name: as_json(value) for name, value in fields.items() if value is not None and value != []}
            row = _with_extra(row, extra, DECISIONS)
            if (number, attempt) in self._keys:
                raise RecordError("this decision is stored already", file=DECISIONS, found=f"{number}, {attempt}")
            refuse_unreadable(DECISIONS, row | {"messages": []}, self._draft.next_line(DECISIONS))
            for place, message in enumerate(rows):
                refuse_unreadable(MESSAGES, message, place + 1)
            texts = [canonical_bytes(message) for message in rows]
            places = self._draft.append_messages(texts)
            row["messages"] = runs(places)
            row["request_hash"] = self._draft.request_hash(format, places, texts.__getitem__)
            self._draft.append(DECISIONS, [canonical_bytes(row)])
            self._keys.add((number, attempt))
            self._last_index = number
            return (number, attempt)

    def append_fragment(
        self,
        id: str,  # noqa: A002  # the field's name in the format
        lookup: Mapping[str, Any] | Lookup,
        body: str,
        *,
        status: str = "completed",
        requested_by: int | None = None,
        evidence: str | None = None,
        sources: Sequence[Mapping[str, Any] | SourceRange] = (),
        call_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Store what one lookup returned, in full, before any truncation. `requested_by`: the `index` that asked."""
        fields = {
            "requested_by": requested_by,
            "evidence": evidence,
            "sources": as_json(listed("sources", sources, FRAGMENTS)),
            "call_id": call_id,
        }
        row: dict[str, Any] = {"id": id, "lookup": as_json(lookup), "status": status, "body": body}
        row |= {name: value for name, value in fields.items() if value is not None and value != []}
        row = _with_extra(row, extra, FRAGMENTS)
        with self._lock:
            if id in self._fragments:
                raise RecordError("this fragment is stored already", file=FRAGMENTS, found=id)
            refuse_unreadable(FRAGMENTS, row, self._draft.next_line(FRAGMENTS))
            self._draft.append(FRAGMENTS, [canonical_bytes(row)])
            self._fragments.add(id)

    def close(self) -> None:
        """Write the table of files, rename to the final name. Does nothing the second time."""
        with self._lock:
            self._draft.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._draft.release()


def listed(field: str, items: object, file: str) -> list[Any]:
    """The items of a field that takes several. A text is no list: its letters would be stored. Raises `RecordError`."""
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise RecordError(f"`{field}` is not a list", file=file, expected="a list", found=shown(items))
    return list(items)


def _with_extra(row: dict[str, Any], extra: Mapping[str, Any] | None, file: str) -> dict[str, Any]:
    """A record with fields of the caller's own, which must not be fields of the format."""
    taken = sorted(extra.keys() & (row.keys() | RESERVED)) if extra else ()
    if taken:
        raise RecordError("`extra` holds fields of the format", file=file, found=", ".join(taken))
    return row | dict(extra or {})
