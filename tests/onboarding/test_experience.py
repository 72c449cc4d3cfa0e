"""A team edits, previews and publishes its experience; visitors see what is published."""

import asyncio
from typing import Any

import pytest

from teamspace.onboarding.schemas.experience import HONEYPOT, MAX_DOCUMENT
from teamspace.tenancy.schemas import Role
from tests.branding.help import code, set_hostname
from tests.onboarding.help import EMAIL, document, published, saved
from tests.support.world import Caller, World

PATH, PUBLISH, CONFIG = "/api/beta/experience", "/api/beta/experience/publish", "/api/beta/config"
SIZE = {
    "name": "size", "type": "select", "label": {"en": "Size", "de": "Größe"},
    "options": [{"value": "s", "label": {"en": "Small", "de": "Klein"}}, "large"],
}  # fmt: skip


async def title(caller: Caller, host: str = "teamspace.test", **query: str) -> str:
    answer = await caller.get(CONFIG, params=query, headers={"host": host})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["copy"]["title"])


# Drafts


async def test_before_any_draft_the_team_edits_what_visitors_see(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.get(PATH)
    shown = answer.json()
    assert (answer.status_code, shown["draft"], shown["published"]) == (200, None, None)
    assert shown["live"] == {"source": "plugin", "own": True}
    assert shown["copy"]["en"]["title"] == await title(world.anonymous)
    assert "etag" not in answer.headers


async def test_a_draft_is_seen_by_its_team_only_until_it_is_published(world: World) -> None:
    ann = await world.bootstrap()
    shown = await saved(ann, document("Ours", judge_prompt="Be kind"))
    assert (shown["draft"]["copy"]["en"]["title"], shown["judge_prompt"]) == ("Ours", "Be kind")
    assert await title(world.anonymous) != "Ours"
    shown = (await ann.post(PUBLISH)).json()
    assert (shown["draft"], shown["published"]["version"]) == (None, 1)
    assert shown["live"] == {"source": "team", "own": True}
    assert (shown["copy"]["en"]["title"], shown["judge_prompt"]) == ("Ours", "Be kind")
    assert await title(world.anonymous) == "Ours"
    await saved(ann, document("Next"))
    assert await title(world.anonymous) == "Ours"


async def test_the_days_that_prospects_are_kept_are_saved(world: World) -> None:
    ann = await world.bootstrap()
    shown = await published(ann, document("Ours", retention_days=30))
    assert shown["published"]["document"]["retention_days"] == 30


async def test_nothing_is_published_without_a_draft(world: World) -> None:
    ann = await world.bootstrap()
    assert code(await ann.post(PUBLISH)) == (409, "no_draft")
    await published(ann, document())
    assert code(await ann.post(PUBLISH)) == (409, "no_draft")


@pytest.mark.both_databases
async def test_of_two_who_publish_one_draft_one_wins(world: World) -> None:
    ann = await world.bootstrap()
    await saved(ann, document())
    answers = await asyncio.gather(*(ann.post(PUBLISH) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    assert (await ann.get(PATH)).json()["published"]["version"] == 1


@pytest.mark.both_databases
async def test_of_two_who_save_the_same_draft_one_wins(world: World) -> None:
    ann = await world.bootstrap()
    first = await ann.put(PATH, document("First"), headers={"if-none-match": "*"})
    assert (first.status_code, first.headers["etag"]) == (200, '"1"')
    seen = {"if-match": first.headers["etag"]}
    answers = await asyncio.gather(*(ann.put(PATH, document(f"By {name}"), headers=seen) for name in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
    winner = next(answer for answer in answers if answer.status_code == 200)
    assert (await ann.get(PATH)).json()["copy"] == winner.json()["copy"]
    assert (await ann.get(PATH)).headers["etag"] == '"2"'


@pytest.mark.parametrize("headers", [{"if-match": '"1"'}, {"if-match": "*"}, {"if-match": "nonsense"}])
async def test_a_condition_on_a_draft_that_does_not_exist_fails(world: World, headers: dict[str, str]) -> None:
    ann = await world.bootstrap()
    assert code(await ann.put(PATH, document(), headers=headers)) == (412, "version_mismatch")
    await published(ann, document())
    assert code(await ann.post(PUBLISH, headers=headers)) == (412, "version_mismatch")


async def test_the_judge_prompt_is_in_no_audit_row_and_not_public(world: World) -> None:
    ann = await world.bootstrap()
    await published(ann, document(judge_prompt="Only friends of the queen"))
    assert "queen" not in (await world.anonymous.get(CONFIG)).text
    assert "queen" not in (await ann.get(f"{PATH}?preview=1")).text
    details = await world.db.all(str, "SELECT detail FROM audit WHERE action LIKE 'experience.%'")
    assert len(details) == 2 and "queen" not in "".join(details)


async def test_a_team_does_not_see_how_another_team_judges(world: World) -> None:
    ann = await world.bootstrap()
    other = await world.join(ann, await world.team(ann.org), Role.ADMIN)
    await published(ann, document("Ours", judge_prompt="secret"))
    shown = (await other.get(PATH)).json()
    assert (shown["copy"]["en"]["title"], shown["judge_prompt"]) == ("Ours", "")
    assert (shown["draft"], shown["published"], shown["live"]) == (None, None, {"source": "team", "own": False})


async def test_a_suspended_company_shows_nothing_and_changes_nothing(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER)
    await set_hostname(world, org, "zoe.test")
    await published(zoe, document("Zoe's"))
    await world.suspend(org)
    assert code(await world.anonymous.get(CONFIG, headers={"host": "zoe.test"})) == (403, "org_suspended")
    assert code(await zoe.put(PATH, document())) == (403, "org_suspended")
    assert code(await zoe.post(PUBLISH)) == (403, "org_suspended")
    assert (await zoe.get(PATH)).json()["copy"]["en"]["title"] == "Zoe's"
    assert (await ann.get(PATH)).status_code == 200


# What visitors see


async def test_the_public_part_is_in_one_language(world: World) -> None:
    ann = await world.bootstrap()
    texts = {"en": {"title": "Hello", "intro": "Intro"}, "de": {"title": "Hallo"}, "pt-BR": {"title": "Olá"}}
    await published(ann, document("", SIZE, copy=texts, theme={"accent": "#00574B"}))
    shown = (await world.anonymous.get(f"{CONFIG}?locale=de-AT")).json()
    assert (shown["locale"], shown["locales"]) == ("de", ["en", "de", "pt-BR"])
    assert shown["copy"]["title"] == "Hallo" and shown["copy"]["intro"] == "Intro"
    assert shown["copy"]["submit"] == "Registrieren"
    assert [field["label"] for field in shown["fields"]] == ["E-Mail", "Größe"]
    assert shown["fields"][1]["options"] == [{"value": "s", "label": "Klein"}, {"value": "large", "label": "large"}]
    assert shown["theme"]["accent"] == "#00574b" and shown["theme_dark"]["accent"] != "#00574b"
    assert (shown["logo"], shown["hero"], shown["font_file"], shown["honeypot"]) == (None, None, None, HONEYPOT)


@pytest.mark.parametrize(
    ("query", "header", "expected"),
    [
        ("", "", "Hello"), ("", "fr", "Hello"), ("", "*", "Hello"), ("", "fr, de;q=0.5", "Hallo"),
        ("", "en;q=0.1, de;q=0.9", "Hallo"), ("", "de;q=0, en", "Hello"), ("", "pt-PT", "Hello"), ("", "PT-br", "Olá"),
        ("?locale=de", "pt-BR", "Hallo"), ("?locale=zh-Hant-TW", "de", "Hello"), ("?locale=%3Cscript%3E", "", "Hello"),
    ],
)  # fmt: skip
async def test_the_language_is_the_first_that_is_wanted_and_written(
    world: World, query: str, header: str, expected: str
) -> None:
    ann = await world.bootstrap()
    await published(ann, document(copy={"en": {"title": "Hello"}, "de": {"title": "Hallo"}, "pt-BR": {"title": "Olá"}}))
    answer = await world.anonymous.get(f"{CONFIG}{query}", headers={"accept-language": header})
    assert answer.json()["copy"]["title"] == expected
    assert answer.headers["vary"] == "Host, Accept-Language"


async def test_an_experience_without_english_is_shown_in_its_own_language(world: World) -> None:
    ann = await world.bootstrap()
    field = {"name": "email", "type": "email", "label": {"fo": "Teldupostur"}}
    await published(ann, {"fields": [field], "copy": {"fo": {"title": "Ver við"}}})
    shown = (await world.anonymous.get(f"{CONFIG}?locale=fr")).json()
    assert (shown["locale"], shown["copy"]["title"], shown["fields"][0]["label"]) == ("fo", "Ver við", "Teldupostur")
    assert shown["copy"]["submit"] == "Sign up"


async def test_the_preview_is_what_visitors_will_see(world: World) -> None:
    ann = await world.bootstrap()
    await saved(ann, document("Ours", SIZE))
    preview = (await ann.get(f"{PATH}?preview=1&locale=de")).json()
    await ann.post(PUBLISH)
    assert preview == (await world.anonymous.get(f"{CONFIG}?locale=de")).json()


async def test_each_host_shows_its_company(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER)
    await set_hostname(world, org, "zoe.test")
    await published(ann, document("Ann's"))
    await published(zoe, document("Zoe's"))
    assert await title(world.anonymous) == "Ann's"
    assert await title(world.anonymous, "zoe.test") == "Zoe's"
    assert await title(world.anonymous, "other.test") == "Ann's"


# Other origins


@pytest.mark.parametrize("path", [CONFIG, "/api/beta/challenge", "/api/beta/signup"])
async def test_other_origins_may_call_the_three_endpoints_without_credentials(world: World, path: str) -> None:
    method = "POST" if path.endswith("signup") else "GET"
    asked = {"origin": "https://other.test", "access-control-request-method": method}
    for headers in (asked, asked | {"origin": "null"}, {}):
        answer = await world.anonymous("OPTIONS", path, headers=headers)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, "*")
        assert "access-control-allow-credentials" not in answer.headers
    await world.bootstrap()
    answer = await world.anonymous.get(CONFIG, headers={"origin": "https://other.test"})
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_refusal_can_be_read_by_other_origins_too(world: World) -> None:
    answer = await world.anonymous.get(CONFIG, headers={"origin": "https://other.test"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (404, "*")


# What is refused


def field(**changes: Any) -> dict[str, Any]:
    return {"name": "other", "type": "text", "label": {"en": "Other"}, **changes}


REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    (document() | {"fields": [field()]}, ["/fields"]),
    (document("x", EMAIL | {"name": "second"}), ["/fields/1/type"]),
    (document("x", field(name="email")), ["/fields/1/name"]),
    (document("x", field(name=HONEYPOT)), ["/fields/1/name"]),
    (document("x", field(label={})), ["/fields/1/label"]),
    (document("x", field(label={"en": " "})), ["/fields/1/label/en"]),
    (document("x", field(label={"e/~": "Other"})), ["/fields/1/label/e~1~0"]),
    (document("x", field(label={"en": "a", "EN": "b"})), ["/fields/1/label/EN"]),
    (document("x", field(label={"en": "a\u202e"})), ["/fields/1/label/en"]),
    (document("x", field(label={"en": "a" * 201})), ["/fields/1/label/en"]),
    (document("x", field(label={f"a{letter}": "x" for letter in "abcdefghijklmnopqrstu"})), ["/fields/1/label"]),
    (document("x", field(options=["a"])), ["/fields/1/options"]),
    (document("x", field(type="select")), ["/fields/1/options"]),
    (document("x", field(type="select", options=[str(n) for n in range(101)])), ["/fields/1/options"]),
    (document("x", field(type="select", options=["a", {"value": "a"}])), ["/fields/1/options/1"]),
    (document("x", field(type="select", options=[{"value": ""}])), ["/fields/1/options/0/value"]),
    (document("x" * 121), ["/copy/en/title"]),
    (document(copy={"en": {"intro": "x" * 2001, "thanks": "\x07"}}), ["/copy/en/intro", "/copy/en/thanks"]),
    (document(copy={"english!": {}}), ["/copy/english!"]),
    (document(judge_prompt="a\x00b".replace("\x00", "\x01")), ["/judge_prompt"]),
    (document(theme={"logo": 5}), ["/theme/logo"]),
    (document("x" * 121, field(label={}), field(name=HONEYPOT)), ["/fields/2/name", "/fields/1/label", "/copy/en/title"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "pointers"), REFUSED)
async def test_every_error_is_named_with_its_place(world: World, body: dict[str, Any], pointers: list[str]) -> None:
    ann = await world.bootstrap()
    answer = await ann.put(PATH, body)
    assert code(answer) == (400, "invalid_request")
    assert [error["pointer"] for error in answer.json()["errors"]] == pointers
    assert (await ann.get(PATH)).json()["draft"] is None


@pytest.mark.parametrize(
    "body",
    [
        {}, {"fields": []}, document() | {"fields": [EMAIL] * 31}, document(judge_prompt="x" * 10_001),
        document() | {"colour": "red"}, document("x", field(type="password")), document("x", field(name="9")),
        document("x", field(name="a b")), document("x", field(hint="x")), document(copy={"en": {"footer": "x"}}),
        document("x", field(type="select", options=[5])),
        document("x", field(type="select", options=[{"value": str(n), "label": {"en": "x" * 200, "de": "y" * 200, "es": "z" * 200, "fr": "z" * 200}} for n in range(99)]),
                 *(field(name=f"f{n}", type="select", options=["x" * 180 + str(m) for m in range(100)]) for n in range(6))),
    ],
)  # fmt: skip
async def test_a_document_of_another_shape_is_refused(world: World, body: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    assert code(await ann.put(PATH, body)) == (400, "invalid_request")


@pytest.mark.parametrize(
    "theme",
    [{"text": "#ffffff"}, {"accent": "red"}, {"accent": "#00574b;}"}, {"unknown": "#000000"}, {"radius": 99}, {"font": "x"}],
)  # fmt: skip
async def test_a_theme_is_checked_like_that_of_a_brand(world: World, theme: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    assert code(await ann.put(PATH, document(theme=theme))) == (400, "invalid_theme_token")


async def test_the_largest_document_is_accepted(world: World) -> None:
    ann = await world.bootstrap()
    options = [{"value": str(n), "label": {"en": "x" * 150}} for n in range(100)]
    fields = [{"name": f"f{n}", "type": "select", "label": {"en": "Field"}, "options": options} for n in range(6)]
    body = document("Large", *fields, judge_prompt="y" * 10_000)
    assert (await ann.put(PATH, body)).status_code == 200
    assert MAX_DOCUMENT < 200_000
