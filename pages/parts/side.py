"""Beside the prompt: its ledger and blocks, what was not received, the budget, the cause."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from core.budget import budget_of
from core.missing import first_characters
from core.wording import key_text, lookup_text, value_text

from . import cards, jobs, links, outcome, state
from .palette import STATES
from .panel import el, panel
from .sizes import exact, many
from .tables import bounded, table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.changes import Change
    from core.delivery import Placement
    from core.diagnosis import Repeat
    from core.model import Decision, Fragment, LedgerEntry

    from .panel import Node

_NAME: Final = 120
_REPEATS: Final = 20
_FIRST: Final = 3
"""Results that were asked for again whose missing text stands before everything else."""
_WHOLE: Final = 100
_HEAD, _TAIL = 12, 28
_DIGITS: Final = 12
"""Digits of a hash that stand in a narrow table; the tooltip has all of them."""
_VALUE: Final = 500
_NOT_YET: Final = "Not known yet: it is still being looked for."
_UNTOLD: Final = ("instructions", "system")
_CHANGE_TONE: Final = {"entered": "good", "left": "bad", "cleared": "bad", "cut": "warn", "extended": "info"}


def panels(place: int) -> None:
    """Everything beside the prompt of the decision at `place`."""
    decision = state.decision_at(place)
    if decision.problem is not None:
        outcome.unreadable(decision)
        return
    placements = state.placements(decision)
    jobs.behind(state.behind, key="decisions-behind")
    chosen = state.fragment()
    again = [each for each in _repeats(decision) if chosen is None or each.fragment != chosen.id]
    missed = _asked_again(again, placements)
    above = {each.fragment for each in missed} | ({chosen.id} if chosen is not None else set())
    panel(
        outcome.head(decision, place),
        _changes(place) if state.view()["mode"] == "changed" else None,
        _chosen(decision, placements) if chosen is not None else None,
        *(_missing(each, opened=True) for each in missed),
        *map(_cause, _repeats(decision)),
        *_evidence(decision, placements, above),
        _ledger(decision),
        el("h4", "Budget"),
        cards.arithmetic(budget_of(decision, state.investigation().limits), known=_known(decision)),
        *_more(decision),
        key="decisions-side",
    )


def _changes(place: int) -> Node:
    """What entered, left, was cut or cleared since the prompt before."""
    found = state.changes_at(place)
    if found.before is None:
        return el("div", el("h4", "What changed"), el("p", "No prompt came before this one.", cls="dim"), cls="card")
    sums = [(name, exact(found.bytes_of(name))) for name in ("kept", "entered", "left")]
    told = [each for each in found.changes if each.kind not in _UNTOLD]
    rows = [
        (
            el("span", each.what, cls=f"tag {_CHANGE_TONE.get(each.what, '')}"),
            _thing(each),
            "" if each.before_bytes is None else exact(each.before_bytes),
            "" if each.after_bytes is None else exact(each.after_bytes),
        )
        for each in told[:100]
    ]
    cut = len(told) - len(rows)
    return el(
        "div",
        el("h4", f"What changed since decision {key_text(found.before)}"),
        cards.pairs(sums),
        table(("", "what", "before", "now"), rows, numbers=(2, 3))
        if rows
        else el("p", "Nothing but kept text.", cls="dim small"),
        el("p", f"{cut:,} more are not drawn.", cls="dim small") if cut > 0 else None,
        cls="card",
    )


def _thing(change: Change) -> str:
    kind = change.kind.replace("_", " ")
    fragment = state.fragment_of_call(change.fragment)
    if fragment is not None:
        return f"{kind} {fragment}"
    return first_characters(
        f"{kind} {change.fragment or (change.label if change.label != kind else '')}".strip(), _NAME
    )[0]


def _known(decision: Decision) -> bool:
    """Whether only a part of the prompt is known: it was put together, or the recording lacks something of it."""
    return state.investigation().prompts == "rebuilt" or bool(decision.missing)


def _repeats(decision: Decision) -> list[Repeat]:
    """What this decision asked for again."""
    diagnosis = state.diagnosis_now()
    found = diagnosis.repeats if diagnosis is not None else ()
    return [repeat for repeat in found if repeat.decision == decision.key][:_REPEATS]


def _cause(repeat: Repeat) -> Node:
    """Why it was asked for again."""
    return el(
        "div",
        el("h4", f"Asked again: first asked by decision {repeat.first_decision}"),
        cards.repeat_proof(repeat),
        cls="card bad",
    )


def _asked_again(repeats: Sequence[Repeat], placements: Sequence[Placement]) -> list[Placement]:
    """How the results stand that were asked for again, where not all of them was received; one each."""
    wanted = dict.fromkeys(repeat.fragment for repeat in repeats)
    found = {each.fragment: each for each in placements if each.fragment in wanted and each.state != "whole"}
    return [found[name] for name in wanted if name in found][:_FIRST]


def _chosen(decision: Decision, placements: Sequence[Placement]) -> Node | None:
    """The fragment that the address names: how it stands here, and what of it was not received."""
    fragment = state.fragment()
    if fragment is None:
        return None
    placement = next((each for each in placements if each.fragment == fragment.id), None)
    if state.deliveries_now() is None:
        stands: Node = el("p", _NOT_YET, cls="small dim")
    elif placement is None:
        said = (
            "was not sent, so it delivered nothing"
            if decision.sent is not True
            else "came before this fragment existed"
        )
        stands = el("p", f"This decision {said}.", cls="small")
    else:
        stands = el("p", cards.state_mark(placement.state), f": {cards.received(placement)}", cls="any")
    return el(
        "div",
        el(
            "div",
            el("h4", f"Fragment {fragment.id}", cls="as-is"),
            el("a", "its life", act=lambda: state.go("evidence"), href=state.href("evidence"), cls="small"),
            el("a", "close", act=lambda: state.change(fragment=None), cls="small"),
            cls="row apart",
        ),
        el("p", f"{lookup_text(fragment.lookup)} ", el("span", cards.lines_of(fragment), cls="dim"), cls="small any"),
        stands,
        cards.body_missing(fragment, placement, opened=True) if placement is not None else None,
        cls="card info chosen",
    )


def _counted(placements: Sequence[Placement]) -> str:
    """`3 whole, 1 cut`: how many fragments stand in each state."""
    counts = Counter(each.state for each in placements)
    return ", ".join(f"{counts[name]:,} {look.word}" for name, look in STATES.items() if counts[name])


def _evidence(decision: Decision, placements: Sequence[Placement], above: Collection[str]) -> list[Node]:
    """What earlier lookups returned, and how much of it this prompt carried: the dropped and cut ones first.

    `above`: fragments that have a card of their own above.
    """
    head = el("h4", "Evidence in this prompt")
    if decision.sent is not True:
        return [head, el("p", "This prompt was not sent: it delivered nothing.", cls="dim")]
    if state.deliveries_now() is None:
        return [head, el("p", _NOT_YET, cls="dim")]
    if not placements:
        return [head, el("p", "No lookup had returned anything before this decision.", cls="dim")]
    missing = [each for each in placements if each.state != "whole"]
    whole = [each for each in placements if each.state == "whole"]
    return [
        head,
        el(
            "p",
            f"{many(len(placements), 'fragment')}: {_counted(placements)}.",
            cls="small",
        ),
        *bounded(missing, lambda each: _shown_above(each) if each.fragment in above else _missing(each), 60),
        _whole(whole) if whole else el("p", "No body is whole in this prompt."),
    ]


def _whole(whole: Sequence[Placement]) -> Node:
    """Those of which nothing is missing: what was looked up, in one line each."""
    rows = []
    for each in whole[:_WHOLE]:
        fragment = state.fragment_named(state.fragment_name(each.fragment))
        asked = lookup_text(fragment.lookup) if fragment is not None else ""
        said = el("div", _middle(asked), cls="dim small clamp1", tip=asked)
        named = el("div", cards.state_mark(each.state, brief=True), " ", _pick(each.fragment))
        size = exact(each.total_bytes) if each.total_bytes else "no body"
        rows.append((el("div", named, said), el("span", size, tip=cards.received(each))))
    cut = len(whole) - len(rows)
    return el(
        "div",
        table(("whole: fragment, lookup", "received"), rows, numbers=(1,)),
        el("p", f"{cut:,} more are not drawn.", cls="dim small") if cut > 0 else None,
    )


def _shown_above(placement: Placement) -> Node:
    mark = cards.state_mark(placement.state)
    return el("p", _pick(placement.fragment), " ", mark, el("span", " shown above", cls="dim"), cls="small")


def _missing(placement: Placement, *, opened: bool = False) -> Node:
    """A fragment of which something is missing; `opened`: with that text in view."""
    name = state.fragment_name(placement.fragment)
    fragment = state.fragment_named(name)
    tone = {"cut": "warn", "overlap": "info"}.get(placement.state, "bad")
    return el(
        "div",
        el("div", _pick(placement.fragment), cards.state_mark(placement.state), cls="row apart"),
        el("p", lookup_text(fragment.lookup), cls="small any") if fragment else None,
        el("p", cards.received(placement), cls="dim small any"),
        cards.body_missing(fragment, placement, opened=opened) if fragment else None,
        cls=f"card {tone}",
    )


def _pick(fragment_id: str) -> Node:
    name = state.fragment_name(fragment_id)
    return el("a", fragment_id, act=lambda: state.change(fragment=name), href=state.href("decisions", fragment=name))


def _ledger(decision: Decision) -> Node | None:
    memory = decision.memory
    if memory is None:
        return None
    if not memory.ledger:
        return el(
            "div", el("h4", "Ledger"), el("p", "The ledger is empty: no lookup was completed before.", cls="dim small")
        )
    rows = [_entry(number, entry) for number, entry in enumerate(memory.ledger[:200], 1)]
    cut = len(memory.ledger) - len(rows)
    return el(
        "div",
        el("h4", "Ledger"),
        table(("", "lookup, asked by", "status", "body"), rows, numbers=(0,)),
        el("p", f"{cut:,} more entries are not drawn.", cls="dim small") if cut > 0 else None,
        el("p", "What the recorder claims; the states above are read from the text.", cls="dim small"),
        cls="stack",
    )


def _entry(number: int, entry: LedgerEntry) -> tuple[Node, ...]:
    asked = links.to_decision((entry.decision, 1), entry.fragment) if entry.decision is not None else "not recorded"
    fragment: Fragment | None = state.fragment_named(state.fragment_name(entry.fragment)) if entry.fragment else None
    named = (el("b", fragment.id), f" {lookup_text(fragment.lookup)}") if fragment else (entry.identity,)
    what = el("div", el("div", *named, cls="any", tip=entry.identity), el("div", asked, cls="dim small"))
    return f"{number}", what, entry.status, entry.body or "unknown"


def _more(decision: Decision) -> list[Node]:
    """Events, supplied ranges, usage, request: there when wanted."""
    nodes: list[Node] = []
    for event in decision.events[:50]:
        about = ", ".join((*event.fragments, *event.paths)) or (
            f"message {event.message + 1}" if event.message is not None else ""
        )
        nodes.append(el("p", el("span", event.kind, cls="tag warn"), f" before this request: {about}", cls="small any"))
    memory = decision.memory
    if memory is not None and memory.evicted:
        nodes.append(
            el(
                "p",
                f"The recorder says that these left since the prompt before: {', '.join(memory.evicted)}.",
                cls="small any",
            )
        )
    if memory is not None and memory.supplied:
        rows = [(each.path, _hash(each.hash), f"{each.start:,}-{each.end:,}") for each in memory.supplied[:200]]
        nodes.append(
            el(
                "details",
                el("summary", many(len(memory.supplied), "supplied range")),
                table(("path", "version", "lines"), rows),
            )
        )
    usage = decision.usage
    if usage is not None and usage.prompt_tokens is not None:
        nodes.append(el("p", f"{usage.prompt_tokens:,} prompt tokens recorded, cached input counted", cls="dim small"))
    facts = [("format", decision.format), ("request hash", decision.request_hash), ("sent at", decision.sent_at)]
    facts += [(str(name), value_text(value)[:_VALUE]) for name, value in list(decision.request.items())[:20]]
    facts += [
        (f"unknown field {name}", value_text(value)[:_VALUE]) for name, value in list(decision.extra.items())[:20]
    ]
    size = exact(decision.prompt_bytes) + (" known" if _known(decision) else "")
    listed = [node for name, text in facts if text for node in (el("dt", name), el("dd", text, cls="mono any"))]
    nodes.append(el("details", el("summary", f"request: {size}"), el("dl", *listed, cls="small")))
    return nodes


def _middle(text: str) -> str:
    """A text in one line of a narrow column, by its beginning and its end: paths differ at their ends."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}…{text[-_TAIL:]}"


def _hash(found: str | None) -> Node:
    """A hash by its first digits; all of it on pointing."""
    if found is None:
        return "no hash"
    kind, colon, digits = found.rpartition(":")
    short = digits if len(digits) <= _DIGITS else f"{digits[:_DIGITS]}…"
    return el("span", f"{kind}{colon}{short}", cls="mono", tip=found)
