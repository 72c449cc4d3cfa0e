"""Schemas of the instance."""

import msgspec

from teamspace.core.metrics import RouteFigures


class Liveness(msgspec.Struct, frozen=True):
    ok: bool
    multitenant: bool


class Ready(msgspec.Struct, frozen=True):
    """Database and blob store respond, and the server is not stopping."""

    ready: bool


class Localization(msgspec.Struct, frozen=True):
    default_locale: str
    available_locales: list[str]
    switching: bool
    drafts: bool
    """Whether unreviewed translations are served."""


class Config(msgspec.Struct, frozen=True):
    """What a client needs to know before sign-in. `bootstrapped` is false until the first operator exists;
    `bootstrap_code` says whether creating one requires a code. `trash_days`: how long what is deleted can be restored;
    `stay_days`: how long a browser can keep somebody signed in, 0 if it cannot."""

    home: str
    multitenant: bool
    bootstrapped: bool
    bootstrap_code: bool
    trash_days: int
    stay_days: int
    localization: Localization


class Secrets(msgspec.Struct, frozen=True):
    """How secrets are encrypted; `key` says where the key is: `setting`, or `file` in the data folder."""

    sealed: bool
    cipher: str
    key: str


class Status(msgspec.Struct, frozen=True):
    """The instance for its operators. `counts` may be some seconds old; revoked tokens are not counted."""

    version: str
    kdf: str
    tls: bool
    multitenant: bool
    hosted: bool
    suspended: bool
    secrets_at_rest: Secrets
    database: str
    schema: int
    started_at: str
    counts: dict[str, int]
    warnings: list[str]
    """Problems that an operator should fix."""


class Figures(msgspec.Struct, frozen=True):
    """Operational metrics since the start: per process that runs, and per route over all, also those that ended."""

    version: str
    started_at: str
    uptime_seconds: float
    audit_unsealed: int
    processes: dict[str, dict[str, float]]
    routes: list[RouteFigures]


class Seeded(msgspec.Struct, frozen=True):
    """How many samples were added; existing ones stay as they are."""

    notes: int
    documents: int


class DemoPerson(msgspec.Struct, frozen=True):
    username: str
    password: str
    team: str
    role: str
    org_role: str | None


class DemoCompany(msgspec.Struct, frozen=True):
    slug: str
    name: str
    domain: str
    people: list[DemoPerson]


class DemoCompanies(msgspec.Struct, frozen=True):
    """The demo companies, and how to sign in to them."""

    items: list[DemoCompany]
