"""What each part of a prompt is called, and its colour: one table for the pages, the viewer, charts and the report.

Okabe and Ito's palette and three greys: parts that can stand in one prompt are told apart by people of every kind of
colour vision, on light and on dark ground. A word or a letter stands beside every colour all the same.
"""

from __future__ import annotations

from typing import Final

GREEN, ORANGE, SKY, BLUE = "#009e73", "#e69f00", "#56b4e9", "#0072b2"
VERMILION, PURPLE, YELLOW, GREY = "#d55e00", "#cc79a7", "#c9b800", "#8a94a3"
PALE, SLATE, STRAW = "#c4cad2", "#4d5a6b", "#ddcc77"

KINDS: Final = {
    "instructions": ("instructions", PALE),
    "base": ("base context", SLATE),
    "heading": ("headings", PURPLE),
    "ledger": ("ledger", BLUE),
    "supplied": ("supplied ranges", SKY),
    "block": ("blocks", GREEN),
    "guidance": ("cut here", ORANGE),
    "view": ("working view", SLATE),
    "user": ("user", BLUE),
    "assistant": ("assistant", PURPLE),
    "tool_call": ("tool calls", SKY),
    "tool_result": ("tool results", GREEN),
    "summary": ("summaries", ORANGE),
    "placeholder": ("placeholders", VERMILION),
    "opaque": ("not text", STRAW),
    "unparsed": ("not the documented rendering", VERMILION),
    "other": ("other", SLATE),
}
"""Kind of a stretch of a prompt → its word and its colour."""

KIND_OF_SPAN: Final = {
    "system": "instructions",
    "ledger": "heading",
    "block_heading": "heading",
    "ledger_entry": "ledger",
}
"""Kinds of `core.anatomy` spans that go by another name here; of its components only `system` does."""

QUIET: Final = frozenset({"instructions", "base", "heading", "view", "user", "assistant", "other"})
"""Kinds that are most of a prompt, or frame it: no ground is drawn behind their text."""

STATES: Final = {
    "whole": GREEN,
    "cut": ORANGE,
    "overlap": SKY,
    "marker_only": PURPLE,
    "absent": VERMILION,
    "coincidental": YELLOW,
    "unknown": GREY,
}
"""Delivery state → its colour."""


def component(name: str) -> str:
    """The kind that a component of `core.anatomy.components` is: `block f1` is a `block`, `system` are instructions."""
    kind = name.split(" ", 1)[0]
    kind = "instructions" if kind == "system" else kind
    return kind if kind in KINDS else "other"
