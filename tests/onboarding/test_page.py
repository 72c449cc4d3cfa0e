"""The sign-up page, its sandboxed copy and its script, as they are sent."""

import re
from importlib import resources

import msgspec
import pytest

from teamspace.core.messages import catalogs
from teamspace.settings import Settings
from tests.branding.help import picture
from tests.onboarding.help import document, published
from tests.onboarding.test_assets import uploaded
from tests.support.world import Caller, World
from tests.support.world import world as open_world

MAX_PAGE, MAX_SCRIPT = 60 * 1024, 20 * 1024
HOSTILE = "\"><script>alert(1)</script><b x='"


@pytest.mark.parametrize("home", ["console", "beta"])
async def test_the_root_is_what_the_setting_says_and_the_console_stays_at_its_addresses(
    settings: Settings, home: str
) -> None:
    async with open_world(msgspec.structs.replace(settings, home=home)) as world:
        await world.bootstrap()
        assert (await world.anonymous.get("/api/config")).json()["home"] == home
        assert ("data-beta-form" in (await world.anonymous.get("/")).text) == (home == "beta")
        for path in ("/index.html", "/login", "/activate", "/app/notes"):
            assert "data-beta-form" not in (await world.anonymous.get(path)).text


async def test_the_page_is_small_and_needs_nothing_from_elsewhere(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, home="beta")) as world:
        await world.bootstrap()
        page = await world.anonymous.get("/")
        script = await world.anonymous.get("/beta-sdk.js")
        assert len(script.content) < MAX_SCRIPT and len(page.content) + len(script.content) < MAX_PAGE
        assert "http://" not in page.text and "https://" not in page.text
        policy = page.headers["content-security-policy"]
        (nonce,) = re.findall(r'<style nonce="([^"]+)"', page.text)
        assert f"'nonce-{nonce}'" in policy and "unsafe" not in policy and "default-src 'none'" in policy
        assert re.findall(r"<script[^>]*>", page.text) == ['<script src="/beta-sdk.js" defer>']


@pytest.mark.parametrize("locale", sorted(catalogs()))
async def test_the_page_is_in_the_language_of_the_visitor(world: World, locale: str) -> None:
    await world.bootstrap()
    for page in (
        await world.anonymous.get(f"/beta/template?locale={locale}&utm_source=x"),
        await world.anonymous.get("/beta/template", headers={"accept-language": f"{locale}, en;q=0.1"}),
    ):
        assert f'<html lang="{locale}"' in page.text
        assert catalogs()[locale]["signup"]["proof"] in page.text.replace("&#x27;", "'")


async def test_nothing_that_people_write_becomes_markup(world: World) -> None:
    ann = await world.bootstrap()
    field = {
        "name": "size", "type": "select", "label": {"en": HOSTILE}, "options": [{"value": HOSTILE, "label": {"en": HOSTILE}}],
    }  # fmt: skip
    texts = {name: HOSTILE for name in ("title", "intro", "submit", "thanks")}
    await published(ann, document("", field, copy={"en": texts, "de": texts}))
    page = await world.anonymous.get("/beta/template")
    assert "<script>alert" not in page.text and "<b " not in page.text
    page = await world.anonymous.get("/beta/template", params={"locale": HOSTILE})
    assert page.status_code == 200 and "<script>alert" not in page.text


async def test_pictures_keep_their_place_free(world: World) -> None:
    ann = await world.bootstrap()
    image = await uploaded(ann, picture(size=(70, 50)))
    await published(ann, document(theme={"hero": image["id"], "logo": image["id"]}))
    page = (await world.anonymous.get("/beta/template")).text
    assert page.count(f'src="{image["url"]}"') == page.count('width="70" height="50"') == 2


async def test_the_template_is_sandboxed(world: World) -> None:
    await world.bootstrap()
    page = await world.anonymous.get("/beta/template", headers={"host": "evil.test"})
    policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-forms;") and "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy and "evil.test" not in policy + page.text


async def test_the_script_is_the_same_for_every_host(world: World) -> None:
    first = await world.anonymous.get("/beta-sdk.js")
    other = await world.anonymous.get("/beta-sdk.js", headers={"host": "evil.test", "x-forwarded-host": "evil.test"})
    assert first.content == other.content and first.headers["etag"] == other.headers["etag"]
    assert first.headers["content-type"].startswith("text/javascript")
    assert first.headers["cross-origin-resource-policy"] == "cross-origin"


@pytest.mark.parametrize(("known", "status"), [("{}", 304), ('"other", W/{}', 304), ("*", 304), ('"other"', 200)])
async def test_a_browser_that_has_the_script_does_not_get_it_again(world: World, known: str, status: int) -> None:
    first = await world.anonymous.get("/beta-sdk.js")
    headers = {"if-none-match": known.format(first.headers["etag"])}
    again = await world.anonymous.get("/beta-sdk.js", headers=headers)
    assert (again.status_code, bool(again.content)) == (status, status == 200)
    for name in ("etag", "cache-control", "cross-origin-resource-policy"):
        assert again.headers[name] == first.headers[name]


async def test_a_page_is_one_view_and_a_closed_one_none(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, home="beta")) as world:
        ann = await world.bootstrap()
        for number, path in enumerate(("/", "/beta/template", "/api/beta/config"), start=1):
            assert (await world.anonymous.get(path)).status_code == 200
            assert await views(ann) == number, path
        for path in ("/index.html", "/login", "/beta-sdk.js"):
            await world.anonymous.get(path)
        await world.suspend(ann.org)
        for path in ("/", "/beta/template", "/api/beta/config"):
            await world.anonymous.get(path)
        assert await views(ann) == 3


async def test_who_asks_only_for_headers_is_no_visitor(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, home="beta")) as world:
        ann = await world.bootstrap()
        for path in ("/", "/beta/template", "/api/beta/config", "/api/beta/challenge"):
            answer = await world.anonymous("HEAD", path)
            assert (answer.status_code, answer.content) == (200, b""), path
        await world.app.sign_ups.counts.save(world.db)
        page = await ann.get("/api/beta/prospects", params={"numbers": "1"})
        assert page.json()["numbers"] == []


async def views(caller: Caller) -> int:
    await caller.world.app.sign_ups.counts.save(caller.world.db)
    days = (await caller.get("/api/beta/prospects", params={"numbers": "1"})).json()["numbers"]
    return sum(day["views"] for day in days)


async def test_a_suspended_company_shows_a_closed_page(world: World) -> None:
    ann = await world.bootstrap()
    await world.suspend(ann.org)
    page = await world.anonymous.get("/beta/template?locale=de")
    assert page.status_code == 200 and "data-beta-form" not in page.text
    assert catalogs()["de"]["signup"]["closed_title"] in page.text and "suspend" not in page.text


async def test_every_text_of_the_page_is_used() -> None:
    files = resources.files("teamspace.onboarding") / "domain"
    source = "".join((files / name).read_text() for name in ("page.py", "showing.py"))
    assert [key for key in catalogs()["en"]["signup"] if f'"{key}"' not in source] == []
