"""Share: a report of the package in hand as one file that opens offline, without its content or with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.report import full_html, structural, structural_html
from pages.parts import asked, labels, state
from pages.parts.panel import el, panel
from pages.parts.sizes import many
from pages.parts.tables import table

if TYPE_CHECKING:
    from core.report import Secret

state.through_app()

LISTED = 300
SHOWN = 4  # characters of a likely secret that the list shows: enough to recognise it, not to use it

WITHOUT = (
    "Counts, sizes, states, causes and budget arithmetic; identities and hashes salted with a salt that is thrown away. No path, "
    "query, text, title or name is in it, and the diagnosis still holds."
)
WITH = (
    "Verdict, evidence matrix, prompt sizes and the decisions that matter, with their text. What looks like a secret is listed here "
    "first, and masked by its hash unless you choose otherwise. A pattern finds shapes: read the report before you send it."
)


def head() -> None:
    """What the page is for."""
    panel(
        el("h2", "Share"),
        el("p", "One file that opens offline in any browser and asks nothing of any host.", cls="dim"),
        el("div", *labels.origins(state.investigation()), labels.grade(state.diagnosis().grade), cls="row"),
        key="share-head",
    )


def without_content(name: str) -> None:
    """The structural report."""
    panel(el("h3", "Without content"), el("p", WITHOUT, cls="dim small"), key="share-structural")
    found = (state.investigation(), state.deliveries(), state.diagnosis())
    left, right, _ = st.columns((1, 1, 2))
    left.download_button(
        "Structural report (HTML)",
        lambda: structural_html(structural(*found)).encode(),
        file_name=f"{name}-structural.html",
        mime="text/html",
        key="share-structural-html",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        "Structural report (JSON)",
        lambda: as_json(structural(*found)),
        file_name=f"{name}-structural.json",
        mime="application/json",
        key="share-structural-json",
        on_click="ignore",
        width="stretch",
    )


def as_json(report: dict[str, Any]) -> bytes:
    """A structural report as the file that `report --format json` writes."""
    return (json.dumps(report, indent=1) + "\n").encode()


def with_content(name: str) -> None:
    """The full report, and what looks like a secret in it."""
    secrets = asked.likely_secrets(state.held())
    panel(el("h3", "With content"), el("p", WITH, cls="dim small"), key="share-full")
    masked = listed(secrets) if secrets else ()
    if not secrets:
        panel(
            el("p", "Nothing in this run looks like a key, a token or an address.", cls="card"), key="share-no-secret"
        )
    found = (state.investigation(), state.deliveries(), state.diagnosis())
    left, _ = st.columns((1, 3))
    left.download_button(
        "Full report (HTML)",
        lambda: full_html(*found, masked).encode("utf-8", "backslashreplace"),
        file_name=f"{name}-report.html",
        mime="text/html",
        key="share-full-html",
        on_click="ignore",
        width="stretch",
    )


def listed(secrets: tuple[Secret, ...]) -> tuple[Secret, ...]:
    """Everything that looks like a secret, and those of them that are to be masked."""
    rows = [
        (
            each.kind,
            f"{each.text[:SHOWN]}…",
            f"{len(each.text):,}",
            f"{each.count:,}",
            each.hash,
            ", ".join(each.places),
        )
        for each in secrets[:LISTED]
    ]
    more = f" The first {LISTED} are listed; all are masked." if len(secrets) > LISTED else ""
    panel(
        el("p", f"{many(len(secrets), 'text')} that may be secret.{more}", cls="dim small"),
        table(("kind", "begins", "characters", "times", "hash", "where"), rows, numbers=(2, 3)),
        key="share-secrets",
    )
    # A choice is named by kind and hash only: a widget's label is no place for text from a package.
    choices = {f"{each.kind} {each.hash}": each for each in secrets[:LISTED]}
    shown = st.multiselect(
        "Leave these as they are", list(choices), key="share-unmasked", placeholder="mask everything"
    )
    open_ones = {choices[label].text for label in shown}
    return tuple(each for each in secrets if each.text not in open_ones)


def page() -> None:
    """The whole page."""
    name = state.view()["package"] or "package"
    head()
    without_content(name)
    with_content(name)


page()
