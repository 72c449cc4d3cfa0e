"""Whether a trigger that matches may start its workflow now: rights, feature, suspension and AI budget."""

from teamspace import identity, quota, tenancy
from teamspace.core.db import Reads
from teamspace.core.errors import Unauthenticated
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal, Scope
from teamspace.jobs import Authority
from teamspace.quota import Dimension, QuotaAccount
from teamspace.triggers.schemas import AiRemaining, FireReason, TriggerPattern, Unfired


class Conditions:
    """The conditions of one upload; what they read is read once for all triggers."""

    def __init__(self, db: Reads, uploader: Principal, team_id: str) -> None:
        self._db, self._uploader, self._team_id = db, uploader, team_id
        self._authors: dict[tuple[str, tuple[str, ...] | None], Principal | None] = {}
        self._remaining: AiRemaining | None = None

    async def find_obstacle(self, trigger: TriggerPattern, key: str) -> Unfired | None:
        """Return what keeps the trigger from starting a run for an upload to this key."""
        author = await self.find_author(trigger)
        return self._find_suspension(author) or self._find_missing_right(author, key) or await self._find_quota()

    async def find_author(self, trigger: TriggerPattern) -> Principal | None:
        """Return the trigger's author with their current rights; None if they left the team or are disabled."""
        known = (trigger.author_id, trigger.scope)
        if known not in self._authors:
            self._authors[known] = await self._act_for_author(trigger)
        return self._authors[known]

    def authority(self, author: Principal) -> Authority:
        """Return the authority of a run: what uploader and author are both allowed to do, whenever a step runs."""
        return Authority.of(self._uploader).shared_with(Authority.of(author))

    async def _act_for_author(self, trigger: TriggerPattern) -> Principal | None:
        try:
            return await tenancy.act_for(
                self._db, self._uploader.call, trigger.author_id, self._team_id, scope=_parse(trigger.scope)
            )
        except Unauthenticated:
            return None

    def _find_suspension(self, author: Principal | None) -> Unfired | None:
        team = author or self._uploader
        if self._uploader.tenant_suspended or team.org_suspended:
            return Unfired.because(FireReason.ORG_SUSPENDED, "triggers.suspended")
        if Feature.WORKFLOWS not in team.features:
            return Unfired.because(FireReason.FEATURE_OFF, "triggers.feature_off")
        return None

    def _find_missing_right(self, author: Principal | None, key: str) -> Unfired | None:
        needed, uploader = Permission.WORKFLOWS_RUN, self._uploader
        if uploader.team_id != self._team_id or not uploader.user_id:
            return Unfired.because(FireReason.NO_PERMISSION, "triggers.other_team")
        if not uploader.has_permission(needed, key):
            return Unfired.because(FireReason.NO_PERMISSION, "triggers.uploader_rights", permission=needed)
        if author is None:
            return Unfired.because(FireReason.NO_PERMISSION, "triggers.author_gone")
        if not author.has_permission(needed, key):
            return Unfired.because(FireReason.NO_PERMISSION, "triggers.author_rights", permission=needed)
        return None

    async def _find_quota(self) -> Unfired | None:
        if self._remaining is None:
            self._remaining = await get_ai_remaining(self._db, QuotaAccount.of(self._uploader))
        left = {Dimension.REQUESTS: self._remaining.requests, Dimension.TOKENS: self._remaining.tokens}
        for dimension, remaining in left.items():
            if remaining == 0:
                return Unfired.because(FireReason.QUOTA, "triggers.quota", dimension=dimension)
        return None


async def get_ai_remaining(db: Reads, account: QuotaAccount) -> AiRemaining:
    """Return what the account may still spend on models, at the tightest level."""
    usage = {row.dimension: row.remaining for row in await quota.usage_of(db, account)}
    return AiRemaining(usage[Dimension.REQUESTS], usage[Dimension.TOKENS])


def _parse(scope: tuple[str, ...] | None) -> Scope | None:
    return None if scope is None else tuple(map(identity.parse_scope, scope))
