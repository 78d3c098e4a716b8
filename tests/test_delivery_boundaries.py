"""Where a body that proves nothing by itself counts as delivered, and where it does not."""

from __future__ import annotations

import pytest

from core.delivery import Placement, deliver
from core.package import PackageWriter, open_package

SYSTEM = {"role": "system", "text": "You are a careful investigator of faults in the video player."}
USER = {"role": "user", "text": "The video does not start."}
SAID = {"role": "user", "text": "ok"}


def placed(folder, body, *, first=(), later=()) -> Placement:
    """How a body asked for by decision 1, as call c1, stands in decision 2's prompt."""
    lookup = {"kind": "read", "search": "x"}
    with PackageWriter(str(folder / "run"), title="run", replies="scripted", sync=False) as writer:
        prompt = [SYSTEM, USER, *first]
        index, _ = writer.append_decision(prompt, reply={"text": "a", "lookups": [lookup]}, format="messages")
        writer.append_fragment("f1", lookup, body, requested_by=index, call_id="c1")
        stopped = {"kind": "stopped"}
        writer.append_decision([*prompt, *later], reply={"stop": "x"}, outcome=stopped, format="messages")
    found = deliver(open_package(str(folder / "run"))).at("f1", (2, 1))
    assert found is not None
    return found


def result(text, **more):
    """The tool result of the call."""
    return {"role": "tool", "parts": [{"type": "tool_result", "id": "c1", "text": text}], **more}


def test_a_body_equal_to_the_system_prompt_is_coincidental(tmp_path) -> None:
    """The system prompt delivers no result, also where a result says the same."""
    found = placed(tmp_path, SYSTEM["text"])
    assert (found.state, found.message, found.start, found.end) == ("coincidental", 0, 0, 61)


def test_what_a_user_had_said_before_the_asking_is_coincidental(tmp_path) -> None:
    """A user's message that stood in the asking prompt delivers nothing; one that came after it is the result itself."""
    (tmp_path / "a").mkdir()
    assert placed(tmp_path / "a", "ok", first=[SAID]).state == "coincidental"
    assert placed(tmp_path, "ok", later=[SAID]).state == "whole"


@pytest.mark.parametrize(
    ("body", "text", "state"),
    [
        ("", "[Old tool result content cleared]", "marker_only"),
        ("", "", "whole"),
        ("[", "[Old tool result content cleared]", "coincidental"),
        ("1", "1000 results were cleared to save room", "coincidental"),
        ("1", "1\n", "whole"),
        ("ok", '"ok"', "whole"),
        ("ok then", "ok", "cut"),
    ],
)
def test_a_short_body_must_be_all_of_its_own_result(tmp_path, body, text, state) -> None:
    """A body under 32 bytes is delivered by a result that is all of it, not by one that begins with it."""
    assert placed(tmp_path, body, later=[result(text)]).state == state


def test_a_placeholder_that_begins_as_the_body_does_is_a_marker(tmp_path) -> None:
    """What stands for a result that was cleared is no beginning of it, whatever it says."""
    body = "Old tool result content cleared by the janitor script, see line 5 of janitor.py"
    found = placed(tmp_path, body, later=[result("Old tool result content cleared", stands_for="placeholder")])
    assert (found.state, found.received_bytes) == ("marker_only", 0)
