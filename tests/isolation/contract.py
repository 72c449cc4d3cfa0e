"""The contract, written down a second time: who calls, from where, and what their roles allow.

Nothing here is taken from the product's own tables, which are what is on trial.
"""

from enum import StrEnum

import msgspec

# fmt: off
_GRID = """
                         operator owner admin member viewer guest translator reviewer worker org_owner org_admin org_reader
instance:manage          x        -     -     -      -      -     -          -        -      -         -         -
localization:manage      x        -     -     -      -      -     -          -        -      -         -         -
localization:read        x        x     x     -      -      -     x          x        -      -         -         -
localization:translate   x        -     -     -      -      -     x          x        -      -         -         -
localization:review      x        -     -     -      -      -     -          x        -      -         -         -
members:manage           x        x     x     -      -      -     -          -        -      -         -         -
settings:manage          x        x     x     -      -      -     -          -        -      -         -         -
notes:read               x        x     x     x      x      -     x          x        -      -         -         -
notes:write              x        x     x     x      -      -     -          -        -      -         -         -
notes:delete             x        x     x     -      -      -     -          -        -      -         -         -
notes:manage             x        x     x     -      -      -     -          -        -      -         -         -
files:read               x        x     x     x      x      -     -          -        -      -         -         -
files:write              x        x     x     x      -      -     -          -        -      -         -         -
files:delete             x        x     x     -      -      -     -          -        -      -         -         -
files:manage             x        x     x     -      -      -     -          -        -      -         -         -
search                   x        x     x     x      x      -     x          x        -      -         -         -
chat:use                 x        x     x     x      -      -     -          -        -      -         -         -
workflows:read           x        x     x     x      x      -     -          -        -      -         -         -
workflows:write          x        x     x     x      -      -     -          -        -      -         -         -
workflows:run            x        x     x     x      -      -     -          -        -      -         -         -
jobs:execute             -        -     -     -      -      -     -          -        x      -         -         -
org:read                 -        -     -     -      -      -     -          -        -      x         x         x
org:manage               -        -     -     -      -      -     -          -        -      x         x         -
"""
# fmt: on


def grid(text: str) -> dict[str, dict[str, str]]:
    """A table as people read it: a line of column names, then rows of a name and its cells."""
    columns, *rows = (line.split() for line in text.splitlines() if line.strip())
    return {name: dict(zip(columns, cells, strict=True)) for name, *cells in rows}


_BY_PERMISSION = grid(_GRID)
PERMISSIONS = frozenset(_BY_PERMISSION)


def held(roles: tuple[str, ...]) -> frozenset[str]:
    """Rights add up."""
    return frozenset(name for name, cells in _BY_PERMISSION.items() if any(cells[role] == "x" for role in roles))


class Place(StrEnum):
    """A team. Three companies have two each."""

    HOME = "home"
    SISTER = "sister"
    OTHER = "other"
    OTHER_SISTER = "other-sister"
    SUSPENDED = "suspended"
    SUSPENDED_SISTER = "suspended-sister"


HOME, SISTER, OTHER, OTHER_SISTER, SUSPENDED, SUSPENDED_SISTER = Place
COMPANIES = ((HOME, SISTER), (OTHER, OTHER_SISTER), (SUSPENDED, SUSPENDED_SISTER))


def other_team(place: Place) -> Place:
    """The other team of the same company."""
    first, second = next(teams for teams in COMPANIES if place in teams)
    return second if place is first else first


def other_company(place: Place) -> Place:
    """A team of another company."""
    return HOME if place in (OTHER, OTHER_SISTER) else OTHER


class Credential(StrEnum):
    NONE = "none"
    API = "api"
    SESSION = "session"
    EXPIRED = "expired"
    REVOKED = "revoked"
    IDLE = "idle"
    REMOVED = "removed"
    DISABLED = "disabled"
    NARROW = "narrow"
    EXACT = "exact"
    WORKER = "worker"
    PROVISION = "provision"


NONE, API, SESSION, EXPIRED, REVOKED, IDLE, REMOVED, DISABLED, NARROW, EXACT, WORKER, PROVISION = Credential
DEAD = (NONE, EXPIRED, REVOKED, IDLE, REMOVED, DISABLED, PROVISION)
"""Worth nothing; the provisioning token opens the host's own routes, and nothing else."""
LIMITED = (NARROW, EXACT, WORKER)


class Kind(msgspec.Struct, frozen=True):
    """A kind of caller: where it acts, as what, and with which credential."""

    name: str
    place: Place
    roles: tuple[str, ...]
    credential: Credential = API
    lent: str | None = None
    """What the note they reach for was shared with them for."""
    owns: bool = False
    """Whether that note is theirs."""
    left: bool = False
    """Whether they made what they reach for, and were removed from its team since."""


# fmt: off
_EVERYTHING = ("owner", "org_owner", "operator")

KINDS = (
    #    name                  acts in    as
    Kind("anonymous",          HOME,      (),                        NONE),
    Kind("other-company",      OTHER,     ("owner", "org_owner")),
    Kind("other-team",         SISTER,    ("owner",)),
    Kind("owner",              HOME,      ("owner",)),
    Kind("admin",              HOME,      ("admin",)),
    Kind("member",             HOME,      ("member",)),
    Kind("viewer",             HOME,      ("viewer",)),
    Kind("guest",              HOME,      ("guest",)),
    Kind("translator",         HOME,      ("translator",)),
    Kind("reviewer",           HOME,      ("reviewer",)),
    Kind("org_reader",         SISTER,    ("guest", "org_reader")),
    Kind("org_admin",          SISTER,    ("guest", "org_admin")),
    Kind("org_owner",          SISTER,    ("guest", "org_owner")),
    Kind("operator",           HOME,      ("guest", "operator")),
    Kind("operator-elsewhere", OTHER,     ("guest", "operator")),
    Kind("author",             HOME,      ("guest",),                owns=True),
    Kind("lent-to-read",       SISTER,    ("guest",),                lent="notes:read"),
    Kind("lent-to-write",      SISTER,    ("guest",),                lent="notes:write"),
    Kind("lent-to-delete",     SISTER,    ("guest",),                lent="notes:delete"),
    Kind("lent-to-manage",     SISTER,    ("guest",),                lent="notes:manage"),
    Kind("signed-in",          HOME,      ("member",),               SESSION),
    Kind("expired-token",      HOME,      ("owner",),                EXPIRED),
    Kind("revoked-token",      HOME,      ("owner",),                REVOKED),
    Kind("idle-session",       HOME,      ("owner",),                IDLE),
    Kind("removed-member",     HOME,      ("owner",),                REMOVED),
    Kind("departed-author",    SISTER,    ("member",),               left=True),
    Kind("disabled",           HOME,      ("owner", "operator"),     DISABLED),
    Kind("narrow-token",       HOME,      _EVERYTHING,               NARROW),
    Kind("exact-token",        HOME,      _EVERYTHING,               EXACT),
    Kind("worker",             HOME,      ("worker",),               WORKER),
    Kind("suspended",          SUSPENDED, ("owner", "org_owner")),
    Kind("suspended-guest",    SUSPENDED, ("guest",)),
    Kind("suspended-operator", SUSPENDED, ("guest", "operator")),
    Kind("provisioner",        HOME,      (),                        PROVISION),
)
# fmt: on

BY_NAME = {kind.name: kind for kind in KINDS}


def scope(kind: Kind, permission: str) -> frozenset[str]:
    """What the credential reaches on a route that asks for `permission`: a narrow one all but it, an exact one just it."""
    exactly = frozenset({permission} if permission else ())
    if kind.credential is WORKER:
        return held(kind.roles)
    if kind.credential is EXACT:
        return exactly
    return PERMISSIONS - exactly if kind.credential is NARROW else PERMISSIONS
