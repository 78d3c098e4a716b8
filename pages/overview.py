"""Overview: the verdict with its proof, the facts, the budget chart, the evidence matrix, findings and problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.matrix import matrix, telling
from core.wording import key_text
from pages.parts import cards, charts, checks, grid, jobs, labels, links, parts, state
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import many
from pages.parts.tables import table

if TYPE_CHECKING:
    from core.diagnosis import Diagnosis, Repeat
    from core.model import DecisionKey

state.through_app()

SIDE_BY_SIDE = 6
COLUMNS_DRAWN = 120
ROWS_DRAWN = 60
DRAWN = 300

investigation = state.investigation()
diagnosis = state.diagnosis_now()


def head(diagnosis: Diagnosis) -> None:
    """What is in hand, the verdict and its proof."""
    verdict = diagnosis.verdict
    causal = [repeat for repeat in diagnosis.repeats if repeat.cause == verdict.cause]
    named = [repeat for repeat in causal if repeat.decision == verdict.decision] or causal[-1:]
    tone = "bad" if verdict.stalled else "good" if verdict.decision else "info"
    panel(
        el("h2", investigation.title or "(no title)", cls="clamp", tip=investigation.title),
        el("div", *labels.origins(investigation), labels.grade(diagnosis.grade), cls="row"),
        el(
            "div",
            el("h4", "Verdict"),
            el("p", verdict.sentence, cls="verdict any"),
            *(cards.repeat_proof(repeat, _see(repeat), brief=True) for repeat in named[:1]),
            cls=f"card {tone}",
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
    jobs.behind(state.behind, key="overview-behind")


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
    causes = ", ".join(dict.fromkeys(labels.cause(repeat.cause) for repeat in repeats))
    checked_text = "every record checked" if checked >= total else f"not yet checked: {checked:,} of {total:,}"
    panel(
        el(
            "div",
            _fact(len(investigation.decisions), "decision", statuses),
            _fact(
                found.sent, "prompt sent", ", ".join(unsent) or ("all of them" if found.sent else ""), "prompts sent"
            ),
            _fact(len(investigation.fragments), "fragment", results),
            _fact(len(repeats), "repeat", causes or "no lookup was asked for again")
            if diagnosis
            else el("div", el("b", "..."), el("div", "repeats"), el("span", "not known yet")),
            _fact(len(problems), "problem", checked_text),
            cls="facts",
        ),
        key="overview-facts",
    )


def _fact(count: int, one: str, about: str, several: str | None = None) -> Node:
    word = one if count == 1 else several or f"{one}s"
    return el("div", el("b", f"{count:,}"), el("div", word), el("span", about))


def budget() -> None:
    """Prompt bytes per decision against the limits."""
    if state.bars_behind(charts.MOST_BARS) is not None:
        panel(el("h3", "Prompt sizes"), key="overview-budget-head")
        jobs.behind(lambda: state.bars_behind(charts.MOST_BARS), key="overview-budget-behind")
        return
    bars = state.prompt_bars(charts.MOST_BARS)
    limits = investigation.limits
    about = "Bytes of each prompt by component. Click a bar to open its decision."
    if limits.context_bytes is not None:
        about += " The context budget counts all but the instructions, which stand on top."
    if limits.prompt_bytes is None and limits.context_bytes is None:
        about += " No limit is recorded, so no line is drawn and nothing is said about a budget."
    if any(bar.count > 1 for bar in bars):
        about += f" Each bar is the largest of {many(bars[0].count, 'neighbouring decision')}."
    panel(el("h3", "Prompt sizes"), el("p", about, cls="dim small"), key="overview-budget-head")
    charts.draw(
        charts.budget(bars, limits),
        key="overview-budget",
        alt="Prompt bytes of each decision by component, against the prompt limit",
        on_click=lambda place: state.go("decisions", decision=bars[place].key, fragment=None),
    )


def evidence(diagnosis: Diagnosis) -> None:
    """One row a fragment, one column a decision."""
    every, total = len(investigation.decisions), len(investigation.fragments)
    if not total:
        panel(
            el("h3", "Evidence"),
            el("p", "This package holds no fragments: no lookup returned anything.", cls="dim"),
            key="overview-none",
        )
        return
    columns = _columns(every)
    found = matrix(
        investigation,
        state.deliveries(),
        diagnosis,
        decisions=columns,
        fragments=telling(investigation, diagnosis, ROWS_DRAWN),
    )
    about = "How each fragment stands in the prompt that was sent, read from its text. Click a cell to see it there, a name for its life."
    if len(found.rows) < total:
        about += f" {len(found.rows)} of {total:,} fragments: those of repeats and findings, then the latest."
    panel(el("h3", "Evidence matrix"), el("p", about, cls="dim small"), key="overview-matrix-head")
    grid.matrix(found, on_pick=_open, on_name=_open_life, key="overview-matrix")
    panel(grid.legend(found), key="overview-matrix-legend")


def _columns(every: int) -> range:
    if every <= COLUMNS_DRAWN:
        return range(every)
    last = st.slider("Decisions shown in the matrix, up to", COLUMNS_DRAWN, every, every, key="overview-columns")
    return range(last - COLUMNS_DRAWN, last)


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
parts.table_of(state.held())
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
elif diagnosis is not None:
    budget()
    evidence(diagnosis)
if diagnosis is not None:
    findings(diagnosis)
problems()
