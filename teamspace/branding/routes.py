"""HTTP routes for branding: public reading, and administration by operators and companies."""

from teamspace.blobs import BlobStore
from teamspace.branding.domain import brand, logos
from teamspace.branding.schemas import Branding, BrandingChange, BrandingQuery, NewLogo, OrgBranding
from teamspace.core.db import Db
from teamspace.core.errors import InvalidThemeToken, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Content, Reply
from teamspace.core.routing import BEARER, ORGADMIN, PUBLIC, Route

# fmt: off
ROUTES = (
    Route("GET",    "/api/branding",          PUBLIC,   None,              None, "show",           "Return title, tagline, logo and theme: the company's on its hostname or for its signed-in users; ?scope=instance returns the instance's, ?logo= a logo's bytes.",
          refuses=(NotFound,), optional_credential=True, unlimited=True),
    Route("PUT",    "/api/branding",          BEARER,   P.INSTANCE_MANAGE, None, "change",         "Set the instance's title, tagline, logo and theme; themes with too little contrast are refused.",
          refuses=(InvalidThemeToken,)),
    Route("POST",   "/api/branding/logo",     BEARER,   P.INSTANCE_MANAGE, None, "upload",         "Upload the instance's logo: PNG, JPEG or WebP, base64-encoded."),
    Route("GET",    "/api/org/branding",      ORGADMIN, P.ORG_READ,        None, "company",        "Return the company's branding, or the instance's with own=false."),
    Route("PUT",    "/api/org/branding",      ORGADMIN, P.ORG_MANAGE,      None, "change_company", "Set the company's title, tagline, logo and theme, with the same checks as the instance's.",
          refuses=(InvalidThemeToken,)),
    Route("DELETE", "/api/org/branding",      ORGADMIN, P.ORG_MANAGE,      None, "drop_company",   "Delete the company's branding; the instance's is shown again."),
    Route("POST",   "/api/org/branding/logo", ORGADMIN, P.ORG_MANAGE,      None, "upload_company", "Upload the company's logo: PNG, JPEG or WebP, base64-encoded."),
)
# fmt: on

_VARY = {"vary": "Authorization, Host"}
_LOGO_HEADERS = {
    # The URL contains the digest of the bytes, so they never change.
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "content-disposition": "inline",
}


async def show(db: Db, files: BlobStore, who: Principal, query: BrandingQuery) -> Reply[Branding] | Content:
    if query.logo is not None:
        logo = await logos.find(db, files, query.logo)
        return Content(logo.data, logo.content_type, _LOGO_HEADERS)
    look = await (brand.of_instance(db) if query.scope else brand.effective(db, who))
    return Reply(look, headers=_VARY)


async def change(db: Db, files: BlobStore, who: Principal, body: BrandingChange) -> Branding:
    return await brand.change(db, files, who, brand.INSTANCE, body)


async def upload(db: Db, files: BlobStore, who: Principal, body: NewLogo) -> Branding:
    return await brand.set_logo(db, files, who, brand.INSTANCE, body)


async def company(db: Db, who: Principal) -> OrgBranding:
    return await brand.of_company(db, who.org_id)


async def change_company(db: Db, files: BlobStore, who: Principal, body: BrandingChange) -> OrgBranding:
    return brand.to_org_branding(await brand.change(db, files, who, who.org_id, body), own=True)


async def upload_company(db: Db, files: BlobStore, who: Principal, body: NewLogo) -> OrgBranding:
    return brand.to_org_branding(await brand.set_logo(db, files, who, who.org_id, body), own=True)


async def drop_company(db: Db, who: Principal) -> None:
    await brand.reset(db, who, who.org_id)
