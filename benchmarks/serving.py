"""Many people stepping through decisions at once: server time of a step, errors, growth of memory.

    python benchmarks/serving.py [--people 20] [--steps 1000] [--every 2.0] [--prompt-bytes 42000] [--package PATH]

Starts the app on a package of its own, lets each person open the Decisions page, and then step by the slider, which is
what a key does on the server too. Each person steps once in `--every` seconds on average; `--every 0` steps again at once,
which is more than people can do: then it says how many steps a second the server gives. The time of a step is measured
by the visitor, from the message it sends to the end of the run that it caused: everything but the browser.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.machine import facts, processor_seconds, resident  # needs the line above
from benchmarks.served import served
from benchmarks.visitor import Visitor
from core.package import PackageWriter

TO_REACH_MS = 150
WARM_STEPS = 5
DECISIONS = 60


def main() -> None:
    """Run and print."""
    arguments = _arguments()
    print("\n".join(facts()))
    with tempfile.TemporaryDirectory(prefix="serving-") as folder:
        package = arguments.package or write(Path(folder) / "run", arguments.prompt_bytes)
        with served(Path(folder) / "log", package) as (address, process):
            crowd = [Person(address, number) for number in range(arguments.people)]
            _all(crowd, lambda person: person.arrive())
            _all(crowd, lambda person: person.step(WARM_STEPS, 0.0))
            before, spent = resident(process.pid), processor_seconds(process.pid)
            for person in crowd:
                person.times.clear()
            share = -(-arguments.steps // arguments.people)
            start = time.perf_counter()
            _all(crowd, lambda person: person.step(share, arguments.every))
            seconds = time.perf_counter() - start
            spent = processor_seconds(process.pid) - spent
            _print(arguments, crowd, seconds, spent)
            after = resident(process.pid)
            print(f"resident memory: {before:.0f} MB before, {after:.0f} MB after, growth {after - before:+.1f} MB")
            _all(crowd, lambda person: person.leave())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=float, default=2.0)
    parser.add_argument("--prompt-bytes", type=int, default=42_000)
    parser.add_argument("--package", type=Path)
    return parser.parse_args()


def write(path: Path, prompt_bytes: int) -> Path:
    """A recording of `DECISIONS` prompts of about `prompt_bytes` each, with a new lookup and its result in every one."""
    body = "".join(f"{line:4}: the quick brown fox jumps over the lazy dog, and then once more\n" for line in range(20))
    with PackageWriter(path, title="Benchmark", replies="scripted", sync=False) as package:
        for number in range(1, DECISIONS + 1):
            lookup = {"kind": "search", "queries": [f"query {number}"], "search": "src/"}
            result = f"result {number}\n{body}"
            text = f"Decision {number}.\n" + result * max(1, prompt_bytes // len(result))
            package.append_decision(
                [{"role": "system", "text": "Find the fault."}, {"role": "user", "text": text}],
                reply={"text": f"reply {number}", "lookups": [lookup]},
                outcome={"kind": "continued"},
            )
            package.append_fragment(
                f"f{number}", lookup=lookup, body=f"result {number + 1}\n{body}", requested_by=number
            )
    return path


class Person:
    """One visitor, who notes how long each step took and what went wrong."""

    def __init__(self, address: str, number: int) -> None:
        self._visitor = Visitor(address)
        self._random = random.Random(number)  # noqa: S311  # the same steps each time
        self._place = number % DECISIONS
        self._slider = ""
        self._most = 1
        self.times: list[float] = []
        self.failures: list[str] = []

    def arrive(self) -> None:
        """Open the page."""
        self._visitor.open("decisions")
        slider = next(self._visitor.of_kind("slider"), None)
        if slider is None:
            raise RuntimeError(f"the page has no slider: {self._visitor.errors}")
        self._slider, self._most = slider.id, int(slider.max)

    def step(self, count: int, every: float) -> None:
        """Step on so many times, once in `every` seconds on average."""
        for _ in range(count):
            time.sleep(self._random.uniform(0, 2 * every))
            self._place = self._place % self._most + 1
            self.times.append(self._visitor.set(self._slider, double_array_value=[float(self._place)]))
            if f"decision={self._place}" not in self._visitor.query.split("&"):
                self.failures.append(f"asked for decision {self._place}, the address says {self._visitor.query}")

    def leave(self) -> None:
        """Close the page."""
        self._visitor.close()

    @property
    def errors(self) -> list[str]:
        """What went wrong."""
        return self.failures + self._visitor.errors


def _all(crowd: list[Person], act: object) -> None:
    def guarded(person: Person) -> None:
        try:
            act(person)  # type: ignore[operator]  # a function of a person
        except (OSError, TimeoutError, RuntimeError) as error:
            person.failures.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=guarded, args=(person,)) for person in crowd]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _print(arguments: argparse.Namespace, crowd: list[Person], seconds: float, spent: float) -> None:
    times = sorted(1000 * one for person in crowd for one in person.times)
    errors = [error for person in crowd for error in person.errors]
    p50, p95 = statistics.median(times), times[int(0.95 * (len(times) - 1))]
    pace = f"one step in {arguments.every:g} s each" if arguments.every else "as fast as they can"
    print(f"{len(crowd)} people, {len(times):,} steps, {pace}: {len(times) / seconds:.1f} steps a second")
    print(
        f"server time of a step: p50 {p50:.0f} ms, p95 {p95:.0f} ms, slowest {times[-1]:.0f} ms (to reach: p95 {TO_REACH_MS} ms)"
    )
    print(f"errors: {len(errors)} (to reach: 0)" + (f", the first: {errors[0]}" if errors else ""))
    print(f"processor time of the server: {1000 * spent / len(times):.0f} ms a step")


if __name__ == "__main__":
    main()
