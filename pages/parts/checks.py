"""How far a package is verified, and what was found wrong: never *verified* before everything was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from . import state
from .panel import Node, el, panel
from .sizes import many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.model import Problem

_EVERY = 0.7


def badge() -> None:
    """The badge of the sidebar; while the check is running it counts on by itself."""
    _, checked, total = state.problems()
    if checked >= total:
        _draw()
    else:
        st.fragment(_count, run_every=_EVERY)()


def _count() -> None:
    """Count on; once everything is checked the whole page is drawn again, with what was found."""
    _, checked, total = state.problems()
    if checked >= total:
        st.rerun()
    _draw()


def _draw() -> None:
    found, checked, total = state.problems()
    panel(el("div", *tags(found, checked, total), cls="row"), key="ii-checked")


def tags(found: Sequence[Problem], checked: int, total: int) -> list[Node]:
    """How far it is checked, and the problems found so far."""
    errors = sum(problem.severity == "error" for problem in found)
    warnings = len(found) - errors
    made: list[Node] = []
    if checked >= total:
        tip = "Hashes, references and shapes of every record were checked."
        made.append(el("span", f"Checked {checked:,} of {total:,}", cls="tag good", tip=tip))
    else:
        tip = "Hashes and references are being checked behind it; until then nothing is called verified."
        made.append(el("span", f"Not yet checked: {checked:,} of {total:,}", cls="tag warn", tip=tip))
    if errors:
        made.append(el("span", many(errors, "problem"), cls="tag bad"))
    if warnings:
        made.append(el("span", many(warnings, "warning"), cls="tag warn"))
    if not found and checked >= total:
        made.append(el("span", "No problems", cls="tag"))
    return made
