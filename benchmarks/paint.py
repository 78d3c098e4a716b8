"""From key to paint on the Decisions page, in a real Chromium: `python -m benchmarks.paint`.

Two recordings of 60 decisions, with prompts of 42 KB and of 1 MB that all differ, 500 marked tool results in the large
ones. Prints the milliseconds from a key press to the frame in which the next prompt stands (median, 95th percentile), and
how many of 90 presses at 30 a second were lost. Reach: 100 ms, 160 ms, none.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from playwright.sync_api import expect, sync_playwright

from benchmarks.machine import chromium
from benchmarks.served import served
from core.package import PackageWriter

if TYPE_CHECKING:
    from playwright.sync_api import Page

DECISIONS: Final = 60
PRESSES: Final = 30
SETTLED: Final = "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
WATCH: Final = """() => {
  const find = (root) => { for (const e of root.querySelectorAll('*')) {
    if (e.matches('.viewer')) return e;
    if (e.shadowRoot) { const inner = find(e.shadowRoot); if (inner) return inner; } } };
  const viewer = find(document);
  window.spent = [];
  let pressed = 0;
  document.addEventListener('keydown', (event) => { pressed = event.timeStamp; }, true);
  new MutationObserver(() => {
    const since = pressed;
    pressed = 0; // a prompt that the server sends anew answers no key
    if (since) requestAnimationFrame(() => setTimeout(() => window.spent.push(performance.now() - since)));
  }).observe(viewer, { attributes: true, attributeFilter: ['data-revision'] });
}"""
FOUND: Final = "Looking for "
"""What the page says while fragments and repeats are still worked out, on the same two cores."""


def recording(path: Path, size: int, results: int) -> Path:
    """Decisions whose prompts have about `size` bytes, in `results` tool results, each prompt with texts of its own."""
    line = "the quick brown fox jumps over the lazy dog, and over the fence behind it\n"
    body = line * max(1, size // results // len(line))
    with PackageWriter(path, title=f"{size:,} bytes", replies="scripted", sync=False) as package:
        for number in range(DECISIONS):
            parts = [
                {"type": "tool_result", "id": f"c{place}", "text": f"decision {number}, result {place}\n{body}"}
                for place in range(results)
            ]
            messages = [{"role": "system", "text": "Read on."}, *({"role": "tool", "parts": [part]} for part in parts)]
            package.append_decision(messages, reply={"text": "on"}, outcome={"kind": "continued"})
    return path


def steps(page: Page) -> list[float]:
    """Milliseconds from key to paint of single steps."""
    for _ in range(PRESSES):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(450)
    spent: list[float] = page.evaluate("() => window.spent")
    return spent


def lost(page: Page, presses: int = 90) -> int:
    """How many of so many presses at 30 a second did not move the place (to and fro between the ends)."""
    page.keyboard.press("Home")
    page.wait_for_timeout(1500)
    done = page.evaluate(
        """async (presses) => {
          for (let n = 0; n < presses; n += 1) {
            document.dispatchEvent(new KeyboardEvent('keydown', { key: n % 30 < 20 ? 'ArrowRight' : 'ArrowLeft', bubbles: true, repeat: true }));
            await new Promise((go) => setTimeout(go, 33));
          }
          return Number(window.investigationInspectorPrompts.walk.place);
        }""",
        presses,
    )
    turns, rest = divmod(presses, 30)
    return abs(turns * 10 + min(rest, 20) - max(0, rest - 20) - int(done))


def main() -> None:
    """Measure both sizes."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        small = recording(folder / "small", 42_000, 10)
        large = recording(folder / "large", 1_000_000, 500)
        with served(folder / "log", small, large) as (address, _):
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            for package, reach in (("small", 100), ("large", 160)):
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(f"{address}/decisions?package={package}")
                page.wait_for_selector(".viewer[data-revision]", timeout=120_000)
                page.wait_for_function(SETTLED)
                expect(page.get_by_text(FOUND)).to_have_count(0, timeout=120_000)
                page.wait_for_timeout(3000)
                page.evaluate(WATCH)
                spent = sorted(steps(page))
                far = spent[int(len(spent) * 0.95) - 1]
                print(
                    f"{package}: key to paint p50 {statistics.median(spent):.0f} ms (reach {reach}), p95 {far:.0f} ms, "
                    f"{len(spent)} of {PRESSES} steps painted; {lost(page)} of 90 presses lost"
                )
                page.close()
            browser.close()


if __name__ == "__main__":
    main()
