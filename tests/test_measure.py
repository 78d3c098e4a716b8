"""Measuring stored contexts: sizes, exactness, components that sum, prefixes, and contexts that cannot be measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.canonical import canonical_text, loads
from core.codec import CODECS, V4, V5, V6, encode, freeze
from core.errors import ViewError
from core.measure import DEFAULT_VERSIONS, combined, measure, measure_view
from core.measure.components import COMPONENTS
from core.measure.stored import common_prefix, told_version
from core.measure.tokens import token_counter
from core.model import Decision, Investigation, Message, Problem, TextPart

GOLDEN = Path(__file__).parent / "fixtures" / "codec"
VIEW = loads((GOLDEN / "v4.json").read_bytes())
SIZES = {V4: 2274, V5: 2193, V6: 2106}
INSTRUCTIONS = {V4: 6146, V5: 7794, V6: 5631}


def investigation(*decisions):
    """Decisions given as (format, messages, fields); a message is (role, text)."""
    store, made = [], []
    for index, (version, messages, fields) in enumerate(decisions, start=1):
        slices = ((len(store), len(messages)),)
        store += [Message(role, (TextPart(text),), raw={"role": role, "text": text}) for role, text in messages]
        made.append(Decision(index, format=version, slices=slices, **fields))
    return Investigation("measured", [replace(one, store=store) for one in made], store, [], source="run")


def context(version, view=VIEW, **fields):
    messages = [(message["role"], message["text"]) for message in freeze(view, version).messages]
    return version, messages, fields


@pytest.mark.parametrize("stored", CODECS)
def test_every_version_from_every_stored_one(stored):
    """Whatever encoding is stored, each version has the golden bytes' size, its own instructions, and is exact."""
    (row,) = measure(investigation(context(stored)), CODECS).contexts
    assert list(row.versions) == [V4, V5, V6]
    for version, figures in row.versions.items():
        assert figures.user.bytes == SIZES[version]
        assert figures.user.chars == SIZES[version] - 1, "one é"
        assert figures.all.bytes == SIZES[version] + INSTRUCTIONS[version]
        assert figures.exact
        assert not figures.fell_back
        assert figures.stored == (version == stored)
        assert figures.instructions == ("stored" if version == stored else "replaced")
    assert row.stored.bytes == SIZES[stored] + INSTRUCTIONS[stored]


def test_components_sum_to_all_messages():
    """Every byte is in one component; the figures of the golden view are those counted by hand from its bytes."""
    (row,) = measure(investigation(context(V5)), CODECS).contexts
    for version, figures in row.versions.items():
        assert list(figures.components) == list(COMPONENTS)
        assert sum(figures.components.values()) == figures.all.bytes
        assert figures.components["instructions"] == INSTRUCTIONS[version]
        assert figures.components["task"] == len('"task":{"goal":"why"}')
        assert figures.components["view_fields"] == len('"budget":{"calls":12}')
    six = row.versions[V6].components
    assert six["results"] == 3 * len('"result_ref":"R1"')
    assert six["provenance"] == len('"origin_ref":"M2"')
    assert row.versions[V5].components["shared_tables"] == len(
        '"shared_metadata":{"M1":{"content_hash":"sha256:77","path":"src/player.js"},'
        '"M2":{"repository":"acme/player","revision":"9f1c"}}"shared_paths":{"P1":"src/player.js"}'
    )


def test_a_foreign_system_text_is_kept():
    """Instructions that this project did not write are kept in every encoding: nothing is saved by replacing them."""
    text = encode(VIEW, V5).text
    rows = measure(
        investigation(
            (V5, [("system", "Investigate."), ("user", text)], {}),
            (V5, [("user", text)], {}),
            (V5, [("system", "Before. " + CODECS[V5].instructions + "After."), ("user", text)], {}),
        )
    ).contexts
    kept, without, around = (row.versions for row in rows)
    assert kept[V6].all.bytes - kept[V6].user.bytes == len("Investigate.")
    assert kept[V6].instructions == without[V6].instructions == "kept"
    assert without[V6].all == without[V6].user
    assert around[V6].instructions == "replaced"
    assert around[V6].all.bytes - around[V6].user.bytes == INSTRUCTIONS[V6] + len("Before. After.")


def test_contexts_that_cannot_be_measured_are_rows_with_a_reason():
    """Another format, no view, a damaged record, a reference that leads nowhere: each is there and says why."""
    broken = canonical_text({"evidence": [{"metadata_ref": "M1"}]})
    measured = measure(
        investigation(
            ("bounded_repair_v1", [("user", "Task: ...")], {"status": "rejected"}),
            ("messages", [("user", encode(VIEW, V5).text)], {}),
            (V5, [("user", "Task: ...")], {}),
            (V5, [("user", '{"task":1}')], {}),
            (V5, [("system", "x")], {}),
            (V5, [("user", broken)], {"status": "unused"}),
            (V5, [], {"problem": Problem("decisions.jsonl", 7, "not JSON")}),
            context(V5, status="unused"),
        )
    )
    reasons = [row.reason for row in measured.contexts]
    assert reasons[0] == "a context of format 'bounded_repair_v1' holds no working view"
    assert reasons[1] == "a context of format 'messages' holds no working view"
    assert reasons[2].startswith("not JSON")
    assert reasons[3] == "the user message is no working view (expected an object with a list `evidence`)"
    assert reasons[4] == "no single user message is the view (expected one, found 0)"
    assert reasons[5].startswith("evidence[0]: unknown metadata_ref")
    assert reasons[6] == "the record cannot be read: not JSON"
    assert reasons[7] is None
    assert all((row.reason is None) == bool(row.versions) for row in measured.contexts)
    assert measured.statuses() == {"rejected": 1, "accepted": 5, "unused": 2}
    assert [total.contexts for total in measured.totals("unused").values()] == [1, 1]
    assert measured.totals()[V5].user.bytes == SIZES[V5]
    assert measured.as_json()["totals"]["not_measured"] == 7


def test_the_view_among_several_user_messages():
    """Of several user messages the one that is a view is measured; two views are none."""
    text = encode(VIEW, V5).text
    rows = measure(
        investigation(
            (V5, [("system", "s"), ("user", text), ("user", "And hurry.")], {}),
            (V5, [("user", text), ("user", text)], {}),
        )
    ).contexts
    assert rows[0].versions[V5].user.bytes == SIZES[V5]
    assert rows[0].versions[V5].components["instructions"] == len("sAnd hurry.")
    assert rows[1].reason == "no single user message is the view (expected one, found 2)"


def test_a_text_that_is_not_canonical_is_not_exact():
    """A stored text with a space too many is measured as stored, and said not to be the text of its view."""
    text = encode(VIEW, V5).text.replace('{"budget"', '{ "budget"', 1)
    (row,) = measure(investigation((V5, [("user", text)], {}))).contexts
    assert row.versions[V5].user.bytes == SIZES[V5] + 1
    assert not row.versions[V5].exact
    assert row.versions[V5].reason == "the stored text is not the canonical text of its view"
    assert row.versions[V6].exact


def test_a_codec_that_loses_something_is_not_exact(monkeypatch):
    """If restoring gave one record too few, or `1` for `1.0`, the context would be said not to be exact."""
    row = {"id": "E1", "result": 1.0}
    for lost in ({"evidence": []}, {"evidence": [{**row, "result": 1}]}):
        broken = replace(CODECS[V6], restore=lambda _view, lost=lost: lost)
        monkeypatch.setitem(CODECS, V6, broken)
        (context_row,) = measure(investigation(context(V5, {"evidence": [row]}))).contexts
        assert not context_row.versions[V6].exact
        assert context_row.versions[V5].exact


def test_fallbacks_are_reported_with_their_reason():
    """A view with nothing to share falls back to v5, one with a reserved name is wrapped; also where that is what is stored."""
    plain = {"evidence": [{"id": "E1", "result": {"rows": [1]}}]}
    odd = {"evidence": [{"id": "E1"}], "verbatim": 1}
    for stored in (V5, V6):
        rows = measure(investigation(context(stored, plain), context(stored, odd)), CODECS).contexts
        assert [row.versions[V6].fell_back for row in rows] == [True, True]
        assert [row.versions[V5].fell_back for row in rows] == [False, True]
        assert [row.versions[V4].fell_back for row in rows] == [False, False]
        assert all(figures.exact for row in rows for figures in row.versions.values())
    assert [
        row.versions[V6].reason for row in measure(investigation(context(V5, plain), context(V5, odd))).contexts
    ] == [
        "v5 text kept: nothing to share",
        "wrapped whole: the view already uses the reserved name 'verbatim' at its top",
    ]


def test_shared_prefixes_per_version():
    """The prefix with the context before is counted per version, in user text and in all messages; the first has none."""
    longer = {**VIEW, "task": {"goal": "why not"}}
    first, second = measure(investigation(context(V4), context(V4, longer)), [V4]).contexts
    assert (first.versions[V4].user_prefix, first.versions[V4].all_prefix) == (None, None)
    assert second.versions[V4].user_prefix == SIZES[V4] - len('"}}')
    assert second.versions[V4].all_prefix == INSTRUCTIONS[V4] + SIZES[V4] - len('"}}')


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("", "", 0),
        ("a", "", 0),
        ("abc", "abd", 2),
        ("é", "è", 1),
        ("ab", "ab", 2),
        ("x" * 1000 + "a", "x" * 1000 + "b", 1000),
    ],
)
def test_common_prefix_in_bytes(one, other, shared):
    """The figure is in UTF-8 bytes, also where a character is only half shared."""
    assert common_prefix(one, other) == common_prefix(other, one) == shared


def test_versions_asked_for():
    """v5 and v6 by default, in registry order and once each; an unknown one lists the known."""
    assert DEFAULT_VERSIONS == (V5, V6)
    assert measure(investigation(), [V6, V4, V6]).versions == (V4, V6)
    with pytest.raises(ViewError, match=r"unknown encoding \(expected one of .*v4, .*v5, .*v6, found v7\)"):
        measure(investigation(), ["v7"])


def test_a_bare_view():
    """A view without a package is measured under each version's instructions; its encoding is told by its tables."""
    for version in CODECS:
        view = encode(VIEW, version).view
        assert told_version(view) == version
        (row,) = measure_view(view, CODECS, name="view.json").contexts
        assert (row.package, row.format, row.status) == ("view.json", version, "view")
        assert {v: f.all.bytes for v, f in row.versions.items()} == {v: SIZES[v] + INSTRUCTIONS[v] for v in CODECS}
        assert not any(figures.stored for figures in row.versions.values())
    with pytest.raises(ViewError, match="this is no working view"):
        measure_view({"task": 1})


def test_several_packages_and_progress():
    """Measurements join without prefixes from one package to the next; progress is told after each context."""
    told = []
    run = investigation(context(V5), context(V5))
    one = measure(run, name="one", progress=lambda done, total: told.append((done, total)))
    whole = combined([one, measure(run, name="two")])
    assert told == [(1, 2), (2, 2)]
    assert [part.contexts[0].package for part in whole.by_package()] == ["one", "two"]
    assert [row.versions[V5].user_prefix for row in whole.contexts] == [None, SIZES[V5]] * 2
    assert whole.totals()[V6].user.bytes == 4 * SIZES[V6]


def test_tokens_are_unknown_without_the_extra(monkeypatch):
    """Without the tokenizer every token figure is None, and nothing else changes."""
    monkeypatch.setitem(__import__("sys").modules, "toktok", None)
    (row,) = measure(investigation(context(V5))).contexts
    assert token_counter() is None
    assert row.versions[V5].user.tokens is None
    assert row.versions[V5].component_tokens is None
    assert measure(investigation(context(V5))).totals()[V5].all.tokens is None
    assert row.versions[V6].all.bytes == SIZES[V6] + INSTRUCTIONS[V6]


def test_tokens_with_the_extra():
    """With the tokenizer: known counts of known texts, sums over messages, and components that do not add up."""
    pytest.importorskip("toktok")
    count = token_counter()
    assert count(["hello world", "", "\ud800"]) == [2, 0, 1]
    (row,) = measure(investigation(context(V5))).contexts
    figures = row.versions[V5]
    assert figures.user.tokens == count([encode(VIEW, V5).text])[0]
    assert figures.all.tokens == figures.user.tokens + count([CODECS[V5].instructions])[0]
    assert set(figures.component_tokens) == set(COMPONENTS) - {"structure"}
