"""Reading back exactly what was stored, and keeping everything readable beside what is broken."""

from __future__ import annotations

import json
import os
import shutil
import threading
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from package_tools import (
    PLAIN_MANIFEST,
    SOURCE,
    SUMMARY,
    SYSTEM,
    decision,
    fragment,
    lay,
    record,
    said,
)

from core.canonical import same
from core.errors import PackageError
from core.limits import MAX_LINE_BYTES
from core.model import NOTHING, OpaquePart, Problem, TextPart, ToolCallPart, ToolResultPart
from core.package import PackageWriter, check, open_package
from core.package import index as index_module
from core.package import rows as rows_module
from core.package.fields import Notes
from core.package.records import decision_from
from core.package.wellformed import decision_of_line

HOSTILE = [
    "\r\n",
    "\0",
    "\ud800",
    "\udfff x \ud800",
    "😀" + "\ud83d",
    "<script>alert(1)</script>",
    "**bold** [x](javascript:1)",
    '{"role":"user"}\n{"role":"user"}',
    "\u2028\u2029\x85\x1c",
    "é" * 1000,
    "\ufeff",
    "",
]
TEXTS = st.one_of(st.text(st.characters(exclude_categories=()), max_size=40), st.sampled_from(HOSTILE))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
PARTS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(
        lambda name, arguments: {"type": "tool_call", "id": "1", "name": name, "arguments": arguments}, TEXTS, JSON
    ),
    st.builds(
        lambda text, bad: {"type": "tool_result", "id": None, "text": text, "is_error": bad}, TEXTS, st.booleans()
    ),
    st.builds(
        lambda size: {"type": "opaque", "kind": "image", "bytes": size, "sha256": None}, st.integers(0, 2**53 - 1)
    ),
)
STORED = st.one_of(
    st.fixed_dictionaries(
        {"role": TEXTS, "text": TEXTS}, optional={"stands_for": st.sampled_from(["summary", "placeholder"]), "x": JSON}
    ),
    st.fixed_dictionaries({"role": TEXTS, "parts": st.lists(PARTS, max_size=3)}),
)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch, tmp_path_factory):
    """Syncing has its own tests; here it would only cost time. The user's own cache is left alone."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


# --- exactly what was stored


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    prompts=st.lists(st.lists(STORED, max_size=4), min_size=1, max_size=4),
    bodies=st.lists(TEXTS, max_size=3),
    reply=TEXTS,
    request=st.dictionaries(TEXTS, JSON, max_size=3),
    zipped=st.booleans(),
)
def test_round_trip(tmp_path, prompts, bodies, reply, request, zipped):
    """Whatever JSON can carry comes back typed and exact, through folder and zip, and everything verifies."""
    path = tmp_path / "run"
    with PackageWriter(path, title="t", zip=zipped, sync=False) as package:
        for number, body in enumerate(bodies):
            package.append_fragment(f"f{number}", {"kind": "k", "arguments": request}, body)
        for prompt in prompts:
            package.append_decision(prompt, reply={"text": reply}, request=request)
    try:
        investigation = open_package(path)
        assert investigation.problems == ()
        assert investigation.checked == investigation.total == len(prompts) + len(bodies) + len(investigation.messages)
        assert len(investigation.decisions) == len(prompts)
        for stored, prompt in zip(investigation.decisions, prompts, strict=True):
            assert len(stored.messages) == len(prompt)
            assert all(same(dict(one.raw), other) for one, other in zip(stored.messages, prompt, strict=True))
            assert [one.text for one in stored.messages if one.raw.get("text") is not None] == [
                _as_json_carries(one["text"]) for one in prompt if "text" in one
            ]
            assert stored.reply.text == _as_json_carries(reply)
            assert same(dict(stored.request), request)
            assert stored.computed_request_hash() == stored.request_hash
        assert [one.body for one in investigation.fragments] == [_as_json_carries(body) for body in bodies]
    finally:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _as_json_carries(text):
    """Two surrogate halves side by side are one character to every JSON reader."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def test_texts_are_exact(tmp_path):
    """CR, NUL, HTML, Markdown, line separators and lone surrogates are shown as stored; a surrogate counts 3 bytes."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision([{"role": "user", "text": text} for text in HOSTILE])
    messages = open_package(tmp_path / "run").decisions[0].messages
    assert [message.text for message in messages] == HOSTILE
    assert [message.byte_length for message in messages] == [2, 1, 3, 9, 7, 25, 26, 31, 9, 2000, 3, 0]


def test_a_line_of_a_megabyte(tmp_path):
    """A message of a megabyte is one line like any other."""
    text = "line\r\n<b>" * 120_000
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision([{"role": "user", "text": text}])
    assert open_package(tmp_path / "run").messages[0].text == text


def test_parts_of_a_message(tmp_path):
    """Each kind of part becomes its object, in order."""
    parts = [
        {"type": "text", "text": "a"},
        {"type": "tool_call", "id": "c1", "name": "read", "arguments": {"path": "x", "n": 1.0}},
        {"type": "tool_result", "id": "c1", "text": "b", "is_error": True},
        {"type": "opaque", "kind": "image", "bytes": 12, "sha256": "ab"},
    ]
    folder = lay(
        tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[{"role": "user", "parts": parts}], decisions=[], fragments=[]
    )
    (message,) = open_package(folder).messages
    assert message.parts == (
        TextPart("a"),
        ToolCallPart("c1", "read", {"path": "x", "n": 1.0}),
        ToolResultPart("c1", "b", True),
        OpaquePart("image", 12, "ab"),
    )
    assert message.text == 'aread {"n":1.0,"path":"x"}b'


def test_sequences(tmp_path):
    """Lazy sequences behave like tuples: negative places, slices, iteration, IndexError; reading again is the same object."""
    investigation = open_package(record(tmp_path / "run"))
    decisions = investigation.decisions
    assert decisions[-1].key == (2, 2)
    assert [one.key for one in decisions] == [one.key for one in decisions[:]] == [(1, 1), (2, 2)]
    assert decisions[1:] == (decisions[1],)
    assert decisions[0] is decisions[0]
    with pytest.raises(IndexError):
        decisions[2]
    with pytest.raises(IndexError):
        decisions[-3]


def test_what_is_kept_decoded_is_bounded(tmp_path, monkeypatch):
    """Looking at every record keeps only as many bytes of them as the constant says."""
    monkeypatch.setattr(rows_module, "_KEPT_BYTES", 3000)
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        package.append_decision([{"role": "user", "text": f"{number} " + "x" * 1000} for number in range(20)])
    messages = open_package(tmp_path / "run").messages
    assert [messages[number].text[:2].strip() for number in range(20)] == [str(number) for number in range(20)]
    assert len(messages._kept) == 2
    assert messages._kept_bytes == sum(size for _, size in messages._kept.values())


def test_where_prompts_and_replies_come_from(tmp_path):
    """`prompts`, `replies`, limits, producer and creation are those of the manifest; without one they are unknown."""
    investigation = open_package(record(tmp_path / "run"))
    assert (investigation.prompts, investigation.replies, investigation.created) == (
        "recorded",
        "scripted",
        "2026-11-30T12:00:00Z",
    )
    assert investigation.limits.prompt_bytes == 42000
    assert investigation.limits.context_bytes is None
    assert investigation.producer == {"name": "tests"}
    (tmp_path / "run" / "manifest.json").unlink()
    investigation = open_package(tmp_path / "run")
    assert (investigation.prompts, investigation.replies, investigation.title) == ("unknown", "unknown", "run")
    assert len(investigation.decisions) == 2
    assert said(investigation) == [
        "manifest.json:None the manifest is missing: where prompts and replies come from is not known | manifest.json | nothing"
    ]


def test_several_threads_look_at_one_package(tmp_path, monkeypatch):
    """Sessions share an opened package: whatever they read at the same time is what is stored, memory included."""
    monkeypatch.setattr(rows_module, "_KEPT_BYTES", 2000)
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        for number in range(40):
            memory = {"ledger": [{"identity": str(number), "status": "completed"}]}
            package.append_decision([{"role": "user", "text": str(number)}], memory=memory)
    decisions = open_package(tmp_path / "run").decisions
    wrong = []

    def look(seed):
        for step in range(400):
            place = (step * 7 + seed * 13) % 40
            stored = decisions[place]
            if (stored.messages[0].text, stored.memory.ledger[0].identity) != (str(place), str(place)):
                wrong.append(place)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- digest


def test_digest_names_the_content(tmp_path):
    """The same content has the same digest, as folder, copy or zip; any change of any file changes it."""
    folder = record(tmp_path / "run")
    first = open_package(folder).digest
    assert first == open_package(folder).digest == open_package(record(tmp_path / "run.zip", zip=True)).digest
    shutil.copytree(folder, tmp_path / "copy")
    assert open_package(tmp_path / "copy").digest == first
    seen = {first}
    for path in sorted((tmp_path / "copy").iterdir()):
        path.write_bytes(path.read_bytes() + b" ")
        seen.add(open_package(tmp_path / "copy").digest)
    assert len(seen) == 5


def test_digest_of_a_large_package(tmp_path, monkeypatch):
    """A large package is not read for its digest, which still changes when a file is written."""
    monkeypatch.setattr("core.package.reading.CHECK_AT_OPEN_BYTES", 100)
    folder = record(tmp_path / "run")
    investigation = open_package(folder)
    assert (investigation.checked, investigation.problems_complete) == (0, False)
    assert open_package(folder).digest == investigation.digest
    os.utime(folder / "decisions.jsonl", ns=(1, 1))
    assert open_package(folder).digest != investigation.digest
    assert check(open_package(folder)).problems_complete


# --- damage


def test_a_cut_last_line(tmp_path):
    """Of a file that was cut in its last line, all other lines open, and the cut one keeps its place and says so."""
    folder = record(tmp_path / "run")
    (folder / "manifest.json").unlink()
    data = (folder / "decisions.jsonl").read_bytes()
    (folder / "decisions.jsonl").write_bytes(data[:-40])
    investigation = open_package(folder)
    first, second = investigation.decisions
    assert first.reply.text == "look"
    assert second.problem == Problem(
        "decisions.jsonl", 2, "not JSON", "one JSON value", "Unterminated string starting at character 509"
    )
    assert "decisions.jsonl:2 the last line has no newline at its end: it may be cut | None | None" in said(
        investigation
    )
    assert second.problem in investigation.problems


def test_only_the_newline_is_missing(tmp_path):
    """A last line that is whole but for its newline is read, with a warning."""
    folder = lay(
        tmp_path / "p", manifest=PLAIN_MANIFEST, messages=b'{"role":"user","text":"x"}', decisions=[], fragments=[]
    )
    investigation = open_package(folder)
    assert [message.text for message in investigation.messages] == ["x"]
    assert [problem.severity for problem in investigation.problems if "newline" in problem.what] == ["warning"]


DAMAGED = [
    (b"\t", "not JSON"),
    (b"{", "not JSON"),
    (b"\xff\xfe", "not UTF-8"),
    (b"[]", "the record is not an object"),
    (b"null", "the record is not an object"),
    (b"NaN", "a number that JSON does not allow"),
    (b'{"a":1e999}', "a number that overflows"),
    (b"[" * 300 + b"]" * 300, "nested too deep"),
    (b'{"role":"user","text":"x","deep":' + b"[" * 300 + b"]" * 300 + b"}", "nested too deep"),
    (b"[" * 100_000, "nested too deep"),
    (b"9" * 5000, "an integer with too many digits"),
    (b'{"text":"no role"}', "`role` is missing"),
    (b'{"role":1,"text":"x"}', "`role` is not text"),
    (b'{"role":"user"}', "`text` is missing"),
    (b'{"role":"user","parts":"x"}', "`parts` is not a list"),
]


@pytest.mark.parametrize(("line", "says"), DAMAGED, ids=[str(number) for number in range(len(DAMAGED))])
def test_a_damaged_line_costs_only_itself(tmp_path, line, says):
    """A line that cannot be read keeps its place with its problem; its neighbours and who uses them are untouched."""
    good = [b'{"role":"user","text":"a"}', b'{"role":"user","text":"b"}']
    messages = b"\n".join([good[0], line, good[1], b""])
    rows = [decision(1, [[0, 1], [2, 1]]), decision(2, [[0, 3]])]
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=messages, decisions=rows, fragments=[])
    investigation = open_package(folder)
    assert [message.text for message in investigation.decisions[0].messages] == ["a", "b"]
    broken = investigation.decisions[1].messages[1]
    assert broken.problem is not None
    assert (broken.problem.file, broken.problem.line, broken.problem.what) == ("messages.jsonl", 2, says)
    assert broken.problem in investigation.problems
    assert [message.problem for message in investigation.messages].count(None) == 2


def test_a_damaged_decision_and_fragment(tmp_path):
    """Decisions and fragments that cannot be read keep their places, too."""
    decisions = b"\n".join([json.dumps(decision(1)).encode(), b"{oops", json.dumps(decision(3)).encode(), b""])
    fragments = b"\n".join([b"[1]", json.dumps(fragment("f2")).encode(), b""])
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[SYSTEM], decisions=decisions, fragments=fragments)
    investigation = open_package(folder)
    assert [(one.index, one.problem is None) for one in investigation.decisions] == [(1, True), (-2, False), (3, True)]
    assert [(one.id, one.problem is None) for one in investigation.fragments] == [("line 1", False), ("f2", True)]
    assert investigation.decisions[1].messages == ()


def test_blank_lines_are_no_records(tmp_path, monkeypatch):
    """Lines with nothing but spaces and CR are passed over with a warning each; the others keep their line numbers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(index_module, "CACHE_FROM_BYTES", 1)
    rows = [json.dumps(decision(1, [[0, 2]])).encode(), json.dumps(decision(2, [[1, 2]])).encode()]
    found = json.dumps(fragment("f1")).encode()
    messages = [b"", b'{"role":"user","text":"a"}', b" \r", b"\r", b'{"role":"user","text":"b"}', b"{oops", b"  "]
    files = {"decisions.jsonl": 2, "fragments.jsonl": 1, "messages.jsonl": 3}
    table = {name: {"sha256": None, "records": count} for name, count in files.items()}
    folder = lay(
        tmp_path / "p",
        manifest=PLAIN_MANIFEST | {"files": table},
        messages=b"\n".join(messages),
        decisions=b"\n".join([rows[0], b"", b"", rows[1], b"", b""]),
        fragments=b"\n\n" + found + b"\n",
    )
    for _ in range(2):  # the second time from the kept index
        investigation = open_package(folder)
        assert [one.index for one in investigation.decisions] == [1, 2]
        assert [one.line for one in investigation.decisions] == [1, 4]
        assert [investigation.decisions[place].line for place in (1, 0)] == [4, 1]
        assert [one.text for one in investigation.decisions[0].messages] == ["a", "b"]
        assert [one.id for one in investigation.fragments] == ["f1"]
        broken = investigation.decisions[1].messages[1].problem
        assert (broken.file, broken.line, broken.what) == ("messages.jsonl", 6, "not JSON")
        assert (investigation.checked, investigation.total) == (6, 6)
        blank = [problem for problem in investigation.problems if "blank line" in problem.what]
        assert [(problem.file, problem.line) for problem in blank] == [
            *(("messages.jsonl", line) for line in (1, 3, 4, 7)),
            *(("fragments.jsonl", line) for line in (1, 2)),
            *(("decisions.jsonl", line) for line in (2, 3, 5)),
        ]
        assert {problem.severity for problem in blank} == {"warning"}
        text = "\n".join(said(investigation))
        assert "number of records" not in text
        assert "messages.jsonl:7 the last line has no newline at its end" in text


def test_a_real_line_of_200_megabytes(tmp_path):
    """A line over the limit is lost alone, without being read, and is reported with limit and size."""
    size = 200 * 1024 * 1024
    path = (
        lay(tmp_path / "p", manifest=PLAIN_MANIFEST, decisions=[decision(1, [[0, 1], [2, 1]])], fragments=[])
        / "messages.jsonl"
    )
    with path.open("wb") as file:
        file.write(b'{"role":"user","text":"a"}\n')
        file.truncate(27 + size)
        file.seek(27 + size)
        file.write(b'\n{"role":"user","text":"c"}\n')
    investigation = check(open_package(tmp_path / "p"))
    assert [message.text for message in investigation.decisions[0].messages] == ["a", "c"]
    assert investigation.messages[1].problem == Problem(
        "messages.jsonl", 2, "the line is too long", f"at most {MAX_LINE_BYTES} bytes", f"{size + 1} bytes"
    )
    assert investigation.messages[1].problem in investigation.problems


def test_lines_around_the_limit(tmp_path, monkeypatch):
    """A line of just the limit is read, one byte more is not, wherever it stands."""
    lines = [json.dumps({"role": "user", "text": "x" * count}).encode() + b"\n" for count in (70, 71, 10, 71, 70)]
    monkeypatch.setattr(rows_module, "MAX_LINE_BYTES", len(lines[0]))
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=b"".join(lines), decisions=[], fragments=[])
    investigation = open_package(folder)
    assert [message.problem is None for message in investigation.messages] == [True, False, True, False, True]
    assert [message.problem is None for message in tuple(investigation.messages)] == [True, False, True, False, True]
    assert [problem.line for problem in investigation.problems if "too long" in problem.what] == [2, 4]


def test_unknown_and_wrong_fields_are_kept(tmp_path):
    """Unknown fields and values of the wrong type stay in `extra`, at every level; wrong ones are reported by name."""
    row = decision(
        1,
        status="paused",
        format="investigation_project_v9",
        sent="yes",
        request=[],
        seed=4,
        sent_at=5,
        missing=["system prompt", 3],
        events=[{"kind": "cleared", "fragments": [1], "at": 2}],
        reply={"text": 1, "lookups": [{"kind": "search", "queries": "q", "team": 1}, 7], "patch": {"path": "p"}},
        outcome={"kind": "gone", "by": 3},
        usage={"input_tokens": -1, "output_tokens": 2, "reasoning": 3},
        memory={"base_bytes": "9", "ledger": [{"identity": "i", "status": "completed", "note": 1}, 5], "x": 1},
    )
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[SYSTEM], decisions=[row], fragments=[])
    investigation = open_package(folder)
    (stored,) = investigation.decisions
    assert stored.problem is None
    assert (stored.status, stored.format, stored.sent) == ("paused", "investigation_project_v9", None)
    assert stored.extra == {"seed": 4, "sent": "yes", "request": [], "sent_at": 5, "missing": ["system prompt", 3]}
    assert stored.missing == ("system prompt",)
    assert stored.events[0].extra == {"at": 2, "fragments": [1]}
    assert stored.reply.extra == {"text": 1, "lookups": row["reply"]["lookups"], "patch": {"path": "p"}}
    assert stored.reply.lookups[0].queries == ("q",)
    assert stored.reply.lookups[0].extra == {"queries": "q", "team": 1}
    assert (stored.outcome.kind, stored.outcome.by, stored.outcome.extra) == ("gone", None, {"by": 3})
    assert (stored.usage.output_tokens, stored.usage.extra) == (2, {"input_tokens": -1, "reasoning": 3})
    assert stored.memory.extra == {"base_bytes": "9", "ledger": row["memory"]["ledger"], "x": 1}
    assert [(entry.identity, dict(entry.extra)) for entry in stored.memory.ledger] == [("i", {"note": 1})]
    assert {line.split(" | ")[0].removeprefix("decisions.jsonl:1 ") for line in said(investigation)} >= {
        "`status` is not one of accepted, rejected, unused, uncertain",
        "`sent` is not true or false",
        "`request` is not an object",
        "`missing[1]` is not text",
        "`events[0].fragments[0]` is not text",
        "`reply.lookups[0].queries` is not a list",
        "`reply.lookups[1]` is not an object",
        "`reply.patch.before` is missing",
        "`outcome.kind` is not one of continued, stopped, patched, failed",
        "`memory.base_bytes` is not a whole number",
        "`memory.ledger[1]` is not an object",
    }


def test_a_message_part_that_cannot_be_read(tmp_path):
    """A part of an unknown or wrong kind is opaque; the readable parts around it stay readable."""
    parts = [
        {"type": "text", "text": "a"},
        {"type": "audio", "data": "x"},
        7,
        {"type": "text", "text": 5},
        {"type": "text", "text": "b"},
    ]
    folder = lay(
        tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[{"role": "user", "parts": parts}], decisions=[], fragments=[]
    )
    investigation = open_package(folder)
    (message,) = investigation.messages
    assert message.problem is None
    assert message.text == "ab"
    assert [part.kind for part in message.parts] == ["text", "opaque", "opaque", "opaque", "text"]
    assert [line.split(" | ")[0] for line in said(investigation) if line.startswith("messages.jsonl:1")] == [
        "messages.jsonl:1 `parts[1].type` is not one of text, tool_call, tool_result, opaque",
        "messages.jsonl:1 `parts[2]` is not an object",
        "messages.jsonl:1 `parts[3].text` is not text",
    ]


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ("x", "`messages` is not a list of [start, count]"),
        ([[0]], "`messages[0]` is no slice"),
        ([[0, 1], [0, 1.0]], "`messages[1]` is no slice"),
        ([[0, True]], "`messages[0]` is no slice"),
        ([[-1, 1]], "`messages[0]` is no slice"),
        ([[0, 0]], "`messages[0]` is no slice"),
        ([[0, 1], [1, 1]], "`messages[1]` leads to messages that are not there"),
        ([[0, 10**12]], "`messages[0]` leads to messages that are not there"),
        ([[10**400, 1]], "`messages[0]` leads to messages that are not there"),
        ([[0, 1]] * 1001, "the prompt has too many messages"),
    ],
)
def test_a_prompt_that_leads_nowhere(tmp_path, monkeypatch, runs, says):
    """Slices that lead nowhere make no prompt at all, as one with gaps would be another prompt; the rest is readable."""
    monkeypatch.setattr("core.package.records.MAX_PROMPT_MESSAGES", 1000)
    rows = [decision(1) | {"messages": runs, "reply": {"text": "r"}}, decision(2)]
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=[SYSTEM], decisions=rows, fragments=[])
    investigation = open_package(folder)
    broken, whole = investigation.decisions
    assert broken.problem is not None
    assert broken.problem.what == says
    assert broken.problem in investigation.problems
    assert (broken.messages, broken.reply.text, broken.extra["messages"]) == ((), "r", runs)
    assert len(whole.messages) == 1


def test_files_that_are_missing(tmp_path):
    """A package without one of its files opens with what it has, and says what is missing."""
    folder = record(tmp_path / "run")
    (folder / "fragments.jsonl").unlink()
    investigation = open_package(folder)
    assert [len(investigation.decisions), len(investigation.fragments)] == [2, 0]
    assert "fragments.jsonl:None the file is missing | a file | nothing" in said(investigation)
    (folder / "messages.jsonl").unlink()
    investigation = open_package(folder)
    assert [one.problem.what for one in investigation.decisions] == [
        "`messages[0]` leads to messages that are not there"
    ] * 2
    assert investigation.decisions[0].reply.text == "look"


def test_files_that_nobody_listed(tmp_path):
    """Other files are named, never read: inside folders too, and a nested zip is one of them."""
    folder = record(tmp_path / "run")
    (folder / "sub").mkdir()
    (folder / "sub" / "notes.txt").write_text("x")
    shutil.make_archive(str(folder / "inner"), "zip", folder / "sub")
    (folder / "bad\udcff").write_text("x")
    investigation = open_package(folder)
    assert said(investigation) == [
        f"{name}:None a file that the manifest does not list | None | None"
        for name in ("bad\\xff", "inner.zip", "sub/notes.txt")
    ]
    assert {problem.severity for problem in investigation.problems} == {"warning"}


def test_a_byte_order_mark_costs_nothing(tmp_path):
    """Files saved with a byte order mark are read."""
    mark = b"\xef\xbb\xbf"
    manifest = mark + json.dumps(PLAIN_MANIFEST).encode()
    folder = lay(
        tmp_path / "p",
        manifest=manifest,
        messages=mark + b'{"role":"user","text":"a"}\r\n',
        decisions=[decision(1)],
        fragments=[],
    )
    assert [message.text for message in open_package(folder).decisions[0].messages] == ["a"]


# --- changed while open


def _open_large(folder, monkeypatch):
    monkeypatch.setattr("core.package.reading.CHECK_AT_OPEN_BYTES", 0)
    return open_package(folder)


def test_cut_while_open(tmp_path, monkeypatch):
    """A file that is cut while it is open gives records with a problem: no garbage, no signal."""
    investigation = _open_large(record(tmp_path / "run"), monkeypatch)
    os.truncate(tmp_path / "run" / "messages.jsonl", 5)
    assert {message.problem.what for message in investigation.messages} == {"the file was changed while it was open"}
    assert investigation.decisions[0].messages[0].problem is not None
    problems = check(investigation).problems
    assert any(problem.what == "the file was changed while it was open" for problem in problems)


def test_overwritten_while_open(tmp_path, monkeypatch):
    """A file that is written in place while it is open is not believed any more."""
    folder = record(tmp_path / "run")
    investigation = _open_large(folder, monkeypatch)
    with (folder / "decisions.jsonl").open("r+b") as file:
        file.write(b"{}\n")
    os.utime(folder / "decisions.jsonl", ns=(7, 7))
    assert [one.problem.what for one in investigation.decisions] == ["the file was changed while it was open"] * 2


def test_replaced_while_open(tmp_path, monkeypatch):
    """A file that is replaced by another one is still the old one to whoever has it open."""
    folder = record(tmp_path / "run")
    investigation = _open_large(folder, monkeypatch)
    (folder / "new").write_bytes(b"garbage\n")
    (folder / "new").replace(folder / "decisions.jsonl")
    assert [one.problem for one in investigation.decisions] == [None, None]
    assert check(investigation).problems == ()


def test_a_recording_that_goes_on(tmp_path):
    """A partial folder can be opened while its writer appends: what was there stays readable, opening again shows more."""
    package = PackageWriter(tmp_path / "run", title="t", sync=False)
    package.append_decision([SYSTEM])
    before = open_package(package.partial)
    package.append_decision([SYSTEM, SOURCE, SUMMARY])
    assert [one.problem for one in before.decisions] == [None]
    assert [one.text for one in before.decisions[0].messages] == [SYSTEM["text"]]
    assert len(open_package(package.partial).decisions) == 2
    package.close()
    assert before.decisions[0].messages[0].text == SYSTEM["text"]


# --- zips


def _zipped(folder, path, *, method=zipfile.ZIP_DEFLATED, prefix=""):
    with zipfile.ZipFile(path, "w", method) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, prefix + file.name)
    return path


@pytest.mark.parametrize("prefix", ["", "run/", "./"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zips_of_others(tmp_path, prefix, method):
    """A zip is known by its content, whatever its name: stored or deflated, at its root or under one top folder."""
    folder = record(tmp_path / "run")
    investigation = open_package(_zipped(folder, tmp_path / "upload.bin", method=method, prefix=prefix))
    assert investigation.problems == ()
    assert investigation.digest == open_package(folder).digest
    assert [one.key for one in investigation.decisions] == [(1, 1), (2, 2)]
    assert investigation.decisions[1].messages[1].text == SOURCE["text"]


def test_a_zip_from_a_mac(tmp_path):
    """What the Finder adds beside the top folder is only named."""
    path = _zipped(record(tmp_path / "run"), tmp_path / "run.zip", prefix="run/")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("__MACOSX/run/._manifest.json", b"x")
    investigation = open_package(path)
    assert len(investigation.decisions) == 2
    assert [problem.file for problem in investigation.problems] == ["__MACOSX/run/._manifest.json"]


def test_a_damaged_deflated_member(tmp_path):
    """What can be unpacked of a damaged member is read; the damage is told."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        for number in range(3000):
            package.append_decision([{"role": "user", "text": f"{number * 7919 % 100_003} {number}"}])
    path = _zipped(tmp_path / "run", tmp_path / "run.zip")
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("messages.jsonl")
    middle = info.header_offset + info.compress_size * 3 // 4
    data[middle : middle + 40] = bytes(40)
    path.write_bytes(data)
    investigation = open_package(path)
    whole = [message for message in investigation.messages if message.problem is None]
    assert len(whole) > 1500
    assert whole[1000].text == f"{1000 * 7919 % 100_003} 1000"
    assert any(p.file == "messages.jsonl" and p.what == "the zip member is damaged" for p in investigation.problems)
    assert investigation.decisions[0].messages[0].text == "0 0"


def test_a_damaged_stored_member(tmp_path):
    """In a stored zip without a table of files, the zip's own checksum finds a changed byte."""
    folder = lay(tmp_path / "p", messages=[SYSTEM], decisions=[decision(1)], fragments=[])
    path = _zipped(folder, tmp_path / "p.zip", method=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"why the video", b"WHY the video"))
    investigation = open_package(path)
    assert "messages.jsonl:None the zip member's checksum does not match" in [
        line.split(" | ")[0] for line in said(investigation)
    ]
    assert investigation.messages[0].text.startswith("Find out WHY")


def test_unpacked_copies_have_no_name(tmp_path, monkeypatch):
    """A deflated zip is unpacked to temporary files that nobody else can open, and none is left."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    investigation = open_package(_zipped(record(tmp_path / "run"), tmp_path / "run.zip"))
    assert list((tmp_path / "tmp").iterdir()) == []
    assert investigation.decisions[0].problem is None


# --- the fast way and the slow way


ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "identity": TEXTS | st.none() | st.just(1),
        "status": st.sampled_from(["completed", "odd"]) | st.none(),
        "decision": st.integers(-1, 3) | st.just(2**53) | st.just(1.0) | st.none() | st.just(True),
        "start": st.integers(0, 3) | st.none(),
        "note": JSON,
    },
)
MEMORY = st.fixed_dictionaries(
    {},
    optional={
        "base_bytes": st.integers(-1, 5) | st.none() | TEXTS | st.just(10**30),
        "ledger": st.lists(ENTRY | st.none() | st.just(3), max_size=3) | st.none() | st.just("x"),
        "blocks": st.lists(
            st.fixed_dictionaries({"fragment": TEXTS, "sent_bytes": st.integers(0, 3), "truncated": st.booleans()})
        ),
        "supplied": st.lists(
            st.fixed_dictionaries(
                {"path": TEXTS, "start": st.integers(0, 3), "end": st.integers(0, 3)},
                optional={"hash": TEXTS, "z": JSON},
            )
        ),
        "evicted": st.lists(TEXTS, max_size=2),
        "more": JSON,
    },
)


@settings(max_examples=300, deadline=None)
@given(
    memory=MEMORY | st.none() | JSON,
    more=st.dictionaries(st.sampled_from(["reply", "usage", "sent", "zzz", "index"]), JSON, max_size=3),
)
def test_both_ways_to_a_decision_agree(memory, more):
    """A decision typed while it is parsed is the one that is read field by field; what is not well formed is left to that."""
    row = decision(1, []) | {"memory": memory} | more
    line = json.dumps(row).encode()
    slow = decision_from(json.loads(line), Notes("decisions.jsonl", 1), ())
    fast = decision_of_line(line, Notes("decisions.jsonl", 1), ())
    if fast is not None:
        assert fast == slow
        assert repr(fast) == repr(slow)
        assert fast.memory is None or fast.memory.extra is NOTHING
    later = decision_from(json.loads(line), Notes("decisions.jsonl", 1), (), later=True)
    assert later == slow


# --- what is no package


def test_a_recording_asked_for_by_its_final_name(tmp_path):
    """Asking for a recording that was not closed by its final name says where it is."""
    PackageWriter(tmp_path / "run", title="t", sync=False)
    with pytest.raises(PackageError, match=r"not closed \(expected its folder run.partial to be opened\)"):
        open_package(tmp_path / "run")


def test_what_is_no_package(tmp_path):
    """Other files, empty folders and missing names are refused in one sentence that names them."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("no zip")
    (tmp_path / "nothing").write_bytes(b"")
    for name, says in (
        ("empty", "not a package"),
        ("text.zip", "not a package"),
        ("nothing", "not a package"),
        ("gone", "no such package"),
    ):
        with pytest.raises(PackageError, match=says) as caught:
            open_package(tmp_path / name)
        assert str(caught.value).startswith(name)
        assert str(tmp_path) not in str(caught.value)
    with pytest.raises(PackageError):
        open_package(str(tmp_path) + "/a\0b")
