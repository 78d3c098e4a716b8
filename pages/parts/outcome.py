"""What became of a decision, beside its prompt: status, outcome, the reply and how sure all of it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from core.missing import first_characters
from core.wording import key_text, lookup_text, outcome_text, sent_text, value_text

from . import labels, state
from .panel import el, panel

if TYPE_CHECKING:
    from core.model import Decision

    from .panel import Node

_STATUS_TONE: Final = {"accepted": "good", "rejected": "warn", "unused": "", "uncertain": "warn"}
_TEXT: Final = 20_000
_PARTS: Final = 50


def unreadable(decision: Decision) -> None:
    """Say what stands in the place of a record that cannot be read."""
    problem = decision.problem
    if problem is None:
        return
    facts = (
        ("file", problem.file),
        ("line", str(problem.line or "")),
        ("expected", problem.expected),
        ("found", problem.found),
    )
    rows = [node for name, text in facts if text for node in (el("dt", name), el("dd", text, cls="any"))]
    panel(
        el(
            "div",
            el("h3", "This record cannot be read"),
            el("p", problem.what, cls="any"),
            el("dl", *rows),
            cls="card bad",
        ),
        key="decisions-side",
    )


def head(decision: Decision, place: int) -> Node:
    """The decision at `place`: its states, its reply, and the grade of what is said about its prompt."""
    investigation = state.investigation()
    found = state.decision_grade(place)
    return el(
        "div",
        el(
            "div",
            el("h3", f"Decision {key_text(decision.key)}"),
            el("span", decision.status, cls=f"tag {_STATUS_TONE.get(decision.status, 'warn')}"),
            el("span", sent_text(decision), cls="tag" if decision.sent else "tag warn"),
            el("span", outcome_text(decision), cls=f"tag {_outcome_tone(decision)}"),
            cls="row",
        ),
        _reply(decision),
        el("div", *labels.origins(investigation), labels.grade(found), cls="row"),
        el("p", found.reason, cls="dim small any") if found.name != "recorded bytes" else None,
        el("p", f"The recording lacks: {', '.join(decision.missing)}.", cls="small any")
        if decision.missing and found.name != "rebuilt"
        else None,
        cls="card",
    )


def _reply(decision: Decision) -> Node:
    reply = decision.reply
    if reply is None:
        return el("p", "No reply is recorded.", cls="dim")
    asked = [
        el("li", el("code", lookup_text(lookup)), f" {lookup.summary}" if lookup.summary else None, cls="any")
        for lookup in reply.lookups[:_PARTS]
    ]
    patch = reply.patch
    changed = (
        el(
            "details",
            el("summary", f"patch of {patch.path}"),
            el("h4", "before"),
            el("pre", first_characters(patch.before, _TEXT)[0]),
            el("h4", "after"),
            el("pre", first_characters(patch.after, _TEXT)[0]),
        )
        if patch
        else None
    )
    text = reply.text or ""
    return el(
        "div",
        el("p", reply.summary, cls="any") if reply.summary else None,
        el("ul", *asked, cls="asked") if asked else None,
        changed,
        _stop(reply.stop) if reply.stop is not None else None,
        el("details", el("summary", "the reply as received"), el("pre", first_characters(text, _TEXT)[0]))
        if text
        else None,
        cls="stack",
    )


def _outcome_tone(decision: Decision) -> str:
    """A run that its own reply ended is no trouble; one that a gate or a limit stopped is."""
    outcome, reply = decision.outcome, decision.reply
    if outcome is None or outcome.kind not in ("stopped", "failed"):
        return "info"
    return "info" if outcome.kind == "stopped" and reply is not None and reply.stop is not None else "bad"


def _stop(stop: Any) -> Node:
    """What a reply ended the run with: a text, or a record with its fields one below the other."""
    if not isinstance(stop, dict):
        return el("p", f"stop: {first_characters(value_text(stop), _TEXT)[0]}", cls="any")
    rows = [
        node
        for name, value in list(stop.items())[:_PARTS]
        for node in (el("dt", str(name)), el("dd", first_characters(_lines(value), _TEXT)[0], cls="any"))
    ]
    return el("dl", *rows, cls="small")


def _lines(value: Any) -> str:
    """A list as one line an entry, or as `a, b` where all are short words."""
    if not isinstance(value, list):
        return value_text(value)
    texts = [value_text(each) for each in value[:_PARTS]]
    texts += [f"{len(value) - _PARTS:,} more"] if len(value) > _PARTS else []
    return (", " if all(" " not in text for text in texts) else "\n").join(texts)
