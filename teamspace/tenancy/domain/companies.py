"""Companies as an operator sees them: made, renamed, planned, limited, suspended and resumed."""

from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from teamspace import identity, quota
from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Duplicate, Reads
from teamspace.core.errors import NotFound, SingleTenant
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.settings import Settings
from teamspace.tenancy import access, store
from teamspace.tenancy.domain import founding, naming
from teamspace.tenancy.schemas import (
    Company,
    CompanyChange,
    CompanyCreated,
    CompanyDraft,
    CompanyResumed,
    CompanySuspended,
    Org,
    PlanChanged,
    user_view,
)

_SHOWN_TEAMS = 200


async def create(db: Db, who: Principal, settings: Settings, wish: CompanyDraft) -> CompanyCreated:
    """The company, its first team and its owner, who gets a token, or without a password a link to set one."""
    if not settings.multitenant:
        raise SingleTenant("This instance holds one company (SERVICE_MULTITENANT is off).")
    domain = _hostname(wish.domain, settings)
    password_hash = await _hashed(wish)
    async with db.write(who, "org.create") as tx:
        org = await founding.found(tx, wish.name, plan=wish.plan, slug=wish.slug, domain=domain, field="name")
        team = await founding.add_team(tx, org.id, wish.team)
        person = await identity.register(
            tx, org_id=org.id, username=wish.owner.username, display_name=wish.owner.display_name,
            password_hash=password_hash, within="owner/", password_by=who.user_id,
        )  # fmt: skip
        await founding.seat_owner(tx, team, person)
        tx.target, tx.org_id, tx.team_id = org.id, org.id, team.id
        tx.detail = {"slug": org.slug, "plan": org.plan, "domain": org.domain}
        if password_hash:
            token = await founding.first_token(tx, person, team, given_by=who.user_id)
            return CompanyCreated(org, team, user_view(person), token=token)
        url = await identity.invite(tx, person, settings.address)
        return CompanyCreated(org, team, user_view(person), activation_url=url)


async def listing(db: Db, query: paging.Paging) -> Page[Org]:
    rows = await store.select_orgs(db, query.before, query.size + 1)
    return paging.page(rows, query, lambda org: org.id)


async def find(db: Reads, ref: str) -> Company:
    return await _whole(db, await _known(db, ref))


async def own(db: Reads, who: Principal) -> Company:
    """The caller's company."""
    return await _whole(db, await _known(db, who.org_id))


async def change(db: Db, who: Principal, settings: Settings, ref: str, wish: CompanyChange) -> Company:
    """Name, plan and hostname. Another plan brings its own caps, and ends what was set by hand."""
    org = await _known(db, ref)
    async with db.write(who, "org.update", alone=("org", org.id)) as tx:
        before = await _known(tx, org.id)
        wanted = msgspec.structs.replace(
            before,
            name=before.name if wish.name is UNSET else text.name(wish.name, "name", most=80),
            plan=before.plan if wish.plan is UNSET else wish.plan,
            domain=before.domain if wish.domain is UNSET else _hostname(wish.domain, settings),
        )
        try:
            after = await store.update_org(tx, wanted)
        except Duplicate as fault:
            raise naming.taken(fault, asked_for_slug=True) from None
        if wanted.plan != before.plan:
            await quota.apply_plan(tx, org.id, wanted.plan)
            await tx.emit(PlanChanged(org.id, wanted.plan))
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        tx.detail = {
            name: getattr(wanted, name)
            for name in ("name", "plan", "domain")
            if getattr(wanted, name) != getattr(before, name)
        }
        return await _whole(tx, after or wanted)


async def suspend(db: Db, who: Principal, ref: str) -> Org:
    """Its teams can be read, not changed, from the commit on; what was being written is in before it."""
    org = await _known(db, ref)
    async with db.write(who, "org.suspend", alone=("org", org.id)) as tx:
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        suspended = await store.suspend_org(tx, org.id, clock.stamp()) or org
        await tx.emit(CompanySuspended(org.id))
        return suspended


async def resume(db: Db, who: Principal, ref: str) -> Org:
    org = await _known(db, ref)
    async with db.write(who, "org.resume", alone=("org", org.id)) as tx:
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        resumed = await store.resume_org(tx, org.id) or org
        await tx.emit(CompanyResumed(org.id))
        return resumed


async def set_limit(db: Db, who: Principal, ref: str, draft: quota.QuotaDraft) -> quota.Usage:
    org = await _known(db, ref)
    async with db.write(who, "quota.set", alone=("org", org.id)) as tx:
        tx.org_id, tx.team_id = org.id, ""
        return await quota.set_limit(tx, quota.Level.ORG, org.id, org.id, draft)


async def _known(db: Reads, ref: str) -> Org:
    org = await store.find_org(db, ref)
    if org is None:
        raise NotFound()
    return org


async def _whole(db: Reads, org: Org) -> Company:
    teams = await store.select_teams(db, access.teams(org.id), paging.Paging().before, _SHOWN_TEAMS)
    while True:
        limits = await quota.limits_of(db, quota.Level.ORG, org.id, org.id)
        again = await _known(db, org.id)
        if again.plan is org.plan:  # else the limits may be another plan's
            return Company(**msgspec.structs.asdict(org), teams=teams, quotas=limits)
        org = again


async def _hashed(wish: CompanyDraft) -> str | None:
    owner = wish.owner
    if owner.password is None:
        return None
    await identity.check_strength(
        owner.password, hints=(owner.username, owner.display_name or "", wish.name), field="owner/password"
    )
    return await identity.hashed(owner.password)


def _hostname(domain: str | None, settings: Settings) -> str | None:
    return None if domain is None else naming.hostname(domain, urlsplit(settings.address).hostname or "")
