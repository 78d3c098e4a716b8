"""Which lines of which file one plain shell command shows: `cat -n`, `nl -ba`, `sed -n 'a,bp'`, `grep -n`, `rg -n`.

Only a command whose output can be told apart line by line is looked at: a `cd FOLDER &&` before it and `| head`, `| tail`
or `| sed -n` behind it are followed, anything else (`;`, `&&`, redirections, variables) gives nothing rather than a guess.
"""

from __future__ import annotations

import re
import shlex
from posixpath import isabs, join, normpath

from .sources import Shown, numbered_lines, shown, shown_by_search

_MAX_COMMAND = 4_000
_RANGE = re.compile(r"(\d{1,9})(?:,\s*(\d{1,9}))?p")
_UNKNOWN_WORD = re.compile(r"[$`*?{}\[\]~\n]")
_OPERATORS = frozenset("();<>|&")
_NUMBER_FLAG = re.compile(r"-[A-Za-z]*n[A-Za-z]*|--line-number")
_FIRST_NUMBER = re.compile(r"\d{1,9}:")
_PASS_ON = ("head", "tail", "sed")


def shown_by_command(command: str, output: str, folder: str | None = None) -> tuple[tuple[Shown, ...], str | None]:
    """The lines that a command's output shows, and the gutter that numbers them in it (None: they carry no number).

    `folder` is where the command ran: relative paths are put under it.
    """
    words = _words(command)
    if words[:1] == ["cd"] and words[2:3] == ["&&"]:
        folder = words[1] if isabs(words[1]) or folder is None else join(folder, words[1])
        words = words[3:]
    stages = _stages(words)
    if not stages or not output:
        return (), None
    found, gutter = _shown(stages[0], [stage[0] for stage in stages[1:]], output)
    if folder is not None:
        found = tuple(Shown(_inside(folder, run.path), run.start, run.lines) for run in found)
    return found, gutter if found else None


def _shown(first: list[str], behind: list[str], output: str) -> tuple[tuple[Shown, ...], str | None]:
    if any(name not in _PASS_ON for name in behind):
        return (), None
    name, rest = first[0], first[1:]
    if name == "sed" and not behind and len(rest) == 3 and rest[0] == "-n":  # noqa: PLR2004  # -n, range, file
        return _printed(rest[1], rest[2], output), None
    if [name, *rest[:1]] in (["cat", "-n"], ["nl", "-ba"]):
        known = len(rest) == 2 and not _UNKNOWN_WORD.search(rest[1])  # noqa: PLR2004  # flag, file
        return (shown(rest[1], numbered_lines(output, "\t")), "\t") if known else ((), None)
    if name in {"grep", "rg"} and any(_NUMBER_FLAG.fullmatch(word) for word in rest):
        return _searched(rest, output)
    return (), None


def _printed(wanted: str, path: str, output: str) -> tuple[Shown, ...]:
    match = _RANGE.fullmatch(wanted)
    if match is None or _UNKNOWN_WORD.search(path):
        return ()
    start, end = int(match[1]), int(match[2] or match[1])
    lines = output.removesuffix("\n").split("\n")
    fits = start >= 1 and len(lines) <= end - start + 1  # more lines than asked for: this is not the file alone
    return (Shown(path, start, tuple(lines)),) if fits else ()


def _searched(rest: list[str], output: str) -> tuple[tuple[Shown, ...], str | None]:
    operands = [word for word in rest if not word.startswith("-")]
    lines = output.removesuffix("\n").split("\n")
    if len(operands) == 2 and all(_FIRST_NUMBER.match(line) for line in lines):  # noqa: PLR2004  # pattern, file
        return shown(operands[1], numbered_lines(output, ":")), ":"
    return shown_by_search(output), "path:"


def _words(command: str) -> list[str]:
    if len(command) > _MAX_COMMAND:
        return []
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        return list(reader)
    except ValueError:  # an open quotation
        return []


def _stages(words: list[str]) -> list[list[str]]:
    stages: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            stages.append([])
        elif word and set(word) <= _OPERATORS:
            return []
        else:
            stages[-1].append(word)
    return stages if all(stages) else []


def _inside(folder: str, path: str) -> str:
    return normpath(path if isabs(path) else join(folder, path))
