"""Data types of agents."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.ai import Citation, Prompt
from teamspace.completions import TokenUsage, ToolCall

MAX_ROUNDS = 12
"""How often the model is asked in one run."""
Id = Annotated[str, msgspec.Meta(max_length=100)]


class AgentBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    prompt: Prompt = ""
    system: Annotated[str, msgspec.Meta(max_length=100_000)] | None = None
    tools: Annotated[list[Annotated[str, msgspec.Meta(max_length=64)]], msgspec.Meta(max_length=128)] | None = None
    """The names of the tools that it may use; by default all that are on for the team."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1, le=MAX_ROUNDS)] = MAX_ROUNDS
    """How often the model may be asked."""
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """The model that is asked in each round, of any executor that has it."""
    executor: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """The name of an executor, which is asked in each round; only operators may choose one."""
    conversation_id: Id | None = None
    parent_id: Id | UnsetType | None = UNSET
    regenerate: Id | None = None
    resume_from: Id | None = None
    """A run of the caller's that failed or was stopped: it is continued after its last complete step.

    Without a prompt, with its prompt, instructions and tools, and in its conversation if it has one.
    """
    dry_run: bool = False


class AgentInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The input of a run's job."""

    prompt: Prompt = ""
    system: str | None = None
    tools: list[str] | None = None
    max_rounds: int = MAX_ROUNDS
    model: str | None = None
    executor: str | None = None
    conversation_id: str | None = None


class ToolError(msgspec.Struct, frozen=True):
    code: str
    message: str


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool call and what it returned."""

    tool: str
    arguments: dict[str, Any]
    result: Any = None
    artifact: dict[str, Any] | None = None
    error: ToolError | None = None


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A finished run."""

    text: str
    steps: list[Step]
    usage: TokenUsage
    finish_reason: str
    """`stop`, or `tool_limit` after too many rounds or calls, `quota` if the budget ended, `stopped` by a person."""
    model: str
    executor: str
    simulated: bool = False
    citations: list[Citation] = []
    job_id: str


class ModelStep(msgspec.Struct, frozen=True, tag="model", omit_defaults=True):
    """What the model said in one round."""

    text: str
    usage: TokenUsage
    model: str
    executor: str
    simulated: bool
    finish_reason: str
    run_id: str
    """Of the run in which it said this: a run that is continued has the steps of another."""
    tool_calls: list[ToolCall] = []
    citations: list[Citation] = []
    """Those that are new in its text."""


class ToolStep(msgspec.Struct, frozen=True, tag="tool"):
    """What a tool call returned."""

    call_id: str
    step: Step
    shown: str
    """What the model was told."""


AnyStep = ModelStep | ToolStep


class StepRow(msgspec.Struct, frozen=True):
    run_id: str
    number: int
    data: str
