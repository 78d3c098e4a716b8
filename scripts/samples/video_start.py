"""Two runs over the video player that differ in what memory keeps: the historical fault, and its repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.runner import Attempt, Scenario, Scripted

from .player import (
    CREATED,
    LIMITS,
    PRODUCER,
    REQUEST,
    SYSTEM,
    asks,
    patches,
    player_tree,
    record,
    search,
    symbol,
    task,
)

if TYPE_CHECKING:
    from pathlib import Path

FIRST_SEARCH = asks(
    "The start is refused with the reason unsupported_control. Find out who gives that reason, and when.",
    search("unsupported_control", summary="Where the refusal comes from"),
)


def overwritten() -> Scenario:
    """The historical fault: the newest result replaces every earlier one, and the third decision starts again."""
    return Scenario(
        "Video does not start: the newest result replaces the earlier ones",
        system=SYSTEM,
        attempts=(
            Attempt(
                task(player_tree()),
                (
                    Scripted(FIRST_SEARCH),
                    Scripted(
                        asks(
                            "The refusal is given in requestControl, before the element is touched. Before I look at the "
                            "controls, I want to know whether the observation could have changed the status first.",
                            symbol("observePlayback", summary="Does the observation touch the element?"),
                        )
                    ),
                    Scripted(
                        asks(
                            "observePlayback only listens; it is not the cause. I no longer have the place that refuses the "
                            "start: look up again where unsupported_control is given.",
                            search("unsupported_control", summary="Find the code that refuses the start control"),
                        )
                    ),
                ),
            ),
        ),
        limits=LIMITS,
        policy="overwrite",
        created=CREATED,
        producer=PRODUCER,
        request=REQUEST,
    )


def retained() -> Scenario:
    """The repair: search, helper symbol, patch; the third prompt holds both results."""
    return Scenario(
        "Video does not start: both results stay until the patch",
        system=SYSTEM,
        attempts=(
            Attempt(
                task(player_tree()),
                (
                    Scripted(FIRST_SEARCH),
                    Scripted(
                        asks(
                            'start() asks for the control "start", and requestControl refuses what isControlSupported '
                            "does not know. See how that helper treats a name that is an alias.",
                            symbol("isControlSupported", summary="Which names does the helper accept?"),
                        )
                    ),
                    Scripted(
                        patches(
                            'requestControl("start") is refused because isControlSupported looks the name up as it is. Its comment '
                            "promises aliases too, and what is performed afterwards is canonicalControl(name): look that up.",
                            "src/controls.js",
                            "  return SUPPORTED.has(name);\n",
                            "  return SUPPORTED.has(canonicalControl(name));\n",
                        )
                    ),
                ),
            ),
        ),
        limits=LIMITS,
        created=CREATED,
        producer=PRODUCER,
        request=REQUEST,
    )


def build_overwritten(target: Path) -> None:
    """Write `video_start_overwritten`."""
    record(overwritten(), player_tree(), target)


def build_retained(target: Path) -> None:
    """Write `video_start_retained`."""
    record(retained(), player_tree(), target)
