"""The work on many files: in this process where it is one, in worker processes where it is several."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import InspectorError, UnsupportedError
from .search import Found, PassedOver
from .workers import Lost, in_processes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Made = TypeVar("Made")


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """What the work on one file gave, or why it gave nothing: exactly one of `made` and `error` is there."""

    found: Found
    made: Made | None = None
    error: InspectorError | None = None


def run(
    function: Callable[..., Made],
    found: Sequence[Found],
    options: tuple[Any, ...] = (),
    *,
    jobs: int,
    seconds: float,
    progress: Callable[[int, int], None] | None = None,
    within: Callable[[int, int], None] | None = None,
    each: Callable[[Outcome[Made] | PassedOver], None] | None = None,
) -> tuple[list[Outcome[Made]], list[PassedOver]]:
    """`function(path, name, *options)` for every file: the outcomes in order, and what a search found that is no recording.

    One file alone is worked on in this process, and `within(done, total)` hears of its progress; several are spread over
    at most `jobs` processes, `seconds` each, and `progress(done, total)` counts files. A file that a reader refuses, that
    ends its process or takes too long is one outcome with an error; the others are not touched. `each` hears of every
    file as it is done, in any order.
    """

    def done(place: int, answer: Made | InspectorError | Lost) -> None:
        if each is not None:
            each(_judged(found[place], answer))

    work = partial(_guarded, function)
    tasks = [(str(item.path), item.name, *options) for item in found]
    if len(tasks) == 1:
        answers: list[Made | InspectorError | Lost] = [work(*tasks[0], within)]
        done(0, answers[0])
    else:
        answers = in_processes(work, tasks, jobs=jobs, seconds=seconds, progress=progress, each=done)
    outcomes: list[Outcome[Made]] = []
    passed: list[PassedOver] = []
    for item, answer in zip(found, answers, strict=True):
        judged = _judged(item, answer)
        if isinstance(judged, PassedOver):
            passed.append(judged)
        else:
            outcomes.append(judged)
    return outcomes, passed


def _judged(item: Found, answer: Made | InspectorError | Lost) -> Outcome[Made] | PassedOver:
    if isinstance(answer, UnsupportedError) and not item.named:
        return PassedOver(item.name, answer.message)
    if isinstance(answer, Lost):
        return Outcome(item, error=InspectorError(answer.reason, file=item.path.name))
    if isinstance(answer, InspectorError):
        return Outcome(item, error=answer)
    return Outcome(item, made=answer)


def _guarded(function: Callable[..., Made], *arguments: Any) -> Made | InspectorError:
    """What `function` gives, or the error that it raised: a mistake of ours in one file must not lose the other rows."""
    try:
        return function(*arguments)
    except InspectorError as error:
        return error
    except Exception as error:  # noqa: BLE001  # said as a mistake of this program, with its place: never as the file's
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"a mistake in this program: {type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
        return InspectorError(what, file=Path(str(arguments[0])).name, found=str(error)[:200] or None)
