"""A pure function over many tasks in worker processes; a worker that dies or takes too long loses its own task only.

Why not `concurrent.futures.ProcessPoolExecutor`: there one dead worker breaks the pool and with it every task that
waits, and before Python 3.14 a task that takes too long cannot be stopped by a public call. A worker here is one process
with one pipe: killed and replaced where it must be.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnContext

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Lost:
    """What a task gave that its worker did not survive, and why."""

    reason: str


def in_processes(
    function: Callable[..., Made],
    tasks: Sequence[tuple[Any, ...]],
    *,
    jobs: int,
    seconds: float,
    progress: Callable[[int, int], None] | None = None,
    each: Callable[[int, Made | Lost], None] | None = None,
) -> list[Made | Lost]:
    """`function(*task)` for every task, in the order of `tasks`, at most `jobs` at a time and `seconds` each.

    Function, tasks and results must be picklable; processes are spawned, so that no thread or lock of this one is copied.
    What `function` raises kills its worker: let it return what went wrong. `progress(done, total)` after every task,
    `each(place, answer)` for every answer as it comes.
    """
    return _Pool(function, tasks, jobs, seconds, each).run(progress)


class _Worker(Generic[Made]):
    """One process that waits at a pipe for its next task."""

    def __init__(self, context: SpawnContext, function: Callable[..., Made]) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()  # so that its death ends our pipe
        self.place = -1
        self.deadline = 0.0

    def give(self, place: int, task: tuple[Any, ...], seconds: float) -> bool:
        """Hand it a task; False if it is dead."""
        self.place, self.deadline = place, time.monotonic() + seconds
        try:
            self.pipe.send(task)
        except OSError:
            return False
        return True

    def answer(self) -> Made | Lost:
        """What it made of its task, or how it died."""
        try:
            made: Made = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(1)
            return Lost(f"the process that worked on it ended: {_end(self.process.exitcode)}")
        return made

    def stop(self) -> None:
        """End it at once, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class _Pool(Generic[Made]):
    def __init__(
        self,
        function: Callable[..., Made],
        tasks: Sequence[tuple[Any, ...]],
        jobs: int,
        seconds: float,
        each: Callable[[int, Made | Lost], None] | None,
    ) -> None:
        self._each = each
        self._function, self._tasks, self._jobs, self._seconds = function, tasks, max(1, jobs), seconds
        self._context = multiprocessing.get_context("spawn")
        self._waiting = deque(range(len(tasks)))
        self._answers: dict[int, Made | Lost] = {}
        self._busy: list[_Worker[Made]] = []
        self._idle: list[_Worker[Made]] = []

    def run(self, progress: Callable[[int, int], None] | None) -> list[Made | Lost]:
        try:
            while self._waiting or self._busy:
                self._hand_out()
                self._collect()
                if progress is not None:
                    progress(len(self._answers), len(self._tasks))
        finally:
            for worker in (*self._busy, *self._idle):
                worker.stop()
        return [self._answers[place] for place in range(len(self._tasks))]

    def _hand_out(self) -> None:
        while self._waiting and len(self._busy) < self._jobs:
            worker = self._idle.pop() if self._idle else _Worker(self._context, self._function)
            place = self._waiting[0]
            if worker.give(place, self._tasks[place], self._seconds):
                self._waiting.popleft()
                self._busy.append(worker)
            else:
                worker.stop()  # it died while it had nothing to do: nothing is lost

    def _collect(self) -> None:
        first = min(worker.deadline for worker in self._busy)
        ready: list[Connection] = wait(  # type: ignore[assignment]  # only pipes are waited for
            [worker.pipe for worker in self._busy], max(0.0, first - time.monotonic())
        )
        for worker in tuple(self._busy):
            if worker.pipe in ready:
                self._answer(worker, worker.answer())
            elif time.monotonic() >= worker.deadline:
                self._answer(worker, Lost(f"it took longer than {self._seconds:g} seconds"))

    def _answer(self, worker: _Worker[Made], answer: Made | Lost) -> None:
        self._answers[worker.place] = answer
        if self._each is not None:
            self._each(worker.place, answer)
        self._busy.remove(worker)
        if isinstance(answer, Lost):
            worker.stop()
        else:
            self._idle.append(worker)


def _serve(pipe: Connection, function: Callable[..., object]) -> None:
    """The life of a worker: until its pipe ends, which it does when the process that started it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the starter's to handle
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(function(*task))


def _end(status: int | None) -> str:
    if status is None:
        return "its end is not known"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
