"""Data types of upload triggers: rows, request bodies and responses."""

from enum import StrEnum
from typing import Annotated, Any, Self

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.messages import Key, Param, render
from teamspace.core.paging import Paging

MAX_TRIGGERS = 50
"""Per team: all of them are matched with every upload."""
MAX_INPUT = 16 * 1024
"""In bytes of JSON: it is decoded in the transaction of the upload."""
MAX_DEPTH = 5
"""A version that was derived in more steps starts nothing."""
MAX_ANCESTORS = 200
"""How many triggers an ancestry can name. A version with more starts nothing."""
KEPT_FIRES = 1_000
"""Per trigger. Older history is deleted."""
OBJECT_INPUT = "object_id"
"""The input of a workflow that gets the id of the object, if the workflow declares it."""

WorkflowSlug = Annotated[str, msgspec.Meta(min_length=1, max_length=63)]
Prefix = Annotated[str, msgspec.Meta(max_length=1024)]
TypePattern = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
TypePatterns = Annotated[list[TypePattern], msgspec.Meta(max_length=20)]


class FireReason(StrEnum):
    """Why a trigger did not start its workflow."""

    DISABLED = "disabled"
    PREFIX_MISMATCH = "prefix_mismatch"
    TYPE_MISMATCH = "type_mismatch"
    DERIVED = "derived"
    LOOP = "loop"
    LOOP_DEPTH = "loop_depth"
    ORG_SUSPENDED = "org_suspended"
    FEATURE_OFF = "feature_off"
    NO_PERMISSION = "no_permission"
    WORKFLOW_MISSING = "workflow_missing"
    INPUT_INVALID = "input_invalid"
    QUOTA = "quota"
    TOO_MANY_JOBS = "too_many_jobs"
    INTERNAL_ERROR = "internal_error"


class Unfired(msgspec.Struct, frozen=True):
    """Why a trigger does not start its workflow, as a text too."""

    code: FireReason
    message: str
    key: Key
    """The key of the message in the catalog's namespace `refusals`."""
    params: dict[str, Param]

    @classmethod
    def because(cls, code: FireReason, key: Key, /, **params: Param) -> Self:
        return cls(code, render(key, params), key, params)


# Stored


class TriggerPattern(msgspec.Struct, frozen=True):
    """What is read of a trigger to match it with an upload, without its input."""

    id: str
    workflow_slug: str
    match_prefix: str
    match_types: list[str]
    fire_on_derived: bool
    enabled: bool
    author_id: str
    scope: tuple[str, ...] | None


class TriggerRow(TriggerPattern, frozen=True):
    org_id: str
    team_id: str
    input: dict[str, Any]
    created_at: str
    updated_at: str


class TriggerInput(msgspec.Struct, frozen=True):
    id: str
    input: dict[str, Any]


class FireRow(msgspec.Struct, frozen=True):
    """A row of the history."""

    id: str
    trigger_id: str
    org_id: str
    object_id: str
    version_id: str
    number: int
    run_id: str | None
    reason: FireReason | None
    key: str | None
    params: dict[str, Param] | None
    created_at: str


class VisibleFire(FireRow, frozen=True):
    """A row of the history, and whether the caller can read its object."""

    readable: bool


class Ancestry(msgspec.Struct, frozen=True):
    """Where a version comes from: the steps of derivation, and the triggers that fired on it or on its ancestors."""

    depth: int = 0
    triggers: tuple[str, ...] = ()


# Requests


class TriggerDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    workflow_slug: WorkflowSlug
    match_prefix: Prefix = ""
    """Keys that begin with this; empty matches all."""
    match_types: TypePatterns = []
    """Content types, also `image/*`; none matches all."""
    input: dict[str, Any] = {}
    """The workflow's inputs. `object_id` is set to the object's id, if the workflow declares it."""
    fire_on_derived: bool = False
    """Whether documents that runs have made start it too."""
    enabled: bool = True


class TriggerChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields to change; absent fields stay. Whoever changes more than `enabled: false` becomes the author."""

    workflow_slug: WorkflowSlug | UnsetType = UNSET
    match_prefix: Prefix | UnsetType = UNSET
    match_types: TypePatterns | UnsetType = UNSET
    input: dict[str, Any] | UnsetType = UNSET
    fire_on_derived: bool | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class TriggerQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: Prefix | None = None
    """Tests which triggers an upload to this key would fire now, if the caller made it."""
    content_type: Annotated[str, msgspec.Meta(max_length=255)] | None = None
    """The type of that upload; by default what its key suggests."""


class FireQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of a trigger's history."""


# Responses


class AiRemaining(msgspec.Struct, frozen=True):
    """What the team may still spend on models, at the tightest level; null is unlimited."""

    requests: int | None
    tokens: int | None


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    workflow_slug: str
    match_prefix: str
    match_types: list[str]
    input: dict[str, Any]
    fire_on_derived: bool
    enabled: bool
    author: str
    """The member who last changed it. Runs have only rights that they and the uploader both have."""
    ai_remaining: AiRemaining
    created_at: str
    updated_at: str


class TriggerItem(Trigger, frozen=True, kw_only=True):
    """A trigger in the list; with `?key=`, whether an upload to that key would fire it."""

    would_fire: bool | None = None
    reason: Unfired | None = None
    """Why it would not."""


class FireSummary(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="outline"):
    """What a caller sees of the history of an object that they cannot read."""

    reason: FireReason | None
    at: str


class Fire(msgspec.Struct, frozen=True, kw_only=True, tag_field="view", tag="full"):
    """A version that the trigger matched: with the run it started, or the reason why it started none."""

    object_id: str
    version: int
    run_id: str | None
    reason: FireReason | None
    message: str | None
    """The reason as a text."""
    key: str | None
    params: dict[str, Param]
    at: str


class TriggerDetail(Trigger, frozen=True, kw_only=True):
    history: list[Fire | FireSummary]
    """Newest first."""
    next_cursor: str | None
    """The cursor of the next page of the history."""
