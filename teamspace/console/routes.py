"""The console over HTTP: one page for every address of it, and the files it is made of."""

from teamspace.console import domain
from teamspace.core.db import Db
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Content
from teamspace.core.routing import PUBLIC, Route

# fmt: off
ROUTES = (
    Route("GET", "/",             PUBLIC, None, None, "home",     "The console, titled and dressed by the branding of its hostname.", unlimited=True),
    Route("GET", "/index.html",   PUBLIC, None, None, "index",    "The console.", unlimited=True),
    Route("GET", "/login",        PUBLIC, None, None, "login",    "The console, sign-in first.", unlimited=True),
    Route("GET", "/activate",     PUBLIC, None, None, "activate", "The console on the activation screen; the token stays in the fragment.", unlimited=True),
    Route("GET", "/app/*page",    PUBLIC, None, None, "screen",   "The console on one of its screens: every one has an address.", unlimited=True),
    Route("GET", "/assets/*path", PUBLIC, None, None, "asset",    "A file of the console's build.", refuses=(NotFound,), unlimited=True),
)
# fmt: on

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:;"
    " font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-src blob:; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types default"
)
_FOR_GOOD = {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"}


async def home(db: Db, who: Principal) -> Content:
    return await _page(db, who)


async def index(db: Db, who: Principal) -> Content:
    return await _page(db, who)


async def login(db: Db, who: Principal) -> Content:
    return await _page(db, who)


async def activate(db: Db, who: Principal) -> Content:
    return await _page(db, who)


async def screen(db: Db, who: Principal, page: str) -> Content:
    return await _page(db, who)


async def asset(path: str, gzip: bool) -> Content:
    file = domain.file(path, gzip=gzip)
    packed = {"content-encoding": "gzip"} if file.gzipped else {}
    return Content(file.body, file.content_type, {**_FOR_GOOD, **packed})


async def _page(db: Db, who: Principal) -> Content:
    body, nonce = await domain.page(db, who)
    headers = {"content-security-policy": _POLICY.format(nonce=nonce), "cache-control": "no-store"}
    return Content(body, "text/html; charset=utf-8", headers)
