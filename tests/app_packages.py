"""Packages that the app's tests open: many decisions, hostile text in every field, one large prompt, none at all."""

import json

from core.package import PackageWriter
from tests.readers_help import FIXTURES

HOSTILE = (
    "<script>alert(1)</script><img src=http://outside.example/x.png onerror=alert(2)>"
    '<iframe srcdoc="<script>parent.alert(3)</script>"></iframe> ![image](http://outside.example/y.png) '
    "[link](http://outside.example/) `code` **bold** $\\alpha$ :red[colour] %{x} \x1b[31mansi\x1b[0m \u202eOVERRIDE\u202c \0nul \r"
)


def many_decisions(path, count=60):
    """A recording of `count` decisions whose prompts grow by one message each: `This is prompt 7.` and so on."""
    with PackageWriter(
        path, title="Many decisions", replies="scripted", created="2026-11-30T12:00:00Z", sync=False
    ) as package:
        messages = [{"role": "system", "text": "Say which prompt this is."}]
        for number in range(1, count + 1):
            messages.append({"role": "user", "text": f"This is prompt {number}.\n"})
            package.append_decision(messages, reply={"text": f"answer {number}"}, outcome={"kind": "continued"})
    return path


def long_run(path, count=1_000, every=10):
    """A run of `count` decisions in which every tenth reads a file, `f1` to `f100`, whose lines stay for 25 prompts.

    Decision 500 asks again for what decision 491 read: `f50`.
    """
    with PackageWriter(
        path, title="A long run", replies="scripted", created="2026-11-30T12:00:00Z", sync=False
    ) as package:
        results = []
        for number in range(1, count + 1):
            asks = (number - 1) // every + 1 if number % every == 1 else 50 if number == 500 else None
            lookups = [] if asks is None else [{"kind": "read", "arguments": {"path": f"src/{asks}.js"}}]
            results = [each for each in results if each[0] > number - 25]
            messages = [{"role": "system", "text": "Find out why."}, *(message for _, message in results)]
            package.append_decision(
                messages, reply={"text": f"answer {number}", "lookups": lookups}, outcome={"kind": "continued"}
            )
            if number % every == 1:
                body = f"const value_{asks} = compute({asks});\n" * (10 + asks % 7)
                package.append_fragment(f"f{asks}", lookup=lookups[0], body=body, requested_by=number)
                result = {"type": "tool_result", "id": f"c{asks}", "text": body}
                results.append((number, {"role": "tool", "parts": [result]}))
    return path


def hostile(path):
    """Hostile text wherever a package may carry text."""
    with PackageWriter(
        path, title=HOSTILE, replies="scripted", created="2026-11-30T12:00:00Z", producer={"name": HOSTILE}, sync=False
    ) as package:
        lookup = {"kind": HOSTILE, "queries": [HOSTILE], "search": HOSTILE, "referenceUrl": HOSTILE, "summary": HOSTILE}
        prompt = [{"role": "system", "text": HOSTILE}, {"role": "user", "text": HOSTILE}]
        package.append_decision(
            prompt, reply={"text": HOSTILE, "summary": HOSTILE, "lookups": [lookup]}, outcome={"kind": "continued"}
        )
        source = {"path": HOSTILE, "hash": "sha256:" + "0" * 64, "start": 1, "end": 2}
        package.append_fragment(HOSTILE, lookup=lookup, body=HOSTILE * 3, requested_by=1, sources=[source])
        called = {"type": "tool_call", "id": HOSTILE, "name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
        answered = {"type": "tool_result", "id": HOSTILE, "text": HOSTILE, "is_error": True}
        prompt += [{"role": "assistant", "parts": [called]}, {"role": "tool", "parts": [answered]}]
        package.append_decision(
            prompt,
            reply={"text": HOSTILE, "lookups": [lookup]},
            outcome={"kind": "stopped", "by": "repetition_gate"},
            missing=[HOSTILE],
            request={"model": HOSTILE},
        )
    return path


_FREE = {
    "text",
    "thinking",
    "content",
    "cwd",
    "model",
    "gitBranch",
    "version",
    "name",
    "prompt",
    "summary",
    "file_path",
}
_FREE |= {"pattern", "path", "command", "description", "old_string", "new_string", "stdout"}


def hostile_recording(path, long_line=1_000_000):
    """A Claude Code session with hostile text behind every text of its own, and a result that is one long line of it."""

    def spoilt(value, key=None):
        if isinstance(value, dict):
            return {name: spoilt(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [spoilt(each, key) for each in value]
        return value + HOSTILE if isinstance(value, str) and key in _FREE else value

    text = (FIXTURES / "claude-code.jsonl").read_text(encoding="utf-8")
    records = [spoilt(json.loads(line)) for line in text.splitlines() if line]
    results = [record["message"]["content"][0] for record in records if "toolUseResult" in record]
    one_line = HOSTILE.replace("\r", "")
    results[0]["content"] = one_line * (long_line // len(one_line))
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def surrogates(path):
    """A lone surrogate, which JSON can carry and UTF-8 cannot, in every name: of roles, tools, calls, fragments, files."""
    name = "src/caf\udce9.js"
    body = "line of the body of this fragment here\n" * 3
    lookup = {"kind": name, "search": name}
    with PackageWriter(path, title=name, replies="scripted", sync=False) as package:
        messages = [{"role": "system", "text": "s"}, {"role": name, "text": "start"}]
        first, _ = package.append_decision(messages, reply={"text": name, "lookups": [lookup]})
        source = {"path": name, "hash": name, "start": 1, "end": 3}
        package.append_fragment(name, lookup, body, requested_by=first, call_id=name, sources=[source])
        call = {"type": "tool_call", "id": name, "name": name, "arguments": {name: name}}
        result = {"type": "tool_result", "id": name, "text": body}
        messages += [{"role": "assistant", "parts": [call]}, {"role": "tool", "parts": [result]}]
        package.append_decision(messages, reply={"stop": name}, outcome={"kind": "stopped", "by": name})
    return path


def large_prompt(path, lines=15_700, spans=500):
    """Two decisions; the second's prompt is about a megabyte of numbered lines with `spans` tool results in it."""
    body = "".join(
        f"line {number}: the quick brown fox jumps over the lazy dog again\n" for number in range(lines // spans)
    )
    with PackageWriter(
        path, title="A large prompt", replies="scripted", created="2026-11-30T12:00:00Z", sync=False
    ) as package:
        messages = [{"role": "system", "text": "Read on."}]
        package.append_decision(messages, reply={"text": "go"}, outcome={"kind": "continued"})
        results = [
            {"type": "tool_result", "id": f"c{number}", "text": f"result {number}\n{body}"} for number in range(spans)
        ]
        messages += [{"role": "tool", "parts": [result]} for result in results]
        package.append_decision(messages, reply={"text": "done"}, outcome={"kind": "continued"})
    return path


def no_decisions(path):
    """A package that was closed before anything was recorded."""
    with PackageWriter(path, title="Nothing yet", created="2026-11-30T12:00:00Z", sync=False):
        pass
    return path
