"""`investigation-inspector convert IN OUT`: any recording as a package that shows the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import InspectorError
from ..package import check, investigation_to_package
from ..readers import open_any
from . import Command
from .many import NamedPath, part_of, part_option
from .said import UNREADABLE, printable
from .targets import refuse_overwriting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model import Investigation


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN", type=NamedPath(path_type=Path))
@click.argument("target", metavar="OUT", type=NamedPath(path_type=Path))
@part_option("IN")
def convert_command(source: Path, target: Path, part: int | None) -> None:
    """Write the recording IN as the package OUT (a folder, or a zip where OUT ends in .zip).

    Messages that prompts share are stored once. Where IN holds several investigations (sub-agents, sessions), OUT is a
    folder with one package for each, named by its number; --part writes one of them as OUT.

    Exit status: 0; 2 where IN cannot be read or OUT cannot be written.
    """
    refuse_overwriting(target, (source,))
    try:
        opened = open_any(source)
        chosen = opened if part is None else (opened[part_of(opened, part, source.name) - 1],)
        made = list(_made(chosen, target))
    except OSError as error:
        click.echo(f"{target} cannot be made: {error.strerror}", err=True)
        sys.exit(UNREADABLE)
    except InspectorError as error:
        click.echo(printable(str(error), longest=None), err=True)
        sys.exit(UNREADABLE)
    click.echo("\n".join(made))  # when all are made: what stdout does not take says nothing of OUT


def _made(chosen: Sequence[Investigation], target: Path) -> Iterator[str]:
    """Writes each as a package, and says of each what it is. Raises `OSError`, `InspectorError`."""
    if len(chosen) > 1:
        target.mkdir(parents=True)
    for number, investigation in enumerate(chosen, start=1):
        path = target if len(chosen) == 1 else target / str(number)
        checked = investigation if investigation.problems_complete else check(investigation)
        investigation_to_package(checked, path, zip=path.suffix == ".zip")
        calls, found = len(checked.decisions), len(checked.problems)
        yield f"{path}: {calls:,} decisions of {printable(checked.title)!r}, {found:,} problems"
