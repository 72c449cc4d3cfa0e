"""Files, policy, serving and drafts over HTTP."""

import asyncio
import json
from typing import Any

import pytest

from teamspace import tenancy
from teamspace.ai import Gateway
from teamspace.app import App, open_for_inspection
from teamspace.core.messages import catalogs
from teamspace.core.principal import Call
from teamspace.localization import CatalogCache
from teamspace.localization.domain import drafting
from teamspace.localization.schemas import DraftInput
from teamspace.settings import Settings
from tests.ai.help import requests_used
from tests.identity.help import refusal
from tests.jobs.help import ended, running
from tests.localization.help import approve, coverage, find, set_up, submit, violations
from tests.mcp.help import loop_watched
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases

LARGE = 20_000


async def call(caller: Caller, verb: str, locale: str | None = "de", status: int = 200) -> dict[str, Any]:
    answer = await caller.post(f"/api/l10n/{verb}", {} if locale is None else {"locale": locale})
    assert answer.status_code == status, answer.text
    return dict(answer.json())


async def served(caller: Caller, locale: str = "de") -> dict[str, dict[str, str]]:
    answer = await caller.get("/api/i18n/catalog", params={"locale": locale})
    return dict(answer.json()["messages"])


async def policy(caller: Caller, **change: Any) -> dict[str, Any]:
    answer = await caller.put("/api/i18n", {"default_locale": "en", "switching": True, **change})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_an_export_and_an_import_change_nothing(world: World) -> None:
    people = await set_up(world)
    assert refusal(await people.operator.post("/api/l10n/export", {"locale": "de"})) == (409, "nothing_approved")
    await submit(people.translator, "notes.title", "Notizbuch")
    await approve(people.reviewer, "notes.title")
    before = await find(people.operator, "notes.title")
    done = await call(people.operator, "export")
    assert done == {"locale": "de", "messages": 1, "path": "locales/de.json"}
    path = world.app.settings.data / "locales" / "de.json"
    assert json.loads(path.read_text()) == {"notes": {"title": "Notizbuch"}}
    counts = await coverage(people.operator)
    assert (await call(people.operator, "import"))["items"] == [
        {"locale": "de", "added": 0, "changed": 0, "unchanged": 1, "removed": 0}
    ]
    assert await find(people.operator, "notes.title") == before
    assert await coverage(people.operator) == counts
    assert await violations(world) == []


async def test_approvals_in_a_file_are_taken_and_texts_without_one_are_drafts(world: World) -> None:
    people = await set_up(world)
    await submit(people.translator, "notes.title", "Notizbuch")
    await approve(people.reviewer, "notes.title")
    await call(people.operator, "export")
    path = world.app.settings.data / "locales" / "de.json"
    other = path.with_name("fr.json")
    other.write_text('{"notes": {"new": "Nouvelle note", "title": "Notizbuch"}, "gone": {"x": "y"}}')
    marks = path.parent / ".meta"
    (marks / "fr.json").write_text((marks / "de.json").read_text())
    (done,) = (await call(people.operator, "import", "fr"))["items"]
    assert done == {"locale": "fr", "added": 2, "changed": 0, "unchanged": 0, "removed": 1}
    assert (await find(people.operator, "notes.title", "fr"))["status"] == "approved"
    assert (await find(people.operator, "notes.new", "fr"))["status"] == "machine"
    other.write_text('{"notes": {"title": "Edited by hand"}}')
    (done,) = (await call(people.operator, "import", "fr"))["items"]
    assert (done["changed"], done["unchanged"]) == (0, 1), "people's work stays"
    assert await violations(world) == []


async def test_a_new_locale_is_imported_without_holding_the_event_loop(world: World) -> None:
    operator = await world.bootstrap()
    await operator.get("/api/l10n/coverage")
    folder = world.app.settings.data / "locales"
    folder.mkdir(exist_ok=True)
    (folder / "fr.json").write_text(json.dumps(catalogs()["de"]))
    async with loop_watched():
        (done,) = (await call(operator, "import", "fr"))["items"]
    assert done["added"] == sum(map(len, catalogs()["de"].values()))
    async with loop_watched():
        assert (await call(operator, "import", "fr"))["items"][0]["unchanged"] == done["added"]
    assert await violations(world) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_large_file_does_not_hold_the_event_loop(world: World) -> None:
    product = {"en": {"area": {f"key{number:05}": f"Text {number} of many" for number in range(LARGE)}}, "de": {}}
    people = await set_up(world, product)
    folder = world.app.settings.data / "locales"
    folder.mkdir()
    (folder / "fr.json").write_text(json.dumps(product["en"]))
    async with loop_watched():
        assert (await call(people.operator, "import", "fr"))["items"][0]["added"] == LARGE


async def test_others_write_while_a_file_is_imported(world: World) -> None:
    people = await set_up(world, {"en": {"area": {f"key{number:04}": "Text" for number in range(2_000)}}, "de": {}})
    folder = world.app.settings.data / "locales"
    folder.mkdir()
    (folder / "de.json").write_text(json.dumps({"area": {f"key{number:04}": "Wort" for number in range(2_000)}}))
    importing = asyncio.create_task(call(people.operator, "import"))
    written = 0
    while not importing.done():
        answer = await people.operator.post("/api/notes", {"title": f"Note {written}", "body": ""})
        assert answer.status_code == 201
        written += 1
    assert (await importing)["items"][0]["added"] == 2_000
    assert written > 3, "each batch of the import is a transaction of its own"
    assert await violations(world) == []


async def test_a_broken_file_among_others_changes_nothing_of_any(world: World) -> None:
    people = await set_up(world)
    folder = world.app.settings.data / "locales"
    folder.mkdir()
    (folder / "de.json").write_text('{"notes": {"empty": "Noch keine Notizen"}}')
    (folder / "fr.json").write_text('{"notes": {"empty": "{x}"}}')
    counts = await coverage(people.operator)
    assert refusal(await people.operator.post("/api/l10n/import", {})) == (400, "invalid_request")
    assert await coverage(people.operator) == counts


@pytest.mark.parametrize(
    "broken",
    ['{"notes": {\n"title": "{x}"}}', '{"files": {\n"count": "{n, plural, other {"}}', '{"notes": {\n"new": "a"\n"b": "c"}}'],
)  # fmt: skip
async def test_a_broken_file_changes_nothing(world: World, broken: str) -> None:
    people = await set_up(world)
    folder = world.app.settings.data / "locales"
    folder.mkdir()
    (folder / "de.json").write_text(broken)
    counts = await coverage(people.operator)
    answer = await people.operator.post("/api/l10n/import", {})
    assert refusal(answer) == (400, "invalid_request")
    assert "de.json, line" in answer.json()["detail"]
    assert await coverage(people.operator) == counts


@pytest.mark.parametrize("locale", ["../x", "de/../x", "", "x" * 40])
@pytest.mark.parametrize("verb", ["import", "export", "draft"])
async def test_hostile_names_are_refused(world: World, verb: str, locale: str) -> None:
    people = await set_up(world)
    assert refusal(await people.operator.post(f"/api/l10n/{verb}", {"locale": locale})) == (400, "invalid_request")


async def test_an_approval_is_served_at_once_by_another_process(world: World, settings: Settings) -> None:
    people = await set_up(world)
    async with open_for_inspection(settings) as db:
        other = App(settings, db, None).dependencies[CatalogCache]

        async def texts() -> dict[str, dict[str, str]]:
            found, _ = await other.find(db, "de")
            return dict(json.loads(found.messages))

        assert (await texts())["notes"]["title"] == "Notizen"
        await submit(people.translator, "notes.title", "Notizbuch")
        assert (await texts())["notes"]["title"] == "Notizen", "a proposal is not served"
        names = await other.names(db)
        await approve(people.reviewer, "notes.title")
        assert (await texts())["notes"]["title"] == "Notizbuch"
        assert (await served(people.operator))["notes"]["title"] == "Notizbuch"
        assert (await other.names(db))["de"] != names["de"]
        assert await other.read(db, names["de"], packed=True) is None


async def test_the_policy_decides_what_is_served(world: World) -> None:
    people = await set_up(world)
    assert (await served(people.operator))["notes"]["title"] == "Notizen"
    await policy(people.operator, drafts=False)
    assert (await served(people.operator))["notes"]["title"] == "Notes"
    assert await policy(people.operator, drafts=True, default_locale="de", switching=False) == {
        "default_locale": "de", "switching": False, "drafts": True,
    }  # fmt: skip
    assert (await served(people.operator, "en"))["notes"]["title"] == "Notizen"
    config = (await people.operator.get("/api/config")).json()["localization"]
    assert (config["default_locale"], config["switching"]) == ("de", False)
    unknown = await people.operator.put("/api/i18n", {"default_locale": "fr", "switching": True})
    assert refusal(unknown) == (400, "invalid_request")
    assert refusal(await people.reviewer.put("/api/i18n", {"default_locale": "de", "switching": True}))[0] == 403


async def test_a_catalog_that_has_not_changed_is_not_sent_again(world: World) -> None:
    people = await set_up(world)
    first = await people.operator.get("/api/i18n/catalog", params={"locale": "de"})
    known = {"if-none-match": first.headers["etag"]}
    assert (await people.operator.get("/api/i18n/catalog?locale=de", headers=known)).status_code == 304
    await submit(people.translator, "notes.title", "Notizbuch")
    await approve(people.reviewer, "notes.title")
    assert (await people.operator.get("/api/i18n/catalog?locale=de", headers=known)).status_code == 200


async def test_drafts_are_made_once_and_what_remains_is_told(world: World) -> None:
    people = await set_up(world)
    done = await call(people.operator, "draft", "fr", 202)
    assert (len(done["jobs"]), done["queued"], done["remaining"]) == (1, 6, 0)
    again = await call(people.operator, "draft", "fr", 202)
    assert (again["jobs"], again["queued"], again["remaining"]) == ([], 0, 0), "they are being drafted"
    async with running(world):
        job = await ended(people.operator, done["jobs"][0]["id"])
    assert job["state"] == "succeeded", job
    counts = await coverage(people.operator, "fr")
    assert (counts["machine"], counts["missing"]) == (job["result"]["drafted"], job["result"]["left"])
    assert counts["machine"] >= 5
    assert await violations(world) == []


async def test_a_job_that_is_executed_again_changes_nothing(world: World) -> None:
    """As after a kill between its commit and its end."""
    people = await set_up(world)
    ids = await world.db.all(str, "SELECT id FROM l10n_entries WHERE locale = 'is' ORDER BY id")
    caller = await tenancy.act_for(world.db, Call(), people.operator.user_id, people.operator.team.id)
    gateway = world.app.dependencies[Gateway]
    first = await drafting.draft(world.db, caller, gateway, DraftInput("is", ids))
    before = await world.db.all(
        str, "SELECT id || text || updated_at FROM l10n_entries WHERE text IS NOT NULL ORDER BY id"
    )
    spent = await requests_used(people.operator)
    drafted = [
        id
        for id in ids
        if await world.db.exists("SELECT 1 FROM l10n_entries WHERE id = :id AND text IS NOT NULL", id=id)
    ]
    again = await drafting.draft(world.db, caller, gateway, DraftInput("is", drafted))
    assert (first.drafted, again.drafted, again.left) == (len(drafted), 0, 0)
    assert await requests_used(people.operator) == spent
    assert before == await world.db.all(
        str, "SELECT id || text || updated_at FROM l10n_entries WHERE text IS NOT NULL ORDER BY id"
    )
    assert await violations(world) == []


async def test_nothing_is_drafted_for_a_team_without_the_feature(world: World) -> None:
    people = await set_up(world)
    await people.operator.post("/api/features/translate", {"enabled": False})
    assert (await call(people.operator, "draft", "fr", 403))["code"] == "feature_disabled"
    assert [item["locale"] for item in (await people.operator.get("/api/l10n/coverage")).json()["items"]] == [
        "de", "en", "is",
    ]  # fmt: skip
