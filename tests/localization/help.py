"""Shared by the tests of the localization manager: a small product, and people who translate and review."""

from typing import Any

import msgspec

from teamspace import localization
from teamspace.core.messages import Messages
from teamspace.tenancy.schemas import Role
from tests.support.world import Caller, World

PLURAL = "{n, plural, one {# file} other {# files}}"
SOURCES: Messages = {
    "files": {"count": PLURAL, "delete": "Delete the file {name}", "open": "Open"},
    "notes": {"empty": "There are no notes yet", "new": "New note", "title": "Notes"},
}
GERMAN: Messages = {"files": {"open": "Öffnen"}, "notes": {"new": "Neue Notiz", "title": "Notizen"}}
PRODUCT: dict[str, Messages] = {"en": SOURCES, "de": GERMAN, "is": {}}


class People(msgspec.Struct, frozen=True):
    operator: Caller
    translator: Caller
    colleague: Caller
    reviewer: Caller
    second_reviewer: Caller


async def set_up(world: World, product: dict[str, Messages] = PRODUCT) -> People:
    """An instance with the product's texts, its operator, two translators and two reviewers."""
    await localization.synchronise(world.db, product)
    operator = await world.bootstrap()
    roles = (Role.TRANSLATOR, Role.TRANSLATOR, Role.REVIEWER, Role.REVIEWER)
    return People(operator, *[await world.person(operator.org, operator.team, role) for role in roles])


async def translate_console(world: World, operator: Caller) -> None:
    """A little of everything: drafts, approved and stale texts, a proposal, and work on a message that is gone."""
    await localization.synchronise(world.db, PRODUCT)
    translator = await world.person(operator.org, operator.team, Role.TRANSLATOR)
    for name in ("notes.title", "notes.new"):
        await submit(translator, name, f"Übersetzung von {name} 🎉")
        await approve(operator, name)
    await submit(translator, "files.open", "Aufmachen")
    await localization.synchronise(world.db, changed(title="All notes", new=None))


def changed(**texts: str | None) -> dict[str, Messages]:
    """The product with other sources of `notes`; one that is None is gone."""
    notes = {key: text for key, text in (SOURCES["notes"] | texts).items() if text is not None}
    return PRODUCT | {"en": SOURCES | {"notes": notes}}


async def messages(caller: Caller, locale: str = "de", **query: Any) -> list[dict[str, Any]]:
    """All pages of a list."""
    items, cursor = list[dict[str, Any]](), None
    while True:
        params = {"locale": locale, **query} | ({"cursor": cursor} if cursor else {})
        answer = await caller.get("/api/l10n/messages", params=params)
        assert answer.status_code == 200, answer.text
        items += answer.json()["items"]
        cursor = answer.json()["next_cursor"]
        if cursor is None:
            return items


async def keys(caller: Caller, locale: str = "de", **query: Any) -> list[str]:
    return [f"{item['namespace']}.{item['key']}" for item in await messages(caller, locale, **query)]


async def find(caller: Caller, name: str, locale: str = "de") -> dict[str, Any]:
    """The message of a name such as `notes.title`."""
    found = [item for item in await messages(caller, locale) if f"{item['namespace']}.{item['key']}" == name]
    return found[0]


async def submit(caller: Caller, name: str, text: str, locale: str = "de") -> dict[str, Any]:
    message = await find(caller, name, locale)
    answer = await caller.put(f"/api/l10n/messages/{message['id']}", {"text": text})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def approve(caller: Caller, name: str, locale: str = "de") -> dict[str, Any]:
    message = await find(caller, name, locale)
    answer = await caller.post(f"/api/l10n/review/{message['id']}", {"decision": "approve"})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def coverage(caller: Caller, locale: str = "de") -> dict[str, int]:
    items = (await caller.get("/api/l10n/coverage")).json()["items"]
    (found,) = [item for item in items if item["locale"] == locale]
    return {name: value for name, value in found.items() if name not in ("locale", "revision")}


async def violations(world: World) -> list[str]:
    """The names of the invariants that do not hold."""
    return [row.name for row in localization.INVARIANTS if await world.db.exists(row.sql)]
