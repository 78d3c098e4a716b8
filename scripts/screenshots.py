"""Screenshots of every page, light and dark, 1280 and 1920 wide, into build/screenshots/: `python scripts/screenshots.py`.

Starts the app on a free port of this machine, opens each view in Chromium (`CHROME`, else chromium on the path), and
stops both. A page that is added to `PAGE_FILES` is taken without another line here.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from playwright.sync_api import sync_playwright

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.served import served  # noqa: E402  # needs the checkout on the path
from pages.parts.state import PAGE_FILES  # noqa: E402  # the same

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS: Final = (1280, 1920)
THEMES: Final = ("light", "dark")
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


def take(browser: Browser, address: str, folder: Path, pages: list[str]) -> int:
    """Take every view of these pages; gives the number of pictures."""
    count = 0
    for width in WIDTHS:
        for theme in THEMES:
            context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=theme)
            tab = context.new_page()
            for name in pages:
                for suffix, query in VIEWS.items():
                    tab.goto(f"{address}/{name}?{query}")
                    tab.wait_for_selector("[data-testid=stApp]")
                    tab.wait_for_function(SETTLED)
                    tab.wait_for_load_state("networkidle")
                    tab.wait_for_function(SETTLED)
                    tab.wait_for_timeout(600)  # charts animate in
                    tab.screenshot(path=folder / f"{name}{suffix}-{theme}-{width}.png")
                    count += 1
            context.close()
    return count


@click.command()
@click.argument("pages", nargs=-1)
@click.option("--to", "folder", type=click.Path(path_type=Path), default=ROOT / "build" / "screenshots")
def main(pages: tuple[str, ...], folder: Path) -> None:
    """Take pictures of PAGES (all of them if none is named)."""
    found = os.environ.get("CHROME") or shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise click.ClickException("no Chromium found: install it, or name one in CHROME")
    folder.mkdir(parents=True, exist_ok=True)
    with served(folder.parent / "screenshots.log") as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        count = take(browser, address, folder, list(pages) or list(PAGE_FILES))
        browser.close()
    click.echo(f"{count} pictures in {folder}")


if __name__ == "__main__":
    main()
