"""Who is calling, and with which permissions: all that domain functions know about their caller."""

from typing import Literal

import msgspec

from teamspace.core.permissions import Feature, Permission

Kind = Literal["session", "api", "s3", "worker", "anonymous", "provision", "system"]


class IdempotencyClaim(msgspec.Struct):
    """The idempotency key of a request; its first write stores the key in the same commit."""

    key: str
    digest: bytes
    taken: bool = False

    def take(self) -> None:
        self.taken = True


class Meter(msgspec.Struct):
    """What has been spent on models for a call so far."""

    requests: int = 0
    tokens: int = 0

    def add(self, requests: int, tokens: int) -> None:
        self.requests += requests
        self.tokens += tokens


class Call(msgspec.Struct):
    """The parts of a request that the audit log and the write handle need."""

    request_id: str = ""
    address: str = ""
    agent: str = ""
    """The User-Agent, shown to people in the list of their own sessions."""
    host: str = ""
    """The hostname of the request. It selects the branding, nothing else."""
    only_headers: bool = False
    """Nobody sees the body of the response: a HEAD request."""
    while_suspended: bool = False
    """The route stays open in a suspended company or tenant."""
    instance_plane: bool = False
    """The route administers the instance: a suspension of the caller's own company does not matter."""
    claim: IdempotencyClaim | None = None
    run_id: str | None = None
    """The run that a step of it acts for: what the step writes is an output of the run, whichever tool it calls."""
    job_id: str | None = None
    """The job whose handler acts."""
    meter: Meter | None = None
    """Adds up what models cost, for a caller that wants to know."""


class ScopeEntry(msgspec.Struct, frozen=True):
    """One entry of a token's scope: a permission, optionally limited to a key prefix."""

    permission: Permission
    prefix: str = ""

    def covers(self, permission: Permission, key: str | None) -> bool:
        """Return whether the entry covers the permission at `key`; with None, at any key."""
        return self.permission is permission and (key is None or key.startswith(self.prefix))

    def __str__(self) -> str:
        return f"{self.permission}:{self.prefix}" if self.prefix else str(self.permission)


Scope = tuple[ScopeEntry, ...]


def intersect(one: Scope | None, other: Scope | None) -> Scope | None:
    """Return the scope of what both scopes allow; None allows everything."""
    if one is None or other is None:
        return other if one is None else one
    pairs = ((mine, theirs) for mine in one for theirs in other if mine.permission is theirs.permission)
    narrower = (max(pair, key=lambda entry: len(entry.prefix)) for pair in pairs if _overlap(*pair))
    return tuple(dict.fromkeys(narrower))


def _overlap(one: ScopeEntry, other: ScopeEntry) -> bool:
    return one.prefix.startswith(other.prefix) or other.prefix.startswith(one.prefix)


class Principal(msgspec.Struct, frozen=True):
    kind: Kind
    call: Call
    user_id: str = ""
    username: str = ""
    locale: str | None = None
    """The person's language, from their profile; None means the instance's default."""
    team_id: str = ""
    org_id: str = ""
    token_id: str = ""
    operator: bool = False
    role: str | None = None
    org_role: str | None = None
    permissions: frozenset[Permission] = frozenset()
    """The person's current permissions, from team role, company role and operator flag."""
    scope: Scope | None = None
    """What the token is limited to; None means all permissions of its person."""
    features: frozenset[Feature] = frozenset()
    org_suspended: bool = False
    tenant_suspended: bool = False
    signed_in_at: str | None = None
    """When the session began; None for every other kind of credential."""
    expires_at: str | None = None
    minted: bool = False
    """Whether the credential was created with another credential, not by creating an account or signing in."""
    given_by: str | None = None
    """Another person who may know this credential: they created it or chose the password."""

    @property
    def rights_key(self) -> str:
        """Equal for credentials with the same rights: a response to one may be replayed to the other."""
        return f"{self.user_id}|{self.team_id}" if self.user_id and self.scope is None else self.token_id

    def in_scope(self, permission: Permission, key: str | None = None) -> bool:
        return self.scope is None or any(entry.covers(permission, key) for entry in self.scope)

    def has_permission(self, permission: Permission, key: str | None = None) -> bool:
        """Return whether role and token scope allow it. Ownership and grants are checked by the fence."""
        return permission in self.permissions and self.in_scope(permission, key)


def system(call: Call | None = None, *, org_id: str = "", team_id: str = "") -> Principal:
    """Return the principal of the server itself, or of a person at its command line."""
    return Principal("system", call or Call(), org_id=org_id, team_id=team_id)
