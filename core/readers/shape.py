"""Looking at untrusted JSON without trusting its types: each helper gives the wanted type or a harmless nothing."""

from __future__ import annotations

from typing import Any, TypeGuard

_MOST = 2**53
Object = dict[str, Any]


def is_object(value: Any) -> TypeGuard[Object]:
    """Whether this is a JSON object."""
    return isinstance(value, dict)


def obj(value: Any) -> Object:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The list, or an empty one."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[Object]:
    """The objects in a list; what is not an object is left out."""
    return [item for item in items(value) if isinstance(item, dict)]


def text(value: Any) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def name(value: Any) -> str | None:
    """The string if it is a non-empty one."""
    return value if isinstance(value, str) and value else None


def count(value: Any) -> int | None:
    """A plain count of something: an integer from 0 to 2**53, else None (`true` is no number)."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None
