"""What every encoding of the working view shares: its result, its registry entry, and the tests of shape.

A *working view* is a JSON object; `evidence` is its ordered list of evidence records; every other key passes through
untouched. Views are read-only here: an encoded view may share parts with the view it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from ..canonical import canonical_bytes_trusted, check_json
from ..errors import ViewError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

V4 = "investigation_project_v4"
V5 = "investigation_project_v5"
V6 = "investigation_project_v6"

View: TypeAlias = dict[str, Any]
Record: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Encoded:
    """A view in one encoding.

    `view` is the encoded object, `raw` its canonical text as UTF-8 bytes: what a request carries. `fell_back` says that
    the version's own encoding was not used (wrapped whole, or larger than the previous version's text), `reason` why.
    """

    version: str
    view: View
    raw: bytes = field(repr=False)
    fell_back: bool = False
    reason: str | None = None

    @cached_property
    def text(self) -> str:
        """The canonical text as a string (characters)."""
        return self.raw.decode()


@dataclass(frozen=True)
class Codec:
    """One line of the registry: a pair of pure functions that invert each other, and the text that explains them.

    `encode` takes the view in the encoding of `previous`, as it is; `restore` gives exactly that view back. `previous` is
    None for the first version, whose functions change nothing. `tables` are the keys at the top of a view that this version
    adds to those of the one before.
    """

    version: str
    previous: str | None
    encode: Callable[[Encoded], Encoded]
    restore: Callable[[View], View]
    instructions: str = field(repr=False)
    tables: tuple[str, ...] = ()


def inline(view: object, version: str = V4) -> Encoded:
    """Take a view as it is: its canonical text, and nothing changed.

    Raises `ViewError` for what is not a JSON object, `JsonError` for what canonical text cannot carry.
    """
    checked = checked_view(view)
    return Encoded(version, checked, canonical_bytes_trusted(checked))


def checked_view(view: object) -> View:
    """The view itself. Raises `ViewError` for what is not a JSON object, `JsonError` for what canonical text cannot carry."""
    if not is_object(view):
        raise ViewError("a working view is a JSON object", expected="object", found=type_name(view))
    check_json(view)
    return view


def written(version: str, view: View, *, fell_back: bool = False, reason: str | None = None) -> Encoded:
    """An encoded view whose parts were all checked before: only its text is made here."""
    return Encoded(version, view, canonical_bytes_trusted(view), fell_back, reason)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a JSON object."""
    return type(value) is dict


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a JSON array (a tuple is written as one)."""
    return type(value) is list or type(value) is tuple


def numbered_records(view: View) -> Iterator[tuple[int, Record]]:
    """The evidence records that are objects, each with its position in `evidence`; other shapes carry no reference."""
    evidence = view.get("evidence")
    if is_array(evidence):
        for position, record in enumerate(evidence):
            if is_object(record):
                yield position, record


def with_records(view: View, replaced: dict[int, Record]) -> View:
    """The view with the evidence records at the given positions exchanged."""
    if not replaced:
        return dict(view)
    evidence = list(view["evidence"])
    for position, record in replaced.items():
        evidence[position] = record
    return {**view, "evidence": evidence}


def table_of(view: View, name: str) -> dict[str, Any]:
    """One of the view's shared tables, empty if it has none; `ViewError` if it is not an object."""
    table = view.get(name, {})
    if not is_object(table):
        raise ViewError(f"{name} is not a table", expected="object", found=type_name(table))
    return table


def entry_of(table: dict[str, Any], name: object, where: str, kind: str) -> Any:
    """The table's entry of that name; a reference that leads nowhere is a `ViewError`, never skipped."""
    if type(name) is not str or name not in table:
        known = f"one of {len(table)} entries" if table else "no reference, as the view has no such table"
        raise ViewError(f"{where}: unknown {kind}", expected=known, found=shown(name))
    return table[name]


def shown(value: object) -> str:
    """A value of the view as an error message shows it: short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004  # a line of a message, no bound on input


def type_name(value: object) -> str:
    """The JSON name of a value's type."""
    names = {dict: "object", list: "array", tuple: "array", str: "string", int: "number", float: "number"}
    return "null" if value is None else "boolean" if type(value) is bool else names.get(type(value), "no JSON value")
