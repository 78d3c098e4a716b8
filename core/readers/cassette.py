"""VCR cassettes: YAML `interactions`, loaded so that nothing but plain data comes out of it.

The loader is PyYAML's safe one with one addition: a tag it does not know (`!!python/object:...` and the like, which
recorders write for headers and responses) is read as the plain map, list or text that it is put on. No object is ever
made and no name is ever looked up. Aliases may not contain aliases, and count as
what they stand for, so a file cannot unfold to more than the limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from ..errors import RecordingError
from ..limits import MAX_YAML_ALIASES, MAX_YAML_BYTES, MAX_YAML_DEPTH, MAX_YAML_VALUES
from .shape import items, obj

if TYPE_CHECKING:
    from .recording import Recording


class _PlainLoader(yaml.CSafeLoader):
    """`CSafeLoader` that reads unknown tags as plain data and leaves times as text."""


def _plain(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]  # a node is one of the three


_PlainLoader.add_multi_constructor("", _plain)
for _tag in ("timestamp", "set", "omap", "pairs"):
    _PlainLoader.yaml_constructors = {
        tag: made for tag, made in _PlainLoader.yaml_constructors.items() if tag != f"tag:yaml.org,2002:{_tag}"
    }


def cassette_of(recording: Recording) -> list[Any]:
    """The interactions of a cassette. Raises `RecordingError` if it cannot be read or is over a limit."""
    if len(recording.data) > MAX_YAML_BYTES:
        raise RecordingError(
            "the cassette is too large",
            file=recording.name,
            expected=f"at most {MAX_YAML_BYTES:,} bytes",
            found=f"{len(recording.data):,}",
        )
    try:
        _look_at_events(recording)
        document = yaml.load(recording.data, Loader=_PlainLoader)  # noqa: S506  # a safe loader, see above
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        raise RecordingError(
            "the cassette is not YAML",
            file=recording.name,
            line=line,
            found=str(getattr(error, "problem", None) or "an error"),
        ) from error
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise RecordingError(
            "the cassette holds a value that cannot be read", file=recording.name, found=type(error).__name__
        ) from error
    return items(obj(document).get("interactions"))


def _look_at_events(recording: Recording) -> None:
    """Refuse what would unfold without bound, before any of it is built."""
    count = _Unfolded()
    for event in yaml.parse(recording.data, Loader=yaml.CSafeLoader):
        count.add(event)
        if count.depth > MAX_YAML_DEPTH:
            _refuse(recording, "the cassette nests too deep", f"at most {MAX_YAML_DEPTH} levels", event)
        if count.aliases > MAX_YAML_ALIASES or count.nested_alias:
            expected = f"at most {MAX_YAML_ALIASES}, none in an anchored value"
            _refuse(recording, "the cassette's aliases unfold too far", expected, event)
        if count.characters > MAX_YAML_BYTES:
            expected = f"at most {MAX_YAML_BYTES:,} characters"
            _refuse(recording, "the cassette's aliases unfold too far", expected, event)
        if count.values > MAX_YAML_VALUES:
            _refuse(recording, "the cassette holds too many values", f"at most {MAX_YAML_VALUES:,}", event)


class _Unfolded:
    """How much a cassette holds as far as it was looked at; an alias counts as what it stands for."""

    def __init__(self) -> None:
        self.depth = self.aliases = self.values = self.characters = 0
        self.nested_alias = False
        self._open: list[tuple[str, int, int, int]] = []  # anchored collections: name, depth, what was counted before
        self._stands_for: dict[str | None, tuple[int, int]] = {}

    def add(self, event: Any) -> None:
        """Count one event of the parser."""
        if isinstance(event, yaml.CollectionStartEvent):
            self.depth += 1
            self.values += 1
            if event.anchor is not None:
                self._open.append((event.anchor, self.depth, self.values, self.characters))
        elif isinstance(event, yaml.CollectionEndEvent):
            if self._open and self._open[-1][1] == self.depth:
                name, _, values, characters = self._open.pop()
                self._stands_for[name] = (self.values - values + 1, self.characters - characters)
            self.depth -= 1
        elif isinstance(event, yaml.ScalarEvent):
            self.values += 1
            self.characters += len(event.value)
            if event.anchor is not None:
                self._stands_for[event.anchor] = (1, len(event.value))
        elif isinstance(event, yaml.AliasEvent):
            values, characters = self._stands_for.get(event.anchor, (1, 0))
            self.aliases += 1
            self.values += values
            self.characters += characters
            self.nested_alias = bool(self._open)


def _refuse(recording: Recording, what: str, expected: str, event: Any) -> None:
    raise RecordingError(what, file=recording.name, line=event.start_mark.line + 1, expected=expected, found="more")
