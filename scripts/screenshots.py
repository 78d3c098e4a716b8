"""Screenshots of every page, light and dark, 1280 and 1920 wide, into build/screenshots/: `python scripts/screenshots.py`.

Starts the app on a free port of this machine, opens each view in Chromium (`CHROME`, else chromium on the path), and
stops both. A page that is added to `PAGE_FILES` is taken without another line here. The browser tests take one view of each
page with the same functions.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from PIL import Image
from playwright.sync_api import sync_playwright

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.machine import chromium  # noqa: E402  # needs the checkout on the path
from benchmarks.served import served  # noqa: E402  # the same
from pages.parts.state import PAGE_FILES  # noqa: E402  # the same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser, Page

FOLDER: Final = ROOT / "build" / "screenshots"
ARCHIVE: Final = ROOT / "tests" / "fixtures" / "readers"
"""What the archive page lists."""

LOOKS: Final = (("light", 1280), ("dark", 1280), ("light", 1920), ("dark", 1920))
HEIGHT: Final = 1000
SIDEBAR: Final = 400
"""Pixels at the left that are on every page."""
LEAST: Final = 0.005
"""A smaller share of drawn pixels is a blank page."""

VIEWS: Final = {
    "": "package=video_start_overwritten&decision=3",
    "-in-sight": "package=video_start_overwritten&decision=3&fragment=f1&other=video_start_retained",
    "-overlapping": "package=overlapping_reads&decision=9&line=1.79",
    "-tight-budget": "package=tight_budget&decision=6&mode=changed",
}
"""What is added to a page's name → the address it is taken at."""

SETTLED: Final = (
    "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
    " && !document.querySelector('[data-testid=stSkeleton]')"
)
DRAWN: Final = """([theme, width]) => {
  const dark = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor.match(/[0-9]+/g)[0] < 60;
  const fits = (chart) => {
    const drawn = chart.querySelector('.main-svg');
    return drawn && Math.abs(drawn.getBoundingClientRect().width - chart.getBoundingClientRect().width) < 3;
  };
  const reading = [...document.querySelectorAll('button')].some((each) => each.textContent === 'Stop');
  return innerWidth === width && dark === (theme === 'dark') && document.fonts.status === 'loaded' && !reading
    && [...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(fits);
}"""
"""Everything has the size and the colours that were asked for, and the archive is read."""
FRAMES: Final = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"


FAILED: Final = "[data-testid=stException]"
"""What Streamlit draws where a page broke."""


class BlankError(Exception):
    """A picture on which a page broke, nothing but the sidebar is drawn, or the theme is not the one that was asked for."""


def settle(tab: Page) -> None:
    """Wait until the page has run and asked for everything that it needs."""
    tab.wait_for_selector("[data-testid=stApp]")
    tab.wait_for_function(SETTLED)
    tab.wait_for_load_state("networkidle")
    tab.wait_for_function(SETTLED)


def clean(folder: Path, name: str) -> None:
    """Remove older pictures of this page, and those of pages that are no more. Other pages' are left to whoever takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    others = tuple(f"{each}-" for each in PAGE_FILES if each != name)
    for old in folder.glob("*.png"):
        if not old.name.startswith(others):
            old.unlink(missing_ok=True)


def take(tab: Page, stem: str, folder: Path, looks: Sequence[tuple[str, int]] = LOOKS) -> list[Path]:
    """Take the view that this tab shows, in each look: `STEM-light-1280.png`. Raises `BlankError`."""
    made = []
    if tab.locator(FAILED).count():
        raise BlankError(f"{stem} is broken: {tab.locator(FAILED).first.inner_text()}")
    for theme, width in looks:
        tab.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        tab.wait_for_function(SETTLED)
        tab.wait_for_function(DRAWN, arg=[theme, width])
        tab.evaluate(FRAMES)
        picture = tab.screenshot(animations="disabled")
        look_at(picture, theme, width)
        made.append(folder / f"{stem}-{theme}-{width}.png")
        made[-1].write_bytes(picture)
    return made


def look_at(picture: bytes, theme: str, width: int) -> None:
    """Raise `BlankError` unless something is drawn beside the sidebar, on the ground of this theme, at this width."""
    shown = Image.open(io.BytesIO(picture)).convert("L")
    if shown.size != (width, HEIGHT):
        raise BlankError(f"expected {width} × {HEIGHT} pixels, found {shown.size}")
    counts = shown.crop((SIDEBAR, 0, width, HEIGHT)).histogram()
    ground = max(range(len(counts)), key=counts.__getitem__)
    drawn = 1 - counts[ground] / sum(counts)
    if drawn < LEAST or (ground < len(counts) // 2) != (theme == "dark"):
        raise BlankError(f"expected a {theme} page, found one of grey {ground} with {drawn:.2%} drawn")


def take_all(browser: Browser, address: str, folder: Path, pages: Sequence[str]) -> int:
    """Take every view of these pages; gives the number of pictures."""
    count = 0
    for name in pages:
        clean(folder, name)
        tab = browser.new_page()
        for suffix, query in VIEWS.items():
            tab.goto(f"{address}/{name}?{query}")
            settle(tab)
            count += len(take(tab, name + suffix, folder))
        tab.close()
    return count


@click.command()
@click.argument("pages", nargs=-1, type=click.Choice(list(PAGE_FILES)))
@click.option("--to", "folder", type=click.Path(path_type=Path), default=FOLDER)
def main(pages: tuple[str, ...], folder: Path) -> None:
    """Take pictures of PAGES (all of them if none is named)."""
    found = chromium()
    if found is None:
        raise click.ClickException("no Chromium found: install it, or name one in CHROME")
    folder.mkdir(parents=True, exist_ok=True)
    log = folder.parent / "screenshots.log"
    with served(log, "--archive-dir", ARCHIVE) as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            count = take_all(browser, address, folder, pages or tuple(PAGE_FILES))
        except BlankError as error:
            raise click.ClickException(str(error)) from error
        browser.close()
    click.echo(f"{count} pictures in {folder}")


if __name__ == "__main__":
    main()
