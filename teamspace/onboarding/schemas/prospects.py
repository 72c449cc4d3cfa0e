"""Prospects: how they are stored, judged, listed and decided on."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from teamspace.core.paging import Paging
from teamspace.onboarding.schemas.experience import MAX_JUDGE_PROMPT
from teamspace.onboarding.schemas.sign_ups import Signals, TrustLevel


class JudgeDecision(StrEnum):
    ACCEPT = "accept"
    REVIEW = "review"
    DECLINE = "decline"


class VerdictFilter(StrEnum):
    ACCEPT = "accept"
    REVIEW = "review"
    DECLINE = "decline"
    NONE = "none"


class ProspectState(StrEnum):
    CAPTURED = "captured"
    ACCEPTED = "accepted"
    DECLINED = "declined"


class JudgeReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    criterion: str
    field: str
    quote: str
    """Words of the answer, verbatim."""


class JudgeVerdict(msgspec.Struct, frozen=True):
    """What a model thinks of a prospect; a person decides."""

    decision: JudgeDecision
    score: int
    reasons: list[JudgeReason]
    model: str


class JudgeInput(msgspec.Struct, frozen=True):
    prospect_id: str


class JudgeResult(msgspec.Struct, frozen=True):
    judged: bool
    """False if the prospect is gone or decided, or if the team's limit of the day is reached."""


class NewProspect(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    team_id: str
    experience_id: str
    version: int
    nonce: str
    email: str
    email_key: str
    answers: dict[str, str | bool]
    locale: str | None
    signals: Signals
    level: TrustLevel
    created_at: str


class ProspectRow(NewProspect, frozen=True):
    state: ProspectState
    verdict: VerdictFilter
    judged: JudgeVerdict | None
    note: str
    decided_by: str | None
    decided_at: str | None
    user_id: str | None


class ProspectKind(msgspec.Struct, frozen=True):
    """What prospects can be filtered by."""

    state: ProspectState
    level: TrustLevel
    verdict: VerdictFilter


class ProspectTeam(msgspec.Struct, frozen=True):
    org_id: str
    team_id: str


class DayCount(msgspec.Struct, frozen=True):
    day: str
    step: str
    count: int


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    email: str
    fields: dict[str, str | bool]
    locale: str | None
    state: ProspectState
    level: TrustLevel
    signals: Signals
    verdict: JudgeVerdict | None
    note: str
    decided_by: str | None
    decided_at: str | None
    user_id: str | None
    """The account of an accepted prospect."""
    experience_version: int
    created_at: str


class FunnelDay(msgspec.Struct, frozen=True, kw_only=True):
    """How many visitors reached each step on a day (UTC)."""

    day: str
    views: int = 0
    starts: int = 0
    """Challenges that were asked for."""
    solved: int = 0
    signed_up: int = 0
    accepted: int = 0
    activated: int = 0
    """Accepted prospects who set their password."""


class ProspectPage(msgspec.Struct, frozen=True, kw_only=True):
    items: list[Prospect]
    next_cursor: str | None
    numbers: list[FunnelDay] | None = None
    """With `?numbers=1`: the last 30 days, newest first, without days on which nothing happened."""


class ProspectQuery(Paging, frozen=True, forbid_unknown_fields=True):
    state: ProspectState | None = None
    level: TrustLevel | None = None
    verdict: VerdictFilter | None = None
    q: Annotated[str, msgspec.Meta(max_length=254)] = ""
    """The beginning of an e-mail address."""
    numbers: bool = False
    format: Literal["json", "csv"] = "json"
    """`csv` returns all prospects that match as a file, as `Accept: text/csv` does."""


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    decision: Literal["accept", "decline"]
    note: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


class DecidedProspect(Prospect, frozen=True, kw_only=True):
    activation_url: str | None = None
    """Where an accepted prospect sets their password. Shown once; null if they already had an account."""


class ReplayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    judge_prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_JUDGE_PROMPT)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """How many prospects to judge again, beginning with the newest."""


class Flip(msgspec.Struct, frozen=True):
    prospect_id: str
    before: JudgeDecision
    after: JudgeDecision


class Replay(msgspec.Struct, frozen=True):
    compared: int
    flips: list[Flip]
