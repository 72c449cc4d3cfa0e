"""The words of the console: a locale's own, and what it borrows."""

import json
from pathlib import Path

import pytest

import teamspace.localization
from teamspace.localization import domain
from tests.identity.help import refusal
from tests.support.world import World

SHIPPED = Path(teamspace.localization.__file__).parent / "catalogs"


async def test_anybody_gets_the_default_catalog(world: World) -> None:
    answer = await world.anonymous.get("/api/i18n/catalog")
    shown = answer.json()
    assert (answer.status_code, shown["locale"], shown["chain"]) == (200, "en", ["en"])
    assert shown["messages"] == json.loads((SHIPPED / "en.json").read_text())
    assert answer.headers["cache-control"] == "public, max-age=60"


@pytest.mark.parametrize(
    ("wanted", "chain"),
    [
        ("en", ["en"]),
        ("en-GB", ["en-GB", "en"]),
        ("PT-BR", ["pt-BR", "pt", "en"]),
        ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh", "en"]),
    ],
)
async def test_a_locale_falls_back_step_by_step(world: World, wanted: str, chain: list[str]) -> None:
    shown = (await world.anonymous.get("/api/i18n/catalog", params={"locale": wanted})).json()
    assert (shown["chain"], shown["locale"]) == (chain, "en")


@pytest.mark.parametrize("wanted", ["", "e", "english language", "en_GB", "en-", "x" * 41])
async def test_what_is_no_language_tag_is_refused_by_name(world: World, wanted: str) -> None:
    answer = await world.anonymous.get("/api/i18n/catalog", params={"locale": wanted})
    assert refusal(answer) == (400, "invalid_request")
    assert "locale" in answer.text


def test_what_a_locale_lacks_is_lent_message_by_message(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = {
        "en": {"a": {"one": "one", "two": "two"}, "b": {"three": "three"}},
        "de": {"a": {"one": "eins"}},
        "de-CH": {"a": {"two": "zwöi"}},
    }
    monkeypatch.setattr(domain, "available", lambda: shipped)
    got = domain.catalog("de-CH-1996")
    assert (got.locale, got.chain) == ("de-CH", ["de-CH-1996", "de-CH", "de", "en"])
    assert got.messages == {"a": {"one": "eins", "two": "zwöi"}, "b": {"three": "three"}}
