"""Captured requests: bodies, traces, taps and cassettes; conversations, compaction on the wire, cleared results."""

from __future__ import annotations

import json

import pytest

from core.diagnosis import diagnose
from core.errors import RecordingError
from core.grade import decision_grade
from core.model import SourceRange, Usage
from tests.readers_help import FIXTURES, events, lines, opened, prompt, read_bytes, repeats


def test_bodies_without_answers():
    """Plain request bodies are prompts as sent; replies and results are found in the next request."""
    (run,) = opened("bodies.jsonl")
    assert run.prompts == "recorded"
    assert [message.role for message in run.decisions[0].messages] == ["tools", "system", "user"]
    assert [len(decision.reply.lookups) if decision.reply else 0 for decision in run.decisions] == [1, 1, 1, 0]
    assert run.decisions[0].reply.text == 'Read {"file_path":"/clock/train.py"}'
    assert run.fragments[0].sources == (SourceRange("/clock/train.py", "observed:1", 1, 2),)
    assert run.title == "Why is it slow?"


def test_cache_marks_are_no_content():
    """A cache mark that wanders makes no new message: a linear run keeps one slice."""
    (run,) = opened("bodies.jsonl")
    assert [decision.slices for decision in run.decisions[:3]] == [((0, 3),), ((0, 5),), ((0, 7),)]


def test_a_result_that_shrank_in_place_was_cleared():
    """The result of a call that stands there with a shorter text is a placeholder, known by its call id."""
    (run,) = opened("bodies.jsonl")
    assert events(run) == [(4, "cleared")]
    last = run.decisions[3]
    assert last.events[0].fragments == ("f1",)
    assert last.messages[4].text == "[cleared]"
    assert last.messages[4].stands_for == "placeholder"
    assert "ratio = 12" in run.fragments[0].body


def test_an_answer_that_streams_is_put_together():
    """Server-sent events give text, calls and usage; requests are ordered by time; the key in the header is nowhere."""
    title, run = opened("claude-trace.jsonl")
    assert title.decisions[0].reply.text == "Slow clock"
    assert run.decisions[0].reply.text == 'I look.\nRead {"file_path":"/clock/train.py"}'
    assert run.decisions[0].usage == Usage(7, 100, 30, 25)
    assert run.decisions[0].sent_at == "2026-05-04T10:00:01.500000Z"
    assert "SECRET" not in repr((title, run))


def test_side_calls_are_their_own_investigation():
    """A title made on a small model without tools is no part of the conversation; token counts are no calls at all."""
    title, run = opened("claude-trace.jsonl")
    assert (len(title.decisions), len(run.decisions)) == (1, 4)
    assert title.problems[0].found == "1"


def test_compaction_on_the_wire():
    """The request that opens with the summary which the last reply gave goes on with the same conversation."""
    _, run = opened("claude-trace.jsonl")
    assert events(run) == [(4, "compaction")]
    last = run.decisions[3]
    assert [message.role for message in last.messages] == ["tools", "system", "user"]
    assert last.messages[2].stands_for == "summary"
    assert last.events[0].message == 2
    assert repeats(run) == 1


def test_compaction_is_known_by_structure_not_by_words():
    """Without the client's words the repeated reply alone tells; the same words without it begin another conversation."""
    data = (FIXTURES / "claude-trace.jsonl").read_text()
    without = data.replace("This session is being continued from a previous conversation", "What came before").replace(
        "CRITICAL: Respond with TEXT ONLY", "Say it briefly"
    )
    _, run = read_bytes("captured-requests", without.encode())
    assert events(run) == [(4, "compaction")]
    talk = [{"role": "user", "content": "This session is being continued from a previous conversation"}]
    tools = [{"name": "Read", "input_schema": {}}]
    two = lines(
        {"model": "m", "system": "s", "tools": tools, "messages": [{"role": "user", "content": "Hi"}]},
        {"model": "m", "system": "s", "tools": tools, "messages": talk},
    )
    assert [events(run) for run in read_bytes("captured-requests", two)] == [[], []]


def test_claude_tap_and_its_bundle_are_the_same():
    """The bundle that keeps repeated texts once gives the same prompts as the plain file."""
    (plain,), (bundle,) = opened("claude-tap.json"), opened("claude-tap.ctap.json")
    assert [prompt(decision) for decision in plain.decisions] == [prompt(decision) for decision in bundle.decisions]
    assert plain.decisions[0].usage == Usage(1, 2, 3, 4)
    assert bundle.decisions[1].sent_at == "2026-05-04T10:00:01+00:00"
    assert [fragment.body for fragment in plain.fragments] == ["1\tdef train(wheel):\n2\t    ratio = 12", "1\tbell = 3"]


def test_a_blob_that_is_not_there():
    """A bundle whose blob is lost still opens; what is lost is not made up."""
    document = json.loads((FIXTURES / "claude-tap.ctap.json").read_bytes())
    document["blobs"] = {}
    (run,) = read_bytes("captured-requests", json.dumps(document).encode())
    assert prompt(run.decisions[0]) == ["system: You repair clocks."]


def test_input_named_by_an_earlier_answer():
    """With `previous_response_id` the prompt is the earlier input, that answer, and the new items; else it is unknown."""
    run, lost = opened("responses.jsonl")
    assert prompt(run.decisions[1])[2:] == ["user: Slow?", 'assistant: exec_command {"cmd":"ls"}', "tool: train.py"]
    assert run.decisions[1].usage == Usage(30, 50, None, 2)
    assert run.fragments[0].body == "train.py"
    assert lost.decisions[0].missing == ("earlier input",)
    assert decision_grade(lost.decisions[0], lost.prompts).name == "unknown"


def test_an_encrypted_compaction_item_is_an_event():
    """A `compaction` item in the input is the summary that replaced the history."""
    asked = {"role": "user", "content": "Slow?"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    summary = {"type": "compaction", "encrypted_content": "xyz"}
    data = lines(
        {"model": "m", "input": [asked]},
        {"model": "m", "input": [asked, said, {"role": "user", "content": "More?"}]},
        {"model": "m", "input": [asked, summary]},
        {"model": "m", "input": [asked, summary, said]},
    )
    (run,) = read_bytes("captured-requests", data)
    assert events(run) == [(3, "compaction")]
    assert run.decisions[2].messages[1].stands_for == "summary"
    assert run.decisions[2].events[0].message == 1


def test_a_list_that_ends_with_its_own_answer():
    """Where every list ends with the answer to itself, that answer is the reply and no part of the prompt."""
    (run,) = opened("requests.jsonl")
    assert run.prompts == "rebuilt"
    assert [len(decision.message_ids) for decision in run.decisions] == [2, 4, 6]
    assert [fragment.body for fragment in run.fragments] == ["lost 60 s", "lost 59 s", ""]
    assert [fragment.status for fragment in run.fragments] == ["completed", "completed", "uncertain"]


def test_a_cassette_repeats_at_once():
    """The same call four times with the same answer, whose earlier result stood whole in each prompt that repeats."""
    (run,) = opened("cassette.yaml")
    assert (len(run.decisions), len(run.fragments), repeats(run)) == (5, 4, 3)
    found = diagnose(run)
    assert [repeat.cause for repeat in found.repeats] == ["delivered"] * 3
    cycles = [pattern for pattern in found.patterns if pattern.kind == "cycle"]
    assert [(pattern.length, pattern.turns) for pattern in cycles] == [(1, 4)]


def test_a_cassette_makes_no_objects(tmp_path):
    """Python tags are read as plain data: nothing is imported, called or written."""
    mark = tmp_path / "made"
    evil = (
        (FIXTURES / "cassette.yaml")
        .read_text()
        .replace("headers: !!python/tuple [a, b]", f"headers: !!python/object/apply:os.mkdir ['{mark}']")
    )
    (run,) = read_bytes("captured-requests", evil.encode())
    assert len(run.decisions) == 5
    assert not mark.exists()
    assert "SECRET" not in repr(run)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b"interactions:\n- request: {body: [", "is not YAML"),
        (b"interactions:\n- a: " + b"[" * 300 + b"]" * 300, "nests too deep"),
        (b"interactions:\n- &a [x, x]\n- &b [*a, *a]\n- [*b, *b]\n", "aliases unfold too far"),
        (b"interactions:\n- request: {body: x}\n", "none of them to a model"),
        (b"interactions:\n- !!int xyz\n", "a value that cannot be read"),
        (b"interactions:\n- ? [a, b]\n  : c\n", "not YAML"),
    ],
)
def test_broken_cassettes_are_refused(broken, said):
    """What is not YAML, unfolds without bound, or holds no model call is refused with the reason."""
    with pytest.raises(RecordingError, match=said):
        read_bytes("captured-requests", broken)


def test_a_call_that_the_agent_dropped_was_never_made():
    """A call of a reply that the next prompt left out of that reply is no lookup; it is kept beside the reply."""
    tools, ask = [{"type": "function", "function": {"name": "wind"}}], {"role": "user", "content": "?"}

    def call(number):
        return {"id": f"w{number}", "type": "function", "function": {"name": "wind", "arguments": "{}"}}

    both = {"choices": [{"message": {"role": "assistant", "tool_calls": [call(1), call(2)]}}]}
    after = [
        ask,
        {"role": "assistant", "tool_calls": [call(1)]},
        {"role": "tool", "tool_call_id": "w1", "content": "stuck"},
    ]
    data = lines(
        {
            "request": {"url": "/v1/chat/completions", "body": {"model": "m", "tools": tools, "messages": [ask]}},
            "response": {"body": both},
        },
        {
            "request": {"url": "/v1/chat/completions", "body": {"model": "m", "tools": tools, "messages": after}},
            "response": {},
        },
    )
    (run,) = read_bytes("captured-requests", data)
    assert [fragment.call_id for fragment in run.fragments] == ["w1"]
    assert run.decisions[0].reply.extra["calls_not_made"] == [{"tool": "wind", "id": "w2"}]


def test_calls_written_as_text():
    """`Action:` in a reply is a lookup, its `Observation:` in the next prompt the result; the prompt's own words are not."""
    explain = {
        "role": "system",
        "content": "Use this:\nAction: the tool\nAction Input: the input\nObservation: its result",
    }
    ask = {"role": "user", "content": "Slow?"}
    said = {
        "choices": [{"message": {"role": "assistant", "content": "Thought: look\nAction: wind\nAction Input: {}\n"}}]
    }
    grown = [
        explain,
        ask,
        {"role": "assistant", "content": "Thought: look\nAction: wind\nAction Input: {}\nObservation: stuck"},
    ]
    data = lines(
        {"request": {"url": "u", "body": {"model": "m", "messages": [explain, ask]}}, "response": {"body": said}},
        {
            "request": {"url": "u", "body": {"model": "m", "messages": grown}},
            "response": {"body": {"choices": [{"message": {"content": "Done."}}]}},
        },
    )
    (run,) = read_bytes("captured-requests", data)
    assert [(fragment.lookup.kind, fragment.body, fragment.status) for fragment in run.fragments] == [
        ("wind", "stuck", "completed")
    ]


def test_another_attempt_is_another_investigation():
    """The first prompt again after the conversation went on is a second attempt, not a step back."""
    ask = {"role": "user", "content": "?"}
    more = [ask, {"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}]
    data = lines({"model": "m", "messages": [ask]}, {"model": "m", "messages": more}, {"model": "m", "messages": [ask]})
    assert [len(run.decisions) for run in read_bytes("captured-requests", data)] == [2, 1]


def test_a_refused_request_is_rejected():
    """A request that the service refused was sent and got no reply."""
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    data = lines(
        {
            "request": {"url": "u", "method": "POST", "body": body},
            "response": {"status_code": 529, "body": {"error": "busy"}},
        }
    )
    (run,) = read_bytes("captured-requests", data)
    assert (run.decisions[0].status, run.decisions[0].sent, run.decisions[0].outcome.by) == (
        "rejected",
        True,
        "http 529",
    )


def test_what_the_server_clears_is_said_to_be_missing():
    """A request that lets the server clear tool results does not show what the model received of them."""
    body = {
        "model": "m",
        "system": "s",
        "messages": [{"role": "user", "content": "?"}],
        "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
    }
    (run,) = read_bytes("captured-requests", lines(body))
    assert run.decisions[0].missing == ("what the server cleared",)


def test_a_log_of_request_and_response_lines():
    """A log that holds each body as text on a line of its own gives its prompts; other lines are left out and counted."""
    asked = {"model": "m", "system": "s", "messages": [{"role": "user", "content": "?"}]}
    data = lines(
        {"type": "session_start"},
        {"type": "request", "seq": 1, "headers": {"authorization": "SECRET"}, "body": json.dumps(asked)},
        {"type": "response", "seq": 1, "status": 200},
    )
    (run,) = read_bytes("captured-requests", data)
    assert prompt(run.decisions[0]) == ["system: s", "user: ?"]
    assert run.problems[0].found == "2"
    assert "SECRET" not in repr(run)


def test_a_message_that_answers_an_earlier_call_is_no_answer_to_the_last():
    """A summary is asked for before the last call's answer is sent: that answer comes two requests later, and is its own."""
    ask = {"role": "user", "content": "Why does it stop?"}
    tools = [{"name": "Read", "input_schema": {}}]

    def asked(name):
        return {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": name, "name": "Read", "input": {"n": name}}],
        }

    def result(name, *more):
        answer = {"type": "tool_result", "tool_use_id": name, "content": f"the wheel of {name}"}
        return {"role": "user", "content": [answer, *more]}

    def row(messages, said):
        body = {"model": "m", "tools": tools, "messages": messages}
        return {"request": {"url": "/v1/messages", "body": body}, "response": {"body": said}}

    summary = {"type": "text", "text": "Summarise what you know."}
    data = lines(
        row([ask], asked("t0")),
        row([ask, asked("t0"), result("t0")], asked("t1")),
        row(
            [ask, asked("t0"), result("t0", summary)],
            {"role": "assistant", "content": [{"type": "text", "text": "It is wound."}]},
        ),
        row([ask, asked("t0"), result("t0"), asked("t1"), result("t1")], {}),
    )
    (run,) = read_bytes("captured-requests", data)
    assert [(each.call_id, each.body) for each in run.fragments] == [
        ("t0", "the wheel of t0"),
        ("t1", "the wheel of t1"),
    ]
