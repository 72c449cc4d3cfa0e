"""A workflow spec in format 1: what it is made of, once it is known to be valid."""

from functools import cached_property
from typing import Any, Literal

import msgspec

InputType = Literal["string", "number", "integer", "boolean", "object", "array"]


class InputSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input that every run must be given."""

    type: InputType
    description: str = ""


class CallStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True,
    tag_field="kind", tag="tool", rename={"arguments": "with"},
):  # fmt: skip
    """Calls a tool once."""

    id: str
    tool: str
    arguments: dict[str, Any] = {}
    retry: int = 0
    """How often a failed call is repeated."""
    end: bool = False
    """Whether the run ends here; otherwise the following step is next."""


class MapStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True,
    tag_field="kind", tag="map", rename={"arguments": "with"},
):  # fmt: skip
    """Calls a tool once for each item of a list."""

    id: str
    over: dict[str, Any] | list[Any]
    """A reference to a list, or a list of bindings."""
    tool: str
    arguments: dict[str, Any] = {}
    retry: int = 0
    end: bool = False


class ChoiceStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True,
    tag_field="kind", tag="choice", rename={"otherwise": "else"},
):  # fmt: skip
    """Goes on with one of two later steps."""

    id: str
    when: dict[str, Any]
    then: str
    otherwise: str
    retry: int = 0


SpecStep = CallStep | MapStep | ChoiceStep


class WorkflowSpec(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True
):  # `dict` for the cached property
    """What a workflow does. The steps are in order: a step leads to the following one unless it says otherwise."""

    slug: str
    start: str
    max_steps: int
    """The largest number of jobs of a run: a call and a choice are one each, a map is one for each item."""
    steps: tuple[SpecStep, ...]
    format: int = 1
    version: int = 1
    title: str = ""
    description: str = ""
    inputs: dict[str, InputSpec] = {}

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each step by its id."""
        return {step.id: position for position, step in enumerate(self.steps)}

    def step(self, step_id: str) -> SpecStep:
        return self.steps[self.positions[step_id]]

    def next_of(self, step_id: str) -> str | None:
        """Return the step that follows a call or a map; None if the run ends with it."""
        position = self.positions[step_id]
        step = self.steps[position]
        if isinstance(step, ChoiceStep):
            raise ValueError(f"what follows the choice {step_id} depends on its predicate")
        return None if step.end or position + 1 == len(self.steps) else self.steps[position + 1].id


class ToolShape(msgspec.Struct, frozen=True):
    """What a spec must know about a tool."""

    arguments: dict[str, Any]
    """The JSON schema of its arguments."""
    returns: frozenset[str] | None = None
    """The JSON types that its result can have; None if that is unknown."""
