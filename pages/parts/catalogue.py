"""Which packages this server offers: bundled samples, arguments, an archive folder, and one session's uploads.

Pure of Streamlit. Every entry has a plain id for addresses; its `name` is text from outside and is shown inert.
"""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from core.limits import MAX_ARCHIVE_DEPTH, MAX_ARCHIVE_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_archives"
FIRST_SAMPLE = "video_start_overwritten"
MANIFEST = "manifest.json"
FILE_ENDINGS = (".zip", ".jsonl", ".json", ".traj", ".eval", ".yaml", ".yml")

Origin: TypeAlias = Literal["sample", "argument", "archive", "upload"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One package or recording that can be opened: its `id` in addresses, the name shown, where it is."""

    id: str
    name: str
    origin: Origin
    path: Path

    @property
    def private(self) -> bool:
        """Whether it belongs to one session only."""
        return self.origin == "upload"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What stood behind `--` on the command line."""

    paths: tuple[str, ...] = ()
    archive_dir: str | None = None


def read_arguments(argv: Sequence[str]) -> Arguments:
    """Read `app.py PATH ... [--archive-dir DIR]`; a command line that is not this app's own is not looked at."""
    if not argv or Path(argv[0]).name != "app.py":
        return Arguments()
    parser = argparse.ArgumentParser(prog="streamlit run app.py --", exit_on_error=False, add_help=False)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--archive-dir")
    found, _ = parser.parse_known_args(list(argv[1:]))
    return Arguments(tuple(found.paths), found.archive_dir)


def offered(found: Arguments) -> tuple[Entry, ...]:
    """Everything that this server offers to every visitor; ids are unique, and those of the samples never change."""
    listed = [*_samples(), *_arguments(found)]
    if found.archive_dir is not None:
        listed += _archive(Path(found.archive_dir))
    made: dict[str, Entry] = {}
    for entry in listed:
        unique, turn = entry.id, 2
        while unique in made:
            unique, turn = f"{entry.id}-{turn}", turn + 1
        made[unique] = replace(entry, id=unique)
    return tuple(made.values())


def first(entries: Sequence[Entry]) -> Entry | None:
    """What is opened where the address names nothing: the first argument, else the stalled sample, else anything."""
    argument = next((entry for entry in entries if entry.origin == "argument"), None)
    return argument or (entries[0] if entries else None)


def upload(name: str, path: Path) -> Entry:
    """One visitor's upload, already stored in a folder of that session's own that is named by its content hash."""
    return Entry(f"upload-{path.parent.name[:16]}", name, "upload", path)


def identifier(name: str) -> str:
    """A plain identifier made from a file name: what addresses may not carry becomes `-`."""
    cleaned = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:80]
    return cleaned or "package"


def stored_name(name: str) -> str:
    """The name under which an upload is stored: a plain identifier that keeps its ending."""
    return identifier(Path(name.replace("\\", "/")).name)


def _samples() -> list[Entry]:
    if not SAMPLES.is_dir():
        return []
    paths = sorted((path for path in SAMPLES.iterdir() if _is_package(path)), key=_stalled_first)
    return [Entry(identifier(_stem(path)), _stem(path), "sample", path) for path in paths]


def _arguments(found: Arguments) -> list[Entry]:
    """Whether a path exists is found out, and said, when it is opened."""
    paths = [Path(text).resolve() for text in found.paths]
    return [Entry(identifier(_stem(path)), path.name or str(path), "argument", path) for path in paths]


def _archive(folder: Path) -> list[Entry]:
    """At most `MAX_ARCHIVE_ENTRIES` packages and recordings, never one that lies outside the folder."""
    root = folder.resolve()
    found: list[Entry] = []
    for path in _walk(root, MAX_ARCHIVE_DEPTH):
        if len(found) == MAX_ARCHIVE_ENTRIES:
            break
        inside = str(path.relative_to(root))
        if path.resolve().is_relative_to(root):
            found.append(Entry(identifier(inside), inside, "archive", path.resolve()))
    return found


def _stem(path: Path) -> str:
    return path.name.removesuffix(".zip")


def _stalled_first(path: Path) -> tuple[bool, str]:
    return (_stem(path) != FIRST_SAMPLE, path.name)


def _is_package(path: Path) -> bool:
    return (path / MANIFEST).is_file() or path.suffix.lower() == ".zip"


def _looks_openable(path: Path) -> bool:
    return (path / MANIFEST).is_file() or (path.is_file() and path.suffix.lower() in FILE_ENDINGS)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Packages and recordings below a folder in name order; a package folder is not entered."""
    try:
        with os.scandir(folder) as listing:
            names = sorted(entry.name for entry in listing if not entry.name.startswith("."))
    except OSError:
        return
    for name in names:
        path = folder / name
        if _looks_openable(path):
            yield path
        elif depth > 1 and path.is_dir() and not path.is_symlink():
            yield from _walk(path, depth - 1)
