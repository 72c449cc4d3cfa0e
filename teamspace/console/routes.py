"""Routes of the console: one page for all its URLs, and its static files."""

import secrets

from teamspace import onboarding
from teamspace.console import domain
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Content
from teamspace.core.routing import PUBLIC, Route
from teamspace.localization import CatalogCache
from teamspace.onboarding import PageQuery, SignUps
from teamspace.settings import Settings

# fmt: off
ROUTES = (
    Route("GET", "/",             PUBLIC, None, None, "home",     "Serve the console with the branding of its hostname, or the sign-up page if SERVICE_HOME is beta.", unlimited=True),
    Route("GET", "/index.html",   PUBLIC, None, None, "index",    "Serve the console.", unlimited=True),
    Route("GET", "/login",        PUBLIC, None, None, "login",    "Serve the console's sign-in screen.", unlimited=True),
    Route("GET", "/activate",     PUBLIC, None, None, "activate", "Serve the console's activation screen; the token stays in the URL fragment.", unlimited=True),
    Route("GET", "/app/*page",    PUBLIC, None, None, "screen",   "Serve a screen of the console.", unlimited=True),
    Route("GET", "/frame",        PUBLIC, None, None, "frame",    "Serve the sandboxed page in which the console shows a bundle.", unlimited=True),
    Route("GET", "/assets/*path", PUBLIC, None, None, "asset",    "Serve a file of the console's build, or a message catalog.", refuses=(NotFound,), unlimited=True),
)
# fmt: on

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; media-src 'self';"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-src 'self' blob:; frame-ancestors '{ancestors}'; object-src 'none'; require-trusted-types-for 'script'; trusted-types default"
)
_SIGN_UP_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'nonce-{nonce}'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)
_CACHE_FOREVER = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}


async def home(
    db: Db,
    who: Principal,
    catalogs: CatalogCache,
    settings: Settings,
    sign_ups: SignUps,
    query: PageQuery,
    languages: list[str],
) -> Content:
    if settings.home == "console":
        return await _page(db, who, catalogs)
    nonce = secrets.token_urlsafe(16)
    body = await onboarding.render_page(db, who, sign_ups, [query.locale] if query.locale else languages, nonce)
    headers = {"content-security-policy": _SIGN_UP_POLICY.format(nonce=nonce), "cache-control": "no-store"}
    return Content(body.encode(), "text/html; charset=utf-8", headers)


async def index(db: Db, who: Principal, catalogs: CatalogCache) -> Content:
    return await _page(db, who, catalogs)


async def login(db: Db, who: Principal, catalogs: CatalogCache) -> Content:
    return await _page(db, who, catalogs)


async def activate(db: Db, who: Principal, catalogs: CatalogCache) -> Content:
    return await _page(db, who, catalogs)


async def screen(db: Db, who: Principal, catalogs: CatalogCache, page: str) -> Content:
    # The localization manager shows screens in a frame. Pages of others, and files of this origin, which are sandboxed,
    # cannot.
    return await _page(db, who, catalogs, ancestors="self")


async def frame() -> Content:
    body, policy = domain.frame()
    return Content(body, "text/html; charset=utf-8", {"content-security-policy": policy})


async def asset(db: Db, catalogs: CatalogCache, path: str, encodings: frozenset[str]) -> Content:
    file = await domain.file(db, catalogs, path, encodings)
    encoding = {"content-encoding": file.encoding} if file.encoding else {}
    return Content(file.body, file.content_type, {**_CACHE_FOREVER, **encoding})


async def _page(db: Db, who: Principal, catalogs: CatalogCache, ancestors: str = "none") -> Content:
    body, nonce = await domain.page(db, who, catalogs)
    policy = _POLICY.format(nonce=nonce, ancestors=ancestors)
    headers = {"content-security-policy": policy, "cache-control": "no-store"}
    return Content(body, "text/html; charset=utf-8", headers)
