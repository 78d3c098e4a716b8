"""The one small family of errors that `core` raises.

Bad input never escapes as a KeyError or a UnicodeDecodeError: whoever reads untrusted bytes turns what is wrong into
one of these, and names the file, the line (1-based), what was expected and what was found. Callers that only want to
tell a person what happened print `str(error)`; callers that sort or show it read the fields.
"""

from __future__ import annotations


class InspectorError(Exception):
    """Something the input did that we refuse or cannot read.

    `message` is one sentence without a full stop; `file` is a name inside the package or recording (never an absolute
    path of this machine), `line` is 1-based and counts physical lines, `expected` and `found` are short texts.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.expected = expected
        self.found = found
        super().__init__(describe(message, file=file, line=line, expected=expected, found=found))


class JsonError(InspectorError):
    """A text that is not JSON, or a value that JSON or the canonical text cannot carry."""


class TooManyValuesError(JsonError):
    """A text that is refused before it is read, because it would take too much memory (`limits.MAX_VALUES`)."""


class PackageError(InspectorError):
    """A container that is refused whole: hostile, over a limit, or not a package at all."""


class RecordError(InspectorError):
    """One record that cannot be read; its neighbours can."""


class RecordingError(InspectorError):
    """A file that no reader knows, or a known kind of recording that is not supported or not readable."""


class UnsupportedError(RecordingError):
    """A file that no reader reads: of no known kind, or of a known kind that has no reader yet (it is named)."""


class ViewError(InspectorError):
    """A working view that an encoding cannot encode or restore exactly (unknown reference, wrong shape, bad version)."""


class InvestigationError(InspectorError):
    """A bounded run that was set up wrongly (for example a scripted reply that is missing)."""


def describe(
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    expected: str | None = None,
    found: str | None = None,
) -> str:
    """One sentence for a person: `decisions.jsonl, line 3: message (expected ..., found ...)`."""
    place = ", ".join(part for part in (file, f"line {line}" if line is not None else None) if part)
    detail = ", ".join(
        part for part in (f"expected {expected}" if expected else None, f"found {found}" if found else None) if part
    )
    return f"{place + ': ' if place else ''}{message}{f' ({detail})' if detail else ''}"
