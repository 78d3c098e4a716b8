"""The Formats page: every number is the script's, for every sample; recorded told from built; addresses; the two texts."""

import json
import re
import struct
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core.codec import V5, V6
from core.commands.measure import measure_command
from core.measure import as_rows
from core.spreadsheet import csv_text
from tests.app_driver import APP, SAMPLES, panels, payloads, shown, start, texts
from tests.app_packages import hostile, no_decisions

STORED = ("adjacent_reads", "few_sources", "overlapping_reads")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?: %)?")


def script(sample, *options):
    found = CliRunner().invoke(measure_command, [str(APP.parent / "sample_archives" / sample), *options])
    assert found.exit_code == 0
    return found.stdout


def rows_of(node):
    """Every row of every table in a tree, as the texts of its cells."""
    if isinstance(node, dict):
        if node.get("t") == "tr":
            yield ["".join(_texts(cell)) for cell in node.get("k", [])]
            return
        yield from (row for child in node.get("k", []) for row in rows_of(child))
    elif isinstance(node, list):
        yield from (row for child in node for row in rows_of(child))


def _texts(node):
    if isinstance(node, str):
        yield node
    else:
        yield from (text for child in node.get("k", []) for text in _texts(child))


def tables_of(app):
    """All rows that the page draws in tables, but not those of the page's own lists."""
    return [row for data in panels(app).values() for row in rows_of(data.get("nodes", []))]


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_number_is_the_scripts(monkeypatch, sample):
    """Each row of each table of the page stands in the script's own output, and each row of the script's on the page."""
    options = [] if sample in STORED else ["--built"]
    printed = [
        [cell.strip().replace("\\|", "|") for cell in line.strip("|").split("|")]
        for line in script(sample, *options).split("## Summary")[0].splitlines()
        if line.startswith("| ")
    ]
    app = start(monkeypatch, page="formats", package=sample)
    assert not app.exception
    drawn = [row for row in tables_of(app) if row[:3] != ["context", "in", "why"]]
    fallbacks = [row for row in drawn if len(row) == 3 and row[1] == "v6"]
    tables = [row for row in drawn if row not in fallbacks]
    assert [row for row in tables if row not in printed] == []
    assert [row for row in printed if row not in tables] == []
    assert len(printed) > 20
    facts = "\n".join(text for text in texts(panels(app)["formats-facts"])) if "formats-facts" in panels(app) else ""
    for number in NUMBER.findall(facts):
        assert number in script(sample, *options), number


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_json_is_the_scripts(monkeypatch, sample):
    """The JSON download is byte for byte what `--json` prints, for the chosen encodings; the CSV holds the same figures."""
    given = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, data, **_: given.__setitem__(label, data))
    built = sample not in STORED
    app = start(monkeypatch, page="formats", package=sample, formats="v4,v5,v6" if built else "v5,v6")
    assert not app.exception
    versions = ["v4", "v5", "v6"] if built else ["v5", "v6"]
    options = [word for name in versions for word in ("--target-version", f"investigation_project_{name}")]
    printed = script(sample, *options, *(["--built"] if built else []), "--json")
    assert given["Download JSON"] == printed
    lines = given["Download CSV"].splitlines()
    heads = lines[0].split(",")
    contexts = json.loads(printed)["contexts"]
    assert len(lines) == 1 + len(contexts)
    for line, context in zip(lines[1:], contexts, strict=True):
        cells = dict(zip(heads, line.split(","), strict=False))
        assert cells["index"] == str(context["index"])
        for name in versions[-2:]:
            figures = context["versions"][f"investigation_project_{name}"]
            assert cells[f"{name}_user_bytes"] == str(figures["user_bytes"])
            assert cells[f"{name}_all_bytes"] == str(figures["all_bytes"])
            assert cells[f"{name}_exact"] == ("true" if figures["exact"] else "false")


def test_built_is_said_and_recorded_is_the_default(monkeypatch):
    """A recording without stored views is measured in built ones, labelled so; as recorded each context says its reason."""
    said = shown(start(monkeypatch, page="formats", package="video_start_retained"))
    assert "Built, not recorded" in said
    assert "never what was sent" in said
    said = shown(start(monkeypatch, page="formats", package="video_start_retained", views="recorded"))
    assert "No context of this package holds a working view" in said
    assert "not measured: a context of format 'bounded_repair_v1' holds no working view" in said
    said = shown(start(monkeypatch, page="formats", package="few_sources"))
    assert "Built, not recorded" not in said
    assert "these are not billed-call totals" in said
    assert "Cost and reasoning quality are not measured." in said


def test_savings_of_v6_never_hold_those_of_v5(monkeypatch):
    """Beside v4 alone no saving of v6 is told, with the reason; with v5 between, each step has its own."""
    said = shown(start(monkeypatch, page="formats", package="overlapping_reads", formats="v4,v6"))
    assert "no saving is counted for v6" in said
    assert "saved by v6" not in said
    said = shown(start(monkeypatch, page="formats", package="overlapping_reads", formats="v4,v5,v6"))
    assert "v5 over v4" in said
    assert "v6 over v5" in said


def test_a_missing_tokenizer_is_said(monkeypatch):
    """Without the extra, tokens are unknown, the page says why, and an address that asks for them gets bytes."""
    monkeypatch.setattr("core.measure.measuring.token_counter", lambda: None)
    app = start(monkeypatch, page="formats", package="few_sources", formats="v4,v5", unit="tokens")
    said = shown(app)
    assert "the optional tokenizer is not installed" in said
    assert "Bytes are shown." in said
    assert "unknown" in said


def test_wrong_addresses_get_a_message_and_the_nearest_view(monkeypatch):
    """An unknown encoding, side or line is answered; the rest of the page is there."""
    for query, message in (
        ({"formats": "v6,v7"}, "There is no encoding v7 here yet; shown: v6."),
        ({"sides": "v5,v7"}, "There is no encoding v7 here yet."),
        ({"line": "99.1", "decision": "9"}, "This view has no line 1 of record 99."),
    ):
        app = start(monkeypatch, page="formats", package="overlapping_reads", **query)
        assert not app.exception
        assert message in shown(app)
        assert "The same view, twice" in shown(app)


def test_the_two_texts_are_the_encoded_views(monkeypatch):
    """Both payloads carry the canonical text exactly, whatever rows and headings are drawn; the line has its places."""
    app = start(monkeypatch, page="formats", package="overlapping_reads", decision="9", line="2.31")
    data = payloads(app)
    assert len(data) == 2
    heads = {}
    for each in data:
        start_of_head = 4 + struct.unpack_from("<I", each)[0]
        size = struct.unpack_from("<I", each, start_of_head)[0]
        head = json.loads(each[start_of_head + 4 : start_of_head + 4 + size])
        heads[head["name"][:2]] = head
        text = each[start_of_head + 4 + size :].decode()
        assert head["bytes"] == len(text.encode())
        marked = [
            text.encode("utf-16-le")[2 * s : 2 * e].decode("utf-16-le")
            for s, e, _, name in head["spans"]
            if name == "1.79"
        ]
        assert set(marked) == {'{"line":79,"text":"    names = _names(infos)","truncated":false}'}
        assert len(marked) == {"v5": 2, "v6": 1}[head["name"][:2]]
    assert heads["v5"]["bytes"] == 161_812
    assert heads["v6"]["bytes"] == 91_242
    said = shown(app)
    assert "v5: 2 places, 128 B" in said
    assert "v6: 1 place, 64 B" in said


@pytest.mark.parametrize("make", [hostile, no_decisions])
def test_odd_packages(monkeypatch, tmp_path, make):
    """Hostile text and an empty package: no page raises, and no text reaches markdown or a label."""
    app = start(monkeypatch, make(tmp_path / "package"), page="formats", decision="2")
    assert not app.exception
    for element in (*app.markdown, *app.caption, *app.text, *app.error, *app.warning):
        assert "alert(" not in element.value
    for widget in (*app.button, *app.selectbox):
        assert "alert(" not in widget.label


def test_the_csv_is_no_formula():
    """A text that a spreadsheet would run gets an apostrophe; truths are words, None is empty."""
    text = csv_text(("a", "b", "c"), [("=1+1", None, True), ("x\ny", 3, False)])
    assert text == "a,b,c\r\n'=1+1,,true\r\nx\\u000ay,3,false\r\n"


def test_rows_of_what_was_not_measured():
    """A context that cannot be measured is a row with its reason and empty figures, as wide as the heads."""
    empty = SimpleNamespace(
        package="p",
        index=1,
        attempt=2,
        status="s",
        format="f",
        built=False,
        stored=None,
        hash_matches=None,
        reason="why",
        versions={},
    )
    found = SimpleNamespace(contexts=[empty], versions=(V5, V6))
    (row,) = as_rows.rows(found)
    assert row[:9] == ("p", 1, 2, "s", "f", False, None, None, "why")
    assert set(row[9:]) == {None}
    assert len(row) == len(as_rows.heads(found))
