"""Charts and numbers: labels are inert, sizes are written one way, a prompt over its limit is never hidden."""

import pytest

from core.model import Limits
from core.report.parts import Bar as ReportBar
from core.report.parts import chart
from core.tally import Bar
from pages.parts import charts
from pages.parts.palette import KINDS
from pages.parts.sizes import exact, many, size


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 B"), (1204, "1,204 B"), (9999, "9,999 B"), (10_000, "9.8 KB"), (41_984, "41.0 KB"), (3_145_728, "3.0 MB")],
)
def test_a_size_is_exact_below_ten_thousand_bytes(count, said):
    """Above that it is in KB or MB of 1,024."""
    assert size(count) == said


def test_exact_sizes_and_counted_things():
    """Every digit, and one thing or several."""
    assert (exact(41_984), many(1, "fragment"), many(1204, "fragment")) == ("41,984 B", "1 fragment", "1,204 fragments")


def test_a_label_shows_characters_and_no_markup():
    """Tags are escaped, templates and formulas broken, hidden characters replaced, long texts cut."""
    assert (
        charts.label("<b>x</b> & <a href='http://x'>y</a>")
        == "&lt;b&gt;x&lt;/b&gt; &amp; &lt;a href='http://x'&gt;y&lt;/a&gt;"
    )
    assert "%{" not in charts.label("%{customdata}")
    assert "$" not in charts.label("$x$")
    assert charts.label("a\u202eb\0c") == "a\ufffdb\ufffdc"
    assert charts.label("x" * 100) == "x" * 59 + "…"


def hostile_bar(number):
    return Bar(
        (number, 1), (number, 1), (number, 1), 1, {"base": 100, "instructions": 50, "block <img src=x>": 10 * number}
    )


def test_the_budget_chart_stacks_what_counts_and_puts_instructions_on_top():
    """Names from the package are escaped; the last stacked bar is the instructions; both limits are drawn and named."""
    figure = charts.budget([hostile_bar(1), hostile_bar(2)], Limits(prompt_bytes=42_000, context_bytes=30_000))
    stacked = [trace.name for trace in figure.data if trace.type == "bar"]
    assert stacked == ["base context", "blocks", "instructions"]
    assert list(figure.data[3].y) == [10, 20]
    assert "block &lt;img src=x&gt;: 10 B" in figure.data[3].hovertext[0]
    assert [trace.name for trace in figure.data if trace.type == "scatter"] == [
        "prompt limit: 42,000 B",
        "context budget: 30,000 B",
    ]
    assert [shape.y0 for shape in figure.layout.shapes] == [42_000, 30_000]


def test_without_limits_no_line_is_drawn():
    """A limit is never inferred."""
    figure = charts.budget([hostile_bar(1)], Limits())
    assert not figure.layout.shapes
    assert not [trace for trace in figure.data if trace.type == "scatter"]


def test_a_prompt_that_was_not_sent_is_hatched_and_named():
    """Its bar has a pattern, hover and legend say so; sent ones have none."""
    bars = [Bar((1, 1), (1, 1), (1, 1), 1, {"user": 5}), Bar((2, 1), (2, 1), (2, 1), 1, {"user": 7}, False)]
    figure = charts.budget(bars, Limits())
    assert list(figure.data[0].marker.pattern.shape) == ["", "/"]
    assert "not sent" not in figure.data[0].hovertext[0]
    assert figure.data[0].hovertext[1].startswith("decision 2, not sent<br>user: 7 B")
    assert [trace.name for trace in figure.data] == ["user", "not sent"]
    assert [trace.name for trace in charts.budget(bars[:1], Limits()).data] == ["user"]


def test_what_is_only_known_in_part_says_so():
    """Axis and hover speak of known bytes; of recorded prompts they do not."""
    bars = [Bar((1, 1), (1, 1), (1, 1), 1, {"user": 5})]
    known, whole = charts.budget(bars, Limits(), known=True), charts.budget(bars, Limits())
    assert (known.layout.yaxis.title.text, whole.layout.yaxis.title.text) == ("known bytes", None)
    assert known.data[0].hovertext[0].endswith("known bytes: 5 B")
    assert whole.data[0].hovertext[0].endswith("whole prompt: 5 B")


def test_a_part_of_a_prompt_has_one_word_and_one_colour_everywhere():
    """Viewer, chart and report take them from one table, and no two that may stand in one prompt are alike."""
    viewer = {kind.id: (kind.label, kind.color) for kind in KINDS}
    drawn = {name: {"system": "instructions"}.get(name, name) for name in ("system", "user", "assistant", "opaque")}
    bars = [Bar((1, 1), (1, 1), (1, 1), 1, dict.fromkeys(drawn, 5))]
    for trace in charts.budget(bars, Limits()).data:
        assert (trace.name, trace.marker.color) in {viewer[kind] for kind in drawn.values()}
    for prompt in (
        ("instructions", "base", "heading", "ledger", "supplied", "block", "guidance"),
        ("instructions", "user", "assistant", "tool_call", "tool_result", "summary", "placeholder", "opaque", "other"),
    ):
        assert len({viewer[kind][1] for kind in prompt}) == len(prompt)
    page = chart([ReportBar("decision 1", {"assistant": 3}, sent=False)], [("prompt limit", 42_000)])
    assert f'fill="{viewer["assistant"][1]}" fill-opacity="0.35"' in page
    assert "decision 1, not sent: assistant 3 B" in page
    assert "prompt limit: 42,000 B" in page
