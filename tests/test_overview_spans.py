"""Many decisions as few bars and columns: grouping, what is read once, bars of any span, honest cells, addresses, the page."""

import pytest

from core.delivery import deliver
from core.diagnosis import diagnose
from core.matrix import counts_text, matrix, telling
from core.neighbours import Column, beside, neighbours, place_of, wider, with_end
from core.outline import outline
from core.package import PackageWriter, open_package
from core.tally import Bar, bars
from pages.parts import addresses, charts
from tests.app_driver import panels, shown, start, visit
from tests.app_packages import long_run, many_decisions

# --- groups


def test_neighbours_are_as_few_as_asked_for_and_leave_none_out():
    """Ten places in at most four groups: three, three, three and one; in ten or more, each for itself."""
    assert neighbours(range(5, 15), 4) == (range(5, 8), range(8, 11), range(11, 14), range(14, 15))
    assert neighbours(range(3), 10) == (range(1), range(1, 2), range(2, 3))
    assert neighbours(range(0), 3) == ()
    assert len(neighbours(range(20_000), 300)) == 299


def test_a_step_out_and_a_step_beside_stay_within_the_run():
    """Three times as many around; at an end they go on at the other side; a run is never wider than it is."""
    assert wider(range(40, 50), 100, 3) == range(30, 60)
    assert wider(range(2, 12), 100, 3) == range(30)
    assert wider(range(90, 100), 100, 3) == range(70, 100)
    assert wider(range(10, 90), 100, 3) == range(100)
    assert beside(range(40, 50), 100, 1) == range(50, 60)
    assert beside(range(40, 50), 100, -1) == range(30, 40)
    assert beside(range(4, 14), 100, -1) == range(10)


def test_an_end_beyond_the_other_one_takes_it_along():
    """From 70 on, where 40 to 49 were in sight, are the ten from 70; up to 20 are the ten up to 20."""
    assert with_end(range(40, 50), 100, 45, last=False) == range(45, 50)
    assert with_end(range(40, 50), 100, 60, last=True) == range(40, 61)
    assert with_end(range(40, 50), 100, 70, last=False) == range(70, 80)
    assert with_end(range(40, 50), 100, 95, last=False) == range(90, 100)
    assert with_end(range(40, 50), 100, 20, last=True) == range(11, 21)


def test_a_decision_is_found_by_its_index_or_the_nearest():
    """Of two attempts of one index the first is meant at the left end, the last at the right."""
    keys = [(1, 1), (2, 1), (2, 2), (7, 1)]
    assert (place_of(keys, 2), place_of(keys, 2, last=True)) == (1, 2)
    assert (place_of(keys, 6), place_of(keys, 99), place_of(keys, 0)) == (3, 3, 0)


# --- what is read once


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Twelve decisions. f1 stands in prompts 2 to 7, f2 in 5 to 12; 9 asks for f1 again; 6 was not sent."""
    path = tmp_path_factory.mktemp("twelve") / "run"
    bodies = {"f1": "const one_value = compute(1);\n" * 4, "f2": "const two_values = compute(2);\n" * 5}
    with PackageWriter(path, title="Twelve", replies="scripted", sync=False) as package:
        for number in range(1, 13):
            name = {1: "f1", 4: "f2", 9: "f1"}.get(number)
            lookups = [{"kind": "read", "arguments": {"path": name}}] if name else []
            prompt = [{"role": "system", "text": "Look."}]
            prompt += [_result("f1", bodies)] if 2 <= number <= 7 else []
            prompt += [_result("f2", bodies)] if number >= 5 else []
            package.append_decision(
                prompt,
                sent=number != 6,
                status="accepted" if number != 6 else "rejected",
                reply={"text": "on", "lookups": lookups},
                outcome={"kind": "continued"},
            )
            if number in (1, 4):
                package.append_fragment(name, lookup=lookups[0], body=bodies[name], requested_by=number)
    return open_package(path)


def _result(name, bodies):
    return {"role": "tool", "parts": [{"type": "tool_result", "id": f"call-{name}", "text": bodies[name]}]}


def test_an_outline_holds_keys_sizes_and_who_asked(run):
    """System text 5 B, f1 120 B, f2 155 B; decision 1 asked for f1 and 4 for f2, and 9, which asked again, is no first ask."""
    counted = []
    found = outline(run, lambda done, total: counted.append((done, total)))
    assert counted[-1] == (12, 12)
    assert found.keys == tuple((number, 1) for number in range(1, 13))
    assert found.sent == (True,) * 5 + (False,) + (True,) * 6
    assert list(found.totals) == [5, 125, 125, 125, 280, 280, 280, 160, 160, 160, 160, 160]
    assert found.sizes(0) == {"system": 5}
    assert found.sizes(4) == {"system": 5, "tool_result": 275}
    assert found.fragments == (("f1", 1), ("f2", 4))
    assert found.asked == {0: (0,), 1: (3,)}
    assert [decision.prompt_bytes for decision in run.decisions] == list(found.totals)


def test_growing_prompts_are_summed_by_what_is_new(tmp_path):
    """Each prompt has one message more than the one before: 25 B of system text, then 18 B each, 19 B from the tenth on."""
    found = outline(open_package(many_decisions(tmp_path / "many", 11)))
    assert list(found.totals) == [43, 61, 79, 97, 115, 133, 151, 169, 187, 206, 225]
    assert found.sizes(10) == {"system": 25, "user": 200}


def test_bars_of_a_span_are_made_without_reading_the_package_again(run):
    """Places 3 to 9 in two bars: the largest of decisions 4 to 7 is 5, that of 8 to 10 is 8."""
    found = outline(run)
    assert bars(found, range(3, 10), 2) == (
        Bar((5, 1), (4, 1), (7, 1), 4, {"system": 5, "tool_result": 275}),
        Bar((8, 1), (8, 1), (10, 1), 3, {"system": 5, "tool_result": 155}),
    )
    assert [bar.key for bar in bars(found, range(3, 6), 300)] == [(4, 1), (5, 1), (6, 1)]


# --- honest cells


def matrix_of(run, most, places=range(12)):
    deliveries = deliver(run)
    return matrix(
        run, outline(run), deliveries, diagnose(run, deliveries), decisions=places, fragments=(0, 1), most=most
    )


def test_a_cell_of_several_decisions_counts_its_prompts_and_hides_no_drop(run):
    """In decisions 5 to 8 f1 stood in two of three sent prompts: the cell is absent and says so; 9 asked again."""
    found = matrix_of(run, 3)
    assert found.columns == (
        Column((1, 1), (4, 1), 4, True),
        Column((5, 1), (8, 1), 4, True),
        Column((9, 1), (12, 1), 4, True),
    )
    assert found.prompts == (4, 3, 4)
    assert not found.exact
    first, second = found.rows
    assert first.states == ("whole", "absent", "absent")
    assert first.counts == ({"whole": 3}, {"whole": 2, "absent": 1}, {"absent": 4})
    assert first.asks == ("requested", None, "repeated")
    assert second.states == (None, "whole", "whole")
    assert second.asks == ("requested", None, None)
    assert [counts_text(counts, sent) for counts, sent in zip(first.counts, found.prompts, strict=True)] == [
        "whole in 3 of 4 prompts, not there yet in 1",
        "whole in 2 of 3 prompts, absent in 1",
        "absent in all 4 prompts",
    ]


def test_one_column_a_decision_says_the_same_as_before(run):
    """With room for all, each cell is the state of its prompt; a prompt that was not sent has none."""
    found = matrix_of(run, 12)
    assert found.exact
    assert found.rows[0].states == (None, *["whole"] * 4, None, "whole", *["absent"] * 5)
    assert found.columns[5] == Column((6, 1), (6, 1), 1, False)
    only = matrix_of(run, 12, range(5, 6))
    assert (only.prompts, only.rows[0].counts) == ((0,), ({},))


def test_a_cell_in_words():
    """One state or several, the most delivered first; nothing of prompts without any."""
    assert counts_text({"whole": 7, "absent": 3}, 10) == "whole in 7 of 10 prompts, absent in 3"
    assert counts_text({"marker_only": 1_200}, 1_200) == "marker only in all 1,200 prompts"
    assert counts_text({"cut": 1}, 1) == "cut in its one prompt"
    assert counts_text({}, 10) == ""


def test_rows_of_a_span_are_what_there_was_to_tell_of_it(tmp_path):
    """Of decisions 401 to 600: f50, which 500 repeats, then the latest of the 60 that had been asked for."""
    run = open_package(long_run(tmp_path / "long"))
    found, judged = outline(run), diagnose(run)
    assert telling(found, judged, 3) == (49, 98, 99)
    assert telling(found, judged, 3, ((401, 1), (600, 1))) == (49, 58, 59)
    assert telling(found, judged, 3, ((1, 1), (20, 1))) == (0, 1)


# --- the axis


@pytest.mark.parametrize(
    ("count", "most", "first", "last", "number"),
    [(20_000, 300, "2,000", "20,000", 10), (1_000, 300, "100", "1,000", 10), (120, 120, "10", "120", 12)],
)
def test_the_axis_names_round_numbers(count, most, first, last, number):
    """Of many bars those are named that hold a decision of a round number."""
    groups = neighbours(range(1, count + 1), most)
    drawn = [Bar((each[0], 1), (each[0], 1), (each[-1], 1), len(each)) for each in groups]
    found = charts.decision_ticks(drawn)
    assert (found["ticktext"][0], found["ticktext"][-1], len(found["ticktext"])) == (first, last, number)
    for place, text in zip(found["tickvals"], found["ticktext"], strict=True):
        assert drawn[place].first[0] <= int(text.replace(",", "")) <= drawn[place].last[0]


def test_few_bars_are_each_named():
    """Attempts included."""
    drawn = [Bar((8, attempt), (8, attempt), (8, attempt), 1) for attempt in (1, 2)]
    assert charts.decision_ticks(drawn) == {"tickvals": [0, 1], "ticktext": ["8", "8.2"]}


# --- the address and the page


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A run of 1,000 decisions."""
    return long_run(tmp_path_factory.mktemp("long") / "long")


def test_a_span_in_an_address():
    """`120-240` and `3.2-8` read back as themselves; what is no pair of decisions is answered with what was expected."""
    for text, value in (("120-240", ((120, 1), (240, 1))), ("3.2-8", ((3, 2), (8, 1)))):
        view, complaints = addresses.parse({"span": text})
        assert (view["span"], complaints, addresses.render(view)) == (value, [], {"span": text})
    for text in ("120", "120-", "-5", "1-2-3", "a-b", "1--2"):
        view, complaints = addresses.parse({"span": text})
        assert view["span"] is None
        assert complaints == ["The address names no span that can be opened: expected two decisions such as 120-240."]


def number_of(app, word):
    return next(each for each in app.number_input if each.label == word)


def matrix_data(app):
    return next(data for name, data in panels(app).items() if name.endswith("overview-matrix"))


def test_the_overview_of_a_long_run_zooms(monkeypatch, long):
    """All at first, in columns of 17; 401 to 500 one by one; the fields, a step out, and the whole run again."""
    app = start(monkeypatch, long)
    assert not app.exception
    assert "All 1,000 decisions: 1 to 1,000" in shown(app)
    assert "Each bar is the largest of 4 neighbouring decisions" in shown(app)
    assert matrix_data(app)["columns"][0] == "decisions 1 to 17"
    app = visit(monkeypatch, "overview", long, span="401-500")
    assert "100 decisions of 1,000 in sight: 401 to 500" in shown(app)
    assert matrix_data(app)["columns"][-1] == "decision 500"
    number_of(app, "To decision").set_value(480).run()
    assert app.query_params["span"] == "401-480"
    app.button(key="overview-Zoom out").click().run()
    assert app.query_params["span"] == "321-560"
    assert matrix_data(app)["columns"][0] == "decisions 321 to 324"
    app.button(key="overview-Whole run").click().run()
    assert "span" not in app.query_params
    assert not app.exception


@pytest.mark.parametrize(
    ("named", "settled", "said"),
    [
        ("901-4000", "901-1000", "The address names the decisions 901 to 4000; 901 to 1000 are the nearest here"),
        ("300-200", "200-300", "The address names the decisions 300 to 200; 200 to 300 are the nearest here"),
        ("0-9999", None, "The address names the decisions 0 to 9999; all are the nearest here"),
        ("1-1000", None, None),
        ("x", None, "names no span that can be opened: expected two decisions such as 120-240"),
    ],
)
def test_a_span_that_is_not_here_is_settled_to_the_nearest(monkeypatch, long, named, settled, said):
    """With a message, and the address is put right; all decisions are what no span means."""
    app = visit(monkeypatch, "overview", long, span=named)
    assert not app.exception
    assert app.query_params.get("span") == settled
    assert said is None or said in shown(app)
    assert said is not None or "The address names" not in shown(app)


def test_a_short_run_has_nothing_to_zoom(monkeypatch):
    """The samples keep their charts without fields; a span of theirs is shown all the same, with the way back."""
    app = start(monkeypatch, package="tight_budget")
    assert not app.number_input
    assert "in sight" not in shown(app)
    app = start(monkeypatch, package="tight_budget", span="2-4")
    assert not app.exception
    assert matrix_data(app)["keys"] == ["2", "3", "4"]
    assert "3 decisions of 8 in sight: 2 to 4" in shown(app)
    app.button(key="overview-Whole run").click().run()
    assert matrix_data(app)["keys"] == ["1", "2", "3", "4", "5", "6", "7.2", "8.2"]


def test_another_package_begins_with_all_of_its_decisions(monkeypatch, long):
    """A span means nothing in another package."""
    app = visit(monkeypatch, "overview", long, package="nonesuch", span="401-500")
    assert "span" not in app.query_params
