"""SWE-agent and mini-swe-agent trajectories: what was sent at each step, elision, the windowed viewer, limits."""

from __future__ import annotations

import json

import pytest

from core.diagnosis import diagnose
from core.errors import RecordingError
from core.model import SourceRange, Usage
from core.readers.swe_actions import SweActions
from tests.readers_help import FIXTURES, events, opened, prompt, read_bytes, repeats


def test_prompts_are_rebuilt_from_the_history():
    """Without `query` the prompt is the history before the answer, demonstration included; the processor is missing."""
    (run,) = opened("swe-cycle.traj")
    assert run.prompts == "rebuilt"
    assert run.decisions[0].missing == ("history processing",)
    assert [message.role for message in run.decisions[0].messages] == ["system", "user", "assistant", "user"]
    assert len(run.decisions[10].message_ids) == 24
    assert run.decisions[10].slices == ((0, 24),)


def test_a_cycle_is_found_with_its_length():
    """A block of three lookups that is walked three times with unchanged answers is a cycle of length three."""
    (run,) = opened("swe-cycle.traj")
    assert (len(run.decisions), len(run.fragments), repeats(run)) == (11, 9, 6)
    cycles = [pattern for pattern in diagnose(run).patterns if pattern.kind == "cycle"]
    assert [(pattern.length, pattern.turns, pattern.stall) for pattern in cycles] == [(3, 3, True)]
    assert diagnose(run).verdict.stalled is True


def test_a_cycle_that_was_cut_off_in_its_turn_is_a_stall():
    """A run that the limit ended in the middle of another turn ended in its cycle; one that still answered did not."""
    document = json.loads((FIXTURES / "swe-cycle.traj").read_bytes())
    del document["trajectory"][-2], document["history"][-3:-1]
    (run,) = read_bytes("swe-agent", json.dumps(document).encode())
    found = diagnose(run)
    assert [(pattern.length, pattern.turns) for pattern in found.patterns if pattern.kind == "cycle"] == [(3, 2)]
    assert found.verdict.stalled is True
    document["trajectory"][-1] |= {"action": "submit", "response": "It is the ratio."}
    (run,) = read_bytes("swe-agent", json.dumps(document).encode())
    assert diagnose(run).verdict.stalled is False


def test_changed_answers_between_edits_are_progress():
    """One script run again after each edit, with another answer each time, is no stall."""
    (run,) = opened("swe-progress.traj")
    assert repeats(run) == 5
    found = diagnose(run)
    assert found.verdict.stalled is False
    assert not [pattern for pattern in found.patterns if pattern.kind == "cycle" and pattern.stall]


def test_a_cost_limit_is_no_reply():
    """The step `exit_cost` is a call whose reply was lost to the limit: it stops the run and says nothing."""
    (run,) = opened("swe-cycle.traj")
    last = run.decisions[-1]
    assert (last.outcome.kind, last.outcome.by) == ("stopped", "cost_limit")
    assert last.reply.text is None
    assert last.reply.lookups == ()


def test_windows_give_ranges():
    """Each printed window shows lines of its file; an edit, which prints one too, is no lookup but a patched path."""
    (run,) = opened("swe-cycle.traj")
    assert run.fragments[0].sources == (SourceRange("/clock/train.py", "observed:1", 1, 3),)
    assert run.fragments[2].sources == (SourceRange("/clock/train.py", "observed:1", 2, 3),)
    assert run.fragments[0].extra["gutter"] == ":"
    assert events(run) == [(2, "patched")]


def test_edits_and_refused_edits():
    """A refused edit changed nothing and counts as a lookup; an applied one is an event on the next request."""
    (run,) = opened("swe-progress.traj")
    assert [fragment.lookup.kind for fragment in run.fragments] == ["python"] * 6 + ["edit"]
    assert run.fragments[6].status == "failed"
    assert [index for index, _ in events(run)] == [2, 3, 5, 7, 9, 11, 13]
    assert (run.decisions[-1].outcome.kind, run.decisions[-1].outcome.by) == ("stopped", "submitted")


def test_goto_depends_on_the_open_file():
    """`goto 2` in one file is not the same lookup as `goto 2` in another, nor is scrolling from another line."""
    actions = SweActions()
    one = actions.call("goto 2", None)
    actions.result(one, "", {"open_file": "/a", "working_dir": "/"})
    in_a = actions.call("goto 2", None).lookup.identity
    actions.result(one, "", {"open_file": "/b", "working_dir": "/"})
    assert actions.call("goto 2", None).lookup.identity != in_a
    assert actions.call('search_file "x" /c', None).lookup.arguments == {
        "command": 'search_file "x" /c',
        "working_dir": "/",
    }
    actions.result(one, "[File: /b (9 lines total)]\n5:x", {"open_file": "/b"})
    at_five = actions.call("scroll_down", None).lookup.arguments
    assert (at_five["open_file"], at_five["first_line"]) == ("/b", 5)


def test_a_step_s_own_list_holds_its_answer():
    """In the form with `messages` a step's prompt is what the step before it left, never its own answer."""
    (run,) = opened("swe-messages.traj")
    assert run.prompts == "recorded"
    assert [len(decision.message_ids) for decision in run.decisions] == [2, 4, 6, 8, 10]
    assert "I run 0." not in "".join(prompt(run.decisions[0]))
    assert prompt(run.decisions[1])[2].startswith("assistant: I run 0.")


def test_elided_observations_are_placeholders():
    """An observation that the history processor shortened stands there as a placeholder, and its fragment is cleared."""
    (run,) = opened("swe-messages.traj")
    assert events(run) == [(4, "cleared"), (5, "cleared")]
    cleared = run.decisions[3]
    assert cleared.messages[3].text == "Old environment output: (2 lines omitted)"
    assert cleared.messages[3].stands_for == "placeholder"
    assert cleared.events[0].fragments == ("f1",)
    assert cleared.events[0].message == 3
    assert run.decisions[4].events[0].fragments == ("f2",)
    assert run.fragments[0].body == "answer 0 of the shell\nwith two lines"


def test_query_is_what_was_sent():
    """With `query` the list is the prompt as it is."""
    (run,) = opened("swe-query.traj")
    assert run.prompts == "recorded"
    assert [len(decision.message_ids) for decision in run.decisions] == [2, 4, 6, 8]
    assert events(run) == [(4, "cleared")]
    assert run.decisions[0].missing == ("tool definitions",)


def test_a_history_that_does_not_fit_the_steps():
    """Where history and steps disagree prompts are put together from the steps, and that is said."""
    document = json.loads((FIXTURES / "swe-cycle.traj").read_bytes())
    del document["history"][-4:]
    (run,) = read_bytes("swe-agent", json.dumps(document).encode())
    assert run.problems[0].expected == "11 answers"
    assert len(run.decisions) == 11
    assert [len(decision.message_ids) for decision in run.decisions[:3]] == [4, 6, 8]


def test_a_trajectory_without_steps_is_refused():
    """An empty trajectory is no run."""
    with pytest.raises(RecordingError, match="without a step"):
        read_bytes("swe-agent", b'{"trajectory": []}')


# --- mini-swe-agent


def test_mini_requests_are_assistant_messages():
    """Request n is every message before assistant n; the exit message was never sent."""
    (run,) = opened("mini-1.1.traj.json")
    assert run.prompts == "recorded"
    assert [len(decision.message_ids) for decision in run.decisions] == [2, 4, 6]
    assert run.decisions[0].missing == ("tool definitions",)
    assert all(message.role != "exit" for message in run.messages)
    assert run.title == "clock__clock-7"


def test_mini_usage_time_and_limits():
    """Usage, time and the step limit are those that were recorded."""
    (run,) = opened("mini-1.1.traj.json")
    assert run.decisions[0].usage == Usage(200, 300, None, 20)
    assert run.decisions[0].sent_at == "2026-04-13T07:55:49.500000Z"
    assert run.limits.calls == 3
    assert (run.decisions[2].outcome.kind, run.decisions[2].outcome.by) == ("stopped", "call_limit")


def test_mini_output_is_the_raw_one():
    """The fragment is the whole output, also where the model got it cut."""
    (run,) = opened("mini-1.1.traj.json")
    assert len(run.fragments[1].body) > len(run.decisions[2].messages[5].text)
    assert run.fragments[1].extra["exit_code"] == 0


def test_mini_versions_change_with_the_lines():
    """`cat -n` shows lines; the same command that shows another line shows another version."""
    (run,) = opened("mini-1.1.traj.json")
    assert run.fragments[0].sources == (SourceRange("/clock/train.py", "observed:1", 1, 2),)
    assert run.fragments[2].sources == (SourceRange("/clock/train.py", "observed:2", 1, 2),)


@pytest.mark.parametrize("name", ["mini-list.json", "mini-1.traj.json"])
def test_mini_text_actions(name):
    """In the text form one block is the action and the next message its answer; two blocks are a format error."""
    (run,) = opened(name)
    assert [len(decision.reply.lookups) for decision in run.decisions] == [1, 0, 1]
    assert [fragment.body for fragment in run.fragments] == ["train.py", "train.py"]
    assert repeats(run) == 1


def test_a_mini_list_without_an_answer_is_refused():
    """A list in which the model never answered is no run."""
    with pytest.raises(RecordingError, match="without a model call"):
        read_bytes("mini-swe-agent", b'[{"role": "system", "content": "x"}, {"role": "user", "content": "y"}]')
