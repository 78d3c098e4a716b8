"""The registry: detection by content, known kinds that are not supported, package first; no other error ever escapes."""

from __future__ import annotations

import io
import json
import os
import random
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InspectorError, RecordingError, UnsupportedError
from core.package import investigation_to_package
from core.readers import READERS, open_any
from core.readers.recording import Recording
from tests.readers_help import FIXTURES, opened, read_bytes

READER_OF = {
    "claude-code.jsonl": "claude-code",
    "codex.jsonl": "codex",
    "codex-old.jsonl": "codex",
    "swe-cycle.traj": "swe-agent",
    "swe-progress.traj": "swe-agent",
    "swe-messages.traj": "swe-agent",
    "swe-query.traj": "swe-agent",
    "mini-1.1.traj.json": "mini-swe-agent",
    "mini-1.traj.json": "mini-swe-agent",
    "mini-list.json": "mini-swe-agent",
    "bodies.jsonl": "captured-requests",
    "claude-trace.jsonl": "captured-requests",
    "claude-tap.json": "captured-requests",
    "claude-tap.ctap.json": "captured-requests",
    "responses.jsonl": "captured-requests",
    "requests.jsonl": "captured-requests",
    "cassette.yaml": "captured-requests",
}


@pytest.mark.parametrize("name", READER_OF)
def test_exactly_one_reader_knows_each_fixture(name, tmp_path):
    """Each recording is known by its content to one reader, and to no other."""
    data = (FIXTURES / name).read_bytes()
    known = [reader for reader, entry in READERS.items() if entry.knows(Recording("unknown", data))]
    assert known == [READER_OF[name]]
    path = tmp_path / "unknown"
    path.write_bytes(data)
    assert {run.reader for run in open_any(path)} == {READER_OF[name]}


def test_every_fixture_is_listed():
    """No fixture is left untested."""
    assert sorted(path.name for path in FIXTURES.iterdir()) == sorted(READER_OF)


@pytest.mark.parametrize("name", READER_OF)
def test_what_holds_for_every_recording(name):
    """Positions exist, fragments name a decision that asked, every request was sent, nothing is inferred."""
    for run in opened(name):
        for decision in run.decisions:
            assert decision.sent is True
            assert decision.memory is None
            assert all(0 <= place < len(run.messages) for place in decision.message_ids)
            assert decision.computed_request_hash().startswith("sha256:")
        assert [fragment.id for fragment in run.fragments] == [f"f{n}" for n in range(1, len(run.fragments) + 1)]
        asked = [
            lookup.identity
            for decision in run.decisions
            for lookup in (decision.reply.lookups if decision.reply else ())
        ]
        assert sorted(asked) == sorted(fragment.lookup.identity for fragment in run.fragments)
        assert run.limits.context_bytes is None
        assert run.problems_complete


@pytest.mark.parametrize("name", READER_OF)
def test_no_answer_stands_in_its_own_prompt(name):
    """Tool calls of a reply never stand in the prompt that the reply answers (fault 3 of other tools)."""
    for run in opened(name):
        ids = {fragment.call_id: fragment.requested_by for fragment in run.fragments if fragment.call_id}
        for decision in run.decisions:
            for message in decision.messages:
                for part in message.parts:
                    if part.kind in {"tool_call", "tool_result"} and part.id in ids:
                        assert ids[part.id] < decision.index


KNOWN = [
    ("a GitHub Copilot CLI event log", b'{"type":"session.start","data":{},"id":"1","parentId":null}\n'),
    ("an OpenHands event", b'{"id":"1","kind":"MessageEvent","source":"user","timestamp":""}'),
    ("an OpenHands evaluation output", b'{"instance_id":"a","history":[],"metrics":{}}\n'),
    ("an OpenHands completion log", b'{"messages":[],"response":{},"kwargs":{},"args":[]}'),
    ("an Inspect AI log", b'{"eval":{},"samples":[]}'),
    ("a tau2-bench result", b'{"info":{},"tasks":[],"simulations":[]}'),
    ("a tau-bench result", b'[{"task_id":1,"trial":0,"traj":[]}]'),
    ("an AgentBench run log", b'{"index":1,"output":{},"time":{}}\n{"index":2,"output":{},"time":{}}\n'),
    ("an ATIF trajectory", b'{"schema_version":"ATIF-v1.2","steps":[],"agent":{}}'),
    ("a Langfuse trace", b'{"trace":{},"observations":[]}'),
    ("a list of OpenInference spans", b'[{"context":{},"span_kind":"LLM"}]'),
    ("an OTLP trace", b'{"resourceSpans":[]}'),
    ("a Gemini CLI session", b'{"sessionId":"1","projectHash":"2","messages":[]}'),
    ("a Gemini CLI checkpoint", b'[{"role":"user","parts":[{"text":"x"}]}]'),
    ("a Cline or Roo conversation", b'[{"role":"user","content":[],"ts":1}]'),
    ("an Aider chat history", b"\n# aider chat started at 2026-01-01 10:00:00\n"),
    ("a pi session", b'{"type":"message","timestamp":"","message":{"role":"user","content":"x"}}\n'),
    ("an opencode export", b'{"info":{},"messages":[]}'),
]


@pytest.mark.parametrize(("kind", "data"), KNOWN, ids=[kind for kind, _ in KNOWN])
def test_known_but_unsupported_kinds_are_named(kind, data, tmp_path):
    """A recording that is known but not supported is called by its name."""
    path = tmp_path / "unknown"
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=f"this is {kind}, which is known but not supported yet"):
        open_any(path)


def test_an_inspect_log_is_no_package(tmp_path):
    """A zip with Inspect's header is named, not refused as a broken package."""
    path = tmp_path / "unknown"
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("header.json", "{}")
    with pytest.raises(RecordingError, match="this is an Inspect AI log"):
        open_any(path)


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"hello", b"\x00\xff\xfe", b"[]", b"{}", b"1", b'"x"', b"null", b"[1,2]"]
)
def test_an_unknown_file_says_what_was_looked_for(data, tmp_path):
    """A file that nobody knows names the formats that were tried."""
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(RecordingError) as caught:
        open_any(path)
    assert "a Claude Code session" in caught.value.expected
    assert caught.value.file == "notes.txt"


def test_a_missing_file_and_a_plain_folder(tmp_path):
    """What is not there, and a folder that is no package, are refused in a sentence."""
    with pytest.raises(RecordingError, match="cannot be read"):
        open_any(tmp_path / "nothing")
    with pytest.raises(RecordingError, match="a folder without a manifest"):
        open_any(tmp_path)
    with pytest.raises(RecordingError, match="cannot be read"):
        open_any("a\0b")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="not a regular file"):
        open_any(tmp_path / "pipe")


def test_a_long_broken_line_costs_no_more_than_reading_it():
    """A line that breaks in many places is given up after a bounded search, and its neighbours are read."""
    whole = (FIXTURES / "claude-code.jsonl").read_bytes()
    broken = b'{"type":"user","x":[' + b'{"a":{"b":' * 400_000 + b"\n"
    main, _ = read_bytes("claude-code", broken + whole)
    assert len(main.decisions) == 7
    assert main.problems[0].line == 1


def test_a_package_is_tried_first(tmp_path):
    """A converted recording opens as a package, folder and zip, and shows the same prompts."""
    (run,) = opened("bodies.jsonl")
    for name, zipped in (("run", False), ("run.zip", True)):
        investigation_to_package(run, tmp_path / name, zip=zipped)
        (again,) = open_any(tmp_path / name)
        assert again.reader == "package"
        assert [[m.text for m in d.messages] for d in again.decisions] == [
            [m.text for m in d.messages] for d in run.decisions
        ]


def test_a_document_of_one_line_and_of_many(tmp_path):
    """A JSON document is known whether it is written on one line or on many."""
    document = json.loads((FIXTURES / "swe-cycle.traj").read_bytes())
    for indent in (None, 2):
        path = tmp_path / f"unknown-{indent}"
        path.write_text(json.dumps(document, indent=indent))
        assert len(open_any(path)[0].decisions) == 11


# --- nothing but core.errors escapes

JSON_FIXTURES = [name for name in READER_OF if name != "cassette.yaml"]
SCALARS = (None, True, False, 0, -1, 2**70, 1.5, "", "x", "\ud800", [], {}, [[]], [None], {"type": None})


def _changed(rng, value):
    """The value with a few of its parts missing or of another type."""
    if rng.random() < 0.01:
        return rng.choice(SCALARS)
    if isinstance(value, dict):
        return {key: _changed(rng, each) for key, each in value.items() if rng.random() > 0.01}
    if isinstance(value, list):
        return [_changed(rng, each) for each in value if rng.random() > 0.01]
    return value


def _values(name):
    data = (FIXTURES / name).read_text()
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in data.splitlines()]
    return json.loads(data)


def _look_at(run):
    """Everything that a page would ask of a run."""
    for decision in run.decisions:
        assert len(decision.messages) == len(decision.message_ids)
        decision.computed_request_hash()
        assert decision.prompt_bytes >= 0
    for fragment in run.fragments:
        assert fragment.lookup.identity
        assert all(source.start <= source.end for source in fragment.sources)


def _try(reader, data):
    """Read it and look at everything; what was said first."""
    recording = Recording("fuzzed", data)
    for entry in READERS.values():
        assert entry.knows(recording) in (True, False)
    try:
        runs = READERS[reader].read(Recording("fuzzed", data))
        for run in runs:
            _look_at(run)
    except InspectorError as error:
        return f"{type(error).__name__}: {error.message}"
    problems = [problem for run in runs for problem in run.problems]
    return f"Problem: {problems[0].what}" if problems else "no problem"


EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "30"))  # more by `make fuzz`
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", JSON_FIXTURES)
@FUZZ
@given(seed=st.integers(0, 2**32))
def test_structural_fuzz(name, seed):
    """Missing keys and wrong types anywhere in a recording raise nothing but `core.errors`."""
    value = _changed(random.Random(seed), _values(name))  # noqa: S311  # a reproducible mutation
    if name.endswith(".jsonl"):
        text = "".join(json.dumps(each) + "\n" for each in value) if isinstance(value, list) else json.dumps(value)
    else:
        text = json.dumps(value)
    _try(READER_OF[name], text.encode())


@pytest.mark.parametrize("name", READER_OF)
@FUZZ
@given(seed=st.integers(0, 2**32))
def test_byte_fuzz(name, seed):
    """Bytes cut out, doubled, or replaced anywhere raise nothing but `core.errors`."""
    raw, rng = bytearray((FIXTURES / name).read_bytes()), random.Random(seed)  # noqa: S311  # a reproducible mutation
    for _ in range(rng.randrange(1, 5)):
        start, length = rng.randrange(len(raw) + 1), rng.randrange(40)
        raw[start : start + length] = rng.choice(
            [b"", bytes(raw[start : start + length]) * 2, rng.randbytes(rng.randrange(12))]
        )
    _try(READER_OF[name], bytes(raw))


@pytest.mark.parametrize("reader", READERS)
@FUZZ
@given(raw=st.binary(max_size=200))
def test_any_bytes(reader, raw):
    """Any bytes at all raise nothing but `core.errors`."""
    _try(reader, raw)


def test_a_record_over_the_depth_limit_is_lost_alone():
    """A record that nests too deep is reported; its neighbours are read."""
    whole = (FIXTURES / "claude-code.jsonl").read_bytes()
    deep = b'{"type":"user","uuid":"deep","x":' + b"[" * 400 + b"]" * 400 + b"}\n"
    main, _ = read_bytes("claude-code", deep + whole)
    assert len(main.decisions) == 7
    assert (main.problems[0].line, main.problems[0].what) == (1, "nested too deep")


def test_a_record_of_too_many_values_is_lost_alone(monkeypatch):
    """A line that would take too much memory is reported with the limit and its figure; its neighbours are read."""
    whole = (FIXTURES / "claude-code.jsonl").read_bytes()
    for module in ("core.canonical", "core.readers.recording"):
        monkeypatch.setattr(f"{module}.MAX_VALUES", 2000)
    dense = b'{"type":"user","uuid":"dense","x":[' + b"{}," * 1999 + b"{}]}\n"
    for number, data in ((1, dense + whole), (whole.count(b"\n") + 1, whole + dense)):
        main, _ = read_bytes("claude-code", data)
        assert len(main.decisions) == 7
        (problem,) = (problem for problem in main.problems if problem.line == number)
        assert (problem.what, problem.severity, problem.found) == ("too many values", "error", "4,006")
        assert problem.expected == "at most 2,000 brackets, commas and colons outside of texts"


def test_a_torn_record_of_too_many_values_is_not_searched(monkeypatch):
    """A quote in front hides the values from the first count; then the line is not searched for records at all."""
    for module in ("core.canonical", "core.readers.recording"):
        monkeypatch.setattr(f"{module}.MAX_VALUES", 2000)
    line = b'"{"type":"user","x":[' + b"{}," * 1999 + b"{}]}\n"
    recording = Recording("torn", line + b"{}\n")
    assert [record.line for record in recording.records()] == [2]
    assert [(problem.line, problem.what) for problem in recording.problems] == [(1, "a line that is not JSON")]


def test_a_recording_of_too_many_values_is_read_as_far_as_the_limit(monkeypatch):
    """What all records together may hold is bounded; where reading ends is said with its line."""
    whole = (FIXTURES / "claude-code.jsonl").read_bytes()
    monkeypatch.setattr("core.readers.recording.MAX_RECORDING_VALUES", 1000)
    recording = Recording("long", whole)
    read = [record.line for record in recording.records()]
    (problem,) = recording.problems
    assert read == list(range(1, problem.line))
    assert len(read) < whole.count(b"\n")
    assert (problem.what, problem.severity) == ("too many values; the rest is not read", "error")
    assert problem.expected == "at most 1,000 brackets, commas and colons in all"


def test_a_document_of_too_many_values_says_so(tmp_path, monkeypatch):
    """A file that is one JSON value over the limit is refused with the limit and its figure, not as unknown."""
    for module in ("core.canonical", "core.readers.recording"):
        monkeypatch.setattr(f"{module}.MAX_VALUES", 2000)
    (tmp_path / "a.json").write_bytes(b'{\n"trajectory":[' + b"{}," * 1999 + b"{}]}")
    with pytest.raises(UnsupportedError, match=r"a\.json: too many values \(expected at most 2,000 .* found 4,002\)"):
        open_any(tmp_path / "a.json")


def test_the_head_of_a_recording_is_bounded(monkeypatch):
    """The records by which a format is told hold few values together; one that holds too many is passed over."""
    line = b'{"x":[' + b"0," * 900 + b"0]}\n"
    monkeypatch.setattr("core.readers.recording._HEAD_VALUES", 2000)
    assert len(Recording("head", line * 10).head) == 2
    assert Recording("head", b'{"y":[' + b"0," * 3000 + b'0]}\n{"z":0}\n').head == ({"z": 0},)


def test_a_cassette_of_too_many_values_is_refused(monkeypatch):
    """YAML takes far more memory than JSON for a value, so that its values are counted before any is made."""
    monkeypatch.setattr("core.readers.cassette.MAX_YAML_VALUES", 1000)
    data = b"interactions:\n- a: [" + b"{}," * 1000 + b"{}]\n"
    merged = b"interactions:\n- &a {" + b"".join(b"k%d: 0, " % number for number in range(100)) + b"}\n"
    for hostile in (data, merged + b"- <<: *a\n" * 5, merged + b"- *a\n" * 5):
        with pytest.raises(RecordingError, match=r"the cassette holds too many values \(expected at most 1,000"):
            read_bytes("captured-requests", hostile)
    monkeypatch.setattr("core.readers.cassette.MAX_YAML_BYTES", 1000)
    texts = b"interactions:\n- &a " + b"x" * 300 + b"\n" + b"- *a\n" * 3
    with pytest.raises(RecordingError, match="the cassette's aliases unfold too far"):
        read_bytes("captured-requests", texts)


def test_a_zip_that_claims_to_be_an_inspect_log_is_not_unpacked():
    """Detection reads the names in a zip only, and survives a broken one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        container.writestr("header.json", "{}")
    broken = bytearray(buffer.getvalue())
    broken[-30:] = b"\xff" * 30
    for data in (bytes(broken), b"PK\x03\x04", buffer.getvalue()):
        assert not any(entry.knows(Recording("x", data)) for entry in READERS.values())
