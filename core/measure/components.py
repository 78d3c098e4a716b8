"""What each byte of a context's messages is for: sizes per component that sum to the whole.

| component | what it counts |
|---|---|
| `instructions` | all messages but the view's: system instructions, and any other message of the request |
| `task` | the view's `task` |
| `items` | the items of evidence records: inline, or their slices |
| `shared_tables` | the tables `shared_*` at the top: provenance, paths, FILEs, source records, results |
| `provenance` | `metadata`, `origin` and their references in the records |
| `queries` | `query` in the records |
| `results` | `result` and `result_ref` in the records |
| `record_fields` | every other field of a record, and records that are no objects |
| `view_fields` | every other key of the view: budget, history, ... |
| `structure` | the braces, brackets and commas between all of these, and a wrapping `verbatim` |

A member counts with its key: `"task":{...}`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ..canonical import canonical_bytes_trusted
from ..codec.registry import innermost, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..codec.base import View

COMPONENTS = (
    "instructions",
    "task",
    "items",
    "shared_tables",
    "provenance",
    "queries",
    "results",
    "record_fields",
    "view_fields",
    "structure",
)
_FIELDS = {
    "items": "items",
    "metadata": "provenance",
    "metadata_ref": "provenance",
    "origin": "provenance",
    "origin_ref": "provenance",
    "query": "queries",
    "result": "results",
    "result_ref": "results",
}


def component_texts(view: View, version: str) -> Iterator[tuple[str, bytes]]:
    """Each member of the view with its component, as canonical text `"key":value`; structure is what is left over."""
    view, version, _ = innermost(view, version)
    tables = tables_of(version)
    for name, value in view.items():
        if name == "evidence" and type(value) is list:
            for record in value:
                yield from _record_texts(record)
        elif name == "task":
            yield "task", _member(name, value)
        else:
            yield "shared_tables" if name in tables else "view_fields", _member(name, value)


def _record_texts(record: Any) -> Iterator[tuple[str, bytes]]:
    if type(record) is not dict:
        yield "record_fields", canonical_bytes_trusted(record)
        return
    for name, value in record.items():
        yield _FIELDS.get(name, "record_fields"), _member(name, value)


def _member(name: str, value: Any) -> bytes:
    return canonical_bytes_trusted({name: value})[1:-1]


def component_bytes(texts: list[tuple[str, bytes]], user_bytes: int, other_bytes: int) -> dict[str, int]:
    """Bytes per component, in the order of `COMPONENTS`; they sum to `user_bytes + other_bytes`."""
    sizes: Counter[str] = Counter()
    for component, text in texts:
        sizes[component] += len(text)
    sizes["structure"] = user_bytes - sum(sizes.values())
    sizes["instructions"] = other_bytes
    return {component: sizes[component] for component in COMPONENTS}
