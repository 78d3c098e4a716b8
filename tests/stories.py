"""Small investigations built directly on the model, for tests of delivery, diagnosis and reports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.canonical import hash_of
from core.memory import Retention, assemble, base_section, carried, remember_context
from core.model import (
    Decision,
    Event,
    Fragment,
    Investigation,
    Limits,
    Lookup,
    Message,
    Outcome,
    Reply,
    SourceRange,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from core.package.encode import message_row

BODY = "export function start(video) {\n  observe(video);\n  return video.play();\n}"
"""73 bytes, 4 lines."""

OTHER = (
    "export function observe(video) {\n  const unsupported_control = probe(video);\n  return unsupported_control;\n}"
)


def message(role, *parts, stands_for=None):
    made = Message(role, tuple(TextPart(part) if isinstance(part, str) else part for part in parts), stands_for)
    return replace(made, raw=message_row(made))


def search(word):
    return Lookup("search", queries=(word,), summary=f"look for {word}")


def read(path, start, end):
    return Lookup("read", arguments={"path": path, "start": start, "end": end})


def lines(first, last, name="line"):
    return "\n".join(f"const {name}_{number} = compute({number});" for number in range(first, last + 1))


@dataclass
class Story:
    """A tool transcript in the making: what the agent saw, asked, and got."""

    store: list = field(default_factory=list)
    prompt: list = field(default_factory=list)
    decisions: list = field(default_factory=list)
    fragments: list = field(default_factory=list)
    limits: Limits = field(default_factory=Limits)
    format: str = "messages"

    def say(self, role, *parts, stands_for=None):
        self.store.append(message(role, *parts, stands_for=stands_for))
        self.prompt.append(len(self.store) - 1)
        return self

    def decide(self, *lookups, events=(), outcome=None, sent=True, status="accepted", **other):
        """One model call with the prompt as it stands now."""
        self.decisions.append(
            Decision(
                index=len(self.decisions) + 1,
                status=status,
                sent=sent,
                format=self.format,
                slices=tuple((place, 1) for place in self.prompt),
                events=tuple(events),
                reply=Reply(lookups=tuple(lookups)),
                outcome=outcome or Outcome("continued"),
                store=self.store,
                **other,
            )
        )
        return self

    def result(self, lookup, body, *, carried=None, sources=(), status="completed", tool=True):
        """What the last decision's lookup returned: recorded in full, and shown as `carried` (None: not at all)."""
        name = f"f{len(self.fragments) + 1}"
        index = self.decisions[-1].index
        call = f"call_{name}" if tool else None
        self.fragments.append(Fragment(name, lookup, status, index, body, tuple(sources), call_id=call))
        if tool:
            self.say(
                "assistant", ToolCallPart(call, lookup.kind, lookup.arguments or {"q": list(lookup.queries or ())})
            )
            if carried is not None:
                self.say("tool", ToolResultPart(call, carried))
        elif carried is not None:
            self.say("user", carried)
        return self

    def replace(self, place, role, *parts, stands_for=None):
        """Put another message in the place of one of the prompt from now on."""
        self.store.append(message(role, *parts, stands_for=stands_for))
        self.prompt[place] = len(self.store) - 1
        return self

    def compact(self, summary, *, marked=True, keep=2):
        """Replace everything behind the first messages with a summary."""
        del self.prompt[keep:]
        return self.say("user", summary, stands_for="summary" if marked else None)

    def tell(self, **other):
        return Investigation(
            title="a story",
            decisions=tuple(self.decisions),
            messages=self.store,
            fragments=tuple(self.fragments),
            prompts="recorded",
            replies="model",
            limits=self.limits,
            **other,
        )


def story():
    return Story().say("system", "You repair programs.").say("user", "The video does not start.")


def source(path, start, end, version="sha256:aa"):
    return SourceRange(path, version, start, end)


def bounded(steps, *, context_bytes=30_000, base="Fix the player.", policy="retain", stop=None):
    """A bounded run assembled by the project's memory. `steps`: per decision, `(lookup, body, sources)` of its results.

    The last step may hold lookups only: what the last decision asks for. `policy` may be a function of the decision.
    """
    store, decisions, fragments, results = [], [], [], []
    state = Retention(context_bytes)
    size = len(base_section(base).encode())
    for index, step in enumerate(steps, 1):
        now = policy(index) if callable(policy) else policy
        for each in results:
            state = replace(remember_context(replace(state, policy=now), each, size), policy="retain")
        prompt = assemble(state, system="You repair programs.", base=base, prompt_limit=42_000)
        store.extend(prompt.messages)
        results = [
            Fragment(
                f"f{len(fragments) + place}",
                each[0],
                "completed",
                index,
                each[1],
                tuple(each[2:3][0] if each[2:] else ()),
            )
            for place, each in enumerate((each for each in step if isinstance(each, tuple)), 1)
        ]
        asked = tuple(each[0] if isinstance(each, tuple) else each for each in step)
        last = index == len(steps)
        rows = [dict(each.raw) for each in prompt.messages]
        decisions.append(
            Decision(
                index=index,
                status="rejected" if last and stop else "accepted",
                sent=True,
                format="bounded_repair_v1",
                slices=((len(store) - 2, 2),),
                request_hash=hash_of({"format": "bounded_repair_v1", "messages": rows}),
                memory=prompt.memory,
                reply=Reply(lookups=asked),
                outcome=Outcome("stopped", by=stop) if last and stop else Outcome("continued"),
                store=store,
            )
        )
        fragments += results
        state = carried(prompt.retention)
    return Investigation(
        title="a bounded run",
        decisions=tuple(decisions),
        messages=store,
        fragments=tuple(fragments),
        prompts="recorded",
        replies="scripted",
        limits=Limits(prompt_bytes=42_000, context_bytes=context_bytes, calls=12),
    )


def compaction(place=2):
    return Event("compaction", message=place)
