"""A run whose memory is too small: cut inside a character, evicted, asked for narrower, uncertain, and refused whole.

First attempt: a search; a read of a large file, whose result is cut inside a Japanese sentence and displaces the search;
a narrower range of the same file, which fits; a symbol lookup whose answer is lost, asked again and counted again; and
the first search once more, whose body left for want of room: the repetition gate stops it. Second attempt: the operator
attaches the kiosk's whole trace to the task, and the prompt is over its own limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.model import Limits
from core.runner import Attempt, Scenario, Scripted

from .player import CREATED, PRODUCER, REQUEST, SYSTEM, asks, player_tree, read, record, search, symbol, task

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = Limits(prompt_bytes=42_000, context_bytes=5_800, calls=8)

TASK = """\
Task: the text that the viewer sees when a control is refused.

Report (東京駅, kiosk 3): "字幕ボタンを押すと、日本語の画面に「control」という英語がそのまま出ます。"
The text comes from src/i18n/messages.js; which message is chosen, and what is filled in, is decided elsewhere.

Rules: change as little as possible, in one file. Do not touch the translations themselves:
they were proofread by native speakers in the spring, line by line.
"""

NOTES = (
    TASK
    + """
Notes from the first attempt: the message "refused" has the placeholder {control} in every language, Japanese included.
The name that is filled in is the one that was asked for, in the language of the skin.
"""
)

TRACE_SECONDS = 560


def trace() -> str:
    """The kiosk's trace as the operator attaches it: one line for every second of a black screen."""
    steps = ("idle", "press ▶ 再生", "refused: unsupported_control", "message shown (ja): この機器には…")
    lines = (
        f"11:{second // 60:02}:{second % 60:02} kiosk-3 tick={second * 60:05} status=idle 画面=黒 {steps[second % len(steps)]}"
        for second in range(TRACE_SECONDS)
    )
    return "\nTrace of kiosk 3, attached by the operator:\n" + "\n".join(lines) + "\n"


def scenario() -> Scenario:
    """Both attempts."""
    tree = player_tree()
    describe = "Which table does describe() take, and what does it fill in?"
    first = (
        Scripted(
            asks(
                "The text is shown when a control is refused. Find out where that happens.",
                search("unsupported_control", summary="Where controls are refused"),
            )
        ),
        Scripted(
            asks(
                'requestControl asks describe() for the message "refused". Read all messages, to see what they look like.',
                read("src/i18n/messages.js", 1, 127, summary="All messages in all languages"),
            )
        ),
        Scripted(
            asks(
                "The file was cut within the Japanese table, before the message I need. Ask for that table only.",
                read("src/i18n/messages.js", 69, 84, summary="The Japanese messages"),
            )
        ),
        Scripted(
            asks(
                "The Japanese text has its placeholder. See how describe() fills it in.",
                symbol("describe", summary=describe),
            ),
            unknown=frozenset({0}),
        ),
        Scripted(
            asks(
                "The ledger says that no answer came for describe(). Ask for it once more.",
                symbol("describe", summary=describe),
            )
        ),
        Scripted(
            asks(
                "describe() fills in whatever it is given. What is it given? Look at the place of the refusal again.",
                search("unsupported_control", summary="Which name requestControl passes on"),
            )
        ),
    )
    second = (
        Scripted(
            asks(
                "Start from the place that asks for the message.",
                read("src/player.js", 25, 38, summary="requestControl"),
            )
        ),
        Scripted(None, base=task(tree, NOTES) + trace()),
    )
    return Scenario(
        "Caption message in the wrong language, with 5,800 bytes of memory",
        system=SYSTEM,
        attempts=(Attempt(task(tree, TASK), first), Attempt(task(tree, NOTES), second)),
        limits=LIMITS,
        created=CREATED,
        producer=PRODUCER,
        request=REQUEST,
    )


def build(target: Path) -> None:
    """Write `tight_budget`."""
    record(scenario(), player_tree(), target)
