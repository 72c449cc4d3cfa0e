"""HTTP routes of public links: for those who manage them, and for visitors."""

from collections.abc import AsyncIterator, Mapping
from urllib.parse import parse_qs

from teamspace import branding
from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden, InvalidRange, NotFound, PreconditionFailed, TooManyAttempts
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Content, Created, Page, Payer, SeeOther, StoredContent
from teamspace.core.routing import BEARER, ORGADMIN, PUBLIC, Route, row
from teamspace.links.domain import administering, managing, opening, page
from teamspace.links.domain.page import PublicPage
from teamspace.links.domain.rendering import Renderings
from teamspace.links.schemas import (
    AdministeredLink,
    LinkChange,
    LinkContentQuery,
    LinksQuery,
    NewLink,
    PublicLink,
    PublicLinks,
)
from teamspace.settings import Settings

MAX_FORM = 8 * 1024
_PROOF = "link_proof"
"""The name of the cookie. Its path is the link: a browser sends it nowhere else."""
# fmt: off
ROUTES = (
    Route("GET",    "/api/repo-obj/:id/links",       BEARER, row(P.FILES_MANAGE), None, "listing", "List the public links of an object, newest first."),
    Route("POST",   "/api/repo-obj/:id/links",       BEARER, row(P.FILES_MANAGE), None, "create",  "Create a public link to an object, optionally with a password and until a time."),
    Route("PATCH",  "/api/repo-obj/:id/links/:link", BEARER, row(P.FILES_MANAGE), None, "update",  "Change the name, the end or the password of a public link; only its creator can let more people in by it."),
    Route("DELETE", "/api/repo-obj/:id/links/:link", BEARER, row(P.FILES_MANAGE), None, "revoke",  "Revoke a public link.", while_suspended=True),
    Route("GET",    "/api/links",                    BEARER, P.SETTINGS_MANAGE,   None, "team_links",     "List the public links to the team's objects that have not expired, newest first, without their addresses; a page can have fewer items than its limit."),
    Route("DELETE", "/api/links/:id",                BEARER, P.SETTINGS_MANAGE,   None, "revoke_in_team", "Revoke a public link to an object of the team.", while_suspended=True),
    Route("GET",    "/api/org/links",                ORGADMIN, P.ORG_MANAGE,      None, "company_links",  "List the public links to the company's objects that have not expired, newest first, without their addresses; a page can have fewer items than its limit."),
    Route("DELETE", "/api/org/links/:id",            ORGADMIN, P.ORG_MANAGE,      None, "revoke_in_company", "Revoke a public link to an object of the company.", while_suspended=True),
    Route("GET",    "/s/:token",                     PUBLIC, None,                None, "show",    "Show the page of a public link, or the form for its password.",
          for_browsers=True, while_suspended=True),
    Route("POST",   "/s/:token",                     PUBLIC, None,                None, "unlock",  "Send the password of a public link, as a form.",
          for_browsers=True, while_suspended=True, limit=MAX_FORM, refuses=(Forbidden, TooManyAttempts)),
    Route("GET",    "/s/:token/content",             PUBLIC, None,                None, "content", "Download the file of a public link, with ranges; ?view=1 shows safe types in the browser.",
          for_browsers=True, while_suspended=True, refuses=(Forbidden, PreconditionFailed, InvalidRange)),
)
# fmt: on


async def listing(db: Db, who: Principal, settings: Settings, id: str) -> PublicLinks:
    return await managing.listing(db, who, settings, id)


async def create(db: Db, who: Principal, settings: Settings, id: str, body: NewLink) -> Created[PublicLink]:
    return Created(await managing.create(db, who, settings, id, body))


async def update(db: Db, who: Principal, settings: Settings, id: str, link: str, body: LinkChange) -> PublicLink:
    return await managing.update(db, who, settings, id, link, body)


async def revoke(db: Db, who: Principal, id: str, link: str) -> None:
    await managing.revoke(db, who, id, link)


async def team_links(db: Db, who: Principal, query: LinksQuery) -> Page[AdministeredLink]:
    return await administering.listing(db, who, "team", query)


async def revoke_in_team(db: Db, who: Principal, id: str) -> None:
    await administering.revoke(db, who, "team", id)


async def company_links(db: Db, who: Principal, query: LinksQuery) -> Page[AdministeredLink]:
    return await administering.listing(db, who, "company", query)


async def revoke_in_company(db: Db, who: Principal, id: str) -> None:
    await administering.revoke(db, who, "company", id)


async def show(
    db: Db, files: BlobStore, renderings: Renderings, who: Principal, token: str, languages: list[str],
    cookies: Mapping[str, str],
) -> Content:  # fmt: skip
    shared = await opening.find(db, who.call, token)
    if shared is None:
        return await _dead(db, who, languages)
    brand = await branding.of_company(db, shared.link.org_id)
    if not opening.is_proven(db, shared.link, cookies.get(_PROOF, "")):
        return _html(page.ask_password(token, brand, languages), payer=shared.payer)
    await opening.count_use(db, who, shared.link, views=1)
    return _html(await page.show_file(db, files, renderings, shared, brand, languages), payer=shared.payer)


async def unlock(
    db: Db, who: Principal, settings: Settings, token: str, languages: list[str], upload: AsyncIterator[bytes]
) -> Content | SeeOther:
    sent = b"".join([chunk async for chunk in upload])
    shared = await opening.find(db, who.call, token)
    if shared is None:
        return await _dead(db, who, languages)
    if shared.link.password is None:
        return SeeOther(f"/s/{token}", payer=shared.payer)
    password = parse_qs(sent.decode("latin-1"), encoding="utf-8", errors="replace").get("password", [""])[-1]
    brand = await branding.of_company(db, shared.link.org_id)
    try:
        if await opening.check_password(db, who, shared, password):
            headers = {"set-cookie": _cookie(settings, token, opening.prove(db, shared.link))}
            return SeeOther(f"/s/{token}", headers, shared.payer)
    except TooManyAttempts as refusal:
        form = page.ask_password(token, brand, languages, "too_many")
        return _html(form, refusal.status, refusal.headers, payer=shared.payer)
    return _html(page.ask_password(token, brand, languages, "wrong"), Forbidden.status, payer=shared.payer)


async def content(
    db: Db, files: BlobStore, who: Principal, token: str, query: LinkContentQuery, languages: list[str],
    cookies: Mapping[str, str],
) -> Content | StoredContent:  # fmt: skip
    shared = await opening.find(db, who.call, token)
    if shared is None:
        return await _dead(db, who, languages)
    if not opening.is_proven(db, shared.link, cookies.get(_PROOF, "")):
        brand = await branding.of_company(db, shared.link.org_id)
        return _html(page.ask_password(token, brand, languages), Forbidden.status, payer=shared.payer)
    return opening.content(db, files, who, shared, view=query.view is not None)


async def _dead(db: Db, who: Principal, languages: list[str]) -> Content:
    return _html(page.show_dead(await branding.effective(db, who), languages), NotFound.status)


def _html(
    shown: PublicPage, status: int = 200, headers: Mapping[str, str] | None = None, *, payer: Payer | None = None
) -> Content:
    own = {"content-security-policy": shown.policy, "x-robots-tag": "noindex", **(headers or {})}
    return Content(shown.text.encode(), "text/html; charset=utf-8", own, status, payer)


def _cookie(settings: Settings, token: str, proof: str) -> str:
    secure = "; Secure" if settings.is_secure else ""
    return f"{_PROOF}={proof}; Path=/s/{token}; Max-Age={opening.PROOF_SECONDS}; HttpOnly; SameSite=Lax{secure}"
