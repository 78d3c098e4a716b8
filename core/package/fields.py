"""Taking a JSON object of a package apart, field by field, without ever trusting its shape.

What is of the wrong type is reported and stays in `rest()`, beside the fields that nobody knows: nothing is dropped.
`null` and an absent field are the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ..limits import MAX_COUNT
from ..model import NOTHING, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..model import Severity

T = TypeVar("T")

SHOWN = 60
"""Characters of a found value that a problem shows."""

TYPES = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    float: "a number",
}


class Notes:
    """Collects the problems of one record. `file` is a name in the package, `line` is 1-based."""

    __slots__ = ("file", "line", "problems")

    def __init__(self, file: str, line: int | None = None) -> None:
        self.file = file
        self.line = line
        self.problems: list[Problem] = []

    def add(
        self, what: str, expected: str | None = None, found: str | None = None, severity: Severity = "error"
    ) -> Problem:
        """Note a problem of this record."""
        problem = Problem(self.file, self.line, what, expected, found, severity)
        self.problems.append(problem)
        return problem


def shown(value: object) -> str:
    """A found value in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool | int | float):
        return str(value).lower()[:SHOWN]
    if isinstance(value, str):
        return repr(value if len(value) <= SHOWN else value[:SHOWN] + "…")
    return TYPES.get(type(value), type(value).__name__)


class Fields:
    """The fields of one object, at `where` in its record (`""` for the record itself)."""

    __slots__ = ("_left", "notes", "where")

    def __init__(self, row: Mapping[str, Any], where: str, notes: Notes) -> None:
        self._left = dict(row)
        self.where = where
        self.notes = notes

    def name(self, field: str) -> str:
        """A field's full name: `memory.ledger[3].identity`."""
        return f"{self.where}.{field}" if self.where else field

    def wrong(self, field: str, expected: str, value: object = None) -> None:
        """Report what stands in a field."""
        what = f"`{self.name(field)}` is missing" if value is None else f"`{self.name(field)}` is not {expected}"
        self.notes.add(what, expected, shown(value))

    def take(self, field: str) -> Any:
        """Whatever the field holds."""
        return self._left.pop(field, None)

    def _typed(self, field: str, kind: type, *, required: bool) -> Any:
        value = self._left.get(field)
        if type(value) is kind:
            return self._left.pop(field)
        if value is not None:
            self.wrong(field, TYPES[kind], value)
        else:
            self._left.pop(field, None)
            if required:
                self.wrong(field, TYPES[kind])
        return None

    def text(self, field: str, *, required: bool = False) -> str | None:
        """A text, or None."""
        value: str | None = self._typed(field, str, required=required)
        return value

    def flag(self, field: str, *, required: bool = False) -> bool | None:
        """True, false, or None."""
        value: bool | None = self._typed(field, bool, required=required)
        return value

    def count(self, field: str, *, required: bool = False) -> int | None:
        """A whole number from 0 to `MAX_COUNT`, or None."""
        value = self._left.get(field)
        if type(value) is int and not 0 <= value <= MAX_COUNT:
            self.wrong(field, f"a whole number from 0 to {MAX_COUNT}", value)
            return None
        number: int | None = self._typed(field, int, required=required)
        return number

    def mapping(self, field: str) -> Mapping[str, Any] | None:
        """An object, or None."""
        value: Mapping[str, Any] | None = self._typed(field, dict, required=False)
        return value

    def items(self, field: str) -> list[Any]:
        """A list; an absent one is empty."""
        value: list[Any] | None = self._typed(field, list, required=False)
        return value or []

    def one_of(self, field: str, allowed: Sequence[str], *, required: bool = False) -> str | None:
        """A text, kept and reported where it is none of the known ones."""
        value = self.text(field, required=required)
        if value is not None and value not in allowed:
            self.wrong(field, "one of " + ", ".join(allowed), value)
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of texts; what is none is reported, and the whole list then kept in `rest`."""
        return self.each(field, lambda item, where, notes: item if _is_text(item, where, notes) else None)

    def each(self, field: str, read: Callable[[Any, str, Notes], T | None]) -> tuple[T, ...]:
        """A list, item by item; if `read` (item, where, notes) makes nothing of one, the whole list is kept in `rest`."""
        items = self.items(field)
        if not items:
            return ()
        name = self.name(field)
        made = [read(item, f"{name}[{number}]", self.notes) for number, item in enumerate(items)]
        if None in made:
            self._left[field] = items
        return tuple(item for item in made if item is not None)

    def keep(self, field: str, value: object) -> None:
        """Leave a field in `rest` after all."""
        self._left[field] = value

    def rest(self) -> Mapping[str, Any]:
        """What was not taken: unknown fields, and wrong ones."""
        return self._left or NOTHING


def _is_text(item: object, where: str, notes: Notes) -> bool:
    if isinstance(item, str):
        return True
    notes.add(f"`{where}` is not text", "text", shown(item))
    return False


def is_object(item: object, where: str, notes: Notes) -> bool:
    """Whether an item is an object; reported if not."""
    if isinstance(item, dict):
        return True
    notes.add(f"`{where}` is not an object", "an object", shown(item))
    return False
