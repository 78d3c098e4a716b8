"""Evidence: one fragment's life from request to repeat, its body in the parts that prompts received, and its files' lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.evidence import bands_of
from core.wording import lookup_text
from pages.parts import asked, grid, labels, life, state
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import exact, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.evidence import Cell, SourceFile, Summary
    from core.model import DecisionKey, Fragment

state.through_app()

LISTED = 80
FILES_LISTED = 60
SEARCH_FROM = 12
BANDS, COLUMNS = 60, 42
SHOW = {
    "all": "all",
    "repeated": "asked again",
    "dropped": "dropped",
    "cut": "cut",
    "never": "never received",
    "failed": "failed or unknown",
}

investigation = state.investigation()


def head() -> None:
    """What the page is for, and how sure its statements are."""
    panel(
        el("h2", "Evidence"),
        el(
            "p",
            "What one lookup returned: which prompts it stood in, where it was cut or dropped and by what, "
            "and who asked again. Every mark opens the decision with those bytes in sight.",
            cls="dim",
        ),
        el("div", *labels.origins(investigation), labels.grade(state.diagnosis().grade), cls="row"),
        key="evidence-head",
    )


def empty() -> None:
    """No fragments: say why, and what to do."""
    panel(
        el(
            "div",
            el("p", "This package holds no fragments: no lookup of it returned anything that was recorded."),
            el(
                "p",
                "Record results with PackageWriter.append_fragment, or open a run that asked for something in the "
                "sidebar. What its prompts carried is on the page Decisions.",
            ),
            cls="card",
        ),
        key="evidence-empty",
    )


def picker(every: Sequence[Summary], chosen: Fragment) -> None:
    """Fragments to choose from: search, filter, table."""
    shown = state.view()["show"]
    counts = {name: sum(SHOW[name] in each.concerns for each in every) for name in SHOW if name != "all"}
    counts["all"] = len(every)
    find = ""
    if len(every) > SEARCH_FROM:
        find = st.text_input(
            "Find fragments", key="evidence-find", placeholder="id, lookup, path", label_visibility="collapsed"
        )
    filters = [
        el(
            "a",
            f"{word} {counts[name]:,}",
            act=_filter(name),
            href=state.href("evidence", show=name),
            current=name == shown,
        )
        for name, word in SHOW.items()
        if counts[name] or name in ("all", shown)
    ]
    found = [each for each in every if (shown == "all" or SHOW[shown] in each.concerns) and each.matches(find)]
    rows = [_fragment_row(each, each.fragment == chosen.id) for each in found[:LISTED]]
    panel(
        el("div", *filters, cls="row small pick"),
        _fragments(rows)
        if rows
        else el("p", "No fragment matches. Choose another filter, or search for less.", cls="dim"),
        el("p", f"{len(found) - LISTED:,} more match: search for fewer.", cls="dim small")
        if len(found) > LISTED
        else None,
        key="evidence-picker",
    )


def _filter(name: str) -> object:
    return lambda: state.change(show=name)


def _fragments(rows: Sequence[Node]) -> Node:
    columns = (("fragment", ""), ("lookup, and how it stood in prompts", ""), ("bytes", "num"))
    top = el("tr", *(el("th", title, cls=cls) for title, cls in columns))
    return el("div", el("table", el("thead", top), el("tbody", *rows)), cls="scroll tall")


def _fragment_row(each: Summary, current: bool) -> Node:  # one caller
    name = state.fragment_name(each.fragment)

    def choose() -> None:
        state.change(fragment=name)

    tags = [el("span", word, cls=f"tag {life.CONCERN_TONES[word]}") for word in each.concerns]
    return el(
        "tr",
        el(
            "td",
            el("a", el("b", each.fragment, cls="clamp2"), act=choose, href=state.href("evidence", fragment=name)),
            cls="any",
        ),
        el("td", el("div", each.lookup, cls="any clamp2"), el("div", life.counts(each.states), *tags, cls="row")),
        el("td", f"{each.bytes:,}", cls="num"),
        act=choose,
        current=current,
    )


def one(fragment: Fragment) -> None:
    """The chosen fragment: what it is, and its life."""
    found, _ = asked.fragment_life(state.held(), fragment.id)
    panel(
        el(
            "div",
            el("h3", fragment.id, cls="any"),
            el("span", fragment.status, cls=f"tag {'good' if fragment.status == 'completed' else 'warn'}"),
            el("span", exact(fragment.byte_length), cls="tag"),
            cls="row",
        ),
        el("p", lookup_text(fragment.lookup), cls="any mono"),
        _sources(fragment),
        el("h4", "Its life"),
        life.timeline(found),
        key="evidence-life",
    )


def body(fragment: Fragment) -> None:
    """What it returned, in the parts that different prompts received."""
    found, parts = asked.fragment_life(state.held(), fragment.id)
    panel(
        el("h3", f"What {fragment.id} returned, and which prompts received which part", cls="any"),
        *life.body(found, parts, state.deliveries().keys),
        key="evidence-body",
    )


def _sources(fragment: Fragment) -> Node:
    if not fragment.sources:
        return el("p", "It names no file, so there is no map of lines for it.", cls="dim small")
    numbers = {each.path: each.number for each in asked.files(state.held())}
    nodes: list[Node] = []
    for source in fragment.sources[:12]:
        number = numbers[source.path]
        nodes.append(
            el(
                "a",
                f"{source.path} {source.start:,}-{source.end:,}",
                act=lambda number=number: state.change(file=number),
                href=state.href("evidence", file=number),
                tip=f"version {source.hash or 'without a hash'}",
                cls="any",
            )
        )
    rest = len(fragment.sources) - len(nodes)
    more = el("span", many(rest, "more range"), cls="dim") if rest > 0 else None
    return el("div", *nodes, more, cls="row small")


def lines(fragment: Fragment) -> None:
    """One file: its lines against decisions."""
    files = asked.files(state.held())
    if not files:
        panel(
            el("h3", "Lines against decisions"),
            el("p", "No fragment of this package names a file, so there is no map of lines.", cls="dim"),
            key="evidence-no-files",
        )
        return
    chosen = _file(files, fragment)
    found = asked.file_map(state.held(), chosen.number, BANDS, COLUMNS)
    notes = [f"{many(chosen.line_count, 'line')} returned by {many(len(chosen.fragments), 'fragment')}"]
    if len(chosen.versions) > 1:
        notes.append(f"{len(chosen.versions):,} versions, told apart by content hash")
    if not found.exact:
        notes.append("neighbouring lines or decisions are drawn together; a mixed cell is in part")
    version = chosen.versions[0].hash if len(chosen.versions) == 1 else None
    panel(
        el("h3", "Lines against decisions"),
        el("p", chosen.path, el("span", f"  {version}", cls="dim small") if version else None, cls="any mono"),
        el("p", f"{'; '.join(notes)}. Click a cell to open its decision with the bytes in sight.", cls="dim small"),
        key="evidence-lines-head",
    )
    if len(files) > 1:
        file_list(files, chosen)
    mine = bands_of(found, fragment)
    grid.lines(found, mine, on_pick=_open, on_head=_open_decision, key="evidence-lines")
    marked = el("span", el("b", "▌", cls="mine"), f" lines that {fragment.id} returned", cls="any") if mine else None
    panel(el("div", grid.lines_legend(found), marked, cls="row small legend"), key="evidence-lines-legend")


def _file(files: Sequence[SourceFile], fragment: Fragment) -> SourceFile:
    """The file that the address names, else the first of the fragment, else the first."""
    number = state.view()["file"]
    if number is not None:
        return files[number - 1]
    path = fragment.sources[0].path if fragment.sources else None
    return next((each for each in files if each.path == path), files[0])


def file_list(files: Sequence[SourceFile], chosen: SourceFile) -> None:
    """The files to choose from."""
    find = ""
    if len(files) > SEARCH_FROM:
        find = st.text_input("Find files", key="evidence-find-file", placeholder="path", label_visibility="collapsed")
    found = [each for each in files if find.casefold() in each.path.casefold()]
    panel(
        el(
            "div",
            *(
                el(
                    "a",
                    el("b", each.path.rpartition("/")[2] or each.path),
                    el("small", each.path) if "/" in each.path else None,
                    el("small", _about(each)),
                    act=lambda number=each.number: state.change(file=number),
                    href=state.href("evidence", file=each.number),
                    current=each.number == chosen.number,
                )
                for each in found[:FILES_LISTED]
            ),
            cls="list wide low",
        ),
        el("p", f"{len(found) - FILES_LISTED:,} more files match.", cls="dim small")
        if len(found) > FILES_LISTED
        else None,
        key="evidence-files",
    )


def _about(each: SourceFile) -> str:
    versions = f", {len(each.versions):,} versions" if len(each.versions) > 1 else ""
    return f"{many(each.line_count, 'line')}, {many(len(each.fragments), 'fragment')}{versions}"


def _open(cell: Cell) -> None:
    state.go("decisions", decision=cell.key, fragment=state.fragment_name(cell.fragment))


def _open_decision(key: DecisionKey) -> None:
    state.go("decisions", decision=key)


def telling(every: Sequence[Summary]) -> Fragment:
    """The fragment that is shown where the address names none: one that was asked for again, dropped, cut, else the first."""
    first = next((each for word in life.CONCERN_TONES for each in every if word in each.concerns), every[0])
    return investigation.fragments[first.place]


head()
if len(investigation.fragments) == 0:
    empty()
else:
    summaries = asked.fragment_summaries(state.held())
    fragment_shown = state.fragment() or telling(summaries)
    narrow, wide = st.columns([1, 1.35], gap="medium")
    with narrow:
        picker(summaries, fragment_shown)
    with wide:
        one(fragment_shown)
    lines(fragment_shown)
    body(fragment_shown)
