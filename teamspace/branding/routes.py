"""Branding over HTTP: the look that anybody is shown, and its two administrations."""

from teamspace.blobs import BlobStore
from teamspace.branding.domain import logos, looks
from teamspace.branding.schemas import Branding, BrandingChange, BrandingQuery, NewLogo, OrgBranding
from teamspace.core.db import Db
from teamspace.core.errors import InvalidThemeToken, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Content, Reply
from teamspace.core.routing import BEARER, ORGADMIN, PUBLIC, Route

# fmt: off
ROUTES = (
    Route("GET",    "/api/branding",          PUBLIC,   None,              None, "show",           "Title, tagline, logo and theme: the company's own on its hostname or for its signed-in user; ?scope=instance is the instance's, ?logo= fetches a logo.",
          refuses=(NotFound,), recognises=True, unlimited=True),
    Route("PUT",    "/api/branding",          BEARER,   P.INSTANCE_MANAGE, None, "change",         "Set the instance's title, tagline, logo and theme; a theme that cannot be read is refused.",
          refuses=(InvalidThemeToken,)),
    Route("POST",   "/api/branding/logo",     BEARER,   P.INSTANCE_MANAGE, None, "upload",         "Upload the instance's logo: PNG, JPEG or WebP, in base64."),
    Route("GET",    "/api/org/branding",      ORGADMIN, P.ORG_READ,        None, "company",        "The company's branding, or the instance's with own false."),
    Route("PUT",    "/api/org/branding",      ORGADMIN, P.ORG_MANAGE,      None, "change_company", "Set the company's title, tagline, logo and theme, judged like the instance's.",
          refuses=(InvalidThemeToken,)),
    Route("DELETE", "/api/org/branding",      ORGADMIN, P.ORG_MANAGE,      None, "drop_company",   "Drop the company's branding: the instance's is shown again."),
    Route("POST",   "/api/org/branding/logo", ORGADMIN, P.ORG_MANAGE,      None, "upload_company", "Upload the company's logo: PNG, JPEG or WebP, in base64."),
)
# fmt: on

_BY_CALLER = {"vary": "Authorization, Host"}
_AS_A_PICTURE = {
    # The address holds the digest of the bytes: they never change.
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "content-disposition": "inline",
}


async def show(db: Db, files: BlobStore, who: Principal, query: BrandingQuery) -> Reply[Branding] | Content:
    if query.logo is not None:
        logo = await logos.find(db, files, query.logo)
        return Content(logo.data, logo.content_type, _AS_A_PICTURE)
    look = await (looks.of_instance(db) if query.scope else looks.look(db, who))
    return Reply(look, headers=_BY_CALLER)


async def change(db: Db, files: BlobStore, who: Principal, body: BrandingChange) -> Branding:
    return await looks.change(db, files, who, looks.INSTANCE, body)


async def upload(db: Db, files: BlobStore, who: Principal, body: NewLogo) -> Branding:
    return await looks.set_logo(db, files, who, looks.INSTANCE, body)


async def company(db: Db, who: Principal) -> OrgBranding:
    return await looks.of_company(db, who.org_id)


async def change_company(db: Db, files: BlobStore, who: Principal, body: BrandingChange) -> OrgBranding:
    return looks.labelled(await looks.change(db, files, who, who.org_id, body), own=True)


async def upload_company(db: Db, files: BlobStore, who: Principal, body: NewLogo) -> OrgBranding:
    return looks.labelled(await looks.set_logo(db, files, who, who.org_id, body), own=True)


async def drop_company(db: Db, who: Principal) -> None:
    await looks.drop(db, who, who.org_id)
