"""What the tests of the package share: one tiny recording, and ways to lay files down and look at problems."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from core.package import PackageWriter

SYSTEM = {"role": "system", "text": "Find out why the video does not start."}
SOURCE = {"role": "user", "text": "src/player.js\r\n\0<b>café</b> \ud800"}
SUMMARY = {"role": "assistant", "text": "I looked for play(", "stands_for": "summary"}
LOOKUP = {"kind": "search", "queries": ["play("], "search": "play(", "referenceUrl": None, "summary": "where it starts"}

MESSAGES = (
    b'{"role":"system","text":"Find out why the video does not start."}\n'
    b'{"role":"user","text":"src/player.js\\r\\n\\u0000<b>caf\xc3\xa9</b> \\ud800"}\n'
    b'{"role":"assistant","stands_for":"summary","text":"I looked for play("}\n'
)
DECISIONS = (
    b'{"attempt":1,"format":"messages","index":1,"messages":[[0,2]],'
    b'"reply":{"lookups":[{"kind":"search","queries":["play("],"referenceUrl":null,"search":"play(","summary":"where it starts"}],'
    b'"text":"look"},"request_hash":"sha256:7d43c1ec65234c05acee7ebb187d93229b61426bc21984ec19dc7de821932690",'
    b'"sent":true,"status":"accepted"}\n'
    b'{"attempt":2,"events":[{"kind":"compaction","message":2}],"format":"bounded_repair_v1","index":2,'
    b'"memory":{"base_bytes":38,"blocks":[{"end":13,"fragment":"f1","message":1,"sent_bytes":13,"start":0,"truncated":false}],'
    b'"ledger":[{"body":"whole","decision":1,"fragment":"f1","identity":"[\\"search\\"]","status":"completed"}]},'
    b'"messages":[[0,3],[1,1]],"outcome":{"by":"repetition_gate","kind":"stopped"},'
    b'"request_hash":"sha256:0b1e2ff92f8ddeec6680ac815d35286fbe87c8271cdbe93ecdfa3447de8d6f57",'
    b'"sent":null,"status":"uncertain","usage":{"input_tokens":12}}\n'
)
FRAGMENTS = (
    b'{"body":"src/player.js: play()","id":"f1",'
    b'"lookup":{"kind":"search","queries":["play("],"referenceUrl":null,"search":"play(","summary":"where it starts"},'
    b'"requested_by":1,"sources":[{"end":3,"hash":"sha256:aa","path":"src/player.js","start":1}],"status":"completed"}\n'
)
MANIFEST = (
    b'{"created":"2026-11-30T12:00:00Z","files":{'
    b'"decisions.jsonl":{"bytes":873,"records":2,"sha256":"@decisions"},'
    b'"fragments.jsonl":{"bytes":267,"records":1,"sha256":"@fragments"},'
    b'"messages.jsonl":{"bytes":206,"records":3,"sha256":"@messages"}},'
    b'"format":"investigation_package","limits":{"prompt_bytes":42000},"producer":{"name":"tests"},'
    b'"prompts":"recorded","replies":"scripted","title":"Video start","version":1}\n'
)
HEADER = {
    "title": "Video start",
    "replies": "scripted",
    "limits": {"prompt_bytes": 42000},
    "producer": {"name": "tests"},
    "created": "2026-11-30T12:00:00Z",
}


def record(path, *, zip=False, sync=False, said=lambda _: None):  # noqa: A002  # as in PackageWriter
    """Record the tiny run; `said` hears of each record after the call that stored it returned."""
    with PackageWriter(path, zip=zip, sync=sync, **HEADER) as package:
        package.append_decision([SYSTEM, SOURCE], reply={"text": "look", "lookups": [LOOKUP]})
        said(("decision", 0))
        package.append_fragment(
            "f1",
            LOOKUP,
            "src/player.js: play()",
            requested_by=1,
            sources=[{"path": "src/player.js", "hash": "sha256:aa", "start": 1, "end": 3}],
        )
        said(("fragment", 0))
        block = {"fragment": "f1", "sent_bytes": 13, "truncated": False, "message": 1, "start": 0, "end": 13}
        entry = {"identity": '["search"]', "status": "completed", "decision": 1, "fragment": "f1", "body": "whole"}
        package.append_decision(
            [SYSTEM, SOURCE, SUMMARY, SOURCE],
            index=2,
            attempt=2,
            status="uncertain",
            sent=None,
            format="bounded_repair_v1",
            memory={"base_bytes": 38, "ledger": [entry], "blocks": [block]},
            events=[{"kind": "compaction", "message": 2}],
            outcome={"kind": "stopped", "by": "repetition_gate"},
            usage={"input_tokens": 12},
        )
        said(("decision", 1))
    said(("closed", 0))
    return Path(path)


def lay(folder, **files):
    """A folder with files, named without their ending; values are bytes or JSON rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if name == "manifest":
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (folder / "manifest.json").write_bytes(data)
        else:
            data = (
                content if isinstance(content, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in content)
            )
            (folder / f"{name}.jsonl").write_bytes(data)
    return folder


PLAIN_MANIFEST = {
    "format": "investigation_package",
    "version": 1,
    "title": "t",
    "prompts": "recorded",
    "replies": "model",
    "files": {},
}


def decision(index=1, messages=((0, 1),), **fields):
    """A decision's object without a hash."""
    row = {"index": index, "attempt": 1, "status": "accepted", "sent": True, "format": "messages"}
    return row | {"messages": [list(run) for run in messages]} | fields


def fragment(name="f1", **fields):
    """A fragment's object."""
    return {"id": name, "lookup": {"kind": "search"}, "status": "completed", "body": "found"} | fields


def zip_of(path, members, *, method=zipfile.ZIP_STORED):
    """A zip of (name or ZipInfo, bytes) pairs, in this order, duplicates and all."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def said(investigation):
    """Every problem as one line: `file:line what | expected | found`."""
    return [f"{p.file}:{p.line} {p.what} | {p.expected} | {p.found}" for p in investigation.problems]


def errors(investigation):
    """Problems of severity `error`."""
    return [problem for problem in investigation.problems if problem.severity == "error"]
