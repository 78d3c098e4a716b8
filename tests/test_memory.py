"""The bounded memory: its exact text, its budget, its policies."""

import textwrap

import pytest

import core.memory
from core.errors import InvestigationError
from core.excerpt import excerpt, held_ranges
from core.memory import (
    Retention,
    assemble,
    base_section,
    carried,
    floor_utf8,
    lookup_of,
    read_layout,
    remember_context,
    reopen,
    settle,
)
from core.model import Block, Fragment, LedgerEntry, Lookup, SourceRange

BASE = "Fix it."
BASE_BYTES = 32
LINES = (
    "// démarre la lecture",
    "const é = 1;",
    "// 再生を開始する",
    "export function start(element) {",
    "  return element.play(é);",
    "}",
    "",
    "export function stop(element) {",
    "  return element.pause();",
    "}",
)
SOURCE = SourceRange("a.js", "sha256:00", 1, 10)

GOLDEN = """\
Base context (bytes: 7):
Fix it.

Lookup ledger (entries: 1, bytes: 79):
1. decision 1, completed, result f1, body cut    : ["search",["é"],null,null]

Supplied ranges (entries: 0, bytes: 0):

Result f1 (decision: 1, bytes: 99 of 281): ["search",["é"],null,null] from "a.js" sha256:00 lines 1-10
a.js sha256:00 lines 1-10
    1| // démarre la lecture
    2| const é = 1;
    3| // 再生を開
[Cut here: 99 of 281 bytes are kept. Ask for a narrower range to see the rest.]"""

GOLDEN_TWO = """\
Base context (bytes: 7):
Fix it.

Lookup ledger (entries: 4, bytes: 317):
1. decision 1, reopened , result f1, body gone   : ["search",["é"],null,null]
2. decision 2, completed, result f2, body empty  : ["search",["2"],null,null]
3. decision 3, uncertain, result f3, body unknown: ["read",null,null,null,{"path":"b"}]
4. decision 3, failed   , result f4, body whole  : ["x",null,null,null]

Supplied ranges (entries: 1, bytes: 28):
"a.js" sha256:00 lines 1-10

Result f4 (decision: 3, bytes: 5 of 5): ["x",null,null,null] from no file
no é"""


def whole_body():
    return Fragment("f1", Lookup("search", ("é",)), "completed", 1, excerpt(SOURCE, LINES), (SOURCE,))


def plain(name, size, decision=1, letter="x"):
    return Fragment(name, Lookup("search", (name,)), "completed", decision, letter * size)


def remembered(budget, *fragments, policy="retain", base=BASE_BYTES):
    state = Retention(budget, policy)
    for fragment in fragments:
        state = remember_context(state, fragment, base)
    return state


def prompt(state, base=BASE, limit=42_000):
    return assemble(state, system="System.", base=base, prompt_limit=limit)


def test_rendering_is_the_documented_bytes():
    """One cut result under a budget of 481 bytes renders as the golden text."""
    made = prompt(remembered(481, whole_body()))
    assert made.messages[1].text == GOLDEN
    assert made.messages[0].text == "System."
    assert made.prompt_bytes == 7 + 477


def test_docstring_holds_the_golden_text():
    """The example in the package's documentation is that text."""
    assert textwrap.indent(GOLDEN, "    ", lambda line: bool(line.strip())) in core.memory.__doc__


def test_positions_are_recorded():
    """Ledger entry and block name their bytes in the user message; the block's are those of the body alone."""
    memory = prompt(remembered(481, whole_body())).memory
    identity = '["search",["é"],null,null]'
    assert memory.ledger == (LedgerEntry(identity, "completed", 1, "f1", "cut", 1, 73, 152),)
    assert memory.blocks == (Block("f1", 99, True, 1, 298, 397),)
    assert (memory.base_bytes, memory.context_bytes, memory.evicted) == (32, 481, ())


def test_every_state_and_status_renders_with_one_width():
    """Reopened, empty, uncertain and failed entries read as the golden text says."""
    state = remembered(600, whole_body())
    state = carried(prompt(state).retention)
    state = remember_context(state, Fragment("f2", Lookup("search", ("2",)), "completed", 2, ""), BASE_BYTES)
    lost = Lookup("read", arguments={"path": "b"})
    state = remember_context(state, Fragment("f3", lost, "uncertain", 3, ""), BASE_BYTES)
    state = remember_context(state, Fragment("f4", Lookup("x"), "failed", 3, "no é"), BASE_BYTES)
    made = prompt(reopen(state, "a.js"))
    assert made.messages[1].text == GOLDEN_TWO
    assert made.memory.evicted == ("f1",)
    assert made.memory.ledger[2].body is None


def test_a_text_reads_back_to_what_was_rendered():
    """Places, states, sizes and ranges of the golden text, read from the text alone."""
    layout = read_layout(GOLDEN_TWO)
    assert layout.base == (25, 32)
    assert [entry.status for entry in layout.entries] == ["reopened", "completed", "uncertain", "failed"]
    assert [entry.body for entry in layout.entries] == ["gone", "empty", None, "whole"]
    assert [entry.fragment for entry in layout.entries] == ["f1", "f2", "f3", "f4"]
    assert layout.entries[2].identity == '["read",null,null,null,{"path":"b"}]'
    assert [line.source for line in layout.ranges] == [SourceRange("a.js", "sha256:00", 1, 10)]
    assert [(block.fragment, block.sent, block.total, block.guidance) for block in layout.blocks] == [
        ("f4", 5, 5, None)
    ]
    assert GOLDEN_TWO.encode()[slice(*layout.blocks[0].body)].decode() == "no é"
    assert layout.user_bytes == len(GOLDEN_TWO.encode())


def test_ledger_size_does_not_depend_on_what_became_of_bodies():
    """The same ledger takes the same bytes whether a body is whole, cut, gone or has no room."""
    sizes = {
        settle(remembered(budget, plain("f1", 300), plain("f2", 300)), BASE_BYTES).ledger_bytes
        for budget in (100, 400, 600, 700, 5_000)
    }
    assert sizes == {241}


def test_oldest_leaves_first_and_its_marker_stays():
    """Three blocks of 286 bytes fit into 1,210 bytes with the rest; one byte less, and the first leaves, not its marker."""
    made = prompt(remembered(1_210, plain("f1", 200), plain("f2", 200), plain("f3", 200)))
    assert [block.fragment for block in made.memory.blocks] == ["f1", "f2", "f3"]
    made = prompt(remembered(1_209, plain("f1", 200), plain("f2", 200), plain("f3", 200)))
    assert [block.fragment for block in made.memory.blocks] == ["f2", "f3"]
    assert [entry.body for entry in made.memory.ledger] == ["gone", "whole", "whole"]
    assert made.memory.evicted == ("f1",)


def test_overwrite_keeps_the_newest_only():
    """Under the historical policy the newest result replaces all earlier blocks, whatever the budget."""
    made = prompt(remembered(30_000, plain("f1", 20), plain("f2", 20), policy="overwrite"))
    assert [block.fragment for block in made.memory.blocks] == ["f2"]
    assert [entry.body for entry in made.memory.ledger] == ["gone", "whole"]
    assert made.memory.evicted == ("f1",)


def test_an_unknown_outcome_displaces_nothing():
    """A lookup without an answer replaces no block, under `overwrite` either."""
    lost = Fragment("f2", Lookup("search", ("f2",)), "uncertain", 1, "")
    state = remembered(30_000, plain("f1", 20), lost, policy="overwrite")
    assert [block.fragment.id for block in state.blocks] == ["f1"]


def test_no_room_even_for_guidance_gives_no_block():
    """With less room than heading and guidance take, there is no block and the ledger says so."""
    fragment = plain("f1", 2_000)  # base 32, ledger 161, longest heading 88, longest guidance 83
    none = prompt(remembered(363, fragment))
    assert (none.memory.blocks, none.memory.ledger[0].body) == ((), "no room")
    some = prompt(remembered(364, fragment))
    assert (some.memory.blocks[0].sent_bytes, some.memory.ledger[0].body) == (0, "cut")


def test_newest_is_cut_again_rather_than_evicted():
    """A result that no prompt has carried is cut to what a larger base context leaves."""
    state = remembered(2_000, plain("f1", 1_000))
    assert state.blocks[0].kept == 1_000
    made = prompt(state, base="b" * 900)
    assert made.memory.blocks[0].sent_bytes == 741
    assert made.memory.ledger[0].body == "cut"
    assert made.arithmetic.free == 2


def test_a_carried_block_is_evicted_rather_than_cut():
    """Once a prompt has carried it, a block that no longer fits leaves."""
    state = carried(prompt(remembered(2_000, plain("f1", 1_000))).retention)
    made = prompt(state, base="b" * 900)
    assert made.memory.blocks == ()
    assert made.memory.evicted == ("f1",)


def test_a_ledger_over_the_budget_stops_the_attempt():
    """The ledger is never trimmed: if it alone is over the budget, the prompt is refused."""
    state = remembered(200, plain("f1", 50), plain("f2", 50))
    made = prompt(state)
    assert made.retention.ledger_bytes == 241
    assert made.refused == "context_limit"
    assert len(made.memory.ledger) == 2


def test_a_large_base_context_is_left_to_the_prompt_limit():
    """A base context over the budget leaves room for no block; only the check of the whole prompt refuses it."""
    state = remembered(2_000, plain("f1", 50), base=50_000)
    within = prompt(state, base="b" * 3_000)
    assert (within.refused, within.memory.blocks, within.memory.ledger[0].body) == (None, (), "no room")
    assert prompt(state, base="b" * 50_000).refused == "prompt_limit"


def test_prompt_limit_counts_all_messages():
    """The limit is on system and user message together, to the byte."""
    state = Retention(1_000)
    size = prompt(state).prompt_bytes
    assert size == 7 + 32 + 81
    assert prompt(state, limit=size).refused is None
    assert prompt(state, limit=size - 1).refused == "prompt_limit"


def test_supplied_ranges_are_those_of_earlier_prompts():
    """Lines become supplied once a prompt was sent; of a cut body only the whole lines."""
    made = prompt(remembered(481, whole_body()))
    assert made.memory.supplied == ()
    after = carried(made.retention)
    assert after.supplied == (SourceRange("a.js", "sha256:00", 1, 2),)
    assert carried(after).supplied == after.supplied


def test_same_lines_of_another_version_are_another_range():
    """Same path, other hash or other interval: each is a marker of its own."""
    other = SourceRange("a.js", "sha256:01", 1, 1)
    part = SourceRange("a.js", "sha256:00", 2, 2)
    bodies = [
        Fragment(f"f{number}", Lookup("read", arguments=number), "completed", 1, excerpt(source, ["é"]), (source,))
        for number, source in enumerate((SourceRange("a.js", "sha256:00", 1, 1), other, part), 1)
    ]
    state = carried(prompt(remembered(5_000, *bodies)).retention)
    assert [(each.hash, each.start) for each in state.supplied] == [
        ("sha256:00", 1),
        ("sha256:01", 1),
        ("sha256:00", 2),
    ]


@pytest.mark.parametrize(
    ("kept", "ranges"),
    [(0, []), (26, []), (56, [(1, 1)]), (55, []), (281, [(1, 10)]), (280, [(1, 9)]), (99, [(1, 2)])],
)
def test_lines_of_a_cut_body(kept, ranges):
    """A line counts as given once its line feed is there."""
    assert [(each.start, each.end) for each in held_ranges(whole_body(), kept)] == ranges


def test_lines_of_an_unknown_layout_are_not_claimed():
    """A cut body that is not made of numbered lines gives no range."""
    fragment = Fragment("f1", Lookup("read"), "completed", 1, "one\ntwo\nthree\n", (SOURCE,))
    assert held_ranges(fragment, 8) == ()
    assert held_ranges(fragment, 14) == (SOURCE,)


def test_a_reworded_summary_is_the_same_request():
    """The summary is no part of the identity; other queries, their order, or arguments are."""
    state = remembered(5_000, plain("f1", 5))
    assert state.completed(Lookup("search", ("f1",), summary="said otherwise").identity)
    assert not state.completed(Lookup("search", ("f1",), search="src").identity)
    assert not state.completed(Lookup("search", ("f1", "f1")).identity)


def test_reopen_touches_only_lookups_of_that_file():
    """A patch reopens the identities whose sources include the patched path, and no other."""
    state = reopen(remembered(5_000, whole_body(), plain("f2", 5)), "a.js")
    assert not state.completed(whole_body().lookup.identity)
    assert state.completed(plain("f2", 5).lookup.identity)


@pytest.mark.parametrize(
    "fragment",
    [
        Fragment("f 1", Lookup("x"), "completed", 1, ""),
        Fragment("f1\n", Lookup("x"), "completed", 1, ""),
        Fragment("f1", Lookup("x"), "completed", None, ""),
        Fragment("f1", Lookup("x"), "half", 1, ""),
        Fragment("f1", Lookup("x"), "completed", 1, "", (SourceRange("a", "two words", 1, 1),)),
    ],
)
def test_what_the_text_cannot_carry_is_refused(fragment):
    """Ids, statuses, deciders and hashes that would not read back are errors."""
    with pytest.raises(InvestigationError):
        remember_context(Retention(5_000), fragment, 0)


def test_one_fragment_is_remembered_once():
    """Remembering an id twice is an error; so is an unknown policy."""
    with pytest.raises(InvestigationError):
        remembered(5_000, plain("f1", 5), plain("f1", 5))
    with pytest.raises(InvestigationError):
        Retention(5_000, "forget")


@pytest.mark.parametrize(
    ("limit", "kept"), [(0, 0), (1, 1), (2, 1), (3, 3), (4, 3), (5, 3), (6, 6), (7, 6), (9, 6), (10, 10), (99, 99)]
)
def test_floor_utf8(limit, kept):
    """Cuts in one-, two-, three- and four-byte characters go back to the last boundary."""
    assert floor_utf8("aé再🔊".encode(), limit) == kept


def test_base_section():
    """The base context stands behind its own length in bytes."""
    assert base_section("é\n") == "Base context (bytes: 3):\né\n"


@pytest.mark.parametrize(
    ("identity", "lookup"),
    [
        ('["search",["é"],"src",null]', Lookup("search", ("é",), "src")),
        ('["read",null,null,null,{"path":"a"}]', Lookup("read", arguments={"path": "a"})),
        ('["search", ["é"],"src",null]', None),
        ('["search",["é"],"src"]', None),
        ('["search","é",null,null]', None),
        ("[3,null,null,null]", None),
        ("not json", None),
    ],
)
def test_lookup_of_an_identity(identity, lookup):
    """A ledger's identity gives back its lookup; what is no canonical identity gives none."""
    assert lookup_of(identity) == lookup
