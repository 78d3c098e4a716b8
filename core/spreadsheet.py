"""Rows as CSV (RFC 4180, UTF-8) that a spreadsheet takes for data: no text of a package becomes a formula there."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The rows under their heads; None is an empty cell, a truth `true` or `false`."""
    target = io.StringIO(newline="")
    writer = csv.writer(target)
    writer.writerow(heads)
    writer.writerows([_inert(cell) for cell in row] for row in rows)
    return target.getvalue()


def _inert(cell: object) -> object:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return cell
    shown = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in cell)
    return f"'{shown}" if shown.startswith(_STARTS_A_FORMULA) else shown
