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

import os
import shutil
import threading
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes
from ..errors import PackageError, RecordError
from ..limits import MAX_LINE_BYTES
from ..model import Limits, Message, PromptsOrigin, RepliesOrigin
from .append import AppendFile, replace_file, sync_folder
from .encode import as_json
from .hasher import RequestHasher
from .names import DECISIONS, FORMAT, FRAGMENTS, MANIFEST, MESSAGES, VERSION
from .records import refuse_unreadable, stored_message
from .zipout import write_zip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from ..model import DecisionKey, Event, Lookup, Memory, Outcome, Reply, SourceRange, Usage


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
        self.path = Path(path)
        self.partial = self.path.with_name(self.path.name + ".partial")
        self._zip, self._sync = zip, sync
        self._lock = threading.RLock()
        self._files: dict[str, AppendFile] = {}
        self._known: dict[bytes, int] = {}  # SHA-256 of a message's canonical bytes -> its place
        self._keys: set[DecisionKey] = set()
        self._fragments: set[str] = set()
        self._last_index = 0
        self._hasher = RequestHasher()
        self._header = self._manifest(title, prompts, replies, limits, producer, created) | dict(extra or {})
        first = canonical_bytes(self._header) + b"\n"
        self._create(first)

    @staticmethod
    def _manifest(
        title: str,
        prompts: str,
        replies: str,
        limits: Mapping[str, int] | Limits | None,
        producer: Mapping[str, Any] | None,
        created: str | None,
    ) -> dict[str, Any]:
        header = {
            "format": FORMAT,
            "version": VERSION,
            "title": title,
            "created": created,
            "prompts": prompts,
            "replies": replies,
            "limits": as_json(limits if limits is None or isinstance(limits, Limits) else dict(limits)) or None,
            "producer": None if producer is None else dict(producer),
        }
        return {name: value for name, value in header.items() if value is not None}

    def _create(self, manifest: bytes) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(self.path):
                raise PackageError("this name is taken: nothing is overwritten", file=self.path.name)
            self.partial.mkdir()
        except FileExistsError as error:
            raise PackageError(
                "another writer records under this name, or one that crashed left its recording here",
                file=self.partial.name,
                expected="no such folder (rename or remove it to record under this name again)",
            ) from error
        except OSError as error:
            raise _cannot("make the package", self.path.name, error) from error
        try:
            replace_file(self.partial / MANIFEST, manifest, sync=self._sync)
            for name in (MESSAGES, DECISIONS, FRAGMENTS):
                self._files[name] = AppendFile(self.partial / name, sync=self._sync)
            sync_folder(self.partial)
            sync_folder(self.path.parent)
        except OSError as error:
            self._release()
            raise _cannot("make the package", self.partial.name, error) from error

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
        rows = [stored_message(message) for message in messages]
        with self._lock:
            number = self._last_index + 1 if index is None else index
            fields = {
                "request": None if request is None else dict(request),
                "missing": list(missing),
                "memory": memory,
                "events": list(events),
                "reply": reply,
                "outcome": outcome,
                "usage": usage,
                "sent_at": sent_at,
            }
            row = {"index": number, "attempt": attempt, "status": status, "sent": sent, "format": format}
            row |= {name: as_json(value) for name, value in fields.items() if value is not None and value != []}
            row |= dict(extra or {})
            if (number, attempt) in self._keys:
                raise RecordError("this decision is stored already", file=DECISIONS, found=f"{number}, {attempt}")
            refuse_unreadable(DECISIONS, row | {"messages": []}, self._line(DECISIONS))
            for place, message in enumerate(rows):
                refuse_unreadable(MESSAGES, message, place + 1)
            self._append_prompt(row, [canonical_bytes(message) for message in rows])
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
            "sources": as_json(list(sources)),
            "call_id": call_id,
        }
        row = {"id": id, "lookup": as_json(lookup), "status": status, "body": body}
        row |= {name: value for name, value in fields.items() if value is not None and value != []}
        row |= dict(extra or {})
        with self._lock:
            if id in self._fragments:
                raise RecordError("this fragment is stored already", file=FRAGMENTS, found=id)
            refuse_unreadable(FRAGMENTS, row, self._line(FRAGMENTS))
            self._append(FRAGMENTS, [canonical_bytes(row)])
            self._fragments.add(id)

    # --- what converting uses too

    def _line(self, name: str) -> int:
        return self._file(name).records + 1

    def _file(self, name: str) -> AppendFile:
        if name not in self._files:
            raise PackageError("the writer is closed", file=self.path.name)
        return self._files[name]

    def _append(self, name: str, lines: Sequence[bytes]) -> None:
        file = self._file(name)
        for line in lines:
            if len(line) > MAX_LINE_BYTES:
                raise RecordError(
                    "the record is too long",
                    file=name,
                    line=file.records + 1,
                    expected=f"at most {MAX_LINE_BYTES} bytes",
                    found=f"{len(line)} bytes",
                )
        try:
            file.append(lines)
        except OSError as error:
            raise _cannot("write", name, error) from error

    def _append_messages(self, texts: Sequence[bytes]) -> list[int]:
        """Places of messages given as canonical bytes; those not stored yet are stored, on disk when this returns."""
        keys = [sha256(text).digest() for text in texts]
        new: dict[bytes, bytes] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in self._known:
                new.setdefault(key, text)
        if new:
            first = self._file(MESSAGES).records
            self._append(MESSAGES, list(new.values()))
            self._known.update((key, first + number) for number, key in enumerate(new))
        return [self._known[key] for key in keys]

    def _append_prompt(self, row: dict[str, Any], texts: Sequence[bytes]) -> None:
        places = self._append_messages(texts)
        row["messages"] = runs(places)
        row["request_hash"] = self._hasher.of(row["format"], places, texts.__getitem__)
        self._append(DECISIONS, [canonical_bytes(row)])

    # --- the end

    def close(self) -> None:
        """Write the table of files, rename to the final name. Does nothing the second time."""
        with self._lock:
            if not self._files:
                return
            table = {
                name: {"sha256": file.sha256, "bytes": file.size, "records": file.records}
                for name, file in self._files.items()
            }
            manifest = canonical_bytes(self._header | {"files": table}) + b"\n"
            try:
                for file in self._files.values():
                    file.sync()
                replace_file(self.partial / MANIFEST, manifest, sync=True)
                sync_folder(self.partial)
                self._publish()
            except FileExistsError as error:
                raise PackageError("this name was taken meanwhile", file=self.path.name) from error
            except OSError as error:
                raise _cannot("finish the package", self.path.name, error) from error
            self._release()

    def _publish(self) -> None:
        if os.path.lexists(self.path):
            raise FileExistsError
        if self._zip:
            write_zip(self.partial, self.path)
            shutil.rmtree(self.partial)
        else:
            self.partial.rename(self.path)
        sync_folder(self.path.parent)

    def _release(self) -> None:
        files, self._files = self._files, {}
        for file in files.values():
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._release()


def runs(places: Sequence[int]) -> list[list[int]]:
    """Places as ordered slices `[start, count]`: what follows its neighbour joins its slice."""
    found: list[list[int]] = []
    for place in places:
        if found and place == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([place, 1])
    return found


def _cannot(doing: str, name: str, error: OSError) -> PackageError:
    return PackageError(f"cannot {doing}", file=name, found=error.strerror or type(error).__name__)
