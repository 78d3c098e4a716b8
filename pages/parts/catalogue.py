"""Which packages this server offers: bundled samples, arguments, an archive folder, and one session's uploads.

Pure of Streamlit. Every entry has a plain id for addresses; its `name` is text from outside and is shown inert.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from core.batch import PassedOver, find, is_package
from core.limits import MAX_ARCHIVE_ENTRIES

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_archives"
FIRST_SAMPLE = "video_start_overwritten"
MANIFEST = "manifest.json"
_LONGEST = 80
"""Characters of an identifier that is made of a name."""

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


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server offers to every visitor: entries, its archive folders, and what a search of those passed over."""

    entries: tuple[Entry, ...]
    folders: tuple[Path, ...]
    passed: tuple[PassedOver, ...]


def offer(found: Arguments) -> Offer:
    """Everything that this server offers to every visitor; ids are unique, and those of the samples never change.

    A folder among the arguments that is no package is an archive folder like the one behind `--archive-dir`.
    """
    paths = [Path(text).resolve() for text in found.paths]
    folders = [path for path in paths if path.is_dir() and not is_package(path)]
    listed = [*_samples(), *(_argument(path) for path in paths if path not in folders)]
    if found.archive_dir is not None:
        folders.append(Path(found.archive_dir).resolve())
    passed: list[PassedOver] = []
    for folder in dict.fromkeys(folders):
        inside, over = _archive(folder, folder.name if len(folders) > 1 else "")
        listed += inside
        passed += over
    return Offer(_told_apart(listed), tuple(dict.fromkeys(folders)), tuple(passed))


def offered(found: Arguments) -> tuple[Entry, ...]:
    """The entries of `offer`."""
    return offer(found).entries


def _told_apart(listed: Sequence[Entry]) -> tuple[Entry, ...]:
    made: dict[str, Entry] = {}
    turns: dict[str, int] = {}
    for entry in listed:
        unique = entry.id
        while unique in made:
            turns[entry.id] = turns.get(entry.id, 1) + 1
            unique = f"{entry.id}-{turns[entry.id]}"
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
    cleaned = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:_LONGEST]
    return cleaned or "package"


def _identifier_inside(name: str) -> str:
    """The identifier of a file in a folder: where it would be cut it ends in a hash, so that it stays the file's own."""
    if len(name) <= _LONGEST:
        return identifier(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{identifier(name)[: _LONGEST - 9]}-{digest[:8]}"


def stored_name(name: str) -> str:
    """The name under which an upload is stored: a plain identifier that keeps its ending."""
    return identifier(Path(name.replace("\\", "/")).name)


def _samples() -> list[Entry]:
    if not SAMPLES.is_dir():
        return []
    paths = sorted((path for path in SAMPLES.iterdir() if _is_sample(path)), key=_stalled_first)
    return [Entry(identifier(_stem(path)), _stem(path), "sample", path) for path in paths]


def _argument(path: Path) -> Entry:
    """Whether it exists is found out, and said, when it is opened."""
    return Entry(identifier(_stem(path)), path.name or str(path), "argument", path)


def _archive(folder: Path, prefix: str) -> tuple[list[Entry], list[PassedOver]]:
    """At most `MAX_ARCHIVE_ENTRIES` files and packages, never one that lies outside the folder, and what is passed over.

    Every file may be a recording: whether one is shows when it is read.
    """
    if not folder.is_dir():
        return [], [PassedOver(folder.name, "there is no such folder")]
    found, passed = find([folder], MAX_ARCHIVE_ENTRIES)
    entries = []
    for each in found:
        if each.path.resolve() != each.path:
            continue
        inside = folder.name if each.path == folder else str(each.path.relative_to(folder))
        name = f"{prefix}/{inside}" if prefix else inside
        entries.append(Entry(_identifier_inside(name), name, "archive", each.path))
    return entries, passed


def _stem(path: Path) -> str:
    return path.name.removesuffix(".zip")


def _stalled_first(path: Path) -> tuple[bool, str]:
    return (_stem(path) != FIRST_SAMPLE, path.name)


def _is_sample(path: Path) -> bool:
    return (path / MANIFEST).is_file() or path.suffix.lower() == ".zip"
