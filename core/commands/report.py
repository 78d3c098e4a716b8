"""`investigation-inspector report PATH`: a report to share, without content or with it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..delivery import deliver
from ..diagnosis import diagnose
from ..errors import InspectorError
from ..package import check
from ..readers import main_part, open_any
from ..report import full_html, likely_secrets, structural, structural_html
from . import Command
from .many import NamedPath, part_of, part_option, told
from .said import UNREADABLE
from .targets import refuse_overwriting

if TYPE_CHECKING:
    from ..model import Investigation
    from ..report import Secret

_SHOWN = 4
"""Characters of a likely secret that the list shows: enough to recognise it, not to use it."""


@click.command("report", cls=Command)
@click.argument("path", type=NamedPath(path_type=Path))
@click.option("--kind", type=click.Choice(["structural", "full"]), default="structural", show_default=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "json"]),
    default="html",
    show_default=True,
    help="json: structural only.",
)
@click.option("--out", type=NamedPath(dir_okay=False, path_type=Path), help="File to write (default: standard output).")
@click.option(
    "--mask",
    "masks",
    multiple=True,
    metavar="all|none|KIND|HASH",
    help="What to mask in a full report: everything that looks like a secret (the default), nothing, a kind of secret, or "
    "one by the hash that --list shows. May be given several times.",
)
@click.option("--list", "only_list", is_flag=True, help="List what looks like a secret, and write nothing.")
@part_option("PATH")
@click.option("--number", "part_before", type=click.IntRange(min=1), hidden=True)  # what --part was called
def report_command(
    path: Path,
    kind: str,
    form: str,
    out: Path | None,
    masks: tuple[str, ...],
    *,
    only_list: bool,
    part: int | None,
    part_before: int | None,
) -> None:
    """Write a report of a package or recording that opens offline: structural (no content) or full (with texts).

    A full report lists, on standard error, what looks like a secret (keys, tokens, addresses) and masks it by its hash. Of
    a recording that holds several investigations it reports the one with the most calls, unless --part names another.
    """
    if kind == "full" and form == "json":
        raise click.UsageError("a full report is HTML; --format json is for structural reports")
    refuse_overwriting(out, (path,))
    try:
        investigation = _opened(path, part or part_before)
        found = likely_secrets(investigation) if kind == "full" or only_list else ()
        _listed(found)
        if only_list:
            return
        text = _made(investigation, kind, form, _chosen(found, masks))
    except InspectorError as error:
        click.echo(told(path.name, error), err=True)
        sys.exit(UNREADABLE)
    if out is None:
        click.echo(text, nl=False)
    else:
        try:
            out.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            click.echo(f"{out.name} cannot be written: {error.strerror}", err=True)
            sys.exit(UNREADABLE)
        click.echo(f"{out}: {out.stat().st_size:,} bytes", err=True)


def _opened(path: Path, part: int | None) -> Investigation:
    found = open_any(path)
    if part is None and len(found) > 1:
        part = main_part(found)
        click.echo(f"part {part} of {len(found)}: the one with the most calls; --part names another", err=True)
    chosen = found[part_of(found, part or 1, path.name) - 1]
    return chosen if chosen.problems_complete else check(chosen)


def _listed(found: tuple[Secret, ...]) -> None:
    for each in found:
        shown = each.text[:_SHOWN].encode("ascii", "backslashreplace").decode()
        where = ", ".join(each.places).encode("ascii", "backslashreplace").decode()
        click.echo(
            f"{each.kind}: {shown}… ({len(each.text)} characters, {each.count}×, {each.hash}) in {where}", err=True
        )


def _chosen(found: tuple[Secret, ...], masks: tuple[str, ...]) -> tuple[Secret, ...]:
    wanted = masks or ("all",)
    known = {"all", "none", *(each.kind for each in found), *(each.hash for each in found)}
    unknown = [each for each in wanted if each not in known]
    if unknown:
        raise click.BadParameter(f"nothing of this kind or hash was found: {unknown[0]!r}", param_hint="--mask")
    if "all" in wanted:
        return found
    return tuple(each for each in found if each.kind in wanted or each.hash in wanted)


def _made(investigation: Investigation, kind: str, form: str, masked: tuple[Secret, ...]) -> str:
    deliveries = deliver(investigation)
    diagnosis = diagnose(investigation, deliveries)
    if kind == "full":
        return full_html(investigation, deliveries, diagnosis, masked)
    report = structural(investigation, deliveries, diagnosis)
    return json.dumps(report, indent=1) + "\n" if form == "json" else structural_html(report)
