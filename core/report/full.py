"""The full report: verdict, matrix, budget chart and the decisions that matter, with their exact texts.

Look at `likely_secrets` first: what is given as `masked` is replaced by its hash in everything that is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..anatomy import anatomy
from ..canonical import utf8
from ..colors import KIND_OF_SPAN
from ..matrix import matrix, telling
from ..outline import outline
from ..tally import bars, lacks_text, tally
from ..wording import key_text, lookup_text
from . import parts
from .masking import ELLIPSIS, Mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..delivery import Deliveries
    from ..diagnosis import Diagnosis, Repeat
    from ..model import Decision, DecisionKey, Investigation
    from .secrets import Secret

MAX_DECISIONS = 12
"""Decisions whose prompts are shown in full: those of the verdict and of repeats first."""

MAX_PROMPT_BYTES = 400_000
"""Bytes of one prompt that are shown; the report says how many there are."""

MAX_ROWS, MAX_COLUMNS, MAX_BARS = 80, 120, 200


def full_html(
    investigation: Investigation, deliveries: Deliveries, diagnosis: Diagnosis, masked: Iterable[Secret] = ()
) -> str:
    """A self-contained page with the texts of the decisions that matter. Every text is inert, and masked as chosen."""
    full = _Full(investigation, deliveries, diagnosis, tuple(masked))
    return parts.page(full.mask(investigation.title) or "Investigation", full.body())


class _Full:
    def __init__(
        self, investigation: Investigation, deliveries: Deliveries, diagnosis: Diagnosis, masked: Sequence[Secret]
    ) -> None:
        self.investigation = investigation
        self.deliveries = deliveries
        self.diagnosis = diagnosis
        self.mask = Mask(masked)
        self.masked = len(masked)
        self.outline = outline(investigation)

    def text(self, value: object) -> str:
        """Masked, then inert."""
        return parts.text(self.mask(str(value)))

    def body(self) -> Iterator[str]:
        run, found = self.investigation, self.diagnosis
        yield f"<h1>{self.text(run.title or 'Investigation')}</h1>"
        yield f'<p class="verdict">{self.text(found.verdict.sentence)}</p>'
        masked = f" {self.masked} likely secrets are masked by their hashes." if self.masked else ""
        yield (
            f'<p class="quiet">Evidence grade: {self.text(found.grade.name)} ({self.text(found.grade.reason)}). '
            f"Prompts: {run.prompts}. Replies: {run.replies}.{masked}</p>"
        )
        yield self._facts()
        lacks = tally(run).missing
        known = run.prompts == "rebuilt" or bool(lacks)
        yield f"<h2>{'Known prompt bytes' if known else 'Prompt bytes'}</h2>"
        if lacks:
            yield f'<p class="quiet">{self.text(lacks_text(lacks, len(run.decisions)))}</p>'
        drawn = [
            parts.Bar(f"decision {key_text(bar.key)}", _summed(bar.sizes), bar.sent)
            for bar in bars(self.outline, range(len(self.outline)), MAX_BARS)
        ]
        limits = ("prompt limit", run.limits.prompt_bytes), ("context budget", run.limits.context_bytes)
        yield parts.chart(drawn, limits, known=known)
        yield "<h2>Evidence matrix</h2>"
        yield parts.legend()
        yield self._matrix()
        yield "<h2>Repeats</h2>"
        yield self._repeats()
        yield from self._lists()
        yield "<h2>The decisions that matter</h2>"
        for key in self._telling_decisions():
            yield from self._decision(key)

    def _facts(self) -> str:
        counted = tally(self.investigation)
        decisions = ", ".join(f"{count:,} {name}" for name, count in counted.decisions.items())
        fragments = ", ".join(f"{count:,} {name}" for name, count in counted.fragments.items())
        rows = [
            ["decisions", self.text(decisions or "none")],
            ["sent", parts.number(counted.sent)],
            ["fragments", self.text(fragments or "none")],
            ["repeated lookups", parts.number(len(self.diagnosis.repeats))],
            ["problems", parts.number(len(self.investigation.problems))],
        ]
        return parts.table(["fact", "value"], rows)

    def _matrix(self) -> str:
        run = self.investigation
        total = len(run.decisions)
        last = self._place(self.diagnosis.verdict.decision) + 1 if self.diagnosis.verdict.decision else total
        columns = range(max(0, last - MAX_COLUMNS), max(last, min(total, MAX_COLUMNS)))
        shown = matrix(
            run,
            self.outline,
            self.deliveries,
            self.diagnosis,
            decisions=columns,
            fragments=telling(self.outline, self.diagnosis, MAX_ROWS),
            most=len(columns) or 1,
        )
        rows = [
            [self.text(row.fragment), self.text(row.lookup), parts.number(row.bytes), *map(parts.state, row.states)]
            for row in shown.rows
        ]
        said = parts.table(["fragment", "lookup", "bytes", *(str(column.first[0]) for column in shown.columns)], rows)
        return f"{said}<p class='quiet'>{len(shown.rows)} of {shown.all_fragments} fragments, {len(shown.columns)} of {shown.all_decisions} decisions.</p>"

    def _place(self, key: DecisionKey | None) -> int:
        return next((place for place, each in enumerate(self.investigation.decisions) if each.key == key), 0)

    def _repeats(self) -> str:
        rows = [
            [
                parts.number(each.decision[0]),
                parts.number(each.first_decision),
                self.text(each.identity),
                self.text(each.cause.replace("_", " ")),
                self.text(_detail(each)),
                self.text("" if each.remedy is None else each.remedy.sentence),
            ]
            for each in self.diagnosis.repeats
        ]
        return parts.table(["decision", "first", "lookup", "cause", "its result", "remedy"], rows)

    def _lists(self) -> Iterator[str]:
        said = [f"{each.kind.replace('_', ' ')}: {each.sentence}" for each in self.diagnosis.patterns]
        said += [f"{each.kind.replace('_', ' ')}: {each.sentence}" for each in self.diagnosis.findings]
        said += [f"{each.file}, line {each.line or '–'}: {each.what}" for each in self.investigation.problems]
        if said:
            yield "<h2>Patterns, findings, problems</h2>"
            yield "<ul>" + "".join(f"<li>{self.text(each)}</li>" for each in said) + "</ul>"

    def _telling_decisions(self) -> list[DecisionKey]:
        keys: dict[DecisionKey | None, None] = {self.diagnosis.verdict.decision: None}
        for repeat in self.diagnosis.repeats:
            keys |= dict.fromkeys((repeat.decision, repeat.proof.dropped_at, repeat.proof.last_delivered))
        known = [key for key in keys if key is not None][:MAX_DECISIONS]
        return sorted(known, key=self._place)

    def _decision(self, key: DecisionKey) -> Iterator[str]:
        decision = self.investigation.decisions[self._place(key)]
        attempt = "" if key[1] == 1 else f", attempt {key[1]}"
        sent = {True: "sent", False: "not sent", None: "not known whether it was sent"}[decision.sent]
        size = decision.prompt_bytes
        yield f"<h3>Decision {key[0]}{attempt}: {self.text(decision.status)}, {sent}, {size:,} B</h3>"
        reply = decision.reply
        if reply is not None:
            asked = "; ".join(lookup_text(each) for each in reply.lookups)
            yield f"<p>Asked for: {self.text(asked or 'no lookup')}</p>"
        if size > MAX_PROMPT_BYTES:
            yield f'<p class="quiet">The first {MAX_PROMPT_BYTES:,} of {size:,} B are shown.</p>'
        yield from self._prompt(decision)

    def _prompt(self, decision: Decision) -> Iterator[str]:
        """The text with its parts marked. A secret may stand across two parts: then the message is shown unmarked."""
        left = MAX_PROMPT_BYTES
        spans = anatomy(decision)
        for place, message in enumerate(decision.messages):
            data = utf8(message.text)
            if len(data) > left:
                data = data[:left] + utf8(ELLIPSIS)
            left = max(left - len(data), 0)
            inside = [span for span in spans if span.message == place and span.start < len(data)]
            ends = [span.end for span in inside[:-1]] + [len(data)]
            pieces = [
                (span.kind, data[span.start : end].decode("utf-8", "surrogatepass" if end < len(data) else "replace"))
                for span, end in zip(inside, ends, strict=True)
            ]
            whole = "".join(piece for _, piece in pieces)
            if "".join(self.mask(piece) for _, piece in pieces) != self.mask(whole):
                shown = self.text(whole)
            else:
                shown = "".join(f'<span class="{_class(kind)}">{self.text(piece)}</span>' for kind, piece in pieces)
            yield f"<h4>{self.text(message.role)}</h4><pre>{shown}</pre>"


def _detail(repeat: Repeat) -> str:
    missing = repeat.proof.missing_fact
    return repeat.proof.detail if missing is None else f"{repeat.proof.detail} ({missing})"


def _class(kind: str) -> str:
    return KIND_OF_SPAN.get(kind, kind) if kind.replace("_", "").isalpha() else ""


def _summed(sizes: Mapping[str, int]) -> dict[str, int]:
    """Components with all blocks as one: their names are of no use in a legend."""
    found: dict[str, int] = {}
    for name, size in sizes.items():
        kind = name.split(" ", 1)[0]
        found[kind] = found.get(kind, 0) + size
    return found
