r"""Canonical JSON text: the one text of a value, and with it typed equality and hashes.

Canonical text is JSON with object keys sorted by code point, no white space, UTF-8, and no needless escapes. Two
values are *the same* exactly if their canonical bytes are the same, so `1`, `1.0` and `true` differ, `0.0` and `-0.0`
differ, `null` and an absent key differ, and key order does not matter. Never compare JSON values with Python's `==`
(`1 == 1.0 == True`); compare these bytes.

How it is written:

- integers keep every digit (up to `MAX_INTEGER_DIGITS`); the integer `-0` is read as `0`, as JSON has one integer zero;
- floats are written as orjson writes them (up to 3.11.6: `1.0`, `0.00001`, `1e16`), on every path: float texts of different
  libraries are never mixed;
- `"`, `\` and U+0000..U+001F are escaped (`\b \t \n \f \r`, else `\u00xx` in lower case), nothing else is, except that
  a lone surrogate, which JSON can carry and UTF-8 cannot, is written as its escape (`\ud800`);
- NaN, infinities, numbers that overflow, nesting over `MAX_DEPTH`, keys that are not strings: refused (`JsonError`).

Example: `{"b": [1, 1.0, 1e16], "a": "é\n"}` is written `{"a":"é\n","b":[1,1.0,1e16]}`.

RFC 8785 (JCS) is not used: it writes 1.0 as 1 and so cannot tell the two apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import msgspec
import orjson

from .errors import JsonError, TooManyValuesError
from .limits import MAX_DEPTH, MAX_INTEGER_DIGITS, MAX_SLOW_ESCAPES, MAX_VALUES, MIB

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

_OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_DUPLICATES_SHOWN = 20
_SCALARS = {str, int, float, bool, type(None)}
_CONTAINERS = {dict, list, tuple}


# --- reading


def loads(raw: bytes | str) -> Json:
    """Read one JSON value exactly; a duplicate key is an error.

    Raises `JsonError` for anything that is not JSON, that overflows, or that nests deeper than `MAX_DEPTH`.
    """
    value, duplicates = loads_reporting(raw)
    if duplicates:
        msg = "an object holds the same key twice"
        raise JsonError(msg, expected="each key once", found=", ".join(map(repr, duplicates)))
    return value


def loads_reporting(raw: bytes | str) -> tuple[Json, tuple[str, ...]]:
    """Read one JSON value exactly, and name the keys that an object holds twice (there the last value stands)."""
    value = loads_last(raw)
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    try:
        if orjson.dumps(value, option=_OPTIONS) == data:  # a canonical text cannot hold a duplicate: no second pass
            return value, ()
    except TypeError:
        pass
    return value, duplicate_keys(data)


def loads_last(raw: bytes | str) -> Json:
    """Read one JSON value exactly; of duplicate keys the last one stands, unreported (for foreign recordings)."""
    refuse_values(raw)
    value: Json
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeEncodeError):
        value = _loads_slow(raw)  # a lone surrogate, or really broken: the slow reader tells
    except RecursionError:
        _refuse_depth()
    except ValueError as error:  # CPython's own bound on the digits of an integer
        _refuse_digits(error)
    if len(raw) > 2 * MAX_DEPTH:  # each level takes two brackets
        refuse_depth(value)
    return value


def refuse_values(raw: bytes | str) -> None:
    """Refuse a text of more than `MAX_VALUES` values before any is made: a text that short costs nothing to look at."""
    if len(raw) <= MAX_VALUES:
        return
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if structure(data) <= MAX_VALUES or (found := _structure_outside_texts(data)) <= MAX_VALUES:
        return
    expected = f"at most {MAX_VALUES:,} brackets, commas and colons outside of texts"
    raise TooManyValuesError("too many values", expected=expected, found=f"{found:,}")


def structure(data: bytes) -> int:
    """Opening brackets, commas and colons in a JSON text, those in its texts too: it has no more values than that, and one."""
    return sum(data.count(sign) for sign in (b"{", b"[", b",", b":"))


def _structure_outside_texts(data: bytes) -> int:
    """The same without what stands between quotes, counted in pieces so that it takes no memory of its own."""
    count, inside, escaped = 0, 0, b""
    for start in range(0, len(data), MIB):
        piece = escaped + data[start : start + MIB]
        escaped = b"\\" if (len(piece) - len(piece.rstrip(b"\\"))) % 2 else b""  # goes with the byte after it
        piece = piece[: len(piece) - len(escaped)].replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = piece.split(b'"')
        count += structure(b"".join(parts[inside::2]))
        inside ^= (len(parts) - 1) & 1
    return count


def refuse_depth(value: Json) -> None:
    """Refuse what nests deeper than `MAX_DEPTH`. Nothing deeper may come near orjson (see the constant)."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if type(item) is dict or type(item) is list]
        if not level:
            return
        inner: list[Any] = []
        for item in level:
            inner.extend(item.values() if type(item) is dict else item)
        level = inner
    _refuse_depth()


def _loads_slow(raw: bytes | str) -> Json:
    escapes = raw.count(b"\\u") if isinstance(raw, bytes) else raw.count("\\u")
    if escapes > MAX_SLOW_ESCAPES:  # each takes some hundred bytes here
        expected = f"at most {MAX_SLOW_ESCAPES:,} escapes beside a lone surrogate"
        raise TooManyValuesError("too many escapes", expected=expected, found=f"{escapes:,}")
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        msg = "not UTF-8"
        raise JsonError(msg, found=f"byte 0x{error.object[error.start]:02x} at byte {error.start}") from error
    try:
        value: Json = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_float)
    except json.JSONDecodeError as error:
        msg = "not JSON"
        found = f"{error.msg.removesuffix(' at')} at character {error.pos}"
        raise JsonError(msg, expected="one JSON value", found=found) from error
    except RecursionError:
        _refuse_depth()
    except ValueError as error:
        _refuse_digits(error)
    return value


def _parse_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        msg = "a number that overflows"
        raise JsonError(msg, expected="a finite 64-bit float", found=text[:40])
    return number


def _refuse_constant(name: str) -> NoReturn:
    msg = "a number that JSON does not allow"
    raise JsonError(msg, found=name)


def _refuse_depth() -> NoReturn:
    msg = "nested too deep"
    raise JsonError(msg, expected=f"at most {MAX_DEPTH} levels", found="more")


def _refuse_digits(error: ValueError) -> NoReturn:
    msg = "an integer with too many digits"
    raise JsonError(msg, expected=f"at most {MAX_INTEGER_DIGITS} digits", found="more") from error


def duplicate_keys(data: bytes) -> tuple[str, ...]:
    """Names of keys that an object of a text holds twice. The text must be one that `loads_last` has read."""
    found: dict[str, None] = {}

    def pairs(items: list[tuple[str, object]]) -> None:  # an object that was looked at is not needed any more
        made = dict(items)
        if len(made) != len(items) and len(found) < _DUPLICATES_SHOWN:
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    found[key] = None
                seen.add(key)

    json.loads(data.decode("utf-8", "surrogatepass"), object_pairs_hook=pairs)
    return tuple(found)


# --- writing


def canonical_bytes(value: Json) -> bytes:
    """The canonical text of a value as UTF-8 bytes, any value checked first.

    Raises `JsonError` for what JSON does not allow: NaN, infinities, keys that are not text, types that are not
    JSON's, nesting over `MAX_DEPTH`.
    """
    check_json(value)
    return canonical_bytes_trusted(value)


def canonical_bytes_trusted(value: Json) -> bytes:
    """`canonical_bytes` without the walk that looks for NaN: only for values that came out of a reader of this module."""
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except TypeError:  # orjson's JSONEncodeError: an integer over 64 bits, a lone surrogate, or too deep
        pieces: list[str] = []
        try:
            _write(value, pieces.append)
        except RecursionError:
            _refuse_depth()
        except ValueError as error:
            _refuse_digits(error)
        return "".join(pieces).encode()


def canonical_text(value: Json) -> str:
    """The canonical text of a value as a string (always encodable as UTF-8)."""
    return canonical_bytes(value).decode()


def same(one: Json, other: Json) -> bool:
    """Typed JSON equality: `1`, `1.0` and `true` differ; key order does not count."""
    return canonical_bytes(one) == canonical_bytes(other)


def check_json(value: Json) -> None:
    """Raise `JsonError` for what the canonical text cannot carry, as `canonical_bytes` does, without writing the text."""
    # Level by level: fast, and safe against deep nesting.
    level: list[Any] = [value]
    for depth in range(MAX_DEPTH + 1):
        kinds = set(map(type, level))
        if float in kinds:
            for item in level:
                if type(item) is float and not isfinite(item):
                    _refuse_constant(repr(item))
        if kinds <= _SCALARS:
            return
        if foreign := kinds - _SCALARS - _CONTAINERS:
            msg = "a value that JSON cannot carry"
            raise JsonError(msg, expected="a JSON type", found=min(kind.__name__ for kind in foreign))
        if depth == MAX_DEPTH:
            _refuse_depth()
        level = _children(level)


def _children(level: list[Any]) -> list[Any]:
    """What stands one level deeper, once the keys were found to be text."""
    keys: set[object] = set()
    inner: list[Any] = []
    for item in level:
        kind = type(item)
        if kind is dict:
            keys.update(item)
            inner.extend(item.values())
        elif kind is list or kind is tuple:
            inner.extend(item)
    if foreign := {type(key).__name__ for key in keys if type(key) is not str}:
        msg = "a key that is not text"
        raise JsonError(msg, expected="str", found=min(foreign))
    return inner


def _write(value: object, put: Callable[[str], None]) -> None:
    """Write what orjson refuses, in the same text: floats, strings and sorting as above."""
    if isinstance(value, dict):
        put("{")
        for position, key in enumerate(sorted(value)):
            put("," if position else "")
            put(_string(key))
            put(":")
            _write(value[key], put)
        put("}")
    elif isinstance(value, list | tuple):
        put("[")
        for position, item in enumerate(value):
            put("," if position else "")
            _write(item, put)
        put("]")
    elif isinstance(value, str):
        put(_string(value))
    elif isinstance(value, int) and not isinstance(value, bool):
        put(str(value))
    else:
        put(orjson.dumps(value).decode())


def _string(text: str) -> str:
    if not _SURROGATE.search(text):
        return orjson.dumps(text).decode()
    # Two halves side by side are one character to every JSON reader: only what stays alone is written as an escape.
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(paired, ensure_ascii=False))


# --- hashes and sizes


def sha256(data: bytes) -> str:
    """`sha256:` and the 64 hex digits of the bytes' SHA-256."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def hash_of(value: Json) -> str:
    """`sha256:` of the canonical bytes of a value."""
    return sha256(canonical_bytes(value))


def utf8(text: str) -> bytes:
    """The UTF-8 bytes of a text; a lone surrogate, which UTF-8 cannot carry, takes its three bytes."""
    return text.encode("utf-8", "surrogatepass")


def byte_length(text: str) -> int:
    """UTF-8 bytes of a text; a lone surrogate counts as 3."""
    return len(text) if text.isascii() else len(utf8(text))
