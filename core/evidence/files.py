"""Which files, in which versions, the fragments of a run come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..delivery.lines import merge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..delivery import LineRange
    from ..model import Fragment


@dataclass(frozen=True)
class FileVersion:
    """One content hash of a file: the `lines` that lookups returned of it, and the places of their fragments.

    `hash` is None where none is recorded: then nothing says that two such reads saw the same content.
    """

    hash: str | None
    lines: tuple[LineRange, ...]
    fragments: tuple[int, ...]

    @property
    def line_count(self) -> int:
        """How many distinct lines were returned."""
        return sum(end - start + 1 for start, end in self.lines)


@dataclass(frozen=True)
class SourceFile:
    """A file that lookups returned lines of. `number` counts files from 1 in the order of their first appearance."""

    number: int
    path: str
    versions: tuple[FileVersion, ...]

    @property
    def fragments(self) -> tuple[int, ...]:
        """Places of the fragments with lines of it, in order."""
        return tuple(sorted({place for version in self.versions for place in version.fragments}))

    @property
    def line_count(self) -> int:
        """Lines that were returned, each version counted on its own."""
        return sum(version.line_count for version in self.versions)


def source_files(fragments: Sequence[Fragment]) -> tuple[SourceFile, ...]:
    """Every file, its versions in the order in which they were first returned."""
    found: dict[str, dict[str | None, tuple[list[LineRange], dict[int, None]]]] = {}
    for place, fragment in enumerate(fragments):
        for source in fragment.sources:
            lines, places = found.setdefault(source.path, {}).setdefault(source.hash, ([], {}))
            lines.append((source.start, source.end))
            places[place] = None
    return tuple(
        SourceFile(
            number,
            path,
            tuple(FileVersion(version, merge(lines), tuple(places)) for version, (lines, places) in versions.items()),
        )
        for number, (path, versions) in enumerate(found.items(), 1)
    )
