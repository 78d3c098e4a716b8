"""The controller: prompt, reply, gates, lookups or patch, and again.

Gates, in this order:

1. a reply that asks for a completed lookup identity (or for one identity twice) ends the attempt (`repetition_gate`)
   before anything is performed, modified or counted as a call; a patch reopens the identities of its file's lookups;
2. a lookup whose earlier outcome is not known may be run again: it is counted, and both runs stand in the ledger; a
   patch whose outcome is not known ends the attempt (`uncertain_outcome`);
3. lookups over the call limit end the attempt (`call_limit`), none of that reply being performed;
4. the context budget cuts and evicts; a ledger over it refuses the prompt (`context_limit`, not sent);
5. a prompt over its own limit is refused (`prompt_limit`, not sent).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..canonical import byte_length
from ..errors import InvestigationError
from ..lookup_tools import look_up
from ..memory import Retention, assemble, base_section, carried, remember_context, reopen
from ..model import Event, Fragment, Investigation, Outcome
from ..source_tree import confined
from .recording import InMemoryRecorder

if TYPE_CHECKING:
    from ..lookup_tools import PathResolver
    from ..memory import Prompt
    from ..model import Lookup, Patch, Reply
    from ..source_tree import SourceTree
    from .recording import Recorder
    from .scenario import Attempt, Scenario, Scripted

FORMAT = "bounded_repair_v1"


@dataclass(frozen=True)
class Run:
    """A finished run: what was recorded, the source tree as patches left it, the lookups that were performed."""

    investigation: Investigation
    tree: SourceTree
    calls: int


def run(
    scenario: Scenario, tree: SourceTree, recorder: Recorder | None = None, resolve: PathResolver | None = None
) -> Run:
    """Run a scenario over a source tree, recording in memory and, if given, with `recorder` too (never closed here).

    `resolve` turns aliases in a read's path into paths. Raises `InvestigationError` where the script does not fit the
    run: a reply is missing, or a prompt that should have been refused was not.
    """
    memory = InMemoryRecorder()
    recorders: tuple[Recorder, ...] = (memory,) if recorder is None else (memory, recorder)
    controller = _Controller(scenario, tree, resolve, recorders)
    for number, attempt in enumerate(scenario.attempts, 1):
        controller.attempt(number, attempt)
    recorded = memory.investigation(scenario.title, scenario.limits, scenario.created, scenario.producer)
    return Run(recorded, controller.tree, controller.calls)


@dataclass
class _Step:
    """What one reply led to."""

    outcome: Outcome
    status: str = "accepted"
    results: list[Fragment] = field(default_factory=list)
    patched: str | None = None


@dataclass
class _Controller:
    scenario: Scenario
    tree: SourceTree
    resolve: PathResolver | None
    recorders: tuple[Recorder, ...]
    index: int = 0
    calls: int = 0
    fragments: int = 0

    def attempt(self, number: int, attempt: Attempt) -> None:
        state = Retention(self.scenario.bounds()[1], self.scenario.policy)
        base, step = attempt.base, _Step(Outcome("continued"))
        for scripted in attempt.replies:
            base = base if scripted.base is None else scripted.base
            events = () if step.patched is None else (Event("patched", paths=(step.patched,)),)
            prompt = self.freeze(state, step, base)
            self.index += 1
            if prompt.refused is not None:
                outcome = Outcome("stopped", by=prompt.refused)
                self.record(number, prompt, events, None, _Step(outcome, status="unused"))
                return
            if scripted.reply is None:
                raise InvestigationError(
                    f"decision {self.index} was to be refused by a limit",
                    found=f"a prompt of {prompt.prompt_bytes} bytes",
                )
            state = carried(prompt.retention)
            step = self.act(state, scripted, scripted.reply)
            self.record(number, prompt, events, scripted.reply, step)
            if step.outcome.kind not in {"continued", "patched"}:
                return
            if step.patched is not None:
                state = reopen(state, step.patched)
        if step.outcome.kind == "continued":
            raise InvestigationError("a scripted reply is missing", expected=f"a reply to decision {self.index + 1}")

    def freeze(self, state: Retention, step: _Step, base: str) -> Prompt:
        """Remember the results of the step before, then assemble the next prompt."""
        base_bytes = byte_length(base_section(base))
        for fragment in step.results:
            state = remember_context(state, fragment, base_bytes)
        prompt_limit = self.scenario.bounds()[0]
        return assemble(state, system=self.scenario.system, base=base, prompt_limit=prompt_limit)

    def act(self, state: Retention, scripted: Scripted, reply: Reply) -> _Step:
        identities = [lookup.identity for lookup in reply.lookups]
        if len(set(identities)) < len(identities) or any(state.completed(identity) for identity in identities):
            return _Step(Outcome("stopped", by="repetition_gate"), status="rejected")
        if self.calls + len(identities) > self.scenario.bounds()[2]:
            return _Step(Outcome("stopped", by="call_limit"), status="rejected")
        if reply.patch is not None:
            return self.patch(reply.patch, known=0 not in scripted.unknown)
        if reply.stop is not None:
            return _Step(Outcome("stopped", by="reply"))
        results = [self.look_up(lookup, place not in scripted.unknown) for place, lookup in enumerate(reply.lookups)]
        return _Step(Outcome("continued"), results=results)

    def look_up(self, lookup: Lookup, known: bool) -> Fragment:
        self.calls += 1
        self.fragments += 1
        name = f"f{self.fragments}"
        if known:
            found = look_up(self.tree, lookup, self.resolve)
            fragment = Fragment(name, lookup, found.status, self.index, found.body, found.sources)
        else:
            fragment = Fragment(name, lookup, "uncertain", self.index, "")
        for recorder in self.recorders:
            recorder.append_fragment(
                fragment.id,
                fragment.lookup,
                fragment.body,
                status=fragment.status,
                requested_by=fragment.requested_by,
                sources=fragment.sources,
            )
        return fragment

    def patch(self, patch: Patch, known: bool) -> _Step:
        if not known:
            return _Step(Outcome("stopped", by="uncertain_outcome"), status="uncertain")
        try:
            self.tree = self.tree.patched(patch.path, patch.before, patch.after)
        except InvestigationError as error:
            return _Step(Outcome("failed", by="patch", extra={"reason": str(error)}), status="rejected")
        return _Step(Outcome("patched"), patched=confined(patch.path))

    def record(self, attempt: int, prompt: Prompt, events: tuple[Event, ...], reply: Reply | None, step: _Step) -> None:
        for recorder in self.recorders:
            recorder.append_decision(
                prompt.messages,
                index=self.index,
                attempt=attempt,
                status=step.status,
                sent=prompt.refused is None,
                format=FORMAT,
                request=self.scenario.request,
                memory=prompt.memory,
                events=events,
                reply=reply,
                outcome=step.outcome,
            )
