"""Behind the Formats and Conflicts pages: what they ask of `core`, worked out once per package, and texts for the viewer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from core.batch import part_name
from core.codec.shared_lines import Beside, Item, beside
from core.conflict_index import ConflictIndex, conflict_index, snapshot, view_at
from core.measure import Measurement, measure
from core.measure.tables import short
from core.wording import key_text
from core.working_view import working_view

from .holding import decision_at, kept
from .jobs import Job, wait
from .palette import KIND_IDS
from .prompts import group
from .sizes import exact
from .viewer.payload import Mark, Part, payload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from core.codec.shared_lines import Piece, Side
    from core.conflict_index import ConflictingFile
    from core.conflicts import FileConflicts

    from .holding import Held

_KEPT: Final = 16
_TEXTS: Final = 32


@kept(_KEPT)
def _measured(held: Held, versions: tuple[str, ...], built: bool) -> Job[Measurement]:  # keys of a cache
    found = held.investigation
    build = partial(working_view, found) if built else None
    name = part_name(held.entry.name, held.part, len(held.parts))
    return Job(lambda progress: measure(found, versions, name=name, progress=progress, build=build))


def measured(held: Held, versions: tuple[str, ...], *, built: bool) -> Measurement:
    """Every stored context in `versions`; `built`: also those without a working view, in one built from their prompt."""
    return wait(
        _measured(held, versions, built), f"Measuring every context in {' and '.join(short(each) for each in versions)}"
    )


@kept(_TEXTS)
def _beside(held: Held, place: int, versions: tuple[str, ...]) -> Job[tuple[Beside, bool]]:
    def made() -> tuple[Beside, bool]:
        view, form, built = view_at(decision_at(held, place), partial(working_view, held.investigation))
        return beside(view, form, versions), built

    return Job(lambda _: made())


def texts(held: Held, place: int, versions: tuple[str, ...]) -> tuple[Beside, bool]:
    """The view of the decision at `place` in each of `versions`, and whether it was built. Raises `InspectorError`."""
    return wait(_beside(held, place, versions), "Encoding the view")


def line_name(item: Item) -> str:
    """What the address calls a line: record and item, both from 1."""
    return f"{item[0] + 1}.{item[1] + 1}"


def text_group(held: Held, place: int, version: str, other: str) -> str:
    """What names one of two texts to the browser."""
    return group(held, f"beside|{place}|{version}|{other}")


@kept(_TEXTS)
def text_payload(held: Held, place: int, versions: tuple[str, ...], number: int) -> bytes:
    """What the viewer is sent for side `number` of `texts`."""
    found, built = texts(held, place, versions)
    side = found.sides[number]
    name = f"{short(side.version)} · decision {key_text(held.investigation.decisions[place].key)}"
    revision = f"{text_group(held, place, side.version, versions[1 - number])}:0"
    notes = ["Built from the results of this prompt: it was not sent like this."] if built else []
    if side.fell_back:
        notes.append(f"{short(side.version)} fell back: {side.reason}.")
    return payload(revision, name, _parts(found, side), KIND_IDS, " ".join(notes))


def _parts(found: Beside, side: Side) -> Iterator[Part]:
    seen: dict[Item, int] = {}
    for line in found.lines.values():
        seen[line] = seen.get(line, 0) + 1
    places = iter(side.places)
    place = next(places, None)
    for piece in side.pieces:
        marks: list[Mark] = []
        while place is not None and place.start < piece.end:
            kind = "shared" if seen[place.line] > 1 else "line"
            marks.append(Mark(place.start - piece.start, place.end - piece.start, kind, line_name(place.line)))
            place = next(places, None)
        text = side.raw[piece.start : piece.end].decode("utf-8", "surrogatepass")
        breaks = [mark.start for mark in marks] + ([marks[-1].end] if marks else [])
        yield Part(_title(piece), exact(piece.end - piece.start), text, marks, breaks=breaks)


def _title(piece: Piece) -> str:
    if piece.kind == "record":
        return f"record {(piece.number or 0) + 1} · {piece.name or 'without id'}"
    if piece.kind == "lines":
        return f"source lines of {piece.name} · {piece.path}"
    return f"table {piece.name}" if piece.kind == "table" else piece.name


@kept(_KEPT)
def _conflicts(held: Held) -> Job[ConflictIndex]:
    return Job(lambda progress: conflict_index(held.investigation, progress))


def conflicts(held: Held) -> ConflictIndex:
    """The conflicts of every context."""
    return wait(_conflicts(held), "Comparing the captures of every context")


def file_of(index: ConflictIndex, file: FileConflicts) -> ConflictingFile:
    """The numbered file of the run that a context's file is."""
    wanted = snapshot(file)
    return next(each for each in index.files if each.snapshot == wanted)


@kept(_KEPT)
def evidence_fragments(held: Held) -> Mapping[str, str]:
    """Evidence id → id of the first fragment that was recorded as it; of views that were built, fragments themselves."""
    found: dict[str, str] = {}
    for fragment in held.investigation.fragments:
        found.setdefault(fragment.evidence or fragment.id, fragment.id)
    return found
