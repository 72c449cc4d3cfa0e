"""The contract, written a second time: the types of callers and what their roles allow.

Nothing here is taken from the product's own tables, since those are under test.
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
    """Parse a text table: a line of column names, then rows of a name and its cells."""
    columns, *rows = (line.split() for line in text.splitlines() if line.strip())
    return {name: dict(zip(columns, cells, strict=True)) for name, *cells in rows}


_BY_PERMISSION = grid(_GRID)
PERMISSIONS = frozenset(_BY_PERMISSION)


def held(roles: tuple[str, ...]) -> frozenset[str]:
    """Return the permissions of these roles together."""
    return frozenset(name for name, cells in _BY_PERMISSION.items() if any(cells[role] == "x" for role in roles))


class TeamName(StrEnum):
    """A team. There are three companies with two teams each."""

    HOME = "home"
    SISTER = "sister"
    OTHER = "other"
    OTHER_SISTER = "other-sister"
    SUSPENDED = "suspended"
    SUSPENDED_SISTER = "suspended-sister"


HOME, SISTER, OTHER, OTHER_SISTER, SUSPENDED, SUSPENDED_SISTER = TeamName
COMPANIES = ((HOME, SISTER), (OTHER, OTHER_SISTER), (SUSPENDED, SUSPENDED_SISTER))


def other_team(team: TeamName) -> TeamName:
    """The other team of the same company."""
    first, second = next(teams for teams in COMPANIES if team in teams)
    return second if team is first else first


def other_company(team: TeamName) -> TeamName:
    """A team of another company."""
    return HOME if team in (OTHER, OTHER_SISTER) else OTHER


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
INVALID = (NONE, EXPIRED, REVOKED, IDLE, REMOVED, DISABLED, PROVISION)
"""Refused everywhere; only the provider's own routes accept the provisioning token."""
LIMITED = (NARROW, EXACT, WORKER)


class Kind(msgspec.Struct, frozen=True):
    """A type of caller: its team, its roles and its credential."""

    name: str
    team: TeamName
    roles: tuple[str, ...]
    credential: Credential = API
    granted: str | None = None
    """The permission with which the note was shared with them."""
    owns: bool = False
    """Whether they own the note."""
    left_team: bool = False
    """Whether they created the target and were then removed from its team."""


# fmt: off
_ALL_ROLES = ("owner", "org_owner", "operator")

KINDS = (
    #    name                  team       roles
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
    Kind("lent-to-read",       SISTER,    ("guest",),                granted="notes:read"),
    Kind("lent-to-write",      SISTER,    ("guest",),                granted="notes:write"),
    Kind("lent-to-delete",     SISTER,    ("guest",),                granted="notes:delete"),
    Kind("lent-to-manage",     SISTER,    ("guest",),                granted="notes:manage"),
    Kind("signed-in",          HOME,      ("member",),               SESSION),
    Kind("expired-token",      HOME,      ("owner",),                EXPIRED),
    Kind("revoked-token",      HOME,      ("owner",),                REVOKED),
    Kind("idle-session",       HOME,      ("owner",),                IDLE),
    Kind("removed-member",     HOME,      ("owner",),                REMOVED),
    Kind("departed-author",    SISTER,    ("member",),               left_team=True),
    Kind("disabled",           HOME,      ("owner", "operator"),     DISABLED),
    Kind("narrow-token",       HOME,      _ALL_ROLES,                NARROW),
    Kind("exact-token",        HOME,      _ALL_ROLES,                EXACT),
    Kind("worker",             HOME,      ("worker",),               WORKER),
    Kind("suspended",          SUSPENDED, ("owner", "org_owner")),
    Kind("suspended-guest",    SUSPENDED, ("guest",)),
    Kind("suspended-operator", SUSPENDED, ("guest", "operator")),
    Kind("provisioner",        HOME,      (),                        PROVISION),
)
# fmt: on

BY_NAME = {kind.name: kind for kind in KINDS}


def scope(kind: Kind, permission: str) -> frozenset[str]:
    """Return the credential's scope on a route that needs `permission`: a narrow token has all but it, an exact one only it."""
    exactly = frozenset({permission} if permission else ())
    if kind.credential is WORKER:
        return held(kind.roles)
    if kind.credential is EXACT:
        return exactly
    return PERMISSIONS - exactly if kind.credential is NARROW else PERMISSIONS
