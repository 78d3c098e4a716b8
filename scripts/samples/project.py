"""A project-backed investigation, recorded as v5 contexts: each decision receives the working view of all evidence so far.

Replies are scripted. The captures are real: lines of a frozen source tree, rows of tables and lines of logs that the samples
make. Nothing here knows how large a view becomes in any encoding.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.canonical import canonical_text, sha256
from core.codec import V4, V5, freeze
from core.package import PackageWriter
from core.source_tree import SourceTree, load_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Record = dict[str, Any]

CREATED = "2026-11-30T12:00:00Z"
PRODUCER = {"name": "investigation-inspector samples", "version": "1"}
REQUEST = {"model": "scripted-replies", "temperature": 0}
REPOSITORY = "investigation-inspector"
LONGEST_LINE = 110
"""Characters of a line that the read tool gives; the rest is cut and the row says `truncated`."""

_FOLDER = Path(__file__).parent / "inspector_source"


def frozen_tree() -> SourceTree:
    """The frozen source under its own names (the files on disk end in `.txt`)."""
    files = load_tree(_FOLDER).files
    return SourceTree({path.removesuffix(".txt"): data for path, data in files.items() if path.endswith(".txt")})


def pinned(tree: SourceTree) -> Record:
    """Where captures of a tree come from: the repository, and a revision that names the tree's content."""
    content = json.dumps({path: tree.hash(path) for path in tree.paths}, sort_keys=True)
    return {"repository": REPOSITORY, "revision": hashlib.sha256(content.encode()).hexdigest()[:40]}


@dataclass(frozen=True)
class Ask:
    """One lookup and the observation it returns (without its id). `sources` are the lines of source that it holds."""

    lookup: Record
    observation: Record
    sources: tuple[Record, ...] = ()


def read(tree: SourceTree, path: str, start: int, end: int, why: str, **more: str) -> Ask:
    """Lines `start`..`end` of a file, as far as there are any; `more` arguments say where to look, if not in the usual place."""
    lines = tree.lines(path)
    last = min(end, len(lines))
    arguments = {"path": path, "start": start, "end": end, **more}
    metadata = {"path": path, "content_hash": tree.hash(path), "size": len(tree.files[path])}
    observation = {
        "query": {"tool": "source.read", **arguments},
        "origin": pinned(tree),
        "metadata": metadata,
        "requested": [start, end],
        "returned": [start, last],
        "coverage": {"lines": last - start + 1, "of": len(lines)},
        "items": [_row(number, lines[number - 1]) for number in range(start, last + 1)],
    }
    if last < len(lines):
        observation["paging"] = {"next": last + 1}
    lookup = {"kind": "source.read", "arguments": arguments, "summary": why}
    source = {"path": path, "hash": tree.hash(path), "start": start, "end": last}
    return Ask(lookup, observation, (source,))


def _row(number: int, text: str) -> Record:
    return {"line": number, "text": text[:LONGEST_LINE], "truncated": len(text) > LONGEST_LINE}


def faulty(ask: Ask, change: Callable[[Record], Record]) -> Ask:
    """The same lookup with other rows in its observation: what a faulty tool would have returned."""
    rows = [change(dict(row)) for row in ask.observation["items"]]
    return replace(ask, observation={**ask.observation, "items": rows})


def pasted(ask: Ask, name: str, why: str) -> Ask:
    """The rows of a read as somebody pasted them into a note: no origin, and no word on where they were read."""
    told = {key: ask.observation[key] for key in ("metadata", "items")}
    arguments = {"name": name, "start": 1, "end": len(told["items"])}
    lookup = {"kind": "log.read", "arguments": arguments, "summary": why}
    return Ask(lookup, {"query": {"tool": "log.read", **arguments}, **told})


def query(arguments: Record, result: Record, origin: Record, why: str) -> Ask:
    """Rows of a table."""
    lookup = {"kind": "db.query", "arguments": arguments, "summary": why}
    return Ask(lookup, {"query": {"tool": "db.query", **arguments}, "origin": origin, "result": result})


def log(name: str, lines: Sequence[str], start: int, end: int, origin: Record, why: str) -> Ask:
    """Lines `start`..`end` of a log: no file of the project, so the lines are a result."""
    arguments = {"name": name, "start": start, "end": end}
    result = {"lines": list(lines[start - 1 : end]), "of": len(lines)}
    lookup = {"kind": "log.read", "arguments": arguments, "summary": why}
    return Ask(lookup, {"query": {"tool": "log.read", **arguments}, "origin": origin, "result": result})


@dataclass(frozen=True)
class Step:
    """One decision: the reply's summary and what it asks for, or the conclusion it stops with.

    `before` are contexts of the same view that came to nothing: pairs of status (`rejected`, `unused`) and why.
    """

    summary: str
    asks: tuple[Ask, ...] = ()
    stop: Record | None = None
    before: tuple[tuple[str, str], ...] = ()


@dataclass
class _State:
    history: list[Record] = field(default_factory=list)
    evidence: list[Record] = field(default_factory=list)


def record(target: Path, title: str, task: Record, steps: Iterable[Step], *, calls: int) -> None:
    """Write the investigation as the package `target`: one context a decision, with the fragments it asked for."""
    state = _State()
    with PackageWriter(
        target, title=title, replies="scripted", limits={"calls": calls}, producer=PRODUCER, created=CREATED, sync=False
    ) as package:
        for index, step in enumerate(steps, start=1):
            view = {"task": task, "budget": {"calls": calls}, "history": state.history, "evidence": state.evidence}
            messages = freeze(view, V5, given=V4).messages
            for attempt, (status, why) in enumerate(step.before, start=1):
                _lost(package, messages, (index, attempt), status, why)
            reply = _reply(step)
            outcome = {"kind": "stopped", "by": "conclusion"} if step.stop else {"kind": "continued"}
            package.append_decision(
                messages,
                index=index,
                attempt=len(step.before) + 1,
                format=V5,
                request=REQUEST,
                reply={"text": json.dumps(reply, ensure_ascii=False), **reply},
                outcome=outcome,
            )
            _carry_out(package, state, index, step)


def _lost(package: PackageWriter, messages: Any, key: tuple[int, int], status: str, why: str) -> None:
    """A context whose reply could not be used, or that was frozen and never sent."""
    unused = status == "unused"
    package.append_decision(
        messages,
        index=key[0],
        attempt=key[1],
        format=V5,
        status=status,
        sent=not unused,
        request=REQUEST,
        reply=None if unused else {"text": why},
        outcome=None if unused else {"kind": "failed", "by": "reply_shape"},
        extra={"note": why} if unused else None,
    )


def _reply(step: Step) -> Record:
    body = {"stop": step.stop} if step.stop else {"lookups": [ask.lookup for ask in step.asks]}
    return {"summary": step.summary, **body}


def _carry_out(package: PackageWriter, state: _State, index: int, step: Step) -> None:
    names = []
    for ask in step.asks:
        name = f"E{len(state.evidence) + 1}"
        observation = {"id": name, **ask.observation}
        package.append_fragment(
            f"f{name[1:]}",
            ask.lookup,
            canonical_text(observation),
            requested_by=index,
            evidence=name,
            sources=ask.sources,
        )
        names.append(name)
        state.evidence = [*state.evidence, observation]
    state.history = [
        *state.history,
        {"decision": index, "summary": step.summary, "lookups": [ask.lookup for ask in step.asks], "evidence": names},
    ]


def row_hash(*parts: object) -> str:
    """A hash for made-up rows: the same on every machine."""
    return sha256("/".join(map(str, parts)).encode())
