"""SWE-agent `.traj`: one JSON document with `trajectory` (the steps) and `history` (every message in full).

A request is one step. Its prompt is, best first: the step's `query` (the list sent); the `messages` that the step
*before* it left (in this form a step's own list already holds its answer); else the `history` up to its answer,
rebuilt: there, old observations that a history processor shortened are not to be seen, and that is listed as missing.
An observation that the processor blanked (same place, other text) becomes a placeholder and a `cleared` event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RecordingError
from ..model import Outcome
from .chat import chat_message
from .draft import Draft
from .parts import message, text_message, text_part
from .shape import Object, items, name, obj, objects, text
from .swe_actions import SweActions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Investigation, Message
    from .recording import Recording

READER = "swe-agent"
_BLANKED = ("Old environment output: (", "Old output omitted (")
_STOPPED_BY = {"exit_cost": "cost_limit", "exit_context": "context_limit", "exit_total_execution_time": "time_limit"}
_EXITS = frozenset({"exit_cost", "exit_context", "exit_error", "exit_api", "exit_format", "exit_environment_error"})
"""Actions that the agent writes itself when a call gave no usable reply: they are no reply of the model."""


def knows(recording: Recording) -> bool:
    """Whether this is a SWE-agent trajectory."""
    document = recording.document
    if not isinstance(document, dict):
        return False
    steps = objects(document.get("trajectory"))
    return bool(steps) and "action" in steps[0] and "observation" in steps[0]


def read(recording: Recording) -> tuple[Investigation, ...]:
    """The one run of the file. Raises `RecordingError` if it has no step."""
    document = obj(recording.document)
    steps = objects(document.get("trajectory"))
    if not steps:
        raise RecordingError("a SWE-agent trajectory without a step", file=recording.name)
    run = _Run(recording, document, steps)
    run.walk()
    return (run.draft.finish(),)


class _Run:
    def __init__(self, recording: Recording, document: Object, steps: list[Object]) -> None:
        self.steps = steps
        self.info = obj(document.get("info"))
        self.history = objects(document.get("history"))
        self.answers = [each for each in self.history if each.get("role") == "assistant" and not each.get("is_demo")]
        self.prompts = _prompts(steps)
        recorded = all(prompt is not None for prompt in self.prompts)
        self.draft = Draft(recording, READER, "recorded" if recorded else "rebuilt")
        self.draft.producer = {"name": "SWE-agent", "version": text(self.info.get("swe_agent_version"))}
        self.draft.missing = () if recorded else ("history processing",)
        if any(each.get("tool_calls") for each in self.answers):
            self.draft.missing += ("tool definitions",)
        self.draft.extra = {key: document[key] for key in ("environment",) if isinstance(document.get(key), str)}
        self.draft.extra["exit_status"] = text(self.info.get("exit_status"))
        self.actions = SweActions()
        self.actions.start(text(steps[0].get("action")), steps[0].get("state"))
        self.draft.title = recording.name.removesuffix(".traj")
        self.before: list[int] = []
        self.fragments: dict[int, str] = {}

    def walk(self) -> None:
        lead, tail = self._split_history()
        if self.prompts[0] is None:
            for item in lead:
                self.draft.add(item)
        for number, step in enumerate(self.steps):
            prompt = self.prompts[number]
            if prompt is not None:
                self._take_prompt(prompt)
            self._take_step(number, step)
            if number < len(tail):
                for item in tail[number]:
                    self.draft.add(item)

    def _split_history(self) -> tuple[list[Message], list[list[Message]]]:
        """The messages before the first answer, and for each step its answer and what followed it."""
        if self.history and len(self.answers) == len(self.steps):
            lead: list[Message] = []
            tail: list[list[Message]] = []
            for each in self.history:
                if each.get("role") == "assistant" and not each.get("is_demo"):
                    tail.append([])
                (tail[-1] if tail else lead).append(chat_message(each))
            return lead, tail
        self.draft.recording.odd(
            None,
            "the history does not fit the steps: prompts are put together from the steps",
            f"{len(self.steps)} answers",
            str(len(self.answers)),
        )
        lead = []
        for each in self.history:
            if each.get("role") == "assistant" and not each.get("is_demo"):
                break
            lead.append(chat_message(each))
        return lead, [_step_messages(step) for step in self.steps]

    def _take_prompt(self, prompt: list[Object]) -> None:
        positions: list[int] = []
        blanked: list[int] = []
        for place, value in enumerate(prompt):
            item = chat_message(value)
            before = self.before[place] if place < len(self.before) else None
            if item.text.startswith(_BLANKED) and before is not None:
                item = message(item.role, items(item.raw.get("parts")) or [text_part(item.text)], "placeholder")
                position = self.draft.intern(item)
                if position != before:
                    blanked.append(place)
            else:
                position = self.draft.intern(item)
            positions.append(position)
        self.before = positions
        self.draft.replace_context(positions)
        if blanked:
            gone = [self.fragments[place] for place in blanked if place in self.fragments]
            self.draft.cleared(gone, blanked[0])

    def _take_step(self, number: int, step: Object) -> None:
        turn = self.draft.request(None)
        action, is_last = text(step.get("action")), number == len(self.steps) - 1
        place = len(self.draft.context) + 1  # where the observation will stand: behind the answer
        if action.strip() in _EXITS:
            turn.outcome = Outcome("stopped", _STOPPED_BY.get(action.strip(), action.strip()))
            return
        response = step.get("response")
        turn.texts = [response if isinstance(response, str) else text(step.get("thought"))]
        asked = self.draft.ask(turn, self.actions.call(action, self._call_id(number)))
        observation = text(step.get("observation"))
        shown, gutter, failed = self.actions.result(asked.call, observation, step.get("state"))
        self.draft.answer(asked, observation, failed=failed, look=lambda: (shown, gutter))
        if asked.number:
            self.fragments[place] = f"f{asked.number}"
        if is_last:
            status = text(self.info.get("exit_status"))
            by = next((limit for key, limit in _STOPPED_BY.items() if key in status), status)
            turn.outcome = Outcome("stopped", by) if by else None

    def _call_id(self, number: int) -> str | None:
        if len(self.answers) != len(self.steps):
            return None
        calls = objects(self.answers[number].get("tool_calls"))
        return name(calls[0].get("id")) if calls else None


def _prompts(steps: Sequence[Object]) -> list[list[Object] | None]:
    """For each step the message list that was sent, where the file holds it."""
    found: list[list[Object] | None] = []
    left_over: list[Object] | None = None
    for number, step in enumerate(steps):
        if isinstance(step.get("query"), list):
            found.append(objects(step["query"]))
            continue
        listed = objects(step["messages"]) if isinstance(step.get("messages"), list) else None
        if listed is None:
            found.append(None)
        elif number == 0 or left_over is None:
            own = _own_answer(listed, step)
            found.append(listed if own is None else listed[:own])
            left_over = None if own is None else listed
            continue
        else:
            found.append(left_over)
        left_over = listed
    return found


def _own_answer(listed: list[Object], step: Object) -> int | None:
    """Where a step's own answer stands in its list; None if the list ends before it."""
    for place in range(len(listed) - 1, -1, -1):
        if listed[place].get("role") == "assistant":
            said = listed[place].get("content")
            is_own = said in (step.get("response"), step.get("thought")) and not listed[place].get("is_demo")
            return place if is_own else None
    return None


def _step_messages(step: Object) -> list[Message]:
    response = step.get("response")
    said = response if isinstance(response, str) else text(step.get("thought"))
    return [text_message("assistant", said), text_message("user", text(step.get("observation")))]
