"""A working view for any run: evidence records built from the results that a prompt carried.

No recording of another agent holds a working view. This builds the one that v4, v5 and v6 would encode at a decision, so
that the question "what would they have sent here?" has an answer for every run. It is a construction and says so: the
records stand for results that stand in the decision's prompt by their call ids (or, where an agent sends plain text,
begin a message of it; in a bounded prompt, as its blocks, of which a cut one stands as the bytes that were sent), and
everything else of the prompt passes through as `history`.

A record of one file's numbered lines is a source capture (`metadata.path`, `content_hash`, a pinned `origin`, `items`).
Recordings hold no content hashes; `content_hash` is then `edits:N`, the number of edits of that path that the run had
made. So lines that changed without a recorded edit meet under one identity and are listed as `conflicting_lines`, which
is what they are; after an edit the file is another one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .anatomy import BOUNDED, anatomy
from .canonical import utf8
from .readers.sources import gutter_of, numbered_lines, shown_by_search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .model import Decision, Fragment, Investigation, Message, SourceRange

_LEAST_BODY = 32
"""Characters from which on the beginning of a plain message is taken for a result (as in delivery, by bytes)."""

_ENDS = 64
_PATH_KEYS = ("path", "file_path", "file", "filename", "notebook_path")

Record = dict[str, Any]


def working_view(investigation: Investigation, decision: Decision, *, all_before: bool = False) -> dict[str, Any]:
    """The view in v4 form: `task`, `history` and `evidence` of what this decision's prompt carried.

    `all_before` takes every answered result that existed before the decision, also those that the prompt had lost.
    Costs the reading of one prompt. Records keep the order of the fragments.
    """
    before = [each for each in investigation.fragments if _answered_before(each, decision)]
    carried, history = _blocks(decision, before) if decision.format == BOUNDED else _split(decision, before)
    chosen = [carried.get(each.id, each) for each in before if all_before or each.id in carried]
    return {
        "task": {"title": investigation.title, "decision": decision.index},
        "history": history,
        "evidence": [record_of(each, investigation.digest or investigation.source or "run") for each in chosen],
    }


def record_of(fragment: Fragment, recording: str) -> Record:
    """One fragment as an evidence record; `recording` (not empty) names the run: the pinned origin of what it saw."""
    record: Record = {
        "id": fragment.evidence or fragment.id,
        "query": _query(fragment),
        "origin": {"snapshot": recording},
    }
    if fragment.status != "completed":
        record["status"] = fragment.status
    paths = {source.path for source in fragment.sources}
    lines = lines_of(fragment) if len(paths) == 1 else []
    if not lines:
        return {**record, "metadata": {}, "result": {"text": fragment.body}}
    path = paths.pop()
    record["metadata"] = {"path": path, **_identity(fragment, fragment.sources[0])}
    record["returned"] = [[source.start, source.end] for source in fragment.sources]
    record["items"] = [{"line": number, "text": text, "truncated": False} for number, text in lines]
    around = _around(fragment, len(lines))
    return record | {"around": around} if around else record


def lines_of(fragment: Fragment) -> list[tuple[int, str]]:
    """The numbered lines that a fragment shows of its one file; empty where its body does not show them as claimed."""
    sources = fragment.sources
    if not sources:
        return []
    gutter = fragment.extra.get("gutter") or gutter_of(fragment.body)
    if gutter == "path:":
        return [
            (run.start + place, text) for run in shown_by_search(fragment.body) for place, text in enumerate(run.lines)
        ]
    wanted = {number for source in sources for number in range(source.start, source.end + 1)}
    if isinstance(gutter, str):
        found = [line for line in numbered_lines(fragment.body, gutter) if line[0] in wanted]
        if len({number for number, _ in found}) == len(wanted):
            return found
    lines = fragment.body.removesuffix("\n").split("\n")
    if len(sources) != 1 or len(lines) < len(wanted):
        return []
    return list(enumerate(lines[len(lines) - len(wanted) :], sources[0].start))  # a wrapper stands before, if any


def _answered_before(fragment: Fragment, decision: Decision) -> bool:
    asked = fragment.requested_by
    return fragment.problem is None and fragment.status != "uncertain" and asked is not None and asked < decision.index


def _identity(fragment: Fragment, source: SourceRange) -> Mapping[str, str]:
    edits = fragment.extra.get("edits")
    if isinstance(edits, dict) and isinstance(edits.get(source.path), int):
        return {"content_hash": f"edits:{edits[source.path]}"}
    return {"content_hash": source.hash} if source.hash else {}


def _query(fragment: Fragment) -> Record:
    lookup = fragment.lookup
    query: Record = {"tool": lookup.kind}
    if lookup.queries is not None:
        query["queries"] = list(lookup.queries)
    if lookup.search is not None:
        query["search"] = lookup.search
    if lookup.reference_url is not None:
        query["referenceUrl"] = lookup.reference_url
    if lookup.arguments is not None:
        query["arguments"] = lookup.arguments
    return _with_path(query, {source.path for source in fragment.sources})


def _with_path(query: Record, paths: set[str]) -> Record:
    """The path of a read stands as `path`, where the encodings look for it; nothing of the arguments is lost."""
    arguments = query.get("arguments")
    if not isinstance(arguments, dict) or len(paths) != 1:
        return query
    key = next((key for key in _PATH_KEYS if arguments.get(key) in paths and isinstance(arguments.get(key), str)), None)
    if key is None:
        return query
    rest = {name: value for name, value in arguments.items() if name != key}
    return query | {"path": arguments[key], "arguments": rest}


def _around(fragment: Fragment, count: int) -> str:
    """What a body holds besides its lines: headings, reminders, wrappers."""
    gutter = fragment.extra.get("gutter") or gutter_of(fragment.body)
    lines = fragment.body.split("\n")
    if gutter == "path:" or not isinstance(gutter, str):
        return "\n".join(lines[: max(len(fragment.body.removesuffix("\n").split("\n")) - count, 0)])
    numbered = {number for number, line in enumerate(lines) if numbered_lines(line, gutter)}
    return "\n".join(line for number, line in enumerate(lines) if number not in numbered).strip("\n")


# --- what the prompt carried


def _blocks(decision: Decision, before: Iterable[Fragment]) -> tuple[dict[str, Fragment], list[Record]]:
    """The blocks of a bounded prompt as fragments with the bytes that were sent, and the rest of it as text."""
    known = {each.id: each for each in before}
    messages = decision.messages
    left = [bytearray() for _ in messages]
    carried: dict[str, Fragment] = {}
    for span in anatomy(decision):
        data = utf8(messages[span.message].text)[span.start : span.end]
        found = known.get(span.fragment or "") if span.kind == "block" else None
        if found is None:
            left[span.message] += data
            continue
        sent = data.decode("utf-8", "surrogatepass")
        cut = sent != found.body
        carried[found.id] = replace(found, body=sent, sources=()) if cut else found
    rest = zip(messages, left, strict=True)
    return carried, [{"role": each.role, "text": text.decode("utf-8", "surrogatepass")} for each, text in rest if text]


def _split(decision: Decision, before: Iterable[Fragment]) -> tuple[dict[str, Fragment], list[Record]]:
    """The fragments that stand in a prompt, and the rest of it as text."""
    before = tuple(before)
    by_call = {each.call_id: each.id for each in before if each.call_id is not None}
    by_start: dict[str, list[Fragment]] = {}
    for each in before:
        if len(each.body) >= _LEAST_BODY:
            by_start.setdefault(each.body[:_ENDS], []).append(each)
    sizes = sorted({len(start) for start in by_start})
    carried: set[str] = set()
    history: list[Record] = []
    for message in decision.messages:
        left = _rest_of(message, by_call, by_start, sizes, carried)
        if left:
            history.append({"role": message.role, "text": left})
    return {each.id: each for each in before if each.id in carried}, history


def _rest_of(
    message: Message,
    by_call: Mapping[str, str],
    by_start: Mapping[str, list[Fragment]],
    sizes: Iterable[int],
    carried: set[str],
) -> str:
    left: list[str] = []
    for part in message.parts:
        if part.kind == "tool_result" and part.id is not None and part.id in by_call and message.stands_for is None:
            carried.add(by_call[part.id])
            continue
        fits = [each for each in _starts(part.text, by_start, sizes) if part.text.startswith(each.body)]
        found = next((each for each in fits if each.id not in carried), fits[0] if fits else None)  # equal ones in turn
        if found is not None and message.role != "assistant":
            carried.add(found.id)
            left.append(part.text[len(found.body) :])
        else:
            left.append(part.text)
    return "".join(left)


def _starts(text: str, by_start: Mapping[str, list[Fragment]], sizes: Iterable[int]) -> Iterable[Fragment]:
    """Fragments whose body may begin a text, the longest first; `sizes` are those of the keys of `by_start`."""
    found = [each for size in sizes if size <= len(text) for each in by_start.get(text[:size], ())]
    return sorted(found, key=lambda each: -len(each.body))
