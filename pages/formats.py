"""Formats: what stored contexts cost in each encoding of the working view, and one view in two encodings side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.codec import CODECS
from core.commands.measure import json_text
from core.errors import InspectorError
from core.measure import as_rows, tables
from core.measure.printed import BUILT, CAVEATS
from core.measure.tables import NO_TOKENS, context_name, saved, short
from core.spreadsheet import csv_text
from core.wording import key_text
from pages.parts import asked, charts, format_charts, frame, holding, labels, links, measured, state, viewer
from pages.parts.palette import VIEW_PARTS
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import many
from pages.parts.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.codec.shared_lines import Beside, Item
    from core.measure import ContextFigures, Measurement
    from core.measure.tables import Table

state.through_app()

ROWS_DRAWN = 300
TEXTS = {"all": "all messages", "user": "user text"}
UNITS = {"bytes": "bytes", "chars": "characters", "tokens": "tokens"}
VIEWS = {"recorded": "as recorded", "built": "built views"}
DIGITS = frozenset("0123456789,.%()- ")

investigation = state.investigation()


def head() -> None:
    """What the page shows, and what its figures are not."""
    panel(
        el("h2", "Formats"),
        el(
            "p",
            "What each stored context weighs in each encoding of the working view, with exact reconstruction proven on "
            "every one. No request is made.",
            cls="dim",
        ),
        el("div", *labels.origins(investigation), cls="row"),
        key="formats-head",
    )


def chosen_formats() -> tuple[str, ...]:
    """The encodings that the address names; those that this version does not know are said and left out."""
    named = state.view()["formats"]
    known = tuple(name for name in asked.ENCODINGS if name in named)
    if len(known) < len(named):
        unknown = ", ".join(name for name in named if name not in asked.ENCODINGS)
        known = known or tuple(asked.ENCODINGS)[-2:]
        frame.note(
            f"There is no encoding {unknown} here yet: {' and '.join(known)} are shown.", key="formats-unknown-encoding"
        )
        state.correct(formats=known)
    return known


def controls(found: Measurement, names: tuple[str, ...], *, tokens: bool, recorded: bool, views: bool) -> None:
    """Encodings, text, unit, and recorded or built views, all of them in the address; and the downloads."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        state.set_widget("formats-encodings", list(names))
        st.pills(
            "Encodings",
            list(asked.ENCODINGS),
            selection_mode="multi",
            key="formats-encodings",
            on_change=_encodings_given,
        )
        _switch("Text", TEXTS, "text", state.view()["text"])
        units = {name: word for name, word in UNITS.items() if tokens or name != "tokens"}
        _switch("Unit", units, "unit", unit_of(tokens=tokens))
        if views:
            _switch("Views", VIEWS, "views", "recorded" if recorded else "built")
        downloads(found)


def _switch(title: str, choices: dict[str, str], name: str, value: str) -> None:
    key = f"formats-{name}"
    state.set_widget(key, value)
    st.segmented_control(
        title,
        list(choices),
        format_func=choices.__getitem__,
        key=key,
        on_change=lambda: state.change(**{name: state.widget(key) or value}),
    )


def _encodings_given() -> None:
    given = state.widget("formats-encodings")
    if given:
        state.change(formats=tuple(name for name in asked.ENCODINGS if name in given), sides=None)


def unit_of(*, tokens: bool) -> str:
    """The unit of the address; bytes where it asks for tokens that cannot be counted."""
    unit: str = state.view()["unit"]
    if unit == "tokens" and not tokens:
        frame.note(f"{NO_TOKENS} Bytes are shown.", key="formats-no-tokens")
        state.correct(unit="bytes")
        return "bytes"
    return unit


def downloads(found: Measurement) -> None:
    """The same figures as files."""
    name = state.view()["package"] or "package"
    st.download_button(
        "JSON",
        json_text(found) + "\n",
        file_name=f"{name}-formats.json",
        mime="application/json",
        key="formats-json",
        on_click="ignore",
    )
    st.download_button(
        "CSV",
        csv_text(as_rows.heads(found), as_rows.rows(found)),
        file_name=f"{name}-formats.csv",
        mime="text/csv",
        key="formats-csv",
        on_click="ignore",
    )


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
        (_context(row), *cells[1:])
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
    left, right = st.columns(2, gap="medium")
    with left:
        panel(*drawn_table("By status", tables.statuses(found)), key="formats-statuses")
    with right:
        panel(
            *drawn_table(
                "Shared with the context before",
                tables.prefixes(found),
                "Providers cache prefixes: a smaller text whose tables move can cost more than a larger one that only grows.",
            ),
            key="formats-prefixes",
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
            (el("span", el("i", cls="key", tone=VIEW_PARTS[cells[0]][1]), cells[0], cls="nowrap"), *cells[1:])
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
            f" Every one of the {many(len(found.measured) * len(found.versions), 'reconstruction')} gave back the stored "
            "view: canonical text compared.",
        )
        if found.measured and not wrong
        else None,
        table(("context", "in", "why"), rows[:ROWS_DRAWN]) if rows else el("p", "No context fell back.", cls="dim"),
        key="formats-fallbacks",
    )


# --- one view in two encodings


def side_names(names: tuple[str, ...]) -> tuple[str, str]:
    """The two encodings that stand beside each other."""
    given = state.view()["sides"]
    if given is not None and all(name in asked.ENCODINGS for name in given):
        return given[0], given[1]
    if given is not None:
        frame.note(f"There is no encoding {' or '.join(given)} here yet.", key="formats-unknown-side")
        state.correct(sides=None)
    every = tuple(asked.ENCODINGS)
    last = names[-1]
    before = names[-2] if len(names) > 1 else next(name for name in reversed(every) if name != last)
    return (before, last) if every.index(before) < every.index(last) else (last, before)


def beside(names: tuple[str, ...]) -> None:
    """The view of the decision in view, twice."""
    decision = state.decision()
    if decision is None:
        return
    left, right = side_names(names)
    versions = (asked.ENCODINGS[left], asked.ENCODINGS[right])
    panel(
        el("h3", "The same view, twice"),
        el(
            "p",
            "The exact text of the view in two encodings, a row for each source line. Click a line: every place that "
            "carries it, on both sides, is marked and brought into sight.",
            cls="dim small",
        ),
        key="formats-beside-head",
    )
    beside_controls(left, right)
    try:
        found, built = measured.texts(state.held(), state.position(), versions)
    except InspectorError as error:
        frame.trouble("The view of this decision cannot be shown.", error, "Choose another decision above.")
        return
    line = chosen_line(found)
    panel(about_line(found, line, (left, right), built=built), key="formats-line")
    dones = []
    for number, column in enumerate(st.columns(2, gap="small")):
        with column:
            dones.append(text(number, versions, line))
    for done in dones:
        done()


def beside_controls(left: str, right: str) -> None:
    """Which decision, and which two encodings."""
    keys = list(holding.positions(state.held()))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        state.set_widget("formats-decision", keys.index(state.view()["decision"]))
        st.selectbox(
            "Decision",
            range(len(keys)),
            format_func=lambda place: key_text(keys[place]),
            key="formats-decision",
            on_change=lambda: state.change(decision=keys[state.widget("formats-decision")], line=None),
            width=160,
        )
        for title, key, value, other in (
            ("Left", "formats-left", left, right),
            ("Right", "formats-right", right, left),
        ):
            state.set_widget(key, value)
            st.selectbox(
                title,
                [name for name in asked.ENCODINGS if name != other],
                key=key,
                on_change=lambda: state.change(sides=(state.widget("formats-left"), state.widget("formats-right"))),
                width=110,
            )


def chosen_line(found: Beside) -> Item | None:
    """The line that the address names, as the first item of it."""
    given = state.view()["line"]
    if given is None:
        return None
    line = found.lines.get((given[0] - 1, given[1] - 1))
    if line is None:
        frame.note(f"This view has no line {given[1]:,} of record {given[0]:,}.", key="formats-no-line")
        state.correct(line=None)
    return line


def about_line(found: Beside, line: Item | None, names: Sequence[str], *, built: bool) -> Node:
    """How often the chosen line stands in each text."""
    decision = state.decision()
    link = links.to_decision(decision.key) if decision is not None else None
    tag = el("span", "built, not recorded", cls="tag warn") if built else None
    if line is None:
        shared = len(set(found.lines.values()))
        said = f"{many(len(found.lines), 'item')} of captures, {many(shared, 'distinct line')} in these two encodings."
        return el("div", tag, el("span", said), link, cls="row small")
    clear = {"line": None}
    places = []
    for name, side in zip(names, found.sides, strict=True):
        of = side.of(line)
        cost = sum(each.end - each.start for each in of)
        places.append(el("span", f"{name}: {many(len(of), 'place')}, {cost:,} B", cls="tag info"))
    first = found.sides[0].of(line)[0]
    return el(
        "div",
        tag,
        el("span", el("b", f"line {measured.line_name(line)}"), f" (record {line[0] + 1}, item {line[1] + 1})"),
        *places,
        el("code", found.sides[0].raw[first.start : first.end].decode("utf-8", "surrogatepass")[:400]),
        el("a", "clear", act=lambda: state.change(**clear), href=state.href("formats", **clear)),
        link,
        cls="row small",
    )


def text(number: int, versions: tuple[str, str], line: Item | None) -> viewer.Done:
    """One of the two texts."""
    held, place = state.held(), state.position()
    return viewer.text(
        measured.text_payload(held, place, versions, number),
        group=measured.text_group(held, place, versions[number], versions[1 - number]),
        focus=None if line is None else measured.line_name(line),
        nonce=state.nonce(),
        visit=state.visit(),
        on_pick=_picked,
        key=f"formats-{('left', 'right')[number]}-viewer",
    )


def _picked(name: str) -> None:
    record, _, item = name.partition(".")
    if record.isdigit() and item.isdigit():
        state.change(line=(int(record), int(item)))


# --- the page


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


def page() -> None:
    """The whole page."""
    names = chosen_formats()
    versions = tuple(asked.ENCODINGS[name] for name in names)
    held = state.held()
    stored = asked.formats(held)
    gaps = any(each not in CODECS for each in stored)
    asked_for = state.view()["views"]
    recorded = asked_for == "recorded" or (asked_for is None and any(each in CODECS for each in stored))
    built = gaps and not recorded
    found = measured.measured(held, versions, built=built)
    tokens = all(figures.user.tokens is not None for row in found.measured for figures in row.versions.values())
    tokens = tokens and bool(found.measured)
    controls(found, names, tokens=tokens, recorded=not built, views=gaps)
    caveats(found, built=built)
    text_name, unit = state.view()["text"], state.view()["unit"]
    if not found.measured:
        nothing_measured(found)
        return
    facts(found, text_name, unit)
    sizes(found, text_name, unit)
    totals(found)
    components(found)
    fallbacks(found)
    beside(names)


head()
if len(state.decisions()) == 0:
    panel(
        el(
            "p",
            "This package holds no decisions, so there is no context to measure. Open another one in the sidebar.",
            cls="card",
        ),
        key="formats-empty",
    )
else:
    page()
