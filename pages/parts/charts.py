"""Plotly figures, and how they are drawn: our colours, inert labels, clicks. Not for the Decisions page (4.7 MB of script)."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Final

import plotly.graph_objects as go
import streamlit as st

from core.limits import KIB
from core.wording import key_text

from .palette import BLOCKS, BLUE, COMPONENTS, GREEN, GREY, ORANGE, VERMILION
from .sizes import exact, many, size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.compare import Row
    from core.model import Limits
    from core.tally import Bar
    from core.what_if import Weight

MOST_BARS: Final = 2_000
_TOP: Final = ("instructions", "system")
_NAMED_BLOCKS: Final = 12
_LABEL: Final = 60
_TICKS: Final = 6
_THIN: Final = 40
"""Points from which marks are drawn small and not every one is named at the axis."""
_THIN: Final = 60
"""From so many bars on they stand side by side."""


def label(text: str) -> str:
    """Any text as a chart shows it, character for character: plotly reads a few HTML tags and `%{...}` in labels."""
    shown = text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
    plain = "".join(character if character.isprintable() else "\ufffd" for character in shown)
    return html.escape(plain, quote=False).replace("%{", "%\u2060{").replace("$", "\uff04")


def draw(figure: go.Figure, *, key: str, alt: str, on_click: Callable[[int], None] | None = None) -> None:
    """Draw a figure; a click gives the `customdata` of the point, a whole number."""

    def clicked() -> None:
        points = st.session_state[key]["selection"]["points"]
        chosen = _number(points[0].get("customdata")) if points else None
        if chosen is not None and on_click is not None:
            on_click(chosen)

    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        on_select=clicked if on_click else "ignore",
        selection_mode="points",
        config={"displayModeBar": False, "scrollZoom": False},
    )


def _number(found: Any) -> int | None:
    if isinstance(found, dict):
        found = next(iter(found.values()), None)
    if isinstance(found, list | tuple):
        found = found[0] if found else None
    return found if isinstance(found, int) else None


def budget(bars: Sequence[Bar], limits: Limits, height: int = 320, recorded: Sequence[int] | None = None) -> go.Figure:
    """Prompt bytes of each decision by component; `recorded`: whole sizes to mark beside them, where bars are replayed.

    Instructions stand on top, so that what counts against the context budget stands below its line; the limit of the
    whole prompt is compared with the whole bar.
    """
    names = list(dict.fromkeys(name for bar in bars for name in bar.sizes))
    blocks = [name for name in names if name.startswith("block ")]
    ordered = [name for name in names if name not in _TOP and name not in blocks]
    figure = go.Figure()
    for name in ordered:
        _add(figure, bars, *COMPONENTS.get(name, (name, GREY)), [name])
    for place, name in enumerate(blocks[:_NAMED_BLOCKS]):
        _add(figure, bars, name, BLOCKS[place % len(BLOCKS)], [name])
    if len(blocks) > _NAMED_BLOCKS:
        rest = blocks[_NAMED_BLOCKS:]
        _add(figure, bars, f"{len(rest)} more blocks", GREY, rest)
    for name in (each for each in names if each in _TOP):
        _add(figure, bars, *COMPONENTS[name], [name])
    top = max((bar.total for bar in bars), default=0)
    if recorded is not None:
        top = max([top, *recorded])
        _marks(figure, bars, recorded)
    for limit, text, color, dash in (
        (limits.prompt_bytes, "prompt limit", VERMILION, "dash"),
        (limits.context_bytes, "context budget", ORANGE, "dot"),
    ):
        if limit is not None:
            line = {"color": color, "width": 2, "dash": dash}
            figure.add_hline(y=limit, line=line)
            figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=f"{text}: {size(limit)}")
            top = max(top, limit)
    figure.update_layout(
        barmode="stack",
        bargap=0.25 if len(bars) < _THIN else 0,  # thin bars stand side by side
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.3, "yanchor": "top", "x": 0, "traceorder": "normal", "font": {"size": 11}},
        hovermode="closest",
        yaxis={"title": None, "range": [0, top * 1.12 or 1], **ticks(top)},
        xaxis={"title": {"text": "decision", "standoff": 4}, "type": "category", "nticks": 30},
    )
    return figure


def _marks(figure: go.Figure, bars: Sequence[Bar], recorded: Sequence[int]) -> None:
    hover = [
        f"decision {key_text(bar.key)}<br>recorded: {exact(size)}" for bar, size in zip(bars, recorded, strict=True)
    ]
    figure.add_scatter(
        x=[_name(bar) for bar in bars],
        y=list(recorded),
        mode="markers",
        name="recorded size",
        marker={"color": "#ffffff", "symbol": "diamond", "size": 10, "line": {"width": 2, "color": "#111111"}},
        hovertext=hover,
        hoverinfo="text",
        customdata=list(range(len(bars))),
    )


def weights(found: Sequence[Weight], versions: Sequence[str], limit: int | None, height: int = 300) -> go.Figure:
    """Bytes of each context as stored and in each of `versions`, side by side, against the prompt limit."""
    figure = go.Figure()
    names = [key_text(each.key) for each in found]
    series = [("as stored", GREY, "", [each.stored for each in found])]
    for version, color, pattern in zip(versions, (BLUE, ORANGE, GREEN), ("/", "", "x"), strict=False):
        short = version.removeprefix("investigation_project_")
        series.append((short, color, pattern, [each.bytes.get(version) for each in found]))
    for name, color, pattern, sizes in series:
        figure.add_bar(
            x=names,
            y=sizes,
            name=name,
            marker={"color": color, "pattern": {"shape": pattern, "size": 7, "solidity": 0.25, "fillmode": "overlay"}},
            hovertext=[
                f"context {key}<br>{name}: {'not measured' if count is None else exact(count)}"
                for key, count in zip(names, sizes, strict=True)
            ],
            hoverinfo="text",
            customdata=list(range(len(found))),
        )
    top = max([0, *(count for _, _, _, sizes in series for count in sizes if count is not None)])
    if limit is not None:
        figure.add_hline(y=limit, line={"color": VERMILION, "width": 2, "dash": "dash"})
        line = {"color": VERMILION, "width": 2, "dash": "dash"}
        figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=f"prompt limit: {size(limit)}")
        top = max(top, limit)
    figure.update_layout(
        barmode="group",
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.2, "x": 0},
        hovermode="closest",
        yaxis={"title": None, "range": [0, top * 1.12 or 1], **ticks(top)},
        xaxis={"title": {"text": "context"}, "type": "category", "nticks": 30},
    )
    return figure


def two_runs(rows: Sequence[Row], names: Sequence[tuple[str | None, str | None]], height: int = 240) -> go.Figure:
    """Prompt bytes of two aligned runs: a circle left, a diamond right, pair by pair. A click gives 2n left, 2n + 1 right."""
    figure = go.Figure()
    top = 0
    sides = (("left", BLUE, "circle", "solid"), ("right", ORANGE, "diamond", "dot"))
    for side, (word, color, symbol, dash) in enumerate(sides):
        sizes = [row.right_bytes if side else row.left_bytes for row in rows]
        top = max([top, *(count for count in sizes if count is not None)])
        figure.add_scatter(
            x=list(range(1, len(rows) + 1)),
            y=sizes,
            mode="lines+markers",
            name=word,
            line={"color": color, "width": 1.5, "dash": dash},
            marker={"color": color, "symbol": symbol, "size": 9 if len(rows) < _THIN else 5},
            hovertext=[
                "" if count is None else f"{word}: decision {names[place][side]}<br>{exact(count)}"
                for place, count in enumerate(sizes)
            ],
            hoverinfo="text",
            customdata=[2 * place + side for place in range(len(rows))],
        )
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.25, "x": 0},
        hovermode="closest",
        yaxis={"title": None, "range": [0, top * 1.12 or 1], **ticks(top)},
        xaxis={"title": {"text": "pair"}, "dtick": 1 if len(rows) < _THIN else None, "range": [0.5, len(rows) + 0.5]},
    )
    return figure


def ticks(top: int) -> dict[str, list[int] | list[str]]:
    """Round numbers of KB (of 1,024 bytes, as everywhere here), at most six."""
    step = KIB
    while top // step > _TICKS:
        step = step * 2 if str(step // KIB).startswith(("1", "5")) else step * 5 // 2
    values = list(range(0, top + step, step))
    return {"tickvals": values, "ticktext": ["0" if value == 0 else f"{value // KIB:,} KB" for value in values]}


def _add(figure: go.Figure, bars: Sequence[Bar], name: str, color: str, parts: Sequence[str]) -> None:
    sizes = [sum(bar.sizes.get(part, 0) for part in parts) for bar in bars]
    hover = [
        f"decision {_span(bar)}<br>{label(name)}: {exact(count)}<br>whole prompt: {exact(bar.total)}"
        for bar, count in zip(bars, sizes, strict=True)
    ]
    figure.add_bar(
        x=[_name(bar) for bar in bars],
        y=sizes,
        name=label(name),
        marker={"color": color, "line": {"width": 0}},
        hovertext=hover,
        hoverinfo="text",
        customdata=list(range(len(bars))),
    )


def _name(bar: Bar) -> str:
    return key_text(bar.first) if bar.count > 1 else key_text(bar.key)


def _span(bar: Bar) -> str:
    if bar.count == 1:
        return key_text(bar.key)
    return (
        f"{key_text(bar.key)} (largest of {many(bar.count, 'decision')}, {key_text(bar.first)} to {key_text(bar.last)})"
    )
