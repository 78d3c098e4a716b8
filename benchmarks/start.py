"""From the start of an installed app to the first prompt on screen: `python -m benchmarks.start [--runs N]`.

Each run starts the server as `make run` does, on a free port, and has a Chromium that is already running open the Decisions
page of the bundled stalled run as soon as the port answers; then the Overview of another fresh server. Prints when the
port answered and when the prompt, or the verdict, was drawn. Reach: 3 s to the prompt.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from playwright.sync_api import sync_playwright

from benchmarks.machine import chromium, facts
from benchmarks.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REACH: Final = 3.0
DRAWN: Final = {
    "decisions": ("the prompt", ".viewer[data-revision] .l"),
    "overview": ("the verdict", ".ii-panel .verdict"),
}
"""Page → what a person waits for, and the element that shows it."""


def once(browser: Browser, page: str, folder: Path) -> tuple[float, float]:
    """Seconds from the start of the process to an answering port, and to what a person waits for."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    start = time.perf_counter()
    with served(folder / "log", poll=0.02) as (address, _):
        answered = time.perf_counter() - start
        tab.goto(f"{address}/{page}", wait_until="commit")
        tab.wait_for_selector(DRAWN[page][1], timeout=60_000)
        drawn = time.perf_counter() - start
    tab.close()
    return answered, drawn


@click.command()
@click.option("--runs", default=5, show_default=True, help="Fresh servers for each page.")
def main(runs: int) -> None:
    """Measure the start."""
    print("\n".join(facts()))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for page, (what, _) in DRAWN.items():
            once(browser, page, Path(folder))  # the first reads everything from the disk
            found = [once(browser, page, Path(folder)) for _ in range(runs)]
            answered, drawn = (statistics.median(times) for times in zip(*found, strict=True))
            reach = f" (reach {REACH:g} s)" if page == "decisions" else ""
            print(
                f"{what} of /{page} after {drawn:.2f} s, p50 of {runs}{reach}; the port answered after {answered:.2f} s"
            )
        browser.close()


if __name__ == "__main__":
    main()
