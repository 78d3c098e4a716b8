"""Texts of lines that recur: what stands in them is found in time that grows with them, not with their square."""

from __future__ import annotations

import time

import pytest

from core.delivery.beginnings import Beginnings
from core.delivery.behind import Pattern, Run
from core.delivery.needles import index_bodies
from core.delivery.prefix import common_prefix, longest_beginning, own_prefix
from core.delivery.scan import scan

LINES = 20_000
SECONDS = 5.0
"""Processor time that each of these takes at most; the slowest takes under one, and took minutes when it was quadratic."""


def test_a_body_of_one_line_over_and_over_behind_an_indent() -> None:
    """All 20,000 indented lines are there, in a few seconds."""
    started = time.process_time()
    spot = own_prefix("  aaaa\n" * LINES, "aaaa\n" * LINES + "z")
    assert spot is not None
    assert (spot.carried, spot.start, spot.end, spot.received) == ("indented", 0, 139_999, 99_999)
    assert time.process_time() - started < SECONDS


def test_a_body_of_empty_lines_behind_numbers() -> None:
    """All 20,000 numbered empty lines are there, in a few seconds."""
    started = time.process_time()
    spot = own_prefix("".join(f"{number}:\n" for number in range(LINES)), "\n" * LINES + "x\n")
    assert spot is not None
    assert (spot.carried, spot.start, spot.end, spot.received) == ("gutter", 0, 128_889, 19_999)
    assert time.process_time() - started < SECONDS


def test_a_beginning_of_one_line_over_and_over_in_a_plain_text() -> None:
    """The beginning of a body is found in a text that names no block, in a few seconds."""
    started = time.process_time()
    found = Beginnings(index_bodies(["aaaa\n" * LINES + "z"])).find("aaaa\n" * LINES + "q")
    assert (found[0].start, found[0].end, found[0].received) == (0, 100_000, 100_000)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("before", ["", "  ", "\t"])
def test_a_body_whose_anchor_recurs_is_not_there(before: str) -> None:
    """That a body is not there is known in a few seconds, although its anchor line stands 20,000 times in the text."""
    body = "aaaaa\n" * LINES + "bbbb\n" + "aaaaa\n" * LINES
    started = time.process_time()
    assert scan(f"{before}aaaaa\n" * LINES, index_bodies([body])) == {}
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize(
    ("before", "carried", "start", "end"),
    [("", "raw", 400, 428), ("  ", "indented", 560, 599)],
)
def test_a_body_behind_many_places_of_its_anchor_is_found(before: str, carried: str, start: int, end: int) -> None:
    """Behind 80 lines that are equal to its own a body is found all the same, and its place told."""
    text = f"{before}aaaa\n" * 84 + f"{before}aaab\n{before}no\n"
    hit = scan(text, index_bodies(["aaaa\n" * 4 + "aaab\nno\n"]))[0]
    assert (hit.carried, hit.start, hit.end) == (carried, start, end)


def test_the_longest_run_of_lines_in_each_form() -> None:
    """Of several runs of a body's first lines in one form the longest counts, also where it begins inside a shorter one."""
    lines = ["  a", "  a", "  b", "  a", "  a", "  a", "  b", "  c", "", "7:a", "8:a", "9:x"]
    runs = sorted(Pattern(["a", "a", "b", "c"]).runs(lines, range(len(lines))))
    assert runs == [Run(2, 9, "gutter"), Run(4, 4, "indented")]


def test_the_longest_beginning_is_not_the_first() -> None:
    """Where a body begins twice in a text, the place at which more of it stands counts."""
    assert longest_beginning("abc abcd abx", "abcdef", 2) == (4, 4)
    assert longest_beginning("xyz", "abcdef", 2) == (-1, 0)
    assert longest_beginning("abcdef abc", "abcdef", 2) == (0, 6)


@pytest.mark.parametrize("shared", [0, 1, 2, 3, 7, 8, 31, 32, 33, 100])
def test_common_prefix_in_characters(shared: int) -> None:
    """Texts that share their first characters share that many, wherever in the text the body begins."""
    assert common_prefix("--" + "a" * shared + "x" * 40, 2, "a" * shared + "y" * 50) == shared
    assert common_prefix("--" + "a" * shared, 2, "a" * 200) == shared


def test_a_line_of_spaces_that_lost_them_is_not_there() -> None:
    """Behind numbers and indents an empty line may have lost the form's own white space, a line of spaces not its own."""
    empty, spaces = ["one line", "", "two"], ["one line", "  ", "two"]
    for carried in (["1: one line", "2:", "3: two"], ["  one line", "", "  two"]):
        assert [run.held for run in Pattern(empty).runs(carried, [0])] == [3]
        assert [run.held for run in Pattern(spaces).runs(carried, [0])] == [1]


def test_a_number_of_5000_digits_is_no_line_number() -> None:
    """A line that begins with more digits than a number of a line can have is read like any other."""
    assert (
        own_prefix("9" * 5000 + ":" + "one line and another\nand a third", "one line and another\nand one more") is None
    )
