"""mini-swe-agent `.traj.json`: the linear message list of one run (formats 1, 1.1, and the old bare list).

A request is one assistant message; its prompt is every message before it, as stored by the recorder. The tool
definition (since 1.1) is not in the file. The last message, of role `exit`, was never sent. An output over 10,000
characters was cut in what the model got; `extra.raw_output` has it in full, and is the fragment.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from ..errors import RecordingError
from ..model import Limits, Outcome, Usage
from .chat import chat_calls, chat_message
from .draft import Draft
from .parts import reply_text
from .shape import Object, count, is_object, name, obj, objects, text
from .shell import shown_by_command
from .tools import Call, call

if TYPE_CHECKING:
    from ..model import Investigation, Message
    from .recording import Recording
    from .turn import Asked, Turn

READER = "mini-swe-agent"
_ACTION = re.compile(r"```(?:bash|mswea_bash_command)?\s*\n(.*?)\n```", re.DOTALL)
_OUTPUT = re.compile(r"(?:<returncode>(-?\d{1,9})</returncode>\n)?<output>\n(.*?)\n?</output>", re.DOTALL)
_ROLES = frozenset({"system", "user", "assistant", "tool", "exit"})


def knows(recording: Recording) -> bool:
    """Whether this is a mini-swe-agent trajectory."""
    document = recording.document
    if is_object(document):
        return text(document.get("trajectory_format")).startswith("mini-swe-agent") or (
            isinstance(document.get("messages"), list)
            and is_object(document.get("info"))
            and "exit_status" in document["info"]
        )
    if not isinstance(document, list) or not document:
        return False
    first = objects(document[:3])
    is_chat = len(first) >= 2 and all(text(value.get("role")) in _ROLES and "content" in value for value in first)  # noqa: PLR2004
    return is_chat and first[0].get("role") == "system" and not any("ts" in value for value in first)


def read(recording: Recording) -> tuple[Investigation, ...]:
    """The one run of the file. Raises `RecordingError` if the model was never called."""
    document = recording.document
    messages = objects(document if isinstance(document, list) else obj(document).get("messages"))
    info = obj(obj(document).get("info"))
    run = _Run(recording, info)
    run.draft.title = name(obj(document).get("instance_id"))
    for value in messages:
        run.take(value)
    if not run.draft.turns:
        raise RecordingError("a mini-swe-agent trajectory without a model call", file=recording.name)
    run.close()
    return (run.draft.finish(),)


class _Run:
    def __init__(self, recording: Recording, info: Object) -> None:
        self.draft = Draft(recording, READER, "recorded")
        self.info = info
        config = obj(info.get("config"))
        agent, model = obj(config.get("agent")), obj(config.get("model"))
        self.step_limit = count(agent.get("step_limit")) or None
        self.draft.limits = Limits(calls=self.step_limit)
        self.model = name(model.get("model_name"))
        self.folder = name(obj(config.get("environment")).get("cwd"))
        self.draft.producer = {"name": "mini-swe-agent", "version": text(info.get("mini_version"))}
        self.waiting: Asked | None = None

    def take(self, value: Object) -> None:
        role = value.get("role")
        if role == "exit":
            return
        item = chat_message(value)
        if role == "assistant":
            self._reply(value, item)
        elif role == "tool":
            self._answer(self.draft.asked(name(value.get("tool_call_id"))), value)
        elif self.waiting is not None:
            self._answer(self.waiting, value)
        self.draft.add(item)

    def close(self) -> None:
        status = text(self.info.get("exit_status"))
        last = self.draft.turns[-1]
        if status == "LimitsExceeded":
            reached = self.step_limit is not None and len(self.draft.turns) >= self.step_limit
            last.outcome = Outcome("stopped", "call_limit" if reached else "cost_limit")
        elif status:
            last.outcome = Outcome("stopped", status)

    def _reply(self, value: Object, item: Message) -> None:
        extra = obj(value.get("extra"))
        turn = self.draft.request(None, sent_at=_time(extra), model=self.model)
        turn.usage = _usage(obj(extra.get("response")).get("usage"))
        calls = chat_calls(value)
        if calls:
            self.draft.missing = turn.missing = ("tool definitions",)
        turn.texts = [reply_text(item.raw.get("parts") or [{"type": "text", "text": item.text}])]
        for each in calls or _text_calls(extra, item.text):
            self._ask(turn, each, in_text=not calls)

    def _ask(self, turn: Turn, asked_for: Call, *, in_text: bool) -> None:
        asked = self.draft.ask(turn, asked_for)
        self.waiting = asked if in_text else None

    def _answer(self, asked: Asked | None, value: Object) -> None:
        self.waiting = None
        if asked is None:
            return
        extra = obj(value.get("extra"))
        said, raw = text(value.get("content")), extra.get("raw_output")
        match = _OUTPUT.search(said)
        body = raw if isinstance(raw, str) else match[2] if match else said
        command = text(obj(asked.call.arguments).get("command"))
        look = partial(shown_by_command, command, body, self.folder)
        kept: Object = {}
        code = extra.get("returncode")
        if isinstance(code, int):
            kept["exit_code"] = code
        self.draft.answer(asked, body, failed=bool(name(extra.get("exception_info"))) or None, look=look, extra=kept)


def _text_calls(extra: Object, said: str) -> list[Call]:
    """The one action of a text reply; a reply with none or several blocks was answered by a format error."""
    commands = [text(each.get("command")) for each in objects(extra.get("actions"))] or _ACTION.findall(said)
    return [call(None, "bash", {"command": commands[0].strip()})] if len(commands) == 1 else []


def _usage(value: object) -> Usage | None:
    if not is_object(value):
        return None
    whole = count(value.get("prompt_tokens"))
    cached = count(obj(value.get("prompt_tokens_details")).get("cached_tokens")) or 0
    fresh = None if whole is None else max(whole - cached, 0)
    return Usage(fresh, cached, None, count(value.get("completion_tokens")))


def _time(extra: Object) -> str | None:
    """The recorder's time of the answer, in UTC; None where it recorded none."""
    stamp = extra.get("timestamp")
    if isinstance(stamp, bool) or not isinstance(stamp, int | float) or not 0 < stamp < 2**32:
        return None
    return datetime.fromtimestamp(stamp, UTC).isoformat().replace("+00:00", "Z")
