"""`investigation-inspector measure PACKAGE ...`: what stored contexts cost in each encoding of the working view."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..canonical import loads
from ..codec import CODECS
from ..codec.base import is_object
from ..errors import InspectorError, RecordingError, ViewError
from ..limits import MAX_RECORDING_BYTES
from ..measure import DEFAULT_VERSIONS, Measurement, combined, measure, measure_view, printed
from ..package import open_package

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONG_WORK = 20
"""Contexts from which on a bar is shown."""


@click.command("measure")
@click.argument("packages", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PACKAGE...")
@click.option(
    "--target-version",
    "versions",
    multiple=True,
    metavar="VERSION",
    help=f"An encoding to measure; may be given several times. Known: {', '.join(CODECS)}. "
    f"Default: {' and '.join(DEFAULT_VERSIONS)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def measure_command(packages: tuple[Path, ...], versions: tuple[str, ...], *, as_json: bool) -> None:
    """Measure the stored contexts of packages (or of bare views, as .json files) in each encoding of the working view.

    No request is made. Stored contexts include rejected and unused attempts: the totals are not billed-call totals. Cost
    and reasoning quality are not measured.
    """
    unknown = [version for version in versions if version not in CODECS]
    if unknown:
        raise click.BadParameter(
            f"unknown version {unknown[0]!r}; known: {', '.join(CODECS)}", param_hint="--target-version"
        )
    found: list[Measurement] = []
    failed = False
    for path, name in zip(packages, _names(packages), strict=True):
        try:
            found.append(_measured(path, name, versions or DEFAULT_VERSIONS))
        except InspectorError as error:
            failed = True
            click.echo(f"{name}: {error}", err=True)
    if found:
        whole = combined(found)
        click.echo(json.dumps(whole.as_json(), indent=1) if as_json else "\n".join(printed(whole)))
    if failed:
        sys.exit(1)


def _names(paths: Sequence[Path]) -> list[str]:
    """Each package by its file name, or by its path where two have the same name."""
    names = [path.name or str(path) for path in paths]
    return [str(path) if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]


def _measured(path: Path, name: str, versions: Sequence[str]) -> Measurement:
    if path.is_file() and path.suffix == ".json":
        return measure_view(_view(path), versions, name=name)
    investigation = open_package(path)
    total = len(investigation.decisions)
    hidden = total < _LONG_WORK or not sys.stderr.isatty()
    with click.progressbar(length=total, label=name, file=sys.stderr, hidden=hidden) as bar:
        return measure(investigation, versions, name=name, progress=lambda _done, _total: bar.update(1))


def _view(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > MAX_RECORDING_BYTES:
            raise RecordingError(
                "the file is too large", file=path.name, expected=f"at most {MAX_RECORDING_BYTES} bytes"
            )
        raw = path.read_bytes()
    except OSError as error:
        raise RecordingError("cannot read the file", file=path.name, found=error.strerror) from error
    view = loads(raw)
    if not is_object(view):
        raise ViewError("this is no working view", file=path.name, expected="a JSON object with a list `evidence`")
    return view
