"""The work on one file: pure functions of a path and plain options, whose results are plain picklable data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..canonical import loads, loads_last
from ..codec.base import is_object
from ..delivery import deliver
from ..diagnosis import diagnose
from ..diagnosis.as_json import as_json
from ..errors import InspectorError, JsonError, RecordingError, TooManyValuesError, UnsupportedError
from ..limits import MAX_RECORDING_BYTES
from ..measure import Measurement, measure, measure_view
from ..measure.stored import holds_evidence
from ..package import check
from ..readers import open_any
from ..working_view import working_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..codec.base import View

    Progress = Callable[[int, int], None]


def diagnose_file(path: str, name: str, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Every investigation in a package or recording, diagnosed: the objects that `diagnose --json` prints.

    `{"package": name, "part": from 1, "title", "prompts", "replies"}` and what `core.diagnosis.as_json` says. Raises
    `InspectorError`.
    """
    said = []
    for part, opened in enumerate(open_any(path), start=1):
        investigation = opened if opened.problems_complete else check(opened)
        diagnosis = diagnose(investigation, deliver(investigation, progress))
        about = {
            "package": name,
            "part": part,
            "title": investigation.title,
            "prompts": investigation.prompts,
            "replies": investigation.replies,
        }
        said.append(about | as_json(investigation, diagnosis))
    return said


def not_diagnosed(name: str, error: InspectorError) -> dict[str, Any]:
    """The object of a file that cannot be read, in the same shape: `verdict` is null and `problems` says why."""
    problem = {
        "file": error.file,
        "line": error.line,
        "what": error.message,
        "expected": error.expected,
        "found": error.found,
        "severity": "error",
    }
    nothing: dict[str, Any] = dict.fromkeys(("part", "title", "prompts", "replies", "grade", "decisions", "verdict"))
    return {"package": name} | nothing | {"repeats": [], "patterns": [], "problems": [problem]}


def measure_file(
    path: str, name: str, versions: Sequence[str], built: bool = False, progress: Progress | None = None
) -> list[Measurement]:
    """The stored contexts of every investigation in a package or recording, or of a bare view in a .json file, measured.

    A file of several investigations gives one measurement for each, called `name #1`, `name #2`. `built`: a context without
    a working view is measured in one built from the results that its prompt carried. Raises `InspectorError`.
    """
    broken: JsonError | None = None
    if path.endswith(".json"):
        try:
            view = _view(Path(path))
        except JsonError as error:
            broken = error
        else:
            if view is not None:
                return [measure_view(view, versions, name=name)]
    try:
        opened = open_any(path)
    except UnsupportedError as error:
        if broken is None:
            raise
        limited = isinstance(broken, TooManyValuesError)
        expected = broken.expected if limited else _VIEW
        raise UnsupportedError(broken.message, file=Path(path).name, expected=expected, found=broken.found) from error
    return [
        measure(
            one,
            versions,
            name=part_name(name, part, len(opened)),
            progress=progress,
            build=partial(working_view, one) if built else None,
        )
        for part, one in enumerate(opened, start=1)
    ]


def part_name(name: str, part: int, parts: int) -> str:
    """What rows call investigation number `part` (from 1) of a file: `name`, or `name #2` where there are several."""
    return name if parts == 1 else f"{name} #{part}"


_VIEW = "a recording, or a working view: a JSON object with a list `evidence`"


def _view(path: Path) -> View | None:
    """The working view in a file; None where it holds something else. Raises `JsonError` for what is not exact JSON."""
    try:
        if path.stat().st_size > MAX_RECORDING_BYTES:
            raise RecordingError(
                "the file is too large", file=path.name, expected=f"at most {MAX_RECORDING_BYTES:,} bytes"
            )
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")  # as in packages: a mark in front costs nothing
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise RecordingError("cannot read the file", file=path.name, found=reason) from error
    value = loads_last(raw)
    if not (is_object(value) and holds_evidence(value)):
        return None
    return cast("View", loads(raw))
