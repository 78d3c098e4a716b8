"""One view in two encodings beside each other: a line that is clicked on one side is shown on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import InspectorError
from core.wording import key_text

from . import asked, frame, holding, links, measured, state, viewer
from .panel import el, panel
from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.codec.shared_lines import Beside, Item

    from .panel import Node


def side_names(names: tuple[str, ...]) -> tuple[str, str]:
    """The two encodings that stand beside each other."""
    given = state.view()["sides"]
    if given is not None and all(name in asked.ENCODINGS for name in given):
        return given[0], given[1]
    if given is not None:
        unknown = ", ".join(name for name in given if name not in asked.ENCODINGS)
        frame.note(f"There is no encoding {unknown} here yet.", key="formats-unknown-side")
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
