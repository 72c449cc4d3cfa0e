"""The console as the server hands it out: one page in the look of its hostname, and files that never change."""

import html
import json
import re

import msgspec
import pytest

from teamspace.localization import domain as localization
from teamspace.settings import Settings
from tests.support.world import PASSWORD, World
from tests.support.world import world as opened_world

FOR_GOOD = "public, max-age=31536000, immutable"
ADDRESSES = ("/", "/index.html", "/login", "/activate", "/app/", "/app/notes/anything/below")


@pytest.mark.parametrize("address", ADDRESSES)
async def test_every_address_of_the_console_is_its_page(world: World, address: str) -> None:
    answer = await world.anonymous.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<div id="root">' in answer.text
    # The page holds a nonce and a company's look: another visitor must not get it from a cache.
    assert answer.headers["cache-control"] == "no-store"


async def test_the_policy_lets_in_no_inline_script_and_no_other_origin(world: World) -> None:
    first, second = [await world.anonymous.get("/") for _ in range(2)]
    policy = dict(part.strip().split(" ", 1) for part in first.headers["content-security-policy"].split(";"))
    nonce = re.search(r'<style nonce="([^"]+)">', first.text)
    assert nonce is not None
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == f"'self' 'nonce-{nonce[1]}'"
    assert policy["frame-src"] == "blob:"
    assert policy["frame-ancestors"] == "'none'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "default")
    assert nonce[1] not in second.text
    assert not re.findall(r"<script(?![^>]*\bsrc=)", first.text)
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", first.text)


async def test_title_and_both_themes_are_in_the_page_before_any_script_runs(world: World) -> None:
    ann = await world.bootstrap()
    title = "Ann & Bob's <Space>"
    changed = await ann.put("/api/branding", {"title": title, "theme": {"accent": "#8b1a1a"}})
    assert changed.status_code == 200, changed.text
    page = (await world.anonymous.get("/")).text
    assert f"<title>{html.escape(title)}</title>" in page
    assert "--accent:#8b1a1a" in page
    dark = changed.json()["theme_dark"]["accent"]
    assert f"--accent:{dark}" in page.partition('[data-mantine-color-scheme="dark"]')[2]


async def test_every_file_that_the_page_names_is_served_for_good_and_packed(world: World) -> None:
    page = (await world.anonymous.get("/")).text
    named = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page))
    assert len(named) >= 3
    for path in named:
        packed = await world.anonymous.get(path, headers={"accept-encoding": "gzip, br"})
        plain = await world.anonymous.get(path, headers={"accept-encoding": "identity"})
        assert packed.status_code == plain.status_code == 200
        assert "immutable" in packed.headers["cache-control"]
        assert (packed.headers.get("content-encoding"), plain.headers.get("content-encoding")) == ("gzip", None)
        assert packed.headers["vary"] == "Accept-Encoding"
        assert packed.content == plain.content


async def test_the_words_that_the_page_names_are_served_for_good_and_packed(world: World) -> None:
    page = (await world.anonymous.get("/")).text
    named = catalogs(page)
    assert next(iter(named)) == "en"
    for locale, path in named.items():
        packed = await world.anonymous.get(path, headers={"accept-encoding": "gzip, br"})
        plain = await world.anonymous.get(path, headers={"accept-encoding": "identity"})
        asked = await world.anonymous.get("/api/i18n/catalog", params={"locale": locale})
        assert packed.headers["cache-control"] == plain.headers["cache-control"] == FOR_GOOD
        assert packed.headers["vary"] == "Accept-Encoding"
        assert (packed.headers.get("content-encoding"), plain.headers.get("content-encoding")) == ("gzip", None)
        assert int(packed.headers["content-length"]) < len(plain.content) / 3
        assert packed.json() == plain.json() == asked.json()
    stale = re.sub(r"-[0-9a-f]{16}\.json$", f"-{'0' * 16}.json", named["en"])
    assert (await world.anonymous.get(stale)).status_code == 404, "the page of another release asks the API instead"


def test_the_name_of_a_catalog_changes_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def name(word: str) -> str:
        monkeypatch.setattr(localization, "available", lambda: {"en": {"a": {"one": word}}})
        localization.files.cache_clear()
        return localization.files()["en"].name

    try:
        assert name("one") == name("one") != name("uno")
    finally:
        localization.files.cache_clear()


def catalogs(page: str) -> dict[str, str]:
    found = re.search(r'<meta name="catalogs" content="([^"]+)">', page)
    assert found is not None
    named: dict[str, str] = json.loads(html.unescape(found[1]))
    return named


async def parts_of_a_page(world: World) -> list[str]:
    """All that a browser without a credential asks for until the sign-in form is there."""
    page = (await world.anonymous.get("/")).text
    files = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page))
    words = catalogs(page).values()
    return [*ADDRESSES, *sorted(files), *words, "/api/config", "/api/branding", "/api/i18n/catalog"]


async def test_a_server_that_turns_people_away_still_gives_a_page_all_of_its_parts(world: World) -> None:
    parts = await parts_of_a_page(world)
    world.app.gate.shedder.share = 1.0
    for path in parts:
        assert (await world.anonymous.get(path)).status_code == 200


async def test_pages_are_outside_the_rate_of_an_address_and_sign_in_is_not(settings: Settings) -> None:
    async with opened_world(msgspec.structs.replace(settings, rate_anonymous=2)) as world:
        for path in [*await parts_of_a_page(world), "/health"] * 3:
            assert (await world.anonymous.get(path)).status_code == 200, path
        attempt = {"username": "nobody", "password": PASSWORD}
        answers = [await world.anonymous.post("/api/login", attempt) for _ in range(3)]
        assert [answer.json()["code"] for answer in answers] == ["invalid_credentials"] * 2 + ["rate_limited"]
        guessed = await world.anonymous.get("/api/branding", headers={"authorization": "Bearer ts_a_guess"})
        assert guessed.status_code == 429, "a refused credential costs its address wherever it is offered"


@pytest.mark.parametrize(
    "path",
    ["missing.js", ".built-from", "..%2findex.html", "%2e%2e/index.html", "a/b.js", "scheme.js.gz", "x.py", "%00.js"],
)
async def test_nothing_but_a_file_of_the_build_is_served(world: World, path: str) -> None:
    answer = await world.anonymous.get(f"/assets/{path}")
    assert answer.status_code in (400, 404)
    assert "traceback" not in answer.text.lower()
