"""Teams of a company, and their feature flags."""

import msgspec

from teamspace.core import clock, paging
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Feature
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import founding
from teamspace.tenancy.schemas import Flag, Role, Team, TeamDraft


async def list_teams(db: Db, who: Principal, query: paging.Paging) -> Page[Team]:
    rows = await store.select_teams(db, access.teams_fence(who.org_id), query.before, query.size + 1)
    return paging.page(rows, query, lambda team: team.id)


async def create(db: Db, who: Principal, request: TeamDraft) -> Team:
    """Create a team. The caller becomes its owner, so that a team always has one."""
    async with db.write(who, "team.create") as tx:
        team = await founding.add_team(tx, who.org_id, request.name, slug=request.slug, field="name")
        await store.insert_membership(tx, team, who.user_id, Role.OWNER, clock.stamp())
        tx.target, tx.team_id, tx.detail = team.id, team.id, {"slug": team.slug}
    return team


def list_features(who: Principal) -> list[Flag]:
    return [Flag(feature, feature in who.features) for feature in Feature]


async def set_feature(db: Db, who: Principal, name: str, *, enabled: bool) -> Flag:
    if name not in list(Feature):
        raise NotFound("tenancy.no_feature", choices=", ".join(Feature))
    feature = Feature(name)
    async with db.write(who, "feature.switch", lock=("team", who.team_id)) as tx:
        stored = await store.get_features(tx, who.team_id) or "[]"
        features = set(msgspec.json.decode(stored, type=list[Feature]))
        features = features | {feature} if enabled else features - {feature}
        await store.update_features(tx, who.team_id, msgspec.json.encode(sorted(features)).decode())
        tx.target, tx.detail = feature, {"enabled": enabled}
    return Flag(feature, enabled)
