"""Cards that say why: a repeat with its proof, a fragment with the body that was not received, a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.delivery import NOT_RECORDED
from core.missing import first_characters, not_received

from . import labels, links
from .palette import STATES
from .panel import el
from .sizes import exact, many, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.budget import PromptBudget
    from core.delivery import Placement
    from core.diagnosis import Repeat
    from core.model import DecisionKey, Fragment

    from .panel import Node

_RANGES: Final = 6
SHOWN: Final = 20_000
"""Characters of a body that a card draws; the rest is counted."""


def repeat_proof(repeat: Repeat, link: Node | None = None, *, brief: bool = False) -> Node:
    """The cause of one repeat, what it rests on, and what would have helped; `brief` beside a sentence that says it."""
    proof, budget = repeat.proof, repeat.proof.budget
    cause = el("span", f"cause: {labels.cause(repeat.cause)}", cls=f"tag {labels.cause_tone(repeat.cause)}")
    remedy = repeat.remedy.sentence if repeat.remedy else None
    facts = (
        ("earlier result", repeat.fragment or "not recorded"),
        ("last delivered in", _there(proof.last_delivered, repeat)),
        ("missing since" if proof.last_delivered else "first prompt without it", _there(proof.dropped_at, repeat)),
        ("replaced by", proof.replaced_by),
        ("room for blocks", exact(budget.available) if budget else None),
        ("needed, with heading and sources", exact(budget.needed) if budget else None),
        ("free", exact(budget.free) if budget else None),
        ("also holds", ", ".join(map(labels.cause, repeat.also))),
        ("missing fact", proof.missing_fact),
    )
    return el(
        "div",
        el("div", cause, link, cls="row"),
        None if brief else el("p", f"Its result {proof.detail}.", cls="any"),
        pairs(facts),
        el("p", el("b", "Remedy: "), remedy, cls="any") if remedy else None,
        cls="stack",
    )


def _there(key: DecisionKey | None, repeat: Repeat) -> Node | None:
    return links.to_decision(key, repeat.fragment) if key is not None else None


def pairs(facts: Sequence[tuple[str, Node | None]]) -> Node:
    """Names and values beside each other; what has no value is left out."""
    return el("div", *(el("div", el("span", name), el("div", value)) for name, value in facts if value), cls="pairs")


def state_mark(state: str, *, brief: bool = False) -> Node:
    """A delivery state as letter and shape with its word; `brief`: where the word stands above a whole column."""
    look = STATES[state]
    word = None if brief else f" {look.word}"
    return el("span", el("b", look.letter, cls=f"state {state}"), word, tip=look.means, cls="nowrap")


def received(placement: Placement) -> str:
    """`1,204 of 1,629 B`, and what the prompt itself says of it."""
    if placement.state == "unknown":
        said = NOT_RECORDED
    elif placement.total_bytes == 0:
        said = "the lookup returned no body"
    elif placement.state == "whole":
        said = exact(placement.total_bytes)
    elif placement.state == "overlap":
        said = f"0 of {exact(placement.total_bytes)}; lines {_ranges(placement.lines)} through {', '.join(placement.through)}"
    else:
        said = f"{placement.received_bytes:,} of {exact(placement.total_bytes)}"
    if placement.silent_absence:
        said += "; the prompt does not say that the body is gone"
    if placement.guidance:
        said += "; the prompt says that it was cut"
    return said


def _ranges(lines: Sequence[tuple[int, int]]) -> str:
    shown = [f"{start}-{end}" for start, end in lines[:_RANGES]]
    return ", ".join(shown) + (" ..." if len(lines) > _RANGES else "")


def body_missing(fragment: Fragment, placement: Placement | None, *, opened: bool = False) -> Node | None:
    """The part of a body that the prompt did not carry, as text; None if nothing is missing."""
    missing = not_received(fragment, placement)
    if not missing:
        return None
    text, hidden = first_characters(missing, SHOWN)
    count = fragment.byte_length - (placement.received_bytes if placement else 0)
    return el(
        "details",
        el("summary", f"{exact(count)} that this prompt did not carry"),
        el("pre", text, cls="notsent"),
        el("p", f"{exact(hidden)} more are not drawn here.", cls="dim small") if hidden else None,
        cls="open" if opened else "",
    )


def arithmetic(budget: PromptBudget, *, known: bool = False) -> Node:
    """The budget of one prompt as a small sum; `known`: the recording holds only a part of that prompt."""
    rows: list[Node] = []

    def line(name: str, figure: str, cls: str = "") -> None:
        rows.append(el("tr", el("td", name, cls=cls), el("td", figure, cls=f"num {cls}")))

    if budget.available is not None and budget.base_bytes is not None and budget.ledger_bytes is not None:
        line("context budget", exact(budget.context_limit or 0))
        line("− base context", exact(budget.base_bytes))
        line("− ledger and supplied ranges", exact(budget.ledger_bytes))
        line("= available for blocks", exact(budget.available))
        line("− blocks", exact(budget.blocks_bytes or 0))
        line("= free", exact(budget.free or 0))
    limit = f" of {budget.prompt_limit:,}" if budget.prompt_limit is not None else ""
    line("known bytes of the prompt" if known else "whole prompt", f"{budget.prompt_bytes:,}{limit} B")
    said = budget.why or (
        None if budget.context_limit is not None else "No context budget is recorded: nothing is said about one."
    )
    over = el("span", "over the prompt limit", cls="tag bad") if budget.over_prompt_limit else None
    share = None
    if budget.prompt_limit:
        tone = "bad" if budget.over_prompt_limit else "info"
        part = min(100.0, 100 * budget.prompt_bytes / budget.prompt_limit)
        share = el("div", el("div", cls=tone, width=part), cls="bar", tip=f"{part:.1f} % of the prompt limit")
    return el("div", el("table", el("tbody", *rows)), share, over, el("p", said, cls="dim small any") if said else None)


def lines_of(fragment: Fragment) -> str:
    """Where a fragment comes from: paths and lines, at most three."""
    places = [f"{each.path} {each.start}-{each.end}" for each in fragment.sources[:3]]
    rest = len(fragment.sources) - len(places)
    return (
        ", ".join([*places, *([f"{many(rest, 'more range')}"] if rest > 0 else [])])
        or f"{size(fragment.byte_length)}, no file"
    )
