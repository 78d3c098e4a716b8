"""Which packages this server offers: bundled samples, arguments, an archive folder, and one session's uploads.

Pure of Streamlit. Every entry has a plain id for addresses; its `name` is text from outside and is shown inert.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from core.limits import MAX_ARCHIVE_DEPTH, MAX_ARCHIVE_ENTRIES

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_archives"
FIRST_SAMPLE = "video_start_overwritten"
MANIFEST = "manifest.json"
FILE_ENDINGS = (".zip", ".jsonl", ".json", ".traj", ".eval")

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


def samples() -> tuple[Entry, ...]:
    """The bundled samples, the stalled run first."""
    if not SAMPLES.is_dir():
        return ()
    paths = sorted((path for path in SAMPLES.iterdir() if _looks_openable(path)), key=_first_sample_first)
    return _entries(((path.name.removesuffix(".zip"), path) for path in paths), "sample")


def arguments(found: Arguments) -> tuple[Entry, ...]:
    """What the command line named, in its order. Whether it exists is found out when it is opened."""
    return _entries(((Path(text).name or text, Path(text).resolve()) for text in found.paths), "argument")


def archive(folder: Path) -> tuple[Entry, ...]:
    """The packages in an archive folder, at most `MAX_ARCHIVE_ENTRIES`, never one that lies outside it."""
    root = folder.resolve()
    found = []
    for path in _walk(root, MAX_ARCHIVE_DEPTH):
        if len(found) == MAX_ARCHIVE_ENTRIES:
            break
        if path.resolve().is_relative_to(root):
            found.append((str(path.relative_to(root)), path.resolve()))
    return _entries(found, "archive")


def upload(name: str, path: Path) -> Entry:
    """One visitor's upload, already stored in that session's private folder under its content hash."""
    return Entry(f"upload-{path.parent.name[:12]}", name, "upload", path)


def _first_sample_first(path: Path) -> tuple[bool, str]:
    return (path.name.removesuffix(".zip") != FIRST_SAMPLE, path.name)


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


def _entries(named: Iterable[tuple[str, Path]], origin: Origin) -> tuple[Entry, ...]:
    made: dict[str, Entry] = {}
    for name, path in named:
        base = identifier(name)
        unique, turn = base, 2
        while unique in made:
            unique, turn = f"{base}-{turn}", turn + 1
        made[unique] = Entry(unique, name, origin, path)
    return tuple(made.values())


def identifier(name: str) -> str:
    """A plain identifier made from a file name: what addresses may not carry becomes `-`."""
    cleaned = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:80]
    return cleaned or "package"
