"""A small source tree in memory: the files that lookups read and a patch changes. Never writes to disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from .canonical import sha256
from .errors import InvestigationError
from .limits import MAX_TREE_BYTES, MAX_TREE_FILES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class SourceTree:
    """Files by POSIX path, as bytes. Paths are relative and stay inside; lines are what line feeds separate."""

    files: Mapping[str, bytes]

    def __post_init__(self) -> None:
        """Refuse paths that leave the tree, and trees over the limits (`InvestigationError`)."""
        for path in self.files:
            if confined(path) != path:
                raise InvestigationError("a path that a source tree cannot hold", found=repr(path)[:80])
        if len(self.files) > MAX_TREE_FILES or sum(map(len, self.files.values())) > MAX_TREE_BYTES:
            raise InvestigationError(
                "the source tree is too large", expected=f"at most {MAX_TREE_FILES} files, {MAX_TREE_BYTES} bytes"
            )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All paths in order."""
        return tuple(sorted(self.files))

    def hash(self, path: str) -> str:
        """`sha256:` and the hash of the file's bytes now."""
        return sha256(self.files[path])

    def text(self, path: str) -> str:
        """The file as text; bytes that are not UTF-8 show as U+FFFD."""
        return self.files[path].decode("utf-8", "replace")

    def lines(self, path: str) -> list[str]:
        """The file's lines without their line feeds (a CR before one stays); no line after a last line feed."""
        lines = self.text(path).split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def patched(self, path: str, before: str, after: str) -> SourceTree:
        """The tree with one file changed; bytes outside `before` are kept as they are, line ends included.

        Raises `InvestigationError` for a path that is not in the tree, or if `before` does not occur exactly once.
        """
        name = confined(path)
        if name is None or name not in self.files:
            raise InvestigationError("the path of the patch is not in the source tree", found=repr(path)[:80])
        data = self.files[name]
        count = _occurrences(data, before.encode("utf-8", "surrogatepass"))
        if count != 1:
            hint = "; the lines of this file end in CR LF" if b"\r\n" in data and "\r" not in before else ""
            raise InvestigationError(
                f"the text to replace must occur exactly once in {name}", expected="1", found=f"{count}{hint}"
            )
        old, new = (part.encode("utf-8", "surrogatepass") for part in (before, after))
        return SourceTree({**self.files, name: data.replace(old, new)})


def load_tree(folder: Path) -> SourceTree:
    """Read every regular file below a folder (links are not followed). Raises `InvestigationError` if it cannot."""
    files: dict[str, bytes] = {}
    size = 0
    try:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            size += path.stat().st_size
            if len(files) == MAX_TREE_FILES or size > MAX_TREE_BYTES:
                raise InvestigationError("the source tree is too large", found=folder.name)
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    except OSError as error:
        raise InvestigationError("the source tree cannot be read", found=error.strerror) from error
    return SourceTree(files)


def confined(path: str) -> str | None:
    """A relative POSIX path in its plain form, None if it is absolute, leads outside, or holds control characters."""
    if not path or "\\" in path or any(ord(letter) < ord(" ") for letter in path) or path[1:2] == ":":
        return None
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        return None
    return str(pure)


def _occurrences(data: bytes, wanted: bytes) -> int:
    """How often a text stands in a file, overlapping places included: two of them are not exactly one."""
    count, place = 0, data.find(wanted) if wanted else -1
    while place >= 0:
        count, place = count + 1, data.find(wanted, place + 1)
    return count
