"""Rich layout that stays inert: a tree of elements whose every text is set through `textContent`.

Streamlit's own labels, Markdown and HTML interpret what they show; text out of a package may pass through none of
them. A page builds a tree with `el` and draws it with `panel`; classes and tags are ours, texts are anyone's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import streamlit as st

from .. import assets
from ..events import event

Node: TypeAlias = "str | dict[str, Any]"
Action: TypeAlias = Callable[[], None]

TAGS: Final = frozenset(
    [
        "a",
        "b",
        "button",
        "caption",
        "code",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "footer",
        "h2",
        "h3",
        "h4",
        "header",
        "hr",
        "i",
        "label",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "s",
        "section",
        "small",
        "span",
        "summary",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
    ]
)
"""Tags that a panel may make; none loads, runs or embeds anything. panel.js holds the same list."""

_COMPONENT = st.components.v2.component(
    "investigation_inspector_panel",
    html='<div class="ii-panel"></div>',
    css=assets.read("inert.css", "panel/panel.css"),
    js=assets.read("inert.js", "panel/panel.js"),
)


def el(
    tag: str,
    *children: Node | None,
    cls: str = "",
    act: Action | None = None,
    href: str | None = None,
    tip: str | None = None,
    width: float | None = None,
    current: bool = False,
    tone: str | None = None,
) -> dict[str, Any]:
    """One element. `act` is called on a click; `href` (from `state.href`) lets the same link open in a new tab.

    `tip` is shown on hover, `width` is a share of the parent's width in percent, `current` marks the chosen one of a
    list. `tone` is a colour of the palette (`#rrggbb`) for a class that has one. None among the children is left out.
    """
    if tag not in TAGS:
        raise ValueError(f"a panel makes no <{tag}>")
    node: dict[str, Any] = {"t": tag}
    if cls:
        node["c"] = cls
    if children:
        node["k"] = [child for child in children if child is not None]
    if act is not None:
        node["act"] = act
    if href is not None:
        node["h"] = href
    if tip is not None:
        node["tip"] = tip
    if width is not None:
        node["w"] = round(width, 2)
    if current:
        node["cur"] = 1
    if tone is not None:
        node["tone"] = tone
    return node


def panel(*nodes: Node | None, key: str) -> None:
    """Draw a tree. `key` is unique on the page; a click runs the node's `act` before the page is drawn again."""
    actions: list[Action] = []
    data = [_numbered(node, actions) for node in nodes if node is not None]

    def acted() -> None:
        chosen = event(key, "act")
        if isinstance(chosen, Mapping):
            chosen = chosen.get("n")
        if isinstance(chosen, int) and 0 <= chosen < len(actions):
            actions[chosen]()

    _COMPONENT(key=key, data={"nodes": data}, on_act_change=acted)


def inert(text: str) -> str:
    r"""A text that JSON can carry to the browser: a lone surrogate becomes its escape (`\ud800`)."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def one_line(text: str) -> str:
    """A text for a tooltip, which cannot mark what is hidden: control and reordering characters become `�`."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in inert(text))


def _numbered(node: Node, actions: list[Action]) -> Node:
    """The same tree with each action replaced by its number: the browser only ever names a number."""
    if isinstance(node, str):
        return inert(node)
    made = {name: value for name, value in node.items() if name not in ("act", "k")}
    if "k" in node:
        made["k"] = [_numbered(child, actions) for child in node["k"]]
    if "tip" in made:
        made["tip"] = one_line(made["tip"])
    if "act" in node:
        made["a"] = len(actions)
        actions.append(node["act"])
    return made
