"""Lookups performed for real over a `SourceTree`: text search, symbol lookup, range read.

Each gives a body that shows path, content hash and numbered lines (`excerpt`), and the source ranges behind it. A
lookup that finds nothing is completed with an empty body; one that cannot be performed as asked has failed, and its
body says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import ViewError
from .excerpt import excerpt
from .limits import MAX_EXCERPTS, MAX_READ_LINES
from .model import SourceRange
from .source_tree import SourceTree, confined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .model import Lookup

CONTEXT_LINES = 3
"""Lines shown before and after a matching line of a search."""

PathResolver: TypeAlias = "Callable[[str], str | None]"
"""Gives the path that an alias stands for in the active context, None for a name that is no alias."""

_DEFINES = (
    r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*{name}\s*\(",
    r"(?:export\s+)?(?:const|let|var)\s+{name}\b",
    r"(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum|type)\s+{name}\b",
    r"(?:async\s+)?(?:def|class)\s+{name}\b",
)
_COMMENTS = ("/*", "*", "//", "#")


@dataclass(frozen=True, slots=True)
class Found:
    """What a lookup gave. `status` is `completed` or `failed`; a failed one has its reason as body and no sources."""

    body: str
    sources: tuple[SourceRange, ...] = ()
    status: str = "completed"


def look_up(tree: SourceTree, lookup: Lookup, resolve: PathResolver | None = None) -> Found:
    """Perform one lookup. `resolve` turns aliases in a read's path into paths; what it gives is checked like any path."""
    tool = LOOKUP_TOOLS.get(lookup.kind)
    if tool is None:
        return _failed(f"unknown kind of lookup; known: {', '.join(LOOKUP_TOOLS)}")
    return tool(tree, lookup, resolve)


def search(tree: SourceTree, lookup: Lookup, _: PathResolver | None = None) -> Found:
    """Lines that hold any of `queries` as plain text; `search` narrows to a folder or file. Excerpts with context."""
    wanted = [query for query in lookup.queries or () if isinstance(query, str) and query]
    if not wanted:
        return _failed("a search needs at least one text in queries")
    within = lookup.search
    if within is not None and (not isinstance(within, str) or confined(within) is None):
        return _failed("search must be a folder or file inside the source tree")
    ranges: list[SourceRange] = []
    for path in tree.paths:
        if within is None or path == confined(within) or path.startswith(f"{confined(within)}/"):
            lines = tree.lines(path)
            hits = [number for number, line in enumerate(lines, 1) if any(query in line for query in wanted)]
            ranges += _around(path, tree.hash(path), hits, len(lines))
    shown, rest = ranges[:MAX_EXCERPTS], len(ranges) - MAX_EXCERPTS
    more = f"\n{rest} more places match and are not shown: search in a folder or file.\n" if rest > 0 else ""
    return _excerpts(tree, shown, more)


def symbol(tree: SourceTree, lookup: Lookup, _: PathResolver | None = None) -> Found:
    """The definitions of the names in `queries`: each whole, from its comment to the line that closes it."""
    names = [name for name in lookup.queries or () if isinstance(name, str) and name.isidentifier()]
    if not names:
        return _failed("a symbol lookup needs at least one name in queries")
    ranges: list[SourceRange] = []
    for path in tree.paths:
        lines = tree.lines(path)
        for name in names:
            pattern = re.compile(r"\s*(?:" + "|".join(_DEFINES).replace("{name}", re.escape(name)) + ")")
            ranges += [
                SourceRange(path, tree.hash(path), _comment_line(lines, number), _closing_line(lines, number))
                for number, line in enumerate(lines, 1)
                if pattern.match(line)
            ]
    return _excerpts(tree, ranges[:MAX_EXCERPTS])


def read(tree: SourceTree, lookup: Lookup, resolve: PathResolver | None = None) -> Found:
    """Lines `start` to `end` of `path` (all three in `arguments`); `path` may be an alias known to `resolve`."""
    arguments: Any = lookup.arguments
    if not isinstance(arguments, dict) or not isinstance(arguments.get("path"), str):
        return _failed("a read needs arguments with path, start and end")
    name: str = arguments["path"]
    try:
        resolved = resolve(name) if resolve is not None else None
    except ViewError as error:  # an alias that leads out of the repository: an ordinary rejection
        return _failed(str(error))
    path = confined(name if resolved is None else resolved)
    start, end = arguments.get("start", 1), arguments.get("end")
    if path is None or path not in tree.files:
        return _failed("no such file in the source tree")
    if type(start) is not int or type(end) not in {int, type(None)} or start < 1 or (end is not None and end < start):
        return _failed("start and end must be line numbers, start first")
    count = len(tree.lines(path))
    if start > count:
        return _failed(f"the file has {count} lines")
    last = min(count if end is None else end, count, start + MAX_READ_LINES - 1)
    return _excerpts(tree, [SourceRange(path, tree.hash(path), start, last)])


LOOKUP_TOOLS: Mapping[str, Callable[[SourceTree, Lookup, PathResolver | None], Found]] = {
    "search": search,
    "symbol": symbol,
    "read": read,
}
"""Kinds of lookup that a run can perform; all of them only read."""


def _failed(reason: str) -> Found:
    return Found(reason, status="failed")


def _excerpts(tree: SourceTree, ranges: Iterable[SourceRange], more: str = "") -> Found:
    ranges = tuple(ranges)
    texts = [excerpt(each, tree.lines(each.path)[each.start - 1 : each.end]) for each in ranges]
    return Found("\n".join(texts) + more, ranges)


def _around(path: str, content: str, hits: Sequence[int], count: int) -> list[SourceRange]:
    """Ranges that hold the hits with their context; what touches is one range."""
    found: list[SourceRange] = []
    for hit in hits:
        start, end = max(hit - CONTEXT_LINES, 1), min(hit + CONTEXT_LINES, count)
        if found and start <= found[-1].end + 1:
            start = found.pop().start
        found.append(SourceRange(path, content, start, end))
    return found


def _comment_line(lines: Sequence[str], first: int) -> int:
    """The first line of the comment right above line `first`; `first` if there is none."""
    while first > 1 and lines[first - 2].lstrip().startswith(_COMMENTS):
        first -= 1
    return first


def _closing_line(lines: Sequence[str], first: int) -> int:
    """The line that closes the braces (or parentheses) opened from line `first` on; `first` if none opens."""
    depth, opened = 0, False
    for number in range(first, len(lines) + 1):
        for letter in lines[number - 1]:
            depth += (letter in "{([") - (letter in "})]")
            opened = opened or letter in "{(["
        line = lines[number - 1].rstrip()
        if depth <= 0 and (opened or line.endswith(";")) and not line.endswith(("=", "=>")):
            return number
    return first
