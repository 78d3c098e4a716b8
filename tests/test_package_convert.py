"""Any investigation as a package: nothing is lost on the way, and nothing looks better than it was."""

from __future__ import annotations

import json

import pytest
from package_tools import PLAIN_MANIFEST, SOURCE, SYSTEM, decision, errors, fragment, lay, record, said

from core.errors import JsonError
from core.model import (
    Decision,
    Fragment,
    Investigation,
    Lookup,
    Message,
    OpaquePart,
    Problem,
    Reply,
    TextPart,
    ToolCallPart,
)
from core.package import investigation_to_package, open_package


def _content(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_a_package_converts_to_itself(tmp_path):
    """Converting a package gives the same records; only fields that are `null` are then absent. Again: the same bytes."""
    folder = record(tmp_path / "run")
    before = open_package(folder)
    investigation_to_package(before, tmp_path / "one")
    after = open_package(tmp_path / "one")
    assert after.problems == ()
    assert list(after.decisions) == list(before.decisions)
    assert list(after.fragments) == list(before.fragments)
    assert (tmp_path / "one" / "messages.jsonl").read_bytes() == (folder / "messages.jsonl").read_bytes()
    assert (folder / "decisions.jsonl").read_bytes().replace(b'"referenceUrl":null,', b"") == (
        tmp_path / "one" / "decisions.jsonl"
    ).read_bytes()
    investigation_to_package(after, tmp_path / "two")
    assert _content(tmp_path / "two") == _content(tmp_path / "one")
    investigation_to_package(before, tmp_path / "one.zip", zip=True)
    investigation_to_package(after, tmp_path / "two.zip", zip=True)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def _foreign():
    call = ToolCallPart("c1", "grep", {"pattern": "x", "n": 1.0})
    messages = [
        Message("system", (TextPart("rules"),), raw={"type": "system", "content": "rules"}),
        Message("user", (TextPart("go"), OpaquePart("image", 9, None))),
        Message("assistant", (call,)),
        Message("", (), problem=Problem("log.jsonl", 7, "not JSON")),
        Message("user", (TextPart("never sent"),)),
    ]
    lookup = Lookup("grep", ("x",), arguments={"pattern": "x"}, extra={"tool": "Grep"})
    decisions = [
        Decision(
            1,
            1,
            "accepted",
            True,
            "messages",
            ((0, 2),),
            "sha256:of the foreign form",
            reply=Reply(lookups=(lookup,)),
            store=messages,
        ),
        Decision(2, 1, "rejected", None, "messages", ((0, 4),), store=messages, extra={"line": 9}),
        Decision(3, 1, "uncertain", None, problem=Problem("log.jsonl", 12, "the record is cut"), store=messages),
        Decision(4, 1, "accepted", True, "messages", ((1, 2), (90, 1)), store=messages),
    ]
    fragments = [
        Fragment("r1", lookup, "completed", 1, "found\r\n", call_id="c1"),
        Fragment("r2", Lookup(""), "uncertain", None, "", problem=Problem("log.jsonl", 14, "no body")),
    ]
    return Investigation(
        "foreign",
        decisions,
        messages,
        fragments,
        prompts="rebuilt",
        replies="model",
        reader="some agent",
        problems=(Problem("log.jsonl", 7, "not JSON", "one JSON value", "Expecting value", "warning"),),
        extra={"agent": "x"},
    )


def test_a_foreign_investigation(tmp_path):
    """Messages stay shared, unreadable records keep their places, unused messages and problems of the original are kept."""
    investigation_to_package(_foreign(), tmp_path / "run")
    made = open_package(tmp_path / "run")
    assert (made.title, made.prompts, made.replies, made.extra) == ("foreign", "rebuilt", "model", {"agent": "x"})
    assert [one.key for one in made.decisions] == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert [one.slices for one in made.decisions] == [((0, 2),), ((0, 4),), (), ((1, 2), (4, 1))]
    assert [one.problem is None for one in made.decisions] == [True, True, False, True]
    assert [one.text for one in made.messages[:3]] == ["rules", "go", 'grep {"n":1.0,"pattern":"x"}']
    assert made.messages[5].text == "never sent"
    assert made.decisions[0].messages[1].parts == (TextPart("go"), OpaquePart("image", 9, None))
    assert made.decisions[1].messages[3].problem is not None
    assert made.decisions[1].extra == {"line": 9}
    assert made.decisions[0].reply.lookups[0].extra == {"tool": "Grep"}
    assert made.fragments[0].body == "found\r\n"
    assert (made.fragments[0].call_id, made.fragments[1].id) == ("c1", "r2")
    assert made.fragments[1].problem is not None
    text = said(made)
    assert "log.jsonl:7 not JSON | one JSON value | Expecting value" in text
    assert (
        "messages.jsonl:4 the recording that this was made from could not be read here | None | log.jsonl, line 7: not JSON"
        in text
    )
    assert (
        "messages.jsonl:5 the recording that this was made from could not be read here | None | "
        "messages.jsonl, line None: a decision refers to a message that is not there"
    ) in text


def test_hashes_of_a_foreign_form(tmp_path):
    """A hash over foreign objects says nothing about the stored ones: it is computed anew, and verifies."""
    investigation_to_package(_foreign(), tmp_path / "run")
    made = open_package(tmp_path / "run")
    assert made.decisions[0].request_hash == made.decisions[0].computed_request_hash()
    assert not [problem for problem in made.problems if "request_hash" in problem.what]


def test_a_wrong_hash_stays_wrong(tmp_path):
    """Converting does not make a damaged package look sound: a claimed hash of unchanged messages is kept."""
    rows = [decision(1, [[0, 2]], request_hash="sha256:00")]
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[SYSTEM, SOURCE], decisions=rows, fragments=[])
    investigation_to_package(open_package(folder), tmp_path / "run")
    made = open_package(tmp_path / "run")
    assert made.decisions[0].request_hash == "sha256:00"
    assert "`request_hash` is not the hash of the prompt" in [
        problem.what for problem in made.problems if (problem.file, problem.line) == ("decisions.jsonl", 1)
    ]


def test_a_damaged_package_keeps_what_it_has(tmp_path):
    """Unreadable lines, wrong fields and unknown fields go along; places of messages are those of the new package."""
    messages = b'{"role":"user","text":"unused"}\n{oops\n{"role":"user","text":"a","x":[1.0]}\n{"text":"no role"}\n'
    rows = [
        decision(1, [[2, 1], [1, 1]], status="odd", extra_field={"y": None}, sent="maybe"),
        decision(2, [[9, 1]], reply={"text": "still here"}),
    ]
    decisions = b"".join(json.dumps(row).encode() + b"\n" for row in rows) + b'{"index":3'
    folder = lay(
        tmp_path / "p",
        manifest=PLAIN_MANIFEST,
        messages=messages,
        decisions=decisions,
        fragments=[fragment("f", body=5)],
    )
    before = open_package(folder)
    investigation_to_package(before, tmp_path / "run")
    after = open_package(tmp_path / "run")
    assert [one.text for one in after.messages] == ["a", "", "unused", ""]
    assert after.messages[3].raw["text"] == "no role"
    first, second, third = after.decisions
    assert (first.status, first.extra) == ("odd", {"extra_field": {"y": None}, "sent": "maybe"})
    assert first.messages[0].raw["x"] == [1.0]
    assert first.messages[1].problem is not None
    assert (second.reply.text, second.messages) == ("still here", ())
    assert second.problem is not None
    assert second.extra["messages_as_found"] == [[9, 1]]
    assert third.problem is not None
    assert after.fragments[0].extra["body"] == 5
    assert len(errors(after)) >= len(errors(before))
    investigation_to_package(after, tmp_path / "again")
    again = open_package(tmp_path / "again")
    assert [one.problem is None for one in again.decisions] == [True, False, False]
    assert [one.problem is None for one in again.messages] == [True, False, True, False]


def test_a_conversion_that_fails_leaves_nothing(tmp_path):
    """A value that JSON cannot carry ends the conversion, and the name is free again."""
    bad = Investigation("t", [Decision(1, request={"x": float("nan")})], [], [])
    with pytest.raises(JsonError):
        investigation_to_package(bad, tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
