"""Colours, with a word and a letter or shape beside each: Okabe and Ito's palette, which colour-blind people tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

GREEN, ORANGE, SKY, BLUE = "#009e73", "#e69f00", "#56b4e9", "#0072b2"
VERMILION, PURPLE, YELLOW, GREY = "#d55e00", "#cc79a7", "#c9b800", "#8a94a3"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a stretch of a prompt is called, and its colour; a quiet one is coloured at the edge and in the legend only."""

    id: str
    label: str
    color: str
    quiet: bool = False


KINDS: Final = (
    Kind("instructions", "instructions", GREY, quiet=True),
    Kind("base", "base context", "#5d6b7e", quiet=True),
    Kind("heading", "headings", "#a58ad1", quiet=True),
    Kind("ledger", "ledger entries", BLUE),
    Kind("supplied", "supplied ranges", SKY),
    Kind("block", "blocks", GREEN),
    Kind("guidance", "cut here", ORANGE),
    Kind("view", "working view", "#5d6b7e", quiet=True),
    Kind("user", "user", "#5d6b7e", quiet=True),
    Kind("assistant", "assistant", GREY, quiet=True),
    Kind("tool_call", "tool calls", SKY),
    Kind("tool_result", "tool results", GREEN),
    Kind("summary", "summaries", PURPLE),
    Kind("placeholder", "placeholders", VERMILION),
    Kind("opaque", "not text", YELLOW),
    Kind("unparsed", "not the documented rendering", VERMILION),
    Kind("fragment", "fragments found", GREEN),
    Kind("line", "source lines of one capture", SKY),
    Kind("shared", "source lines that captures share", GREEN),
    Kind("kept", "kept", GREY, quiet=True),
    Kind("entered", "entered", GREEN),
    Kind("left", "left", VERMILION),
)
KIND_IDS: Final = tuple(kind.id for kind in KINDS)
KIND_OF_SPAN: Final = {
    "system": "instructions",
    "ledger": "heading",
    "block_heading": "heading",
    "ledger_entry": "ledger",
    "other": "user",
}
"""Kinds of `core.anatomy` that are drawn as another one."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is drawn: word, letter, colour, what it means in a sentence; `shape`: the state it is shaped like."""

    word: str
    letter: str
    color: str
    means: str
    shape: str = ""


STATES: Final = {
    "whole": Look("whole", "W", GREEN, "every byte of the body is in the prompt"),
    "cut": Look("cut", "C", ORANGE, "only the beginning of the body is in the prompt"),
    "overlap": Look("overlap", "O", SKY, "its own block is not there; some of its lines came through another fragment"),
    "marker_only": Look("marker only", "M", PURPLE, "the ledger or a marker names it; its body is not there"),
    "absent": Look("absent", "A", VERMILION, "neither the body nor a marker is in the prompt"),
    "coincidental": Look("coincidental", "?", YELLOW, "these bytes are there, but prove nothing"),
}

LINE_STATES: Final = {
    "received": Look("in the prompt", "W", GREEN, "every line asked for before stood in the prompt", "whole"),
    "part": Look("in part", "P", ORANGE, "some of these lines, or in some of these prompts", "cut"),
    "missing": Look("asked for, not there", "A", VERMILION, "asked for before, and not in the prompt", "absent"),
    "other_version": Look(
        "read again as another version",
        "V",
        PURPLE,
        "not there; another content of this file was read since",
        "marker_only",
    ),
}
"""How lines of a file stand in a prompt, on the map of a file."""

COMPONENTS: Final = {
    "instructions": ("instructions", "#b3bac4"),
    "system": ("system", "#b3bac4"),
    "base": ("base context", "#7d8997"),
    "ledger": ("ledger", BLUE),
    "supplied": ("supplied ranges", SKY),
    "view": ("working view", GREEN),
    "user": ("user", "#7d8997"),
    "assistant": ("assistant", "#a58ad1"),
    "tool_call": ("tool calls", SKY),
    "tool_result": ("tool results", GREEN),
    "summary": ("summaries", PURPLE),
    "placeholder": ("placeholders", VERMILION),
    "unparsed": ("not the documented rendering", VERMILION),
    "other": ("other", YELLOW),
}
"""Component of `core.anatomy.components` → its word and colour; blocks share their fragments' colours (`BLOCKS`)."""

VIEW_PARTS: Final = {
    "instructions": ("system instructions, and any other message beside the view", "#b3bac4"),
    "task": ("the view's task", YELLOW),
    "items": ("items of evidence records: inline, or their slices", GREEN),
    "shared_tables": ("the shared tables at the top: provenance, paths, FILEs, source lines, results", PURPLE),
    "provenance": ("metadata, origin and their references in the records", SKY),
    "queries": ("queries in the records", ORANGE),
    "results": ("results in the records, and references to shared ones", BLUE),
    "record_fields": ("every other field of a record", "#b8860b"),
    "view_fields": ("every other key of the view: budget, history", "#7d8997"),
    "structure": ("braces, brackets and commas between all of these", "#c4c9d0"),
}
"""Component of `core.measure.components` → what it is, and its colour."""

BLOCKS: Final = (GREEN, ORANGE, PURPLE, "#66c2a5", "#b8860b", "#8c6bb1")
"""Colours of blocks in the budget chart, by the fragment's place, repeated."""
