"""The product's texts come into the database, and people's work outlives their changes."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from teamspace import localization
from teamspace.app import open_database
from teamspace.core.messages import catalogs
from teamspace.settings import Settings
from tests.localization.help import PRODUCT, approve, changed, coverage, find, messages, set_up, submit, violations
from tests.mcp.help import loop_watched
from tests.support.world import World
from tests.support.writes import Writes

pytestmark = pytest.mark.both_databases


async def test_the_first_start_adds_every_message_in_every_locale(world: World) -> None:
    people = await set_up(world)
    counts = {locale: await coverage(people.operator, locale) for locale in ("en", "de", "is")}
    none = {"approved": 0, "machine": 0, "missing": 0, "stale": 0, "submitted": 0}
    assert counts == {
        "en": {"total": 6} | none | {"approved": 6},
        "de": {"total": 6} | none | {"machine": 3, "missing": 3},
        "is": {"total": 6} | none | {"missing": 6},
    }
    english = await find(people.operator, "notes.title", "en")
    assert (english["text"], english["source"], english["status"]) == ("Notes", "Notes", "approved")
    assert await violations(world) == []


async def test_a_start_without_changes_writes_nothing(world: World) -> None:
    await set_up(world)
    writes = await Writes.install(world.db)
    before = await writes.mark()
    assert not await localization.synchronise(world.db, PRODUCT)
    assert await writes.mark() == before


async def test_what_ships_can_be_synchronised(world: World) -> None:
    assert await localization.synchronise(world.db)
    total = sum(map(len, catalogs()["en"].values()))
    rows = await world.db.all(str, "SELECT locale FROM l10n_locales WHERE total = :total ORDER BY locale", total=total)
    assert rows == sorted(catalogs())
    assert await violations(world) == []


async def test_of_several_servers_one_synchronises(world: World, settings: Settings) -> None:
    async with AsyncExitStack() as opened:
        # SQLite has one writer process.
        other = world.db if settings.on_sqlite else await opened.enter_async_context(open_database(settings))
        outcomes = await asyncio.gather(
            *(localization.synchronise(db, PRODUCT) for db in (world.db, other, world.db, other))
        )
    assert sorted(outcomes) == [False, False, False, True]
    assert await violations(world) == []


async def test_another_source_makes_an_approved_text_stale(world: World) -> None:
    people = await set_up(world)
    await approve(people.reviewer, "notes.title")
    await localization.synchronise(world.db, changed(title="All notes"))
    message = await find(people.reviewer, "notes.title")
    assert (message["status"], message["text"], message["written_source"], message["source"]) == (
        "stale", "Notizen", "Notes", "All notes",
    )  # fmt: skip
    assert await coverage(people.reviewer) == {
        "total": 6, "approved": 0, "machine": 2, "missing": 3, "stale": 1, "submitted": 0,
    }  # fmt: skip
    assert await violations(world) == []


async def test_the_source_comes_back_and_so_does_the_approval(world: World) -> None:
    people = await set_up(world)
    await approve(people.reviewer, "notes.title")
    await localization.synchronise(world.db, changed(title="All notes"))
    await localization.synchronise(world.db, PRODUCT)
    message = await find(people.reviewer, "notes.title")
    assert (message["status"], message["written_source"]) == ("approved", None)


async def test_a_draft_of_another_source_is_replaced_by_what_ships_or_dropped(world: World) -> None:
    people = await set_up(world)
    without = changed(new="Write a note", title="All notes")
    await localization.synchronise(world.db, without | {"de": {"notes": {"title": "Alle Notizen"}}})
    new, title = await find(people.operator, "notes.new"), await find(people.operator, "notes.title")
    assert (new["status"], new["text"]) == ("missing", None)
    assert (title["status"], title["text"]) == ("machine", "Alle Notizen")
    assert await violations(world) == []


async def test_work_on_a_removed_message_comes_back_with_it(world: World) -> None:
    people = await set_up(world)
    await submit(people.translator, "notes.title", "Alle Notizen")
    await approve(people.reviewer, "notes.title")
    await submit(people.translator, "notes.new", "Notiz anlegen")
    await localization.synchronise(world.db, changed(title=None, new=None))
    assert len(await messages(people.operator)) == 4
    assert await violations(world) == []
    await localization.synchronise(world.db, PRODUCT)
    title, new = await find(people.operator, "notes.title"), await find(people.operator, "notes.new")
    assert (title["text"], title["status"]) == ("Alle Notizen", "approved")
    assert (new["text"], new["status"], new["proposal"]["text"]) == ("Neue Notiz", "machine", "Notiz anlegen")
    assert [item["key"] for item in await messages(people.operator, q="alle")] == ["title"]
    assert await violations(world) == []


async def test_a_proposal_stays_when_the_source_changes_and_cannot_be_approved(world: World) -> None:
    people = await set_up(world)
    await submit(people.translator, "notes.title", "Notizen hier")
    await localization.synchronise(world.db, changed(title="All notes"))
    message = await find(people.reviewer, "notes.title")
    assert (message["review"], message["proposal"]["text"]) == ("submitted", "Notizen hier")
    answer = await people.reviewer.post(f"/api/l10n/review/{message['id']}", {"decision": "approve"})
    assert (answer.status_code, answer.json()["key"]) == (409, "localization.source_changed")


async def test_a_new_release_adds_a_locale(world: World) -> None:
    people = await set_up(world)
    await localization.synchronise(world.db, PRODUCT | {"nl": {"notes": {"title": "Notities"}}})
    assert (await coverage(people.operator, "nl"))["machine"] == 1
    assert await violations(world) == []


async def test_an_instance_that_nobody_translates_has_no_rows(world: World) -> None:
    operator = await world.bootstrap()
    assert "messages" in (await operator.get("/api/i18n/catalog?locale=de")).json()
    await localization.catch_up(world.db)
    assert await world.db.one(int, "SELECT count(*) FROM l10n_messages") == 0
    coverage = (await operator.get("/api/l10n/coverage")).json()
    totals = {item["locale"]: item["total"] for item in coverage["items"]}
    assert totals == dict.fromkeys(catalogs(), sum(map(len, catalogs()["en"].values())))


async def test_the_first_use_does_not_hold_the_event_loop(world: World) -> None:
    operator = await world.bootstrap()
    async with loop_watched():
        answer = await operator.get("/api/l10n/coverage")
    assert answer.json()["items"][0]["total"] > 0
