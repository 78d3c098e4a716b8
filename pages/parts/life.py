"""One fragment's life drawn: the timeline, and the body in the parts that different prompts received."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.missing import first_characters
from core.wording import run_text, runs

from . import labels, links
from .palette import STATES
from .panel import el
from .sizes import exact, many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.evidence import Life, Moment, Part
    from core.model import DecisionKey

    from .panel import Node

CONCERN_TONES: Final = {
    "asked again": "bad",
    "dropped": "warn",
    "cut": "warn",
    "never received": "warn",
    "failed or unknown": "",
}
_MOMENTS: Final = 120
_PARTS: Final = 60
_RUNS: Final = 6
_TEXT: Final = 20_000
_CARRYING: Final = ("whole", "cut")


def counts(states: Mapping[str, int]) -> Node:
    """`W 3  C 1`: in how many prompts a fragment stood in each state."""
    marks = [
        el("span", el("b", look.letter, cls=f"state {state}"), f"{states[state]:,} ", tip=look.means)
        for state, look in STATES.items()
        if states.get(state)
    ]
    return el("span", *marks) if marks else el("span", "no prompt after it", cls="dim small")


def timeline(found: Life) -> Node:
    """What happened to the fragment, in order; each line leads to its decision with the fragment in sight."""
    rows = [_moment(found, moment) for moment in found.moments[:_MOMENTS]]
    if len(found.moments) > _MOMENTS:
        rows.append(el("p", f"{len(found.moments) - _MOMENTS:,} later changes are not drawn.", cls="dim small"))
    if not found.placements:
        rows.append(el("p", "No prompt was sent after it was asked for.", cls="dim small"))
    return el("div", *rows, cls="life")


def _moment(found: Life, moment: Moment) -> Node:
    where: Node = el("span", "not recorded", cls="dim")
    if moment.first is not None and moment.last is not None:
        run = (moment.first, moment.last)
        where = links.to_decision(
            moment.first, found.fragment.id, f"decision{'s' if moment.count > 1 else ''} {run_text(run)}"
        )
    cause = (
        el("span", f"cause: {labels.cause(moment.cause)}", cls=f"tag {labels.cause_tone(moment.cause)}")
        if moment.cause is not None
        else None
    )
    return el(
        "div",
        el("div", where, cls="when"),
        el("div", _mark(moment), cls="mark"),
        el("div", el("p", moment.sentence, cls="any"), el("div", cause, _other(moment), cls="row") if cause else None),
        cls="moment",
    )


def _mark(moment: Moment) -> Node:
    if moment.kind == "asked":
        return el("b", "+", cls="info", tip="asked for here")
    if moment.kind == "asked again":
        return el("b", "↻", cls="bad", tip="asked for again here")
    look = STATES[moment.kind]
    return el("b", look.letter, cls=f"state {moment.kind}", tip=f"{look.word}: {look.means}")


def _other(moment: Moment) -> Node | None:
    """What replaced it, in the prompt that lacks it; what asking again returned."""
    if moment.other is None or moment.first is None:
        return None
    said = "what asking again returned" if moment.kind == "asked again" else "what replaced it"
    return el("span", f"{said}: ", links.to_decision(moment.first, moment.other, moment.other), cls="small any")


def body(found: Life, parts: Sequence[Part], every: Sequence[DecisionKey]) -> list[Node]:
    """The body, part by part, each with the decisions that received it and those that did not."""
    fragment = found.fragment
    if not fragment.body:
        said = "is not recorded: its outcome is not known" if fragment.status == "uncertain" else "is empty"
        return [el("p", f"The body {said}.", cls="dim")]
    nodes: list[Node] = []
    room = _TEXT
    for part in parts[:_PARTS]:
        text, hidden = first_characters(part.text, room)
        room = max(room - len(text), 400)
        nodes.append(_part(fragment.id, part, every, text, hidden))
    if len(parts) > _PARTS:
        nodes.append(el("p", f"{len(parts) - _PARTS:,} further parts are not drawn.", cls="dim small"))
    return nodes


def _part(fragment_id: str, part: Part, every: Sequence[DecisionKey], text: str, hidden: int) -> Node:
    tone = "whole" if part.own else "overlap" if part.through else "absent" if part.without else "none"
    lines = (
        f"line {part.first_line:,}"
        if part.first_line == part.last_line
        else f"lines {part.first_line:,}–{part.last_line:,}"
    )
    facts = [
        _decisions("whole", "received by", part.own, every, fragment_id),
        _decisions("overlap", "through other fragments in", part.through, every, fragment_id),
        _decisions("absent", "not in", part.without, every, fragment_id),
    ]
    if not (part.own or part.through or part.without):
        facts = [el("span", "no prompt was sent after it", cls="dim")]
    return el(
        "div",
        el(
            "div",
            el("span", f"{lines} of the body, bytes {part.start:,}–{part.end:,}", cls="dim"),
            *facts,
            cls="row small",
        ),
        el("pre", text, cls="" if part.own else "notsent"),
        el("p", f"{exact(hidden)} more are not drawn here.", cls="dim small") if hidden else None,
        cls=f"part {tone}",
    )


def _decisions(
    state: str, word: str, keys: Sequence[DecisionKey], every: Sequence[DecisionKey], fragment_id: str
) -> Node | None:
    if not keys:
        return None
    found = runs(keys, every)
    nodes: list[Node] = []
    for run in found[:_RUNS]:
        nodes += [", "] if nodes else []
        nodes.append(links.to_decision(run[0], fragment_id, run_text(run)))
    rest = sum(1 for run in found[_RUNS:])
    more = f" and {many(rest, 'more run')}" if rest else None
    return el("span", el("b", STATES[state].letter, cls=f"state {state}"), f"{word} ", *nodes, more, cls="any")
