"""Companies: create, change, limit, suspend and resume them as an operator."""

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
    to_user_view,
)

_MAX_TEAMS = 200


async def create(db: Db, who: Principal, settings: Settings, request: CompanyDraft) -> CompanyCreated:
    """Create a company, its first team and its owner, who gets a token or, without a password, an activation link."""
    if not settings.multitenant:
        raise SingleTenant("tenancy.one_company")
    domain = _parse_hostname(request.domain, settings)
    password_hash = await _hash_password(request)
    async with db.write(who, "org.create") as tx:
        org = await founding.create_org(
            tx, request.name, plan=request.plan, slug=request.slug, domain=domain, field="name"
        )
        team = await founding.add_team(tx, org.id, request.team)
        person = await identity.register(
            tx, org_id=org.id, username=request.owner.username, display_name=request.owner.display_name,
            password_hash=password_hash, path="owner/", password_by=who.user_id,
        )  # fmt: skip
        await founding.add_owner(tx, team, person)
        tx.target, tx.org_id, tx.team_id = org.id, org.id, team.id
        tx.detail = {"slug": org.slug, "plan": org.plan, "domain": org.domain}
        if password_hash:
            token = await founding.issue_first_token(tx, person, team, given_by=who.user_id)
            return CompanyCreated(org, team, to_user_view(person), token=token)
        url = await identity.create_activation_link(tx, person, settings.address)
        return CompanyCreated(org, team, to_user_view(person), activation_url=url)


async def list_companies(db: Db, query: paging.Paging) -> Page[Org]:
    rows = await store.select_orgs(db, query.before, query.size + 1)
    return paging.page(rows, query, lambda org: org.id)


async def find(db: Reads, ref: str) -> Company:
    return await _with_details(db, await _find(db, ref))


async def get_own(db: Reads, who: Principal) -> Company:
    return await _with_details(db, await _find(db, who.org_id))


async def update(db: Db, who: Principal, settings: Settings, ref: str, request: CompanyChange) -> Company:
    """Change name, plan and hostname. A new plan sets its own limits, and removes those set by hand."""
    org = await _find(db, ref)
    async with db.write(who, "org.update", lock=("org", org.id)) as tx:
        before = await _find(tx, org.id)
        updated = msgspec.structs.replace(
            before,
            name=before.name if request.name is UNSET else text.clean_name(request.name, "name", max_length=80),
            plan=before.plan if request.plan is UNSET else request.plan,
            domain=before.domain if request.domain is UNSET else _parse_hostname(request.domain, settings),
        )
        try:
            after = await store.update_org(tx, updated)
        except Duplicate as fault:
            raise naming.duplicate_error(fault, slug_requested=True) from None
        if updated.plan != before.plan:
            await quota.apply_plan(tx, org.id, updated.plan)
            await tx.emit(PlanChanged(org.id, updated.plan))
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        tx.detail = {
            name: getattr(updated, name)
            for name in ("name", "plan", "domain")
            if getattr(updated, name) != getattr(before, name)
        }
        return await _with_details(tx, after or updated)


async def suspend(db: Db, who: Principal, ref: str) -> Org:
    """Make the company read-only from this commit on; writes in progress are committed before it."""
    org = await _find(db, ref)
    async with db.write(who, "org.suspend", lock=("org", org.id)) as tx:
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        suspended = await store.suspend_org(tx, org.id, clock.stamp()) or org
        await tx.emit(CompanySuspended(org.id))
        return suspended


async def resume(db: Db, who: Principal, ref: str) -> Org:
    org = await _find(db, ref)
    async with db.write(who, "org.resume", lock=("org", org.id)) as tx:
        tx.target, tx.org_id, tx.team_id = org.id, org.id, ""
        resumed = await store.resume_org(tx, org.id) or org
        await tx.emit(CompanyResumed(org.id))
        return resumed


async def set_limit(db: Db, who: Principal, ref: str, draft: quota.QuotaDraft) -> quota.Usage:
    org = await _find(db, ref)
    async with db.write(who, "quota.set", lock=("org", org.id)) as tx:
        tx.org_id, tx.team_id = org.id, ""
        return await quota.set_limit(tx, quota.Level.ORG, org.id, org.id, draft)


async def _find(db: Reads, ref: str) -> Org:
    org = await store.find_org(db, ref)
    if org is None:
        raise NotFound()
    return org


async def _with_details(db: Reads, org: Org) -> Company:
    teams = await store.select_teams(db, access.teams_fence(org.id), paging.Paging().before, _MAX_TEAMS)
    while True:
        limits = await quota.limits_of(db, quota.Level.ORG, org.id, org.id)
        again = await _find(db, org.id)
        if again.plan is org.plan:  # otherwise the limits may belong to another plan
            return Company(**msgspec.structs.asdict(org), teams=teams, quotas=limits)
        org = again


async def _hash_password(request: CompanyDraft) -> str | None:
    owner = request.owner
    if owner.password is None:
        return None
    await identity.check_strength(
        owner.password, hints=(owner.username, owner.display_name or "", request.name), field="owner/password"
    )
    return await identity.hash_password(owner.password)


def _parse_hostname(domain: str | None, settings: Settings) -> str | None:
    return None if domain is None else naming.parse_hostname(domain, urlsplit(settings.address).hostname or "")
