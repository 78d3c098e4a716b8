"""Overview: the verdict with its proof, the facts, the budget chart, the evidence matrix, findings and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.neighbours import neighbours
from core.tally import bars, lacks_text
from core.wording import causes_text, key_text
from pages.parts import asked, cards, charts, checks, grid, in_sight, jobs, labels, links, parts, state
from pages.parts.palette import PURPLE, VERMILION
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import many
from pages.parts.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.diagnosis import Diagnosis, Repeat
    from core.model import DecisionKey
    from core.neighbours import Column

state.through_app()

SIDE_BY_SIDE = 6
ONE_BY_ONE = 120
"""Decisions that the matrix draws one by one; of a longer run a part can be brought in sight."""
COLUMNS_DRAWN = 60
"""Columns of neighbouring decisions: so many stand beside each other without scrolling, each wide enough for a letter."""
ROWS_DRAWN = 60
DRAWN = 300

held = state.held()
investigation = held.investigation
measuring = asked.outlined_behind(held) is not None
diagnosis = None if measuring else state.diagnosis_now()
"""Prompts are measured first, which is quicker: both at once would share one interpreter."""


def head(diagnosis: Diagnosis) -> None:
    """What is in hand, the verdict and its proof."""
    verdict = diagnosis.verdict
    named = [] if verdict.repeat is None else [verdict.repeat]
    panel(
        el("h2", investigation.title or "(no title)", cls="clamp", tip=investigation.title),
        el("div", *labels.origins(investigation), labels.grade(diagnosis.grade), cls="row"),
        el(
            "div",
            el("h4", "Verdict"),
            el("p", verdict.sentence, cls="verdict any"),
            *(cards.repeat_proof(repeat, _see(repeat), brief=True) for repeat in named),
            cls=f"card {labels.verdict_tone(verdict)}",
        ),
        key="overview-head",
    )


def unfinished() -> None:
    """What is in hand, while its verdict is being worked out behind."""
    panel(
        el("h2", investigation.title or "(no title)", cls="clamp", tip=investigation.title),
        el("div", *labels.origins(investigation), cls="row"),
        el(
            "div",
            el("h4", "Verdict"),
            el(
                "p", "Not known yet. Every prompt is being searched for every fragment; the page fills as that is done."
            ),
            el("div", _to_decisions(), cls="row"),
            cls="card info",
        ),
        key="overview-unfinished",
    )
    jobs.behind(lambda: asked.outlined_behind(held) or state.behind(), key="overview-behind")


def _to_decisions() -> Node:
    return el("a", "Read the decisions meanwhile →", act=lambda: state.go("decisions"), href=state.href("decisions"))


def _see(repeat: Repeat) -> Node:
    return links.to_decision(repeat.decision, repeat.fragment, f"Open decision {key_text(repeat.decision)} →")


def facts() -> None:
    """Counts."""
    found = state.counts()
    problems, checked, total = state.problems()
    statuses = ", ".join(f"{count:,} {status}" for status, count in found.decisions.items())
    unsent = [f"{found.not_sent:,} not sent"] if found.not_sent else []
    unsent += [f"{found.sent_unknown:,} not known"] if found.sent_unknown else []
    results = ", ".join(f"{count:,} {status}" for status, count in found.fragments.items())
    repeats = diagnosis.repeats if diagnosis else ()
    causes = causes_text(repeats)
    checked_text = "every record checked" if checked >= total else f"not yet checked: {checked:,} of {total:,}"
    about_sent = ", ".join(unsent) or ("all of them" if found.sent else "")
    if investigation.prompts == "rebuilt":
        sent = _fact(found.sent, "request sent", "their prompts are put together from the transcript", "requests sent")
    else:
        sent = _fact(found.sent, "prompt sent", about_sent, "prompts sent")
    lacks = lacks_text(found.missing, len(investigation.decisions))
    panel(
        el(
            "div",
            _fact(len(investigation.decisions), "decision", statuses),
            sent,
            _fact(len(investigation.fragments), "fragment", results),
            _fact(len(repeats), "repeat", causes or "no lookup was asked for again")
            if diagnosis
            else el("div", el("b", "..."), el("div", "repeats"), el("span", "not known yet")),
            _fact(len(problems), "problem", checked_text),
            cls="facts",
        ),
        el("p", lacks, cls="small any") if lacks else None,
        key="overview-facts",
    )


def _fact(count: int, one: str, about: str, several: str | None = None) -> Node:
    word = one if count == 1 else several or f"{one}s"
    return el("div", el("b", f"{count:,}"), el("div", word), el("span", about))


def budget() -> None:
    """Prompt bytes per decision in sight against the limits."""
    run, places, limits = asked.outlined(held), state.span(), investigation.limits
    zooms = len(run) > ONE_BY_ONE or len(places) < len(run)
    if zooms:
        in_sight.controls(run.keys, diagnosis.verdict.decision if diagnosis else None)
    shown, groups = bars(run, places, charts.MOST_BARS), neighbours(places, charts.MOST_BARS)
    several = any(bar.count > 1 for bar in shown)
    known = investigation.prompts == "rebuilt" or bool(state.counts().missing)
    about = "Bytes of each prompt by component. Click a bar to open its decision."
    if known:
        about = "Known bytes of each prompt by component: what the recording lacks is not in them. Click a bar to open its decision."
    if several:
        about = f"Bytes of prompts by component. Each bar is the largest of {many(shown[0].count, 'neighbouring decision')}; click it to see them one by one."
    if limits.context_bytes is not None:
        about += " The context budget counts all but the instructions, which stand on top."
    if limits.prompt_bytes is None and limits.context_bytes is None:
        about += " No limit is recorded, so no line is drawn and nothing is said about a budget."
    marks = _marks(run.keys, groups) if zooms else []
    about += "".join(f" {mark.sign} {mark.name}." for mark in marks if mark.bars)
    panel(
        el("h3", "Known prompt sizes" if known else "Prompt sizes"),
        el("p", about, cls="dim small"),
        key="overview-budget-head",
    )

    def clicked(place: int) -> None:
        if len(groups[place]) > 1:
            in_sight.show(groups[place])
        else:
            state.go("decisions", decision=shown[place].key, fragment=None)

    def dragged(left: float, right: float) -> None:
        first, last = (max(0, min(round(end), len(groups) - 1)) for end in (left, right))
        in_sight.show(range(groups[first].start, groups[last].stop))

    charts.draw(
        charts.budget(shown, limits, marks=marks, known=known),
        key=f"overview-budget-{places.start}-{places.stop}" if zooms else "overview-budget",
        alt="Prompt bytes of each decision by component, against the prompt limit",
        on_click=clicked,
        on_drag=dragged if zooms else None,
    )


def _marks(keys: Sequence[DecisionKey], groups: Sequence[range]) -> list[charts.Mark]:
    """The bars of the verdict's decision and of repeats."""
    if diagnosis is None:
        return []
    again = {repeat.decision for repeat in diagnosis.repeats}
    signs = (
        ("asked again", "↻", VERMILION, again),
        ("the verdict's decision", "▼", PURPLE, {diagnosis.verdict.decision}),
    )
    return [
        charts.Mark(
            name,
            sign,
            color,
            tuple(number for number, group in enumerate(groups) if any(keys[place] in wanted for place in group)),
        )
        for name, sign, color, wanted in signs
    ]


def evidence(diagnosis: Diagnosis) -> None:
    """One row a fragment, one column a decision in sight, or several."""
    total = len(investigation.fragments)
    if not total:
        panel(
            el("h3", "Evidence"),
            el("p", "This package holds no fragments: no lookup returned anything.", cls="dim"),
            key="overview-none",
        )
        return
    places = state.span()
    wanted = held, places, ONE_BY_ONE if len(places) <= ONE_BY_ONE else COLUMNS_DRAWN, ROWS_DRAWN
    if asked.matrix_behind(*wanted) is not None:
        panel(el("h3", "Evidence matrix"), key="overview-matrix-head")
        jobs.behind(lambda: asked.matrix_behind(*wanted), key="overview-matrix-behind")
        return
    found = asked.evidence_matrix(*wanted)
    about = "How each fragment stands in the prompt that was sent, read from its text. Click a cell to see it there, a name for its life."
    if not found.exact:
        about = f"How each fragment stands in the prompts that were sent, read from their texts. Each column is {many(found.columns[0].count, 'neighbouring decision')}; click it to see them one by one."
    if len(found.rows) < total:
        about += f" {len(found.rows)} of {total:,} fragments: those of repeats and findings in sight, then the latest."
    marked = _told(found.columns, diagnosis.verdict.decision) if len(investigation.decisions) > ONE_BY_ONE else {}
    if marked:
        about += " ▼ the verdict's decision."
    panel(el("h3", "Evidence matrix"), el("p", about, cls="dim small"), key="overview-matrix-head")
    groups = neighbours(places, wanted[2])
    grid.matrix(
        found,
        on_pick=_open,
        on_zoom=lambda number: in_sight.show(groups[number]),
        on_name=_open_life,
        marked=marked,
        key="overview-matrix",
    )
    panel(grid.legend(found), key="overview-matrix-legend")


def _told(columns: Sequence[Column], told: DecisionKey | None) -> dict[int, str]:
    """The column of the verdict's decision."""
    if told is None:
        return {}
    here = [number for number, column in enumerate(columns) if column.first <= told <= column.last]
    return dict.fromkeys(here[:1], f"with decision {key_text(told)}, which the verdict is about")


def _open(key: DecisionKey, fragment_id: str | None) -> None:
    name = None if fragment_id is None else state.fragment_name(fragment_id)
    state.go("decisions", decision=key, fragment=name)


def _open_life(fragment_id: str) -> None:
    state.go("evidence", fragment=state.fragment_name(fragment_id))


def findings(diagnosis: Diagnosis) -> None:
    """Everything that was found, each with a way to its place."""
    rows = labels.finding_rows(diagnosis)
    panel(el("h3", "Findings"), key="overview-findings-head")
    if not rows:
        panel(el("p", "No repeat, pattern or disagreement was found.", cls="dim"), key="overview-findings-none")
        return
    drawn = [
        (
            el("span", row.kind, cls=f"tag {row.tone}"),
            row.sentence,
            links.to_decision(row.decision, row.fragment) if row.decision else "",
            row.fragment or "",
        )
        for row in rows[:DRAWN]
    ]
    more = el("p", f"{len(rows) - DRAWN:,} more are not drawn.", cls="dim small") if len(rows) > DRAWN else None
    panel(table(("kind", "what was found", "where", "fragment"), drawn), more, key="overview-findings")


def problems() -> None:
    """What is wrong with the package itself."""
    found, checked, total = state.problems()
    panel(
        el("h3", "Problems of the package"),
        el("div", *checks.tags(found, checked, total), cls="row"),
        key="overview-problems-head",
    )
    if found:
        rows = [
            (
                el("span", each.severity, cls=f"tag {'bad' if each.severity == 'error' else 'warn'}"),
                each.file or "the package",
                f"{each.line:,}" if each.line is not None else "",
                each.what,
                each.expected or "",
                each.found or "",
            )
            for each in found[:DRAWN]
        ]
        columns = ("", "file", "line", "what is wrong", "expected", "found")
        more = el("p", f"{len(found) - DRAWN:,} more are not drawn.", cls="dim small") if len(found) > DRAWN else None
        panel(table(columns, rows, numbers=(2,)), more, key="overview-problems")


if diagnosis is None:
    unfinished()
else:
    head(diagnosis)
facts()
parts.table_of(held)
if len(investigation.decisions) == 0:
    panel(
        el(
            "p",
            "This package holds no decisions. Record one with PackageWriter, or open another package in the sidebar.",
            cls="card",
        ),
        key="overview-empty",
    )
elif diagnosis is not None and len(investigation.decisions) <= SIDE_BY_SIDE:
    left, right = st.columns(2, gap="medium")
    with left:
        budget()
    with right:
        evidence(diagnosis)
elif not measuring:
    budget()
    if diagnosis is not None:
        evidence(diagnosis)
if diagnosis is not None:
    findings(diagnosis)
problems()
