"""A writer that is called wrongly refuses the call with an error of `core.errors`, and stores nothing of it."""

from __future__ import annotations

import pytest

from core.errors import PackageError, RecordError
from core.package import PackageWriter, open_package

PROMPT = [{"role": "user", "text": "hello"}]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"messages": "hello"}, "`messages` is not a list (expected a list, found 'hello')"),
        ({"messages": {"role": "user", "text": "hello"}}, "`messages` is not a list"),
        ({"messages": None}, "`messages` is not a list (expected a list, found nothing)"),
        ({"messages": ["hello"]}, "the message is not an object (expected an object, found 'hello')"),
        ({"missing": "system prompt"}, "`missing` is not a list (expected a list, found 'system prompt')"),
        ({"events": None}, "`events` is not a list"),
        ({"request": 5}, "`request` is not an object"),
    ],
)
def test_a_text_in_place_of_a_list_is_refused_and_not_stored_letter_by_letter(tmp_path, fields, says):
    """What is of the wrong kind is refused by name, and the package stays as it was before the call."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package:
        with pytest.raises(RecordError) as caught:
            package.append_decision(**({"messages": PROMPT} | fields))
        assert says in str(caught.value)
        package.append_decision(PROMPT)
    run = open_package(tmp_path / "run")
    assert (len(run.decisions), len(run.messages), run.problems) == (1, 1, ())


def test_sources_that_are_no_list_are_refused(tmp_path):
    """A fragment's sources are a list."""
    with PackageWriter(tmp_path / "run", title="t", sync=False) as package, pytest.raises(RecordError):
        package.append_fragment("f1", {"kind": "search"}, "found", sources=None)


@pytest.mark.parametrize("name", ["", ".", "/", "a\0b"])
def test_a_path_that_names_no_package_is_refused(name):
    """A package needs a name of its own."""
    with pytest.raises(PackageError, match="this is no name for a package"):
        PackageWriter(name, title="t")


def test_limits_that_are_no_object_are_refused(tmp_path):
    """Limits are an object of numbers."""
    with pytest.raises(PackageError, match="`limits` is not an object"):
        PackageWriter(tmp_path / "run", title="t", limits=5)
