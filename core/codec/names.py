"""Reserved names and aliases: how an encoding never mistakes what a view says for what the encoding says.

A view that already uses a reserved name - at its top, or as a key anywhere inside its evidence - is wrapped whole as
`{"verbatim": view}`: nothing inside has an encoding's meaning, and it is restored exactly. Aliases (`M1`, `P1`, `F1`,
`R1`) are given in order of first use, and one that equals a path of the view is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ViewError
from .base import Encoded, View, inline, is_array, is_object, numbered_records

if TYPE_CHECKING:
    from collections.abc import Iterator

VERBATIM = "verbatim"
V5_TABLES = ("shared_metadata", "shared_paths")
V6_TABLES = ("shared_files", "shared_sources", "shared_results")
V5_FIELDS = ("metadata_ref", "origin_ref", "path_alias")
V6_FIELDS = ("path_ref", "result_ref", "shared_source_lines_v1")


def wrapped_if_reserved(
    given: Encoded, version: str, tables: tuple[str, ...], fields: tuple[str, ...]
) -> Encoded | None:
    """`{"verbatim": view}` in `version` if the view uses one of its reserved names, else None.

    Raises `JsonError` if the wrapped view nests deeper than `MAX_DEPTH`.
    """
    found = _reserved(given, (*tables, VERBATIM), fields)
    if found is None:
        return None
    wrapped = inline({VERBATIM: given.view}, version)
    return Encoded(version, wrapped.view, wrapped.raw, fell_back=True, reason=f"wrapped whole: {found}")


def _reserved(given: Encoded, top: tuple[str, ...], inside: tuple[str, ...]) -> str | None:
    for name in top:
        if name in given.view:
            return f"the view already uses the reserved name {name!r} at its top"
    # A quote inside a JSON string is always escaped, so `"name":` can only be the end of a key: no hit, no such key.
    for name in inside:
        if f'"{name}":'.encode() in given.raw and _has_key(given.view.get("evidence"), name):
            return f"the view already uses the reserved name {name!r} in its evidence"
    return None


def _has_key(value: object, name: str) -> bool:
    level: list[Any] = [value]
    while level:
        inner: list[Any] = []
        for item in level:
            if is_object(item):
                if name in item:
                    return True
                inner.extend(item.values())
            elif is_array(item):
                inner.extend(item)
        level = inner
    return False


def unwrapped(view: View) -> View | None:
    """The view inside `{"verbatim": view}`, or None if this view is not wrapped; `ViewError` if it is so only half."""
    if VERBATIM not in view:
        return None
    inner = view[VERBATIM]
    if len(view) != 1 or not is_object(inner):
        raise ViewError("a wrapped view holds its one view and nothing else", expected='{"verbatim": {...}}')
    return inner


def aliases(letter: str, taken: set[str]) -> Iterator[str]:
    """`F1`, `F2`, ... without those that are taken."""
    number = 1
    while True:
        name = f"{letter}{number}"
        if name not in taken:
            yield name
        number += 1


def taken_names(view: View) -> set[str]:
    """What no new alias may be called: the paths of a view, and the aliases that it already has."""
    taken: set[str] = set()
    for _, record in numbered_records(view):
        for name in ("query", "metadata"):
            holder = record.get(name)
            if is_object(holder) and type(path := holder.get("path")) is str:
                taken.add(path)
    for name in V5_TABLES:
        table = view.get(name)
        if is_object(table):
            taken.update(table)
            for entry in table.values():
                path = entry.get("path") if is_object(entry) else entry
                if type(path) is str:
                    taken.add(path)
    return taken
