"""What if: the run's own lookups under another policy or budget, and its contexts in other encodings. Delivery only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.matrix import telling
from core.model import Limits
from core.what_if import (
    body_text,
    holds_memory,
    holds_views,
    replay_bars,
    replay_matrix,
    weights,
)
from pages.parts import asked, charts, grid, labels, links, state
from pages.parts.panel import Node, el, panel
from pages.parts.sizes import exact
from pages.parts.tables import bounded, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.model import DecisionKey
    from core.replay import Replay
    from core.what_if import Budgets, Difference, Weight

state.through_app()

COLUMNS_DRAWN = 120
ROWS_DRAWN = 60
SIDE_BY_SIDE = 24
DIFFERENCES_DRAWN = 200
POLICIES = {"retain": "retain (repaired)", "overwrite": "overwrite (historical)"}
ENCODINGS = ("v4", "v5", "v6")

investigation = state.investigation()
limits = investigation.limits


def head() -> None:
    """What the page answers, and what it does not."""
    panel(
        el("h2", "What if"),
        el(
            "p",
            "What each prompt would have carried under another memory policy or budget, and would have weighed in another "
            "encoding. It answers delivery only, never what the model would have decided: what was asked stays what was "
            "asked, and no gate is switched off.",
            cls="dim",
        ),
        el("div", *labels.origins(investigation), labels.grade(state.diagnosis().grade), cls="row"),
        key="what-if-head",
    )


def missing(facts: Sequence[str]) -> None:
    """Facts that were needed and not recorded."""
    if facts:
        panel(
            el(
                "div",
                el("h4", "Missing facts"),
                *bounded(facts, lambda fact: el("p", fact, cls="any"), 20),
                cls="card warn",
            ),
            key="what-if-missing",
        )


def fingerprints() -> None:
    """Which policies and budgets reproduce what was recorded."""
    found = asked.replay_fingerprint(state.held())
    panel(
        el(
            "div",
            el("h4", "Fingerprint: what reproduces the recorded prompts"),
            el("p", f"{found.sentence}.", cls="any"),
            *(el("p", f"Excluded: {each}.", cls="dim small any") for each in found.excluded),
            cls="card",
        ),
        key="what-if-fingerprint",
    )


def controls(worth: Budgets) -> tuple[str, int | None]:
    """Policy and budget; both stand in the address. A budget of None is the recorded one."""
    policy, budget = state.view()["policy"], state.view()["budget"]
    left, right = st.columns([1.1, 1], gap="medium", vertical_alignment="bottom")
    with left:
        state.set_widget("what-if-policy", policy)
        st.segmented_control(
            "Policy",
            list(POLICIES),
            format_func=POLICIES.__getitem__,
            key="what-if-policy",
            on_change=lambda: state.change(policy=state.widget("what-if-policy") or policy),
        )
    with right:
        state.set_widget("what-if-budget", budget if budget is not None else worth.recorded)
        st.number_input(
            "Budget for base context, ledger and blocks (bytes)",
            min_value=0,
            max_value=10**12 - 1,
            step=100,
            key="what-if-budget",
            placeholder="no budget is recorded: give one",
            on_change=_budget_given,
        )
    tries = [
        ("recorded", None, worth.recorded),
        ("smallest that keeps every body whole under retain", worth.all_whole, worth.all_whole),
    ]
    panel(
        el(
            "div",
            *(
                el(
                    "a",
                    f"{word}: {exact(count)}",
                    act=lambda target=target: state.change(budget=target),
                    href=state.href("what_if", budget=target),
                    current=target == budget and (target is not None or budget is None),
                )
                for word, target, count in tries
                if count is not None
            ),
            cls="row pick",
        ),
        key="what-if-tries",
    )
    return policy, budget


def _budget_given() -> None:
    given = state.widget("what-if-budget")
    state.change(budget=None if given is None or given == limits.context_bytes else int(given))


def replayed(policy: str, budget: int | None) -> None:
    """The replay in a sentence, as budget chart and as matrix, with what differs from the record."""
    found = asked.replayed(state.held(), policy, budget)
    told = asked.replay_told(state.held(), policy, budget, DIFFERENCES_DRAWN)
    panel(
        el(
            "div",
            el("h4", "What would have been delivered"),
            el("p", told.sentence, cls="verdict any"),
            cls=f"card {'info' if told.count else 'good'}",
        ),
        key="what-if-sentence",
    )
    if not found.prompts:
        return
    if len(investigation.decisions) <= SIDE_BY_SIDE:
        left, right = st.columns([1, 1.2], gap="medium")
        with left:
            budget_chart(found)
        with right:
            matrix(found)
    else:
        budget_chart(found)
        matrix(found)
    changes(found, told)


def budget_chart(found: Replay) -> None:
    """Prompt bytes as they would have been, with the recorded size of each as a mark."""
    made = replay_bars(found, asked.replay_history(state.held()), charts.MOST_BARS)
    bars, recorded = [bar for bar, _ in made], [size for _, size in made]
    panel(
        el("h3", "Prompt sizes as replayed"),
        el(
            "p",
            "Bars: replayed; diamonds: the recorded size. The context budget counts all but the instructions, which stand "
            "on top. Click a bar to open its decision.",
            cls="dim small",
        ),
        key="what-if-chart-head",
    )
    charts.draw(
        charts.budget(bars, Limits(found.prompt_limit, found.context_bytes), recorded=recorded),
        key="what-if-chart",
        alt="Replayed prompt bytes of each decision by component, beside the recorded size",
        on_click=lambda place: state.go("decisions", decision=bars[place].key, fragment=None),
    )


def matrix(found: Replay) -> None:
    """The evidence matrix as replayed; cells that are not as recorded are marked."""
    every = len(investigation.decisions)
    columns = range(every)
    if every > COLUMNS_DRAWN:
        last = st.slider("Decisions shown, up to", COLUMNS_DRAWN, every, every, key="what-if-columns")
        columns = range(last - COLUMNS_DRAWN, last)
    rows = telling(asked.outlined(state.held()), state.diagnosis(), ROWS_DRAWN)
    made = replay_matrix(investigation, found, decisions=columns, fragments=rows)
    more = f" {len(made.rows):,} of {made.all_fragments:,} fragments." if len(made.rows) < made.all_fragments else ""
    panel(
        el("h3", "Evidence matrix as replayed"),
        el(
            "p", f"≠ marks what is not as recorded. Click a cell to see what was recorded there.{more}", cls="dim small"
        ),
        key="what-if-matrix-head",
    )
    grid.matrix(
        made,
        on_pick=_open,
        on_name=_open_life,
        unsent="not replayed, or would not have been sent",
        key="what-if-matrix",
    )
    panel(grid.legend(made), key="what-if-matrix-legend")


def _open(key: DecisionKey, fragment_id: str | None) -> None:
    state.go("decisions", decision=key, fragment=None if fragment_id is None else state.fragment_name(fragment_id))


def _open_life(fragment_id: str) -> None:
    state.go("evidence", fragment=state.fragment_name(fragment_id))


def changes(found: Replay, told: asked.Told) -> None:
    """Every difference from the record, and what would have stopped a prompt."""
    panel(el("h3", "Differences from the recording"), key="what-if-changes-head")
    notes = [(prompt.key, prompt.note) for prompt in found.prompts if prompt.note is not None]
    if not told.count:
        panel(el("p", "None: every prompt would have carried what was recorded.", cls="dim"), key="what-if-none")
    else:
        rows = [_difference(each, found) for each in told.differences]
        rest = told.count - len(rows)
        panel(
            table(("where", "fragment", "recorded", "replayed", "whole prompt as replayed"), rows, numbers=(4,)),
            el("p", f"{rest:,} more are not drawn.", cls="dim small") if rest else None,
            key="what-if-changes",
        )
    if notes:
        panel(
            *bounded(
                notes,
                lambda note: el("p", links.to_decision(note[0]), f": {note[1]}", cls="small any"),
                40,
            ),
            key="what-if-notes",
        )


def _difference(each: Difference, found: Replay) -> tuple[Node, ...]:
    prompt = found.prompt(each.key)
    link = links.to_decision(each.key, each.fragment)
    return (
        link,
        each.fragment,
        body_text(each.recorded),
        body_text(each.replayed),
        exact(prompt.prompt_bytes) if prompt else "",
    )


def encodings() -> None:
    """What each context would weigh in other encodings."""
    found = weights(asked.measured(state.held()), limits)
    chosen = [name for name in state.view()["formats"] if name in ENCODINGS]
    panel(
        el("h3", "In another encoding"),
        el(
            "p",
            "Bytes of all messages of each stored context, rejected and unused ones included, with the system instructions "
            "of the encoding: sizes of stored contexts, not of billed calls. Exact means that the stored view was restored "
            "from it, byte for byte.",
            cls="dim small",
        ),
        key="what-if-encodings-head",
    )
    state.set_widget("what-if-formats", chosen)
    st.pills(
        "Encodings",
        ENCODINGS,
        selection_mode="multi",
        key="what-if-formats",
        on_change=_formats_given,
        label_visibility="collapsed",
    )
    if limits.prompt_bytes is None:
        panel(
            el(
                "p",
                "No prompt limit is recorded (limits.prompt_bytes): nothing is said to be over one.",
                cls="card warn",
            ),
            key="what-if-no-limit",
        )
    charts.draw(
        charts.weights(found, [asked.ENCODINGS[name] for name in chosen], limits.prompt_bytes),
        key="what-if-weights",
        alt="Bytes of each stored context as stored and in the chosen encodings",
        on_click=lambda place: state.go("decisions", decision=found[place].key, fragment=None),
    )
    columns = ("context", "stored as", "stored", *chosen, "")
    rows = [_weight(each, chosen) for each in found[:DIFFERENCES_DRAWN]]
    rest = len(found) - len(rows)
    panel(
        table(columns, rows, numbers=range(2, 3 + len(chosen))),
        el("p", f"{rest:,} more are not drawn.", cls="dim small") if rest else None,
        key="what-if-weights-table",
    )


def _formats_given() -> None:
    given = state.widget("what-if-formats")
    if given:
        state.change(formats=tuple(name for name in ENCODINGS if name in given))


def _weight(each: Weight, chosen: Sequence[str]) -> tuple[Node, ...]:
    cells: list[Node] = []
    for name in chosen:
        version = asked.ENCODINGS[name]
        count = each.bytes.get(version)
        if count is None or each.stored is None:
            cells.append("")
            continue
        delta = count - each.stored
        over = el("span", "over the limit", cls="tag bad") if each.over[version] else None
        said = f" ({delta:+,})" if delta else " (as stored)"
        cells.append(el("span", f"{count:,}", el("span", said, cls="dim small"), over))
    inexact = [name for name in chosen if each.exact.get(asked.ENCODINGS[name]) is False]
    note = each.reason or (f"not exact: {', '.join(inexact)}" if inexact else "exact")
    stored = f"{each.stored:,}" if each.stored is not None else ""
    return links.to_decision(each.key), each.format.removeprefix("investigation_project_"), stored, *cells, note


def bounded_memory() -> None:
    """The part of the page that replays a memory."""
    past = asked.replay_history(state.held())
    worth = asked.replay_budgets(state.held())
    facts = list(past.missing)
    if limits.context_bytes is None:
        facts.append("No budget is recorded (limits.context_bytes): give one to replay with.")
    if limits.prompt_bytes is None:
        facts.append("No prompt limit is recorded (limits.prompt_bytes): whether a prompt is over one is not said.")
    if worth is None:
        missing(facts)
        return
    policy, budget = controls(worth)
    missing(facts)
    if budget is not None or limits.context_bytes is not None:
        replayed(policy, budget)
    fingerprints()


head()
if len(investigation.decisions) == 0:
    panel(
        el(
            "p",
            "This package holds no decisions, so there is nothing to replay. Open another one in the sidebar.",
            cls="card",
        ),
        key="what-if-empty",
    )
else:
    formats = asked.formats(state.held())
    if holds_views(formats):
        encodings()
    if holds_memory(formats) or not holds_views(formats):
        bounded_memory()
