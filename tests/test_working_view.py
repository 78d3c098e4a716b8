"""Working views from real runs: what v4, v5 and v6 would have sent at a decision of any recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.canonical import canonical_text
from core.codec import CODECS, encode, restore
from core.model import Fragment, Lookup, SourceRange
from core.package import open_package
from core.working_view import lines_of, record_of, working_view
from tests.readers_help import lines, opened, read_bytes

V6 = "investigation_project_v6"
SAMPLES = Path(__file__).resolve().parents[1] / "sample_archives"


def fragment(body, *sources, **extra):
    return Fragment(
        "f1", Lookup("Read", arguments={"file_path": "/a", "limit": 9}), "completed", 1, body, sources, extra=extra
    )


def test_a_read_is_a_source_capture():
    """A result with a path and numbered lines is a capture: query path, metadata, origin, items, what stands around."""
    body = "     2→two\n     3→\n\n<system-reminder>x</system-reminder>"
    record = record_of(fragment(body, SourceRange("/a", "observed:4", 2, 3), edits={"/a": 1}, gutter="→"), "sha256:r")
    assert record == {
        "id": "f1",
        "query": {"tool": "Read", "path": "/a", "arguments": {"limit": 9}},
        "origin": {"snapshot": "sha256:r"},
        "metadata": {"path": "/a", "content_hash": "edits:1"},
        "returned": [[2, 3]],
        "items": [{"line": 2, "text": "two", "truncated": False}, {"line": 3, "text": "", "truncated": False}],
        "around": "<system-reminder>x</system-reminder>",
    }


def test_any_other_result_is_a_result():
    """A result without lines of one file keeps its text whole, and has no content identity."""
    record = record_of(fragment("lost 60 s"), "r")
    assert record["result"] == {"text": "lost 60 s"}
    assert record["metadata"] == {}
    assert record["query"] == {"tool": "Read", "arguments": {"file_path": "/a", "limit": 9}}


@pytest.mark.parametrize(
    ("body", "source", "extra", "found"),
    [
        ("5\tfive\n6\tsix", SourceRange("/a", None, 5, 6), {}, [(5, "five"), (6, "six")]),
        ("five\nsix\n", SourceRange("/a", None, 5, 6), {}, [(5, "five"), (6, "six")]),
        ("Exit code: 0\nOutput:\nfive\nsix\n", SourceRange("/a", None, 5, 6), {}, [(5, "five"), (6, "six")]),
        (
            "[File: /a (9 lines total)]\n5:five\n6:six",
            SourceRange("/a", None, 5, 6),
            {"gutter": ":"},
            [(5, "five"), (6, "six")],
        ),
        ("/a:7:seven", SourceRange("/a", None, 7, 7), {"gutter": "path:"}, [(7, "seven")]),
        ("one", SourceRange("/a", None, 5, 9), {}, []),
    ],
)
def test_lines_of_every_gutter(body, source, extra, found):
    """Lines are found again by the gutter that the reader saw, by position where there is none, and never guessed."""
    assert lines_of(fragment(body, source, **extra)) == found


@pytest.mark.parametrize(
    "name",
    ["claude-code.jsonl", "codex.jsonl", "swe-cycle.traj", "mini-1.1.traj.json", "bodies.jsonl", "cassette.yaml"],
)
def test_every_view_restores_exactly(name):
    """The view of every decision goes through every encoding and comes back with the same canonical text."""
    for run in opened(name):
        for decision in run.decisions:
            view = working_view(run, decision)
            for version in CODECS:
                encoded = encode(view, version)
                assert canonical_text(restore(encoded)) == canonical_text(view)


def test_it_holds_what_the_prompt_carried():
    """Only results that stand in this prompt are evidence; the rest of the prompt is history; all of them on request."""
    main, _ = opened("claude-code.jsonl")
    assert [record["id"] for record in working_view(main, main.decisions[4])["evidence"]] == ["f1", "f2", "f3", "f4"]
    assert [record["id"] for record in working_view(main, main.decisions[5])["evidence"]] == ["f2", "f3", "f4", "f5"]
    after = main.decisions[6]
    assert working_view(main, after)["evidence"] == []
    assert [entry["text"] for entry in working_view(main, after)["history"]] == [
        "The train had ratio 12; it is 13 now.",
        "Go on.",
    ]
    assert len(working_view(main, after, all_before=True)["evidence"]) == 5


def test_text_agents_are_told_by_the_beginning_of_a_message():
    """Where results are plain messages, equal results stand for their lookups in turn, and are not history as well."""
    (run,) = opened("swe-cycle.traj")
    view = working_view(run, run.decisions[-1])
    assert [record["id"] for record in view["evidence"]] == [f"f{number}" for number in range(1, 10)]
    assert not any("def train" in entry["text"] for entry in view["history"])


def test_overlapping_reads_are_sent_once():
    """A block of reads that is walked three times costs v6 little more than once."""
    (run,) = opened("swe-cycle.traj")
    view = working_view(run, run.decisions[-1])
    encoded = encode(view, V6)
    assert list(encoded.view["shared_files"]) == ["F1"]
    assert encoded.text.count("return wheel * ratio") < canonical_text(view).count("return wheel * ratio")


def test_lines_that_changed_without_an_edit_conflict():
    """Two reads that differ with no edit between meet under one identity, and v6 lists the line; after an edit they do not."""
    (run,) = opened("mini-1.1.traj.json")
    shown = working_view(run, run.decisions[-1], all_before=True)
    again = lines(
        {
            "type": "user",
            "uuid": "1",
            "parentUuid": None,
            "sessionId": "s",
            "message": {"role": "user", "content": "?"},
        },
        *[
            record
            for number, text in enumerate(
                (
                    "ratio = 12 is the ratio of the train in every clock of this kind",
                    "ratio = 13 is the ratio of the train in every clock of this kind",
                    "ratio = 12 is the ratio of the train in every clock of this kind",
                )
            )
            for record in (
                {
                    "type": "assistant",
                    "uuid": f"a{number}",
                    "parentUuid": "1",
                    "sessionId": "s",
                    "message": {
                        "id": f"m{number}",
                        "role": "assistant",
                        "content": [
                            {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": "/a"}}
                        ],
                    },
                },
                {
                    "type": "user",
                    "uuid": f"b{number}",
                    "parentUuid": f"a{number}",
                    "sessionId": "s",
                    "message": {
                        "role": "user",
                        "content": [
                            {
                                "type": "tool_result",
                                "tool_use_id": f"t{number}",
                                "content": "\n".join(
                                    [
                                        f"     1→{text}",
                                        *(f"     {n}→the same long line of the clock, number {n}" for n in range(2, 9)),
                                    ]
                                ),
                            }
                        ],
                    },
                },
            )
        ],
        {
            "type": "assistant",
            "uuid": "z",
            "parentUuid": "1",
            "sessionId": "s",
            "message": {"id": "end", "role": "assistant", "content": []},
        },
    )
    (changed,) = read_bytes("claude-code", again)
    encoded = encode(working_view(changed, changed.decisions[-1]), V6)
    assert "conflicting_lines" in encoded.text
    assert [record["metadata"]["content_hash"] for record in shown["evidence"] if record["metadata"]] == ["edits:0"]


def test_blocks_of_a_bounded_prompt():
    """A whole block is a capture again, a cut one a result of the bytes that were sent; the rest is history, once."""
    run = open_package(SAMPLES / "tight_budget")
    view = working_view(run, run.decisions[2])
    bounded = {each.id: each for each in run.fragments}
    carried = {record["id"]: record for record in view["evidence"]}
    assert list(carried) == ["f2"]
    sent = carried["f2"]["result"]["text"]
    assert bounded["f2"].body.startswith(sent)
    assert len(sent) < len(bounded["f2"].body)
    assert "items" not in carried["f2"]
    assert sent[:80] not in view["history"][1]["text"]
    whole = working_view(run, run.decisions[5])
    assert [(record["id"], len(record["items"])) for record in whole["evidence"]] == [("f3", 16), ("f5", 5)]
