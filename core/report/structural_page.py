"""The structural report as a page: the same object, nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import parts

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_COLUMNS = 200
MAX_ROWS = 300


def structural_html(report: dict[str, Any]) -> str:
    """A self-contained page of a structural report: it shows what the object holds, and holds nothing else."""
    return parts.page("Structural report", _body(report))


def _body(report: dict[str, Any]) -> Iterator[str]:
    counts, verdict = report["counts"], report["verdict"]
    yield "<h1>Structural report of an investigation</h1>"
    yield '<p class="quiet">No content: counts, sizes, states, and hashes salted for this report only.</p>'
    where = "" if verdict["decision"] is None else f" at decision {verdict['decision']} (by place)"
    cause = "" if verdict["cause"] is None else f"; cause: {_words(verdict['cause'])}"
    standing = "Stalled" if verdict["stalled"] else "Looped" if verdict["looped"] else "No stall"
    yield f'<p class="verdict">{standing}{where}{cause}.</p>'
    yield parts.table(
        ["fact", "value"],
        [
            ["evidence grade", _words(report["grade"])],
            ["prompts, replies", f"{_words(report['prompts'])}, {_words(report['replies'])}"],
            ["decisions by status", _shares(counts["decisions"])],
            ["sent", parts.number(counts["sent"])],
            ["fragments by status", _shares(counts["fragments"])],
            ["repeats by cause", _shares(counts["repeats"])],
            ["context bytes, prompt bytes, calls", _limits(report["limits"])],
        ],
    )
    yield "<h2>Prompt bytes</h2>"
    decisions = report["decisions"]
    bars = [
        parts.Bar(f"decision {place}", each["components"] or {}, each["sent"])
        for place, each in enumerate(decisions[:MAX_COLUMNS], 1)
    ]
    limits = report["limits"]
    yield parts.chart(bars, [("prompt limit", limits["prompt_bytes"]), ("context budget", limits["context_bytes"])])
    yield "<h2>Evidence matrix</h2>"
    yield parts.legend()
    yield _matrix(report)
    yield "<h2>Repeats</h2>"
    yield _repeats(report)
    if report["patterns"]:
        yield "<h2>Patterns</h2>"
        yield parts.table(
            ["pattern", "decisions", "length", "turns", "stall"],
            [
                [
                    _words(each["kind"]),
                    ", ".join(str(place) for place in each["decisions"][:40]),
                    parts.number(each["length"]),
                    parts.number(each["turns"]),
                    "yes" if each["stall"] else "no",
                ]
                for each in report["patterns"]
            ],
        )


def _matrix(report: dict[str, Any]) -> str:
    columns = report["deliveries"][:MAX_COLUMNS]
    states = [{name: state for state, names in each["states"].items() for name in names} for each in columns]
    rows = [
        [f"F{place}", parts.number(each["bytes"]), *(parts.state(column.get(place)) for column in states)]
        for place, each in enumerate(report["fragments"][:MAX_ROWS], 1)
    ]
    return parts.table(["fragment", "bytes", *(str(each["decision"]) for each in columns)], rows)


def _repeats(report: dict[str, Any]) -> str:
    head = ["decision", "first", "fragment", "cause", "last delivered", "dropped at", "replaced by", "needed", "free"]
    rows = []
    for each in report["repeats"]:
        proof = each["proof"]
        budget = proof["budget"] or {}
        rows.append(
            [
                parts.number(each["decision"]),
                parts.number(each["first_decision"]),
                parts.number(each["fragment"]),
                _words(each["cause"]),
                parts.number(proof["last_delivered"]),
                parts.number(proof["dropped_at"]),
                parts.number(proof["replaced_by"]),
                parts.number(budget.get("needed")),
                parts.number(budget.get("free")),
            ]
        )
    return parts.table(head, rows)


def _shares(counts: dict[str, int]) -> str:
    return parts.text(", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items()) or "none")


def _limits(limits: dict[str, int | None]) -> str:
    names = ("context_bytes", "prompt_bytes", "calls")
    return ", ".join("not recorded" if limits[name] is None else f"{limits[name]:,}" for name in names)


def _words(name: str) -> str:
    return parts.text(name.replace("_", " "))
