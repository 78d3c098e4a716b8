"""Figures of the Formats page: sizes of each context, and of each component, in several encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import plotly.graph_objects as go

from core.measure.tables import context_name, short

from .charts import ticks
from .palette import BLUE, GREEN, GREY, ORANGE, PURPLE, VIEW_PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.measure import ContextFigures, Measurement, Size

LOOKS: Final = {"v4": (PURPLE, "x"), "v5": (BLUE, "/"), "v6": (ORANGE, "")}
_OTHER: Final = (GREEN, "\\")
_THIN: Final = 60
UNITS: Final = {"bytes": "B", "chars": "characters", "tokens": "tokens"}


def amount(size: Size, unit: str) -> int | None:
    """One of the three figures of a size; None for tokens that were not counted."""
    found: int | None = getattr(size, unit)
    return found


def sizes(found: Measurement, text: str, unit: str, height: int = 300) -> go.Figure:
    """Each measured context in each encoding side by side, and for all messages the stored text's own size as a diamond."""
    rows = found.measured
    names = [context_name(row) for row in rows]
    figure = go.Figure()
    top = 0
    for version in found.versions:
        color, pattern = LOOKS.get(short(version), _OTHER)
        counts = [amount(getattr(row.versions[version], text), unit) for row in rows]
        top = max([top, *(count for count in counts if count is not None)])
        figure.add_bar(
            x=names,
            y=counts,
            name=short(version),
            marker={
                "color": color,
                "pattern": {"shape": pattern, "size": 6, "fillmode": "overlay", "fgcolor": "rgba(255,255,255,.75)"},
            },
            hovertext=[_hover(row, short(version), count, unit) for row, count in zip(rows, counts, strict=True)],
            hoverinfo="text",
            customdata=list(range(len(rows))),
        )
    if text == "all":
        stored = [None if row.stored is None else amount(row.stored, unit) for row in rows]
        top = max([top, *(count for count in stored if count is not None)])
        figure.add_scatter(
            x=names,
            y=stored,
            mode="markers",
            name="as stored",
            marker={"color": "#ffffff", "symbol": "diamond", "size": 9, "line": {"width": 2, "color": "#111111"}},
            hovertext=[_hover(row, "as stored", count, unit) for row, count in zip(rows, stored, strict=True)],
            hoverinfo="text",
            customdata=list(range(len(rows))),
        )
    ticked = ticks(top) if unit == "bytes" else {}
    figure.update_layout(
        barmode="group",
        bargap=0.25 if len(rows) < _THIN else 0,
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.22, "x": 0},
        hovermode="closest",
        yaxis={"title": None, "range": [0, top * 1.12 or 1], "tickformat": ",", **ticked},
        xaxis={"title": {"text": "context"}, "type": "category", "nticks": 40},
    )
    return figure


def _hover(row: ContextFigures, what: str, count: int | None, unit: str) -> str:
    size = "unknown" if count is None else f"{count:,} {UNITS[unit]}"
    return f"context {context_name(row)}<br>{what}: {size}"


def parts(totals: Mapping[str, Mapping[str, int]], height: int = 210) -> go.Figure:
    """Bytes per component over all contexts: one bar an encoding, its components side by side along it."""
    figure = go.Figure()
    versions = list(totals)[::-1]  # the first one on top
    names = list(dict.fromkeys(name for counts in totals.values() for name in counts))
    top = max((sum(counts.values()) for counts in totals.values()), default=0)
    for name in names:
        color = VIEW_PARTS.get(name, ("", GREY))[1]
        counts = [totals[version].get(name, 0) for version in versions]
        figure.add_bar(
            y=[short(version) for version in versions],
            x=counts,
            orientation="h",
            name=name,
            marker={"color": color, "line": {"width": 0.5, "color": "rgba(255,255,255,.6)"}},
            hovertext=_part_hovers(name, versions, counts),
            hoverinfo="text",
        )
    ticked = ticks(top)
    figure.update_layout(
        barmode="stack",
        bargap=0.3,
        height=height + 20 * len(versions),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.2, "x": 0, "traceorder": "normal"},
        hovermode="closest",
        xaxis={"title": None, "range": [0, top * 1.02 or 1], **ticked},
        yaxis={"title": None, "type": "category"},
    )
    return figure


def _part_hovers(word: str, versions: Sequence[str], counts: Sequence[int]) -> list[str]:
    return [f"{short(version)}: {word}<br>{count:,} B" for version, count in zip(versions, counts, strict=True)]
