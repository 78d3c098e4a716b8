"""How a fragment stands in a transmitted prompt: forms, boundaries, markers, lines, and who is believed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from stories import BODY, OTHER, Story, bounded, lines, message, read, search, source, story

from core.canonical import canonical_text, sha256
from core.codec import V4, V5, V6, encode
from core.delivery import Placement, deliver
from core.model import Decision, Event, Fragment, Investigation, Memory, ToolResultPart
from core.package import open_package

SAMPLES = Path(__file__).parents[1] / "sample_archives"
GUTTERS = {
    "arrow": lambda n, line: f"{n:>6}→{line}",
    "tab (cat -n)": lambda n, line: f"{n:>6}\t{line}",
    "colon": lambda n, line: f"{n}:{line}",
    "colon and space": lambda n, line: f"{n}: {line}",
    "bar": lambda n, line: f" {n:>3} | {line}",
    "full stop": lambda n, line: f"{n}. {line}",
}


def placed(carried, body=BODY, **other) -> Placement:
    """The placement of one result that the next prompt carries in the given form."""
    run = story().decide(search("play")).result(search("play"), body, carried=carried, **other).decide().tell()
    return deliver(run).at("f1", (2, 1))


def carried_bytes(run, placement):
    text = run.decisions[placement.key[0] - 1].messages[placement.message].text
    return text.encode("utf-8", "surrogatepass")[placement.start : placement.end].decode("utf-8", "surrogatepass")


def test_a_body_that_stands_as_it_is_is_whole_with_its_byte_range():
    """Raw: the tool result in message 3 holds the body behind 8 bytes of `héllo: `."""
    found = placed(f"héllo: {BODY}\nend")
    assert (found.state, found.carried, found.message, found.start, found.end) == ("whole", "raw", 3, 8, 81)
    assert (found.received_bytes, found.total_bytes) == (73, 73)


@pytest.mark.parametrize("gutter", GUTTERS.values(), ids=GUTTERS.keys())
@pytest.mark.parametrize("first", [1, 98])
def test_a_body_behind_line_numbers_is_whole(gutter, first):
    """Every kind of line-number gutter is recognised, wherever the numbers begin."""
    shown = "\n".join(gutter(n, line) for n, line in enumerate(BODY.split("\n"), first))
    found = placed(f"Here is the file:\n{shown}\n")
    assert (found.state, found.carried, found.received_bytes) == ("whole", "gutter", 73)


def test_numbers_that_do_not_rise_by_one_are_no_gutter():
    """Lines that merely stand behind some numbers do not add up to the body."""
    shown = "\n".join(f"{n}→{line}" for n, line in zip([1, 2, 9, 10], BODY.split("\n"), strict=True))
    assert placed(shown).state == "cut"


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_an_indented_body_is_whole(indent):
    """The same white space before every line, blank lines excepted."""
    body = BODY.replace("\n  return", "\n\n  return")
    shown = "\n".join(indent + line if line else "" for line in body.split("\n"))
    found = placed(f"output:\n{shown}\nend", body)
    assert (found.state, found.carried) == ("whole", "indented")


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_body_inside_json_strings_is_whole_and_its_bytes_decode_to_it(depth, ascii_only):
    r"""Escaped once, twice, three times; the byte range in the prompt is the escaped text, surrogate pairs included."""
    body = 'say("a\\n", é, 😀)\n\tif (x) {\n\t\treturn "<done/>";\n\t}\n'
    text = body
    for _ in range(depth):
        text = json.dumps({"exit": 0, "out": text, "more": [1]}, ensure_ascii=ascii_only)
    run = story().decide(search("say")).result(search("say"), body, carried=text).decide().tell()
    found = deliver(run).at("f1", (2, 1))
    assert (found.state, found.carried) == ("whole", "escaped")
    inner = carried_bytes(run, found)
    for _ in range(depth):
        inner = json.loads(f'"{inner}"')
    assert inner == body


def test_line_numbers_inside_a_json_string_are_recognised():
    """A numbered file inside a JSON tool answer: the first and last line touch the quotes."""
    shown = "\n".join(f"{n:>5}→{line}" for n, line in enumerate(BODY.split("\n"), 7))
    found = placed(json.dumps({"content": shown}))
    assert (found.state, found.carried) == ("whole", "gutter")


def test_python_quotes_are_unescaped_too():
    """A body in Python's own quoting, with escaped apostrophes."""
    body = "it's a line that is long enough\nand isn't the last"
    found = placed(r"result='it\'s a line that is long enough\nand isn\'t the last'", body)
    assert (found.state, found.carried, found.start) == ("whole", "escaped", 8)


@pytest.mark.parametrize("version", [V4, V5, V6])
def test_an_evidence_record_is_whole_in_every_encoding_of_the_view(version):
    """References are resolved: the restored record equals what was captured, though its lines stand elsewhere."""
    origin = {"repository": "acme/player", "revision": "9f1c"}
    meta = {"path": "src/a.js", "content_hash": "sha256:aa", "size": 5120}
    records = [
        {
            "id": f"E{n}",
            "query": {"tool": "source.read", "path": "src/a.js", "start": n, "end": n + 40},
            "origin": origin,
            "metadata": meta,
            "items": [{"line": at, "text": f"const value_{at} = {at};", "truncated": False} for at in range(n, n + 40)],
        }
        for n in (1, 11, 21)
    ]
    view = {"task": {"goal": "fix"}, "evidence": records}
    text = canonical_text(view) if version == V4 else encode(view, version).text
    run = Story(format=version).say("system", "Rules.").decide(search("a"))
    for record in records:
        run.result(search(record["id"]), canonical_text(record), tool=False)
    run.say("user", text).decide()
    told = run.tell()
    told = replace(
        told, fragments=tuple(replace(f, evidence=f"E{n}") for f, n in zip(told.fragments, (1, 11, 21), strict=True))
    )
    found = deliver(told)
    assert [p.state for p in found.column((2, 1))] == ["whole"] * 3
    assert {p.carried for p in found.column((2, 1))} <= {"raw", "view"}
    assert found.at("f3", (2, 1)).carried == ("raw" if version == V4 else "view")
    place = found.at("f3", (2, 1))
    assert '"id":"E21"' in carried_bytes(told, place)


def test_a_record_with_fewer_items_than_captured_is_cut():
    """The view holds the evidence id, but only the first of its items."""
    items = [{"line": n, "text": f"const value_{n} = {n};"} for n in range(1, 9)]
    sent = {"id": "E1", "items": items[:3], "truncation": {"items": 5}}
    run = Story(format=V4).say("system", "Rules.").decide(search("a"))
    run.result(search("a"), canonical_text({"id": "E1", "items": items}), tool=False)
    run.say("user", canonical_text({"evidence": [sent]})).decide()
    told = run.tell()
    told = replace(told, fragments=(replace(told.fragments[0], evidence="E1"),))
    found = deliver(told).at("f1", (2, 1))
    assert (found.state, found.carried, found.guidance) == ("cut", "view", True)
    assert 0 < found.received_bytes < found.total_bytes


# --- cut, markers, absence


@pytest.mark.parametrize(
    ("ending", "guidance"), [("", False), ("\n[output truncated]", True), ("… 40 more lines", True)]
)
def test_a_beginning_in_its_own_block_is_cut_and_says_whether_the_prompt_says_so(ending, guidance):
    """40 of the bytes came; the words behind them count as guidance only if they speak of a cut."""
    found = placed(BODY[:40] + ending)
    assert (found.state, found.received_bytes, found.total_bytes, found.guidance) == ("cut", 40, 73, guidance)
    assert (found.start, found.end) == (0, 40)


def test_a_call_without_its_result_is_a_marker_and_a_silent_absence():
    """The call stands in the prompt; nothing says what became of its answer."""
    run = story().decide(search("play")).result(search("play"), BODY, carried=None).decide().tell()
    found = deliver(run).at("f1", (2, 1))
    assert (found.state, found.silent_absence) == ("marker_only", True)
    assert (found.marker.message, found.marker.start) == (2, 0)


def test_a_placeholder_is_a_marker_that_speaks():
    """The result was blanked in place: the block is there, the body is not, and the prompt says so."""
    run = story().decide(search("play")).result(search("play"), BODY, carried=BODY).decide()
    run.replace(3, "tool", ToolResultPart("call_f1", "[Old tool result content cleared]"), stands_for="placeholder")
    found = deliver(run.decide().tell())
    assert found.at("f1", (2, 1)).state == "whole"
    assert (found.at("f1", (3, 1)).state, found.at("f1", (3, 1)).silent_absence) == ("marker_only", False)


def test_neither_body_nor_marker_is_absent_and_says_what_was_searched():
    """Sizes and hashes of the prompt and of the body are the proof of an absence."""
    run = (
        story()
        .decide(search("play"))
        .result(search("play"), BODY, carried=BODY)
        .compact("They looked around.")
        .decide()
    )
    found = deliver(run.tell())
    assert found.at("f1", (2, 1)).state == "absent"
    searched = found.searched("f1", (2, 1))
    text = "You repair programs.The video does not start.They looked around."
    assert (searched.prompt_bytes, searched.body_bytes) == (64, 73)
    assert (searched.prompt_hash, searched.body_hash) == (sha256(text.encode()), sha256(BODY.encode()))


def test_a_ledger_that_says_gone_is_no_silent_absence_and_one_that_says_whole_is():
    """The same absence, once admitted by the ledger and once denied."""
    run = bounded([[(search("a"), BODY)], [(search("b"), OTHER)], [search("a")]], policy="overwrite")
    honest = deliver(run).at("f1", (3, 1))
    assert (honest.state, honest.silent_absence, honest.marker.message) == ("marker_only", False, 1)
    text = run.messages[5].text.replace("body gone   :", "body whole  :")
    store = [*run.messages[:5], message("user", text)]
    lying = replace(run, messages=store, decisions=tuple(replace(d, store=store) for d in run.decisions))
    assert deliver(lying).at("f1", (3, 1)).silent_absence is True


def test_a_marker_is_found_in_a_bounded_prompt_of_another_rendering():
    """Wherever the identity stands as JSON, escaped or not; the words of its line say whether the body is gone."""
    identity = search("a").identity
    text = f"SEEN\n- {identity}: evicted\n- {json.dumps(search('b').identity)}\n"
    run = Story(format="bounded_repair_v1").say("user", "Fix it.").decide(search("a"), search("b"))
    run.result(search("a"), BODY, tool=False).result(search("b"), OTHER, tool=False).replace(0, "user", text).decide()
    found = deliver(run.tell())
    assert [(p.state, p.silent_absence) for p in found.column((2, 1))] == [
        ("marker_only", False),
        ("marker_only", True),
    ]
    assert (
        carried_bytes(run.tell(), replace(found.at("f1", (2, 1)), message=0, start=7, end=7 + len(identity)))
        == identity
    )


# --- what proves nothing


def test_a_short_body_counts_only_at_a_boundary():
    """`ok` stands in `took`: it is delivered as a tool result of its own, else coincidental, with its place."""
    at_boundary = story().decide(search("x")).result(search("x"), "ok", carried="ok").decide().tell()
    assert deliver(at_boundary).at("f1", (2, 1)).state == "whole"
    somewhere = (
        story()
        .decide(search("x"))
        .result(search("x"), "ok", carried=None, tool=False)
        .say("user", "it took a while, ok?")
    )
    found = deliver(somewhere.decide().tell()).at("f1", (2, 1))
    assert (found.state, found.message, found.start, found.end, found.received_bytes) == ("coincidental", 2, 5, 7, 0)


def test_a_body_that_also_stands_in_the_base_context_counts_only_in_a_block():
    """The task quoted the function before anyone asked: after its block has left, its bytes prove nothing."""
    base = f"Fix this:\n{BODY}\nThanks."
    run = bounded([[(search("a"), BODY)], [(search("b"), OTHER)], [search("a")]], base=base, policy="overwrite")
    found = deliver(run)
    assert found.at("f1", (2, 1)).state == "whole"
    assert found.at("f1", (3, 1)).state == "coincidental"


def test_a_body_in_the_first_prompt_of_a_transcript_is_base_context():
    """What the user pasted before the first call is no delivery of what a call returned later."""
    run = (
        Story().say("user", f"Why does this fail?\n{BODY}").decide(search("a")).result(search("a"), BODY, carried=BODY)
    )
    run.decide().replace(2, "tool", ToolResultPart("call_f1", "[cleared]"), stands_for="placeholder").decide()
    found = deliver(run.tell())
    assert [found.at("f1", key).state for key in ((2, 1), (3, 1))] == ["whole", "coincidental"]


def test_an_empty_body_is_delivered_by_its_heading():
    """A search that found nothing: its ledger entry, or its empty tool result, is all there is to deliver."""
    run = bounded([[(search("a"), "")], [search("b")]])
    assert deliver(run).at("f1", (2, 1)).state == "whole"
    assert placed("", "").state == "whole"
    asked = story().decide(search("x")).result(search("x"), "", carried=None).decide().tell()
    assert deliver(asked).at("f1", (2, 1)).state == "marker_only"


# --- overlap and lines


def test_lines_of_the_same_version_reach_the_prompt_through_another_fragment():
    """Lines 10-29 were dropped; a newer read of 20-39 of the same hash brings 20-29 back."""
    first, second = (read("a.js", 10, 29), lines(10, 29)), (read("a.js", 20, 39), lines(20, 39))
    run = bounded(
        [[(*first, (source("a.js", 10, 29),))], [(*second, (source("a.js", 20, 39),))], [first[0]]], policy="overwrite"
    )
    found = deliver(run).at("f1", (3, 1))
    assert (found.state, found.lines, found.through) == ("overlap", ((20, 29),), ("f2",))
    assert (found.received_bytes, found.place) == (0, None)


def test_the_same_lines_of_another_version_do_not_overlap_by_number():
    """Another hash is another range; only text that is the same in three distinctive lines running counts then."""
    one, other = lines(10, 29, "old"), lines(10, 29, "new")
    steps = [
        [(search("a"), one, (source("a.js", 10, 29),))],
        [(search("b"), other, (source("a.js", 10, 29, "sha256:bb"),))],
    ]
    run = bounded([*steps, [search("a")]], policy="overwrite")
    assert deliver(run).at("f1", (3, 1)).state == "marker_only"


@pytest.mark.parametrize(("shared", "state"), [(2, "marker_only"), (3, "overlap")])
def test_three_consecutive_distinctive_lines_are_an_overlap(shared, state):
    """Without file and hash, text decides: three lines running, not two."""
    mine = "\n".join([lines(1, 5, "mine"), lines(1, shared, "shared")])
    theirs = "\n".join([lines(1, shared, "shared"), lines(1, 5, "theirs")])
    run = bounded([[(search("a"), mine)], [(search("b"), theirs)], [search("a")]], policy="overwrite")
    found = deliver(run).at("f1", (3, 1))
    assert (found.state, found.lines) == (state, ((6, 8),) if state == "overlap" else ())


def test_common_lines_are_no_overlap():
    """Braces, returns and blank lines are in every file."""
    common = "}\n\n  return;\n}\n\nelse {\n  return;\n}\n"
    run = bounded(
        [[(search("a"), lines(1, 3, "a") + common)], [(search("b"), lines(1, 3, "b") + common)], [search("a")]],
        policy="overwrite",
    )
    assert deliver(run).at("f1", (3, 1)).state == "marker_only"


def test_the_lines_of_a_version_that_stood_in_a_prompt_are_given_by_path_and_hash():
    """Whole results bring all their lines, a cut one the complete lines of its beginning, merged."""
    run = (
        story()
        .decide(read("a.js", 1, 4))
        .result(read("a.js", 1, 4), lines(1, 4), carried=lines(1, 4), sources=[source("a.js", 1, 4)])
    )
    cut = lines(5, 9)[: len(lines(5, 7)) + 5]
    run.decide().result(read("a.js", 5, 9), lines(5, 9), carried=cut, sources=[source("a.js", 5, 9)]).decide()
    found = deliver(run.tell())
    assert found.lines("a.js", "sha256:aa", (2, 1)) == ((1, 4),)
    assert found.lines("a.js", "sha256:aa", (3, 1)) == ((1, 7),)
    assert found.lines("a.js", "sha256:bb", (3, 1)) == ()
    assert found.coverage((1, 1)) == ()


# --- who is asked, who is believed


def test_only_sent_decisions_deliver():
    """A prompt that was refused, or of which nobody knows, has no column; one that was sent has."""
    run = story().decide(search("a")).result(search("a"), BODY, carried=BODY)
    run.decide(sent=False).decide(sent=None).decide(sent=True)
    found = deliver(run.tell())
    assert found.keys == ((1, 1), (4, 1))
    assert found.at("f1", (2, 1)) is None
    assert found.at("f1", (3, 1)) is None
    assert [p.key for p in found.row("f1")] == [(4, 1)]


def test_a_fragment_is_judged_only_in_prompts_after_it_was_asked_for():
    """A call's own answer never stands in its own prompt, whatever the text holds."""
    run = (
        Story().say("user", f"Look: {BODY}").decide(search("a")).result(search("a"), BODY, carried=BODY).decide().tell()
    )
    found = deliver(run)
    assert found.at("f1", (1, 1)) is None
    assert found.column((1, 1)) == ()
    assert found.at("f1", (2, 1)).state == "whole"


@pytest.mark.parametrize(
    "name", ["video_start_overwritten", "video_start_retained", "tight_budget", "overlapping_reads"]
)
def test_without_the_recorders_log_the_matrix_is_the_same(name):
    """The transmitted text decides: strip `memory` and nothing changes, proofs included."""
    run = open_package(SAMPLES / name)
    bare = replace(run, decisions=tuple(replace(decision, memory=None) for decision in run.decisions))
    with_log, without = deliver(run), deliver(bare)
    assert [with_log.column(key) for key in with_log.keys] == [without.column(key) for key in without.keys]


def test_a_falsified_log_changes_no_placement():
    """A log that claims other blocks is a finding for the diagnosis, not a delivery."""
    run = open_package(SAMPLES / "video_start_overwritten")
    false = tuple(replace(decision, memory=Memory(evicted=("f2",))) for decision in run.decisions)
    assert [p.state for p in deliver(replace(run, decisions=false)).column((3, 1))] == ["marker_only", "whole"]


def test_the_samples_show_what_their_page_says():
    """Overwritten: gone at decision 3. Retained: both there. Tight budget: whole, gone, cut, and cut again by eviction."""
    states = {
        name: [[p.state for p in deliver(open_package(SAMPLES / name)).row(f)] for f in ("f1", "f2")]
        for name in ("video_start_overwritten", "video_start_retained")
    }
    assert states == {
        "video_start_overwritten": [["whole", "marker_only"], ["whole"]],
        "video_start_retained": [["whole", "whole"], ["whole"]],
    }
    tight = deliver(open_package(SAMPLES / "tight_budget"))
    cut = tight.at("f2", (3, 1))
    assert (cut.state, cut.received_bytes, cut.total_bytes, cut.guidance) == ("cut", 3960, 6977, True)


def test_messages_are_read_once_and_only_those_of_sent_prompts():
    """A prompt that grows by one message a turn costs one message a turn, not the whole prompt."""

    class Counted(list):
        read = 0

        def __getitem__(self, place):
            type(self).read += 1
            return super().__getitem__(place)

    run = story()
    for number in range(30):
        run.decide(search(f"{number}")).result(
            search(f"{number}"),
            lines(number, number + 3, f"r{number}"),
            carried=lines(number, number + 3, f"r{number}"),
        )
    run.decide()
    store = Counted(run.store)
    told = replace(run.tell(), messages=store)
    found = deliver(told)
    assert found.at("f30", (31, 1)).state == "whole"
    assert Counted.read == len(store) == 62


def test_references_that_lead_nowhere_do_not_end_the_search():
    """Slices past the store, ids that stand twice, unreadable fragments: what is readable is still placed."""
    run = story().decide(search("a")).result(search("a"), BODY, carried=BODY).decide()
    told = run.tell()
    odd = replace(told.decisions[1], slices=((-3, 2), (0, 10**15), (500, 3)), store=())
    twice = (*told.fragments, Fragment("f1", search("b"), "completed", 1, OTHER))
    found = deliver(replace(told, decisions=(told.decisions[0], odd, odd), fragments=twice))
    assert found.at("f1", (2, 1)).state == "whole"
    with pytest.raises(KeyError):
        found.at("nobody", (2, 1))
    with pytest.raises(KeyError):
        found.at("f1", (9, 9))
    assert deliver(Investigation("", (Decision(1),), (), ())).keys == ()


def test_events_never_decide_delivery():
    """An event that says a body was cleared does not clear it: the text still holds it."""
    run = story().decide(search("a")).result(search("a"), BODY, carried=BODY)
    run.decide(events=(Event("cleared", fragments=("f1",)),))
    assert deliver(run.tell()).at("f1", (2, 1)).state == "whole"


def test_a_base_context_that_grows_later_proves_nothing_either():
    """The body stands in this prompt's own base context and inside another result: neither is its delivery."""
    body = "\n".join(f"k{number} = {number}" for number in range(9))
    run = bounded(
        [[(search("a"), body)], [(search("b"), f"// before\n{body}\n// after")], [search("a")]], policy="overwrite"
    )
    assert deliver(run).at("f1", (3, 1)).state == "whole"
    base = f"Fix the player.\n{body}"
    text = run.messages[5].text.replace("(bytes: 15):\nFix the player.", f"(bytes: {len(base)}):\n{base}")
    store = [*run.messages[:5], message("user", text)]
    grown = replace(run, messages=store, decisions=tuple(replace(each, store=store) for each in run.decisions))
    assert deliver(grown).at("f1", (3, 1)).state == "coincidental"


@pytest.mark.parametrize("lengths", [(40, 60), (60, 40)])
def test_of_several_beginnings_the_longest_counts(lengths):
    """The answer of one call stands in the prompt twice, cut at different places."""
    run = story().decide(search("a")).result(search("a"), BODY, carried=BODY[: lengths[0]])
    run.say("tool", ToolResultPart("call_f1", BODY[: lengths[1]])).decide()
    assert deliver(run.tell()).at("f1", (2, 1)).received_bytes == 60


def test_what_was_received_by_a_decision_is_not_what_came_later():
    """40 bytes at decision 2, everything at decision 3."""
    run = story().decide(search("a")).result(search("a"), BODY, carried=BODY[:40]).decide()
    run.replace(3, "tool", ToolResultPart("call_f1", BODY)).decide()
    found = deliver(run.tell())
    assert [found.received_by("f1", (index, 1)) for index in (1, 2, 3)] == [0, 40, 73]


def test_a_result_that_is_not_recorded_is_unknown_not_absent():
    """No outcome and no body: nothing can be looked for, whether or not its call stands in the prompt."""
    lookup = search("unsupported_control")
    run = story().decide(lookup).result(lookup, "", carried=None, status="uncertain").decide().decide()
    found = deliver(run.tell())
    assert [found.at("f1", key).state for key in ((2, 1), (3, 1))] == ["unknown", "unknown"]
    assert found.at("f1", (2, 1)).marker is not None
    assert list(found.silent_absences()) == []


# --- beginnings in plain messages


def loop(carried, *, role="tool", body=None, before="It does not start."):
    """A plain transcript in which the result of decision 1 stands as said in decision 2's prompt."""
    body = lines(1, 19) if body is None else body
    run = Story().say("system", "Find the fault.").say("user", before).decide(search("a"))
    run.result(search("a"), body, carried=None, tool=False).say(role, carried)
    return deliver(run.decide().tell())


def test_the_first_200_bytes_of_a_body_in_a_plain_message_are_a_cut():
    """No block and no call names it: 200 of 532 B are there, and the prompt does not say that it was cut."""
    found = loop(lines(1, 19)[:200]).at("f1", (2, 1))
    assert (found.state, found.received_bytes, found.total_bytes) == ("cut", 200, 532)
    assert (found.message, found.start, found.end, found.guidance) == (2, 0, 200, False)


@pytest.mark.parametrize(
    ("carried", "received"),
    [
        ("Observation: " + lines(1, 19)[:150] + "\n[output truncated]", 150),
        (lines(1, 3), 80),
        (lines(1, 3)[:79], 0),
    ],
)
def test_how_much_of_a_beginning_proves_it(carried, received):
    """128 bytes, or three distinctive lines, whatever stands before the first; less is not told from chance."""
    found = loop(carried).at("f1", (2, 1))
    assert (found.state, found.received_bytes) == ("cut" if received else "absent", received)


def test_a_body_of_one_long_line_is_known_by_its_start():
    """128 bytes of 1,005."""
    body = "value, " * 143 + "last"
    assert (len(body), loop(body[:128], body=body).at("f1", (2, 1)).received_bytes) == (1_005, 128)
    assert loop(body[:127], body=body).at("f1", (2, 1)).state == "absent"


def test_what_the_model_itself_wrote_is_no_delivery():
    """A reply that quotes the beginning of a body."""
    assert loop(lines(1, 19)[:200], role="assistant").at("f1", (2, 1)).state == "absent"


def test_a_beginning_that_stood_in_the_base_context_proves_nothing():
    """The task itself quotes the file."""
    assert loop("nothing", before=lines(1, 19)[:200]).at("f1", (2, 1)).state == "absent"


def test_a_beginning_that_another_result_brought_is_that_results():
    """Two files begin alike, and one of them is there whole, or further than the other."""
    head = lines(1, 6)
    one, other = search("a"), search("b")
    for shown in (len(head) + 60, None):
        run = Story().say("system", "Find the fault.").decide(one, other)
        run.result(one, f"{head}\n{lines(1, 9, 'mine')}", carried=None, tool=False)
        body = f"{head}\n{lines(1, 9, 'other')}"
        found = deliver(run.result(other, body, carried=body[:shown], tool=False).decide().tell())
        assert found.at("f1", (2, 1)).state == "overlap"
        assert found.at("f2", (2, 1)).state == ("cut" if shown else "whole")
