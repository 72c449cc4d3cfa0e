"""How the instance and its companies look, and how that is changed."""

from typing import Any

import msgspec
from msgspec import UNSET

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.branding import store
from teamspace.branding.domain import dark, logos, themes
from teamspace.branding.domain.logos import Logo
from teamspace.branding.schemas import Branding, BrandingChange, BrandingRow, NewLogo, OrgBranding
from teamspace.core import clock, text
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import BadRequest
from teamspace.core.principal import Principal

INSTANCE = ""
"""Stands for the instance where otherwise a company's id does."""
TITLE, TAGLINE = "Teamspace", ""
LONGEST_TITLE, LONGEST_TAGLINE = 80, 160

Fields = dict[str, Any]
"""Columns of a branding with their new values."""


async def look(db: Reads, who: Principal) -> Branding:
    """What `who` is shown: their company's branding, else that of the hostname's company, else the instance's."""
    own = await store.get(db, who.org_id) if who.org_id else None
    if own is None and who.call.host:
        own = await store.get_by_host(db, who.call.host)
    return _shown(own, await store.get(db, INSTANCE))


async def of_instance(db: Reads) -> Branding:
    return _shown(None, await store.get(db, INSTANCE))


async def of_company(db: Reads, org_id: str) -> OrgBranding:
    own = await store.get(db, org_id)
    return labelled(_shown(own, await store.get(db, INSTANCE)), own=own is not None)


def labelled(branding: Branding, *, own: bool) -> OrgBranding:
    return OrgBranding(**msgspec.structs.asdict(branding), own=own)


async def change(db: Db, files: BlobStore, who: Principal, org_id: str, wish: BrandingChange) -> Branding:
    fields = _judged(wish)
    if not fields and wish.logo is UNSET:
        raise BadRequest("There is nothing to change: send title, tagline, logo or theme.")
    stays = isinstance(wish.logo, str) and wish.logo.startswith(logos.ADDRESS)
    if wish.logo is None:
        fields |= {"logo": None, "logo_type": None}
    elif wish.logo is not UNSET and not stays:
        fields |= await _kept(db, files, who, org_id, await logos.from_uri(wish.logo, "/logo"))
    async with db.write(who, "branding.update", alone=_lock(org_id)) as tx:
        if stays and wish.logo != (await _now(tx, org_id)).logo:
            raise BadRequest.at("/logo", "is not the address of the present logo")
        return await _replace(tx, org_id, fields)


async def set_logo(db: Db, files: BlobStore, who: Principal, org_id: str, wish: NewLogo) -> Branding:
    fields = await _kept(db, files, who, org_id, await logos.judged(wish.data, wish.content_type, "/data"))
    async with db.write(who, "branding.logo", alone=_lock(org_id)) as tx:
        return await _replace(tx, org_id, fields)


async def drop(db: Db, who: Principal, org_id: str) -> None:
    async with db.write(who, "branding.delete", alone=_lock(org_id)) as tx:
        tx.target = org_id
        await _release(tx, await store.get(tx, org_id))
        await store.delete(tx, org_id)


def _judged(wish: BrandingChange) -> Fields:
    """What is to be written, but for the logo."""
    fields: Fields = {}
    if wish.title is not UNSET:
        fields["title"] = None if wish.title is None else text.name(wish.title, "title", most=LONGEST_TITLE)
    if wish.tagline is not UNSET:
        fields["tagline"] = wish.tagline and _tagline(wish.tagline)
    if wish.theme is not UNSET:
        fields["theme"] = themes.accepted(wish.theme or {})
    return fields


def _tagline(given: str) -> str:
    return text.name(given, "tagline", most=LONGEST_TAGLINE) if given.strip() else ""


async def _kept(db: Db, files: BlobStore, who: Principal, org_id: str, logo: Logo) -> Fields:
    return {"logo": await blobs.keep(db, files, who, org_id, logo.data), "logo_type": logo.content_type}


async def _replace(tx: Tx, org_id: str, fields: Fields) -> Branding:
    """Replace what is given; a branding begins with the first thing that is set."""
    if fields.get("logo"):
        await blobs.hold(tx, org_id, fields["logo"])
    before = await store.get(tx, org_id) or BrandingRow(org_id)
    await store.put(tx, msgspec.structs.replace(before, **fields), clock.stamp())
    if "logo" in fields:
        await _release(tx, before)
    tx.target = org_id or "instance"
    tx.detail = {"fields": sorted(fields.keys() - {"logo_type"})}
    return await _now(tx, org_id)


async def _release(tx: Tx, before: BrandingRow | None) -> None:
    if before and before.logo:
        await blobs.release(tx, before.org_id, [before.logo])


async def _now(db: Reads, org_id: str) -> Branding:
    return _shown(await store.get(db, org_id), await store.get(db, INSTANCE))


def _shown(own: BrandingRow | None, instance: BrandingRow | None) -> Branding:
    """A company's own, else the instance's; but no theme is mixed of two: their colours were not judged together."""
    rows = [row for row in (own, instance) if row]
    logo = next((row.logo for row in rows if row.logo), None)
    theme = themes.completed(next((row.theme for row in rows if row.theme), {}))
    return Branding(
        title=next((row.title for row in rows if row.title is not None), TITLE),
        tagline=next((row.tagline for row in rows if row.tagline is not None), TAGLINE),
        logo=logo and logos.ADDRESS + logo,
        theme=theme,
        theme_dark=dark.derived(theme),
    )


def _lock(org_id: str) -> tuple[str, str]:
    return "branding", org_id or "instance"
