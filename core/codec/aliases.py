"""Paths by alias: what a controller does with `F1` or `P1` where a model was told to name a path."""

from __future__ import annotations

from ..errors import ViewError
from ..source_tree import confined
from .base import View, is_object, table_of
from .v5 import Tables


def resolve_path(view: View, name: str) -> str | None:
    """The path that a FILE or P alias names in this view, the active context's encoded view; None if it names none.

    An alias of another context, an unknown one, and every name in a wrapped view resolve to nothing: they grant no access
    and meet the ordinary rejection. What comes back is a relative path inside the repository by its text alone; the
    caller still applies its own path, repository and read-only checks. Raises `ViewError` if the alias leads to a path
    that is absolute, has a drive letter, a control character, a backslash or a `..` part, and if the tables are broken.
    """
    tables = Tables(view)
    files = table_of(view, "shared_files")
    if name in files and is_object(files[name]):
        metadata = tables.value(files[name], "metadata", f"shared_files {name!r}")
        path = metadata.get("path") if is_object(metadata) else None
    else:
        path = tables.paths.get(name)
    if type(path) is not str:
        return None
    if confined(path) is None:
        raise ViewError("an alias leads out of the repository", expected="a relative path", found=repr(path[:60]))
    return path
