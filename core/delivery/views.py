"""Evidence records carried by an encoded working view (v4, v5, v6): whole if the restored record equals what was captured.

The user message of such a prompt *is* the canonical JSON of the view. A fragment's `evidence` names its record; its body
is the canonical text of the record as captured, or the text of its items. References are resolved by `core.codec`, so a
line that is sent once for several captures counts for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..canonical import byte_length, canonical_text, loads
from ..codec import CODECS, evidence_bodies, evidence_places, view_of
from ..errors import InspectorError
from .facts import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Fragment


@dataclass(frozen=True, slots=True)
class Seen:
    """One evidence record in a view, compared with one fragment: `start`..`end` are bytes of the view's text."""

    state: Literal["whole", "cut", "other"]
    spot: Spot


class ViewReader:
    """The evidence records of one user message, by id; empty where it is no view that can be restored exactly."""

    def __init__(self, text: str, version: str) -> None:
        self._records: dict[str, list[tuple[Any, tuple[int, int]]]] = {}
        if version not in CODECS:
            return
        try:
            view = view_of(text)
            found = list(evidence_bodies(view, version))
            places = list(evidence_places(view, version))
        except InspectorError:  # not a view, or one whose references lead nowhere: its text is searched like any other
            return
        for (name, record), place in zip(found, places, strict=True):
            if isinstance(name, str):
                self._records.setdefault(name, []).append((record, place.span))

    def look(self, fragment: Fragment) -> Seen | None:
        """How the fragment's evidence record stands in the view; None if no record has its id."""
        best: Seen | None = None
        for record, (start, end) in self._records.get(fragment.evidence or "", ()):
            seen = _compare(record, fragment, start, end)
            if best is None or _ORDER.index(seen.state) < _ORDER.index(best.state):
                best = seen
        return best


_ORDER = ("whole", "cut", "other")


def _compare(record: Any, fragment: Fragment, start: int, end: int) -> Seen:
    total = fragment.byte_length
    if any(text == fragment.body for text in _texts(record)):
        return Seen("whole", Spot("view", start, end, total))
    received = _received(record, fragment.body)
    if received:
        return Seen("cut", Spot("view", start, end, received, _says_cut(record)))
    return Seen("other", Spot("view", start, end, 0, _says_cut(record)))


def _texts(record: Any) -> Iterator[str]:
    """The texts under which a captured record may have been stored as a body."""
    yield canonical_text(record)
    if not isinstance(record, dict):
        return
    for name in ("items", "result"):
        if name in record:
            yield canonical_text(record[name])
    if isinstance(record.get("result"), str):
        yield record["result"]
    lines = _lines(record)
    if lines is not None:
        yield "\n".join(lines)
        yield "".join(f"{line}\n" for line in lines)


def _lines(record: dict[str, Any]) -> list[str] | None:
    items = record.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return None
    texts = [item.get("text") for item in items]
    return texts if all(isinstance(text, str) for text in texts) else None


def _received(record: Any, body: str) -> int:
    """Bytes of the body's items of which the record holds the first ones, and nothing else in their place."""
    lines = _lines(record) if isinstance(record, dict) else None
    if lines and body.startswith("\n".join(lines)):
        return byte_length("\n".join(lines))
    try:
        captured = loads(body)
    except InspectorError:
        return 0
    if not isinstance(captured, dict) or not isinstance(record, dict):
        return 0
    whole, held = captured.get("items"), record.get("items")
    if not isinstance(whole, list) or not isinstance(held, list) or not held or len(held) > len(whole):
        return 0
    first = canonical_text(held)
    return byte_length(first) if first == canonical_text(whole[: len(held)]) else 0


def _says_cut(record: Any) -> bool:
    return isinstance(record, dict) and bool(record.get("truncation") or record.get("truncated"))
