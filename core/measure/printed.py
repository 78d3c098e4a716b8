"""A measurement as text for a terminal: Markdown tables, so that a part can be pasted into a document as it is.

What a package says (names, statuses, reasons) is shown with everything unprintable escaped: it cannot steer a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import tables
from .tables import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .figures import Measurement
    from .tables import Table

__all__ = ["CAVEATS", "printable", "printed", "short", "summary"]

CAVEATS = (
    "Stored contexts include rejected and unused attempts: these are not billed-call totals. No request was made.",
    "Cost and reasoning quality are not measured.",
)
BUILT = (
    "Rows that say so were built from the results of a prompt: what an encoding would have sent, never what was sent."
)
_LONGEST = 160


def printable(text: str) -> str:
    """A text in one line with what is not printable escaped, and `|` told apart from a table's own; at most 160 characters."""
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text).replace("|", "\\|")
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def printed(measurement: Measurement) -> Iterator[str]:
    """The lines of the whole report."""
    for part in measurement.by_package():
        yield f"## {printable(part.contexts[0].package)}" if part.contexts else "## no stored contexts"
        yield ""
        for table in tables.tables(part):
            if table.heads or table.notes:
                yield from _markdown(table)
                yield ""
    yield "## Summary"
    yield ""
    yield from summary(measurement)
    yield ""
    if any(context.built for context in measurement.contexts):
        yield BUILT
    yield from CAVEATS


def summary(measurement: Measurement) -> Iterator[str]:
    """One row a package: contexts, user text and all messages in bytes for each encoding, and what each one saves."""
    yield from _markdown(tables.summary(measurement))


def _markdown(table: Table) -> Iterator[str]:
    if table.heads:
        yield _row(table.heads)
        yield "|" + "---|" * len(table.heads)
    for row in table.rows:
        yield _row([printable(cell) for cell in row])
    yield from table.notes


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
