"""The pieces of a report page: inert text, tables, the budget chart, the page around them. Nothing is fetched."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of the page: no script, image, font, frame or connection, wherever it is opened."""

STYLE = """
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
.odd { outline: 1px dotted; } .ledger, .supplied { background: #56b4e940; } .block { background: #009e7340; }
.guidance { background: #e69f0070; } .summary, .placeholder { background: #cc79a750; } .tool_result { background: #009e7330; }
.tool_call { background: #56b4e930; } .found { outline: 2px solid #0072b2; }
.s-whole { background: #009e73; color: #000; } .s-cut { background: #e69f00; color: #000; }
.s-overlap { background: #56b4e9; color: #000; } .s-marker_only { background: #cc79a7; color: #000; }
.s-absent { background: #d55e00; color: #000; } .s-coincidental { background: #8a94a3; color: #000; }
""".strip()

LETTERS = {"whole": "W", "cut": "C", "overlap": "O", "marker_only": "M", "absent": "A", "coincidental": "?"}
"""A letter beside each colour, for people who do not tell colours apart."""

COLORS = {
    "instructions": "#8a94a3",
    "system": "#8a94a3",
    "base": "#5d6b7e",
    "user": "#5d6b7e",
    "view": "#5d6b7e",
    "ledger": "#0072b2",
    "supplied": "#56b4e9",
    "block": "#009e73",
    "tool_result": "#009e73",
    "tool_call": "#56b4e9",
    "assistant": "#b8c0ca",
    "summary": "#cc79a7",
    "placeholder": "#d55e00",
    "opaque": "#c9b800",
    "unparsed": "#d55e00",
}
WIDTH, HEIGHT = 900, 240


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


def chart(bars: Sequence[tuple[str, dict[str, int]]], limit: int | None) -> str:
    """The budget chart: one stacked bar a prompt, bytes by component, and the line of the prompt limit."""
    tallest = max([sum(sizes.values()) for _, sizes in bars] + [limit or 0, 1])
    width = WIDTH / max(len(bars), 1)
    drawn = [
        piece for place, (name, sizes) in enumerate(bars) for piece in _bar(place * width, width, name, sizes, tallest)
    ]
    if limit is not None:
        y = HEIGHT - HEIGHT * limit / tallest
        drawn.append(f'<line x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d55e00" stroke-dasharray="6 4"/>')
        drawn.append(
            f'<text x="4" y="{max(y - 4, 12):.1f}" font-size="12" fill="currentColor">limit {limit:,} B</text>'
        )
    used = dict.fromkeys(part for _, sizes in bars for part in sizes)
    names = "".join(f'<span><b style="color:{COLORS.get(part, "#8a94a3")}">■</b> {text(part)}</span>' for part in used)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" role="img" aria-label="Prompt bytes by component">'
        f'{"".join(drawn)}</svg><p class="legend">{names}</p>'
    )


def _bar(x: float, width: float, name: str, sizes: dict[str, int], tallest: int) -> Iterable[str]:
    top = float(HEIGHT)
    for part, size in sizes.items():
        height = HEIGHT * size / tallest
        top -= height
        yield (
            f'<rect x="{x + width * 0.05:.2f}" y="{top:.2f}" width="{width * 0.9:.2f}" height="{height:.2f}" '
            f'fill="{COLORS.get(part, "#8a94a3")}"><title>{text(name)}: {text(part)} {size:,} B</title></rect>'
        )


def page(title: str, body: Iterable[str]) -> str:
    """A whole page that opens offline and asks nothing of any host."""
    return (
        "<!doctype html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{text(title)}</title><style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )
