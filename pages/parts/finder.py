"""Searching all prompts of a run: distinct messages, each with the decisions whose prompts hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from core.canonical import utf8
from core.wording import key_text

from . import state
from .panel import el, panel
from .sizes import many
from .tables import table

if TYPE_CHECKING:
    from core.model import DecisionKey
    from core.search import Result

    from .panel import Node

_DRAWN: Final = 60
_RUNS: Final = 8
_AROUND: Final = 60
"""Bytes shown on each side of the first place."""


def everywhere() -> None:
    """A box for a text, and where it stands in all prompts."""
    with st.expander("Search all prompts"):
        text = st.text_input(
            "Text to look for in every prompt",
            key="finder-text",
            max_chars=500,
            placeholder="a text; case does not count",
            label_visibility="collapsed",
        )
        if text:
            _results(text)


def _results(text: str) -> None:
    found, more = state.search(text)
    if not found:
        panel(el("p", "No prompt holds this text.", cls="dim"), key="finder-none")
        return
    rows = [(_present(result, text), f"{result.count:,}", result.role, _excerpt(result)) for result in found[:_DRAWN]]
    counted = f"{many(len(found), 'distinct message')}{' and more' if more else ''} with this text"
    drawn = f"; the first {_DRAWN} are drawn" if len(found) > _DRAWN else ""
    panel(
        el("p", f"{counted}{drawn}.", cls="dim small"),
        table(("in the prompts of", "places", "role", "first place"), rows, numbers=(1,)),
        key="finder-results",
    )


def _present(result: Result, text: str) -> Node:
    """Runs of decisions, each a link to its first one with the text marked there."""
    links = [_link(first, last, text) for first, last in result.present[:_RUNS]]
    rest = len(result.present) - len(links)
    return el("span", *links, f" and {rest:,} more runs" if rest > 0 else None, cls="row")


def _link(first: DecisionKey, last: DecisionKey, text: str) -> Node:
    said = key_text(first) if first == last else f"{key_text(first)} to {key_text(last)}"

    def follow() -> None:
        state.change(decision=first, fragment=None)
        state.find_in_prompt(text.lower())  # the viewer ignores case where no letter is a capital

    return el("a", said, act=follow, href=state.href("decisions", decision=first, fragment=None))


def _excerpt(result: Result) -> Node:
    data = utf8(state.investigation().messages[result.message].text)
    start, end = result.places[0]
    before = data[max(0, start - _AROUND) : start].decode("utf-8", "ignore")
    after = data[end : end + _AROUND].decode("utf-8", "ignore")
    hit = data[start:end].decode("utf-8", "replace")
    return el("span", before, el("mark", hit), after, cls="any mono")
