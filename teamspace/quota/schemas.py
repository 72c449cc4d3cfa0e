"""Data types of quotas: dimensions, windows, levels, plans, reservations and usage."""

from enum import StrEnum
from typing import Annotated

import msgspec

from teamspace.core.principal import Principal
from teamspace.core.tables import DomainEvent


class Dimension(StrEnum):
    """What is counted."""

    REQUESTS = "ai.requests"
    TOKENS = "ai.tokens.total"
    CONCURRENCY = "ai.concurrency"
    BYTES = "storage.bytes"
    OBJECTS = "storage.objects"


SPENDING = (Dimension.REQUESTS, Dimension.TOKENS, Dimension.CONCURRENCY)
"""Dimensions that are spent."""
STORAGE = (Dimension.BYTES, Dimension.OBJECTS)
"""Dimensions that are occupied until the content is deleted."""


class Window(StrEnum):
    """The period over which usage is counted. Windows are aligned to UTC, for all subjects alike."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    LIFETIME = "lifetime"


class Level(StrEnum):
    """Whose limit it is, outermost first."""

    TENANT = "tenant"
    ORG = "org"
    TEAM = "team"


class Plan(StrEnum):
    FREE = "free"
    PRO = "pro"
    BUSINESS = "business"
    ENTERPRISE = "enterprise"


class Subject(msgspec.Struct, frozen=True):
    """Whom a limit applies to: a company or a team by id, or the whole tenant with an empty id."""

    level: Level
    id: str
    org_id: str


class LimitChanged(DomainEvent, frozen=True):
    """Event: a limit of a company has changed, or of the whole tenant if `org_id` is empty."""

    org_id: str


class QuotaAccount(msgspec.Struct, frozen=True):
    """Who spends: a person in a team of a company."""

    org_id: str
    team_id: str
    user_id: str

    @classmethod
    def of(cls, who: Principal) -> "QuotaAccount":
        return cls(who.org_id, who.team_id, who.user_id)


class Spend(msgspec.Struct, frozen=True):
    requests: int
    tokens: int


class Reservation(msgspec.Struct, frozen=True):
    """A row of the ledger."""

    id: str
    org_id: str
    team_id: str
    user_id: str
    began_at: str
    requests: int
    tokens: int


class UsageCounter(msgspec.Struct, frozen=True, order=True):
    """What is counted: the usage of a shard of the tenant, a company, a team or a person in one window."""

    level: str
    per: str
    starts_at: str
    subject: str
    org_id: str


class UsedAmount(UsageCounter, frozen=True, order=True):
    """What is added to a counter."""

    requests: int
    tokens: int


class NewReservation(msgspec.Struct, frozen=True):
    """What is to be reserved."""

    id: str
    account: QuotaAccount
    estimate: Spend
    purpose: str
    slots: int = 1
    charged: bool = False
    """What was reserved counts as spent if the server dies before it settles."""
    job_id: str | None = None
    """What was reserved counts as spent when the attempt of this job ends."""
    digest: str | None = None
    """Of a request: others can ask whether it is open (`is_asked`)."""


class Settlement(msgspec.Struct, frozen=True):
    """What a reservation has cost."""

    id: str
    org_id: str
    spent: Spend | None = None
    """None stands for what was reserved."""


class SettledSpend(msgspec.Struct, frozen=True):
    """The final figures of a reservation."""

    org_id: str
    team_id: str
    requests: int
    tokens: int


class QuotaDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A limit to set: null means unlimited, 0 allows nothing.

    `ai.concurrency` has no window; `storage.bytes` and `storage.objects` have the window `lifetime`.
    """

    dimension: Dimension
    limit: Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000_000_000)] | None
    window: Window | None = None


class LimitState(msgspec.Struct, frozen=True):
    """A limit with its usage in the current window and what is reserved."""

    level: Level
    dimension: Dimension
    most: int | None
    per: Window | None
    used: int
    reserved: int
    subject: str = ""

    @property
    def remaining(self) -> int | None:
        return None if self.most is None else self.most - self.used - self.reserved


class Usage(msgspec.Struct, frozen=True):
    """The usage of one dimension. A null `limit` means unlimited, a null `resets_at` means never."""

    dimension: Dimension
    used: int
    reserved: int
    limit: int | None
    remaining: int | None
    window: Window | None
    resets_at: str | None
    level: Level
    forecast: int | None
    """The expected usage at the end of the window, at the current rate."""


class Spender(msgspec.Struct, frozen=True):
    user_id: str
    username: str
    display_name: str | None
    requests: int
    tokens: int


class Interval(msgspec.Struct, frozen=True):
    """The team's usage in one interval."""

    starts_at: str
    requests: int
    tokens: int


class UsageReport(msgspec.Struct, frozen=True):
    """The team's usage, one row per dimension; on request with its history and its top spenders."""

    items: list[Usage]
    next_cursor: str | None = None
    history: list[Interval] | None = None
    spenders: list[Spender] | None = None
    """This month's, highest first. Managers of the team see all, other members only themselves."""


class Metric(StrEnum):
    """What the history shows, by day."""

    BYTES = "storage.bytes"
    OBJECTS = "storage.objects"
    RECEIVED = "traffic.received"
    SENT = "traffic.sent"
    REQUESTS = "ai.requests"
    TOKENS = "ai.tokens.total"


class DayAmounts(msgspec.Struct, frozen=True):
    """The amounts of two metrics that are stored together."""

    day: str
    first: int
    second: int


class DaySource(msgspec.Struct, frozen=True):
    """A table with the amounts of two metrics by day, and its columns in SQL."""

    table: str
    at: str
    """A day, or a time that begins with it."""
    first: str
    second: str
    condition: str = "TRUE"
    """Which of its rows are days."""


class TrafficAmount(msgspec.Struct, frozen=True):
    """What is added to a day's bytes."""

    level: str
    subject: str
    org_id: str
    received: int
    sent: int


class DayZero(msgspec.Struct, frozen=True):
    """The first day of a company, of a team, and of the history of storage and traffic."""

    company: str
    team: str
    recorded: str


class UsageDay(msgspec.Struct, frozen=True):
    """One day, in UTC."""

    day: str
    amount: int
    """What was added that day; less than 0 if more was deleted than stored."""
    total: int
    """What counts against the limit at the end of the day: what is stored, or what was used in the window until then.
    Without such a limit it is the amount."""


class Outlook(StrEnum):
    """What follows if usage goes on as in the last days."""

    REACHED = "reached"
    """The limit is used up already."""
    ON_DAY = "on_day"
    AFTER_RESET = "after_reset"
    """Not before the window ends."""
    NOT_WITHIN_YEAR = "not_within_year"
    TOO_EARLY = "too_early"
    """There are too few days to tell."""


class UsageForecast(msgspec.Struct, frozen=True):
    outlook: Outlook
    per_day: float | None
    """The usual amount of a day; null if it is too early to tell."""
    reached_on: str | None
    """The day on which the limit is reached; null unless the outlook is `on_day`."""


class MetricHistory(msgspec.Struct, frozen=True):
    """One metric by day, oldest first and without gaps, for the level with the least remaining, as in the usage.

    Traffic has no limit, and is the team's. The forecast is null without a limit, and for windows of a day or less.
    """

    metric: Metric
    level: Level
    limit: int | None
    window: Window | None
    days: list[UsageDay]
    forecast: UsageForecast | None


class UsageHistory(msgspec.Struct, frozen=True):
    items: list[MetricHistory]
    next_cursor: str | None = None


class UsageHistoryQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 30
    """How many days, with today; fewer if the team is younger."""
    metric: Metric | None = None
    """Only this one."""


class UsageQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    history: Window | None = None
    """Include the usage by hour or by day, oldest first."""
    spenders: bool = False
