"""The Conflicts page: kinds told apart, observers, no winner, addresses, empty states, hostile text."""

import pytest

from core.package import PackageWriter
from pages.parts.records import marked
from tests.app_driver import SAMPLES, panels, shown, start
from tests.app_packages import HOSTILE, hostile, no_decisions


def nodes_of(node, tag, cls=""):
    """Every element of a tree with this tag and class."""
    if isinstance(node, dict):
        if node.get("t") == tag and cls in node.get("c", ""):
            yield node
        for child in node.get("k", []):
            yield from nodes_of(child, tag, cls)
    elif isinstance(node, list):
        for child in node:
            yield from nodes_of(child, tag, cls)


def words(node):
    return node if isinstance(node, str) else "".join(map(words, node.get("k", [])))


def records(app):
    found = [data["nodes"] for data in panels(app).values() if list(nodes_of(data.get("nodes", []), "section"))]
    return found[0] if found else []


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_draws(monkeypatch, sample):
    """Only overlapping_reads has conflicts; the others say what one would be, and how many contexts were looked at."""
    app = start(monkeypatch, page="conflicts", package=sample)
    assert not app.exception
    said = shown(app)
    if sample == "overlapping_reads":
        assert "1 file with conflicts" in said
    else:
        assert "No conflict" in said
        assert "looked at" in said
        built = sample in ("tight_budget", "video_start_overwritten", "video_start_retained")
        assert ("in a view built from the results of its prompt" in said) == built


def test_line_167_and_169_are_told_apart(monkeypatch):
    """167 differs in text, with what differs marked; 169 in the truncation flag alone. Both records, nobody wins."""
    app = start(monkeypatch, page="conflicts", package="overlapping_reads", decision="9")
    text, flag = nodes_of(records(app), "section")
    assert words(text).startswith("Line 167≠ the texts differ")
    assert words(flag).startswith("Line 169✂ only the truncation flag differs")
    (mark,) = nodes_of(text, "mark", "differs")
    assert words(mark) == "RATIO_FLOOR_BYTES and unpacked > "
    assert len(list(nodes_of(text, "i", "gap"))) == 1
    assert list(nodes_of(flag, "mark")) == []
    assert [words(each) for each in nodes_of(text, "pre")] == [
        "    if unpacked > RATIO_FLOOR_BYTES and unpacked > MAX_EXPANSION_RATIO * packed:",
        "    if unpacked > MAX_EXPANSION_RATIO * packed:",
    ]
    assert [words(each) for each in nodes_of(flag, "dd")] == ["false ≠ differs", "true ≠ differs"]
    assert [words(each) for each in nodes_of(text, "dd")] == ["false ", "false "]
    observers = [
        [words(each)[:3] for each in nodes_of(card, "div", "observer")] for card in nodes_of(text, "div", "card")
    ]
    assert observers == [["E2r", "E3r", "E4r"], ["E5r", "E9r"]]
    said = shown(app)
    assert "lines 167 and 169 differ (conflicting_lines)." in said
    assert "the same from v4, v5, v6" in said
    assert "The content_hash claims that all 6 captures saw identical content. They did not" in said
    assert "cb4d5b65ff1e9fb8abce6c3c5b2a868859f27a1a" in said
    assert '"replica":"index-b"' in said
    for word in ("winner", "correct", "newer", "prefer"):
        assert word not in said.lower()


def test_a_decision_without_the_conflict_shows_the_nearest(monkeypatch):
    """Decision 1 holds no conflict: decision 4 is shown, and it is said; the address keeps decision 1."""
    said = shown(start(monkeypatch, page="conflicts", package="overlapping_reads", decision="1"))
    assert "The view of decision 1 does not hold this; decision 4 is shown." in said


def test_addresses(monkeypatch):
    """One line alone; a wrong line or file gets a message and the nearest."""
    app = start(monkeypatch, page="conflicts", package="overlapping_reads", conflict="1.169")
    assert [words(each)[:8] for each in nodes_of(records(app), "section")] == ["Line 169"]
    app = start(monkeypatch, page="conflicts", package="overlapping_reads", conflict="1.160")
    assert "Line 160 of this file is in no conflict; 167 is the nearest that is." in shown(app)
    assert app.query_params["conflict"] in ("1.167", ["1.167"])
    app = start(monkeypatch, page="conflicts", package="overlapping_reads", conflict="9.167")
    assert "There is no file 9 with conflicts here; 1 is the last of 1." in shown(app)


def test_conflicts_in_a_view_that_was_built(monkeypatch, tmp_path):
    """Two reads of one file that disagree without a recorded edit: found in a built view, which says so; hostile text inert."""
    path = tmp_path / "built"
    with PackageWriter(path, title="Built", replies="scripted", created="2026-11-30T12:00:00Z", sync=False) as package:
        source = {"path": "a.js", "hash": "sha256:" + "1" * 64, "start": 1, "end": 2}
        messages = [{"role": "system", "text": "Read."}]
        for number, second in enumerate((HOSTILE, "two"), 1):
            lookup = {"kind": "read", "arguments": {"path": "a.js", "start": 1, "end": 2 + number}}
            package.append_decision(messages, reply={"text": "go", "lookups": [lookup]}, outcome={"kind": "continued"})
            body = f"a first line of this file\n{second.replace(chr(13), '')}\n"
            package.append_fragment(
                f"f{number}", lookup=lookup, body=body, requested_by=number, sources=[source], call_id=f"c{number}"
            )
            messages = [
                *messages,
                {"role": "tool", "parts": [{"type": "tool_result", "id": f"c{number}", "text": body}]},
            ]
        package.append_decision(messages, reply={"text": "done"}, outcome={"kind": "continued"})
    app = start(monkeypatch, path, page="conflicts", decision="3")
    assert not app.exception
    said = shown(app)
    assert "built, not recorded" in said
    (section,) = nodes_of(records(app), "section")
    assert words(section).startswith("Line 2≠ the texts differ")
    assert "<script>alert(1)</script>" in words(section)
    for element in (*app.markdown, *app.caption, *app.text):
        assert "alert(" not in element.value


@pytest.mark.parametrize("make", [hostile, no_decisions])
def test_odd_packages(monkeypatch, tmp_path, make):
    """Hostile text and an empty package: no page raises."""
    app = start(monkeypatch, make(tmp_path / "package"), page="conflicts", decision="2")
    assert not app.exception


def test_marked_texts():
    """Marks and carets stand where they belong; a long text is cut with a count; an empty one says so."""
    assert [words(node) for node in marked("abc", [(1, 2)])] == ["a", "b", "c"]
    assert marked("ab", [(1, 1)])[1]["c"] == "gap"
    assert words(marked("", None)[0]) == "(an empty text)"
    assert words(marked("x" * 4_100, [])[-1]) == " … 100 more characters are not drawn"
