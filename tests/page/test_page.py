"""The console as served: one page with the branding of its hostname, and immutable assets."""

import base64
import hashlib
import html
import json
import re

import msgspec
import pytest

from teamspace.settings import Settings
from tests.support.world import PASSWORD, World
from tests.support.world import world as open_world

IMMUTABLE = "public, max-age=31536000, immutable"
ACCEPTED = {"gzip, deflate, br, zstd": "br", "gzip": "gzip", "GZIP;q=0.5, br;q=0": "gzip", "deflate": None, "": None}
"""What a browser accepts, and what it is sent."""
ADDRESSES = ("/", "/index.html", "/login", "/activate", "/app/", "/app/notes/anything/below")


@pytest.mark.parametrize("address", ADDRESSES)
async def test_every_address_of_the_console_serves_the_page(world: World, address: str) -> None:
    answer = await world.anonymous.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<div id="root">' in answer.text
    # The page contains a nonce and a company's branding: it must not be cached.
    assert answer.headers["cache-control"] == "no-store"


async def test_the_policy_allows_no_inline_scripts_and_no_other_origins(world: World) -> None:
    first, second = [await world.anonymous.get("/") for _ in range(2)]
    policy = dict(part.strip().split(" ", 1) for part in first.headers["content-security-policy"].split(";"))
    nonce = re.search(r'<style nonce="([^"]+)">', first.text)
    assert nonce is not None
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == f"'self' 'nonce-{nonce[1]}'"
    assert policy["frame-src"] == "'self' blob:"
    assert policy["frame-ancestors"] == "'none'"
    assert (policy["require-trusted-types-for"], policy["trusted-types"]) == ("'script'", "default")
    assert nonce[1] not in second.text
    assert not re.findall(r"<script(?![^>]*\bsrc=)", first.text)
    assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", first.text)


async def test_only_screens_can_be_framed_and_only_by_the_console(world: World) -> None:
    policies = [
        (await world.anonymous.get(path)).headers["content-security-policy"]
        for path in ("/app/notes", "/app/", "/", "/index.html", "/login", "/activate")
    ]
    found = [re.search(r"frame-ancestors ('\w+')", policy) for policy in policies]
    assert [each and each[1] for each in found] == ["'self'", "'self'", *["'none'"] * 4]


async def test_the_frame_of_a_bundle_has_its_own_origin_no_network_and_one_script(world: World) -> None:
    answer = await world.anonymous.get("/frame")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["sandbox"] == "allow-scripts allow-forms"
    assert policy["default-src"] == policy["form-action"] == "'none'"
    assert "connect-src" not in policy and "frame-src" not in policy
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", answer.text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert policy["script-src"] == f"'sha256-{digests[0]}' blob:" and len(digests) == 1
    assert policy["frame-ancestors"] == "'self'", "other sites cannot use it"


async def test_title_and_both_themes_are_in_the_html(world: World) -> None:
    ann = await world.bootstrap()
    title = "Ann & Bob's <Space>"
    changed = await ann.put("/api/branding", {"title": title, "theme": {"accent": "#8b1a1a"}})
    assert changed.status_code == 200, changed.text
    page = (await world.anonymous.get("/")).text
    assert f"<title>{html.escape(title)}</title>" in page
    assert "--accent:#8b1a1a" in page
    dark = changed.json()["theme_dark"]["accent"]
    assert f"--accent:{dark}" in page.partition('[data-mantine-color-scheme="dark"]')[2]


async def test_every_asset_of_the_page_is_immutable_and_compressed(world: World) -> None:
    page = (await world.anonymous.get("/")).text
    paths = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page))
    assert len(paths) >= 3
    for path in paths:
        lengths = {}
        plain = await world.anonymous.get(path, headers={"accept-encoding": "identity"})
        assert plain.headers.get("content-encoding") is None
        for accepted, encoding in ACCEPTED.items():
            compressed = await world.anonymous.get(path, headers={"accept-encoding": accepted})
            assert compressed.status_code == plain.status_code == 200
            assert "immutable" in compressed.headers["cache-control"]
            assert compressed.headers.get("content-encoding") == encoding, accepted
            assert compressed.headers["vary"] == "Accept-Encoding"
            lengths[encoding] = int(compressed.headers["content-length"])
            if encoding != "br":  # which the test client cannot read
                assert compressed.content == plain.content
        assert lengths["br"] < lengths["gzip"] < len(plain.content)


async def test_the_catalogs_of_the_page_are_immutable_and_compressed(world: World) -> None:
    page = (await world.anonymous.get("/")).text
    paths = catalogs(page)
    assert next(iter(paths)) == "en"
    for locale, path in paths.items():
        compressed = await world.anonymous.get(path, headers={"accept-encoding": "gzip, br"})
        plain = await world.anonymous.get(path, headers={"accept-encoding": "identity"})
        from_api = await world.anonymous.get("/api/i18n/catalog", params={"locale": locale})
        assert compressed.headers["cache-control"] == plain.headers["cache-control"] == IMMUTABLE
        assert compressed.headers["vary"] == "Accept-Encoding"
        assert (compressed.headers.get("content-encoding"), plain.headers.get("content-encoding")) == ("gzip", None)
        assert int(compressed.headers["content-length"]) < len(plain.content) / 3
        assert compressed.json() == plain.json() == from_api.json()
    stale = re.sub(r"-[0-9a-f]{16}\.json$", f"-{'0' * 16}.json", paths["en"])
    assert (await world.anonymous.get(stale)).status_code == 404, "a page of another release uses the API instead"


def catalogs(page: str) -> dict[str, str]:
    found = re.search(r'<meta name="catalogs" content="([^"]+)">', page)
    assert found is not None
    paths: dict[str, str] = json.loads(html.unescape(found[1]))
    return paths


async def page_resources(world: World) -> list[str]:
    """Everything a browser requests before it shows the sign-in form."""
    page = (await world.anonymous.get("/")).text
    files = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page))
    catalog_paths = catalogs(page).values()
    return [*ADDRESSES, *sorted(files), *catalog_paths, "/api/config", "/api/branding", "/api/i18n/catalog"]


async def test_page_resources_are_served_during_load_shedding(world: World) -> None:
    paths = await page_resources(world)
    world.app.gate.shedder.longest_wait = -1.0
    for path in paths:
        assert (await world.anonymous.get(path)).status_code == 200


async def test_page_resources_are_not_rate_limited_but_sign_in_is(settings: Settings) -> None:
    async with open_world(msgspec.structs.replace(settings, rate_anonymous=2)) as world:
        for path in [*await page_resources(world), "/health"] * 3:
            assert (await world.anonymous.get(path)).status_code == 200, path
        attempt = {"username": "nobody", "password": PASSWORD}
        answers = [await world.anonymous.post("/api/login", attempt) for _ in range(3)]
        assert [answer.json()["code"] for answer in answers] == ["invalid_credentials"] * 2 + ["rate_limited"]
        guessed = await world.anonymous.get("/api/branding", headers={"authorization": "Bearer ts_a_guess"})
        assert guessed.status_code == 429, "a refused credential counts on every route"


@pytest.mark.parametrize(
    "path",
    [
        "missing.js",
        ".built-from",
        "..%2findex.html",
        "%2e%2e/index.html",
        "a/b.js",
        "scheme.js.gz",
        "scheme.js.br",
        "x.py",
        "%00.js",
    ],
)
async def test_only_files_of_the_build_are_served(world: World, path: str) -> None:
    answer = await world.anonymous.get(f"/assets/{path}")
    assert answer.status_code in (400, 404)
    assert "traceback" not in answer.text.lower()
