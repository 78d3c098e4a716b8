"""What the commands over many files share: their options, their progress on stderr, and rows as tables or CSV."""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..batch import Outcome, PassedOver, find, run
from ..limits import MAX_PACKAGE_SECONDS, MAX_TIMEOUT_SECONDS
from ..spreadsheet import csv_text
from .said import UNREADABLE, printable
from .targets import refuse_overwriting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..errors import InspectorError
    from ..model import Investigation

Made = TypeVar("Made")
Command = TypeVar("Command", bound="Callable[..., Any]")
Cell = "str | int | None"

_EVERY = 5.0
"""Seconds between lines of progress where stderr is no terminal."""
_LONG_WORK = 20
"""Steps of one file from which on a bar is shown."""
_NAMED = 3
"""Names that are told in one line of passed-over files, or of folders with nothing in them."""


class NamedPath(click.Path):
    """A path that is not empty: Python would take an empty one for the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click's."""
        if not os.fspath(value):
            self.fail("an empty path names nothing; the current folder is '.'", param, ctx)
        return super().convert(value, param, ctx)


paths_argument = click.argument("paths", nargs=-1, required=True, type=NamedPath(path_type=Path), metavar="PATH...")


class _Seconds(click.FloatRange):
    """A range that `nan`, which is neither below nor above anything, is not in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click's."""
        if math.isnan(float(super().convert(value, param, ctx))):
            self.fail(f"{value} is no number of seconds.", param, ctx)
        return super().convert(value, param, ctx)


def many_options(command: Command) -> Command:
    """`--jobs`, `--timeout` and `--csv`."""
    for option in (
        click.option(
            "--csv", "csv_file", type=NamedPath(dir_okay=False, path_type=Path), help="Also write the rows here."
        ),
        click.option(
            "--timeout",
            default=float(MAX_PACKAGE_SECONDS),
            show_default=True,
            type=_Seconds(min=0, max=MAX_TIMEOUT_SECONDS, min_open=True),
            help="Seconds for one of several files; one that takes longer loses its row.",
        ),
        click.option(
            "--jobs",
            default=lambda: os.cpu_count() or 1,
            show_default="one for each processor",
            type=click.IntRange(min=1),
            help="Files worked on at the same time.",
        ),
    ):
        command = option(command)
    return command


def part_option(source: str) -> Callable[[Command], Command]:
    """`--part`: which investigation of the file `source` is meant."""
    told = f"Which investigation of {source}, counted from 1, where it holds several."
    return click.option("--part", type=click.IntRange(min=1), help=told)


def part_of(found: Sequence[Investigation], part: int, name: str) -> int:
    """The same number, if the file called `name` holds as many investigations. Raises `click.BadParameter`."""
    if part > len(found):
        raise click.BadParameter(f"{printable(name)} holds {len(found)}", param_hint="--part")
    return part


def run_many(
    label: str,
    function: Callable[..., Made],
    paths: Sequence[Path],
    options: tuple[Any, ...] = (),
    *,
    jobs: int,
    timeout: float,
    target: Path | None,
) -> tuple[list[Outcome[Made]], list[PassedOver]]:
    """Find the files, work on them, and say on stderr what is going on, what was passed over and what failed.

    Ends with status 2 where `target`, which the caller is about to write, is or lies in what is read.
    """
    found, passed = find(paths)
    refuse_overwriting(target, (item.path for item in found if item.named))
    outcomes: list[Outcome[Made]] = []
    if found:
        shown = _Progress(label, found[0].name if len(found) == 1 else f"{len(found)} files")
        try:
            outcomes, unsupported = run(
                function, found, options, jobs=jobs, seconds=timeout, progress=shown.files, within=shown.within
            )
        finally:
            shown.close()
        passed += unsupported
        refuse_overwriting(target, (outcome.found.path for outcome in outcomes))
    for outcome in outcomes:
        if outcome.error is not None:
            click.echo(told(outcome.found.name, outcome.error), err=True)
    for line in _passed(passed):
        click.echo(line, err=True)
    if not outcomes:
        names = ", ".join(path.name or str(path) for path in paths[:_NAMED])
        click.echo(printable(f"nothing to read in {names}: no package and no recording", longest=None), err=True)
    return outcomes, passed


def told(name: str, error: InspectorError) -> str:
    """An error in one line, with the name of the file once."""
    return printable(str(error) if error.file == name else f"{name}: {error}", longest=None)


class _Progress:
    """A bar on a terminal; elsewhere a line now and then."""

    def __init__(self, label: str, name: str) -> None:
        self._label = f"{label} {printable(name)}"
        self._said = time.monotonic()
        self._bar: Any = None

    def files(self, done: int, total: int) -> None:
        """So many of several files are done."""
        if sys.stderr.isatty():
            self._draw(done, total)
        elif time.monotonic() - self._said > _EVERY and done < total:
            self._said = time.monotonic()
            click.echo(f"{self._label}: {done:,} of {total:,} done", err=True)

    def within(self, done: int, total: int) -> None:
        """So many steps of the one file are done."""
        if total >= _LONG_WORK and sys.stderr.isatty():
            self._draw(done, total)

    def _draw(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = click.progressbar(length=total, label=self._label, file=sys.stderr)
            self._bar.render_progress()
        self._bar.update(done - self._bar.pos)

    def close(self) -> None:
        """Leave the line of the bar."""
        if self._bar is not None:
            self._bar.render_finish()


def _passed(passed: Sequence[PassedOver]) -> Iterator[str]:
    """One line for each reason: how many paths, and the first of them."""
    by_reason: dict[str, list[str]] = {}
    for item in passed:
        by_reason.setdefault(item.reason, []).append(item.name)
    for reason, names in sorted(by_reason.items()):
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        yield printable(f"passed over {len(names):,}: {reason}: {', '.join(names[:_NAMED])}{more}", longest=None)


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rows as a Markdown table; their keys are its heads."""
    heads = list(rows[0]) if rows else []
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(printable(_shown(row[head])).replace("|", "\\|") for head in heads) + " |"


def _shown(cell: object) -> str:
    return "-" if cell is None else f"{cell:,}" if type(cell) is int else str(cell)


def write_csv(file: Path, rows: Sequence[Mapping[str, Any]], heads: Sequence[str]) -> None:
    """Write rows, by the names of their columns, as a CSV file for a spreadsheet."""
    text = csv_text(heads, [[row[head] for head in heads] for row in rows])
    try:
        file.write_bytes(text.encode("utf-8"))
    except OSError as error:
        click.echo(f"{file.name} cannot be written: {error.strerror}", err=True)
        sys.exit(UNREADABLE)
