"""Decides which experience the visitors of a host see."""

import hashlib

import msgspec

from teamspace import tenancy
from teamspace.core.db import Reads
from teamspace.core.errors import NotFound, OrgSuspended, TenantSuspended
from teamspace.onboarding import store
from teamspace.onboarding.schemas.experience import (
    ExperienceDocument,
    ExperienceSource,
    FunnelOwner,
    PublishedExperience,
    SeedSource,
)


class Funnel:
    """What visitors see before anything is published: the experience of the setting, else that of a plugin."""

    def __init__(self, setting: ExperienceDocument | None = None, *, hosted: bool = False) -> None:
        self._hosted = hosted
        self._seeds: dict[SeedSource, ExperienceDocument] = {}
        if setting is not None:
            self._seeds[ExperienceSource.SETTING] = setting

    def add(self, document: ExperienceDocument) -> None:
        """Add the experience of a plugin. The last one counts, since those that ship come first."""
        self._seeds[ExperienceSource.PLUGIN] = document

    async def effective(self, db: Reads, host: str) -> PublishedExperience:
        """Return what the visitors of a host see: what its company has published last.

        A host that is no company's shows the first company. Raises NotFound if there is nothing to see, and OrgSuspended
        or TenantSuspended if nobody can sign up.
        """
        if self._hosted and await tenancy.is_suspended(db):
            raise TenantSuspended
        owner = (await store.get_owner_by_host(db, host) if host else None) or await store.get_first_owner(db)
        if owner is None:
            raise NotFound()
        if owner.suspended:
            raise OrgSuspended
        return await self._published(db, owner)

    async def of_company(self, db: Reads, org_id: str) -> PublishedExperience:
        """Return what the visitors of a company see, whether it is suspended or not."""
        owner = await store.get_owner(db, org_id)
        if owner is None:
            raise NotFound()
        return await self._published(db, owner)

    async def _published(self, db: Reads, owner: FunnelOwner) -> PublishedExperience:
        live = await store.get_live(db, owner.org_id)
        if live is not None:
            return PublishedExperience(live.id, live.org_id, live.team_id, live.version, live.published)
        for source in (ExperienceSource.SETTING, ExperienceSource.PLUGIN):
            if seed := self._seeds.get(source):
                return PublishedExperience(_name(seed), owner.org_id, owner.first_team, 0, seed, source)
        raise NotFound()


def _name(seed: ExperienceDocument) -> str:
    return f"seed-{hashlib.sha256(msgspec.json.encode(seed)).hexdigest()[:16]}"
