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
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_archives"
FIRST_SAMPLE = "video_start_overwritten"
MANIFEST = "manifest.json"
_LONGEST = 80
"""Characters of an identifier that is made of a name."""

Origin: TypeAlias = Literal["sample", "argument", "archive", "upload"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One package or recording that can be opened: its `id` in addresses, the name shown (its own), where it is."""

    id: str
    name: str
    origin: Origin
    path: Path

    @property
    def missing(self) -> bool:
        """Whether nothing is there: a path behind `--` is offered as it was typed."""
        return self.origin == "argument" and not _is_there(self.path)

    @property
    def private(self) -> bool:
        """Whether it belongs to one session only."""
        return self.origin == "upload"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What stood behind `--` on the command line."""

    paths: tuple[str, ...] = ()
    archive_dir: str | None = None
    unknown: tuple[str, ...] = ()
    """Options that the app does not have."""


def read_arguments(argv: Sequence[str]) -> Arguments:
    """Read `app.py PATH ... [--archive-dir DIR]`; a command line that is not this app's own is not looked at."""
    if not argv or Path(argv[0]).name != "app.py":
        return Arguments()
    parser = argparse.ArgumentParser(prog="streamlit run app.py --", exit_on_error=False, add_help=False)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--archive-dir")
    try:
        found, unknown = parser.parse_known_intermixed_args(list(argv[1:]))
    except argparse.ArgumentError:  # an option without its value
        return Arguments(unknown=tuple(argv[1:]))
    return Arguments(tuple(found.paths), found.archive_dir, tuple(unknown))


def complaints(found: Arguments) -> list[str]:
    """What is wrong with the command line, one sentence each: paths where nothing is, options that the app has not."""
    said = [f"{text}: there is no such file or folder" for text in found.paths if not _is_there(Path(text))]
    folder = found.archive_dir
    if folder is not None and not Path(folder).is_dir():
        said.append(f"--archive-dir {folder}: there is no such folder")
    option = "the app knows no such option (it knows --archive-dir DIR)"
    behind = "not opened: it stands behind an unknown option"
    return said + [f"{text}: {option if text.startswith('-') else behind}" for text in found.unknown]


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        return False


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
    folders = [path for path in paths if _is_there(path) and path.is_dir() and not is_package(path)]
    arguments = list(dict.fromkeys(path for path in paths if path not in folders))
    if found.archive_dir is not None:
        folders.append(Path(found.archive_dir).resolve())
    folders = list(dict.fromkeys(folders))
    prefixes = apart(folders)
    samples, archive, passed = _samples(), list[Entry](), list[PassedOver]()
    for folder in folders:
        inside, over = _archive(folder, prefixes[folder] if len(folders) > 1 else "")
        archive += inside
        passed += over
    names = apart(arguments, {each.name: each.path for each in (*samples, *archive)})
    listed = [*samples, *(_argument(path, names[path]) for path in arguments), *archive]
    return Offer(_told_apart(listed), tuple(folders), tuple(passed))


def apart(paths: Sequence[Path], taken: Mapping[str, Path] | None = None) -> dict[Path, str]:
    """What each path is called: its name, and as many of the folders above it as tell it from the others and from `taken`.

    Never more than that, and never the root: of `/a/runs/later` and `/b/runs/later` the first is `a/runs/later`.
    """
    known = taken or {}
    names: dict[Path, str] = {}
    for path in paths:
        parts = path.parts[1:] or path.parts
        tails = ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
        others = [f"/{'/'.join(other.parts[1:])}" for other in paths if other != path]
        free = (
            tail
            for tail in tails
            if not any(other.endswith(f"/{tail}") for other in others) and known.get(tail, path) == path
        )
        names[path] = next(free, "/".join(parts))
    return names


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


def _argument(path: Path, name: str) -> Entry:
    """Whether it can be read is found out, and said, when it is opened."""
    return Entry(identifier(_stem(path)), name, "argument", path)


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
