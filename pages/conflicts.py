"""Conflicts: where captures of one file snapshot disagree, the different records side by side. No winner is suggested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.canonical import canonical_text
from core.measure.tables import short
from core.wording import key_text
from pages.parts import frame, labels, links, measured, state
from pages.parts.panel import Node, el, panel
from pages.parts.records import conflict_of
from pages.parts.sizes import many
from pages.parts.tables import bounded

if TYPE_CHECKING:
    from core.conflict_index import ConflictIndex, ConflictingFile, ContextConflicts
    from core.conflicts import FileConflicts
    from core.model import DecisionKey

state.through_app()

FILES_DRAWN = 60
LINES_DRAWN = 30
LINES_LISTED = 80
LONGEST = 400

WHAT = (
    "Two captures of one snapshot of a file (the same metadata with its content hash, the same pinned origin) hold different "
    "records under one line number. The hash claims that this cannot be. A context keeps every record; none of them wins."
)
BUILT = (
    "This view was built: the recording holds no content hashes where it says edits:N, the number of edits of that path that "
    "the run had recorded before. Then these lines changed without a recorded edit, or were shown differently."
)


def head() -> None:
    """What the page shows."""
    investigation = state.investigation()
    panel(
        el("h2", "Conflicts"),
        el("p", f"{WHAT} This page puts them side by side and does not say which is right.", cls="dim"),
        el("div", *labels.origins(investigation), cls="row"),
        key="conflicts-head",
    )


def empty(found: ConflictIndex) -> None:
    """No conflict anywhere: what was looked at, and what a conflict would be."""
    looked = [each for each in found.contexts if each.reason is None]
    built = sum(each.built for each in looked)
    how = f", {built:,} of them in a view built from the results of its prompt" if built else ""
    panel(
        el(
            "div",
            el("h3", "No conflict"),
            el("p", f"{many(len(looked), 'context')} looked at{how}: all captures of one snapshot agree."),
            el("p", f"What would stand here: {WHAT[0].lower()}{WHAT[1:]}", cls="dim"),
            el("p", "The sample overlapping_reads has two, at lines 167 and 169 of one file.", cls="dim small"),
            cls="card good" if looked else "card warn",
        ),
        *unread(found),
        key="conflicts-empty",
    )


def unread(found: ConflictIndex) -> list[Node]:
    """Contexts that cannot be looked at, with their reasons."""
    rows = [each for each in found.contexts if each.reason is not None]
    if not rows:
        return []
    return [
        el("h4", f"{many(len(rows), 'context')} that cannot be looked at"),
        *bounded(rows, lambda each: el("p", links.to_decision(each.key), f": {each.reason}", cls="small any"), 20),
    ]


def chosen(found: ConflictIndex) -> tuple[ConflictingFile, int | None]:
    """The file and line of the address; what is not there is said, and the nearest is shown."""
    given = state.view()["conflict"]
    if given is None:
        here = found.context(state.view()["decision"])
        first = measured.file_of(found, here.files[0]) if here is not None and here.files else found.files[0]
        return first, None
    number, line = given
    file = found.files[min(number, len(found.files)) - 1]
    if number > len(found.files):
        frame.note(
            f"There is no file {number:,} with conflicts here; {file.number:,} is the last of {len(found.files):,}.",
            key="conflicts-no-file",
        )
        state.correct(conflict=(file.number, None))
        return file, None
    if line is not None and line not in file.lines:
        nearest = min(file.lines, key=lambda each: abs(each - line))
        frame.note(
            f"Line {line:,} of this file is in no conflict; {nearest:,} is the nearest that is.",
            key="conflicts-no-line",
        )
        state.correct(conflict=(file.number, nearest))
        return file, nearest
    return file, line


def context_shown(found: ConflictIndex, file: ConflictingFile, line: int | None) -> ContextConflicts:
    """The context of the decision in view if it holds this conflict, else the nearest one that does."""
    keys = file.keys if line is None else file.lines[line]
    wanted = state.view()["decision"]
    key = wanted if wanted in keys else min(keys, key=lambda each: (abs(each[0] - wanted[0]), abs(each[1] - wanted[1])))
    context = found.context(key)
    return context if context is not None else found.contexts[0]


def listed(found: ConflictIndex, file: ConflictingFile, line: int | None) -> None:
    """The files that disagree, with their lines."""
    nodes = bounded(found.files, lambda each: _file(each, file, line), FILES_DRAWN)
    panel(el("h4", f"{many(len(found.files), 'file')} with conflicts"), *nodes, *unread(found), key="conflicts-files")


def _file(each: ConflictingFile, file: ConflictingFile, line: int | None) -> Node:
    current = each.number == file.number
    lines = list(each.lines)[:LINES_LISTED]
    rest = len(each.lines) - len(lines)
    return el(
        "div",
        el("div", el("b", each.path, cls="any"), cls="any"),
        el("p", *(f"{name} {value[:24]}" for name, value in each.identity.items()), cls="dim small any"),
        el("p", f"{many(len(each.lines), 'line')} in {many(len(each.keys), 'context')}", cls="small"),
        el(
            "div",
            _pick("all lines", (each.number, None), current=current and line is None),
            *(_pick(f"{number:,}", (each.number, number), current=current and line == number) for number in lines),
            el("span", f"{rest:,} more", cls="dim") if rest else None,
            cls="row pick",
        ),
        cls=f"card {'info' if current else ''}",
    )


def _pick(word: str, conflict: tuple[int, int | None], *, current: bool) -> Node:
    target = None if conflict[1] is not None and abs(conflict[1]) >= 10**18 else conflict
    return el(
        "a",
        word,
        act=lambda: state.change(conflict=target),
        href=state.href("conflicts", conflict=target),
        current=current,
    )


def about(file: ConflictingFile, line: int | None, context: ContextConflicts, held: FileConflicts) -> None:
    """The file, what claims its identity, and the contexts in which it disagrees."""
    keys = file.keys if line is None else file.lines[line]
    wanted: DecisionKey = state.view()["decision"]
    moved = (
        el(
            "p",
            f"The view of decision {key_text(wanted)} does not hold this; decision {key_text(context.key)} is shown.",
        )
        if wanted != context.key
        else None
    )
    names = " and ".join(held.identity) or "content identity"
    agreeing = ", ".join(map(short, context.agreeing))
    wrong = ", ".join(map(short, context.differing))
    panel(
        el(
            "div",
            el("h3", held.path, cls="any mono"),
            el("span", "built, not recorded", cls="tag warn") if context.built else None,
            el("span", f"the same from {agreeing}", cls="tag good", tip="Worked out from the view in each encoding."),
            el("span", f"NOT the same from {wrong}", cls="tag bad") if wrong else None,
            cls="row",
        ),
        moved,
        el(
            "p",
            f"The {names} claims that all {many(len(held.captures), 'capture')} saw identical content. They did not: "
            f"{_list(held.conflicting_lines)} (conflicting_lines).",
        ),
        el("p", BUILT, cls="dim small") if context.built else None,
        el(
            "dl",
            *(
                node
                for name, value in held.identity.items()
                for node in (el("dt", name), el("dd", value, cls="any mono"))
            ),
            el("dt", "origin"),
            el("dd", canonical_text(dict(held.origin))[:LONGEST], cls="any mono"),
            el("dt", "stored as"),
            el("dd", "nothing: a view built from the results of this prompt" if context.built else context.format),
        ),
        el(
            "div",
            el("span", "in the view of decision", cls="dim"),
            *(
                el(
                    "a",
                    key_text(key),
                    act=lambda key=key: state.change(decision=key),
                    href=state.href("conflicts", decision=key),
                    current=key == context.key,
                )
                for key in keys[:LINES_LISTED]
            ),
            links.to_decision(context.key, text=f"open decision {key_text(context.key)} →"),
            cls="row pick small",
        ),
        key="conflicts-about",
    )


def _list(lines: list[int]) -> str:
    """`lines 167 and 169 differ`; of many the first twelve, and how many more."""
    if len(lines) == 1:
        return f"line {lines[0]} differs"
    shown = [str(line) for line in lines[:12]]
    rest = len(lines) - len(shown)
    last = f"{rest:,} more" if rest else shown.pop()
    return f"lines {', '.join(shown)} and {last} differ"


def page(found: ConflictIndex) -> None:
    """One file's conflicts."""
    file, line = chosen(found)
    context = context_shown(found, file, line)
    held = next(each for each in context.files if measured.file_of(found, each).number == file.number)
    narrow, wide = st.columns([1, 2.6], gap="medium")
    with narrow:
        listed(found, file, line)
    with wide:
        about(file, line, context, held)
        shown = [each for each in held.lines if line is None or each.line == line]
        fragments = measured.evidence_fragments(state.held())
        panel(
            *bounded(shown, lambda each: conflict_of(each, context.key, fragments), LINES_DRAWN),
            key="conflicts-records",
        )


head()
if len(state.decisions()) == 0:
    panel(
        el(
            "p",
            "This package holds no decisions, so there is no context in which captures could disagree. Open another one in "
            "the sidebar.",
            cls="card",
        ),
        key="conflicts-no-decisions",
    )
else:
    index = measured.conflicts(state.held())
    if index.files:
        page(index)
    else:
        empty(index)
