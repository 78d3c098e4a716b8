"""Codex rollouts, new and old form: request boundaries, wrapped answers, compaction with an encrypted summary."""

from __future__ import annotations

import json

import pytest

from core.diagnosis import diagnose
from core.errors import RecordingError
from core.model import SourceRange, Usage
from core.readers.codex_items import unwrapped
from tests.readers_help import events, lines, opened, prompt, read_bytes, repeats


def item(**payload):
    return {"timestamp": "2026-06-01T09:00:00.000Z", "type": "response_item", "payload": payload}


def message(role, words):
    return item(type="message", role=role, content=[{"type": "input_text", "text": words}])


def call(call_id, command):
    return item(type="function_call", name="exec_command", arguments=json.dumps({"cmd": command}), call_id=call_id)


def output(call_id, words):
    return item(type="function_call_output", call_id=call_id, output=words)


META = {
    "type": "session_meta",
    "payload": {"id": "c-1", "cwd": "/clock", "base_instructions": {"text": "You repair clocks."}},
}


def test_a_request_is_a_run_of_the_assistants_items():
    """Reasoning, message and parallel calls are one request, ended by an output; the screen's copies are not counted."""
    (run,) = opened("codex.jsonl")
    assert len(run.decisions) == 6
    assert [len(decision.reply.lookups) for decision in run.decisions] == [2, 1, 0, 1, 1, 0]
    assert [len(decision.message_ids) for decision in run.decisions] == [4, 10, 12, 14, 16, 4]


def test_instructions_are_the_system_message():
    """Base instructions stand in the file; only the tool definitions are missing."""
    (run,) = opened("codex.jsonl")
    assert prompt(run.decisions[0]) == [
        "system: You repair clocks.",
        "developer: Sandbox: none.",
        "user: # AGENTS.md\nUse short sentences.",
        "user: Why is it slow?",
    ]
    assert run.decisions[0].missing == ("tool definitions",)
    assert run.title == "Why is it slow?"
    assert run.decisions[0].request == {"model": "clock-codex"}


def test_recorded_usage():
    """Cached tokens are part of the input count; a count written again after a compaction is not counted again."""
    (run,) = opened("codex.jsonl")
    assert run.decisions[0].usage == Usage(800, 200, 0, 50)
    assert run.decisions[4].usage == Usage(50, 1400, 0, 10)
    assert run.decisions[5].usage == Usage(400, 0, 0, 8)
    assert run.decisions[1].usage.prompt_tokens == 1200


def test_identity_leaves_out_what_does_not_decide_the_answer():
    """A justification and how long to wait are no part of the identity; the size of the answer is."""
    (run,) = opened("codex.jsonl")
    assert run.fragments[0].lookup.arguments == {"cmd": "sed -n '1,3p' train.py", "max_output_tokens": 500}
    assert run.fragments[0].lookup.summary == "need it"
    assert run.fragments[1].lookup.identity == run.fragments[2].lookup.identity
    assert repeats(run) == 2


def test_answers_are_compared_without_their_wrapper():
    """The body stays exact; what to compare leaves out chunk id, wall time and token count, and keeps the exit code."""
    (run,) = opened("codex.jsonl")
    one, other = run.fragments[1], run.fragments[2]
    assert one.body != other.body
    assert one.body.startswith("Chunk ID: a2\nWall time: 0.05 seconds\n")
    assert one.comparable == other.comparable == "exit 0\n M bell.py\n"
    assert [repeat.changed for repeat in diagnose(run).repeats if repeat.fragment == "f2"] == [False]


@pytest.mark.parametrize(
    ("body", "comparable"),
    [
        (
            "Chunk ID: d1\nWall time: 5.0 seconds\nProcess running with session ID 5\nOriginal token count: 1\nOutput:\ntick\n",
            "running\ntick\n",
        ),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n", "exit 1\nno\n"),
        ("Exit code: 0\nWall time: 0 seconds\nTotal output lines: 900\nOutput:\nyes", "exit 0\nyes"),
        ('{"output":"a\\n","metadata":{"exit_code":2,"duration_seconds":0.1}}', "exit 2\na\n"),
        ("plain words", None),
    ],
)
def test_the_wrappers_of_all_versions(body, comparable):
    """Each known wrapper is taken off; an answer without one is left alone."""
    assert unwrapped(body)[2].get("comparable") == comparable


def test_a_poll_is_a_lookup_of_its_session():
    """`write_stdin` with no characters asks the same running command again."""
    (run,) = opened("codex.jsonl")
    assert run.fragments[4].lookup.kind == "write_stdin"
    assert run.fragments[4].lookup.arguments == {"session_id": 5, "chars": ""}


def test_ranges_and_patches_meet_on_one_path():
    """`sed -n` gives the range, the working folder the path, and `apply_patch` on it a new version."""
    (run,) = opened("codex.jsonl")
    assert run.fragments[0].sources == (SourceRange("/clock/train.py", "observed:1", 1, 3),)
    assert run.fragments[3].sources == (SourceRange("/clock/train.py", "observed:2", 1, 3),)
    assert run.decisions[3].events[0].paths == ("/clock/train.py",)


def test_compaction_replaces_the_history():
    """After `compacted` the prompt is the instructions and the replacement; an encrypted summary is opaque and missing."""
    (run,) = opened("codex.jsonl")
    assert events(run) == [(4, "patched"), (6, "compaction")]
    last = run.decisions[5]
    assert prompt(last) == [
        "system: You repair clocks.",
        "developer: Sandbox: none.",
        "user: Why is it slow?",
        "user: ",
    ]
    assert last.messages[3].stands_for == "summary"
    assert last.messages[3].parts[0].bytes == len("SECRETSUMMARY")
    assert last.events[0].message == 3
    assert last.missing == ("tool definitions", "encrypted summary")
    assert run.decisions[4].missing == ("tool definitions",)


def test_a_readable_summary_is_a_block():
    """Where the summary is in the file it stands in the next prompt; the older form has no replacement history."""
    data = lines(
        META,
        message("user", "Slow?"),
        message("assistant", "I look."),
        {"type": "compacted", "payload": {"message": "The ratio was 12."}},
        message("user", "Go on."),
        message("assistant", "Yes."),
    )
    (run,) = read_bytes("codex", data)
    assert prompt(run.decisions[1]) == [
        "system: You repair clocks.",
        "user: Slow?",
        "user: The ratio was 12.",
        "user: Go on.",
    ]
    assert run.decisions[1].messages[2].stands_for == "summary"
    assert "encrypted summary" not in run.decisions[1].missing


def test_a_compaction_after_the_last_request_is_kept():
    """A compaction that no request followed is named beside the run, not lost."""
    data = lines(
        META,
        message("user", "?"),
        message("assistant", "!"),
        {"type": "compacted", "payload": {"message": "x", "replacement_history": []}},
    )
    (run,) = read_bytes("codex", data)
    assert run.extra["after_last_request"] == ["compaction"]


def test_session_meta_repeats_with_every_turn():
    """The same id again is the same session; another id is another session, unless it is a parent that was copied."""
    again = lines(
        META,
        message("user", "?"),
        message("assistant", "!"),
        META,
        message("user", "More?"),
        message("assistant", "!!"),
    )
    assert [len(run.decisions) for run in read_bytes("codex", again)] == [2]
    other = {"type": "session_meta", "payload": {"id": "c-2"}}
    both = again + lines(other, message("user", "Bell?"), message("assistant", "No."))
    assert [len(run.decisions) for run in read_bytes("codex", both)] == [2, 1]
    child = {"type": "session_meta", "payload": {"id": "c-9", "forked_from_id": "c-1"}}
    assert len(read_bytes("codex", lines(child) + again)) == 1


def test_the_old_form():
    """Bare items after a header line, state lines between, answers as JSON in a string."""
    (run,) = opened("codex-old.jsonl")
    assert len(run.decisions) == 2
    assert prompt(run.decisions[0]) == ["system: You repair clocks.", "user: Is it the bell?"]
    assert run.fragments[0].extra["comparable"] == "exit 0\nbell = 3\nring(bell)\n"
    assert run.fragments[0].sources == (SourceRange("bell.py", "observed:1", 2, 3),)
    assert run.decisions[1].missing == ("tool definitions", "encrypted reasoning")


def test_answers_to_parallel_calls_meet_their_calls():
    """Several calls in one request get each its own answer, in whatever order they come."""
    data = lines(
        META,
        message("user", "?"),
        call("a", "ls"),
        call("b", "pwd"),
        output("b", "/clock"),
        output("a", "train.py"),
        message("assistant", "."),
    )
    (run,) = read_bytes("codex", data)
    assert [(fragment.call_id, fragment.body, fragment.requested_by) for fragment in run.fragments] == [
        ("a", "train.py", 1),
        ("b", "/clock", 1),
    ]


def test_unknown_items_are_reported_with_their_line():
    """An item of an unknown type is kept as opaque content and reported; unknown records too."""
    data = lines(
        META,
        message("user", "?"),
        item(type="hologram", body=1),
        message("assistant", "!"),
        {"type": "weather", "payload": {}},
    )
    (run,) = read_bytes("codex", data)
    assert [(problem.line, problem.found) for problem in run.problems] == [
        (3, "'response_item hologram', 1 times"),
        (5, "'weather', 1 times"),
    ]
    assert [message.role for message in run.decisions[0].messages] == ["system", "user", "unknown"]


def test_a_rollout_without_a_call_is_refused():
    """A rollout in which the model never answered names what it is."""
    with pytest.raises(RecordingError, match="a Codex rollout without a model call"):
        read_bytes("codex", lines(META, message("user", "?")))
