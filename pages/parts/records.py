"""The different records at one line, drawn beside each other: text with what differs marked, fields, and who observed it."""

from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING, Final

from core.canonical import canonical_text
from core.differing import differing

from . import links, state
from .panel import el
from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.conflicts import LineConflict, Observation, Variant
    from core.differing import Stretch
    from core.model import DecisionKey

    from .panel import Node

KINDS: Final = {
    "text": ("≠ the texts differ", "bad"),
    "truncation": ("✂ only the truncation flag differs", "warn"),
    "other": ("… the texts are the same, other fields differ", "info"),
}
_SHOWN: Final = 4_000
"""Characters of a text that are drawn."""
_VALUE: Final = 300
_RECORDS: Final = 12
_OBSERVERS: Final = 12


def conflict_of(found: LineConflict, key: DecisionKey, fragments: Mapping[str, str]) -> Node:
    """One line: its kind in words, then every record; `fragments` tells the fragment of an evidence id."""
    word, tone = KINDS[found.kind]
    records = found.variants[:_RECORDS]
    marks = differing([each.text for each in found.variants])
    rest = len(found.variants) - len(records)
    names = sorted({name for each in found.variants for name in each.record} - {"line", "text"})
    return el(
        "section",
        el("div", el("h3", f"Line {found.line:,}"), el("span", word, cls=f"tag {tone}"), cls="row"),
        el("p", "These texts are too many or too long to be compared character by character.", cls="dim small")
        if marks is None
        else None,
        el(
            "div",
            *(
                _record(each, place, found.variants, names, None if marks is None else marks[place], key, fragments)
                for place, each in enumerate(records)
            ),
            cls="sides",
        ),
        el("p", f"{many(rest, 'more record')} not drawn.", cls="dim small") if rest else None,
    )


def _record(
    variant: Variant,
    place: int,
    variants: Sequence[Variant],
    names: Sequence[str],
    marks: Sequence[Stretch] | None,
    key: DecisionKey,
    fragments: Mapping[str, str],
) -> Node:
    rows = [_field(name, variant, variants) for name in names]
    rest = len(variant.observed_by) - _OBSERVERS
    return el(
        "div",
        el(
            "div",
            el("b", f"Record {ascii_uppercase[place]}"),
            el("span", f"seen by {many(len(variant.observed_by), 'capture')}", cls="dim small"),
            cls="row apart",
        ),
        el("pre", *marked(variant.text, marks)),
        el("dl", *(node for pair in rows for node in pair)) if rows else None,
        el("h4", "Observed by"),
        *(_observer(each, key, fragments) for each in variant.observed_by[:_OBSERVERS]),
        el("p", f"{rest:,} more captures.", cls="dim small") if rest > 0 else None,
        *_origins(variant.observed_by),
        cls="card",
    )


def _origins(observers: Sequence[Observation]) -> list[Node]:
    """The origins that observed a record, each once: the captures of one FILE share theirs."""
    origins = dict.fromkeys(canonical_text(each.origin) for each in observers)
    return [el("h4", "From origin"), *(el("div", el("code", origin[:_VALUE]), cls="dim small") for origin in origins)]


def marked(text: str, stretches: Sequence[Stretch] | None) -> list[Node]:
    """A text with its stretches marked; an empty stretch is a caret: another record has characters there."""
    nodes: list[Node] = []
    at = 0
    for start, end in stretches or ():
        if start >= _SHOWN:
            break
        nodes.append(text[at:start])
        if end > start:
            nodes.append(el("mark", text[start : min(end, _SHOWN)], cls="differs", tip="differs from another record"))
        else:
            nodes.append(el("i", cls="gap", tip="another record has characters here"))
        at = min(end, _SHOWN)
    nodes.append(text[at:_SHOWN])
    if len(text) > _SHOWN:
        nodes.append(el("span", f" … {len(text) - _SHOWN:,} more characters are not drawn", cls="dim"))
    return [node for node in nodes if node != ""] or [el("span", "(an empty text)", cls="dim")]


def _field(name: str, variant: Variant, variants: Sequence[Variant]) -> tuple[Node, Node]:
    values = {_value(each, name) for each in variants}
    shown = _value(variant, name)
    tag = el("span", "≠ differs", cls="tag warn") if len(values) > 1 else None
    text = "absent" if shown is None else shown if len(shown) <= _VALUE else shown[:_VALUE] + "…"
    return el("dt", name, cls="any"), el("dd", el("span", text, cls="dim" if shown is None else "any mono"), " ", tag)


def _value(variant: Variant, name: str) -> str | None:
    return canonical_text(variant.record[name]) if name in variant.record else None


def _observer(seen: Observation, key: DecisionKey, fragments: Mapping[str, str]) -> Node:
    name = seen.id if isinstance(seen.id, str) else canonical_text(seen.id)
    fragment = fragments.get(name) if isinstance(seen.id, str) else None
    ways: list[Node] = []
    if fragment is not None:
        target = state.fragment_name(fragment)
        ways = [
            links.to_decision(key, fragment, "in its prompt"),
            el(
                "a",
                "its life",
                act=lambda: state.go("evidence", fragment=target),
                href=state.href("evidence", fragment=target),
            ),
        ]
    return el(
        "div",
        el(
            "div",
            el("b", name[:_VALUE], cls="any"),
            el("span", f"record {seen.position + 1}", cls="dim small"),
            *ways,
            cls="row",
        ),
        el("code", canonical_text(seen.query)[:_VALUE] if seen.query is not None else "no query"),
        cls="observer",
    )
