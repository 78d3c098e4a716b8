"""Charts: hostile text in a name and a hover."""

from playwright.sync_api import expect

from tests.app_packages import HOSTILE

CHART = f"""
from core.model import Limits
from core.tally import Bar
from pages.parts import charts

hostile = {HOSTILE!a}
bar = Bar((1, 1), (1, 1), (1, 1), 1, {{"base": 100, "block " + hostile: 900}})
charts.draw(charts.budget([bar], Limits()), key="chart", alt=hostile)
"""


def test_a_hover_shows_characters(server, visitor, tmp_path):
    """A block with a hostile name: its hover and what a screen reader is told are text, cut to 60 characters; the legend names only kinds."""
    script = tmp_path / "chart.py"
    script.write_text(CHART, encoding="utf-8")
    address = server(script, code="sys.argv[2] = sys.argv.pop()\nsys.path.insert(0, '')")
    page = visitor().open(address)
    bar = page.locator(".barlayer .trace.bars").nth(1).locator("path").bounding_box()
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    said = "block <script>alert(1)</script><img src=http://outside.exam"
    expect(page.locator(".hoverlayer")).to_contain_text(said)
    expect(page.locator(".legend")).to_have_text("base contextblocks")
    assert page.locator("img[src*=outside], a[href*=outside], iframe, image").count() == 0
