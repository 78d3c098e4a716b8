"""Evidence over time: the life of one fragment, which decisions received which part of it, and the lines of a file.

Everything here is read from `core.delivery` (the transmitted text) and from the replies; nothing is claimed of a part
whose lines cannot be told.
"""

from __future__ import annotations

from .files import FileVersion, SourceFile, source_files
from .life import Life, Moment, life
from .line_map import Band, Cell, LineMap, bands_of, line_map
from .parts import Part, parts
from .summary import Summary, summaries
from .supplied import Supplied, supplied

__all__ = [
    "Band",
    "Cell",
    "FileVersion",
    "Life",
    "LineMap",
    "Moment",
    "Part",
    "SourceFile",
    "Summary",
    "Supplied",
    "bands_of",
    "life",
    "line_map",
    "parts",
    "source_files",
    "summaries",
    "supplied",
]
