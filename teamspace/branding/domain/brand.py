"""Read and change the branding of the instance and its companies."""

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
"""Used for the instance instead of a company's id."""
TITLE, TAGLINE = "Teamspace", ""
MAX_TITLE, MAX_TAGLINE = 80, 160

Fields = dict[str, Any]
"""Columns to change, with their new values."""


async def effective(db: Reads, who: Principal) -> Branding:
    """Return the branding for `who`: their company's, else that of the hostname's company, else the instance's."""
    own = await store.get(db, who.org_id) if who.org_id else None
    if own is None and who.call.host:
        own = await store.get_by_host(db, who.call.host)
    return _merge(own, await store.get(db, INSTANCE))


async def of_instance(db: Reads) -> Branding:
    return _merge(None, await store.get(db, INSTANCE))


async def of_company(db: Reads, org_id: str) -> OrgBranding:
    own = await store.get(db, org_id)
    return to_org_branding(_merge(own, await store.get(db, INSTANCE)), own=own is not None)


def to_org_branding(branding: Branding, *, own: bool) -> OrgBranding:
    return OrgBranding(**msgspec.structs.asdict(branding), own=own)


async def change(db: Db, files: BlobStore, who: Principal, org_id: str, request: BrandingChange) -> Branding:
    fields = _validate(request)
    if not fields and request.logo is UNSET:
        raise BadRequest("branding.nothing")
    keeps_logo = isinstance(request.logo, str) and request.logo.startswith(logos.URL_PREFIX)
    if request.logo is None:
        fields |= {"logo": None, "logo_type": None}
    elif request.logo is not UNSET and not keeps_logo:
        fields |= await _store_logo(db, files, who, org_id, await logos.from_uri(request.logo, "/logo"))
    async with db.write(who, "branding.update", lock=_lock(org_id)) as tx:
        if keeps_logo and request.logo != (await _current(tx, org_id)).logo:
            raise BadRequest.at("/logo", "branding.logo_not_current")
        return await _replace(tx, org_id, fields)


async def set_logo(db: Db, files: BlobStore, who: Principal, org_id: str, request: NewLogo) -> Branding:
    fields = await _store_logo(
        db, files, who, org_id, await logos.validate(request.data, request.content_type, "/data")
    )
    async with db.write(who, "branding.set_logo", lock=_lock(org_id)) as tx:
        return await _replace(tx, org_id, fields)


async def reset(db: Db, who: Principal, org_id: str) -> None:
    async with db.write(who, "branding.delete", lock=_lock(org_id)) as tx:
        tx.target = org_id
        await _release(tx, await store.get(tx, org_id))
        await store.delete(tx, org_id)


def _validate(request: BrandingChange) -> Fields:
    """Validate the change and return the columns to write, without the logo."""
    fields: Fields = {}
    if request.title is not UNSET:
        fields["title"] = (
            None if request.title is None else text.clean_name(request.title, "title", max_length=MAX_TITLE)
        )
    if request.tagline is not UNSET:
        fields["tagline"] = request.tagline and _validate_tagline(request.tagline)
    if request.theme is not UNSET:
        fields["theme"] = themes.validate(request.theme or {})
    return fields


def _validate_tagline(tagline: str) -> str:
    return text.clean_name(tagline, "tagline", max_length=MAX_TAGLINE) if tagline.strip() else ""


async def _store_logo(db: Db, files: BlobStore, who: Principal, org_id: str, logo: Logo) -> Fields:
    return {"logo": await blobs.store_bytes(db, files, who, org_id, logo.data), "logo_type": logo.content_type}


async def _replace(tx: Tx, org_id: str, fields: Fields) -> Branding:
    """Change the given columns; the row is created by the first change."""
    if fields.get("logo"):
        await blobs.add_reference(tx, org_id, fields["logo"])
    before = await store.get(tx, org_id) or BrandingRow(org_id)
    await store.put(tx, msgspec.structs.replace(before, **fields), clock.stamp())
    if "logo" in fields:
        await _release(tx, before)
    tx.target = org_id or "instance"
    tx.detail = {"fields": sorted(fields.keys() - {"logo_type"})}
    return await _current(tx, org_id)


async def _release(tx: Tx, before: BrandingRow | None) -> None:
    if before and before.logo:
        await blobs.release_references(tx, before.org_id, [before.logo])


async def _current(db: Reads, org_id: str) -> Branding:
    return _merge(await store.get(db, org_id), await store.get(db, INSTANCE))


def _merge(own: BrandingRow | None, instance: BrandingRow | None) -> Branding:
    """Take each field from the company, else from the instance; themes are never mixed, to keep their contrast."""
    rows = [row for row in (own, instance) if row]
    logo = next((row.logo for row in rows if row.logo), None)
    theme = themes.complete(next((row.theme for row in rows if row.theme), {}))
    return Branding(
        title=next((row.title for row in rows if row.title is not None), TITLE),
        tagline=next((row.tagline for row in rows if row.tagline is not None), TAGLINE),
        logo=logo and logos.URL_PREFIX + logo,
        theme=theme,
        theme_dark=dark.derive(theme),
    )


def _lock(org_id: str) -> tuple[str, str]:
    return "branding", org_id or "instance"
