"""Data types of workflows: definitions, runs, steps."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec

from teamspace.ai import DryRun
from teamspace.core.errors import FieldError
from teamspace.core.messages import Key, Param
from teamspace.core.paging import Paging
from teamspace.core.replies import Page
from teamspace.jobs import Authority, JobFault
from teamspace.quota import QuotaAccount, Spend

TEAM = "team"
"""The source of a workflow that the team published."""
MAX_OBJECTS = 200
"""The most documents of a run that are listed."""
Slug = Annotated[str, msgspec.Meta(max_length=63)]
Id = Annotated[str, msgspec.Meta(max_length=100)]


class RunState(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StepState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


# Definitions


class DeclaredInput(msgspec.Struct, frozen=True):
    """An input that every run of a workflow must be given."""

    type: Literal["string", "number", "integer", "boolean", "object", "array"]
    description: str = ""


class DefinitionRow(msgspec.Struct, frozen=True):
    """A version of a workflow, as stored, without its spec."""

    slug: str
    version: int
    source: str
    author_id: str | None
    digest: str
    title: str
    description: str
    steps: int
    max_steps: int
    inputs: dict[str, DeclaredInput]
    created_at: str
    """Of the workflow's first version."""
    updated_at: str
    """Of this version."""


class SourceRow(msgspec.Struct, frozen=True):
    """The newest version of a workflow."""

    slug: str
    version: int
    source: str
    digest: str


class DefinitionItem(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow."""

    slug: str
    version: int
    title: str
    description: str
    source: str
    """`team`, or the id of the plugin that brought it."""
    author: str | None
    """Who published this version; null if a plugin brought it."""
    inputs: dict[str, DeclaredInput]
    steps: int
    """How many."""
    max_steps: int
    created_at: str
    updated_at: str


class LastRun(msgspec.Struct, frozen=True):
    """The newest run of a workflow; every member who can list workflows sees this much of it."""

    id: str
    state: RunState
    created_at: str
    finished_at: str | None


class NewestRun(LastRun, frozen=True):
    """The newest run of the workflow with this slug, as stored."""

    slug: str


class WorkflowItem(DefinitionItem, frozen=True, kw_only=True):
    """A workflow in the list, with its newest run."""

    last_run: LastRun | None


class DefinitionPage(Page[WorkflowItem], frozen=True):
    pass


class DefinitionDetail(DefinitionItem, frozen=True, kw_only=True):
    """A workflow with its spec."""

    spec: dict[str, Any]


class SpecReport(msgspec.Struct, frozen=True):
    """Whether a spec is valid. Nothing was stored."""

    valid: bool
    errors: list[FieldError]
    version: int
    """The version that it would get."""


class SpecFormat(msgspec.Struct, frozen=True):
    """The format of specs."""

    format: int
    schema: dict[str, Any]
    step_kinds: Any
    bindings: Any
    predicates: Any
    limits: Any


class PublishQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    validate: bool = False
    """Only check the spec, and store nothing."""


class WorkflowQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)] | None = None


# Runs


class RunFault(msgspec.Struct, frozen=True):
    """Why a run or a step ended without success."""

    code: str
    message: str
    key: Key | None
    params: dict[str, Param]
    step: str


class RunRow(msgspec.Struct, frozen=True):
    """A run, as stored."""

    id: str
    org_id: str
    team_id: str
    owner_id: str
    scope: list[str] | None
    limited_by: str | None
    trigger_id: str | None
    resumed_from: str | None
    slug: str
    version: int
    digest: str
    max_steps: int
    state: RunState
    step: str | None
    steps_used: int
    counts: dict[str, int]
    locale: str
    objects: int
    private: bool
    requests: int
    tokens: int
    error: RunFault | None
    created_at: str
    finished_at: str | None

    @property
    def account(self) -> QuotaAccount:
        return QuotaAccount(self.org_id, self.team_id, self.owner_id)


class TitledRunRow(RunRow, frozen=True):
    """A run with the title of its version of the workflow, which is its slug if it has none."""

    title: str


class NewRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run to insert."""

    id: str
    authority: Authority
    slug: str
    version: int
    digest: str
    max_steps: int
    counts: dict[str, int]
    locale: str
    trigger_id: str | None = None
    resumed_from: str | None = None
    state: RunState = RunState.RUNNING
    step: str | None = None
    steps_used: int = 0
    objects: int = 0
    error: RunFault | None = None


class NewStep(msgspec.Struct, frozen=True):
    """A step that a run has reached."""

    run_id: str
    step_id: str
    number: int
    state: StepState
    total: int
    error: RunFault | None = None


class StepInput(msgspec.Struct, frozen=True):
    """The input of a step's job: which item of which step. The arguments are found when it runs."""

    run_id: str
    step_id: str
    item: int


class StepResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a step's job."""

    value: msgspec.Raw
    """What the tool returned; of a choice, whether its predicate was true."""
    counts: dict[str, int] = {}
    """How many items the maps have that go over a list in this result."""
    branch: bool | None = None
    usage: Spend = Spend(0, 0)
    objects: tuple[str, ...] = ()
    """Ids in its arguments and its result that could be documents."""
    private: bool = False
    """Whether the tool may have read more of the owner's than these documents."""


class StepMeta(msgspec.Struct, frozen=True):
    """What the engine needs of a step's result, besides its value."""

    counts: dict[str, int] = {}
    branch: bool | None = None


class ItemRow(msgspec.Struct, frozen=True):
    """An item of a step and its job."""

    step_id: str
    item: int
    job_id: str
    size: int
    requests: int
    tokens: int


class JobEndRow(msgspec.Struct, frozen=True):
    """How the job of an item has ended."""

    state: str
    error: JobFault | None
    item: int
    job_id: str


class JobStateRow(msgspec.Struct, frozen=True):
    """The job of an item, without its result."""

    id: str
    state: str
    error: JobFault | None
    attempt: int


class RunStepRow(msgspec.Struct, frozen=True):
    step_id: str
    number: int
    state: StepState
    total: int
    error: RunFault | None
    started_at: str
    finished_at: str | None


class RunUsage(msgspec.Struct, frozen=True):
    """What models have cost."""

    requests: int
    tokens: int


class RunOutline(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="outline"):
    """What members see of other members' runs."""

    id: str
    slug: str
    version: int
    title: str
    """Of this version of the workflow; its slug if it has none."""
    state: RunState
    created_at: str
    finished_at: str | None


class RunItem(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="full"):
    """A run in a list."""

    id: str
    slug: str
    version: int
    title: str
    """Of this version of the workflow; its slug if it has none."""
    state: RunState
    waiting: bool
    """Whether it has only queued jobs."""
    owner: str
    trigger_id: str | None
    resumed_from: str | None
    steps_used: int
    max_steps: int
    error: RunFault | None
    usage: RunUsage
    created_at: str
    finished_at: str | None


class RunPage(Page[RunItem | RunOutline], frozen=True):
    pass


class ItemReport(msgspec.Struct, frozen=True, kw_only=True):
    """An item of a step."""

    index: int
    state: str
    """The state of its job."""
    job_id: str
    result: Any
    """What the tool returned; `{"truncated": bytes}` if it is long: the job has it."""
    error: RunFault | None
    attempt: int


class StepReport(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a run."""

    id: str
    kind: str
    tool: str | None
    state: StepState
    total: int
    succeeded: int
    failed: int
    running: int
    started_at: str | None
    finished_at: str | None
    output: Any
    """`{"result": …}` of a call or a choice that has succeeded; null of a map, whose results are in its items."""
    error: RunFault | None
    usage: RunUsage
    items: list[ItemReport]
    """The first 200."""


class RunDetail(RunItem, frozen=True, kw_only=True, tag="full"):
    """A run with its steps."""

    input: Any
    locale: str
    spec: dict[str, Any]
    objects: list[str]
    """The documents that it names."""
    steps: list[StepReport]


class RunBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    input: dict[str, Any] = {}
    resume_from: Id | None = None
    """A run of this workflow that failed or was cancelled: what has succeeded is not executed again."""
    dry_run: bool = False


class RunQuery(Paging, frozen=True):
    state: RunState | None = None
    slug: Slug | None = None
    object: Id | None = None
    """Runs that name this document, as far as the caller may read them in full."""


class DryStep(msgspec.Struct, frozen=True, kw_only=True):
    """What a step would cost at most."""

    id: str
    kind: str
    tool: str | None
    jobs: int | None
    """Null if that depends on results."""
    most_jobs: int
    requests: int
    tokens: int
    certain: bool
    """Whether every run with this input comes to it."""
    offered: bool
    """Whether the caller may call its tool now."""
    error: RunFault | None
    """Why every run with this input fails here."""


class WorkflowDryRun(DryRun, frozen=True, kw_only=True):
    """What a run would cost at most, by step."""

    steps: list[DryStep]
