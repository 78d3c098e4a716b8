"""A measurement as text for a terminal: Markdown tables, so that a part can be pasted into a document as it is.

What a package says (names, statuses, reasons) is shown with everything unprintable escaped: it cannot steer a terminal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..codec import CODECS
from .components import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .figures import ContextFigures, Figures, Measurement, Total

CAVEATS = (
    "Stored contexts include rejected and unused attempts: these are not billed-call totals. No request was made.",
    "Cost and reasoning quality are not measured.",
)
_LONGEST = 160


def short(version: str) -> str:
    """`v6` for `investigation_project_v6`."""
    return version.rpartition("_")[2]


def printable(text: str) -> str:
    """A text in one line with what is not printable escaped, and `|` told apart from a table's own; at most 160 characters."""
    shown = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text).replace("|", "\\|")
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def printed(measurement: Measurement) -> Iterator[str]:
    """The lines of the whole report."""
    for part in measurement.by_package():
        yield f"## {printable(part.contexts[0].package)}" if part.contexts else "## no stored contexts"
        yield ""
        yield from _contexts(part)
        yield from _totals(part)
    yield "## Summary"
    yield ""
    yield from summary(measurement)
    yield ""
    yield from CAVEATS


def summary(measurement: Measurement) -> Iterator[str]:
    """One row a package: contexts, user text and all messages in bytes for each encoding, and what the last one saves."""
    versions = measurement.versions
    heads = [f"{short(version)} {part}" for part in ("user text", "all messages") for version in versions]
    yield from _head(["package", "stored contexts", *heads, *_saving_heads(versions)])
    for part in measurement.by_package():
        totals = part.totals()
        sizes = [(totals[version], totals[version].user.bytes) for version in versions]
        sizes += [(totals[version], totals[version].all.bytes) for version in versions]
        cells = [_count(size) if total.contexts else "-" for total, size in sizes]  # nothing measured is not 0 bytes
        yield _row([printable(part.contexts[0].package), str(len(part.contexts)), *cells, *_savings(totals, versions)])


def _contexts(part: Measurement) -> Iterator[str]:
    heads = [f"{short(version)} {what}" for version in part.versions for what in ("user B", "all B")]
    yield from _head(["context", "status", "stored as", "stored B", *heads, "exact", "remarks"])
    for row in part.contexts:
        cells = [
            _count(size.bytes)
            for version in part.versions
            if version in row.versions
            for size in (row.versions[version].user, row.versions[version].all)
        ]
        cells = cells or ["-"] * len(heads)
        name = f"{row.index}.{row.attempt}" if row.attempt != 1 else str(row.index)
        stored = "-" if row.stored is None else _count(row.stored.bytes)
        yield _row([name, printable(row.status), printable(row.format), stored, *cells, _exactness(row), _remarks(row)])
    yield ""


def _exactness(row: ContextFigures) -> str:
    wrong = [short(version) for version, figures in row.versions.items() if not figures.exact]
    return f"NOT in {', '.join(wrong)}" if wrong else "yes" if row.versions else "-"


def _remarks(row: ContextFigures) -> str:
    found = [f"not measured: {row.reason}"] if row.reason else []
    if row.hash_matches is False:
        found.append("the stored request hash does not match the stored messages")
    for version, figures in row.versions.items():
        if figures.reason:
            found.append(f"{short(version)}: {figures.reason}")
        if figures.instructions == "kept":
            found.append(f"{short(version)}: the stored system text is not this project's and was kept")
    return printable("; ".join(found))


def _totals(part: Measurement) -> Iterator[str]:
    totals = part.totals()
    yield from _head(
        [
            "total",
            "contexts",
            "user B",
            "user chars",
            "user tokens",
            "all B",
            "all chars",
            "all tokens",
            "exact",
            "fell back",
        ]
    )
    for version, total in totals.items():
        sizes = [_count(size) for one in (total.user, total.all) for size in (one.bytes, one.chars, one.tokens)]
        counts = [f"{total.exact} of {total.contexts}", str(total.fell_back)]
        yield _row([short(version), str(total.contexts), *sizes, *counts])
    yield ""
    yield from _statuses(part)
    yield from _head(["component, bytes", *map(short, part.versions)])
    for component in COMPONENTS:
        yield _row([component, *(_count(total.components.get(component, 0)) for total in totals.values())])
    yield ""
    yield from _head(["bytes shared as a prefix with the context before", *map(short, part.versions)])
    yield _row(["user text", *(_share(total.user_prefix, total.user.bytes) for total in totals.values())])
    yield _row(["all messages", *(_share(total.all_prefix, total.all.bytes) for total in totals.values())])
    yield ""
    yield from _component_tokens(part)


def _component_tokens(part: Measurement) -> Iterator[str]:
    counted: list[dict[str, int]] = []
    for version in part.versions:
        rows: list[Figures] = [row.versions[version] for row in part.measured]
        if not rows or any(row.component_tokens is None for row in rows):
            yield "Tokens are unknown: the optional tokenizer is not installed (extra `tokens`)."
            yield ""
            return
        counted.append({name: sum((row.component_tokens or {}).get(name, 0) for row in rows) for name in COMPONENTS})
    yield from _head(["component, tokens counted apart (they do not add up)", *map(short, part.versions)])
    for component in COMPONENTS:
        if component != "structure":
            yield _row([component, *(_count(tokens[component]) for tokens in counted)])
    yield ""


def _statuses(part: Measurement) -> Iterator[str]:
    heads = [f"{short(version)} {what}" for version in part.versions for what in ("user B", "all B")]
    yield from _head(["status", "stored contexts", "measured", *heads])
    for status, count in part.statuses().items():
        totals = part.totals(status)
        cells = [_count(size.bytes) for total in totals.values() for size in (total.user, total.all)]
        measured = max((total.contexts for total in totals.values()), default=0)
        yield _row([printable(status), str(count), str(measured), *cells])
    yield ""


def _steps(versions: Sequence[str]) -> list[tuple[str, str]]:
    """An encoding beside the one it builds on, where both are measured: no saving is ever counted a second time."""
    return [(early, late) for early, late in pairwise(versions) if CODECS[late].previous == early]


def _saving_heads(versions: Sequence[str]) -> list[str]:
    return [f"{short(late)} saves over {short(early)} (all messages)" for early, late in _steps(versions)]


def _savings(totals: dict[str, Total], versions: Sequence[str]) -> list[str]:
    return [_saved(totals[early].all.bytes, totals[late].all.bytes) for early, late in _steps(versions)]


def _saved(before: int, after: int) -> str:
    return "-" if before == 0 else f"{100 * (before - after) / before:.2f} %"


def _share(part: int, whole: int) -> str:
    return f"{_count(part)} ({100 * part / whole:.1f} %)" if whole else "0"


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _head(cells: list[str]) -> Iterator[str]:
    yield _row(cells)
    yield "|" + "---|" * len(cells)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
