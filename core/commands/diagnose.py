"""`investigation-inspector diagnose PATH ...`: why a lookup was repeated, in a terminal and in a build."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..delivery import deliver
from ..diagnosis import DELIVERY_FAULTS, diagnose
from ..diagnosis.as_json import as_json
from ..errors import InspectorError
from ..package import check
from ..readers import open_any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..diagnosis import Diagnosis
    from ..model import Investigation

_LONG_WORK = 20
"""Distinct messages from which on a bar is shown."""


@click.command("diagnose")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option("--json", "as_list", is_flag=True, help="Print a JSON list, one object an investigation.")
@click.option(
    "--fail-on",
    type=click.Choice(["delivery", "repeat"]),
    help="Exit with status 1 where this is found: delivery (a repeat whose cause is overwritten or never_supplied), or "
    "repeat (any repeated lookup).",
)
def diagnose_command(paths: tuple[Path, ...], fail_on: str | None, *, as_list: bool) -> None:
    """Say of packages or recordings what was repeated and why, judged from the transmitted text.

    Exit status: 0; 1 where the fault asked for with --fail-on is found; 2 where a path cannot be read.
    """
    found: list[tuple[str, Investigation, Diagnosis]] = []
    unread = False
    for path in paths:
        try:
            found += [(path.name or str(path), *one) for one in _diagnosed(path)]
        except InspectorError as error:
            unread = True
            click.echo(f"{path.name}: {error}", err=True)
    if as_list:
        click.echo(json.dumps([as_json(investigation, diagnosis) for _, investigation, diagnosis in found], indent=1))
    else:
        click.echo("\n\n".join("\n".join(_printed(*one)) for one in found))
    if unread:
        sys.exit(2)
    if any(_is_fault(diagnosis, fail_on) for _, _, diagnosis in found):
        sys.exit(1)


def _diagnosed(path: Path) -> Iterator[tuple[Investigation, Diagnosis]]:
    for opened in open_any(path):
        investigation = opened if opened.problems_complete else check(opened)
        total = len(investigation.messages)
        hidden = total < _LONG_WORK or not sys.stderr.isatty()
        with click.progressbar(length=total, label=path.name, file=sys.stderr, hidden=hidden) as bar:
            deliveries = deliver(investigation, progress=lambda _done, _total: bar.update(1))
        yield investigation, diagnose(investigation, deliveries)


def _is_fault(diagnosis: Diagnosis, fail_on: str | None) -> bool:
    if fail_on == "repeat":
        return bool(diagnosis.repeats)
    return fail_on == "delivery" and any(repeat.cause in DELIVERY_FAULTS for repeat in diagnosis.repeats)


def _printed(name: str, investigation: Investigation, diagnosis: Diagnosis) -> Iterator[str]:
    title = f" ({_line(investigation.title)})" if investigation.title else ""
    yield f"{name}{title}: {len(investigation.decisions)} decisions, evidence grade: {diagnosis.grade.name}"
    yield f"  {_line(diagnosis.verdict.sentence)}"
    for repeat in diagnosis.repeats:
        also = f" (also: {', '.join(repeat.also)})" if repeat.also else ""
        yield f"  - decision {repeat.decision[0]} repeats {_line(repeat.identity)} of decision {repeat.first_decision}:"
        yield f"    {repeat.cause}{also}: its result {_line(repeat.proof.detail)}"
        if repeat.proof.missing_fact is not None:
            yield f"    missing: {_line(repeat.proof.missing_fact)}"
        if repeat.remedy is not None:
            yield f"    remedy: {_line(repeat.remedy.sentence)}"
    for pattern in diagnosis.patterns:
        yield f"  - {pattern.kind.replace('_', ' ')}: {_line(pattern.sentence)}"
    for finding in diagnosis.findings:
        yield f"  - {finding.kind.replace('_', ' ')}: {_line(finding.sentence)}"
    for problem in investigation.problems:
        place = problem.file if problem.line is None else f"{problem.file}, line {problem.line}"
        yield f"  - {problem.severity}: {_line(f'{place}: {problem.what}')}"


def _line(text: str) -> str:
    """One printable line: control characters of a package must not reach the terminal."""
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
