"""Which steps a run can come to, and which it must have come through before."""

from collections.abc import Iterator

import msgspec

from teamspace.workflows.domain.language.drafts import step_place
from teamspace.workflows.domain.language.faults import SpecFault
from teamspace.workflows.domain.language.specs import ChoiceStep, WorkflowSpec


class Flow(msgspec.Struct, frozen=True):
    """The ways through a spec. Since every step leads to later ones, one look in order finds them all."""

    before: dict[str, frozenset[str]]
    """For each step that can be reached, the steps that have run on every way to it, and itself."""

    def has_run(self, step_id: str, reader: str) -> bool:
        """Whether a step has run whenever another starts; true for a reader that is never reached."""
        return step_id != reader and step_id in self.before.get(reader, {step_id})


def explore(spec: WorkflowSpec) -> Flow:
    """Return the ways through a spec whose steps exist and lead to later ones."""
    before: dict[str, frozenset[str]] = {spec.start: frozenset({spec.start})}
    for step in spec.steps:
        if step.id not in before:
            continue
        for following in following_of(spec, step.id):
            known = before.get(following)
            common = before[step.id] if known is None else before[step.id] & known
            before[following] = common | {following}
    return Flow(before)


def check_reached(spec: WorkflowSpec, flow: Flow) -> Iterator[SpecFault]:
    """Yield the steps that no run can come to."""
    for position, step in enumerate(spec.steps):
        if step.id not in flow.before:
            yield SpecFault.at(step_place(position), "workflows.spec_unreachable", start=spec.start)


def following_of(spec: WorkflowSpec, step_id: str) -> tuple[str, ...]:
    """Return the steps that can follow a step."""
    step = spec.step(step_id)
    if isinstance(step, ChoiceStep):
        return (step.then, step.otherwise)
    following = spec.next_of(step_id)
    return () if following is None else (following,)
