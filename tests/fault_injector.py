"""Random good runs with one known fault put into each: the diagnosis must find that fault, and nothing else.

    python tests/fault_injector.py --runs 1000 [--first-seed 0]

Runs have 3 to 60 decisions, several lookups a decision, overlapping ranges and lines that all files share. `bounded`
runs are assembled by the project's own memory; `messages` runs look like tool transcripts. In half of them the
recorder's log (`memory`) is missing or falsified. A fault whose proof was removed from the recording (the budget, the
marker) must come out as `unknown`. What is true of each run is known from how it was built, never from the code under
test: the injector looks for bodies with Python's own `in`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.canonical import hash_of
from core.diagnosis import diagnose
from core.excerpt import excerpt
from core.memory import (
    Held,
    Retention,
    assemble,
    base_section,
    block_bytes,
    carried,
    floor_utf8,
    remember_context,
    reopen,
    text_message,
)
from core.model import (
    Block,
    Decision,
    Event,
    Fragment,
    Investigation,
    LedgerEntry,
    Limits,
    Lookup,
    Memory,
    Message,
    Outcome,
    Reply,
    SourceRange,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from core.package.encode import message_row

COMMON = (
    "}",
    "",
    "    return null;",
    "  } else {",
    "// Copyright the video player authors",
    "import { log } from './log';",
)
BOUNDED_FAULTS = (
    "overwritten",
    "never_supplied",
    "stale",
    "compacted",
    "evicted",
    "truncated",
    "delivered",
    "uncertain_outcome",
)
MESSAGE_FAULTS = ("compacted", "cleared", "stale", "truncated", "delivered", "uncertain_outcome")
PROVEN_BY_BUDGET = ("overwritten", "never_supplied", "evicted")
PROVEN_BY_MARKER = ("compacted", "cleared")
ENOUGH, PROMPT_LIMIT = 10_000_000, 100_000_000


@dataclass(frozen=True)
class Injected:
    """A run with one fault. `cause` is what the diagnosis must find for the one repeat, at `decision`, of `identity`."""

    investigation: Investigation
    decision: int
    identity: str
    cause: str
    fault: str
    how: str


class NoPlace(Exception):  # noqa: N818  # not an error: this random run has no place for this fault
    """The random run offers no place for the wanted fault: another run is drawn."""


# --- files and lookups


@dataclass
class Files:
    """A few files that share many lines. `version` changes the text and with it the content hash."""

    rng: random.Random
    texts: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self):
        for number in range(self.rng.randint(2, 5)):
            self.texts[f"src/part{number}.js"] = [self._line(number) for _ in range(self.rng.randint(40, 160))]

    def _line(self, number: int) -> str:
        if self.rng.random() < 0.35:
            return self.rng.choice(COMMON)
        words = " ".join(f"w{self.rng.randint(0, 5000)}" for _ in range(self.rng.randint(1, 9)))
        odd = self.rng.choice(["", "", "", ' "quoted \\n" ', " ü字😀 ", "\t// tab", "\r"])
        return f"{'  ' * self.rng.randint(0, 3)}const p{number}_{self.rng.randint(0, 99999)} = {words};{odd}"

    def hash(self, path: str) -> str:
        return hash_of("\n".join(self.texts[path]))

    def change(self, path: str) -> None:
        lines = self.texts[path]
        lines[self.rng.randrange(len(lines))] = f"const changed_{self.rng.randint(0, 10**9)} = true;"


@dataclass
class Script:
    """What a good run asks for: per decision the results of its lookups, all identities different."""

    rng: random.Random
    files: Files
    decisions: list[list[Fragment]] = field(default_factory=list)
    changed: dict[int, str] = field(default_factory=dict)
    shown: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    count: int = 0

    def write(self, decisions: int, changes: bool) -> None:
        for index in range(1, decisions + 1):
            if changes and index > 1 and self.rng.random() < 0.3:
                path = self.rng.choice(list(self.files.texts))
                self.files.change(path)
                self.changed[index] = path
            wanted = self.rng.choice([1, 1, 2, 3, 4])
            self.decisions.append([self._result(index) for _ in range(wanted)])

    def _result(self, index: int) -> Fragment:
        for _ in range(200):
            path = self.rng.choice(list(self.files.texts))
            count = len(self.files.texts[path])
            start = self.rng.randint(1, count - 3)
            end = min(count, start + self.rng.randint(2, 40))
            read = self.rng.random() < 0.6
            known = self.shown.setdefault((path, self.files.hash(path)), set())
            if read and known.issuperset(range(start, end + 1)):
                continue  # wholly shown before: that would be a repeat of its own
            lookup = self._lookup(path, start, end, read=read)
            if lookup.identity in self.asked:
                continue
            self.asked.add(lookup.identity)
            known.update(range(start, end + 1))
            self.count += 1
            source = SourceRange(path, self.files.hash(path), start, end)
            body = excerpt(source, self.files.texts[path][start - 1 : end])
            return Fragment(f"f{self.count}", lookup, "completed", index, body, (source,), call_id=f"call_{self.count}")
        raise NoPlace("everything was shown")

    def _lookup(self, path: str, start: int, end: int, *, read: bool) -> Lookup:
        if read:
            return Lookup("read", arguments={"path": path, "start": start, "end": end}, summary="again, please")
        words = tuple(f"w{self.rng.randint(0, 5000)}" for _ in range(self.rng.randint(1, 2)))
        return Lookup("search", queries=words, search=self.rng.choice([None, "src"]))


# --- runs of the bounded memory


@dataclass
class Bounded:
    """Assembles prompts with the project's memory. `faults` maps a decision to what is done to the memory before it."""

    script: Script
    budget: int
    overwrite_at: int | None = None
    leave_out: str | None = None
    lie: bool = False
    compact_at: int | None = None
    cut: tuple[str, int] | None = None
    stop: int = 0
    store: list[Message] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    kept: dict[int, dict[str, int]] = field(default_factory=dict)

    def run(self, base: str, repeated: Lookup | None, others: list[Lookup], uncertain: str | None = None) -> None:
        state = Retention(self.budget)
        size = len(base_section(base).encode())
        results: list[Fragment] = []
        for index in range(1, self.stop + 1):
            path = self.script.changed.get(index)
            if path is not None:
                state = reopen(state, path)
            state = self._remember(state, results, size, index)
            prompt = assemble(state, system="You repair.", base=base, prompt_limit=PROMPT_LIMIT)
            if prompt.refused is not None:
                raise NoPlace("the ledger alone is over the budget")
            kept = {block.fragment.id: block.kept for block in prompt.retention.blocks}
            messages = prompt.messages
            if self.lie and self.leave_out in kept:
                messages = (messages[0], text_message("user", self._without(messages[1].text)))
            results = self.script.decisions[index - 1] if index <= len(self.script.decisions) else []
            results = [_uncertain(each) if each.id == uncertain else each for each in results]
            last = index == self.stop
            asked = [each.lookup for each in results]
            if last and repeated is not None:
                asked = [*others, repeated]
                self.script.rng.shuffle(asked)
            rerun = last and uncertain is not None
            outcome = Outcome("stopped", by="repetition_gate") if last and not rerun else Outcome("continued")
            events = [] if path is None else [Event("patched", paths=(path,))]
            events += [Event("compaction", message=0)] if index == self.compact_at else []
            self._record(index, messages, prompt.memory, asked, outcome, events)
            self.kept[index] = kept
            self.texts[index] = messages[1].text
            state = carried(prompt.retention)
            if self.leave_out is not None:
                state = replace(state, blocks=tuple(b for b in state.blocks if b.fragment.id != self.leave_out))

    def _remember(self, state: Retention, results: list[Fragment], size: int, index: int) -> Retention:
        if index == self.compact_at:
            state = replace(state, blocks=())
        for result in results:
            policy = "overwrite" if index == self.overwrite_at else "retain"
            state = replace(remember_context(replace(state, policy=policy), result, size), policy="retain")
            if self.leave_out == result.id and not self.lie:
                state = replace(state, blocks=tuple(b for b in state.blocks if b.fragment.id != self.leave_out))
        return replace(state, blocks=tuple(self._cut(block) for block in state.blocks))

    def _cut(self, block: Held) -> Held:
        """The block, cut although there was room, if it is the one that the fault cuts."""
        if self.cut is None or self.cut[0] != block.fragment.id or block.kept <= self.cut[1]:
            return block
        kept = floor_utf8(block.fragment.body.encode("utf-8", "surrogatepass"), self.cut[1])
        return replace(block, kept=kept, size=block_bytes(block.fragment, kept))

    def _without(self, text: str) -> str:
        """The text without one block, while its ledger still says that it is whole."""
        data = text.encode("utf-8", "surrogatepass")
        start = data.index(f"\nResult {self.leave_out} (".encode())
        heading = data.index(b"\n", start + 1) + 1
        kept = int(data[start:heading].split(b"bytes: ")[1].split(b" ")[0])
        end = heading + kept
        if data.startswith(b"\n[Cut here: ", end):
            end = data.index(b"]", end) + 1
        return (data[:start] + data[end:]).decode("utf-8", "surrogatepass")

    def _record(self, index, messages, memory, asked, outcome, events) -> None:
        slices = []
        for message in messages:
            slices.append((len(self.store), 1))
            self.store.append(message)
        rows = [dict(message.raw) for message in messages]
        self.decisions.append(
            Decision(
                index=index,
                status="rejected" if outcome.kind == "stopped" else "accepted",
                sent=True,
                format="bounded_repair_v1",
                slices=tuple(slices),
                request_hash=hash_of({"format": "bounded_repair_v1", "messages": rows}),
                memory=memory,
                events=tuple(events),
                reply=Reply(lookups=tuple(asked)),
                outcome=outcome,
                store=self.store,
            )
        )


def _uncertain(fragment: Fragment) -> Fragment:
    return replace(fragment, status="uncertain", body="", sources=())


def bounded(rng: random.Random, fault: str) -> Injected:
    """One bounded run with one fault."""
    stop = rng.randint(3, 60) if rng.random() < 0.3 else rng.randint(3, 14)
    script = Script(rng, Files(rng))
    script.write(stop - 1, changes=fault == "stale")
    base = "\n".join([f"Fix issue {rng.randint(1, 999)}.", *rng.choices(COMMON, k=rng.randint(0, 20))])
    budget = ENOUGH if fault not in {"evicted", "truncated"} and rng.random() < 0.6 else rng.randint(3_000, 12_000)
    good = Bounded(script, budget, stop=stop)
    good.run(base, None, [])
    target, made = _place(rng, fault, script, good, stop, budget)
    others = [Lookup("search", queries=(f"new{n}",)) for n in range(rng.randint(0, 2))]
    uncertain = target.id if fault == "uncertain_outcome" else None
    made.run(base, target.lookup, others, uncertain)
    _check(fault, target, made, stop)
    fragments = [_uncertain(f) if f.id == uncertain else f for row in script.decisions for f in row]
    if uncertain is not None:
        fragments.append(replace(target, id="again", requested_by=stop, call_id=None))
    fragments = [replace(each, call_id=None) for each in fragments]
    limits = Limits(prompt_bytes=PROMPT_LIMIT, context_bytes=budget)
    cause = fault
    how = "bounded"
    if fault in PROVEN_BY_BUDGET and rng.random() < 0.25:
        limits, cause, how = Limits(), "unknown", "bounded, budget not recorded"
    investigation = _investigation(made.store, made.decisions, fragments, limits)
    return Injected(investigation, stop, target.lookup.identity, cause, fault, how)


def _place(rng, fault, script, good, stop, budget) -> tuple[Fragment, Bounded]:
    """Where the fault goes: which result, and the run that has it."""
    flat = [fragment for row in script.decisions for fragment in row]
    whole = {index: {f.id for f in flat if kept.get(f.id) == f.byte_length} for index, kept in good.kept.items()}
    made = Bounded(script, budget, stop=stop)
    if fault == "overwritten":
        at = rng.randint(2, stop)
        newest = script.decisions[at - 2][-1]
        lost = [f for f in flat if f.id in good.kept[at] and f.id != newest.id and f.requested_by < at]
        made.overwrite_at = at
        return _choice(rng, [f for f in lost if newest.id in good.kept[at]]), made
    if fault == "compacted":
        made.compact_at = rng.randint(2, stop)
        carried_before = [f for f in flat if f.id in good.kept[made.compact_at - 1]]
        return _choice(rng, [f for f in carried_before if f.id in good.kept[stop]]), made
    if fault == "truncated" and rng.random() < 0.5:
        target = _choice(rng, [f for f in flat if f.id in whole[stop]])
        made.cut = (target.id, rng.randint(1, target.byte_length - 1))
        return target, made
    if fault == "never_supplied":
        target = _choice(rng, [f for f in flat if f.id in good.kept[f.requested_by + 1]])
        arrival = target.requested_by + 1
        older = [f for f in flat[: flat.index(target)] if f.id in good.kept[arrival]]
        newer = [f for f in script.decisions[target.requested_by - 1] if flat.index(f) > flat.index(target)]
        made.leave_out = target.id
        made.lie = bool(newer and not older) or rng.random() < 0.3  # else it could just as well have been displaced
        return target, made
    if fault == "evicted":
        return _choice(rng, [f for f in flat if f.id not in good.kept[stop] and f.requested_by < stop]), made
    if fault == "truncated":
        return _choice(rng, [f for f in flat if 0 < good.kept[stop].get(f.id, 0) < f.byte_length]), made
    if fault == "stale":
        return _choice(rng, [f for f in flat if _has_newer(f, flat)]), made
    if fault == "delivered":
        return _choice(rng, [f for f in flat if f.id in whole[stop] and not _has_newer(f, flat)]), made
    return _choice(rng, flat), made


def _choice(rng, places):
    if not places:
        raise NoPlace
    return rng.choice(places)


def _has_newer(fragment: Fragment, flat: list[Fragment]) -> bool:
    after = flat[flat.index(fragment) + 1 :]
    mine = fragment.sources[0]
    return any(s.path == mine.path and s.hash != mine.hash for other in after for s in other.sources)


def _check(fault: str, target: Fragment, made: Bounded, stop: int) -> None:
    """What was meant must be so in the text; another result with the very same lines would make another truth."""
    there = target.body in made.texts[stop]
    if there is not (fault == "delivered") and fault not in {"stale", "uncertain_outcome"}:
        raise NoPlace
    if fault == "never_supplied" and any(target.body in text for text in made.texts.values()):
        raise NoPlace


# --- runs like tool transcripts


def messages(rng: random.Random, fault: str) -> Injected:
    """One tool transcript with one fault: prompts grow, results stand in tool messages."""
    stop = rng.randint(3, 60) if rng.random() < 0.3 else rng.randint(3, 14)
    script = Script(rng, Files(rng))
    script.write(stop - 1, changes=fault == "stale")
    flat = [fragment for row in script.decisions for fragment in row]
    fits = [f for f in flat if fault != "stale" or _has_newer(f, flat)]
    target = _choice(rng, fits)
    if any(target.body in other.body for other in flat if other is not target):
        raise NoPlace("another result carries the very same lines")
    gone_at = rng.randint(target.requested_by + 1, stop)
    marked = fault not in PROVEN_BY_MARKER or rng.random() < 0.75
    run = _Transcript(rng, target, fault, gone_at, marked=marked)
    for index in range(1, stop):
        run.decide(index, script.decisions[index - 1], script.changed.get(index))
    run.decide(stop, [replace(target, id="again", requested_by=stop, call_id="call_again")], script.changed.get(stop))
    for extra in range(rng.randint(0, 4)):
        lookup = Lookup("search", queries=(f"new{extra}",))
        body = f"nothing found for new{extra} in {rng.randint(5, 500)} files"
        new = Fragment(f"n{extra}", lookup, "completed", stop + 1 + extra, body, call_id=f"n{extra}")
        run.decide(stop + 1 + extra, [new], None)
    investigation = _investigation(run.store, run.decisions, run.fragments, Limits())
    how = "messages" if marked else "messages, marker not recorded"
    return Injected(investigation, stop, target.lookup.identity, fault if marked else "unknown", fault, how)


@dataclass
class _Transcript:
    rng: random.Random
    target: Fragment
    fault: str
    gone_at: int
    marked: bool
    store: list[Message] = field(default_factory=list)
    prompt: list[int] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    fragments: list[Fragment] = field(default_factory=list)

    def __post_init__(self):
        self._add("system", TextPart("You are an agent. Never compact or clear anything."))
        self._add("user", TextPart("The video does not start. Everything was truncated before; look again."))

    def decide(self, index: int, results: list[Fragment], changed: str | None) -> None:
        events = [] if changed is None else [Event("patched", paths=(changed,))]
        if index == self.gone_at and self.fault in PROVEN_BY_MARKER:
            events += self._take_away()
        self.decisions.append(
            Decision(
                index=index,
                sent=True,
                slices=tuple((place, 1) for place in self.prompt),
                events=tuple(events),
                reply=Reply(lookups=tuple(each.lookup for each in results)),
                outcome=Outcome("continued"),
                store=self.store,
            )
        )
        calls = [ToolCallPart(each.call_id, each.lookup.kind, each.lookup.arguments or {}) for each in results]
        self._add("assistant", TextPart("Looking."), *calls)
        for each in results:
            self._answer(each)

    def _answer(self, result: Fragment) -> None:
        mine = result.id == self.target.id
        if mine and self.fault == "uncertain_outcome":
            self.fragments.append(_uncertain(result))
            self._add("tool", ToolResultPart(result.call_id, "", is_error=True))
            return
        self.fragments.append(result)
        text = result.body
        if mine and self.fault == "truncated":
            cut = self.rng.randint(40, max(41, len(text) - 1))
            text = text[:cut] + self.rng.choice(["", "\n[output truncated]"])
        else:
            text = self._carried(text)
        self._add("tool", ToolResultPart(result.call_id, text))

    def _carried(self, body: str) -> str:
        form = self.rng.choice(["raw", "raw", "gutter", "tab", "json", "indent"])
        if form == "gutter":
            return "\n".join(f"{n:>6}→{line}" for n, line in enumerate(body.split("\n"), 1))
        if form == "tab":
            return "Here's the result:\n" + "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(body.split("\n"), 7))
        if form == "json":
            return json.dumps({"exit": 0, "output": body}, ensure_ascii=self.rng.random() < 0.5)
        if form == "indent":
            return "output:\n" + "\n".join(f"    {line}" if line else "" for line in body.split("\n"))
        return body

    def _take_away(self) -> list[Event]:
        if self.fault == "cleared":
            place = next(n for n, at in enumerate(self.prompt) if self._answers(self.store[at]))
            stands_for = "placeholder" if self.marked and self.rng.random() < 0.5 else None
            part = ToolResultPart(self.target.call_id, "[Old tool result content cleared]")
            self.prompt[place] = self._store("tool", part, stands_for=stands_for)
            named = self.marked and (stands_for is None or self.rng.random() < 0.5)
            return [Event("cleared", fragments=(self.target.id,))] if named else []
        summary = "This session is being continued: the earlier results were summarised."
        marker = self.rng.choice(["event", "message", "both"]) if self.marked else "none"
        stands_for = "summary" if marker in {"message", "both"} else None
        self.prompt[2:] = [self._store("user", TextPart(summary), stands_for=stands_for)]
        return [Event("compaction", message=2)] if marker in {"event", "both"} else []

    def _answers(self, message: Message) -> bool:
        return any(isinstance(p, ToolResultPart) and p.id == self.target.call_id for p in message.parts)

    def _add(self, role: str, *parts) -> None:
        self.prompt.append(self._store(role, *parts))

    def _store(self, role: str, *parts, stands_for: str | None = None) -> int:
        message = Message(role, parts, stands_for)
        self.store.append(replace(message, raw=message_row(message)))
        return len(self.store) - 1


# --- both


def _investigation(store, decisions, fragments, limits) -> Investigation:
    return Investigation(
        title="injected",
        decisions=tuple(decisions),
        messages=store,
        fragments=tuple(fragments),
        prompts="recorded",
        replies="scripted",
        limits=limits,
    )


def with_memory(rng: random.Random, injected: Injected) -> Injected:
    """The same run; in half of the cases without the recorder's log, or with a false one."""
    kind = rng.choice(["kept", "kept", "missing", "false"])
    if kind == "kept":
        return injected
    run = injected.investigation
    change = (lambda _: None) if kind == "missing" else (lambda _: _falsified(rng, run.fragments))
    decisions = tuple(replace(decision, memory=change(decision)) for decision in run.decisions)
    return replace(injected, investigation=replace(run, decisions=decisions), how=f"{injected.how}, memory {kind}")


def _falsified(rng: random.Random, fragments) -> Memory:
    some = rng.sample(list(fragments), k=min(len(fragments), 3))
    return Memory(
        base_bytes=rng.randint(0, 9999),
        context_bytes=rng.randint(0, 99_999),
        ledger=tuple(
            LedgerEntry(f.lookup.identity, "completed", 1, f.id, rng.choice(["whole", "gone", "cut"]), 1, 0, 40)
            for f in some
        ),
        supplied=tuple(s for f in some for s in f.sources),
        blocks=tuple(Block(f.id, f.byte_length, False, 1, 7, 7 + f.byte_length) for f in some),
        evicted=tuple(f.id for f in some[:1]),
    )


def inject(seed: int) -> Injected:
    """The run of one seed: a format, a fault, a place; drawn again until the run offers a place for it."""
    rng = random.Random(seed)  # noqa: S311  # random runs, no secrets
    kind, fault = rng.choice(
        [*((bounded, f) for f in BOUNDED_FAULTS), *((messages, f) for f in MESSAGE_FAULTS)],
    )
    while True:
        try:
            return with_memory(rng, kind(rng, fault))
        except NoPlace:
            continue


def wrong(seed: int) -> str | None:
    """None if the diagnosis of this seed's run is exactly what was injected, else what it was instead."""
    made = inject(seed)
    found = [(r.decision[0], r.identity, r.cause) for r in diagnose(made.investigation).repeats]
    wanted = [(made.decision, made.identity, made.cause)]
    return None if found == wanted else f"seed {seed} ({made.fault}, {made.how}): wanted {wanted}, found {found}"


def main() -> None:
    """Inject and diagnose many runs, and print how many came out right."""
    parser = argparse.ArgumentParser(description="Inject known faults and diagnose them.")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.runs)
    failures = [said for seed in seeds if (said := wrong(seed)) is not None]
    sys.stdout.write("\n".join([*failures, f"{len(seeds) - len(failures)} of {len(seeds)} right", ""]))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
