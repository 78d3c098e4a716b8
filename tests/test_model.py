"""The model: identities, sizes, sections and hashes that everything else counts on."""

from __future__ import annotations

import dataclasses

import pytest

from core.errors import InspectorError, PackageError
from core.model import Decision, Lookup, Message, OpaquePart, TextPart, ToolCallPart, ToolResultPart, Usage, sections


def test_identity_is_canonical_and_leaves_the_summary_out():
    """Rewording the summary is not a new lookup."""
    one = Lookup("search", ("unsupported_control",), summary="find it")
    other = Lookup("search", ("unsupported_control",), summary="look for the control again")
    assert one.identity == other.identity == '["search",["unsupported_control"],null,null]'


@pytest.mark.parametrize(
    "other",
    [
        Lookup("symbol", ("a", "b")),
        Lookup("search", ("b", "a")),
        Lookup("search", ("a", "b"), search="src"),
        Lookup("search", ("a", "b"), reference_url="u"),
        Lookup("search", ("a", "b"), arguments={"start": 1}),
        Lookup("search", ()),
        Lookup("search"),
    ],
)
def test_identity_differs_with_every_part_of_the_key(other):
    """Kind, queries and their order, search, referenceUrl and arguments each make another lookup."""
    assert Lookup("search", ("a", "b")).identity != other.identity


def test_arguments_in_identity_tell_integers_from_floats():
    """Identity rests on typed equality."""
    assert Lookup("read", arguments={"n": 1}).identity != Lookup("read", arguments={"n": 1.0}).identity


def test_prompt_bytes_count_every_message_in_utf8():
    """A prompt's size is the UTF-8 bytes of all its messages, system included."""
    store = (Message("system", (TextPart("é"),)), Message("user", (TextPart("\ud800a"),)))
    assert Decision(1, slices=((0, 2),), store=store).prompt_bytes == 2 + 4


def test_messages_follow_the_slices_in_order():
    """A prompt is the ordered slices of the shared messages."""
    store = tuple(Message("user", (TextPart(str(n)),)) for n in range(6))
    decision = Decision(1, slices=((4, 2), (0, 1)), store=store)
    assert [message.text for message in decision.messages] == ["4", "5", "0"]
    assert decision.message_ids == (4, 5, 0)


def test_sections_give_each_part_its_byte_range():
    """Parts are told apart by position, not by a separator that a text could imitate."""
    message = Message(
        "user",
        (
            TextPart("é"),
            ToolCallPart("c1", "read", {"b": 1, "a": 2}),
            OpaquePart("image", 10, None),
            ToolResultPart("c1", "ok"),
        ),
    )
    assert message.text == 'éread {"a":2,"b":1}ok'
    assert [(s.part, s.start, s.end, s.text) for s in sections([message])] == [
        (0, 0, 2, "é"),
        (1, 2, 20, 'read {"a":2,"b":1}'),
        (2, 20, 20, ""),
        (3, 20, 22, "ok"),
    ]


def test_request_hash_covers_format_and_stored_messages():
    """The request hash is over the canonical JSON of the format and the message objects, unknown fields included."""
    raw = {"role": "user", "text": "hi", "x": 1}
    decision = Decision(1, format="messages", slices=((0, 1),), store=(Message("user", (TextPart("hi"),), raw=raw),))
    # printf '{"format":"messages","messages":[{"role":"user","text":"hi","x":1}]}' | sha256sum
    assert decision.computed_request_hash() == "sha256:" + REQUEST_SHA256


REQUEST_SHA256 = "b5a196aa0dfb00383c3cf1be8a9175d730a14760f4d9acfff8b46e5a53bca4b4"


def test_cached_input_counts_as_input():
    """Prompt tokens are fresh plus cache read plus cache write; unknown stays unknown."""
    assert Usage(10, 200, 3000, 7).prompt_tokens == 3210
    assert Usage(output_tokens=7).prompt_tokens is None


def test_the_model_is_immutable():
    """Nothing can be assigned to a record after it was made."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Decision(1).index = 2


def test_an_error_says_file_line_expected_and_found():
    """An error reads as one sentence that names the place and both sides."""
    error = PackageError("hash does not match", file="decisions.jsonl", line=3, expected="sha256:aa", found="sha256:bb")
    assert str(error) == "decisions.jsonl, line 3: hash does not match (expected sha256:aa, found sha256:bb)"
    assert isinstance(error, InspectorError)
