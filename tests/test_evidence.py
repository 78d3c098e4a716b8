"""Evidence over time: a fragment's life, its body in parts, files as maps of lines against decisions."""

from pathlib import Path

import pytest

from core.delivery import deliver
from core.diagnosis import diagnose
from core.diagnosis.absence import evidence_of, why_absent
from core.evidence import life, line_map, parts, source_files, summaries, supplied
from core.evidence.parts import file_lines
from core.excerpt import excerpt
from core.model import Decision, Fragment, Investigation, Lookup, Message, Outcome, Reply, SourceRange, TextPart
from core.package import open_package
from core.wording import run_text, runs

SAMPLES = Path(__file__).parent.parent / "sample_archives"
OLD, NEW = "sha256:" + "a" * 64, "sha256:" + "b" * 64


def read(path, start, end):
    return Lookup("read", arguments={"path": path, "start": start, "end": end})


def lines_of(name, start, end, version=OLD):
    """A fragment of numbered lines, as a lookup returns them."""
    source = SourceRange("src/a.js", version, start, end)
    body = excerpt(
        source, [f"const {'old' if version == OLD else 'new'}_value_{n} = {n};" for n in range(start, end + 1)]
    )
    return name, source, body


def run(results, prompts, outcomes=()):
    """Decision n asks for `results[n - 1]` (or for nothing) and received the bodies of the fragments in `prompts[n - 1]`."""
    store, decisions, fragments = [], [], []
    bodies = {each[0]: each[2] for each in results if each}
    for number, held in enumerate(prompts, 1):
        texts = ["Find the fault.", *(bodies[name] for name in held)]
        start = len(store)
        store += [Message("user", (TextPart(text),)) for text in texts]
        result = results[number - 1] if number <= len(results) else None
        asked = ()
        if result:
            name, source, body = result
            asked = (read(source.path, source.start, source.end),)
            if name not in {each.id for each in fragments}:
                fragments.append(Fragment(name, asked[0], "completed", number, body, (source,)))
        outcome = outcomes[number - 1] if number <= len(outcomes) else Outcome("continued")
        decisions.append(
            Decision(
                number,
                sent=held is not None,
                slices=((start, len(texts)),),
                reply=Reply(lookups=asked),
                outcome=outcome,
                store=store,
            )
        )
    return Investigation("a run", decisions, store, fragments, prompts="recorded")


def looked(investigation):
    deliveries = deliver(investigation)
    return evidence_of(investigation, deliveries), diagnose(investigation, deliveries), deliveries


def told(found):
    return [(each.kind, each.first and each.first[0], each.last and each.last[0], each.count) for each in found.moments]


@pytest.fixture(scope="module")
def overwritten():
    return looked(open_package(SAMPLES / "video_start_overwritten"))


@pytest.fixture(scope="module")
def tight():
    return looked(open_package(SAMPLES / "tight_budget"))


def test_the_life_of_the_overwritten_result(overwritten):
    """Asked for, whole once, dropped with the cause, the newer result and the free budget, asked again at the gate."""
    evidence, diagnosis, _ = overwritten
    found = life(evidence, diagnosis, "f1")
    assert told(found) == [("asked", 1, 1, 1), ("whole", 2, 2, 1), ("marker_only", 3, 3, 1), ("asked again", 3, 3, 1)]
    assert [each.sentence for each in found.moments] == [
        "Decision 1 asked for search unsupported_control; the lookup returned 1,629 B.",
        "Whole in the prompt of decision 2: 1,629 B, message 2, bytes 1,694-3,323.",
        (
            "Dropped: not in the prompt of decision 3; only its marker is. It was in decision 2's prompt, was replaced "
            "at decision 3 by symbol `observePlayback` (1,437 B, src/observe.js 13-47), and 26,586 B of budget were free."
        ),
        "Decision 3 asked for it again, stopped by repetition_gate.",
    ]
    dropped = found.moments[2]
    assert (dropped.cause, dropped.other, dropped.proof.budget.free) == ("overwritten", "f2", 26_586)


def test_the_life_of_a_cut_and_evicted_result(tight):
    """Cut with its bytes, then gone with what evicted it, in part through others, and not held against a later attempt."""
    evidence, diagnosis, _ = tight
    found = life(evidence, diagnosis, "f2")
    assert [(each.kind, each.first) for each in found.moments] == [
        ("asked", (2, 1)),
        ("cut", (3, 1)),
        ("overlap", (4, 1)),
        ("overlap", (6, 1)),
        ("absent", (7, 2)),
    ]
    assert found.moments[1].sentence == (
        "Cut in the prompt of decision 3: 3,960 of 6,977 B, message 2, bytes 1,756-5,716; the prompt says so."
    )
    assert found.moments[2].cause == "evicted"
    assert "lines 69-84 came through f3" in found.moments[2].sentence
    assert found.moments[4].cause is None
    assert found.moments[4].sentence.startswith(
        "Another attempt, which began without it: not in the prompt of decision 7"
    )


def test_a_lookup_without_known_outcome_has_no_body_to_deliver(tight):
    """An uncertain lookup is not said to have been dropped; asking again names the new result."""
    evidence, diagnosis, _ = tight
    found = life(evidence, diagnosis, "f4")
    assert found.moments[0].sentence == "Decision 4 asked for symbol describe; the lookup has no known outcome."
    assert found.moments[1].sentence == (
        "Whether anything of it stood in 2 prompts, from decision 5 to decision 6 cannot be told: "
        "what the lookup returned is not recorded."
    )
    again = next(each for each in found.moments if each.kind == "asked again")
    assert (again.first, again.cause, again.other) == ((5, 1), "uncertain_outcome", "f5")


def test_why_absent_names_a_missing_fact():
    """Without a recorded budget or marker nothing is blamed: the cause is unknown, and the missing fact is named."""
    investigation = run([lines_of("f1", 1, 20)], [[], ["f1"], []])
    evidence, _, _ = looked(investigation)
    cause, proof = why_absent(evidence, "f1", (3, 1))
    assert cause == "unknown"
    assert proof.missing_fact == "no budget (context_bytes) and no marker of a compaction or clearing is recorded"
    assert why_absent(evidence, "f1", (2, 1)) is None
    assert why_absent(evidence, "f1", (9, 1)) is None
    assert why_absent(evidence, "f9", (3, 1)) is None


def test_prompts_alike_are_one_moment():
    """Neighbouring prompts in which a fragment stands alike are one moment with their number."""
    investigation = run([lines_of("f1", 1, 20)], [[], ["f1"], ["f1"], ["f1"], [], []])
    evidence, diagnosis, _ = looked(investigation)
    assert told(life(evidence, diagnosis, "f1")) == [("asked", 1, 1, 1), ("whole", 2, 4, 3), ("absent", 5, 6, 2)]


def test_a_fragment_that_nobody_is_recorded_to_have_asked_for():
    """Without a requester the life begins with that fact, and still says where the body stood."""
    investigation = run([lines_of("f1", 1, 20)], [[], ["f1"]])
    fragment = investigation.fragments[0]
    object.__setattr__(fragment, "requested_by", None)
    evidence, diagnosis, _ = looked(investigation)
    found = life(evidence, diagnosis, "f1")
    assert found.moments[0].first is None
    assert found.moments[0].sentence.startswith("It is not recorded which decision asked; the lookup returned")
    assert ("whole", 2) in [(each.kind, each.first and each.first[0]) for each in found.moments]


def test_a_body_in_the_parts_that_prompts_received(tight):
    """The cut result: bytes of each part, who received it, through others, and who did not; parts join to the body."""
    evidence, _, deliveries = tight
    fragment = evidence.fragment_of["f2"]
    found = parts(deliveries, fragment, deliveries.row("f2"))
    assert "".join(part.text for part in found) == fragment.body
    assert [
        (part.start, part.end, [key[0] for key in part.own], [key[0] for key in part.through]) for part in found
    ] == [
        (0, 3_642, [3], []),
        (3_642, 3_960, [3], [4, 5, 6]),
        (3_960, 4_712, [], [4, 5, 6]),
        (4_712, 6_549, [], []),
        (6_549, 6_847, [], [6]),
        (6_847, 6_977, [], []),
    ]
    assert all(len(part.own) + len(part.through) + len(part.without) == 5 for part in found)
    assert (found[0].first_line, found[0].last_line) == (1, 69)


def test_a_whole_body_is_one_part(overwritten):
    """Where every prompt received the same there is one part; where none was sent, nobody is listed."""
    _, _, deliveries = overwritten
    fragment = deliveries.fragments[1]
    (part,) = parts(deliveries, fragment, deliveries.row("f2"))
    assert (part.start, part.end, part.own, part.without) == (0, 1_437, ((3, 1),), ())
    (alone,) = parts(deliveries, fragment, ())
    assert (alone.own, alone.through, alone.without) == ((), (), ())


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (excerpt(SourceRange("src/a.js", OLD, 4, 5), ["one", "two"]), {2: 4, 3: 5}),
        ("     4\tone\n     5\ttwo\n", {1: 4, 2: 5}),
        ("one\ntwo\n", {1: 4, 2: 5}),
        ("one\ntwo\nthree\nfour\n", {}),
        ("4: one\nnothing like a number\nnor this\n5: two\n", {}),
    ],
)
def test_which_line_of_the_file_a_line_of_the_body_is(body, found):
    """Excerpts, numbered lines and bare lines of one range are understood; of anything else nothing is claimed."""
    fragment = Fragment("f1", read("src/a.js", 4, 5), "completed", 1, body, (SourceRange("src/a.js", OLD, 4, 5),))
    assert {place: number for place, (_, _, number) in file_lines(fragment).items()} == found


def test_every_fragment_in_one_line(tight):
    """Counts by state, and what should be looked at: asked again, dropped, cut; another attempt's prompts drop nothing."""
    evidence, diagnosis, _ = tight
    found = summaries(evidence, diagnosis)
    assert [(each.fragment, dict(each.states), each.concerns) for each in found] == [
        ("f1", {"whole": 1, "marker_only": 4, "absent": 1}, ("asked again", "dropped")),
        ("f2", {"cut": 1, "overlap": 3, "absent": 1}, ("dropped", "cut")),
        ("f3", {"whole": 3, "absent": 1}, ()),
        ("f4", {"unknown": 3}, ("asked again", "failed or unknown")),
        ("f5", {"whole": 1, "absent": 1}, ()),
        ("f6", {}, ()),
    ]
    assert found[0].matches("SEARCH unsupported")
    assert found[0].matches("player.js")
    assert not found[0].matches("search describe")


def test_a_fragment_that_no_prompt_carried():
    """Prompts were sent after it and none carried any of it: never received."""
    investigation = run([lines_of("f1", 1, 20)], [[], [], []])
    evidence, diagnosis, _ = looked(investigation)
    (found,) = summaries(evidence, diagnosis)
    assert found.concerns == ("never received",)


def test_source_files_and_their_versions():
    """Files in order of first appearance, versions apart, lines merged and counted."""
    results = [lines_of("f1", 1, 20), lines_of("f2", 15, 30), lines_of("f3", 1, 10, NEW)]
    (found,) = source_files(run(results, [[], [], [], []]).fragments)
    assert (found.number, found.path, found.line_count) == (1, "src/a.js", 40)
    assert [(each.hash, each.lines, each.fragments) for each in found.versions] == [
        (OLD, ((1, 30),), (0, 1)),
        (NEW, ((1, 10),), (2,)),
    ]


def drawn(found):
    """The map as text, a row a band: r received, p part, m missing, v other version, . nothing; + and R for asks."""
    letters = {"received": "r", "part": "p", "missing": "m", "other_version": "v"}
    marks = {"requested": "+", "repeated": "R", None: ""}
    return {
        (band.version, band.start, band.end): " ".join(
            (letters[cell.state] if cell else ".") + marks[ask] for cell, ask in zip(cells, asks, strict=True)
        )
        for band, cells, asks in zip(found.bands, found.cells, found.asks, strict=True)
    }


def mapped(investigation, **most):
    table = supplied(deliver(investigation))
    return line_map(
        investigation,
        table,
        source_files(investigation.fragments)[0],
        **({"most_bands": 60, "most_columns": 60} | most),
    )


def test_lines_against_decisions():
    """Bands where lookups differ; received, asked for and missing, read again as another version; asked and asked again."""
    results = [lines_of("f1", 1, 20), lines_of("f2", 15, 30), lines_of("f3", 1, 10, NEW), None]
    found = mapped(run(results, [[], ["f1"], ["f2"], ["f2", "f3"], []]))
    assert found.exact
    assert drawn(found) == {
        (0, 1, 14): ".+ r m v v",
        (0, 15, 20): ".+ rR r r v",
        (0, 21, 30): ". .+ r r v",
        (1, 1, 10): ". . .+ r m",
    }


def test_a_cell_leads_to_the_bytes():
    """A received cell names the fragment that brought the lines, a missing one the latest that had returned them."""
    results = [lines_of("f1", 1, 20), lines_of("f2", 15, 30)]
    found = mapped(run(results, [[], ["f1"], ["f1"], []]))
    middle = found.cells[1]
    assert [(cell.key, cell.fragment, cell.received, cell.asked) if cell else None for cell in middle] == [
        None,
        ((2, 1), "f1", 6, 6),
        ((3, 1), "f1", 6, 6),
        ((4, 1), "f2", 0, 6),
    ]


def test_lines_that_were_cut_off_are_missing(tight):
    """Of a cut body only the lines that stand whole in the prompt are received."""
    evidence, _, deliveries = tight
    investigation = evidence.investigation
    file = next(each for each in source_files(investigation.fragments) if each.path == "src/i18n/messages.js")
    found = line_map(investigation, supplied(deliveries), file, most_bands=60, most_columns=60)
    assert drawn(found) == {
        (0, 1, 68): ". .+ r m m m m .",
        (0, 69, 73): ". .+ rR r r r m .",
        (0, 74, 84): ". .+ mR r r r m .",
        (0, 85, 119): ". .+ m m m m m .",
        (0, 120, 124): ". .+ m m mR r m .",
        (0, 125, 127): ". .+ m m m m m .",
    }


def test_many_lines_and_decisions_are_drawn_together():
    """Beyond the bounds bands and columns are joined: nothing is lost from the counts, and a mixed cell is in part."""
    results = [lines_of(f"f{number}", 10 * number, 10 * number + 4) for number in range(1, 201)]
    prompts = [[f"f{number - 1}"] if number > 1 else [] for number in range(1, 202)]
    found = mapped(run(results, prompts), most_bands=20, most_columns=25)
    assert not found.exact
    assert len(found.bands) <= 20
    assert len(found.columns) <= 25
    assert sum(band.lines for band in found.bands) == 1_000
    assert sum(column.count for column in found.columns) == 201
    states = {cell.state for row in found.cells for cell in row if cell}
    assert states == {"received", "part", "missing"}
    assert (found.bands[0].start, found.bands[0].end, found.bands[0].lines) == (10, 104, 50)
    assert [cell.state for cell in found.cells[0][:3]] == ["part", "part", "missing"]
    assert found.columns[0].first == (1, 1)
    assert found.columns[-1].last == (201, 1)


def test_what_stood_in_prompts_is_kept_as_changes():
    """Supplied lines are stored where they change and read back for every prompt."""
    investigation = run([lines_of("f1", 1, 20)], [[], ["f1"], ["f1"], []])
    table = supplied(deliver(investigation))
    assert [lines for lines, _ in table.of(("src/a.js", OLD))] == [(), ((1, 20),), ((1, 20),), ()]
    assert table.runs["src/a.js", OLD] == [(1, ((1, 20),), ("f1",)), (3, (), ())]
    assert table.of(("src/other.js", OLD)) == [((), ())] * 4


def test_runs_of_decisions():
    """Keys that follow each other in the recording are one run, attempts included."""
    every = [(1, 1), (2, 1), (3, 1), (3, 2), (5, 1), (6, 1)]
    found = runs([(1, 1), (2, 1), (3, 2), (5, 1)], every)
    assert [run_text(each) for each in found] == ["1–2", "3.2–5"]
    assert runs([], every) == ()
