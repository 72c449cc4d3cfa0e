"""Hosted mode: the hosting provider provisions the tenant, suspends and resumes it, and sets its quota."""

from teamspace import identity, quota
from teamspace.core import clock
from teamspace.core.db import Db, Reads
from teamspace.core.errors import Conflict, SingleTenant
from teamspace.core.principal import Principal
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain import founding
from teamspace.tenancy.schemas import CompanyResumed, Provision, Provisioned, Tenant, to_user_view


async def provision(db: Db, who: Principal, settings: Settings, request: Provision) -> Provisioned:
    """Create the tenant's company, team and owner. Succeeds once per instance; the owner is not an operator."""
    async with db.write(who, "tenant.provision") as tx:
        if not await store.mark_provisioned(tx, clock.stamp()):
            raise Conflict("tenancy.provisioned")
        is_first = await store.mark_bootstrapped(tx, clock.stamp())
        if not is_first and not settings.multitenant:
            raise SingleTenant("tenancy.has_company")
        plan = request.plan or (founding.FIRST_PLAN if is_first else quota.Plan.FREE)
        org = await founding.create_org(tx, request.org, plan=plan)
        team = await founding.add_team(tx, org.id, request.team)
        person = await identity.register(
            tx, org_id=org.id, username=request.username, display_name=None, password_hash=None, email=request.email
        )
        await founding.add_owner(tx, team, person)
        url = await identity.create_activation_link(tx, person, settings.address)
        tx.target, tx.org_id, tx.team_id = person.id, org.id, team.id
    return Provisioned(to_user_view(person), url)


async def suspend(db: Db, who: Principal) -> Tenant:
    """Make the tenant read-only from this commit on, except for routes that stay open; keeps an earlier time."""
    async with db.write(who, "tenant.suspend", lock=("tenant", "")) as tx:
        tx.target = "tenant"
        since = await store.get_tenant_suspended(tx) or clock.stamp()
        await store.set_tenant_suspended(tx, since)
    return Tenant(True, since)


async def is_suspended(db: Reads) -> bool:
    return bool(await store.get_tenant_suspended(db))


async def resume(db: Db, who: Principal) -> Tenant:
    async with db.write(who, "tenant.resume", lock=("tenant", "")) as tx:
        tx.target = "tenant"
        await store.set_tenant_suspended(tx, "")
        await tx.emit(CompanyResumed(""))
    return Tenant(False, None)


async def set_limit(db: Db, who: Principal, draft: quota.QuotaDraft) -> quota.Usage:
    async with db.write(who, "quota.set", lock=("tenant", "")) as tx:
        return await quota.set_limit(tx, quota.Level.TENANT, "", "", draft)
