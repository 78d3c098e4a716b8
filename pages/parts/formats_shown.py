"""What the Formats page draws of a measurement: facts, bars, the script's tables, components, fallbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.codec import CODECS
from core.measure import tables
from core.measure.printed import BUILT, CAVEATS
from core.measure.tables import NO_TOKENS, context_name, saved, short

from . import charts, format_charts, state
from .palette import VIEW_PARTS
from .panel import el, panel
from .sizes import many
from .tables import table

if TYPE_CHECKING:
    from core.measure import ContextFigures, Measurement
    from core.measure.tables import Table

    from .panel import Node

ROWS_DRAWN: Final = 300
TEXTS: Final = {"all": "all messages", "user": "user text"}
UNITS: Final = {"bytes": "bytes", "chars": "characters", "tokens": "tokens"}


def facts(found: Measurement, text: str, unit: str) -> None:
    """Contexts, totals, savings, exactness and fallbacks in large."""
    totals = found.totals()
    statuses = ", ".join(f"{count:,} {status}" for status, count in found.statuses().items())
    measured_count = len(found.measured)
    boxes = [
        _fact(f"{measured_count:,} of {len(found.contexts):,}", "contexts measured", statuses),
    ]
    for version, total in totals.items():
        count = format_charts.amount(getattr(total, text), unit)
        boxes.append(_fact(tables.count(count), f"{UNITS[unit]} in {short(version)}", TEXTS[text]))
    for step in saved(found):
        before, after = (format_charts.amount(getattr(each, text), unit) for each in (step.before, step.after))
        share = "unknown" if before is None or after is None else tables.percent(before, after)
        boxes.append(_fact(share, f"saved by {short(step.late)}", f"over {short(step.early)}, {TEXTS[text]}"))
    exact = min((total.exact for total in totals.values()), default=0)
    boxes.append(
        _fact(f"{exact:,} of {measured_count:,}", "rebuilt exactly", "canonical text compared, in every encoding")
    )
    for version, total in totals.items():
        if CODECS[version].previous is not None and total.fell_back:
            boxes.append(
                _fact(f"{total.fell_back:,}", f"{short(version)} fell back", "to the text of the version before")
            )
    panel(el("div", *boxes, cls="facts"), key="formats-facts")


def _fact(count: str, what: str, about: str) -> Node:
    return el("div", el("b", count), el("div", what), el("span", about, cls="any"))


def caveats(found: Measurement, *, built: bool) -> None:
    """What these figures are not."""
    said = [BUILT] if built else []
    notes = [*said, *CAVEATS]
    if any(figures.user.tokens is None for row in found.measured for figures in row.versions.values()):
        notes.append(NO_TOKENS)
    tone = "warn" if built else "info"
    title = el("h4", "Built, not recorded") if built else None
    flags = " ".join(f"--target-version {version}" for version in found.versions)
    command = f"investigation-inspector measure PACKAGE {flags}{' --built' if built else ''} --json"
    panel(
        el(
            "div",
            title,
            *(el("p", each) for each in notes),
            el("p", "The JSON download is what this prints: ", el("code", command), cls="dim small"),
            cls=f"card {tone}",
        ),
        key="formats-caveats",
    )


def sizes(found: Measurement, text: str, unit: str) -> None:
    """Each context as bars, then the script's table."""
    panel(
        el("h3", "Each stored context"),
        el(
            "p",
            f"{UNITS[unit].capitalize()} of {TEXTS[text]}; rejected and unused attempts included. Click a bar to see that "
            "decision's view below.",
            cls="dim small",
        ),
        key="formats-sizes-head",
    )
    if found.measured:
        rows = found.measured
        charts.draw(
            format_charts.sizes(found, text, unit),
            key="formats-sizes",
            alt="Size of each stored context in each encoding",
            on_click=lambda place: state.change(decision=_key(rows[place]), line=None),
        )
    made = tables.contexts(found)
    drawn = [
        (_context(row), *map(_short_cell, cells[1:3]), *cells[3:])
        for row, cells in zip(found.contexts[:ROWS_DRAWN], made.rows[:ROWS_DRAWN], strict=True)
    ]
    rest = len(made.rows) - len(drawn)
    panel(
        table(made.heads, drawn, numbers=range(3, len(made.heads) - 2)),
        el("p", f"{rest:,} more are not drawn; the downloads hold all.", cls="dim small") if rest else None,
        key="formats-contexts",
    )


def _key(row: ContextFigures) -> tuple[int, int]:
    return row.index, row.attempt


def _context(row: ContextFigures) -> Node:
    changes = {"decision": _key(row), "line": None}
    current = state.decision()
    return el(
        "a",
        context_name(row),
        act=lambda: state.change(**changes),
        href=state.href("formats", **changes),
        current=current is not None and current.key == _key(row),
    )


def drawn_table(title: str, made: Table, about: str = "") -> list[Node]:
    """One of the script's tables with its heading."""
    nodes: list[Node] = [el("h3", title)]
    if about:
        nodes.append(el("p", about, cls="dim small"))
    if made.heads:
        rows = [(_short_cell(row[0]), *row[1:]) for row in made.rows]
        nodes.append(table(made.heads, rows, numbers=range(1, len(made.heads))))
    nodes += [el("p", note, cls="dim small") for note in made.notes]
    return nodes


def _short_cell(text: str) -> Node:
    return el("span", text, cls="nowrap") if len(text) <= 40 else text  # noqa: PLR2004  # what fits beside figures


def totals(found: Measurement) -> None:
    """Totals, savings, statuses and prefixes."""
    panel(
        *drawn_table("In total", tables.totals(found)),
        *drawn_table(
            "Savings",
            tables.savings(found),
            "Each encoding against the one that it builds on: no saving is counted twice.",
        ),
        key="formats-totals",
    )
    panel(
        *drawn_table("By status", tables.statuses(found)),
        *drawn_table(
            "Shared with the context before",
            tables.prefixes(found),
            "Providers cache prefixes: a smaller text whose tables move can cost more than a larger one that only grows.",
        ),
        key="formats-statuses",
    )


def components(found: Measurement) -> None:
    """What the bytes are for."""
    made = tables.components(found)
    panel(
        el("h3", "Components"),
        el("p", "What the bytes of all messages of all contexts are for; they sum to the whole.", cls="dim small"),
        key="formats-components-head",
    )
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        charts.draw(
            format_charts.parts({version: total.components for version, total in found.totals().items()}),
            key="formats-components",
            alt="Bytes of each component in each encoding",
        )
    with right:
        rows = [
            (
                el(
                    "span",
                    el("i", cls="key", tone=VIEW_PARTS[cells[0]][1]),
                    cells[0],
                    cls="nowrap",
                    tip=VIEW_PARTS[cells[0]][0],
                ),
                *cells[1:],
            )
            for cells in made.rows
        ]
        panel(table(made.heads, rows, numbers=range(1, len(made.heads))), key="formats-components-table")
        with st.expander("In tokens"):
            panel(*drawn_table("Tokens by component", tables.tokens(found)), key="formats-tokens")


def fallbacks(found: Measurement) -> None:
    """Where an encoding kept the text of the version before, and why; where a reconstruction is not exact."""
    rows = [
        (_context(row), short(version), figures.reason or "no reason is recorded")
        for row in found.measured
        for version, figures in row.versions.items()
        if figures.fell_back
    ]
    wrong = [
        (_context(row), short(version), "the view restored from it is another one")
        for row in found.measured
        for version, figures in row.versions.items()
        if not figures.exact
    ]
    about = "An encoding that would not be smaller keeps the text of the version before. Nothing is left out for it."
    panel(
        el("h3", "Fallbacks and exactness"),
        el("p", about, cls="dim small"),
        el("div", *(el("div", table(("context", "in", "not exact"), wrong)),), cls="card bad") if wrong else None,
        el(
            "p",
            el("span", "✓ exact", cls="tag good"),
            f" Every one of the {many(len(found.measured) * len(found.versions), 'reconstruction')} gave back the view "
            "that it was made from: canonical text compared.",
        )
        if found.measured and not wrong
        else None,
        table(("context", "in", "why"), rows[:ROWS_DRAWN]) if rows else el("p", "No context fell back.", cls="dim"),
        key="formats-fallbacks",
    )


def nothing_measured(found: Measurement) -> None:
    """Every context is a row with its reason."""
    panel(
        el(
            "div",
            el("p", "No context of this package holds a working view that can be measured; each says why below."),
            cls="card warn",
        ),
        key="formats-none",
    )
    made = tables.contexts(found)
    rows = [(_context(row), *cells[1:]) for row, cells in zip(found.contexts[:ROWS_DRAWN], made.rows, strict=False)]
    panel(table(made.heads, rows, numbers=range(3, len(made.heads) - 2)), key="formats-contexts")
