"""The pieces of a report page: inert text, tables, the budget chart, the page around them. Nothing is fetched."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..colors import KINDS, QUIET, STATES, component

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: no script, image, font, frame or connection, wherever it is opened."""

STYLE = (
    """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #f1f3f5; --line: #c8ced6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #15181c; --soft: #22272e; --line: #434b55; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 72rem;
  padding: 1.5rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
pre { background: var(--soft); border: 1px solid var(--line); padding: .7rem; white-space: pre-wrap;
  overflow-wrap: anywhere; max-height: 36rem; overflow: auto; }
table { border-collapse: collapse; font-size: .85rem; } th, td { border: 1px solid var(--line); padding: .15rem .4rem;
  text-align: left; vertical-align: top; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow: auto; max-width: 100%; } .verdict { border-left: 4px solid #d55e00; padding: .2rem .8rem;
  background: var(--soft); } .quiet { opacity: .75; } .legend span { margin-right: 1rem; white-space: nowrap; }
.odd { outline: 1px dotted; } .found { outline: 2px solid #0072b2; } details > summary { cursor: pointer; }
""".strip()
    + "".join(
        [f"\n.{kind} {{ background: {color}40; }}" for kind, (_, color) in KINDS.items() if kind not in QUIET]
        + [f"\n.s-{state} {{ background: {color}; color: #000; }}" for state, color in STATES.items()]
    )
)

LETTERS = {
    "whole": "W",
    "cut": "C",
    "overlap": "O",
    "marker_only": "M",
    "absent": "A",
    "coincidental": "?",
    "unknown": "U",
}
"""A letter beside each colour, for people who do not tell colours apart."""

WIDTH, HEIGHT = 900, 240
TOP, FOOT = 16, 18
"""Room above the bars for their sizes, and below for the numbers of the decisions."""
_MOST_SIZES = 20
_MOST_NUMBERS = 40


@dataclass(frozen=True)
class Bar:
    """One prompt of the chart: what is called, its bytes by component, and whether it was sent (None: not known)."""

    name: str
    sizes: Mapping[str, int]
    sent: bool | None = True

    @property
    def total(self) -> int:
        """Bytes of the whole prompt."""
        return sum(self.sizes.values())


def text(value: object) -> str:
    """Any text as inert HTML: escaped, and with control and invisible characters made visible."""
    return _ODD.sub(_shown, html.escape(str(value), quote=True))


def _shown(match: re.Match[str]) -> str:
    return f'<span class="odd">\\u{ord(match[0]):04x}</span>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    first = "".join(f"<th>{text(each)}</th>" for each in head)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{first}</tr>{body}</table></div>'


def _cell(cell: str) -> str:
    return cell if cell.startswith("<td") else f"<td>{cell}</td>"


def number(value: int | None) -> str:
    """A cell with a number, a dash where there is none."""
    return f'<td class="n">{"–" if value is None else f"{value:,}"}</td>'


def state(name: str | None) -> str:
    """A cell of the evidence matrix: colour, letter and, on pointing, the word."""
    if name is None:
        return "<td></td>"
    return f'<td class="s-{name}" title="{name.replace("_", " ")}">{LETTERS[name]}</td>'


def legend() -> str:
    """What the letters and colours of the matrix mean."""
    said = "".join(
        f'<span><b class="s-{n}">&nbsp;{s}&nbsp;</b> {n.replace("_", " ")}</span>' for n, s in LETTERS.items()
    )
    return f'<p class="legend">{said}</p>'


def chart(bars: Sequence[Bar], limits: Sequence[tuple[str, int | None]], *, known: bool = False) -> str:
    """The budget chart: one stacked bar a prompt, bytes by component, a line for each limit, and the numbers in a table.

    `known`: the recording lacks parts of the prompts, so that their sizes are only those of the known bytes.
    """
    lines = [(name, limit) for name, limit in limits if limit is not None]
    tallest = max([bar.total for bar in bars] + [limit for _, limit in lines] + [1])
    width = WIDTH / max(len(bars), 1)
    drawn = [piece for place, bar in enumerate(bars) for piece in _bar(place, width, bar, tallest, len(bars))]
    for name, limit in lines:
        y = TOP + HEIGHT - HEIGHT * limit / tallest
        drawn.append(f'<line x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d55e00" stroke-dasharray="6 4"/>')
        drawn.append(f'<text x="4" y="{y - 4:.1f}" font-size="12" fill="currentColor">{text(name)}: {limit:,} B</text>')
    used = list(dict.fromkeys(component(part) for bar in bars for part in bar.sizes))
    names = "".join(f'<span><b style="color:{KINDS[kind][1]}">■</b> {text(KINDS[kind][0])}</span>' for kind in used)
    if any(bar.sent is not True for bar in bars):
        names += "<span>┄ pale in a dashed frame: not sent, or not known to be sent</span>"
    return (
        f'<svg viewBox="0 0 {WIDTH} {TOP + HEIGHT + FOOT}" width="100%" role="img" '
        f'aria-label="Prompt bytes by component">{"".join(drawn)}</svg><p class="legend">{names}</p>'
        f"<details><summary>These numbers as a table</summary>{_numbers(bars, used, known=known)}</details>"
    )


def _bar(place: int, width: float, bar: Bar, tallest: int, count: int) -> Iterator[str]:
    x, wide = place * width, width * 0.9
    left = x + width * 0.05
    top = float(TOP + HEIGHT)
    pale = "" if bar.sent is True else ' fill-opacity="0.35"'
    said = {True: "", False: ", not sent", None: ", not known whether it was sent"}[bar.sent]
    # Instructions stand on top: the context budget counts everything else.
    for part, size in sorted(bar.sizes.items(), key=lambda each: component(each[0]) == "instructions"):
        height = HEIGHT * size / tallest
        top -= height
        word, color = KINDS[component(part)]
        box = f'x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{height:.2f}"'
        title = f"<title>{text(bar.name)}{said}: {text(word)} {size:,} B</title>"
        yield f'<rect {box} fill="{color}"{pale}>{title}</rect>'
    if bar.sent is not True:
        box = f'x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{TOP + HEIGHT - top:.2f}"'
        yield f'<rect {box} fill="none" stroke="currentColor" stroke-dasharray="3 2" pointer-events="none"/>'
    middle = x + width / 2
    if count <= _MOST_SIZES:
        yield f'<text x="{middle:.1f}" y="{top - 4:.1f}" font-size="10" text-anchor="middle" fill="currentColor">{bar.total:,}</text>'
    if place % max(1, -(-count // _MOST_NUMBERS)) == 0:
        number = text(bar.name.removeprefix("decision "))
        yield f'<text x="{middle:.1f}" y="{TOP + HEIGHT + 13}" font-size="10" text-anchor="middle" fill="currentColor">{number}</text>'


def _numbers(bars: Sequence[Bar], used: Sequence[str], *, known: bool) -> str:
    head = ["prompt", "sent", "known bytes" if known else "bytes", *(KINDS[kind][0] for kind in used)]
    rows = []
    for bar in bars:
        sums = dict.fromkeys(used, 0)
        for part, size in bar.sizes.items():
            sums[component(part)] += size
        sent = {True: "yes", False: "no", None: "not known"}[bar.sent]
        rows.append([text(bar.name), sent, number(bar.total), *map(number, sums.values())])
    return table(head, rows)


def page(title: str, body: Iterable[str]) -> str:
    """A whole page that opens offline and asks nothing of any host."""
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )
