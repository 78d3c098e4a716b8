"""Colours, with a word and a letter or shape beside each: Okabe and Ito's palette, which colour-blind people tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core import colors
from core.colors import BLUE, GREEN, GREY, KIND_OF_SPAN, ORANGE, PURPLE, SKY, SLATE, VERMILION, YELLOW
from core.delivery import NOT_RECORDED

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "KINDS",
    "KIND_IDS",
    "KIND_OF_SPAN",
    "LINE_STATES",
    "ORANGE",
    "PURPLE",
    "SKY",
    "SLATE",
    "STATES",
    "VERMILION",
    "VIEW_PARTS",
    "YELLOW",
    "Kind",
    "Look",
]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a stretch of a prompt is called, and its colour; a quiet one is coloured at the edge and in the legend only."""

    id: str
    label: str
    color: str
    quiet: bool = False


KINDS: Final = (
    *(Kind(name, word, color, quiet=name in colors.QUIET) for name, (word, color) in colors.KINDS.items()),
    Kind("fragment", "fragments found", GREEN),
    Kind("line", "source lines of one capture", SKY),
    Kind("shared", "source lines that captures share", GREEN),
    Kind("kept", "kept", GREY, quiet=True),
    Kind("entered", "entered", GREEN),
    Kind("left", "left", VERMILION),
)
"""What the viewer marks: the parts of a prompt (`core.colors`), and what it finds or compares."""
KIND_IDS: Final = tuple(kind.id for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is drawn: word, letter, colour, what it means in a sentence; `shape`: the state it is shaped like."""

    word: str
    letter: str
    color: str
    means: str
    shape: str = ""


STATES: Final = {
    "whole": Look("whole", "W", colors.STATES["whole"], "every byte of the body is in the prompt"),
    "cut": Look("cut", "C", colors.STATES["cut"], "only the beginning of the body is in the prompt"),
    "overlap": Look(
        "overlap",
        "O",
        colors.STATES["overlap"],
        "its own block is not there; some of its lines came through another fragment",
    ),
    "marker_only": Look(
        "marker only", "M", colors.STATES["marker_only"], "the ledger or a marker names it; its body is not there"
    ),
    "absent": Look("absent", "A", colors.STATES["absent"], "neither the body nor a marker is in the prompt"),
    "coincidental": Look(
        "coincidental", "?", colors.STATES["coincidental"], "these bytes are there, but prove nothing"
    ),
    "unknown": Look("unknown", "U", colors.STATES["unknown"], NOT_RECORDED),
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
