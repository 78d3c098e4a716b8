"""`investigation-inspector measure PATH ...`: what stored contexts cost in each encoding of the working view."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from ..batch import measure_file
from ..codec import CODECS
from ..measure import DEFAULT_VERSIONS, Measurement, combined, printed
from ..measure.printed import CAVEATS, short, summary
from . import Command
from .many import many_options, paths_argument, run_many, write_csv
from .said import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ..batch import Outcome, PassedOver


@click.command("measure", cls=Command)
@paths_argument
@click.option(
    "--target-version",
    "versions",
    multiple=True,
    metavar="VERSION",
    help=f"An encoding to measure; may be given several times. Known: {', '.join(CODECS)}. "
    f"Default: {' and '.join(DEFAULT_VERSIONS)}.",
)
@click.option(
    "--built",
    is_flag=True,
    help="Measure a context without a working view in one built from the results that its prompt carried.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
@many_options
def measure_command(
    paths: tuple[Path, ...],
    versions: tuple[str, ...],
    jobs: int,
    timeout: float,
    csv_file: Path | None,
    *,
    built: bool,
    as_json: bool,
) -> None:
    """Measure the stored contexts of packages (or of bare views, as .json files) in each encoding of the working view.

    A folder is searched for packages, recordings and views; several files are worked on at the same time. What is named
    is told in detail, with the summary of all, one row a package. No request is made. Stored contexts include rejected
    and unused attempts: the totals are not billed-call totals. Cost and reasoning quality are not measured.

    Exit status: 0; 2 where something cannot be read.
    """
    unknown = [version for version in versions if version not in CODECS]
    if unknown:
        raise click.BadParameter(
            f"unknown version {unknown[0]!r}; known: {', '.join(CODECS)}", param_hint="--target-version"
        )
    wanted = tuple(version for version in CODECS if version in (versions or DEFAULT_VERSIONS))
    outcomes, passed = run_many(
        "measure", measure_file, paths, (wanted, built), jobs=jobs, timeout=timeout, target=csv_file
    )
    whole = _whole(outcomes, wanted)
    if csv_file is not None:
        rows = list(_rows(outcomes, wanted))
        write_csv(csv_file, rows, _heads(wanted))
    if as_json:
        click.echo(json_text(whole, _not_measured(outcomes, passed)))
    elif any(outcome.made for outcome in outcomes):
        click.echo("\n".join(_texts(outcomes, whole)))
    if not outcomes or any(outcome.error for outcome in outcomes):
        sys.exit(UNREADABLE)


def json_text(whole: Measurement, beside: Mapping[str, Any] | None = None) -> str:
    """What `--json` prints, without the newline at its end."""
    return json.dumps(whole.as_json() | dict(beside or {}), indent=1)


def _whole(outcomes: Sequence[Outcome[list[Measurement]]], versions: Sequence[str]) -> Measurement:
    return combined([Measurement(versions, []), *(one for outcome in outcomes for one in outcome.made or ())])


def _not_measured(outcomes: Sequence[Outcome[list[Measurement]]], passed: Sequence[PassedOver]) -> dict[str, Any]:
    """Files that could not be read, and what a search passed over; absent where there is neither."""
    unread = [{"package": each.found.name, "reason": str(each.error)} for each in outcomes if each.error]
    skipped = [{"path": each.name, "reason": each.reason} for each in passed]
    return {name: rows for name, rows in (("not_read", unread), ("passed_over", skipped)) if rows}


def _texts(outcomes: Sequence[Outcome[list[Measurement]]], whole: Measurement) -> Iterator[str]:
    """Every table of what was named, or is all that was found; of what a search found the summary only."""
    alone = len(outcomes) == 1
    named = [one for outcome in outcomes if outcome.found.named or alone for one in outcome.made or ()]
    if len(named) == len(whole.by_package()):
        yield from printed(whole)
        return
    if named:
        yield from printed(combined(named))
        yield ""
    yield "## All packages"
    yield ""
    yield from summary(whole)
    yield ""
    yield from CAVEATS


def _heads(versions: Sequence[str]) -> list[str]:
    figures = ("user_bytes", "all_bytes", "exact", "fell_back")
    return [
        "package",
        "contexts",
        "measured",
        *(f"{short(each)}_{what}" for each in versions for what in figures),
        "error",
    ]


def _rows(outcomes: Sequence[Outcome[list[Measurement]]], versions: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One row an investigation, in the columns of `_heads`; `exact` and `fell_back` count contexts."""
    empty: dict[str, Any] = dict.fromkeys(_heads(versions))
    for outcome in outcomes:
        if outcome.error is not None:
            yield empty | {"package": outcome.found.name, "error": str(outcome.error)}
        for one in outcome.made or ():
            name = one.contexts[0].package if one.contexts else outcome.found.name
            row = empty | {"package": name, "contexts": len(one.contexts), "measured": len(one.measured)}
            for version, total in one.totals().items() if one.measured else ():  # nothing measured is empty, not 0
                row |= {
                    f"{short(version)}_user_bytes": total.user.bytes,
                    f"{short(version)}_all_bytes": total.all.bytes,
                    f"{short(version)}_exact": total.exact,
                    f"{short(version)}_fell_back": total.fell_back,
                }
            yield row
