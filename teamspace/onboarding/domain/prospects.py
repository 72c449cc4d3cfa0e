"""What a team sees of its prospects and does with them: list, decide, delete."""

import re
from itertools import product

from teamspace import tenancy
from teamspace.core import clock, paging
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.errors import AlreadyDecided, Conflict, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.onboarding import access, store
from teamspace.onboarding.domain import changes, counting
from teamspace.onboarding.domain.counting import FunnelStep
from teamspace.onboarding.schemas.prospects import (
    DecidedProspect,
    Decision,
    Prospect,
    ProspectKind,
    ProspectPage,
    ProspectQuery,
    ProspectRow,
    ProspectState,
    VerdictFilter,
)
from teamspace.onboarding.schemas.sign_ups import TrustLevel
from teamspace.settings import Settings

MAX_FOUND = 1_000
"""Prospects among which a text is searched, in the order of their addresses."""
_NOT_IN_USERNAME = re.compile(r"[^A-Za-z0-9._@+-]")
_MAX_USERNAME = 64
_NAME_FIELDS = ("name", "full_name", "display_name")
"""Fields whose answer becomes the name of an accepted prospect."""


async def list_prospects(db: Db, who: Principal, query: ProspectQuery) -> ProspectPage:
    rows = await select_page(db, access.prospects(who), query, query.before, query.size + 1)
    found = paging.page(rows, query, lambda row: row.id)
    numbers = None
    if query.numbers:
        fence = access.fence(who, P.SETTINGS_MANAGE, "funnel_days")
        numbers = counting.to_days(await store.select_days(db, fence, counting.first_shown_day()))
    return ProspectPage(items=[to_prospect(row) for row in found.items], next_cursor=found.next_cursor, numbers=numbers)


async def select_page(db: Reads, fence: Fence, query: ProspectQuery, before: str, limit: int) -> list[ProspectRow]:
    kinds = _kinds(query)
    if query.q:
        return await store.find_by_email(db, fence, kinds, query.q.casefold(), before, limit, MAX_FOUND)
    return await store.select_prospects(db, fence, kinds, before, limit)


def _kinds(query: ProspectQuery) -> list[ProspectKind]:
    """Return the kinds that a query asks for; none if it asks for all."""
    if query.state is None and query.level is None and query.verdict is None:
        return []
    states = ProspectState if query.state is None else (query.state,)
    levels = TrustLevel if query.level is None else (query.level,)
    verdicts = VerdictFilter if query.verdict is None else (query.verdict,)
    return [ProspectKind(*kind) for kind in product(states, levels, verdicts)]


async def decide(db: Db, who: Principal, settings: Settings, prospect_id: str, body: Decision) -> DecidedProspect:
    """Accept or decline a prospect, once. An accepted one becomes a member of the team."""
    fence = access.prospects(who)
    state = ProspectState.ACCEPTED if body.decision == "accept" else ProspectState.DECLINED
    async with db.write(who, "prospect.accept" if body.decision == "accept" else "prospect.decline") as tx:
        tx.target = prospect_id
        row = await store.lock_prospect(tx, fence, prospect_id)
        if row is None:
            raise NotFound()
        if row.state is not ProspectState.CAPTURED:
            raise AlreadyDecided
        user_id, url = None, None
        if state is ProspectState.ACCEPTED:
            newcomer = tenancy.Newcomer(_username(row.email), row.email, _display_name(row))
            try:
                user_id, url = await tenancy.admit(tx, who, settings, newcomer)
            except tenancy.NameUnavailable:
                raise Conflict("onboarding.address_unavailable") from None
            await counting.count(tx, row.org_id, row.team_id, FunnelStep.ACCEPTED)
        if not await store.decide(tx, fence, prospect_id, state, body.note, who.user_id, clock.stamp(), user_id):
            raise AlreadyDecided
        await changes.record(tx, row.org_id, row.team_id, row.id, change=Change.UPDATED)
        decided = await store.get_prospect(tx, fence, prospect_id)
    assert decided is not None
    return _to_decided(decided, url)


async def delete(db: Db, who: Principal, prospect_id: str) -> None:
    """Delete all that is known of a prospect. An account that an accepted one got stays."""
    async with db.write(who, "prospect.delete") as tx:
        tx.target = prospect_id
        if not await store.delete_prospect(tx, access.prospects(who), prospect_id):
            raise NotFound()
        await changes.record(tx, who.org_id, who.team_id, prospect_id, change=Change.DELETED)


def to_prospect(row: ProspectRow) -> Prospect:
    return Prospect(
        id=row.id, email=row.email, fields=row.answers, locale=row.locale, state=row.state, level=row.level,
        signals=row.signals, verdict=row.judged, note=row.note, decided_by=row.decided_by, decided_at=row.decided_at,
        user_id=row.user_id, experience_version=row.version, created_at=row.created_at,
    )  # fmt: skip


def _to_decided(row: ProspectRow, url: str | None) -> DecidedProspect:
    shown = to_prospect(row)
    return DecidedProspect(**{name: getattr(shown, name) for name in shown.__struct_fields__}, activation_url=url)


def _username(email: str) -> str:
    """Return the address as a username, which allows fewer characters."""
    return _NOT_IN_USERNAME.sub("-", email).lstrip("._@+-")[:_MAX_USERNAME]


def _display_name(row: ProspectRow) -> str | None:
    given = (row.answers.get(field) for field in _NAME_FIELDS)
    return next((value[:80] for value in given if isinstance(value, str)), None)
