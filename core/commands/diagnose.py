"""`investigation-inspector diagnose PATH ...`: why a lookup was repeated, in a terminal and in a build."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..batch import diagnose_file
from ..batch.files import not_diagnosed
from ..diagnosis import DELIVERY_FAULTS
from ..diagnosis.losses import NEVER_RECEIVED
from . import Command
from .many import many_options, paths_argument, run_many, table, write_csv
from .said import UNREADABLE, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ..batch import Outcome

Said: TypeAlias = dict[str, Any]

HEADS = (
    "package",
    "part",
    "title",
    "prompts",
    "replies",
    "decisions",
    "grade",
    "stalled",
    "looped",
    "decision",
    "cause",
    "repeats",
    "patterns",
    "problems",
    "verdict",
    "error",
)
"""Columns of the CSV; `decision` and `cause` are those of the verdict."""


@click.command("diagnose", cls=Command)
@paths_argument
@click.option("--json", "as_list", is_flag=True, help="Print a JSON list, one object an investigation.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["delivery", "loss", "repeat", "stall"]),
    help="Exit with status 1 where this is found: delivery (a repeat whose cause is overwritten or never_supplied), loss (a "
    "completed result that was in no later prompt, or a repeat whose earlier result was absent or cut in that prompt, whatever "
    "the cause), repeat (any repeated lookup), or stall (the run stalled or looped). May be given several times.",
)
@many_options
def diagnose_command(
    paths: tuple[Path, ...],
    fail_on: tuple[str, ...],
    jobs: int,
    timeout: float,
    csv_file: Path | None,
    *,
    as_list: bool,
) -> None:
    """Say of packages or recordings what was repeated and why, judged from the transmitted text.

    A folder is searched for packages and recordings; several files are worked on at the same time. What is named, or is
    alone in its folder, is told in detail; of several there is a table too, one row each. In the JSON list a file that cannot be read is an
    object whose `verdict` is null and whose `problems` say why. In JSON a `message` counts from 0, in sentences from 1.

    Exit status: 0; 1 where a fault asked for with --fail-on is found; else 2 where something cannot be read.

    In a build: investigation-inspector diagnose runs/ --fail-on loss --fail-on stall
    """
    outcomes, _ = run_many("diagnose", diagnose_file, paths, jobs=jobs, timeout=timeout, target=csv_file)
    said = [each for outcome in outcomes for each in _said(outcome)]
    rows = [_row(each) for each in said]
    if csv_file is not None:
        write_csv(csv_file, rows, HEADS)
    click.echo(json.dumps(said, indent=1) if as_list else "\n\n".join(_texts(outcomes, rows)))
    if any(FAULTS[fault](each) for fault in fail_on for each in said):
        sys.exit(1)
    if not outcomes or any(outcome.error for outcome in outcomes):
        sys.exit(UNREADABLE)


def _said(outcome: Outcome[list[Said]]) -> list[Said]:
    """The objects of a file, in the same shape whether it could be read or not."""
    if outcome.error is not None:
        return [not_diagnosed(outcome.found.name, outcome.error)]
    return outcome.made or []


def _is_lossy(said: Said) -> bool:
    never = any(problem.get("kind") == NEVER_RECEIVED for problem in said["problems"])
    return never or any(repeat["lost"] for repeat in said["repeats"])


def _is_stalled(said: Said) -> bool:
    return said["verdict"] is not None and (said["verdict"]["stalled"] or said["verdict"]["looped"])


FAULTS: Mapping[str, Callable[[Said], bool]] = {
    "delivery": lambda said: any(repeat["cause"] in DELIVERY_FAULTS for repeat in said["repeats"]),
    "loss": _is_lossy,
    "repeat": lambda said: bool(said["repeats"]),
    "stall": _is_stalled,
}
"""What `--fail-on` names, told from the object of an investigation."""


def _row(said: Said) -> dict[str, Any]:
    verdict = said["verdict"] or dict.fromkeys(("stalled", "looped", "decision", "cause", "sentence"))
    error = said["problems"][0]["what"] if said["verdict"] is None else None
    return {
        **{head: said[head] for head in HEADS[:7]},
        "stalled": verdict["stalled"],
        "looped": verdict["looped"],
        "decision": verdict["decision"],
        "cause": verdict["cause"],
        "repeats": len(said["repeats"]),
        "patterns": len(said["patterns"]),
        "problems": len(said["problems"]),
        "verdict": verdict["sentence"],
        "error": error,
    }


def _texts(outcomes: Sequence[Outcome[list[Said]]], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The details of what was named, or is all that was found, and a table where there are several investigations."""
    for outcome in outcomes:
        if outcome.found.named or len(outcomes) == 1:
            for said in outcome.made or ():
                yield "\n".join(_printed(said))
    if len(rows) > 1:
        shown = [
            {
                **{head: row[head] for head in ("package", "decisions", "grade", "cause", "repeats", "problems")},
                "verdict": row["verdict"] or f"cannot be read: {row['error']}",
            }
            for row in rows
        ]
        yield "\n".join(table(shown))


def _printed(said: Said) -> Iterator[str]:
    title = f" ({_line(said['title'])})" if said["title"] else ""
    yield f"{_line(said['package'])}{title}: {said['decisions']} decisions, evidence grade: {said['grade']}"
    yield f"  {_line(said['verdict']['sentence'])}"
    for repeat in said["repeats"]:
        proof = repeat["proof"]
        also = f" (also: {', '.join(proof['also'])})" if proof["also"] else ""
        yield f"  - decision {repeat['decision']} repeats {_line(repeat['identity'])} of decision {repeat['first_decision']}:"
        yield f"    {repeat['cause']}{also}: its result {_line(proof['detail'])}"
        if proof["missing_fact"] is not None:
            yield f"    missing: {_line(proof['missing_fact'])}"
        if proof["remedy"] is not None:
            yield f"    remedy: {_line(proof['remedy']['sentence'])}"
    for pattern in said["patterns"]:
        yield f"  - {pattern['kind'].replace('_', ' ')}: {_line(pattern['sentence'])}"
    findings = [problem for problem in said["problems"] if "kind" in problem]
    for finding in findings:
        yield f"  - {finding['kind'].replace('_', ' ')}: {_line(finding['what'])}"
    for problem in said["problems"]:
        if "kind" not in problem:
            place = problem["file"] if problem["line"] is None else f"{problem['file']}, line {problem['line']}"
            yield f"  - {problem['severity']}: {_line(place)}: {_line(problem['what'])}"


def _line(text: str) -> str:
    return printable(text, longest=None)
