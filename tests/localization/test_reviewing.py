"""Proposals and their review: nobody approves their own words, and nothing is served before it is approved."""

import asyncio
from typing import Any

import pytest

from teamspace import localization
from tests.identity.help import refusal
from tests.localization.help import (
    approve,
    changed,
    coverage,
    find,
    messages,
    set_up,
    submit,
    violations,
)
from tests.support.world import Caller, World


async def review(caller: Caller, message: dict[str, Any], decision: str = "approve", **more: Any) -> Any:
    return await caller.post(f"/api/l10n/review/{message['id']}", {"decision": decision, **more})


async def test_a_proposal_is_served_only_after_its_approval(world: World) -> None:
    people = await set_up(world)
    proposed = await submit(people.translator, "notes.title", "Meine Notizen")
    assert (proposed["status"], proposed["text"], proposed["review"]) == ("machine", "Notizen", "submitted")
    assert (proposed["proposal"]["text"], proposed["proposal"]["own"]) == ("Meine Notizen", True)
    assert proposed["proposal"]["author"] == people.translator.user_id
    approved = await approve(people.reviewer, "notes.title")
    assert (approved["status"], approved["text"], approved["origin"]) == ("approved", "Meine Notizen", "human")
    assert (approved["review"], approved["proposal"], approved["approved_by"]) == (None, None, people.reviewer.user_id)
    assert [item["key"] for item in await messages(people.reviewer, q="meine")] == ["title"]
    assert await violations(world) == []


async def test_the_revision_grows_with_what_is_served(world: World) -> None:
    people = await set_up(world)

    async def revision() -> int:
        items = (await people.operator.get("/api/l10n/coverage")).json()["items"]
        return int(next(item["revision"] for item in items if item["locale"] == "de"))

    before = await revision()
    await submit(people.translator, "notes.title", "Meine Notizen")
    assert await revision() == before
    await approve(people.reviewer, "notes.title")
    assert await revision() == before + 1


async def test_nobody_approves_their_own_proposal(world: World) -> None:
    people = await set_up(world)
    message = await submit(people.reviewer, "notes.title", "Meine Notizen")
    assert refusal(await review(people.reviewer, message)) == (403, "self_review")
    # Another person submits the same words: both have written them.
    await submit(people.second_reviewer, "notes.title", "Meine Notizen")
    assert refusal(await review(people.reviewer, message)) == (403, "self_review")
    # Other words are only theirs.
    await submit(people.second_reviewer, "notes.title", "Alle Notizen")
    assert (await review(people.reviewer, message)).json()["text"] == "Alle Notizen"
    assert await violations(world) == []


async def test_any_reviewer_approves_a_draft(world: World) -> None:
    people = await set_up(world)
    approved = await approve(people.reviewer, "notes.title")
    assert (approved["status"], approved["text"], approved["origin"]) == ("approved", "Notizen", "machine")


async def test_a_stale_text_is_kept_for_its_new_source(world: World) -> None:
    people = await set_up(world)
    await submit(people.reviewer, "notes.title", "Alle Notizen")
    await approve(people.second_reviewer, "notes.title")
    await localization.synchronise(world.db, changed(title="All of the notes"))
    message = await find(people.reviewer, "notes.title")
    assert refusal(await review(people.reviewer, message)) == (403, "self_review"), "their own words"
    kept = (await review(people.second_reviewer, message)).json()
    assert (kept["status"], kept["text"], kept["written_source"]) == ("approved", "Alle Notizen", None)


@pytest.mark.parametrize("name", ["notes.empty", "notes.title"])
async def test_there_is_nothing_to_approve_or_return(world: World, name: str) -> None:
    people = await set_up(world)
    if name == "notes.title":
        await approve(people.reviewer, name)
    message = await find(people.reviewer, name)
    for decision in ("approve", "return"):
        answer = await review(people.reviewer, message, decision)
        assert (refusal(answer), answer.json()["key"]) == ((409, "conflict"), "localization.nothing_to_review")


async def test_a_returned_proposal_goes_back_to_its_author(world: World) -> None:
    people = await set_up(world)
    message = await submit(people.translator, "notes.title", "Notitzen")
    returned = (await review(people.reviewer, message, "return", note="A typo")).json()
    assert (returned["review"], returned["proposal"]["note"], returned["text"]) == ("returned", "A typo", "Notizen")
    assert (await coverage(people.reviewer))["submitted"] == 0
    assert refusal(await review(people.second_reviewer, message, "return")) == (409, "conflict")
    again = await submit(people.translator, "notes.title", "Notizbuch")
    assert (again["review"], again["proposal"]["note"]) == ("submitted", None)
    assert (await coverage(people.reviewer))["submitted"] == 1
    assert await violations(world) == []


async def test_a_newer_proposal_is_not_approved_unread(world: World) -> None:
    people = await set_up(world)
    message = await submit(people.translator, "notes.title", "Notizbuch")
    read = message["proposal"]["submitted_at"]
    await asyncio.sleep(0.002)  # times have milliseconds
    await submit(people.translator, "notes.title", "Unfug")
    answer = await review(people.reviewer, message, submitted_at=read)
    assert (refusal(answer), answer.json()["key"]) == ((409, "conflict"), "localization.changed")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("files.delete", "Datei löschen", "{name}"),
        ("files.delete", "Datei {nane} löschen", "{nane}"),
        ("files.delete", "Datei {name löschen", "ICU"),
        ("files.delete", "   ", "empty"),
        ("files.count", "{n, plural, other {# Dateien}}", "one"),
        ("files.count", "Dateien", "{n, plural}"),
        ("notes.title", "<b>Notizen", "<b>"),
        ("notes.title", "Notizen {x.__class__}", "{x.__class__}"),
        ("notes.title", "Notizen\x07", "control"),
    ],
)
async def test_a_text_that_would_be_shown_wrong_is_refused(world: World, name: str, text: str, told: str) -> None:
    people = await set_up(world)
    message = await find(people.translator, name)
    answer = await people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": text})
    assert refusal(answer) == (400, "invalid_request")
    assert told in answer.json()["detail"]
    assert answer.json()["errors"][0]["pointer"] == "/text"
    assert await find(people.translator, name) == message


async def test_what_is_only_unusual_is_a_warning(world: World) -> None:
    people = await set_up(world)
    proposed = await submit(people.translator, "notes.title", "Notes")
    assert [warning["check"] for warning in proposed["warnings"]] == ["unchanged"]


async def test_a_draft_with_an_error_cannot_be_approved(world: World) -> None:
    people = await set_up(world, {"en": {"a": {"b": "Hello {name}"}}, "de": {"a": {"b": "Hallo {nane}"}}})
    message = await find(people.reviewer, "a.b")
    assert refusal(await review(people.reviewer, message)) == (400, "invalid_request")


async def test_the_source_language_cannot_be_translated(world: World) -> None:
    people = await set_up(world)
    message = await find(people.translator, "notes.title", "en")
    answer = await people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": "Notices"})
    assert (refusal(answer), answer.json()["key"]) == ((409, "conflict"), "localization.source_locale")


async def test_drafts_are_discarded_and_people_s_work_stays(world: World) -> None:
    people = await set_up(world)
    await approve(people.reviewer, "notes.title")
    await submit(people.translator, "notes.new", "Notiz anlegen")
    assert (await people.operator.post("/api/l10n/discard", {"locale": "de"})).json() == {
        "locale": "de",
        "discarded": 2,
    }
    new = await find(people.operator, "notes.new")
    assert (new["status"], new["text"], new["proposal"]["text"]) == ("missing", None, "Notiz anlegen")
    assert (await find(people.operator, "notes.title"))["status"] == "approved"
    assert await messages(people.operator, q="öffnen") == []
    assert (await people.operator.post("/api/l10n/discard", {"locale": "de"})).json()["discarded"] == 0
    assert await violations(world) == []


async def test_every_step_is_in_the_audit_log(world: World) -> None:
    people = await set_up(world)
    message = await submit(people.translator, "notes.title", "Notizbuch")
    await review(people.reviewer, message, "return")
    await submit(people.translator, "notes.title", "Notizblock")
    await approve(people.reviewer, "notes.title")
    await people.operator.post("/api/l10n/discard", {"locale": "de"})
    found = await world.db.all(str, "SELECT action FROM audit WHERE action LIKE 'l10n.%' ORDER BY id")
    assert found == ["l10n.submit", "l10n.return", "l10n.submit", "l10n.approve", "l10n.discard"]


# Races


@pytest.mark.both_databases
async def test_of_two_reviewers_one_decides(world: World) -> None:
    people = await set_up(world)
    for number in range(5):
        message = await submit(people.translator, "notes.title", f"Notizen {number}")
        answers = await asyncio.gather(
            review(people.reviewer, message), review(people.second_reviewer, message, "return"),
            review(people.second_reviewer, message), review(people.reviewer, message, "return"),
        )  # fmt: skip
        assert sorted(answer.status_code for answer in answers)[0] == 200
        approvals = [answer for answer in (answers[0], answers[2]) if answer.status_code == 200]
        returns = [answer for answer in (answers[1], answers[3]) if answer.status_code == 200]
        assert len(approvals) <= 1 and len(returns) <= 1
        assert all(answer.status_code in (200, 409) for answer in answers)
        assert await violations(world) == []
        if not approvals:
            await approve(people.reviewer, "notes.title")


@pytest.mark.both_databases
async def test_of_two_translators_one_proposal_stays_whole(world: World) -> None:
    people = await set_up(world)
    message = await find(people.translator, "notes.title")
    texts = {people.translator.user_id: "Notizen A", people.colleague.user_id: "Notizen B"}
    for _ in range(5):
        answers = await asyncio.gather(
            *(
                caller.put(f"/api/l10n/messages/{message['id']}", {"text": texts[caller.user_id]})
                for caller in (people.translator, people.colleague)
            )
        )
        assert [answer.status_code for answer in answers] == [200, 200]
        proposal = (await find(people.reviewer, "notes.title"))["proposal"]
        assert proposal["text"] == texts[proposal["author"]]
        assert (await coverage(people.reviewer))["submitted"] == 1
    assert await violations(world) == []


@pytest.mark.both_databases
async def test_an_approval_and_a_new_proposal_at_once_lose_nothing(world: World) -> None:
    people = await set_up(world)
    for number in range(5):
        message = await submit(people.translator, "notes.title", f"Alt {number}")
        written = people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": f"Neu {number}"})
        proposed, approved = await asyncio.gather(written, review(people.reviewer, message))
        assert proposed.status_code == 200
        now = await find(people.reviewer, "notes.title")
        texts = (now["text"], now["proposal"] and now["proposal"]["text"])
        if approved.status_code == 200:
            assert texts in ((f"Alt {number}", f"Neu {number}"), (f"Neu {number}", None))
        else:
            assert (approved.status_code, texts[1]) == (409, f"Neu {number}")
        assert await violations(world) == []


async def test_what_was_proposed_since_the_reviewer_read_is_not_approved(world: World) -> None:
    people = await set_up(world)
    draft = await find(people.reviewer, "notes.title")
    await submit(people.translator, "notes.title", "Notizbuch")
    answer = await review(people.reviewer, draft, updated_at=draft["updated_at"])
    assert (answer.status_code, answer.json()["key"]) == (409, "localization.changed")
    now = await find(people.reviewer, "notes.title")
    assert (await review(people.reviewer, now, updated_at=now["updated_at"])).json()["text"] == "Notizbuch"


@pytest.mark.both_databases
async def test_of_two_who_read_the_same_text_the_later_one_is_told(world: World) -> None:
    people = await set_up(world)
    message = await find(people.translator, "notes.title")
    read = {"submitted_at": None}
    answers = await asyncio.gather(
        people.translator.put(f"/api/l10n/messages/{message['id']}", {"text": "Notizbuch", **read}),
        people.colleague.put(f"/api/l10n/messages/{message['id']}", {"text": "Zettel", **read}),
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (refused,) = [answer for answer in answers if answer.status_code == 409]
    assert refused.json()["key"] == "localization.changed"
    now = await find(people.translator, "notes.title")
    (kept,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert now["proposal"]["text"] == kept["proposal"]["text"], "nothing is lost"
    again = {"text": "Notizzettel", "submitted_at": now["proposal"]["submitted_at"]}
    assert (await people.colleague.put(f"/api/l10n/messages/{message['id']}", again)).status_code == 200
