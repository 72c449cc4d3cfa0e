"""Who is calling, and with what: the one thing every verb knows of its caller."""

from typing import Literal

import msgspec

from teamspace.core.permissions import Feature, Permission

Kind = Literal["session", "api", "s3", "worker", "anonymous", "provision", "system"]


class Claim(msgspec.Struct):
    """An idempotency key on its way: the first write of the request takes it in the same commit."""

    key: str
    digest: bytes
    taken: bool = False

    def take(self) -> None:
        self.taken = True


class Call(msgspec.Struct):
    """The request behind the caller: what the audit trail and the write handle need of it."""

    request_id: str = ""
    address: str = ""
    agent: str = ""
    """What the client calls itself, for people who look at their own sessions."""
    host: str = ""
    """The hostname that was asked. It selects a look, and nothing else."""
    while_suspended: bool = False
    """The route is one of those that stay open in a suspended company or tenant."""
    instance_plane: bool = False
    """The route administers the instance: whether the caller's own company is suspended does not matter."""
    claim: Claim | None = None


class Grantable(msgspec.Struct, frozen=True):
    """One entry of a token's scope: a permission, perhaps only below a key prefix."""

    permission: Permission
    prefix: str = ""

    def covers(self, permission: Permission, key: str | None) -> bool:
        """`key` None asks whether any key at all is covered."""
        return self.permission is permission and (key is None or key.startswith(self.prefix))

    def __str__(self) -> str:
        return f"{self.permission}:{self.prefix}" if self.prefix else str(self.permission)


class Principal(msgspec.Struct, frozen=True):
    kind: Kind
    call: Call
    user_id: str = ""
    username: str = ""
    team_id: str = ""
    org_id: str = ""
    token_id: str = ""
    operator: bool = False
    role: str | None = None
    org_role: str | None = None
    permissions: frozenset[Permission] = frozenset()
    """What the person may do now, by team role, company role and operator flag."""
    scope: tuple[Grantable, ...] | None = None
    """What the token was limited to; None is everything its person may do."""
    features: frozenset[Feature] = frozenset()
    org_suspended: bool = False
    tenant_suspended: bool = False
    signed_in_at: str | None = None
    """When the session began; None for every other kind of credential."""
    expires_at: str | None = None
    minted: bool = False
    """Whether the credential was made with another one, and not with an account or a sign-in."""
    given_by: str | None = None
    """Who else may hold this credential."""

    @property
    def standing(self) -> str:
        """Equal for credentials that can do the same: what one of them was answered the other may be told."""
        return f"{self.user_id}|{self.team_id}" if self.user_id and self.scope is None else self.token_id

    def in_scope(self, permission: Permission, key: str | None = None) -> bool:
        return self.scope is None or any(entry.covers(permission, key) for entry in self.scope)

    def holds(self, permission: Permission, key: str | None = None) -> bool:
        """By role and within the token's scope. Ownership and grants are the fence's business."""
        return permission in self.permissions and self.in_scope(permission, key)


def system(call: Call | None = None, *, org_id: str = "", team_id: str = "") -> Principal:
    """The server itself, or a person at its command line."""
    return Principal("system", call or Call(), org_id=org_id, team_id=team_id)
