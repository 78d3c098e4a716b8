"""Plotly figures, and how they are drawn: our colours, inert labels, clicks. Not for the Decisions page (4.7 MB of script)."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import plotly.graph_objects as go
import streamlit as st

from core.colors import KINDS, component
from core.limits import KIB
from core.wording import key_text

from . import assets
from .events import event
from .palette import BLUE, GREEN, GREY, ORANGE, VERMILION
from .sizes import decision_name, exact, many

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.compare import Row
    from core.model import Limits
    from core.tally import Bar
    from core.what_if import Weight

MOST_BARS: Final = 300
"""Bars of one chart: where there are more prompts, each bar stands for neighbouring ones."""
_TOP: Final = "instructions"
_HATCHES: Final = {True: "", False: "/", None: "."}
_HATCH: Final = {"fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.85, "size": 7, "solidity": 0.45}
_UNSENT: Final = {False: "not sent", None: "not known whether it was sent"}
_LEGEND: Final = {
    "orientation": "h",
    "y": 1,
    "yanchor": "bottom",
    "yref": "paper",
    "x": 0,
    "traceorder": "normal",
    "font": {"size": 11},
}
"""Above the bars, where no title of an axis stands and a screen is not scrolled yet."""
_NAMED_BLOCKS: Final = 12
_LABEL: Final = 60
_TICKS: Final = 6
_CROWDED: Final = 40
"""Points from which marks are drawn small and not every one is named at the axis."""
_SIDE_BY_SIDE: Final = 60
"""From so many bars on they stand side by side, without a gap."""
_NAMED_BARS: Final = 30
"""Up to so many bars are each named at the axis; of more, round numbers are."""
_TICKS_ACROSS: Final = 12
_STEPS: Final = (1, 2, 5)
_POWERS: Final = tuple(10**power for power in range(16))
"""Round numbers are `_STEPS`, times one of these."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is to be found above some bars (numbers of them): a sign in a colour; the page says what it means."""

    name: str
    sign: str
    color: str
    bars: tuple[int, ...]


_CONFIG: Final = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}
_CLICKS = st.components.v2.component("investigation_inspector_chart_clicks", js=assets.read("chart_clicks.js"))


def label(text: str) -> str:
    """Any text as a chart shows it, character for character: plotly reads a few HTML tags and `%{...}` in labels."""
    shown = text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"
    plain = "".join(character if character.isprintable() else "\ufffd" for character in shown)
    return html.escape(plain, quote=False).replace("%{", "%\u2060{").replace("$", "\uff04")


def draw(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    on_click: Callable[[int], None] | None = None,
    on_drag: Callable[[float, float], None] | None = None,
) -> None:
    """Draw a figure; a click gives the `customdata` of the point, a whole number; dragging over it gives both ends on x.

    Streamlit tells of clicks or of drags, not of both: where it tells of drags, a component of ours tells of clicks.
    """
    if on_drag is not None:
        _draw_to_drag(figure, key, alt, on_click, on_drag)
        return

    def clicked() -> None:
        points = (event(key, "selection") or {}).get("points")
        chosen = _number(points[0].get("customdata")) if points else None
        if chosen is not None and on_click is not None:
            on_click(chosen)

    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        on_select=clicked if on_click else "ignore",
        selection_mode="points",
        config=_CONFIG,
    )


def _draw_to_drag(
    figure: go.Figure,
    key: str,
    alt: str,
    on_click: Callable[[int], None] | None,
    on_drag: Callable[[float, float], None],
) -> None:
    def dragged() -> None:
        boxes = (event(key, "selection") or {}).get("box")
        if boxes:
            ends = sorted(float(end) for end in boxes[0]["x"])
            on_drag(ends[0], ends[-1])

    def clicked() -> None:
        bar = event(f"{key}-clicks", "bar")
        chosen = _number(bar.get("bar")) if isinstance(bar, dict) else None
        if chosen is not None and on_click is not None:
            on_click(chosen)

    figure.update_layout(dragmode="select", selectdirection="h", clickmode="event")
    with st.container(gap=None):
        st.plotly_chart(figure, key=key, alt=alt, on_select=dragged, selection_mode="box", config=_CONFIG)
        _CLICKS(key=f"{key}-clicks", data={"chart": f"st-key-{key}"}, on_bar_change=clicked)


def _number(found: Any) -> int | None:
    if isinstance(found, dict):
        found = next(iter(found.values()), None)
    if isinstance(found, list | tuple):
        found = found[0] if found else None
    return found if isinstance(found, int) else None


def budget(
    bars: Sequence[Bar],
    limits: Limits,
    height: int = 320,
    recorded: Sequence[int] | None = None,
    marks: Sequence[Mark] = (),
    *,
    known: bool = False,
) -> go.Figure:
    """Prompt bytes of each decision by component; `recorded`: whole sizes to mark beside them, where bars are replayed.

    `known`: the recording lacks parts of the prompts, so that these are only the known bytes. A prompt that was not sent
    is hatched. Bars stand at 0, 1, 2, ... on the axis. `marks`: what is to be found above some of them.

    Instructions stand on top, so that what counts against the context budget stands below its line; the limit of the
    whole prompt is compared with the whole bar.
    """
    figure = go.Figure()
    top = _limits(figure, limits)
    whole = "known bytes" if known else "whole prompt"
    for name, kind, parts in _stacked(bars):
        _add(figure, bars, name, kind, parts, whole)
    top = max([top, *(bar.total for bar in bars)])
    if recorded is not None:
        top = max([top, *recorded])
        _marks(figure, bars, recorded)
    for sent, said in _UNSENT.items():
        if any(bar.sent is sent for bar in bars):
            pattern = {"shape": _HATCHES[sent], **_HATCH}
            figure.add_bar(x=[None], y=[None], name=said, marker={"color": GREY, "pattern": pattern}, hoverinfo="skip")
    for mark in marks:
        _above(figure, bars, mark, top * 1.06)
    figure.update_layout(
        barmode="stack",
        bargap=0.25 if len(bars) < _SIDE_BY_SIDE else 0,  # thin bars stand side by side
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend=_LEGEND,
        hovermode="closest",
        yaxis={"title": {"text": "known bytes"} if known else None, "range": [0, top * 1.12 or 1], **ticks(top)},
        xaxis={
            "title": {"text": "decision", "standoff": 4},
            "range": [-0.5, max(len(bars), 1) - 0.5],
            "showgrid": False,
            **decision_ticks(bars),
        },
    )
    return figure


def _limits(figure: go.Figure, limits: Limits) -> int:
    """A line for each recorded limit, to the byte in the legend; gives the highest."""
    top = 0
    for limit, text, color, dash in (
        (limits.prompt_bytes, "prompt limit", VERMILION, "dash"),
        (limits.context_bytes, "context budget", ORANGE, "dot"),
    ):
        if limit is not None:
            line = {"color": color, "width": 2, "dash": dash}
            figure.add_hline(y=limit, line=line)
            figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=f"{text}: {exact(limit)}")
            top = max(top, limit)
    return top


def _stacked(bars: Sequence[Bar]) -> list[tuple[str, str, list[str]]]:
    """What is stacked, from below: a name, its kind (`core.colors`), the components that it is. Each of a few blocks is by itself."""
    names = dict.fromkeys(name for bar in bars for name in bar.sizes)
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(component(name), []).append(name)
    made: list[tuple[str, str, list[str]]] = []
    for kind in sorted(kinds, key=lambda each: (each == _TOP, each == "block")):
        of = kinds[kind]
        if kind != "block":
            made.append((KINDS[kind][0], kind, of))
            continue
        made += [(name, kind, [name]) for name in of[:_NAMED_BLOCKS]]
        if len(of) > _NAMED_BLOCKS:
            made.append((f"{len(of) - _NAMED_BLOCKS} more blocks", kind, of[_NAMED_BLOCKS:]))
    return made


def _marks(figure: go.Figure, bars: Sequence[Bar], recorded: Sequence[int]) -> None:
    hover = [
        f"decision {decision_name(bar.key)}<br>recorded: {exact(size)}"
        for bar, size in zip(bars, recorded, strict=True)
    ]
    figure.add_scatter(
        x=list(range(len(bars))),
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
        figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=f"prompt limit: {exact(limit)}")
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
            marker={"color": color, "symbol": symbol, "size": 9 if len(rows) < _CROWDED else 5},
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
        xaxis={
            "title": {"text": "pair"},
            "dtick": 1 if len(rows) < _CROWDED else None,
            "range": [0.5, len(rows) + 0.5],
        },
    )
    return figure


def ticks(top: int) -> dict[str, list[int] | list[str]]:
    """Round numbers of KB (of 1,024 bytes, as everywhere here), at most six."""
    step = KIB
    while top // step > _TICKS:
        step = step * 2 if str(step // KIB).startswith(("1", "5")) else step * 5 // 2
    values = list(range(0, top + step, step))
    return {"tickvals": values, "ticktext": ["0" if value == 0 else f"{value // KIB:,} KB" for value in values]}


def _add(figure: go.Figure, bars: Sequence[Bar], name: str, kind: str, parts: Sequence[str], whole: str) -> None:
    """One component of every bar. Blocks have one colour and one line of the legend; thin gaps part them."""
    sizes = [sum(bar.sizes.get(part, 0) for part in parts) for bar in bars]
    hover = [
        f"decision {_span(bar)}{f', {_UNSENT[bar.sent]}' if bar.sent is not True else ''}"
        f"<br>{label(name)}: {exact(count)}<br>{whole}: {exact(bar.total)}"
        for bar, count in zip(bars, sizes, strict=True)
    ]
    word, color = KINDS[kind]
    shown = kind != "block" or not any(trace.legendgroup == kind for trace in figure.data)
    few = kind == "block" and len(bars) < _SIDE_BY_SIDE
    pattern = {"shape": [_HATCHES[bar.sent] for bar in bars], **_HATCH}
    figure.add_bar(
        x=list(range(len(bars))),
        y=sizes,
        name=label(name) if kind != "block" else word,
        legendgroup=kind if kind == "block" else None,
        showlegend=shown,
        marker={"color": color, "line": {"width": 1 if few else 0, "color": "#ffffff"}, "pattern": pattern},
        hovertext=hover,
        hoverinfo="text",
        customdata=list(range(len(bars))),
    )


def decision_ticks(bars: Sequence[Bar]) -> dict[str, list[int] | list[str]]:
    """Names at the axis: of every bar, or of those that hold a decision of a round number."""
    if len(bars) <= _NAMED_BARS:
        names = [decision_name(bar.first) if bar.count > 1 else decision_name(bar.key) for bar in bars]
        return {"tickvals": list(range(len(bars))), "ticktext": names}
    span = max(1, bars[-1].last[0] - bars[0].first[0])
    step = next(size * power for power in _POWERS for size in _STEPS if span <= size * power * _TICKS_ACROSS)
    values: list[int] = []
    texts: list[str] = []
    for place, bar in enumerate(bars):
        round_number = -(-bar.first[0] // step) * step
        if round_number <= bar.last[0] and (not texts or texts[-1] != f"{round_number:,}"):
            values.append(place)
            texts.append(f"{round_number:,}")
    return {"tickvals": values, "ticktext": texts}


def _above(figure: go.Figure, bars: Sequence[Bar], mark: Mark, height: float) -> None:
    figure.add_scatter(
        x=list(mark.bars),
        y=[height] * len(mark.bars),
        mode="text",
        text=mark.sign,
        textfont={"color": mark.color, "size": 14 if len(mark.bars) < _CROWDED else 10},
        showlegend=False,
        cliponaxis=False,
        hovertext=[f"{mark.name}<br>decision {_span(bars[place])}" for place in mark.bars],
        hoverinfo="text",
        customdata=list(mark.bars),
    )


def _span(bar: Bar) -> str:
    if bar.count == 1:
        return decision_name(bar.key)
    return f"{decision_name(bar.key)} (largest of {many(bar.count, 'decision')}, {decision_name(bar.first)} to {decision_name(bar.last)})"
