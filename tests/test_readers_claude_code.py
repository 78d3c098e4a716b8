"""Claude Code sessions: requests, prompts, compaction, sub-agents, damaged files."""

from __future__ import annotations

import pytest

from core.errors import RecordingError
from core.model import SourceRange, Usage
from tests.readers_help import FIXTURES, events, lines, opened, prompt, read_bytes, repeats

SESSION = "5e55-1"


def user(uuid, parent, content, **more):
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "message": {"role": "user", "content": content},
        **more,
    }


def said(uuid, parent, message_id, *blocks, **more):
    return {
        "type": "assistant",
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "message": {"id": message_id, "role": "assistant", "model": "clock-1", "content": list(blocks)},
        **more,
    }


def text(words):
    return {"type": "text", "text": words}


def use(call_id, tool="Bash", **arguments):
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def result(call_id, body, **more):
    return [{"type": "tool_result", "tool_use_id": call_id, "content": body, **more}]


def test_one_request_per_message_id():
    """A response that is split over several lines, with results between them, is one decision."""
    main, _ = opened("claude-code.jsonl")
    assert [decision.index for decision in main.decisions] == [1, 2, 3, 4, 5, 6, 7]
    assert [len(decision.message_ids) for decision in main.decisions] == [1, 3, 6, 8, 10, 12, 2]


def test_a_split_response_counts_its_usage_once():
    """Input is fresh + cache read + cache write, and of the output counts the last line's stands."""
    main, _ = opened("claude-code.jsonl")
    assert main.decisions[0].usage == Usage(10, 0, 900, 40)
    assert main.decisions[1].usage.prompt_tokens == 12 + 900 + 60


def test_an_answer_is_never_in_its_own_prompt():
    """The prompt of a request ends before its own reply (fault 3 of other tools)."""
    main, _ = opened("claude-code.jsonl")
    assert prompt(main.decisions[0]) == ["user: Why does the clock lose a minute a day?"]
    assert prompt(main.decisions[1])[1].startswith("assistant: The train first.I look at the train.Read {")
    assert "Grep" not in "".join(prompt(main.decisions[1]))


def test_results_of_a_split_response_stand_behind_it():
    """Results that the file shows between the lines of one response come after it in the next prompt."""
    main, _ = opened("claude-code.jsonl")
    roles = [message.role for message in main.decisions[2].messages]
    assert roles == ["user", "assistant", "user", "assistant", "user", "user"]


def test_compaction_shrinks_the_prompt_to_the_summary():
    """After `compact_boundary` only the summary and what came later is sent; prose about compacting is prose."""
    main, _ = opened("claude-code.jsonl")
    assert events(main) == [(4, "patched"), (6, "cleared"), (7, "compaction")]
    last = main.decisions[6]
    assert prompt(last) == ["user: The train had ratio 12; it is 13 now.", "user: Go on."]
    assert last.messages[0].stands_for == "summary"
    assert last.events[0].message == 0
    assert last.events[0].extra == {"trigger": "auto", "preTokens": 9600}


def test_microcompaction_blanks_the_named_results_only():
    """The results that `microcompact_boundary` names are placeholders from the next request on, not before."""
    main, _ = opened("claude-code.jsonl")
    before, after = main.decisions[4], main.decisions[5]
    assert before.messages[2].stands_for is None
    assert after.messages[2].stands_for == "placeholder"
    assert after.messages[2].parts[0].text == "[Old tool result content cleared]"
    assert after.messages[2].parts[0].id == "t1"
    assert after.events[0].fragments == ("f1",)
    assert "ratio = 12" in before.messages[2].text
    assert [message.stands_for for message in after.messages].count("placeholder") == 1


def test_lookups_and_writes():
    """A description is no part of the identity, a successful edit is a `patched` event and no lookup."""
    main, _ = opened("claude-code.jsonl")
    assert [fragment.lookup.kind for fragment in main.fragments] == ["Read", "Grep", "Bash", "Read", "Task", "Read"]
    bash = main.fragments[2].lookup
    assert bash.arguments == {"command": "python -m clock"}
    assert bash.summary == "Run the clock"
    assert main.decisions[3].events[0].paths == ("/clock/train.py",)
    assert main.decisions[2].reply.patch.before == "    ratio = 12"
    assert main.decisions[2].outcome.kind == "patched"
    assert repeats(main) == 2


def test_source_ranges_and_versions():
    """Lines come from the gutter; the label changes when the agent's own edit changed the file."""
    main, _ = opened("claude-code.jsonl")
    assert main.fragments[0].sources == (SourceRange("/clock/train.py", "observed:1", 1, 4),)
    assert main.fragments[3].sources == (SourceRange("/clock/train.py", "observed:2", 1, 4),)
    assert main.fragments[1].sources == (
        SourceRange("/clock/train.py", "observed:1", 2, 2),
        SourceRange("/clock/bell.py", "observed:1", 7, 7),
    )
    assert main.fragments[0].extra["gutter"] == "→"
    assert main.fragments[3].extra["edits"] == {"/clock/train.py": 1}


def test_a_line_that_differs_without_an_edit_is_another_version():
    """Without a recorded edit a changed line still changes the label, and the count of edits stays."""
    data = lines(
        user("1", None, "?"),
        said("2", "1", "m1", use("a", "Read", file_path="/x")),
        user("3", "2", result("a", "     1→one\n     2→two")),
        said("4", "3", "m2", use("b", "Read", file_path="/x")),
        user("5", "4", result("b", "     2→TWO\n     3→three")),
        said("6", "5", "m3", use("c", "Read", file_path="/x")),
        user("7", "6", result("c", "     3→three")),
    )
    (run,) = read_bytes("claude-code", data)
    assert [fragment.sources[0].hash for fragment in run.fragments] == ["observed:1", "observed:2", "observed:2"]
    assert [fragment.extra["edits"] for fragment in run.fragments] == [{"/x": 0}] * 3


def test_a_lookup_without_an_answer_is_uncertain():
    """A call whose result is not in the file has an unknown outcome."""
    main, _ = opened("claude-code.jsonl")
    assert [fragment.status for fragment in main.fragments] == ["completed"] * 5 + ["uncertain"]


def test_a_sub_agent_is_its_own_investigation():
    """`agent_progress` lines have their own context, and none of it is in the agent that called them."""
    main, side = opened("claude-code.jsonl")
    assert side.extra["called_by"] == "t6"
    assert prompt(side.decisions[1])[0] == "user: Do the bells slow it?"
    assert side.fragments[0].sources == (SourceRange("/clock/bell.py", "observed:1", 1, 2),)
    assert all("ring(bell)" not in message.text for message in main.messages)


def test_what_is_missing_is_listed():
    """The system prompt and the tool definitions are not in a transcript."""
    main, _ = opened("claude-code.jsonl")
    assert main.prompts == "rebuilt"
    assert main.decisions[0].missing == ("system prompt", "tool definitions")
    assert main.created == "2026-05-04T10:00:01.000Z"
    assert main.decisions[0].sent_at == "2026-05-04T10:00:02.000Z"
    assert main.limits.calls is None


def test_client_made_messages_are_no_requests():
    """A message of model `<synthetic>` was made by the client: it is no decision and never sent."""
    main, _ = opened("claude-code.jsonl")
    assert main.extra["client_made_messages"] == 1
    assert all("API Error" not in message.text for message in main.messages)


def test_unknown_record_types_are_reported():
    """A record type that nobody knows is passed over with its line and count; titles of other sessions are no compaction."""
    main, _ = opened("claude-code.jsonl")
    (problem,) = main.problems
    assert (problem.line, problem.severity) == (30, "warning")
    assert problem.found == "'brand-new-thing', 1 times"


def test_torn_lines_are_both_read():
    """Two records on one physical line are both read, and the line is reported."""
    data = lines(user("1", None, "?"), said("2", "1", "m1", text("One."))).replace(b"}\n{", b"}{")
    (run,) = read_bytes("claude-code", data)
    assert len(run.decisions) == 1
    assert [(problem.line, problem.what, problem.severity) for problem in run.problems] == [
        (1, "several records on one line", "warning")
    ]


def test_a_record_behind_a_cut_one_is_read():
    """Where a record was cut and another follows on the same line, the other is read and the loss reported."""
    whole = lines(user("1", None, "?"), said("2", "1", "m1", text("One.")))
    first, second = whole.split(b"\n")[:2]
    (run,) = read_bytes("claude-code", first + b"\n" + first[:40] + second + b"\n")
    assert len(run.decisions) == 1
    assert (run.problems[0].line, run.problems[0].what) == (2, "a line that is not JSON")


def test_a_cut_last_line_is_reported():
    """A live session may end in half a line: all before it is read."""
    data = lines(user("1", None, "?"), said("2", "1", "m1", text("One.")), user("3", "2", "And then?"))
    (run,) = read_bytes("claude-code", data[:-30])
    assert len(run.decisions) == 1
    assert (run.problems[0].line, run.problems[0].what) == (3, "the last line is cut")


def test_bytes_that_are_not_utf8_lose_no_record():
    """A record with a broken byte is shown with U+FFFD and reported."""
    data = lines(user("1", None, "a clock"), said("2", "1", "m1", text("One."))).replace(b"a clock", b"a cl\xffck")
    (run,) = read_bytes("claude-code", data)
    assert prompt(run.decisions[0]) == ["user: a cl�ck"]
    assert run.problems[0].line == 1


def test_two_sessions_in_one_file():
    """Interleaved sessions become two investigations, each with its own prompts."""
    other = {"sessionId": "5e55-2"}
    data = lines(
        user("1", None, "Clock?"),
        user("a", None, "Bell?") | other,
        said("2", "1", "m1", text("Clock.")),
        said("b", "a", "n1", text("Bell.")) | other,
        user("3", "2", "More clock?"),
        said("4", "3", "m2", text("No.")),
    )
    one, two = read_bytes("claude-code", data)
    assert [prompt(decision) for decision in two.decisions] == [["user: Bell?"]]
    assert prompt(one.decisions[1]) == ["user: Clock?", "assistant: Clock.", "user: More clock?"]


def test_a_session_that_goes_on_from_another():
    """A second session id whose first line hangs on a line of the first one starts with that context."""
    data = lines(
        user("1", None, "Clock?"),
        said("2", "1", "m1", text("Clock.")),
        user("3", "2", "Again?") | {"sessionId": "5e55-2"},
        said("4", "3", "m2", text("Yes.")) | {"sessionId": "5e55-2"},
    )
    _, two = read_bytes("claude-code", data)
    assert prompt(two.decisions[0]) == ["user: Clock?", "assistant: Clock.", "user: Again?"]


def test_resumed_lines_are_read_once():
    """Lines that a resumed file repeats (same uuid) are read once, and that is said."""
    once = lines(user("1", None, "?"), said("2", "1", "m1", text("One.")))
    (run,) = read_bytes("claude-code", once + once + lines(user("3", "2", "More?"), said("4", "3", "m2", text("Two."))))
    assert [prompt(decision) for decision in run.decisions] == [
        ["user: ?"],
        ["user: ?", "assistant: One.", "user: More?"],
    ]
    assert run.problems[0].found == "2"


def test_a_prompt_on_an_earlier_line_is_a_branch():
    """A prompt that hangs on an earlier line goes back to it: what came after is not sent, and no call is hidden."""
    data = lines(
        user("1", None, "?"),
        said("2", "1", "m1", text("One.")),
        user("3", "2", "Wrong way"),
        said("4", "3", "m2", text("Two.")),
        user("5", "2", "Right way"),
        said("6", "5", "m3", text("Three.")),
    )
    (run,) = read_bytes("claude-code", data)
    assert len(run.decisions) == 3
    assert prompt(run.decisions[2]) == ["user: ?", "assistant: One.", "user: Right way"]


def test_a_failed_edit_is_a_lookup():
    """An edit that was refused changed nothing and only answered: asking it again is a repeat."""
    edit = {"file_path": "/x", "old_string": "a", "new_string": "b"}
    data = lines(
        user("1", None, "?"),
        said("2", "1", "m1", use("a", "Edit", **edit)),
        user("3", "2", result("a", "String to replace not found", is_error=True)),
        said("4", "3", "m2", use("b", "Edit", **edit)),
        user("5", "4", result("b", "String to replace not found", is_error=True)),
        said("6", "5", "m3", text("I stop.")),
    )
    (run,) = read_bytes("claude-code", data)
    assert [(fragment.lookup.kind, fragment.status) for fragment in run.fragments] == [("Edit", "failed")] * 2
    assert repeats(run) == 1
    assert events(run) == []


def test_a_linear_history_costs_one_slice():
    """However long a run is, each prompt is one run of positions in the shared messages."""
    records = [user("0", None, "?")]
    for number in range(1, 50):
        records += [
            said(f"a{number}", "0", f"m{number}", use(f"c{number}")),
            user(f"b{number}", "0", result(f"c{number}", "ok")),
        ]
    (run,) = read_bytes("claude-code", lines(*records))
    assert [decision.slices for decision in run.decisions[:3]] == [((0, 1),), ((0, 3),), ((0, 5),)]
    assert len(run.messages) == 99


def test_a_session_without_a_call_is_refused():
    """A file without a model call names what it is."""
    with pytest.raises(RecordingError, match="a Claude Code session without a model call"):
        read_bytes("claude-code", lines(user("1", None, "?")))


def test_detection_needs_no_name(tmp_path):
    """A session is known by its content, whatever it is called."""
    from core.readers import open_any  # noqa: PLC0415  # only this test

    path = tmp_path / "unknown"
    path.write_bytes((FIXTURES / "claude-code.jsonl").read_bytes())
    assert [run.reader for run in open_any(path)] == ["claude-code", "claude-code"]
