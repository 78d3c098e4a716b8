"""A package that is a folder: which files it has, and none that leads out of it or would block."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial as partial_
from typing import TYPE_CHECKING

from ..errors import PackageError
from ..limits import MAX_MEMBERS, MAX_UNPACKED_BYTES
from .members import Member, kind_of, open_regular
from .names import FILES, file_name, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Problem

PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Container:
    """The files of a package, opened. `others` are names of files that are none of the package's four.

    `partial`: a recording that was not closed. `problems` are those of the container itself (a damaged zip member).
    `other(name)` opens one of `others` for its hash and raises `PackageError` where it cannot.
    """

    name: str
    members: dict[str, Member]
    others: tuple[str, ...] = ()
    partial: bool = False
    problems: tuple[Problem, ...] = field(default=())
    other: Callable[[str], Member] | None = None


def open_folder(path: str) -> Container:
    """Open the files of a folder. Raises `PackageError` for links that leave it, pipes, devices, and over a limit."""
    root = os.path.realpath(path)
    name = file_name(root)
    partial = name.endswith(PARTIAL)
    members: dict[str, Member] = {}
    for known in FILES:
        place = os.path.join(root, known)  # noqa: PTH118  # paths of this module are plain text: thousands of them
        if os.path.lexists(place):
            real = _inside(place, root, known)
            handle = open_regular(real, known, growing=partial)
            members[known] = Member(known, handle, 0, handle.size, path=real)
    if not members:
        raise PackageError("not a package", file=name, expected=" or ".join(FILES), found="none of them")
    total = sum(member.size for member in members.values())
    if total > MAX_UNPACKED_BYTES:
        raise PackageError(
            "the package is too large",
            file=name,
            expected=f"at most {MAX_UNPACKED_BYTES} bytes",
            found=f"{total} bytes",
        )
    return Container(name, members, _others(root), partial, other=partial_(_other, root))


def _other(root: str, name: str) -> Member:
    handle = open_regular(_inside(os.path.join(root, name), root, name), name)  # noqa: PTH118  # as above
    return Member(name, handle, 0, handle.size)


def _others(root: str) -> tuple[str, ...]:
    """Names of all other files. Nothing of them is opened; what is not a file, or leads out, refuses the package."""
    found: list[str] = []
    folders = [root]
    count = 0
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > MAX_MEMBERS:
                        raise PackageError(
                            "too many files in the folder", expected=f"at most {MAX_MEMBERS}", found="more"
                        )
                    name = _shown(os.path.relpath(entry.path, root))
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_symlink():
                        _inside(entry.path, root, name)
                    elif not entry.is_file(follow_symlinks=False):
                        kind = kind_of(entry.stat(follow_symlinks=False).st_mode)
                        raise PackageError("not a regular file", file=name, expected="a file", found=kind)
                    if name not in FILES and not entry.is_dir(follow_symlinks=False):
                        found.append(name)
        except OSError as error:
            raise PackageError("the folder cannot be read", found=error.strerror) from error
    return tuple(sorted(found))


def _inside(path: str, root: str, name: str) -> str:
    """Where a path really leads, which must be inside the folder."""
    real = os.path.realpath(path)
    if real != path and os.path.commonpath([real, root]) != root:
        raise PackageError("a link that leaves the folder", file=name, expected="a place in the folder")
    return real


def _shown(name: str) -> str:
    return one_line(os.fsencode(name).decode("utf-8", "backslashreplace"))
