"""A stored context as measuring sees it: which message carries the view, and what stands around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..canonical import canonical_bytes_trusted, utf8
from ..codec import CODECS, V4, V5, view_of
from ..codec.names import VERBATIM
from ..errors import JsonError, ViewError

if TYPE_CHECKING:
    from ..codec.base import View
    from ..model import Decision


@dataclass(frozen=True)
class Stored:
    """A view in the encoding `format`, and the texts of its messages: `texts[place]` is the view's own text.

    `bare` marks a view that came without messages: its texts are the instructions of its encoding and its canonical text.
    """

    format: str
    view: View
    texts: tuple[str, ...]
    place: int
    bare: bool = False

    @property
    def text(self) -> str:
        """The view's text as stored."""
        return self.texts[self.place]

    @cached_property
    def raw(self) -> bytes:
        """The canonical text of the view as UTF-8 bytes."""
        return canonical_bytes_trusted(self.view)

    def with_view(self, version: str, text: str) -> tuple[tuple[str, ...], bool]:
        """The messages with the view as `text` and the instructions of `version`, and whether those were exchanged.

        Exchanged is this project's own text only, where it stands exactly once. Any other system text is kept: nothing may
        seem to be saved by replacing what this project did not write.
        """
        old, new = CODECS[self.format].instructions, CODECS[version].instructions
        around = [other for place, other in enumerate(self.texts) if place != self.place]
        found = sum(other.count(old) for other in around) == 1
        texts = [
            text if place == self.place else other.replace(old, new) if found else other
            for place, other in enumerate(self.texts)
        ]
        return tuple(texts), found


def stored_context(decision: Decision) -> Stored:
    """The view that a decision carries. Raises `ViewError` or `JsonError` with the reason where it carries none."""
    if decision.problem is not None:
        raise ViewError(f"the record cannot be read: {decision.problem.what}")
    if decision.format not in CODECS:
        raise ViewError(f"a context of format {decision.format!r} holds no working view")
    messages = decision.messages
    if len(messages) < len(decision.message_ids):
        raise ViewError("a message of this context is missing from the package")
    for message in messages:
        if message.problem is not None:
            raise ViewError(f"a message cannot be read: {message.problem.what}")
    users = [place for place, message in enumerate(messages) if message.role == "user"]
    views = users if len(users) == 1 else [place for place in users if _is_view(messages[place].text)]
    if len(views) != 1:
        raise ViewError("no single user message is the view", expected="one", found=str(len(views)))
    texts = tuple(message.text for message in messages)
    view = view_of(texts[views[0]])
    if not holds_evidence(view):
        raise ViewError("the user message is no working view", expected="an object with a list `evidence`")
    return Stored(decision.format, view, texts, views[0])


def bare_view(view: View, version: str | None = None) -> Stored:
    """A view without a package, as if it were sent under the instructions of its encoding (told by its tables)."""
    if not holds_evidence(view):
        raise ViewError("this is no working view", expected="an object with a list `evidence`")
    version = version or told_version(view)
    return Stored(version, view, (CODECS[version].instructions, canonical_bytes_trusted(view).decode()), 1, bare=True)


def told_version(view: View) -> str:
    """The encoding that a bare view's tables tell: the latest that has one of them; v5 for a wrapped view, else v4."""
    for version in reversed(CODECS):
        if any(name in view for name in CODECS[version].tables):
            return version
    return V5 if VERBATIM in view else V4


def holds_evidence(view: View) -> bool:
    """Whether an object is a working view: its `evidence` is a list, or it wraps one of which that holds."""
    inner = view.get(VERBATIM)
    while type(inner) is dict and len(view) == 1:
        view, inner = inner, inner.get(VERBATIM)
    return type(view.get("evidence")) is list


def kept_previous(view: View, version: str) -> str | None:
    """Why a stored view in `version` looks as if it fell back, told by its tables; None if it did not."""
    if CODECS[version].previous is None:
        return None
    if VERBATIM in view:
        return "stored as wrapped whole"
    if version != V5 and not any(name in view for name in CODECS[version].tables):
        return "stored with the text of the version before"
    return None  # v5 has no rule of the smaller one: without tables it only found nothing to share


def _is_view(text: str) -> bool:
    try:
        return holds_evidence(view_of(text))
    except (JsonError, ViewError):
        return False


def common_prefix(one: str, other: str) -> int:
    """The UTF-8 bytes that two texts share from their start."""
    left, right = utf8(one), utf8(other)
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
