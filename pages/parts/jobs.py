"""Long work in the background: it shows a count, can be left, and is shared by everyone who asks for the same."""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import streamlit as st

from core.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Made = TypeVar("Made")
Progress = "Callable[[int, int], None]"

AT_ONCE: Final = 0.25
"""Seconds that a page waits before it shows progress: what is faster needs none."""
_LOOK: Final = 0.1
_COUNTED_EVERY: Final = 0.7


class StoppedError(InspectorError):
    """What a job raises that ended because nobody wanted it any more."""


class Job(Generic[Made]):
    """One piece of work in a thread of its own. `done` of `total` is what it has reported so far.

    `started` and `ended` are moments of `time.monotonic`.
    """

    _lock: Final = threading.Lock()

    def __init__(self, work: Callable[[Callable[[int, int], None]], Made]) -> None:
        self.done = self.total = 0
        self.started, self.ended = time.monotonic(), math.inf
        self._finished = threading.Event()
        self._waiting = 0
        self._unwanted = False
        self._made: Made | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, args=(work,), daemon=True).start()

    def _run(self, work: Callable[[Callable[[int, int], None]], Made]) -> None:
        try:
            self._made = work(self._report)
        except BaseException as error:  # noqa: BLE001  # raised again for whoever asks
            self._error = error
        self.ended = time.monotonic()
        self._finished.set()

    def _report(self, done: int, total: int) -> None:
        with self._lock:
            if self._unwanted and not self._waiting:
                raise StoppedError("this was stopped before it was done")
        self.done, self.total = done, total

    def leave(self) -> None:
        """One who waited wants it no more: it ends at its next report at which nobody waits for it."""
        with self._lock:
            self._unwanted = True

    @contextmanager
    def waited_for(self) -> Iterator[None]:
        """Somebody wants it, and waits."""
        with self._lock:
            self._waiting += 1
            self._unwanted = False
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def failed(self) -> bool:
        """Whether it is over and raised."""
        return self._finished.is_set() and self._error is not None

    def stopped(self) -> bool:
        """Whether it ended because nobody wanted it."""
        return isinstance(self._error, StoppedError)

    def said(self) -> str:
        """How far it is: a count where one is known, else the seconds that it has taken."""
        if self.total:
            return f"{self.done:,} of {self.total:,}"
        return f"{min(self.ended, time.monotonic()) - self.started:.0f} s"

    def share(self) -> float:
        """How far it is, from 0 to 1; 0 where no count is known."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def finished(self, within: float = 0.0) -> bool:
        """Whether it is over, waiting for at most `within` seconds."""
        return self._finished.wait(within)

    def result(self) -> Made:
        """What the work gave. Raises what it raised."""
        with self.waited_for():
            self._finished.wait()
        if self._error is not None:
            raise self._error
        return self._made  # type: ignore[return-value]  # finished without an error: it was made


def wait(job: Job[Made], what: str) -> Made:
    """The result of a job; while it takes longer than a moment, a bar with a count. Leaving the page leaves the wait."""
    with job.waited_for():
        if not job.finished(AT_ONCE):
            bar = st.progress(0.0, what)
            while not job.finished(_LOOK):
                bar.progress(job.share(), f"{what}: {job.said()}")
            bar.empty()
        return job.result()


def behind(work: Callable[[], tuple[str, Job[Any]] | None], *, key: str) -> None:
    """Count what is worked out behind the page, without holding it up; once `work` names nothing more, draw the page anew.

    `work` gives what is being done, in words of our own, and the job. The page is drawn anew after each of several, too.
    """
    first = work()
    if first is None:
        return

    def count() -> None:
        found = work()
        if found is None or found[0] != first[0]:
            st.rerun()
        what, job = found
        st.progress(job.share(), f"{what}: {job.said()}")

    with st.container(key=key):
        st.fragment(count, run_every=_COUNTED_EVERY)()
