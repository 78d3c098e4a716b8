"""The text of each part of a `bounded_repair_v1` user message; the whole grammar stands in the package's docstring.

Every function here gives text; sizes are UTF-8 bytes. What a body became has a fixed width, so the size of a ledger
does not depend on it: that is why the room for blocks can be known before it is known which of them fit.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from ..canonical import byte_length, canonical_text
from ..errors import InvestigationError
from ..model import BODY_STATES

if TYPE_CHECKING:
    from ..model import Fragment, SourceRange

UNKNOWN = "unknown"
"""What a ledger line says of a body whose lookup has no known outcome (`LedgerEntry.body` is None)."""

ENTRY_STATUSES = ("completed", "reopened", "failed", "uncertain")
"""`reopened`: completed, and a patch has changed one of its sources since, so that it may be asked again."""

_STATE_WIDTH = max(len(state) for state in (*BODY_STATES, UNKNOWN))
_STATUS_WIDTH = max(len(status) for status in ENTRY_STATUSES)
_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_HASH = re.compile(r"[A-Za-z0-9:._+/=-]{1,128}")
UNHASHED = "unhashed"


def base_section(base: str) -> str:
    """The base context behind a line that gives its bytes."""
    return f"Base context (bytes: {byte_length(base)}):\n{base}"


def ledger_line(number: int, fragment: Fragment, status: str, body: str | None) -> str:
    """One ledger entry with its line feed; `body` is one of `BODY_STATES`, None where no outcome is known."""
    return (
        f"{number}. decision {fragment.requested_by}, {status:<{_STATUS_WIDTH}}, result {fragment.id}, "
        f"body {body or UNKNOWN:<{_STATE_WIDTH}}: {fragment.lookup.identity}\n"
    )


def ledger_heading(count: int, size: int) -> str:
    """The line before the ledger's `count` entries of `size` bytes together; with the empty line before it."""
    return f"\n\nLookup ledger (entries: {count}, bytes: {size}):\n"


def supplied_line(source: SourceRange) -> str:
    """One supplied range with its line feed."""
    return f"{source_text(source)}\n"


def supplied_heading(count: int, size: int) -> str:
    """The line before the `count` supplied ranges, whose lines take `size` bytes."""
    return f"\nSupplied ranges (entries: {count}, bytes: {size}):\n"


def block_heading(fragment: Fragment, kept: int) -> str:
    """What stands before `kept` bytes of a body: who asked, how much of it follows, what it is and of which files."""
    versions = groupby(fragment.sources, key=lambda source: (source.path, source.hash))
    sources = "; ".join(
        f"{version_text(*version)} lines {', '.join(f'{each.start}-{each.end}' for each in ranges)}"
        for version, ranges in versions
    )
    return (
        f"\nResult {fragment.id} (decision: {fragment.requested_by}, bytes: {kept} of {fragment.byte_length}): "
        f"{fragment.lookup.identity} from {sources or 'no file'}\n"
    )


def guidance(kept: int, total: int) -> str:
    """What stands after a cut body."""
    return f"\n[Cut here: {kept} of {total} bytes are kept. Ask for a narrower range to see the rest.]"


def block_bytes(fragment: Fragment, kept: int) -> int:
    """Size of a block with its heading, separators and guidance."""
    total = fragment.byte_length
    ending = byte_length(guidance(kept, total)) if kept < total else 0
    return byte_length(block_heading(fragment, kept)) + kept + ending


def source_text(source: SourceRange) -> str:
    """A range as one piece of text: path as a JSON string, content hash, lines."""
    return f"{version_text(source.path, source.hash)} lines {source.start}-{source.end}"


def version_text(path: str, content_hash: str | None) -> str:
    """One version of a file: path as a JSON string, content hash."""
    return f"{canonical_text(path)} {content_hash or UNHASHED}"


def check_fragment(fragment: Fragment) -> None:
    """Refuse what the text could not carry so that it can be read back.

    Raises `InvestigationError` for an id, status, requesting decision or content hash that has another shape.
    """
    if fragment.status not in ENTRY_STATUSES:
        raise InvestigationError(
            "a status that a ledger cannot hold", expected=", ".join(ENTRY_STATUSES), found=fragment.status[:80]
        )
    if not _ID.fullmatch(fragment.id):
        raise InvestigationError(
            "a fragment id that a prompt cannot carry", expected=_ID.pattern, found=fragment.id[:80]
        )
    if fragment.requested_by is None or fragment.requested_by < 0:
        raise InvestigationError(f"fragment {fragment.id} does not say which decision asked for it")
    for source in fragment.sources:
        if source.hash is not None and not _HASH.fullmatch(source.hash):
            raise InvestigationError(
                "a content hash that a prompt cannot carry", expected=_HASH.pattern, found=source.hash[:80]
            )
