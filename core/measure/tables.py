"""The tables of a measurement, as texts in cells: what the script prints and the Formats page draws, number for number.

What a package says (names, statuses, reasons) stands in the cells as it is: whoever shows it makes it harmless.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..codec import CODECS
from .components import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .figures import ContextFigures, Figures, Measurement, Size, Total

NO_TOKENS = "Tokens are unknown: the optional tokenizer is not installed (extra `tokens`)."
_SIZES = ("user B", "user chars", "user tokens", "all B", "all chars", "all tokens")


@dataclass(frozen=True)
class Table:
    """One table: `name` says which, `notes` are sentences that stand instead of rows or below them."""

    name: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Saving:
    """What `late` saves over `early`, the encoding it builds on: sizes before and after, over the same contexts."""

    early: str
    late: str
    before: Total
    after: Total


def short(version: str) -> str:
    """`v6` for `investigation_project_v6`."""
    return version.rpartition("_")[2]


def context_name(row: ContextFigures) -> str:
    """`3`, or `3.2` for a second attempt."""
    return f"{row.index}.{row.attempt}" if row.attempt != 1 else str(row.index)


def tables(part: Measurement) -> tuple[Table, ...]:
    """Every table of the measurement of one package, in the order in which the script prints them."""
    return (contexts(part), totals(part), savings(part), statuses(part), components(part), prefixes(part), tokens(part))


def contexts(part: Measurement) -> Table:
    """One row a stored context."""
    heads = [f"{short(version)} {what}" for version in part.versions for what in ("user B", "all B")]
    rows = []
    for row in part.contexts:
        sizes = [
            count(size.bytes)
            for version in part.versions
            if version in row.versions
            for size in (row.versions[version].user, row.versions[version].all)
        ]
        stored = "-" if row.stored is None else count(row.stored.bytes)
        cells = [context_name(row), row.status, row.format, stored, *(sizes or ["-"] * len(heads))]
        rows.append((*cells, exactness(row), "; ".join(remarks(row))))
    return Table("contexts", ("context", "status", "stored as", "stored B", *heads, "exact", "remarks"), tuple(rows))


def exactness(row: ContextFigures) -> str:
    """`yes`, `NOT in v6`, or `-` where nothing was measured."""
    wrong = [short(version) for version, figures in row.versions.items() if not figures.exact]
    return f"NOT in {', '.join(wrong)}" if wrong else "yes" if row.versions else "-"


def remarks(row: ContextFigures) -> Iterator[str]:
    """What has to be said about a context: why it was not measured, fell back, or kept its system text."""
    if row.built:
        yield "built from the results of this prompt, not recorded"
    if row.reason:
        yield f"not measured: {row.reason}"
    if row.hash_matches is False:
        yield "the stored request hash does not match the stored messages"
    for version, figures in row.versions.items():
        if figures.reason:
            yield f"{short(version)}: {figures.reason}"
        if figures.instructions == "kept":
            yield f"{short(version)}: the stored system text is not this project's and was kept"


def totals(part: Measurement) -> Table:
    """One row an encoding."""
    rows = [
        (
            short(version),
            str(total.contexts),
            *_sizes(total),
            f"{total.exact} of {total.contexts}",
            str(total.fell_back),
        )
        for version, total in part.totals().items()
    ]
    return Table("totals", ("total", "contexts", *_SIZES, "exact", "fell back"), tuple(rows))


def steps(versions: Sequence[str]) -> list[tuple[str, str]]:
    """An encoding beside the one it builds on, where both are measured: no saving is ever counted a second time."""
    return [(early, late) for early, late in pairwise(versions) if CODECS[late].previous == early]


def saved(part: Measurement) -> tuple[Saving, ...]:
    """The steps between encodings with their totals; empty where nothing was measured."""
    found = part.totals()
    return tuple(
        Saving(early, late, found[early], found[late]) for early, late in steps(part.versions) if part.measured
    )


def savings(part: Measurement) -> Table:
    """One row a step: what it saves of the size before it."""
    rows = []
    for step in saved(part):
        pairs = zip(_counts(step.before), _counts(step.after), strict=True)
        rows.append(
            (f"{short(step.late)} over {short(step.early)}", *(_less(before, after) for before, after in pairs))
        )
    notes = []
    stepped = {late for _, late in steps(part.versions)}
    for version in part.versions[1:]:
        previous = CODECS[version].previous
        if version not in stepped and previous is not None:
            notes.append(
                f"{short(version)} builds on {short(previous)}, which was not measured beside it: no saving is counted "
                f"for {short(version)}, because one over an older encoding would count {short(previous)}'s again."
            )
    return Table("savings", ("saving", *_SIZES) if rows else (), tuple(rows), tuple(notes))


def statuses(part: Measurement) -> Table:
    """One row a status."""
    heads = [f"{short(version)} {what}" for version in part.versions for what in ("user B", "all B")]
    rows = []
    for status, number in part.statuses().items():
        found = part.totals(status)
        cells = [count(size.bytes) for total in found.values() for size in (total.user, total.all)]
        measured = max((total.contexts for total in found.values()), default=0)
        rows.append((status, str(number), str(measured), *cells))
    return Table("statuses", ("status", "stored contexts", "measured", *heads), tuple(rows))


def components(part: Measurement) -> Table:
    """One row a component, in bytes."""
    found = part.totals()
    rows = tuple((name, *(count(total.components.get(name, 0)) for total in found.values())) for name in COMPONENTS)
    return Table("components", ("component, bytes", *map(short, part.versions)), rows)


def prefixes(part: Measurement) -> Table:
    """The bytes that contexts share with the context before, for the user text and for all messages."""
    found = part.totals()
    rows = (
        ("user text", *(_share(total.user_prefix, total.user.bytes) for total in found.values())),
        ("all messages", *(_share(total.all_prefix, total.all.bytes) for total in found.values())),
    )
    heads = ("bytes shared as a prefix with the context before", *map(short, part.versions))
    return Table("prefixes", heads, rows)


def tokens(part: Measurement) -> Table:
    """One row a component, in tokens; a note where they are unknown."""
    counted: list[dict[str, int]] = []
    for version in part.versions:
        rows: list[Figures] = [row.versions[version] for row in part.measured]
        if not rows or any(row.component_tokens is None for row in rows):
            return Table(
                "tokens", notes=(NO_TOKENS if rows else "Nothing was measured, so there are no tokens to count.",)
            )
        counted.append({name: sum((row.component_tokens or {}).get(name, 0) for row in rows) for name in COMPONENTS})
    return Table(
        "tokens",
        ("component, tokens counted apart (they do not add up)", *map(short, part.versions)),
        tuple((name, *(count(each[name]) for each in counted)) for name in COMPONENTS if name != "structure"),
    )


def summary(measurement: Measurement) -> Table:
    """One row a package: contexts, user text and all messages in bytes for each encoding, and what each one saves."""
    versions = measurement.versions
    heads = [f"{short(version)} {part}" for part in ("user text", "all messages") for version in versions]
    heads += [f"{short(late)} saves over {short(early)} (all messages)" for early, late in steps(versions)]
    rows = []
    for part in measurement.by_package():
        found = part.totals()
        sizes = [(found[version], found[version].user.bytes) for version in versions]
        sizes += [(found[version], found[version].all.bytes) for version in versions]
        cells = [count(size) if total.contexts else "-" for total, size in sizes]  # nothing measured is not 0 bytes
        cells += [percent(found[early].all.bytes, found[late].all.bytes) for early, late in steps(versions)]
        rows.append((part.contexts[0].package, str(len(part.contexts)), *cells))
    return Table("summary", ("package", "stored contexts", *heads), tuple(rows))


def count(number: int | None) -> str:
    """A number with its thousands apart; `unknown` for None."""
    return "unknown" if number is None else f"{number:,}"


def _counts(total: Total) -> tuple[int | None, ...]:
    def of(size: Size) -> tuple[int | None, ...]:
        return size.bytes, size.chars, size.tokens

    return of(total.user) + of(total.all)


def _sizes(total: Total) -> Iterator[str]:
    return map(count, _counts(total))


def _less(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return "unknown"
    return f"{before - after:,} ({percent(before, after)})"


def percent(before: int, after: int) -> str:
    """What is saved of `before`, as a share of it."""
    return "-" if before == 0 else f"{100 * (before - after) / before:.2f} %"


def _share(part: int, whole: int) -> str:
    return f"{count(part)} ({100 * part / whole:.1f} %)" if whole else "0"
