"""The shapes of quotas: dimensions, windows, levels, plans, and a row of usage."""

from enum import StrEnum
from typing import Annotated

import msgspec


class Dimension(StrEnum):
    """What is counted."""

    REQUESTS = "ai.requests"
    TOKENS = "ai.tokens.total"
    CONCURRENCY = "ai.concurrency"


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


class QuotaDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A limit to be set: null is no limit, 0 is nothing at all. `ai.concurrency` has no window."""

    dimension: Dimension
    limit: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000_000_000)] | None
    window: Window | None = None


class LimitRow(msgspec.Struct, frozen=True):
    """A limit as it is stored, and what was spent of it in its present window."""

    level: Level
    dimension: Dimension
    most: int | None
    per: Window | None
    used: int


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
