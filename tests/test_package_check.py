"""Checking: every hash, count, reference and claimed place, with file, line, expected and found."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pytest
from package_tools import PLAIN_MANIFEST, SOURCE, SYSTEM, decision, errors, fragment, lay, record, said, zip_of

from core.model import Investigation
from core.package import check, open_package


def _package(tmp_path, decisions, fragments=(), messages=(SYSTEM, SOURCE), manifest=PLAIN_MANIFEST):
    folder = lay(
        tmp_path / "p", manifest=manifest, messages=list(messages), decisions=list(decisions), fragments=list(fragments)
    )
    return open_package(folder)


def _of(investigation, file):
    """Problems of one file's lines, shortened."""
    return [
        line
        for line in said(investigation)
        if line.startswith(file) and ":None" not in line and "no `request_hash`" not in line
    ]


def test_a_good_package_is_verified(tmp_path):
    """A package that is as it was written has no problem and is complete."""
    investigation = open_package(record(tmp_path / "run"))
    assert (investigation.problems, investigation.checked, investigation.total) == ((), 6, 6)
    assert investigation.problems_complete


def test_checking_again_says_the_same(tmp_path):
    """Checking what was checked gives the same problems once."""
    investigation = _package(tmp_path, [decision(1), decision(1)])
    assert check(investigation) == investigation == check(check(investigation))


def test_hashes_sizes_and_counts(tmp_path):
    """A changed file differs from the table in hash, and where it grew in size and number of records."""
    folder = record(tmp_path / "run")
    path = folder / "fragments.jsonl"
    path.write_bytes(path.read_bytes().replace(b"play()", b"stop()"))
    (problem,) = open_package(folder).problems
    assert (problem.file, problem.line, problem.what) == (
        "fragments.jsonl",
        None,
        "the file's SHA-256 is not the one in the manifest",
    )
    assert problem.expected != problem.found
    path.write_bytes(path.read_bytes() * 2)
    text = said(open_package(folder))
    assert "fragments.jsonl:None the file's size is not the one in the manifest | 267 bytes | 534 bytes" in text
    assert "fragments.jsonl:None the number of records is not the one in the manifest | 1 records | 2 records" in text


def test_hashes_of_other_files_that_the_manifest_lists(tmp_path):
    """A file of another name is hashed, in a folder and in both kinds of zip, and read for nothing else."""
    text = b"a note that is long enough to be packed " * 9
    good = {"sha256": hashlib.sha256(text).hexdigest(), "bytes": 360}
    files = {"notes.txt": good, "sub/other.txt": {"sha256": "ab", "bytes": 7}, "gone.txt": good}
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST | {"files": files}, messages=[], decisions=[], fragments=[])
    (folder / "notes.txt").write_bytes(text)
    (folder / "sub").mkdir()
    (folder / "sub" / "other.txt").write_bytes(text)
    members = [
        (f"top/{path.relative_to(folder)}", path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()
    ]
    zips = [
        zip_of(tmp_path / f"{kind}.zip", members, method=kind) for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    ]
    for path in (folder, *zips):
        investigation = open_package(path)
        assert [each for each in said(investigation) if "txt" in each] == [
            "notes.txt:None a file of this name is not known: only its hash is checked | None | None",
            "sub/other.txt:None a file of this name is not known: only its hash is checked | None | None",
            "gone.txt:None the file is missing | a file | nothing",
            "sub/other.txt:None the file's size is not the one in the manifest | 7 bytes | 360 bytes",
            f"sub/other.txt:None the file's SHA-256 is not the one in the manifest | ab | {good['sha256']}",
        ]


def test_names_of_other_files_are_told_on_one_line(tmp_path):
    """A name with control characters, in a zip, in the table of files or in both, is escaped wherever it is told."""
    name = "a\x1b[31m\nb"
    manifest = PLAIN_MANIFEST | {"files": {name: {"sha256": "ab"}, "gone\x07": {"sha256": "ab"}}}
    members = [("manifest.json", json.dumps(manifest)), ("messages.jsonl", b""), (name, b"x"), ("c\x01", b"")]
    investigation = open_package(zip_of(tmp_path / "a.zip", members))
    named = {problem.file for problem in investigation.problems}
    assert {"a\\x1b[31m\\nb", "gone\\x07", "c\\x01"} <= named
    assert all(problem.file.isprintable() for problem in investigation.problems)
    hashes = [problem.file for problem in investigation.problems if "SHA-256" in problem.what]
    assert hashes == ["a\\x1b[31m\\nb"]


def test_another_file_that_cannot_be_opened_is_told(tmp_path):
    """A file that became a link out of the folder after opening is not followed for its hash."""
    files = {"notes.txt": {"sha256": "ab"}}
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST | {"files": files}, messages=[], decisions=[], fragments=[])
    (folder / "notes.txt").write_bytes(b"x")
    investigation = open_package(folder)
    (folder / "notes.txt").unlink()
    (folder / "notes.txt").symlink_to("/etc/passwd")
    found = [each for each in said(check(investigation)) if each.startswith("notes.txt")]
    assert found[1:] == ["notes.txt:None a link that leaves the folder | a place in the folder | None"]


def test_a_check_reads_only_so_many_messages_for_hashes(tmp_path, monkeypatch):
    """Prompts that share no beginning are hashed up to a bound; behind it they are said to be not verified."""
    monkeypatch.setattr("core.package.references.HASHED_MESSAGES", 3)
    monkeypatch.setattr("core.package.references.HASHED_MESSAGES_EACH", 1)
    rows = [decision(number, messages=[(number % 2, 1), (0, 2)], request_hash="sha256:aa") for number in range(1, 5)]
    told = [each for each in _of(_package(tmp_path, rows), "decisions") if "verified" in each]
    where = "the prompt cannot be verified: too many messages to hash"
    assert told == [
        f"decisions.jsonl:{line} {where} | at most 3 in one check, and 1 for each decision | more" for line in (2, 3, 4)
    ]
    monkeypatch.setattr("core.package.references.NAMED_MESSAGES", 3)
    monkeypatch.setattr("core.package.references.NAMED_MESSAGES_EACH", 1)
    told = _of(_package(tmp_path / "named", rows), "decisions")
    assert "the prompt is not verified: the prompts name too many messages" in told[-1]


def test_request_hashes(tmp_path):
    """A request hash that is not the prompt's is reported with the computed one; one that is missing cannot be verified."""
    h = "sha256:7d43c1ec65234c05acee7ebb187d93229b61426bc21984ec19dc7de821932690"
    rows = [
        decision(1, [[0, 2]], request_hash=h),
        decision(2, [[0, 2]], request_hash="sha256:00"),
        decision(3, [[0, 2]], request_hash=h, format="bounded_repair_v1"),
        decision(4, [[0, 2]]),
        decision(5, [[1, 1], [0, 1]], request_hash=h),
        decision(6, [[0, 1], [1, 1]], request_hash=h),
    ]
    investigation = _package(tmp_path, rows)
    wrong = [
        problem for problem in investigation.problems if problem.what == "`request_hash` is not the hash of the prompt"
    ]
    assert [problem.line for problem in wrong] == [2, 3, 5]
    assert (wrong[0].expected, wrong[0].found) == (h, "'sha256:00'")
    (missing,) = [problem for problem in investigation.problems if problem.line == 4]
    assert missing.severity == "warning"
    assert missing.what == "there is no `request_hash`: the prompt cannot be verified"


def test_messages_that_are_not_canonical(tmp_path):
    """The request hash is taken over canonical text, however the message was written down."""
    h = "sha256:7d43c1ec65234c05acee7ebb187d93229b61426bc21984ec19dc7de821932690"
    messages = (
        b'{ "text": "Find out why the video does not start.", "role":"system"}\r\n'
        + json.dumps(SOURCE).encode()
        + b"\n"
    )
    folder = lay(
        tmp_path / "p",
        manifest=PLAIN_MANIFEST,
        messages=messages,
        decisions=[decision(1, [[0, 2]], request_hash=h)],
        fragments=[],
    )
    assert _of(open_package(folder), "decisions") == []


def test_a_prompt_with_an_unreadable_message(tmp_path):
    """Such a prompt cannot be verified, and the line that is to blame is named."""
    folder = lay(
        tmp_path / "p",
        manifest=PLAIN_MANIFEST,
        messages=b'{"role":"user","text":"a"}\n{oops\n',
        decisions=[decision(1, [[0, 2]], request_hash="sha256:00")],
        fragments=[],
    )
    assert _of(open_package(folder), "decisions") == [
        "decisions.jsonl:1 the prompt cannot be verified | readable messages | line 2 of messages.jsonl is not readable"
    ]


def test_keys_and_ids_that_stand_twice(tmp_path):
    """The same key or id twice is reported at the second one, naming the first; attempts of one index are no doubles."""
    rows = [decision(1), decision(1, attempt=2), decision(2), decision(1)]
    investigation = _package(tmp_path, rows, [fragment("a"), fragment("b"), fragment("a")])
    assert _of(investigation, "decisions") == [
        (
            "decisions.jsonl:4 a decision's index and attempt stand twice: where a fragment stands is told for the first one only "
            "| each pair once | 1, 1, first in line 1"
        )
    ]
    assert _of(investigation, "fragments") == [
        "fragments.jsonl:3 a fragment's id stands twice | each id once | 'a', first in line 1"
    ]
    assert len(investigation.fragments) == 3


def test_keys_that_an_object_holds_twice(tmp_path):
    """A key that stands twice in one object is reported in every file; the last value stands."""
    messages = b'{"role":"user","text":"a","text":"b"}\n'
    decisions = json.dumps(decision(1, memory={"q": 1})).replace('"q": 1', '"q": 1, "q": 2').encode() + b"\n"
    fragments = json.dumps(fragment("f")).replace('"id": "f"', '"id": "e", "id": "f"').encode() + b"\n"
    manifest = json.dumps(PLAIN_MANIFEST).replace('"title": "t"', '"title": "s", "title": "t"').encode()
    folder = lay(tmp_path / "p", manifest=manifest, messages=messages, decisions=decisions, fragments=fragments)
    investigation = open_package(folder)
    assert investigation.messages[0].text == "b"
    assert investigation.fragments[0].id == "f"
    assert investigation.title == "t"
    twice = "an object holds the same key twice: the last one stands | each key once"
    text = said(investigation)
    assert f"messages.jsonl:1 {twice} | 'text'" in text
    assert f"decisions.jsonl:1 {twice} | 'q'" in text
    assert f"fragments.jsonl:1 {twice} | 'id'" in text
    assert f"manifest.json:None {twice} | 'title'" in text


def test_references_that_lead_nowhere(tmp_path):
    """Fragments, decisions and messages that are referred to and are not there are reported where they are named."""
    memory = {
        "ledger": [
            {"identity": "i", "status": "completed", "decision": 1, "fragment": "f1"},
            {"identity": "j", "status": "completed", "decision": 9, "fragment": "gone"},
        ],
        "blocks": [{"fragment": "lost", "sent_bytes": 1, "truncated": False}],
        "evicted": ["f1", "away"],
    }
    events = [{"kind": "cleared", "fragments": ["f1", "nope"]}, {"kind": "compaction", "message": 1}]
    rows = [decision(1), decision(2, memory=memory, events=events)]
    investigation = _package(tmp_path, rows, [fragment("f1", requested_by=2), fragment("f2", requested_by=7)])
    assert _of(investigation, "decisions") == [
        "decisions.jsonl:2 `events[0].fragments` leads to a fragment that is not there | the id of a fragment | 'nope'",
        "decisions.jsonl:2 `events[1].message` leads to a message that is not in this prompt | below 1 | 1",
        "decisions.jsonl:2 `memory.ledger[1].fragment` leads to a fragment that is not there | the id of a fragment | 'gone'",
        "decisions.jsonl:2 `memory.blocks[0].fragment` leads to a fragment that is not there | the id of a fragment | 'lost'",
        "decisions.jsonl:2 `memory.evicted` leads to a fragment that is not there | the id of a fragment | 'away'",
        "decisions.jsonl:2 `memory.ledger[1].decision` leads to a decision that is not there | the index of a decision | 9",
    ]
    assert _of(investigation, "fragments") == [
        "fragments.jsonl:2 `requested_by` leads to a decision that is not there | the index of a decision | 7"
    ]


def test_places_that_the_memory_claims(tmp_path):
    """A claimed place must lie in its message, counted in UTF-8 bytes with a lone surrogate as 3; its end is allowed."""

    def block(message, start, end):
        return {"fragment": "f1", "sent_bytes": 1, "truncated": False, "message": message, "start": start, "end": end}

    blocks = [block(1, 0, 32), block(1, 0, 33), block(0, 5, 4), block(2, 0, 1), block(0, 38, 38)]
    ledger = [{"identity": "i", "status": "completed", "message": 0, "start": 0, "end": 39}]
    row = decision(1, [[0, 2]], memory={"blocks": blocks, "ledger": ledger})
    investigation = _package(tmp_path, [row], [fragment("f1")])
    assert investigation.messages[1].byte_length == 32
    assert _of(investigation, "decisions") == [
        "decisions.jsonl:1 `memory.ledger[0]` claims a place that is not in its message | bytes within 0 to 38 | 0 to 39",
        "decisions.jsonl:1 `memory.blocks[1]` claims a place that is not in its message | bytes within 0 to 32 | 0 to 33",
        "decisions.jsonl:1 `memory.blocks[2]` claims a place that is not in its message | bytes within 0 to 38 | 5 to 4",
        "decisions.jsonl:1 `memory.blocks[3].message` leads to a message that is not in this prompt | below 2 | 2",
    ]


def test_states_of_the_ledger(tmp_path):
    """Unknown states of ledger entries and their bodies are reported and kept."""
    ledger = [{"identity": "i", "status": "done", "body": "half"}]
    investigation = _package(tmp_path, [decision(1, memory={"ledger": ledger})])
    assert [line.split(" | ")[0] for line in _of(investigation, "decisions")] == [
        "decisions.jsonl:1 `memory.ledger[0].status` is not known",
        "decisions.jsonl:1 `memory.ledger[0].body` is not known",
    ]
    assert investigation.decisions[0].memory.ledger[0].status == "done"


def test_a_message_twice_in_a_prompt_is_no_problem(tmp_path):
    """Slices may overlap: a prompt can hold the same message twice, and it is stored once."""
    investigation = _package(tmp_path, [decision(1, [[0, 2], [0, 2], [1, 1]])])
    assert _of(investigation, "decisions") == []
    assert investigation.decisions[0].message_ids == (0, 1, 0, 1, 1)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("title", 5, "`title` is not text"),
        ("prompts", "guessed", "`prompts` is not one of recorded, rebuilt, unknown"),
        ("replies", None, "`replies` is missing"),
        ("limits", {"calls": -1}, "`limits.calls` is not a whole number from 0 to 9007199254740991"),
        ("limits", [], "`limits` is not an object"),
        ("producer", "x", "`producer` is not an object"),
        ("created", 5, "`created` is not text"),
        ("files", [], "`files` is not an object"),
        ("files", {"messages.jsonl": 5}, "`files.messages.jsonl` is not an object"),
        ("files", {"messages.jsonl": {}}, "`files.messages.jsonl.sha256` is missing"),
        (
            "files",
            {"messages.jsonl": {"sha256": "00", "bytes": "1"}},
            "`files.messages.jsonl.bytes` is not a whole number",
        ),
        ("files", {"notes.txt": {"sha256": "00"}}, "the file is missing"),
    ],
)
def test_manifest_fields(tmp_path, field, value, says):
    """A wrong field of the manifest is a problem of that field; the package opens and what was found is kept."""
    investigation = _package(tmp_path, [decision(1)], manifest=PLAIN_MANIFEST | {field: value})
    assert says in [problem.what for problem in errors(investigation)]
    assert len(investigation.decisions) == 1
    if field in ("title", "producer", "created") or value == "guessed":
        assert investigation.extra[field] == value


def test_unknown_manifest_fields_are_kept(tmp_path):
    """Unknown fields of the manifest are kept and no problem."""
    investigation = _package(tmp_path, [], manifest=PLAIN_MANIFEST | {"team": {"name": "x"}})
    assert investigation.extra == {"team": {"name": "x"}}
    assert [problem for problem in investigation.problems if problem.file == "manifest.json"] == []


def test_progress(tmp_path):
    """Progress is told from time to time and at the end; an exception from it ends the check."""
    investigation = _package(tmp_path, [decision(number) for number in range(1, 11)])
    told = []
    check(investigation, lambda done, total: told.append((done, total)))
    assert told[-1] == (12, 12)
    assert all(total == 12 for _, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)

    class EnoughError(Exception):
        pass

    def stop(done, _):
        if done == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        check(investigation, stop)


def test_many_problems_are_counted(tmp_path, monkeypatch):
    """Of very many problems a bounded number is listed, and the rest is told as a number."""
    monkeypatch.setattr("core.package.verify.MAX_PROBLEMS", 10)
    folder = lay(tmp_path / "p", manifest=PLAIN_MANIFEST, messages=b"oops\n" * 50, decisions=[], fragments=[])
    investigation = open_package(folder)
    assert len(investigation.problems) == 11
    assert investigation.problems[-1].what == "there are 43 more problems that are not listed"


def test_what_no_package_opened_is_left_alone():
    """An investigation of another reader is returned as it is."""
    investigation = Investigation("t", (), (), ())
    assert check(investigation) is investigation


VIEW = '{"evidence":[],"n":1}'
WRONG_VIEWS = [
    (["{"], "the user message is not the working view of this format: not JSON", "one JSON value"),
    (["[]"], "the user message is not the working view of this format: not an object", "an object"),
    (
        ['{"a":1,"a":1}'],
        "the user message is not the working view of this format: an object holds the same key twice",
        "each",
    ),
    (
        ['{"n":1,"evidence":[]}'],
        "not the canonical text of its working view, byte for byte",
        "21 bytes, others from byte 2",
    ),
    (
        ['{"evidence":[],"n":1}\n'],
        "not the canonical text of its working view, byte for byte",
        "22 bytes, others from byte 21",
    ),
    (["x", "y"], "the user message is not the working view of this format: not JSON", "character 0"),
    (['{"evidence": []}', "Answer again."], "not the canonical text", "16 bytes, others from byte 12"),
    ([], "no message holds the working view of this format", "found none"),
]


@pytest.mark.parametrize("version", ["v4", "v5", "v6"])
@pytest.mark.parametrize(("users", "what", "detail"), WRONG_VIEWS, ids=[str(n) for n in range(len(WRONG_VIEWS))])
def test_a_stored_view_that_is_none(tmp_path, version, users, what, detail):
    """The user message of a working view's format must be its canonical text, byte for byte."""
    rows = [SYSTEM, *({"role": "user", "text": text} for text in users)]
    views = [decision(1, [[0, len(rows)]], format=f"investigation_project_{version}")]
    found = errors(_package(tmp_path, views, messages=rows))
    (problem,) = [problem for problem in found if problem.line is not None]
    assert (problem.file, problem.line) == ("decisions.jsonl", 1)
    assert what in problem.what
    assert detail in f"expected {problem.expected}, found {problem.found}"


def test_stored_views_that_are_right(tmp_path):
    """A canonical view is no problem, also with a note behind it; other formats need no view; a lost message is told once."""
    rows = [SYSTEM, {"role": "user", "text": VIEW}, {"role": "user", "text": "Answer again."}, {"role": "user"}]
    views = [
        decision(1, [[0, 2]], format="investigation_project_v4"),
        decision(2, [[0, 3]], format="investigation_project_v6"),
        decision(3, [[2, 1]], format="bounded_repair_v1"),
        decision(4, [[0, 1], [3, 1]], format="investigation_project_v5"),
    ]
    found = errors(_package(tmp_path, views, messages=rows))
    assert [(problem.file, problem.line, problem.what) for problem in found if problem.line is not None] == [
        ("messages.jsonl", 4, "`text` is missing")
    ]
