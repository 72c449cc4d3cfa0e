"""Hosted mode: whoever hosts the instance provisions its one tenant, suspends and resumes it, and sets its quota."""

from teamspace import identity, quota
from teamspace.core import clock
from teamspace.core.db import Db, Reads
from teamspace.core.errors import Conflict, SingleTenant
from teamspace.core.principal import Principal
from teamspace.settings import Settings
from teamspace.tenancy import store
from teamspace.tenancy.domain import founding
from teamspace.tenancy.schemas import CompanyResumed, Provision, Provisioned, Tenant, user_view


async def provision(db: Db, who: Principal, settings: Settings, wish: Provision) -> Provisioned:
    """The tenant's company, team and owner, exactly once; the owner is nobody's operator."""
    async with db.write(who, "tenant.provision") as tx:
        if not await store.mark_provisioned(tx, clock.stamp()):
            raise Conflict("The owner of this instance is provisioned already.")
        is_first = await store.mark_bootstrapped(tx, clock.stamp())
        if not is_first and not settings.multitenant:
            raise SingleTenant("This instance has its one company already (SERVICE_MULTITENANT is off).")
        plan = wish.plan or (founding.FIRST_PLAN if is_first else quota.Plan.FREE)
        org = await founding.found(tx, wish.org, plan=plan)
        team = await founding.add_team(tx, org.id, wish.team)
        person = await identity.register(
            tx, org_id=org.id, username=wish.username, display_name=None, password_hash=None, email=wish.email
        )
        await founding.seat_owner(tx, team, person)
        url = await identity.invite(tx, person, settings.address)
        tx.target, tx.org_id, tx.team_id = person.id, org.id, team.id
    return Provisioned(user_view(person), url)


async def suspend(db: Db, who: Principal) -> Tenant:
    """Nothing but what stays open is written from the commit on; suspended since the first time somebody said so."""
    async with db.write(who, "tenant.suspend", alone=("tenant", "")) as tx:
        tx.target = "tenant"
        since = await store.get_tenant_suspended(tx) or clock.stamp()
        await store.set_tenant_suspended(tx, since)
    return Tenant(True, since)


async def is_suspended(db: Reads) -> bool:
    return bool(await store.get_tenant_suspended(db))


async def resume(db: Db, who: Principal) -> Tenant:
    async with db.write(who, "tenant.resume", alone=("tenant", "")) as tx:
        tx.target = "tenant"
        await store.set_tenant_suspended(tx, "")
        await tx.emit(CompanyResumed(""))
    return Tenant(False, None)


async def set_limit(db: Db, who: Principal, draft: quota.QuotaDraft) -> quota.Usage:
    async with db.write(who, "quota.set", alone=("tenant", "")) as tx:
        return await quota.set_limit(tx, quota.Level.TENANT, "", "", draft)
