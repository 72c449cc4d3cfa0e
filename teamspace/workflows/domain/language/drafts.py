"""A spec that may still have faults: what can be read of it, so that all its faults are found at once."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from teamspace.workflows.domain.language import structure
from teamspace.workflows.domain.language.faults import MAX_FAULTS, ROOT, Place, SpecFault
from teamspace.workflows.domain.language.specs import ChoiceStep, SpecStep, WorkflowSpec


class Draft(msgspec.Struct, frozen=True):
    start: str | None
    inputs: dict[str, str] | None
    """The type of each input; None if they cannot be read."""
    steps: dict[int, SpecStep]
    """By position, those that have the right form."""
    positions: dict[str, int]
    """The first position of each id, of all steps."""
    names_all_steps: bool
    """Whether the id of every step is known."""

    def find(self, step_id: str) -> SpecStep | None:
        return self.steps.get(self.positions[step_id]) if step_id in self.positions else None


def read(raw: dict[str, Any]) -> tuple[Draft, list[SpecFault]]:
    """Return what can be read, and the faults in the form of the spec; of very many faults only the first."""
    entries = raw["steps"] if isinstance(raw.get("steps"), list) else []
    faults = list(islice(structure.check(raw), MAX_FAULTS))
    steps, positions = dict[int, SpecStep](), dict[str, int]()
    for position, entry in enumerate(entries[: structure.MAX_SPEC_STEPS]):
        of_step = list(islice(structure.check_step(entry, step_place(position)), MAX_FAULTS))
        faults += of_step
        if not of_step:
            steps[position] = msgspec.convert(entry, SpecStep)
        if (step_id := _id(entry)) is None:
            continue
        if step_id in positions:
            first = step_place(positions[step_id]).pointer
            faults.append(SpecFault.at(step_place(position) / "id", "workflows.spec_repeated_id", first=first))
        positions.setdefault(step_id, position)
    start = raw.get("start")
    draft = Draft(
        start=start if isinstance(start, str) else None,
        inputs=_inputs(raw.get("inputs", {})),
        steps=steps,
        positions=positions,
        names_all_steps=len(entries) <= structure.MAX_SPEC_STEPS and all(_id(entry) is not None for entry in entries),
    )
    return draft, faults


def step_place(position: int) -> Place:
    return ROOT / "steps" / position


def check_names(draft: Draft) -> Iterator[SpecFault]:
    """Yield where the start or a choice names no step, or none that comes later."""
    if draft.start is not None and draft.start not in draft.positions and draft.names_all_steps:
        yield SpecFault.at(ROOT / "start", "workflows.spec_no_step")
    for position, step in draft.steps.items():
        if isinstance(step, ChoiceStep):
            yield from _check_target(draft, step.then, position, "then")
            yield from _check_target(draft, step.otherwise, position, "else")


def _check_target(draft: Draft, target: str, position: int, field: str) -> Iterator[SpecFault]:
    place = step_place(position) / field
    if target in draft.positions:
        if draft.positions[target] <= position:
            yield SpecFault.at(place, "workflows.spec_not_later")
    elif draft.names_all_steps:
        yield SpecFault.at(place, "workflows.spec_no_step")


def complete(raw: Any) -> WorkflowSpec:
    """Return a spec that has the right form."""
    return msgspec.convert(raw, WorkflowSpec)


def _id(entry: Any) -> str | None:
    step_id = entry.get("id") if isinstance(entry, dict) else None
    return step_id if isinstance(step_id, str) else None


def _inputs(raw: Any) -> dict[str, str] | None:
    if not isinstance(raw, dict) or not all(isinstance(each, dict) for each in raw.values()):
        return None
    return {name: str(each.get("type")) for name, each in raw.items()}
