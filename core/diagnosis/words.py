"""How lookups, sizes and places are said in sentences. Everything from a package stays plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..canonical import canonical_text
from ..wording import arguments_text, clipped

if TYPE_CHECKING:
    from ..delivery import Placement
    from ..model import DecisionKey, Fragment, Lookup

MAX_NAME_CHARACTERS = 80
"""Characters of a query or path that a sentence repeats."""


def size(count: int) -> str:
    """`1,204 B`."""
    return f"{count:,} B"


def decision(key: DecisionKey) -> str:
    """`decision 3`, with the attempt where it is not the first."""
    return f"decision {key[0]}" if key[1] == 1 else f"decision {key[0]} (attempt {key[1]})"


def decisions(first: DecisionKey, last: DecisionKey) -> str:
    """`decisions 3 to 7`; of one, its name."""
    if first == last:
        return decision(first)
    return (
        f"decisions {first[0]} to {last[0]}" if first[1] == last[1] == 1 else f"{decision(first)} to {decision(last)}"
    )


def lookup(asked: Lookup) -> str:
    """A lookup as `search` and what it asks for: its queries, else its path and lines, else its arguments."""
    wanted: list[str] = [_text(query) for query in asked.queries or ()]
    if not wanted and asked.arguments is not None:
        wanted = [arguments_text(asked.arguments)]
    if not wanted:
        wanted = [_text(value) for value in (asked.search, asked.reference_url) if value is not None]
    return f"{short(asked.kind)} `{short(', '.join(wanted))}`" if wanted else short(asked.kind)


def result(fragment: Fragment) -> str:
    """What a result is, in brackets: size, then its files and lines."""
    places = [f"{short(each.path)} {each.start}-{each.end}" for each in fragment.sources[:2]]
    more = [f"{len(fragment.sources) - 2} more"] if len(fragment.sources) > 2 else []  # noqa: PLR2004  # two are shown
    return f"({', '.join((size(fragment.byte_length), *places, *more))})"


def message_of(placement: Placement) -> str:
    """The message in which something stands, counted from 1 as on every screen."""
    return "" if placement.message is None else f"message {placement.message + 1}"


def bytes_of(placement: Placement) -> str:
    """Where something stands: its message and its byte range there."""
    place = placement.place
    return "" if place is None else f"{message_of(placement)}, bytes {place.start:,}-{place.end:,}"


def short(text: str) -> str:
    """One line of at most `MAX_NAME_CHARACTERS`, and how much more there is; backquotes would end a name early: replaced."""
    return clipped(" ".join(text.replace("`", "'").split()), MAX_NAME_CHARACTERS)


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_text(value)  # type: ignore[arg-type]  # JSON, from a reader
