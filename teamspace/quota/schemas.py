"""The shapes of quotas: dimensions, windows, levels, plans, a spending, and a row of usage."""

from enum import StrEnum
from typing import Annotated

import msgspec

from teamspace.core.principal import Principal


class Dimension(StrEnum):
    """What is counted."""

    REQUESTS = "ai.requests"
    TOKENS = "ai.tokens.total"
    CONCURRENCY = "ai.concurrency"
    BYTES = "storage.bytes"
    OBJECTS = "storage.objects"


SPENDING = (Dimension.REQUESTS, Dimension.TOKENS, Dimension.CONCURRENCY)
"""What is used up."""
STORAGE = (Dimension.BYTES, Dimension.OBJECTS)
"""What takes up room for as long as it is kept."""


class Window(StrEnum):
    """The time over which it is counted; it begins anew at the same moment for everybody, in UTC."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    LIFETIME = "lifetime"


class Level(StrEnum):
    """Whose limit it is, from the outermost."""

    TENANT = "tenant"
    ORG = "org"
    TEAM = "team"


class Plan(StrEnum):
    FREE = "free"
    PRO = "pro"
    BUSINESS = "business"
    ENTERPRISE = "enterprise"


class Subject(msgspec.Struct, frozen=True):
    """Whom a limit binds: a company or a team by its id, or the whole tenant, which needs none."""

    level: Level
    id: str
    org_id: str


class LimitChanged(msgspec.Struct, frozen=True):
    """An event: from this commit on another limit binds a company, or the whole tenant where `org_id` is empty."""

    org_id: str


class Account(msgspec.Struct, frozen=True):
    """Who spends: a person, in a team, of a company."""

    org_id: str
    team_id: str
    user_id: str

    @classmethod
    def of(cls, who: Principal) -> "Account":
        return cls(who.org_id, who.team_id, who.user_id)


class Spend(msgspec.Struct, frozen=True):
    requests: int
    tokens: int


class Entry(msgspec.Struct, frozen=True):
    """A spending on the ledger."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    began_at: str


class Settled(msgspec.Struct, frozen=True):
    """What a spending came to."""

    org_id: str
    team_id: str
    requests: int
    tokens: int


class QuotaDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A limit to be set: null is no limit, 0 is nothing at all.

    `ai.concurrency` has no window, and that of `storage.bytes` and `storage.objects` is `lifetime`.
    """

    dimension: Dimension
    limit: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000_000_000)] | None
    window: Window | None = None


class Bound(msgspec.Struct, frozen=True):
    """A limit as it is stored, what was spent of it in its present window, and what is reserved."""

    level: Level
    dimension: Dimension
    most: int | None
    per: Window | None
    used: int
    reserved: int

    @property
    def left(self) -> int | None:
        return None if self.most is None else self.most - self.used - self.reserved


class Usage(msgspec.Struct, frozen=True):
    """One dimension: what was used of which limit. A null `limit` is none, a null `resets_at` never."""

    dimension: Dimension
    used: int
    reserved: int
    limit: int | None
    remaining: int | None
    window: Window | None
    resets_at: str | None
    level: Level
    forecast: int | None
    """What will have been used when the window ends, if it goes on as it began."""


class Spender(msgspec.Struct, frozen=True):
    user_id: str
    username: str
    display_name: str | None
    requests: int
    tokens: int


class Interval(msgspec.Struct, frozen=True):
    """What the team used from one moment until the next began."""

    starts_at: str
    requests: int
    tokens: int


class UsageReport(msgspec.Struct, frozen=True):
    """The team's limits, one row a dimension; and, if asked for, where it went."""

    items: list[Usage]
    next_cursor: str | None = None
    history: list[Interval] | None = None
    spenders: list[Spender] | None = None
    """This month's, the greatest first. Those who run the team see all, everybody else themselves."""


class UsageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    history: Window | None = None
    """Also what was used by hour or by day, oldest first."""
    spenders: bool = False
