"""The address of a view: which query parameters exist, what a valid value is, and what to say of one that is not.

Every view has an address: the page's path plus these parameters. Values are plain identifiers. Nothing here knows
Streamlit; `state.py` reads and writes the browser's address with it. A page that needs a parameter of its own adds
one line to `PARAMETERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from core.model import DecisionKey

MODES: Final = ("received", "changed", "raw")
FORMAT_NAMES: Final = ("v4", "v5", "v6", "v7")
SHOWN_FRAGMENTS: Final = ("all", "repeated", "dropped", "cut", "never", "failed")
SHOWN_ROWS: Final = ("folded", "every")
TEXTS: Final = ("all", "user")
UNITS: Final = ("bytes", "chars", "tokens")
VIEWS: Final = ("recorded", "built")
POLICY_NAMES: Final = ("retain", "overwrite")
ARCHIVE_SORTS: Final = ("stalled", "name", "date", "reader", "calls", "repeats", "problems")
ARCHIVE_SHOWN: Final = ("all", "stalled", "looped", "repeated", "problems")
MAX_VALUE: Final = 120
"""Characters of one value; what is longer is answered with a message, unread."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_FRAGMENT = re.compile(r"(~[1-9][0-9]{0,8}|[A-Za-z0-9][A-Za-z0-9_.-]*)\Z")
_DECISION = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?\Z")

Value: TypeAlias = "str | int | DecisionKey | Span | tuple[str, ...] | None"
Span: TypeAlias = "tuple[DecisionKey, DecisionKey]"
"""First and last of the decisions in sight."""
View: TypeAlias = Mapping[str, Any]


class AddressError(ValueError):
    """A value that no view has; the text says what was expected."""


def plain(text: str) -> str:
    """A plain identifier: letters, digits, `_`, `.`, `-`."""
    if not _PLAIN.match(text):
        raise AddressError("letters, digits, and _ . -")
    return text


def fragment(text: str) -> str:
    """A fragment: its id where that is plain, else `~n`, its place in the package counted from 1."""
    if not _FRAGMENT.match(text):
        raise AddressError("a fragment id such as f1")
    return text


def decision(text: str) -> DecisionKey:
    """`3` or `3.2`: index, and attempt (1 where it is left out)."""
    found = _DECISION.match(text)
    if not found:
        raise AddressError("a decision such as 3, or 3.2 for its second attempt")
    return int(found[1]), int(found[2] or 1)


def decision_text(key: DecisionKey) -> str:
    """How a decision is written in an address and called on a page: `3`, or `3.2` for a second attempt."""
    return str(key[0]) if key[1] == 1 else f"{key[0]}.{key[1]}"


def span(text: str) -> Span:
    """`120-240`: the decisions in sight, from the first to the last."""
    first, between, last = text.partition("-")
    if not between or not _DECISION.match(first) or not _DECISION.match(last):
        raise AddressError("two decisions such as 120-240")
    return decision(first), decision(last)


def span_text(value: Span) -> str:
    """How `span` is written."""
    return "-".join(map(decision_text, value))


def number(text: str) -> int:
    """A whole number from 0."""
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise AddressError("a whole number")
    return int(text)


def one_of(*choices: str) -> Callable[[str], str]:
    """A value from a fixed list."""

    def read(text: str) -> str:
        if text not in choices:
            raise AddressError(" or ".join(choices))
        return text

    return read


def some_of(*choices: str) -> Callable[[str], tuple[str, ...]]:
    """One or more values of a fixed list, joined with commas."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(text.split(",")))
        if not names or any(name not in choices for name in names):
            raise AddressError(f"a list such as {','.join(choices[:2])} from {', '.join(choices)}")
        return names

    return read


def two_of(*choices: str) -> Callable[[str], tuple[str, ...]]:
    """Two different values of a fixed list, joined with a comma: what stands left, and what right."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(text.split(","))
        if len(set(names)) != len(("left", "right")) or len(names) != len(set(names)) or not set(names) <= set(choices):
            raise AddressError(f"two such as {','.join(choices[:2])} from {', '.join(choices)}")
        return names

    return read


def place(text: str) -> tuple[int, int]:
    """`3.12`: an item of a record, both counted from 1."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", text)
    if not found:
        raise AddressError("a record and a line of it, such as 3.12")
    return int(found[1]), int(found[2])


def file_line(text: str) -> tuple[int, int | None]:
    """`1.167`: a file counted from 1, and a line number of it (which may be negative); `1` for the file alone."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})(?:\.(-?[0-9]{1,18}))?", text)
    if not found:
        raise AddressError("a file and a line number of it, such as 1.167")
    return int(found[1]), None if found[2] is None else int(found[2])


def dotted(value: tuple[int, int | None]) -> str:
    """How `place` and `file_line` are written."""
    return ".".join(str(part) for part in value if part is not None)


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one query parameter is read and written, and its value where the address does not name it."""

    read: Callable[[str], Value]
    default: Value = None
    write: Callable[[Any], str] = str


PARAMETERS: Final[Mapping[str, Parameter]] = {
    "package": Parameter(plain),
    "part": Parameter(number),
    "decision": Parameter(decision, write=decision_text),
    "fragment": Parameter(fragment),
    "span": Parameter(span, write=span_text),
    "mode": Parameter(one_of(*MODES), default="received"),
    "formats": Parameter(some_of(*FORMAT_NAMES), default=("v5", "v6"), write=",".join),
    "show": Parameter(one_of(*SHOWN_FRAGMENTS), default="all"),
    "file": Parameter(number),
    "other": Parameter(plain),
    "other_part": Parameter(number),
    "rows": Parameter(one_of(*SHOWN_ROWS), default="folded"),
    "from": Parameter(number),
    "policy": Parameter(one_of(*POLICY_NAMES), default="retain"),
    "budget": Parameter(number),
    "text": Parameter(one_of(*TEXTS), default="all"),
    "unit": Parameter(one_of(*UNITS), default="bytes"),
    "views": Parameter(one_of(*VIEWS)),
    "sides": Parameter(two_of(*FORMAT_NAMES), write=",".join),
    "line": Parameter(place, write=dotted),
    "conflict": Parameter(file_line, write=dotted),
    "sort": Parameter(one_of(*ARCHIVE_SORTS), default="stalled"),
    "order": Parameter(one_of("natural", "turned"), default="natural"),
    "listed": Parameter(one_of(*ARCHIVE_SHOWN), default="all"),
}


def default_view() -> dict[str, Value]:
    """Every parameter at its default."""
    return {name: parameter.default for name, parameter in PARAMETERS.items()}


def _bounded(text: str) -> str:
    if len(text) > MAX_VALUE:
        raise AddressError(f"at most {MAX_VALUE} characters")
    return text


def parse(query: Mapping[str, str]) -> tuple[dict[str, Value], list[str]]:
    """The view that a query string names, and one message for each value that no view has (its default stands)."""
    view, complaints = default_view(), []
    for name, text in query.items():
        parameter = PARAMETERS.get(name)
        if parameter is None:
            continue
        try:
            view[name] = parameter.read(_bounded(text))
        except AddressError as error:
            complaints.append(f"The address names no {name} that can be opened: expected {error}.")
    return view, complaints


def render(view: View) -> dict[str, str]:
    """The query string of a view, parameters in a fixed order; those at their default are left out."""
    return {
        name: parameter.write(view[name])
        for name, parameter in PARAMETERS.items()
        if view.get(name) is not None and view[name] != parameter.default
    }
