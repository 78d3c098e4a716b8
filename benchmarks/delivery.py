"""Delivery of every fragment in every prompt, and the diagnosis: 1,000 decisions, 1,000 fragments, prompts of 100 KB.

    python benchmarks/delivery.py [--decisions 1000] [--kilobytes 100] [--only NAME] [--profile]

Each workload is written as a package, opened in a fresh process, and measured there: seconds for delivery (`deliver`), for
the state of every cell (`states`), and for the diagnosis; CPU seconds of delivery and diagnosis together; resident memory at its peak, and how much of that came after
opening. Nothing here fails a test run.

- `bounded`: ten attempts of the bounded memory, as the project assembles it;
- `ledger`: one attempt whose every prompt names all lookups so far (a ledger of 1,000 entries takes over 100 KB alone);
- `transcript`: tool results behind line numbers and in JSON, a compaction whenever the prompt is full;
- `differing`: prompts that have no line in common.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.delivery import deliver
from core.diagnosis import diagnose
from core.excerpt import excerpt
from core.memory import Retention, assemble, base_section, carried, remember_context, text_message
from core.model import (
    Decision,
    Fragment,
    Investigation,
    Limits,
    Lookup,
    Message,
    Outcome,
    Reply,
    SourceRange,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from core.package import investigation_to_package, open_package
from core.package.encode import message_row

if TYPE_CHECKING:
    from collections.abc import Callable

KB = 1000
FILES, LINES = 20, 3000
COMMON, REPEATS_AFTER = 0.25, 50
TARGET = "target: deliver + diagnose ≤ 5 s, ≤ 500 MB"


def main() -> None:
    """Write each workload, measure it in a process of its own, print one row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--kilobytes", type=int, default=100)
    parser.add_argument("--only", choices=list(WORKLOADS))
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure, profile=arguments.profile)
        return
    print(f"{arguments.decisions:,} decisions, prompts of {arguments.kilobytes} KB; {TARGET}\n")
    print(
        f"{'workload':<12}{'deliver':>9}{'states':>9}{'diagnose':>10}{'CPU':>9}{'peak MB':>9}{'of it after opening':>21}  found"
    )
    with tempfile.TemporaryDirectory(prefix="delivery-") as folder:
        for name, make in WORKLOADS.items():
            if arguments.only in {None, name}:
                path = Path(folder) / name
                investigation_to_package(make(arguments.decisions, arguments.kilobytes * KB), path)
                row(name, path, profile=arguments.profile)


def row(name: str, path: Path, *, profile: bool) -> None:
    """Measure one package in a fresh process and print its row."""
    command = [sys.executable, __file__, "--measure", str(path), *(["--profile"] if profile else [])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # this very file
    *said, last = done.stdout.strip().split("\n")
    found = json.loads(last)
    seconds = f"{found['deliver']:>8.2f}s{found['states']:>8.2f}s{found['diagnose']:>9.2f}s{found['cpu']:>8.2f}s"
    print(f"{name:<12}{seconds}{found['peak']:>9.0f}{found['after']:>21.0f}  {found['what']}")
    if profile:
        print("\n".join(said))


def measure(path: Path, *, profile: bool) -> None:
    """Print one JSON line of figures."""
    investigation = open_package(path)
    opened = _resident()
    profiler = cProfile.Profile(time.process_time) if profile else None
    if profiler:
        profiler.enable()
    times = [time.perf_counter()]
    cpu = [time.process_time()]
    deliveries = deliver(investigation)
    times.append(time.perf_counter())
    cpu.append(time.process_time())
    states: dict[str, int] = {}
    for key in deliveries.keys:
        for state in deliveries.states(key).values():
            states[state] = states.get(state, 0) + 1
    times.append(time.perf_counter())
    cpu.append(time.process_time())
    found = diagnose(investigation, deliveries)
    times.append(time.perf_counter())
    cpu.append(time.process_time())
    if profiler:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(30)
    size = max(
        investigation.decisions[-1].prompt_bytes,
        investigation.decisions[len(investigation.decisions) // 2].prompt_bytes,
    )
    cells = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    peak = _resident()
    figures = {
        "deliver": times[1] - times[0],
        "states": times[2] - times[1],
        "diagnose": times[3] - times[2],
        "cpu": cpu[1] - cpu[0] + cpu[3] - cpu[2],
        "peak": peak,
        "after": peak - opened,
        "what": f"{cells}; {len(found.repeats)} repeats; a prompt of {size:,} B",
    }
    print(json.dumps(figures))


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- workloads


class _Source:
    """Lines of a few files, and lookups of ranges of them; the same on every machine."""

    def __init__(self) -> None:
        self.rng = random.Random(17)  # noqa: S311  # a workload, no secrets
        self.files = [[self.line() for _ in range(LINES)] for _ in range(FILES)]

    def line(self) -> str:
        """A line of code; every fourth is one of a few that are everywhere."""
        rng = self.rng
        if rng.random() < COMMON:
            return rng.choice(["}", "", "  return;", "  } else {"])
        return f"  const v{rng.randint(0, 10**6)} = call{rng.randint(0, 999)}(a{rng.randint(0, 99)}, 'text {rng.randint(0, 99)}');"

    def fragment(self, number: int, asked_by: int) -> Fragment:
        """The result of a read of some 30 lines (about 2 KB)."""
        file = self.rng.randrange(FILES)
        start = self.rng.randint(1, LINES - 50)
        source = SourceRange(f"src/f{file}.js", "sha256:" + f"{file:064x}", start, start + self.rng.randint(15, 45))
        body = excerpt(source, self.files[file][source.start - 1 : source.end])
        lookup = Lookup("read", arguments={"path": source.path, "start": source.start, "end": source.end, "n": number})
        return Fragment(f"f{number}", lookup, "completed", asked_by, body, (source,), call_id=f"c{number}")


def bounded(decisions: int, size: int, attempts: int = 10) -> Investigation:
    """Attempts of the bounded memory; each ends with a repeat of something that left."""
    code = _Source()
    store: list[Message] = [text_message("system", "You repair programs." * 20)]
    made: list[Decision] = []
    fragments: list[Fragment] = []
    base = "\n".join(code.line() for _ in range(size // 5 // 45))
    for number in range(decisions):
        attempt, turn = divmod(number, -(-decisions // attempts))
        if turn == 0:
            state, results = Retention(size - 1000), []
        for each in results:
            state = remember_context(state, each, len(base_section(base)))
        prompt = assemble(state, system="", base=base, prompt_limit=10**9)
        state = carried(prompt.retention)
        store.append(prompt.messages[1])
        fragment = code.fragment(number + 1, number + 1)
        results = [fragment]
        asked = (fragment.lookup,)
        if turn > REPEATS_AFTER and turn % 10 == 0:
            asked = (fragment.lookup, fragments[number - code.rng.randint(2, turn - 1)].lookup)
        fragments.append(fragment)
        made.append(
            _decision(
                number + 1, store, ((0, 1), (len(store) - 1, 1)), asked, form="bounded_repair_v1", attempt=attempt + 1
            )
        )
        made[-1] = replace(made[-1], memory=prompt.memory)
    limits = Limits(prompt_bytes=10**9, context_bytes=size - 1000, calls=10**6)
    return _told(store, made, fragments, limits)


def ledger(decisions: int, size: int) -> Investigation:
    """One attempt only."""
    return bounded(decisions, size, attempts=1)


def transcript(decisions: int, size: int) -> Investigation:
    """Prompts that grow by a call and its result, until a summary replaces them."""
    code = _Source()
    store = [_message("system", TextPart("You are an agent.")), _message("user", TextPart("Fix the player."))]
    made: list[Decision] = []
    fragments: list[Fragment] = []
    first, held = 2, 0
    for number in range(1, decisions + 1):
        fragment = code.fragment(number, number)
        again = number % 25 == 0
        asked = (fragment.lookup, fragments[-20].lookup) if again else (fragment.lookup,)
        slices = ((0, 2), (first, len(store) - first)) if len(store) > first else ((0, 2),)
        made.append(_decision(number, store, slices, asked))
        fragments.append(fragment)
        lines = fragment.body.split("\n")
        text = (
            "\n".join(f"{at:>6}→{line}" for at, line in enumerate(lines, 1))
            if number % 2
            else json.dumps({"out": fragment.body})
        )
        store.append(_message("assistant", ToolCallPart(f"c{number}", "read", fragment.lookup.arguments)))
        store.append(_message("tool", ToolResultPart(f"c{number}", text)))
        held += len(text)
        if held > size:
            first, held = len(store), 0
            store.append(_message("user", TextPart("A summary of what was read."), stands_for="summary"))
    return _told(store, made, fragments, Limits())


def differing(decisions: int, size: int) -> Investigation:
    """Every prompt is text that no other prompt has, with a few results in it."""
    code = _Source()
    store: list[Message] = []
    made: list[Decision] = []
    fragments: list[Fragment] = []
    for number in range(1, decisions + 1):
        shown = [each.body for each in fragments[-5:]]
        count = (size - sum(map(len, shown))) // 48
        filler = "\n".join(f"{number}-{at}: {code.rng.getrandbits(120):x} = {at * 7}" for at in range(count))
        store.append(_message("user", TextPart("\n".join([filler, *shown]))))
        fragment = code.fragment(number, number)
        asked = (fragment.lookup, fragments[-9].lookup) if number % 25 == 0 else (fragment.lookup,)
        made.append(_decision(number, store, ((number - 1, 1),), asked))
        fragments.append(replace(fragment, call_id=None))
    return _told(store, made, fragments, Limits())


def _message(role: str, part: TextPart | ToolCallPart | ToolResultPart, stands_for: str | None = None) -> Message:
    message = Message(role, (part,), stands_for)
    return replace(message, raw=message_row(message))


def _decision(
    index: int,
    store: list[Message],
    slices: tuple[tuple[int, int], ...],
    asked: tuple[Lookup, ...],
    *,
    form: str = "messages",
    attempt: int = 1,
) -> Decision:
    return Decision(
        index=index,
        attempt=attempt,
        sent=True,
        format=form,
        slices=slices,
        reply=Reply(lookups=asked),
        outcome=Outcome("continued"),
        store=store,
    )


def _told(store: list[Message], made: list[Decision], fragments: list[Fragment], limits: Limits) -> Investigation:
    return Investigation(
        title="a workload",
        decisions=tuple(made),
        messages=store,
        fragments=tuple(fragments),
        created="2026-11-30T12:00:00Z",
        prompts="recorded",
        replies="scripted",
        limits=limits,
    )


WORKLOADS: dict[str, Callable[[int, int], Investigation]] = {
    "bounded": bounded,
    "ledger": ledger,
    "transcript": transcript,
    "differing": differing,
}

if __name__ == "__main__":
    main()
