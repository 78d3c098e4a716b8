"""Two runs beside each other: aligned by lookup identity, and where they part."""

from pathlib import Path
from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from core.alignment import align, asked
from core.compare import compare, pair_results
from core.model import Decision, Fragment, Investigation, Lookup, Message, Outcome, Patch, Reply, TextPart
from core.package import open_package

SAMPLES = Path(__file__).parent.parent / "sample_archives"


def look(name, summary=None):
    return Lookup("search", (name,), summary=summary)


def asks(*names):
    return ("lookups", *(look(name).identity for name in names))


def body(name):
    return f"The full result of the search for {name}, a line of some length.\n"


def run(*steps, bodies=None, base="Find the fault."):
    """Decisions from `(lookups asked, results in the prompt, outcome)`; each lookup's result is fragment `f-name`."""
    store, decisions, fragments = [], [], []
    for number, (names, held, outcome) in enumerate(steps, 1):
        texts = [base, *((bodies or {}).get(name, body(name)) for name in held)]
        start = len(store)
        store += [Message("user", (TextPart(text),)) for text in texts]
        if isinstance(names, str):
            reply = Reply(patch=Patch(names, "a", "b"))
        else:
            reply = Reply(lookups=tuple(look(name) for name in names))
            known = {fragment.id for fragment in fragments}
            fragments += [
                Fragment(f"f-{name}", look(name), "completed", number, (bodies or {}).get(name, body(name)))
                for name in names
                if f"f-{name}" not in known
            ]
        decisions.append(
            Decision(number, sent=True, slices=((start, len(texts)),), reply=reply, outcome=outcome, store=store)
        )
    return Investigation("a run", decisions, store, fragments)


ON, GATE, PATCHED = Outcome("continued"), Outcome("stopped", "repetition_gate"), Outcome("patched")


def test_what_was_asked_is_the_identity():
    """A reworded summary asks for the same; a patch, a stop and a text are things of their own."""
    one = Decision(1, reply=Reply(lookups=(look("a", "first words"),)))
    other = Decision(1, reply=Reply(lookups=(look("a", "other words"),)))
    assert asked(one) == asked(other) == ("lookups", '["search",["a"],null,null]')
    assert asked(Decision(1, reply=Reply(patch=Patch("src/a.js", "x", "y")))) == ("patch", "src/a.js")
    assert asked(Decision(1, reply=Reply(stop="done"))) == ("stop",)
    assert asked(Decision(1, reply=Reply(text="hello"))) == ("text",)
    assert asked(Decision(1)) == ("no reply",)


def test_a_lookup_asked_twice_is_paired_with_its_first_asking():
    """A, B, A beside A, C: the first A is the pair; what follows stands side by side, and the rest alone."""
    left, right = [asks("A"), asks("B"), asks("A")], [asks("A"), asks("C")]
    assert align(left, right) == ((0, 0, "same"), (1, 1, "differs"), (2, None, "left only"))


def test_an_inserted_decision_stands_alone():
    """One decision more on the right does not shift what follows it."""
    left, right = [asks("A"), asks("B"), asks("C")], [asks("A"), asks("X"), asks("B"), asks("C")]
    assert align(left, right) == ((0, 0, "same"), (None, 1, "right only"), (1, 2, "same"), (2, 3, "same"))


def test_decisions_that_share_a_lookup_are_paired():
    """Decisions with several lookups are paired by one that they have in common, before any are put side by side."""
    left = [asks("A"), asks("X"), asks("B", "C"), ("patch", "a.js")]
    right = [asks("A"), asks("C", "D"), ("patch", "a.js")]
    assert align(left, right) == (
        (0, 0, "same"),
        (1, None, "left only"),
        (2, 1, "shares"),
        (3, 2, "same"),
    )


def test_a_reply_that_asks_for_nothing_is_no_anchor():
    """Texts without a lookup stand side by side, and do not push decisions apart that asked for something."""
    left = [asks("A"), asks("B"), asks("C"), ("text",)]
    right = [asks("X"), ("text",), asks("Y"), asks("Z"), asks("W")]
    assert [match for _, _, match in align(left, right)] == ["differs"] * 4 + ["right only"]
    assert align([("text",)] * 2, [("text",)] * 3) == ((0, 0, "same"), (1, 1, "same"), (None, 2, "right only"))


def test_nothing_beside_something():
    """An empty run has no counterparts, and two empty runs no rows."""
    assert align([], [asks("A")]) == ((None, 0, "right only"),)
    assert align([], []) == ()


def longest(left, right):
    """Length of a longest common subsequence, by the textbook table."""
    row = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for place, other in enumerate(right, 1):
            row[place], before = (before + 1 if one == other else max(row[place], row[place - 1])), row[place]
    return row[-1]


ANY = [asks("A"), asks("B"), asks("A", "B"), asks("C"), ("patch", "p"), ("text",)]
sides = st.lists(st.sampled_from(ANY), max_size=12)


def asking(side):
    return [each for each in side if each != ("text",)]


@given(sides, sides)
def test_alignment_keeps_order_and_is_as_long_as_possible(left, right):
    """Every place stands once and in order, equal lookups and patches are paired as often as can be, each time alike."""
    found = align(left, right)
    assert [one for one, _, _ in found if one is not None] == list(range(len(left)))
    assert [other for _, other, _ in found if other is not None] == list(range(len(right)))
    paired = [left[one] for one, _, match in found if match == "same"]
    assert len(asking(paired)) == longest(asking(left), asking(right))
    for one, other, match in found:
        assert (match == "same") == (one is not None and other is not None and left[one] == right[other])
        assert (match == "left only") == (other is None)
        assert (match == "right only") == (one is None)
        if match == "shares":
            assert set(left[one][1:]) & set(right[other][1:])
    assert align(left, right) == found


def test_results_are_paired_by_identity_and_turn():
    """The second result of a lookup is compared with the second on the other side; what only one side has is not."""
    left = [Fragment(name, look(what), "completed", 1, name) for name, what in (("a1", "A"), ("b", "B"), ("a2", "A"))]
    right = [Fragment(name, look(what), "completed", 1, name) for name, what in (("x", "A"), ("y", "C"), ("z", "A"))]
    found = pair_results(left, right)
    assert [(one.id, other.id) for one, other in zip(found.left, found.right, strict=True)] == [
        ("a1", "x"),
        ("a2", "z"),
    ]


def test_delivery_is_compared_over_shared_lookups():
    """The pair of prompts says of each shared result how it stands on either side, with sizes."""
    left = run((["A"], [], ON), (["B"], ["A"], ON), (["A"], ["B"], GATE))
    right = run((["A"], [], ON), (["B"], ["A"], ON), ("src/a.js", ["A", "B"], PATCHED))
    found = compare(left, right)
    assert [(row.match, row.left, row.right) for row in found.rows] == [
        ("same", 0, 0),
        ("same", 1, 1),
        ("differs", 2, 2),
    ]
    assert found.matches == {"same": 2, "differs": 1}
    third = found.rows[2]
    assert (third.shared, third.left_states, third.right_states) == (2, {"absent": 1, "whole": 1}, {"whole": 2})
    (unlike,) = third.unlike
    assert unlike.identity == '["search",["A"],null,null]'
    assert (unlike.left.fragment, unlike.left.state, unlike.left.received, unlike.left.total) == (
        "f-A",
        "absent",
        0,
        60,
    )
    assert (unlike.right.fragment, unlike.right.state, unlike.right.received) == ("f-A", "whole", 60)
    assert found.parting.row == found.parting.delivery_row == 2
    assert found.parting.first == (
        "First difference at decision 3: the result of search `A` is absent on the left and whole (60 B) on the right; "
        "the left asked for search `A` (stopped by repetition_gate), the right decided patch src/a.js (patched)."
    )


def test_the_historical_fault_and_its_repair():
    """The two recordings of the video start part in what decision 2 asked, and in delivery at decision 3."""
    left = open_package(SAMPLES / "video_start_overwritten")
    right = open_package(SAMPLES / "video_start_retained")
    found = compare(left, right).parting
    assert found.first == (
        "First difference at decision 2: the left asked for symbol `observePlayback`, "
        "the right asked for symbol `isControlSupported`."
    )
    assert found.delivery == (
        "Delivery first differs at decision 3: the result of search `unsupported_control` is named by a marker only "
        "on the left and whole (1,629 B) on the right."
    )
    assert (found.row, found.delivery_row, found.prompts) == (1, 2, None)


def test_a_run_beside_itself_has_no_difference():
    """Equal runs are said to be equal, and nothing more."""
    same = run((["A"], [], ON), ("src/a.js", ["A"], PATCHED))
    found = compare(same, same)
    assert found.parting.first == (
        "No difference: over 2 decisions both runs asked for the same, received the same of it, and came to the same."
    )
    assert (found.parting.row, found.parting.delivery, found.parting.prompts) == (None, None, None)
    assert compare(run(), run()).parting.first == "Neither run holds a decision: there is nothing to compare."


def test_another_answer_is_told():
    """The same lookup with another result is a difference at the decision that asked, although all else is alike."""
    left, right = run((["A"], [], ON)), run((["A"], [], ON), bodies={"A": "Another, longer text of the result of A."})
    assert compare(left, right).parting.first == (
        "First difference at decision 1: search `A` gave 60 B on the left and 40 B of another text on the right."
    )


def test_another_base_context_is_told_apart_from_the_evidence():
    """Prompts that differ in their own text only are no difference of evidence; the sentence says what differs."""
    found = compare(run((["A"], [], ON)), run((["A"], [], ON), base="Find the other fault."))
    assert found.parting.row is None
    assert found.parting.prompts == "The prompts' own texts differ from decision 1 on: user (15 and 21 B)."


def test_a_decision_without_a_counterpart():
    """A run that goes on longer parts at the decision that nothing stands beside."""
    found = compare(run((["A"], [], ON)), run((["A"], [], ON), ("src/a.js", ["A"], PATCHED)))
    assert found.parting.first == (
        "First difference at decision 2 on the right: the right decided patch src/a.js (patched), "
        "and nothing on the left stands beside it."
    )


def test_an_unsent_prompt_received_nothing():
    """Where one of the two prompts was not sent, no delivery is compared, and the difference is named."""
    left, right = run((["A"], [], ON)), run((["A"], [], ON))
    object.__setattr__(right.decisions[0], "sent", False)
    found = compare(left, right)
    assert found.rows[0].left_states is None
    assert "the left prompt was sent, the right one not sent" in found.parting.first


def test_a_thousand_decisions_are_aligned_quickly():
    """1,500 decisions beside 1,500 of which every seventh is another: aligned well within a second."""
    left = [asks(f"q{number}") for number in range(1_500)]
    right = [asks(f"q{number}" if number % 7 else f"r{number}") for number in range(1_500)]
    start = perf_counter()
    found = align(left, right)
    assert perf_counter() - start < 1
    assert sum(match == "same" for _, _, match in found) == 1_285
    assert sum(match == "differs" for _, _, match in found) == 215


def test_a_long_middle_is_paired_in_order(monkeypatch):
    """Beyond the bound only the common beginning and end are aligned; the rest stands in order, nothing is dropped."""
    monkeypatch.setattr("core.alignment.MAX_ALIGNED_DECISIONS", 2)
    left = [asks("A"), asks("X"), asks("B"), asks("C"), asks("Z")]
    right = [asks("A"), asks("B"), asks("C"), asks("Y"), asks("Z")]
    assert [match for _, _, match in align(left, right)] == ["same", "differs", "differs", "differs", "same"]
