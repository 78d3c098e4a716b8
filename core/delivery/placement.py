"""How one fragment stands in one transmitted prompt: the words and records of delivery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from ..model import DecisionKey

State: TypeAlias = Literal["whole", "cut", "overlap", "marker_only", "absent", "coincidental", "unknown"]
Carried: TypeAlias = Literal["raw", "escaped", "gutter", "indented", "view"]
LineRange: TypeAlias = tuple[int, int]
"""First and last line, 1-based and inclusive."""

STATES: tuple[State, ...] = ("whole", "cut", "overlap", "marker_only", "absent", "coincidental", "unknown")

NOT_RECORDED = "what the lookup returned is not recorded: whether anything of it was sent cannot be told"
"""Why a state is `unknown`."""


@dataclass(frozen=True, slots=True)
class Place:
    """A byte range of a prompt.

    `start`..`end` (end excluded) are UTF-8 bytes in the text of the prompt's message number `message` (a 0-based place
    in that decision's prompt, not a position in the investigation's messages).
    """

    message: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Placement:
    """How the fragment `fragment` stands in the prompt of the sent decision `key`.

    - `whole`: every byte of the body is there, at `message`, `start`..`end`;
    - `cut`: `received_bytes` of `total_bytes`, a prefix of its own block, are at `message`, `start`..`end`;
    - `overlap`: its own block is not there; `lines` reach the prompt through the fragments `through`
      (lines of the file where the fragment's sources say which, else lines of the body);
    - `marker_only`: its ledger entry (or its call, or a placeholder) is at `marker`, its body is not there;
    - `absent`: neither (`Deliveries.searched` gives sizes and hashes of what was searched);
    - `coincidental`: these bytes are there, but too short, or also part of the base context, and not at a block or
      tool-result boundary, so they prove nothing;
    - `unknown`: the lookup's outcome was never known and no body of it is recorded: nothing can be looked for.

    `message`, `start`, `end` are None where no byte of the body is there. `carried` says in which form the body stands.
    `guidance`: the prompt itself says that this body was cut. `silent_absence`: the marker is there, the body is not,
    and the prompt does not say so. `marker` is given in every state in which a marker stands in the prompt.
    For `overlap`, `received_bytes` is 0: what came through others is not a delivery of this body.
    """

    fragment: str
    key: DecisionKey
    state: State
    total_bytes: int
    message: int | None = None
    start: int | None = None
    end: int | None = None
    carried: Carried | None = None
    received_bytes: int = 0
    guidance: bool = False
    silent_absence: bool = False
    lines: tuple[LineRange, ...] = ()
    through: tuple[str, ...] = ()
    marker: Place | None = None

    @property
    def place(self) -> Place | None:
        """Where the body, or its received part, stands; None where it does not."""
        if self.message is None or self.start is None or self.end is None:
            return None
        return Place(self.message, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines of one version of one file that stood in one prompt: `lines` are merged ranges in ascending order."""

    path: str
    hash: str | None
    lines: tuple[LineRange, ...]
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched for what: sizes in UTF-8 bytes, hashes as `sha256:...`; the proof shown for an absence.

    `prompt_hash` is over the messages' texts, one after the other, with nothing between.
    """

    prompt_bytes: int
    prompt_hash: str
    body_bytes: int
    body_hash: str
