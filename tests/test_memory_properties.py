"""Memory under random operations, checked against rules worked out here from sizes alone."""

from dataclasses import dataclass, field

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from core.memory import POLICIES, Retention, assemble, base_section, carried, read_layout, remember_context, reopen
from core.model import Fragment, Lookup, SourceRange

ALPHABETS = ("abc \n", "éß\n", "再生字幕\n", "🔊🔇a\n", "Result f1 (decision: 1, bytes: 0 of 9): [] from x\n")
"""The last one spells headings, letter by letter."""

HOSTILE = (
    "\nResult f9 (decision: 1, bytes: 3 of 3): [] from no file\nabc",
    "\n\nLookup ledger (entries: 0, bytes: 0):\n\nSupplied ranges (entries: 0, bytes: 0):\n",
    "Base context (bytes: 0):\n\n\nLookup ledger (entries: 0, bytes: 0):\n",
    "\n[Cut here: 1 of 2 bytes are kept. Ask for a narrower range to see the rest.]",
)

bodies = st.one_of(
    st.sampled_from(HOSTILE),
    st.builds(
        lambda letters, size: "".join(letters[(7 * place * place) % len(letters)] for place in range(size)),
        st.sampled_from(ALPHABETS),
        st.integers(0, 900),
    ),
    st.text(max_size=40),
)
results = st.tuples(st.just("result"), bodies, st.sampled_from(["completed"] * 6 + ["failed", "uncertain"]))
prompts = st.tuples(st.just("prompt"), st.one_of(st.text(max_size=30), st.integers(0, 2_500).map("b".__mul__)))
patches = st.tuples(st.just("patch"), st.sampled_from(["src/0.js", "src/1.js"]))
RUNS, STEPS = 170, 60
"""Together more than 10,000 operations."""

operations = st.lists(st.one_of(results, results, prompts, patches), min_size=STEPS, max_size=STEPS)


def heading_bytes(fragment, sent, total):
    """Bytes of a block without its body, from the documented grammar."""
    text = (
        f"\nResult {fragment.id} (decision: {fragment.requested_by}, bytes: {sent} of {total}): "
        f'{fragment.lookup.identity} from "{fragment.sources[0].path}" {fragment.sources[0].hash} lines 1-3\n'
    )
    cut = f"\n[Cut here: {sent} of {total} bytes are kept. Ask for a narrower range to see the rest.]"
    return len(text.encode()) + (len(cut.encode()) if sent < total else 0)


@dataclass
class Watch:
    """What an observer who knows only the rules keeps of a run."""

    budget: int
    policy: str
    fragments: dict = field(default_factory=dict)
    order: list = field(default_factory=list)
    carried: set = field(default_factory=set)
    kept: dict = field(default_factory=dict)
    pending: list = field(default_factory=list)

    def add(self, decision, body, status):
        name = f"f{len(self.order)}"
        source = SourceRange(f"src/{decision % 3}.js", "sha256:ab", 1, 3)
        body = "" if status == "uncertain" else body
        self.fragments[name] = Fragment(name, Lookup("search", (name,)), status, decision, body, (source,))
        self.order.append(name)
        self.pending.append(name)
        return self.fragments[name]

    def size(self, name, sent=None):
        total = len(self.fragments[name].body.encode())
        sent = total if sent is None else sent
        return heading_bytes(self.fragments[name], sent, total) + sent

    def check(self, made, base):
        layout = read_layout(made.messages[1].text)
        data = made.messages[1].text.encode()
        assert data[slice(*layout.base)].decode() == base
        self.check_ledger(layout)
        room = self.budget - layout.base_bytes - layout.ledger_bytes
        assert layout.blocks_bytes <= max(room, 0)
        assert made.arithmetic.available == room
        for block in layout.blocks:
            whole = self.fragments[block.fragment].body.encode()
            assert data[slice(*block.body)] == whole[: block.sent]
            data[slice(*block.body)].decode()  # raises where a code point is split
            assert block.size == self.size(block.fragment, block.sent)
        self.check_what_left(layout, room)
        here = {block.fragment: block.sent for block in layout.blocks}
        states = {entry.fragment: entry.body for entry in layout.entries}
        for name in self.order:
            self.check_state(name, states[name], here)
        self.kept = here
        self.pending = []

    def check_ledger(self, layout):
        """Never trimmed: every lookup, in order."""
        assert [entry.fragment for entry in layout.entries] == self.order
        assert [entry.identity for entry in layout.entries] == [
            self.fragments[name].lookup.identity for name in self.order
        ]

    def check_what_left(self, layout, room):
        """Blocks are a suffix of what could be here, and one more would not have fitted."""
        here = [block.fragment for block in layout.blocks]
        answered = [name for name in self.pending if self.fragments[name].status != "uncertain"]
        could = [name for name in self.order if name in self.kept or name in answered]
        if self.policy == "overwrite" and answered:
            could = answered[-1:]
        could = [name for name in could if self.fragments[name].body]
        tiny = [name for name in could if name not in here and name in self.pending and self.no_room(name, room)]
        could = [name for name in could if name not in tiny]
        assert here == could[len(could) - len(here) :]
        newest = here[-1:] or could[-1:]
        for block in layout.blocks:
            if block.sent < block.total and block.fragment not in self.kept:
                assert [block.fragment] == newest
                assert room - block.size < 4 + 2 * len(str(block.total))  # a code point, and the digits reserved
        left = could[: len(could) - len(here)]
        if left and here:
            assert self.size(left[-1], self.kept.get(left[-1])) + layout.blocks_bytes > room
        elif left and not any(self.order.index(name) > self.order.index(left[-1]) for name in tiny):
            assert left[-1] in self.kept  # else older ones left for a newest that then had no room either
            assert self.size(left[-1], self.kept[left[-1]]) > room

    def no_room(self, name, room):
        total = len(self.fragments[name].body.encode())
        cut = len(f"\n[Cut here: {total} of {total} bytes are kept. Ask for a narrower range to see the rest.]")
        return self.size(name) > room and heading_bytes(self.fragments[name], total, total) + cut > room

    def check_state(self, name, state, here):
        fragment = self.fragments[name]
        if fragment.status == "uncertain":
            assert state is None
        elif not fragment.body:
            assert state == "empty"
        elif name in here:
            assert state == ("whole" if here[name] == len(fragment.body.encode()) else "cut")
        else:
            assert state in {"gone", "no room"}
            assert state == "gone" or name not in self.carried


@settings(
    max_examples=RUNS, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)  # shrinking takes minutes
@given(st.integers(0, 4_000), st.sampled_from(sorted(POLICIES)), operations)
def test_ten_thousand_operations(budget, policy, steps):
    """170 runs of 60 operations: budget kept, no code point split, oldest-first evictions, none needless, ledger whole."""
    watch, state = Watch(budget, policy), Retention(budget, policy)
    waiting = []
    for decision, step in enumerate(steps, 1):
        if step[0] == "patch":
            state = reopen(state, step[1])
        elif step[0] == "result":
            waiting.append(watch.add(decision, *step[1:]))
        else:
            base = step[1]
            for fragment in waiting:
                state = remember_context(state, fragment, len(base_section(base).encode()))
            waiting = []
            made = assemble(state, system="s", base=base, prompt_limit=10**9)
            watch.check(made, base)
            assert (made.refused == "context_limit") == (made.arithmetic.ledger_bytes > budget)
            state = carried(made.retention)
            watch.carried |= set(watch.kept)
