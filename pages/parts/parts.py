"""The investigations of one file: sub-agents, sessions, captured conversations; choosing one, and what each came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core.catalogue import date_of, day

from . import jobs, labels, state
from .panel import Node, el, panel
from .sizes import many
from .tables import table

if TYPE_CHECKING:
    from core.diagnosis import Verdict
    from core.model import Investigation

    from .holding import Held

_LISTED: Final = 200
_ROWS: Final = 50
_DATED: Final = 20
"""Decisions that are looked at for a date."""


def chooser(package: Held) -> None:
    """In the sidebar: every investigation of the file in hand, where it holds several."""
    if len(package.parts) == 1:
        return
    rest = len(package.parts) - _LISTED
    panel(
        el("h4", f"{len(package.parts):,} investigations in this file"),
        el(
            "div",
            *(_line(part, found, part == package.part) for part, found in enumerate(package.parts[:_LISTED], 1)),
            cls="list low",
        ),
        el("p", f"{rest:,} more; name one in the address as part=...", cls="dim small") if rest > 0 else None,
        key="ii-parts",
    )


def _line(part: int, found: Investigation, current: bool) -> Node:
    target = dict.fromkeys(state.OF_PACKAGE) | {"part": part}
    dated = day(date_of(found, _DATED))

    def choose() -> None:
        state.change(**target)

    return el(
        "a",
        el("b", f"{part}. {found.title or '(no title)'}"),
        el("small", ", ".join(filter(None, (many(len(found.decisions), "call"), labels.reader(found.reader), dated)))),
        act=choose,
        href=state.href("overview", **target),
        current=current,
    )


def table_of(package: Held) -> None:
    """On the overview: what each investigation of the file in hand came to, where it holds several."""
    if len(package.parts) == 1:
        return
    found = state.part_verdicts()
    rows = [_row(package, part, found.get(part)) for part in range(1, min(len(package.parts), _ROWS) + 1)]
    rest = len(package.parts) - len(rows)
    panel(
        el("h3", "Investigations in this file"),
        table(("", "title", "calls", "reader", "verdict"), rows, numbers=(0, 2)),
        el("p", f"{rest:,} more stand in the sidebar.", cls="dim small") if rest > 0 else None,
        key="overview-parts",
    )
    jobs.behind(state.verdicts_behind, key="overview-parts-behind")


def _row(package: Held, part: int, verdict: Verdict | None) -> tuple[Node, ...]:
    found = package.parts[part - 1]
    target = dict.fromkeys(state.OF_PACKAGE) | {"part": part}
    link = el(
        "a",
        found.title or "(no title)",
        act=lambda: state.change(**target),
        href=state.href("overview", **target),
        cls="any",
        current=part == package.part,
    )
    said: Node = el("span", "not known yet", cls="dim")
    if verdict is not None:
        tag = labels.standing(verdict)
        said = el("span", tag, f" {verdict.sentence}" if tag else verdict.sentence, cls="any")
    return f"{part}", link, f"{len(found.decisions):,}", labels.reader(found.reader), said
