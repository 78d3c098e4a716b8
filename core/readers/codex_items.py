"""The items of a Codex rollout (those of the OpenAI responses API): messages, calls and what an answer shows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any

from ..canonical import utf8
from ..model import Lookup
from . import tools
from .parts import (
    arguments_of,
    as_json,
    call_part,
    message,
    opaque_part,
    openai_parts,
    result_part,
    result_text,
    text_part,
    unknown_part,
)
from .shape import Object, count, is_object, items, name, obj, text
from .shell import shown_by_command

if TYPE_CHECKING:
    from ..model import Message
    from .turn import Look

CALLS = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call"}
    | {"image_generation_call", "mcp_call", "file_search_call", "computer_call", "code_interpreter_call"}
)
ASSISTANT_SIDE = CALLS | {"reasoning"}
OUTPUTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output"}
    | {"computer_call_output", "mcp_tool_call_output"}
)
OTHERS = frozenset(
    {"message", "agent_message", "compaction", "compaction_summary", "context_compaction", "compaction_trigger"}
    | {"ghost_snapshot", "item_reference"}
)
ITEMS = ASSISTANT_SIDE | OUTPUTS | OTHERS

_WRAPPER = re.compile(
    r"(?:Chunk ID: [^\n]*\n)?(?:Exit code: (?P<code>-?\d+)\n)?(?:Wall time: [^\n]*\n)?"
    r"(?:Process exited with code (?P<exited>-?\d+)\n|Process running with session ID (?P<session>[^\n]*)\n)?"
    r"(?:Original token count: [^\n]*\n)?(?:Total output lines: [^\n]*\n)?Output:\n"
)
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash")


@dataclass(frozen=True, slots=True)
class Result:
    """What an answer means: did it fail, which lines it shows, and in `extra` its comparable part."""

    failed: bool | None
    look: Look | None = None
    extra: Object = field(default_factory=dict)


def item_message(item: Object, stands_for: str | None = None) -> Message | None:
    """One item as a message of the context; None if it carries nothing to show or to measure."""
    kind = text(item.get("type"))
    if kind in {"", "message"} and "role" in item:
        return message(text(item.get("role")) or "user", openai_parts(item.get("content")), stands_for)
    if kind == "agent_message":
        return message("agent", openai_parts(item.get("content")), stands_for)
    if kind == "reasoning":
        parts = [
            text_part(part["text"], "reasoning") for part in openai_parts(item.get("summary") or None) if "text" in part
        ]
        parts += [text_part(part["text"], "reasoning") for part in openai_parts(item.get("content")) if "text" in part]
        secret = name(item.get("encrypted_content"))
        parts += [opaque_part("encrypted reasoning", utf8(secret))] if secret else []
        return message("assistant", parts) if parts else None
    if kind in {"compaction", "compaction_summary", "context_compaction"}:
        secret = text(item.get("encrypted_content"))
        return message("user", [opaque_part("encrypted summary", utf8(secret))], stands_for or "summary")
    if kind in CALLS:
        asked = called(item)
        return None if asked is None else message("assistant", [call_part(asked.id, asked.tool, asked.arguments)])
    if kind in OUTPUTS:
        body, others = _output(item)
        return message("tool", [result_part(name(item.get("call_id")), body), *others], stands_for)
    if kind in {"compaction_trigger", "ghost_snapshot", "item_reference"}:
        return None
    return message("unknown", [unknown_part(item, kind or "unknown")], stands_for)


def called(item: Object, cwd: str | None = None) -> tools.Call | None:
    """The tool call that an item is; None for one that is none. Paths of a patch are put under `cwd`."""
    call = _called(item)
    if call is None or cwd is None or not call.paths:
        return call
    return replace(call, paths=tuple(normpath(join(cwd, path)) for path in call.paths))


def _called(item: Object) -> tools.Call | None:
    kind, call_id = text(item.get("type")), name(item.get("call_id")) or name(item.get("id"))
    if kind == "function_call":
        return _shell_patch(tools.call(call_id, text(item.get("name")), arguments_of(item.get("arguments"))))
    if kind == "custom_tool_call":
        return tools.call(call_id, text(item.get("name")), item.get("input"))
    if kind in {"local_shell_call", "web_search_call"}:
        return tools.call(call_id, kind.removesuffix("_call"), item.get("action"))
    if kind == "tool_search_call":
        return tools.call(call_id, "tool_search", item.get("arguments"))
    if kind in CALLS:
        known = {key: value for key, value in item.items() if key not in {"id", "type", "status", "call_id", "result"}}
        return tools.call(call_id, kind.removesuffix("_call"), known)
    return None


def _output(item: Object) -> tuple[str, list[Object]]:
    if "output" not in item and "tools" in item:
        return as_json(item["tools"]), []
    output = item.get("output")
    if is_object(output) and "content" in output:
        output = output["content"]
    return result_text(output)


def _shell_patch(call: tools.Call) -> tools.Call:
    """`shell` with `apply_patch` as its command is a write."""
    words = _words(call.arguments)
    if words[:1] != ["apply_patch"] or len(words) < 2:  # noqa: PLR2004  # the command and the patch
        return call
    return tools.Call(
        call.id,
        call.tool,
        call.arguments,
        "write",
        Lookup("apply_patch", arguments=words[1]),
        tools.patched_paths(words[1]),
    )


def _words(arguments: Any) -> list[str]:
    command = obj(arguments).get("command")
    return [word for word in items(command) if isinstance(word, str)]


def command_of(call: tools.Call) -> str:
    """The one shell command of a call: `cmd`, or the last word of `["bash", "-lc", ...]`; else an empty text."""
    arguments = obj(call.arguments)
    words = _words(arguments)
    if len(words) == 3 and words[0] in _SHELLS:  # noqa: PLR2004  # shell, flag, command
        return words[2]
    return text(arguments.get("cmd")) or text(arguments.get("command")) or " ".join(words)


def result_of(call: tools.Call, body: str, cwd: str | None) -> Result:
    """What an answer shows. `comparable` is the answer without the wrapper that differs every time: compare by it."""
    output, code, extra = unwrapped(body)
    folder = text(obj(call.arguments).get("workdir")) or cwd
    if call.purpose == "write":
        return Result(failed=code != 0 if code is not None else not output.startswith("Success"), extra=extra)
    return Result(
        None, partial(shown_by_command, command_of(call), output, folder), extra
    )  # a command that exits with 1 has answered


def unwrapped(body: str) -> tuple[str, int | None, Object]:
    """The output inside an answer, its exit code where known, and what the fragment keeps about both."""
    match = _WRAPPER.match(body)
    if match is not None:
        code = match["code"] or match["exited"]
        output, number = body[match.end() :], None if code is None else int(code[:9])
        state = "running" if match["session"] is not None else "exited" if number is None else f"exit {number}"
        return output, number, {"comparable": f"{state}\n{output}"}
    if body.startswith('{"output"'):
        wrapped = arguments_of(body)
        inner = obj(wrapped).get("output")
        if isinstance(inner, str):
            number = count(obj(obj(wrapped).get("metadata")).get("exit_code"))
            return inner, number, {"comparable": f"exit {number}\n{inner}"}
    return body, None, {}
