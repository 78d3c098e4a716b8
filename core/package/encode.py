"""Model objects to the JSON records of a package (the words of `docs/package-format.md`).

Fields that are None or empty are left out, `extra` is merged last: a record that was read is written back with every
field it had, unknown and wrongly typed ones included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model import (
    Block,
    Decision,
    Event,
    Fragment,
    LedgerEntry,
    Limits,
    Lookup,
    Memory,
    Message,
    OpaquePart,
    Outcome,
    Patch,
    Problem,
    Reply,
    SourceRange,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Row = dict[str, Any]


def as_json(value: Any) -> Any:
    """A value in which model objects may stand, as plain JSON. What is neither stays: the canonical writer refuses it."""
    writer = ROWS.get(type(value))
    if writer is not None:
        return writer(value)
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value


def _row(extra: Mapping[str, Any] | None = None, /, **known: Any) -> Row:
    row = {name: value for name, value in known.items() if value is not None and value != []}
    if extra:
        row.update(extra)
    return row


def _rows(items: Sequence[Any]) -> list[Any]:
    return [as_json(item) for item in items]


# --- messages


def message_row(message: Message) -> Row:
    """A message in its stored form, built from role and parts (not from `raw`)."""
    parts = message.parts
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return _row(role=message.role, text=parts[0].text, stands_for=message.stands_for)
    row = _row(role=message.role, stands_for=message.stands_for)
    row["parts"] = _rows(parts)
    return row


def _text_part(part: TextPart) -> Row:
    return {"type": "text", "text": part.text}


def _tool_call(part: ToolCallPart) -> Row:
    return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}


def _tool_result(part: ToolResultPart) -> Row:
    return {"type": "tool_result", "id": part.id, "text": part.text, "is_error": part.is_error}


def _opaque(part: OpaquePart) -> Row:
    return {"type": "opaque", "kind": part.media, "bytes": part.bytes, "sha256": part.sha256}


# --- lookups, fragments


def _lookup(lookup: Lookup) -> Row:
    return _row(
        lookup.extra,
        kind=lookup.kind,
        queries=None if lookup.queries is None else list(lookup.queries),
        search=lookup.search,
        referenceUrl=lookup.reference_url,
        summary=lookup.summary,
        arguments=lookup.arguments,
    )


def _source(source: SourceRange) -> Row:
    return _row(source.extra, path=source.path, hash=source.hash, start=source.start, end=source.end)


def fragment_row(fragment: Fragment) -> Row:
    """One line of `fragments.jsonl`."""
    return _row(
        fragment.extra,
        id=fragment.id,
        lookup=_lookup(fragment.lookup),
        status=fragment.status,
        requested_by=fragment.requested_by,
        evidence=fragment.evidence,
        call_id=fragment.call_id,
        body=fragment.body,
        sources=_rows(fragment.sources),
    )


# --- decisions


def _entry(entry: LedgerEntry) -> Row:
    return _row(
        entry.extra,
        identity=entry.identity,
        status=entry.status,
        decision=entry.decision,
        fragment=entry.fragment,
        body=entry.body,
        message=entry.message,
        start=entry.start,
        end=entry.end,
    )


def _block(block: Block) -> Row:
    return _row(
        block.extra,
        fragment=block.fragment,
        sent_bytes=block.sent_bytes,
        truncated=block.truncated,
        message=block.message,
        start=block.start,
        end=block.end,
    )


def _memory(memory: Memory) -> Row:
    return _row(
        memory.extra,
        base_bytes=memory.base_bytes,
        context_bytes=memory.context_bytes,
        ledger=_rows(memory.ledger),
        supplied=_rows(memory.supplied),
        blocks=_rows(memory.blocks),
        evicted=list(memory.evicted),
    )


def _event(event: Event) -> Row:
    return _row(
        event.extra, kind=event.kind, message=event.message, fragments=list(event.fragments), paths=list(event.paths)
    )


def _patch(patch: Patch) -> Row:
    return _row(patch.extra, path=patch.path, before=patch.before, after=patch.after)


def _reply(reply: Reply) -> Row:
    return _row(
        reply.extra,
        text=reply.text,
        summary=reply.summary,
        lookups=_rows(reply.lookups),
        patch=None if reply.patch is None else _patch(reply.patch),
        stop=reply.stop,
    )


def _outcome(outcome: Outcome) -> Row:
    return _row(outcome.extra, kind=outcome.kind, by=outcome.by)


def _usage(usage: Usage) -> Row:
    return _row(
        usage.extra,
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )


def _limits(limits: Limits) -> Row:
    return _row(prompt_bytes=limits.prompt_bytes, context_bytes=limits.context_bytes, calls=limits.calls)


def decision_row(
    decision: Decision, slices: Sequence[Sequence[int]] | None = None, request_hash: str | None = None
) -> Row:
    """One line of `decisions.jsonl`; `slices` and `request_hash` replace the decision's own where given."""
    places = decision.slices if slices is None else slices
    row = _row(
        decision.extra,
        request_hash=request_hash or decision.request_hash,
        request=as_json(dict(decision.request)) or None,
        missing=list(decision.missing),
        memory=as_json(decision.memory),
        events=_rows(decision.events),
        reply=as_json(decision.reply),
        outcome=as_json(decision.outcome),
        usage=as_json(decision.usage),
        sent_at=decision.sent_at,
    )
    known = {
        "index": decision.index,
        "attempt": decision.attempt,
        "status": decision.status,
        "sent": decision.sent,
        "format": decision.format,
        "messages": [list(run) for run in places],
    }
    return known | row


def problem_row(problem: Problem) -> Row:
    """A problem as a converter stores it, so that what could not be read in the original stays known."""
    return _row(
        file=problem.file,
        line=problem.line,
        what=problem.what,
        expected=problem.expected,
        found=problem.found,
        severity=problem.severity,
    )


ROWS: dict[type, Callable[[Any], Row]] = {
    TextPart: _text_part,
    ToolCallPart: _tool_call,
    ToolResultPart: _tool_result,
    OpaquePart: _opaque,
    Message: message_row,
    Lookup: _lookup,
    SourceRange: _source,
    Fragment: fragment_row,
    LedgerEntry: _entry,
    Block: _block,
    Memory: _memory,
    Event: _event,
    Patch: _patch,
    Reply: _reply,
    Outcome: _outcome,
    Usage: _usage,
    Limits: _limits,
}
