"""Zooming in the overview of a long run: dragging and clicking in the chart and the matrix, fields, Back."""

import re

import pytest
from playwright.sync_api import expect

from benchmarks.served import served
from tests.app_packages import long_run

PLOT = ".js-plotly-plot"
SETTLED = "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """The address of the overview of a run of 1,000 decisions."""
    folder = tmp_path_factory.mktemp("long")
    with served(folder / "log", long_run(folder / "long")) as (address, _):
        yield f"{address}/overview?package=long"


def bars_drawn(page, span):
    """Wait for the chart of a span and give the number of its bars."""
    chart = page.locator(f".st-key-overview-budget-{span} {PLOT}")
    expect(chart.locator(".barlayer .trace").first).to_be_visible()
    return chart.locator(".barlayer .trace").first.locator(".point").count()


def plot_area(page):
    """The rectangle that bars are drawn in."""
    return page.locator(f"{PLOT} .nsewdrag").first.bounding_box()


def test_drag_over_the_chart_and_go_back(long, visitor):
    """A drag brings its decisions in sight, in bars of fewer decisions each; Back shows all; a click on a bar, its own."""
    guest = visitor()
    page = guest.open(long)
    assert bars_drawn(page, "0-1000") == 250  # of four decisions each
    expect(page.get_by_text("All 1,000 decisions: 1 to 1,000")).to_be_visible()
    area = plot_area(page)
    across = area["y"] + area["height"] / 2
    page.mouse.move(area["x"] + area["width"] * 0.402, across)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.5, across + 9, steps=5)
    page.mouse.move(area["x"] + area["width"] * 0.598, across, steps=5)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"span=401-600$"))
    assert bars_drawn(page, "400-600") == 200
    page.wait_for_function(SETTLED)
    page.go_back()
    expect(page.get_by_text("All 1,000 decisions: 1 to 1,000")).to_be_visible()
    assert bars_drawn(page, "0-1000") == 250
    page.wait_for_function(SETTLED)
    area = plot_area(page)
    page.mouse.move(area["x"] + area["width"] * 0.502, area["y"] + area["height"] - 3)
    page.wait_for_timeout(200)
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"span=501-504$"))
    assert bars_drawn(page, "500-504") == 4
    page.wait_for_function(SETTLED)
    area = plot_area(page)
    page.mouse.move(area["x"] + area["width"] * 0.4, area["y"] + area["height"] - 3)
    page.wait_for_timeout(200)
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"/decisions\?package=long&decision=502"))


def test_a_column_of_the_matrix_is_zoomed_into_and_then_opened(long, visitor):
    """A cell of 17 decisions brings them in sight one by one; a cell of one opens it; the keyboard zooms out."""
    guest = visitor()
    page = guest.open(long)
    page.locator("td[aria-label='f50, decisions 494 to 510, whole in all 17 prompts, repeated here']").click()
    expect(page).to_have_url(re.compile(r"span=494-510$"))
    repeated = page.locator("td[aria-label='f50, decision 500, whole, repeated here']")
    expect(repeated).to_be_visible()
    page.wait_for_function(SETTLED)
    page.get_by_role("button", name="Zoom out").press("Enter")
    expect(page).to_have_url(re.compile(r"span=477-527$"))
    page.wait_for_function(SETTLED)
    page.get_by_label("To decision").fill("520")
    page.get_by_label("To decision").press("Enter")
    expect(page).to_have_url(re.compile(r"span=477-520$"))
    page.wait_for_function(SETTLED)
    repeated.click()
    expect(page).to_have_url(re.compile(r"/decisions\?package=long&decision=500&fragment=f50"))
