"""Long work in the background: it shows a count, can be left, and is shared by everyone who asks for the same."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")
Progress = "Callable[[int, int], None]"

_AT_ONCE: Final = 0.25
"""Seconds that a page waits before it shows progress: what is faster needs none."""
_LOOK: Final = 0.1


class Job(Generic[Made]):
    """One piece of work in a thread of its own. `done` of `total` is what it has reported so far."""

    def __init__(self, work: Callable[[Callable[[int, int], None]], Made]) -> None:
        self.done = self.total = 0
        self._finished = threading.Event()
        self._made: Made | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, args=(work,), daemon=True).start()

    def _run(self, work: Callable[[Callable[[int, int], None]], Made]) -> None:
        try:
            self._made = work(self._report)
        except BaseException as error:  # noqa: BLE001  # raised again for whoever asks
            self._error = error
        self._finished.set()

    def _report(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def finished(self, within: float = 0.0) -> bool:
        """Whether it is over, waiting for at most `within` seconds."""
        return self._finished.wait(within)

    def result(self) -> Made:
        """What the work gave. Raises what it raised."""
        self._finished.wait()
        if self._error is not None:
            raise self._error
        return self._made  # type: ignore[return-value]  # finished without an error: it was made


def wait(job: Job[Made], what: str) -> Made:
    """The result of a job; while it takes longer than a moment, a bar with a count. Leaving the page leaves the wait."""
    if not job.finished(_AT_ONCE):
        bar = st.progress(0.0, what)
        while not job.finished(_LOOK):
            share = min(1.0, job.done / job.total) if job.total else 0.0
            bar.progress(share, f"{what}: {job.done:,} of {job.total:,}" if job.total else what)
        bar.empty()
    return job.result()
