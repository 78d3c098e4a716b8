"""The registry of encodings, and the two functions that walk it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ViewError
from . import v4, v5, v6
from .base import V4, V5, V6, Codec, Encoded, View, checked_view, inline
from .instructions import INSTRUCTIONS
from .names import V5_TABLES, V6_TABLES, unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

CODECS: dict[str, Codec] = {
    V4: Codec(V4, None, v4.encode, v4.restore, INSTRUCTIONS[V4]),
    V5: Codec(V5, V4, v5.encode, v5.restore, INSTRUCTIONS[V5], V5_TABLES),
    V6: Codec(V6, V5, v6.encode, v6.restore, INSTRUCTIONS[V6], V6_TABLES),
}


def codec(version: str) -> Codec:
    """The registry's entry; an unknown version is a `ViewError` that lists the known ones."""
    if version not in CODECS:
        raise ViewError("unknown encoding", expected=f"one of {', '.join(CODECS)}", found=version)
    return CODECS[version]


def lineage(version: str) -> Sequence[str]:
    """The versions from the first one up to this one, oldest first."""
    line = [version]
    while (previous := codec(line[0]).previous) is not None:
        line.insert(0, previous)
    return line


def encode(view: View, version: str, *, given: str = V4) -> Encoded:
    """The view, which is in the encoding `given`, in the encoding `version`: view, canonical text, fallback and why.

    A v5 view is taken as it is (`given=V5`), never re-derived from v4; a v4 view goes to v6 through v5. The view may be
    one that others stored; it is not changed. Raises `ViewError` for an unknown version, a `version` older than `given`
    (that is `restore`), a view that is no object or holds a reference that leads nowhere; `JsonError` for values that
    canonical text cannot carry, among them a view that would nest deeper than `MAX_DEPTH` once wrapped.
    """
    line = lineage(version)
    codec(given)
    if given not in line:
        raise ViewError("encode only goes to later versions", expected=f"{given} or later", found=version)
    encoded = inline(view, given)
    for step in line[line.index(given) + 1 :]:
        encoded = CODECS[step].encode(encoded)
    return encoded


def restore(encoded: View | Encoded, version: str | None = None, *, to: str = V4) -> View:
    """The view that `encoded`, in the encoding `version`, stands for in an earlier encoding: exactly, by canonical text.

    `version` may be left out for what `encode` returned. Raises `ViewError` for unknown versions, a `to` later than
    `version`, and every reference that leads nowhere.
    """
    view, version = (encoded.view, version or encoded.version) if isinstance(encoded, Encoded) else (encoded, version)
    if version is None:
        raise ViewError("the version of a bare view must be named", expected=f"one of {', '.join(CODECS)}")
    line = lineage(version)
    codec(to)
    if to not in line:
        raise ViewError("restore only goes to earlier versions", expected=f"{version} or earlier", found=to)
    view = checked_view(view)
    for step in reversed(line[line.index(to) + 1 :]):
        view = CODECS[step].restore(view)
    return view


def restore_view(encoded: View | Encoded, version: str | None = None) -> View:
    """The previous working view: one version back (v6 to v5, v5 to v4; v4 stays as it is)."""
    version = version or (encoded.version if isinstance(encoded, Encoded) else V6)
    return restore(encoded, version, to=codec(version).previous or version)


def innermost(view: View, version: str) -> tuple[View, str, int]:
    """The view inside its wrappings `{"verbatim": ...}`, the encoding whose names have a meaning in it, and how many there are.

    Each wrapping leads one version back; in v4 `verbatim` is an ordinary key. Raises `ViewError` for a half-wrapped view.
    """
    wrappings = 0
    while (previous := codec(version).previous) is not None and (inner := unwrapped(view)) is not None:
        view, version, wrappings = inner, previous, wrappings + 1
    return view, version, wrappings


def tables_of(version: str) -> tuple[str, ...]:
    """Every table that may stand at the top of a view in this encoding."""
    return tuple(name for step in lineage(version) for name in CODECS[step].tables)
