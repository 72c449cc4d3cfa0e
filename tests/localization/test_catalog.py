"""Message catalogs and their fallback chains."""

import json
from pathlib import Path

import pytest

import teamspace
from teamspace.core.messages import catalogs, read_files
from teamspace.localization.domain import codec
from tests.identity.help import refusal
from tests.support.world import World

SHIPPED = Path(teamspace.__file__).parent / "catalogs"


async def test_the_default_catalog_is_public(world: World) -> None:
    answer = await world.anonymous.get("/api/i18n/catalog")
    catalog = answer.json()
    assert (answer.status_code, catalog["locale"], catalog["chain"]) == (200, "en", ["en"])
    assert catalog["messages"] == json.loads((SHIPPED / "en.json").read_text())
    assert answer.headers["cache-control"] == "public, no-cache"


@pytest.mark.parametrize(
    ("locale", "chain"),
    [
        ("en", ["en"]),
        ("en-GB", ["en-GB", "en"]),
        ("PT-BR", ["pt-BR", "pt", "en"]),
        ("pt-br", ["pt-BR", "pt", "en"]),
        ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh", "en"]),
    ],
)
async def test_a_locale_falls_back_step_by_step(world: World, locale: str, chain: list[str]) -> None:
    catalog = (await world.anonymous.get("/api/i18n/catalog", params={"locale": locale})).json()
    assert (catalog["chain"], catalog["locale"]) == (chain, "en")


@pytest.mark.parametrize("locale", ["", "e", "english language", "en_GB", "en-", "x" * 41])
async def test_an_invalid_language_tag_is_refused(world: World, locale: str) -> None:
    answer = await world.anonymous.get("/api/i18n/catalog", params={"locale": locale})
    assert refusal(answer) == (400, "invalid_request")
    assert "locale" in answer.text


@pytest.mark.parametrize(("locale", "body"), list(read_files()), ids=sorted(catalogs()))
def test_catalogs_are_in_the_order_of_exports_so_that_changes_are_short(locale: str, body: bytes) -> None:
    assert codec.encode_catalog(catalogs()[locale]) == body
