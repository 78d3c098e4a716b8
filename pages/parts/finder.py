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
"""Bytes shown on each side of a place."""


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
    told: set[str] = set()
    rows = [_row(result, text, told) for result in found[:_DRAWN]]
    counted = f"{many(len(found), 'distinct message')}{' and more' if more else ''} with this text"
    drawn = f"; the first {_DRAWN} are drawn" if len(found) > _DRAWN else ""
    panel(
        el("p", f"{counted}{drawn}. Each shows the first place that no message above it shows.", cls="dim small"),
        table(("in the prompts of", "places", "role", "place"), rows, numbers=(1,)),
        key="finder-results",
    )


def _row(result: Result, text: str, told: set[str]) -> tuple[Node, ...]:
    """One message, at a place with surroundings that are not in `told`, if it has one; adds its own to `told`."""
    data = utf8(state.investigation().messages[result.message].text)
    pieces = [_around(data, place) for place in result.places]
    shown = next((number for number, each in enumerate(pieces) if "".join(each) not in told), 0)
    told.update("".join(each) for each in pieces)
    before, hit, after = pieces[shown]
    excerpt = el("span", before, el("mark", hit), after, cls="any mono")
    return _present(result, text, result.places[shown][0]), f"{result.count:,}", result.role, excerpt


def _present(result: Result, text: str, start: int) -> Node:
    """Runs of decisions, each a link to its first one with the text marked there, at byte `start` of the message."""
    links = [_link(first, last, text, result.message, start) for first, last in result.present[:_RUNS]]
    rest = len(result.present) - len(links)
    return el("span", *links, f" and {rest:,} more runs" if rest > 0 else None, cls="row")


def _link(first: DecisionKey, last: DecisionKey, text: str, message: int, start: int) -> Node:
    said = f"decision {key_text(first)}" if first == last else f"decisions {key_text(first)} to {key_text(last)}"
    target = {"decision": first, "fragment": None, "mode": "received"}

    def follow() -> None:
        state.change(**target)
        # The viewer ignores case where no letter is a capital.
        state.find_in_prompt(text.lower(), state.place_in_prompt(first, message, start))

    return el("a", said, act=follow, href=state.href("decisions", **target), cls="nowrap")


def _around(data: bytes, place: tuple[int, int]) -> tuple[str, str, str]:
    start, end = place
    before = data[max(0, start - _AROUND) : start].decode("utf-8", "ignore")
    after = data[end : end + _AROUND].decode("utf-8", "ignore")
    return before, data[start:end].decode("utf-8", "replace"), after
