"""Public links: a page and a file for everyone who has the address, until the link dies."""

import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from teamspace.core import clock, messages
from teamspace.core.db import Tx
from teamspace.extraction.domain.readers import ReaderProcess
from teamspace.links import routes, store
from teamspace.links.domain import administering, managing, opening, page
from teamspace.links.schemas import LinkRow
from teamspace.tenancy import OrgRole, Role
from tests.identity.help import run_sql
from tests.repository.help import TEXT, put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
FORM = {"content-type": "application/x-www-form-urlencoded"}
PASSWORD = "printed on paper"


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def publish(caller: Caller, object_id: str, **options: Any) -> dict[str, Any]:
    answer = await caller.post(f"/api/repo-obj/{object_id}/links", options)
    assert answer.status_code == 201, answer.text
    link: dict[str, Any] = answer.json()
    return link


def path_of(link: dict[str, Any]) -> str:
    return "/s/" + str(link["url"]).rpartition("/")[2]


async def visit(world: World, link: dict[str, Any], rest: str = "", **headers: str) -> httpx2.Response:
    return await world.anonymous.get(path_of(link) + rest, headers=headers)


async def send_password(world: World, link: dict[str, Any], password: str) -> httpx2.Response:
    body = f"password={password.replace(' ', '+')}".encode()
    return await world.anonymous("POST", path_of(link), content=body, headers=FORM)


async def links_of(caller: Caller, object_id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await caller.get(f"/api/repo-obj/{object_id}/links")).json()["items"]
    return items


# What a visitor sees


async def test_a_link_shows_its_file_and_downloads_it(world: World, ann: Caller) -> None:
    created = await put(ann, "plans/harbour <1>.txt", content_type="text/plain")
    link = await publish(ann, created["id"], name="For the printer")
    shown = await visit(world, link)
    assert shown.status_code == 200
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    assert "harbour &lt;1&gt;.txt" in shown.text and "The crane is back" in shown.text
    assert "For the printer" not in shown.text and "plans/" not in shown.text
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy and "unsafe" not in policy
    assert "<script" not in shown.text
    content = await visit(world, link, "/content")
    assert content.content == TEXT
    assert content.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in content.headers["content-security-policy"]
    part = await visit(world, link, "/content", range="bytes=4-8")
    assert (part.status_code, part.content) == (206, TEXT[4:9])


@pytest.mark.parametrize(
    ("kind", "element", "inline"),
    [
        ("image/png", "<img", True), ("application/pdf", "<iframe", True), ("video/mp4", "<video", True),
        ("audio/mpeg", "<audio", True), ("text/html", "<pre", False), ("image/svg+xml", "", False),
        ("application/x-msdownload", "", False),
    ],
)  # fmt: skip
async def test_only_safe_types_are_shown(world: World, ann: Caller, kind: str, element: str, inline: bool) -> None:
    created = await put(ann, "a.bin", b"<script>alert(1)</script>", content_type=kind)
    link = await publish(ann, created["id"])
    shown = await visit(world, link)
    found = re.findall(r'<(?:img class="preview"|iframe|video|audio|pre)', shown.text)
    assert [text.partition(" ")[0] for text in found] == ([element] if element else [])
    assert "<script" not in shown.text
    viewed = await visit(world, link, "/content?view=1")
    assert viewed.headers["content-disposition"].startswith("inline" if inline else "attachment")
    assert viewed.headers["x-content-type-options"] == "nosniff"
    assert viewed.headers["content-type"] == kind


MARKDOWN = b"""# Tides

*High* water at **noon**, see [the table](https://tides.example/?a=1&b=2) or [the plan](/notes/1).

| Day | Time |
|---|---|
| Monday | ~~11:50~~ 12:10 |

<script>alert(1)</script> <img src=x onerror=alert(1)> [bad](javascript:alert(1)) [data](data:text/html,x)
![A picture](https://elsewhere.example/pixel.png) ![Own](/files/1)
"""


async def test_markdown_is_rendered_without_html_scripts_or_anything_from_elsewhere(world: World, ann: Caller) -> None:
    created = await put(ann, "tides.md", MARKDOWN, content_type="text/markdown")
    shown = await visit(world, await publish(ann, created["id"]))
    assert '<header><h1>tides</h1><p class="facts">tides.md · ' in shown.text, "as it is called in lists"
    article = shown.text.partition("<article>")[2].partition("</article>")[0]
    assert "<h1>Tides</h1>" in article and "<em>High</em>" in article and "<td><s>11:50</s> 12:10</td>" in article
    assert re.findall(r"<a [^>]*>", article) == [
        '<a href="https://tides.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow">'
    ]
    assert "<span>the plan</span>" in article and '<span class="picture">A picture</span>' in article
    assert not re.search(r"<(script|img|iframe|style|svg)|elsewhere\.example", article)
    assert "&lt;script&gt;" in article
    assert "script-src" not in shown.headers["content-security-policy"]


@pytest.mark.parametrize("unit", ["![", "[a](", "*a ", "|a", "> ", "`", "a  \n"])
async def test_hostile_markdown_is_shown_as_text_or_rendered_and_nobody_waits(
    world: World, ann: Caller, unit: str
) -> None:
    text = (unit * page.MAX_SHOWN)[: page.MAX_SHOWN].encode()
    created = await put(ann, "a.md", text, content_type="text/markdown")
    shown = await visit(world, await publish(ann, created["id"]))
    assert shown.status_code == 200 and ("<article>" in shown.text or "<pre" in shown.text)


async def test_a_text_is_rendered_once(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    created = await put(ann, "tides.md", MARKDOWN, content_type="text/markdown")
    link = await publish(ann, created["id"])
    first = await visit(world, link)
    monkeypatch.delattr(ReaderProcess, "render")
    assert (await visit(world, link)).text == first.text


async def test_a_long_text_is_cut_on_the_page(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", b"x" * (page.MAX_SHOWN + 1), content_type="text/plain")
    shown = await visit(world, await publish(ann, created["id"]))
    assert len(shown.content) < page.MAX_SHOWN + 20_000
    assert "Only the beginning" in shown.text


async def test_the_page_has_the_visitors_language_and_the_companys_brand(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    await ann.put("/api/org/branding", {"title": "Harbour & Sons", "theme": {"accent": "#123456"}})
    link = await publish(ann, created["id"])
    shown = await world.anonymous.get(path_of(link), headers={"accept-language": "xx, de-AT;q=0.9"})
    assert '<html lang="de">' in shown.text and "Herunterladen" in shown.text
    assert "Harbour &amp; Sons" in shown.text and "--accent:#123456" in shown.text


def test_every_text_of_the_page_is_used() -> None:
    source = "".join(Path(inspect.getfile(module)).read_text() for module in (page, routes))
    keys = messages.catalogs()["en"][page.WORDS]
    assert [key for key in keys if f'"{key}"' not in source and f"'{key}'" not in source] == []


# How it dies


async def test_a_dead_link_looks_like_one_that_never_was(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    expired, revoked, deleted = [await publish(ann, created["id"]) for _ in range(3)]
    await run_sql(
        world, "UPDATE object_links SET expires_at = :then WHERE id = :id", then=clock.stamp(), id=expired["id"]
    )
    assert (await ann.delete(f"/api/repo-obj/{created['id']}/links/{revoked['id']}")).status_code == 204
    answers = [await visit(world, expired), await visit(world, revoked)]
    assert (await visit(world, deleted)).status_code == 200
    await ann.delete(f"/api/repo-obj/{created['id']}")
    answers += [await visit(world, deleted), await world.anonymous.get("/s/" + "x" * 24)]
    answers += [await world.anonymous.get("/s/short"), await visit(world, deleted, "/content")]
    answers += [await send_password(world, deleted, "anything")]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    headers = [
        {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "date")}
        for answer in answers
    ]
    assert all(each == headers[0] for each in headers)


@pytest.mark.parametrize("loss", ["role", "membership", "disabled", "grant", "suspension"])
async def test_a_link_dies_with_the_right_of_its_creator_and_lives_again_with_it(
    world: World, ann: Caller, loss: str
) -> None:
    org, team = await world.company("Acme")
    owner = await world.person(org, team, Role.OWNER)
    bob = await world.person(org, team, Role.ADMIN)
    created = await put(owner, "a.txt", query="" if loss == "grant" else "?visibility=team")
    if loss == "grant":
        await share(owner, created["id"], bob, "manage")
    link = await publish(bob, created["id"])
    assert (await visit(world, link)).status_code == 200
    steps = {
        "role": ("PATCH", f"/api/members/{bob.user_id}", {"role": "member"}),
        "membership": ("DELETE", f"/api/members/{bob.user_id}", None),
        "disabled": ("PATCH", f"/api/admin/users/{bob.user_id}", {"disabled": True}),
        "grant": ("POST", f"/api/repo-obj/{created['id']}/unshare", {"user_id": bob.user_id}),
        "suspension": ("POST", f"/api/orgs/{org.id}/suspend", None),
    }
    by = ann if loss in ("disabled", "suspension") else owner
    assert (await by(*steps[loss])).status_code < 300
    assert (await visit(world, link)).status_code == 404
    assert (await visit(world, link, "/content")).status_code == 404
    if loss != "suspension":
        assert [item["works"] for item in await links_of(owner, created["id"])] == [False]
    if loss == "role":
        await owner("PATCH", f"/api/members/{bob.user_id}", {"role": "admin"})
        assert (await visit(world, link)).status_code == 200


async def test_a_link_follows_its_object_to_another_key_and_version(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", content_type="text/plain")
    link = await publish(ann, created["id"])
    await put(ann, "a.txt", b"Second", content_type="text/plain")
    await ann.post(f"/api/repo-obj/{created['id']}/move", {"key": "b.txt"})
    assert (await visit(world, link, "/content")).content == b"Second"


# Passwords


async def test_a_password_is_asked_for_once(world: World, ann: Caller) -> None:
    created = await put(ann, "secret plan.txt", content_type="text/plain")
    link = await publish(ann, created["id"], password=PASSWORD)
    asked = await visit(world, link)
    assert asked.status_code == 200 and 'type="password"' in asked.text and "secret plan" not in asked.text
    refused = await visit(world, link, "/content")
    assert refused.status_code == 403 and TEXT not in refused.content
    wrong = await send_password(world, link, "not this one")
    assert wrong.status_code == 403 and "set-cookie" not in wrong.headers
    right = await send_password(world, link, PASSWORD)
    assert (right.status_code, right.headers["location"]) == (303, path_of(link))
    cookie = right.headers["set-cookie"]
    assert f"Path={path_of(link)};" in cookie and "HttpOnly" in cookie and "SameSite=Lax" in cookie
    proof = cookie.partition(";")[0]
    assert "secret plan" in (await visit(world, link, cookie=proof)).text
    assert (await visit(world, link, "/content", cookie=proof)).content == TEXT
    other = await publish(ann, created["id"], password=PASSWORD)
    assert (await visit(world, other, "/content", cookie=proof)).status_code == 403
    forged = "link_proof=99999999999." + proof.partition(".")[2]
    assert (await visit(world, link, "/content", cookie=forged)).status_code == 403


async def test_guessing_is_limited(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    link, other = [await publish(ann, created["id"], password=PASSWORD) for _ in range(2)]
    for _ in range(opening.GUESSES_OF_ADDRESS):
        assert (await send_password(world, link, "wrong password")).status_code == 403
    limited = await send_password(world, link, PASSWORD)
    assert limited.status_code == 429 and "retry-after" in limited.headers and "Too many" in limited.text
    assert (await send_password(world, other, PASSWORD)).status_code == 303


async def test_the_password_is_stored_as_a_hash_and_the_token_encrypted(world: World, ann: Caller) -> None:
    link = await publish(ann, (await put(ann, "a.txt"))["id"], password=PASSWORD)
    (row,) = await world.db.engine.fetch("SELECT * FROM object_links", {})
    assert PASSWORD not in repr(row) and path_of(link)[3:] not in repr(row)


# Managing


async def test_uses_are_counted_and_audited_once_an_hour(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt", content_type="text/plain")
    link = await publish(ann, created["id"])
    for _ in range(3):
        await visit(world, link)
    await visit(world, link, "/content")
    await visit(world, link, "/content?view=1")
    await visit(world, link, "/content", range="bytes=4-8")
    await world.anonymous("HEAD", path_of(link) + "/content")
    (shown,) = await links_of(ann, created["id"])
    assert (shown["views"], shown["downloads"], shown["works"]) == (3, 1, True)
    assert shown["last_used_at"] is not None and shown["url"] == link["url"]
    actions = [
        item["action"] for item in (await ann.get("/api/audit")).json()["items"] if item["action"].startswith("link.")
    ]
    assert sorted(actions) == ["link.create", "link.use"]


@pytest.mark.parametrize(
    ("query", "headers"), [("?view=1", {}), ("", {"range": "bytes=1-"}), ("?view=1", {"range": "bytes=1-"})]
)
async def test_a_file_that_is_fetched_without_its_page_leaves_a_trace(
    world: World, ann: Caller, query: str, headers: dict[str, str]
) -> None:
    created = await put(ann, "a.png", b"not quite a picture", content_type="image/png")
    link = await publish(ann, created["id"])
    for _ in range(3):
        assert (await visit(world, link, f"/content{query}", **headers)).content
    (shown,) = await links_of(ann, created["id"])
    assert shown["last_used_at"] is not None
    assert (shown["views"], shown["downloads"]) == (0, 0)
    uses = [item for item in (await ann.get("/api/audit")).json()["items"] if item["action"] == "link.use"]
    assert len(uses) == 1


async def test_a_link_of_another_object_is_not_revoked(world: World, ann: Caller) -> None:
    one, other = await put(ann, "a.txt"), await put(ann, "b.txt")
    link = await publish(ann, one["id"])
    assert (await ann.delete(f"/api/repo-obj/{other['id']}/links/{link['id']}")).status_code == 404
    assert (await visit(world, link)).status_code == 200


async def test_a_token_that_may_not_read_can_neither_publish_nor_see_addresses(world: World, ann: Caller) -> None:
    created = await put(ann, "in/a.txt")
    await publish(ann, created["id"])
    limited = await world.token(ann, scope=["files:manage", "files:read:other/"])
    answer = await limited.post(f"/api/repo-obj/{created['id']}/links", {})
    assert (answer.status_code, answer.json()["code"]) == (403, "out_of_scope")
    assert [item["url"] for item in await links_of(limited, created["id"])] == [None]


@pytest.mark.parametrize(
    "body", [{"password": "short"}, {"expires_at": "2001-01-01T00:00:00Z"}, {"expires_at": "soon"}, {"name": "a\nb"}]
)
async def test_wrong_options_are_refused(ann: Caller, body: dict[str, str]) -> None:
    created = await put(ann, "a.txt")
    answer = await ann.post(f"/api/repo-obj/{created['id']}/links", body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, f"/{next(iter(body))}")


async def test_an_object_has_a_limited_number_of_links(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managing, "MAX_LINKS", 3)
    created = await put(ann, "a.txt")
    answers = await asyncio.gather(*(ann.post(f"/api/repo-obj/{created['id']}/links", {}) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 400, 400, 400]


# Changing a link


async def change(caller: Caller, object_id: str, link: dict[str, Any], **options: Any) -> httpx2.Response:
    return await caller("PATCH", f"/api/repo-obj/{object_id}/links/{link['id']}", options)


async def test_a_link_is_changed_in_place(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    link, end = await publish(ann, created["id"], name="Printer"), clock.later(3600)
    changed = (await change(ann, created["id"], link, name="Press", expires_at=end, password=PASSWORD)).json()
    assert changed == {**link, "name": "Press", "expires_at": end, "has_password": True}
    assert "password" in (await visit(world, link)).text
    assert (await send_password(world, link, PASSWORD)).status_code == 303
    assert (await change(ann, created["id"], link, name="")).json()["has_password"] is True, "absent fields stay"
    opened = (await change(ann, created["id"], link, expires_at=None, password=None)).json()
    assert opened == {**link, "name": ""}
    assert TEXT.decode() in (await visit(world, link)).text
    rows = [row for row in (await ann.get("/api/audit")).json()["items"] if row["action"] == "link.update"]
    assert [row["detail"] for row in reversed(rows)] == [
        {"link": link["id"], "name": "Press", "expires_at": end, "password": True},
        {"link": link["id"], "name": ""},
        {"link": link["id"], "expires_at": None, "password": False},
    ]  # fmt: skip


async def test_a_new_password_ends_what_the_old_one_opened(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    link = await publish(ann, created["id"], password=PASSWORD)
    cookie = (await send_password(world, link, PASSWORD)).headers["set-cookie"].partition(";")[0]
    assert TEXT.decode() in (await visit(world, link, cookie=cookie)).text
    await change(ann, created["id"], link, password="another password")
    assert TEXT.decode() not in (await visit(world, link, cookie=cookie)).text
    assert (await send_password(world, link, PASSWORD)).status_code == 403


async def test_only_its_creator_lets_more_people_in_by_a_link(world: World, ann: Caller) -> None:
    """A link has the rights of its creator, which another manager may lose sooner."""
    created = await put(ann, "a.txt")
    bob = await world.person(ann.org, ann.team)
    await share(ann, created["id"], bob, "manage")
    soon, later = clock.later(3600), clock.later(7200)
    link = await publish(ann, created["id"], password=PASSWORD, expires_at=later)
    for wider in (
        {"password": None},
        {"password": "another password"},
        {"expires_at": None},
        {"expires_at": clock.later(9000)},
    ):
        answer = await change(bob, created["id"], link, **wider)
        assert (answer.status_code, answer.json()["key"]) == (403, "links.creator"), wider
    assert (await change(bob, created["id"], link, expires_at=soon, name="Soon")).json()["expires_at"] == soon
    open_link = await publish(ann, created["id"])
    assert (await change(bob, created["id"], open_link, password=PASSWORD)).json()["has_password"] is True
    assert (await change(ann, created["id"], link, expires_at=later)).json()["expires_at"] == later


async def test_a_link_that_is_revoked_meanwhile_is_not_changed(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await put(ann, "a.txt")
    link = await publish(ann, created["id"])
    update = store.update

    async def revoke_first(tx: Tx, row: LinkRow) -> bool:
        await store.delete(tx, row.object_id, row.id)
        return await update(tx, row)

    monkeypatch.setattr(store, "update", revoke_first)
    assert (await change(ann, created["id"], link, name="Late")).status_code == 404


async def test_who_may_not_manage_the_object_changes_no_link(world: World, ann: Caller) -> None:
    created, other = await put(ann, "in/a.txt", b"x", "?visibility=team"), await put(ann, "b.txt")
    link = await publish(ann, created["id"])
    reader = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await change(reader, created["id"], link, name="x")).status_code == 403
    assert (await change(ann, other["id"], link, name="x")).status_code == 404
    limited = await world.token(ann, scope=["files:manage", "files:read:other/"])
    assert (await change(limited, created["id"], link, expires_at=None)).json()["code"] == "out_of_scope"


# In lists


async def test_lists_say_what_has_a_public_link(world: World, ann: Caller) -> None:
    file = await put(ann, "plans/a.txt")
    document = (await ann.post("/api/documents", {"title": "Plan", "body": "x"})).json()
    await put(ann, "plans/b.txt")

    async def marked() -> list[set[str]]:
        lists = ("/api/repo", "/api/repo?prefix=plans/&delimiter=/", "/api/documents")
        found = [(await ann.get(path)).json()["items"] for path in lists]
        return [{item["id"] for item in items if item["has_public_link"]} for items in found]

    assert await marked() == [set(), set(), set()]
    link = await publish(ann, file["id"])
    await publish(ann, document["id"], expires_at=clock.later(3600))
    assert await marked() == [{file["id"], document["id"]}, {file["id"]}, {document["id"]}]
    for path in (f"/api/repo-obj/{file['id']}", f"/api/documents/{document['id']}"):
        assert (await ann.get(path)).json()["has_public_link"] is True
    await ann.delete(f"/api/repo-obj/{file['id']}/links/{link['id']}")
    await run_sql(
        world, "UPDATE object_links SET expires_at = '2020-01-01T00:00:00.000Z' WHERE org_id = :org", org=ann.org.id
    )
    assert await marked() == [set(), set(), set()]


# Administering links


async def test_an_administrator_lists_and_revokes_links_but_cannot_open_them(world: World, ann: Caller) -> None:
    bob, admin = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team, Role.ADMIN)
    private, shown = (
        await put(bob, "secret.txt"),
        await put(bob, "shown.md", b"# x", "?visibility=team", content_type="text/markdown"),
    )
    links = [await publish(bob, each["id"], name="Press", password=PASSWORD) for each in (private, shown)]
    await publish(bob, private["id"], expires_at=clock.later(60))
    await run_sql(world, "UPDATE object_links SET expires_at = '2020-01-01T00:00:00.000Z' WHERE expires_at IS NOT NULL")
    answer = await admin.get("/api/links")
    assert [(item["id"], item["title"]) for item in answer.json()["items"]] == [
        (links[1]["id"], "shown"), (links[0]["id"], None),
    ]  # fmt: skip
    (item, *_) = answer.json()["items"]
    assert (item["creator_name"], item["works"], item["has_password"], item["name"]) == (
        bob.username,
        True,
        True,
        "Press",
    )
    assert "secret" not in answer.text and not any(path_of(link)[3:] in answer.text for link in links)
    assert (await admin.get(f"/api/repo-obj/{private['id']}")).status_code == 404
    assert (await admin.get(f"/api/repo-obj/{private['id']}/links")).status_code == 404
    assert (await admin.delete(f"/api/links/{links[0]['id']}")).status_code == 204
    assert (await visit(world, links[0])).status_code == 404
    assert (await admin.delete(f"/api/links/{links[0]['id']}")).status_code == 404
    (row,) = [row for row in (await ann.get("/api/audit")).json()["items"] if row["action"] == "link.revoke"]
    assert (row["actor"]["id"], row["target"]) == (admin.user_id, private["id"])
    assert row["detail"] == {"link": links[0]["id"], "creator": bob.user_id}


async def test_links_of_a_team_and_of_a_company(world: World, ann: Caller) -> None:
    """A link belongs to the team of its object, also if somebody of another team made it."""
    there = await world.team(ann.org)
    owner, bob = await world.person(ann.org, there, Role.OWNER), await world.person(ann.org, ann.team)
    created = await put(owner, "a.txt")
    await share(owner, created["id"], bob, "manage")
    link = await publish(bob, created["id"])
    assert [item["id"] for item in (await owner.get("/api/links")).json()["items"]] == [link["id"]]
    assert (await ann.get("/api/links")).json()["items"] == []
    assert (await ann.delete(f"/api/links/{link['id']}")).status_code == 404
    assert (await bob.get("/api/links")).status_code == 403
    (item,) = (await ann.get("/api/org/links")).json()["items"]
    assert (item["id"], item["team_name"], item["works"]) == (link["id"], there.name, True)
    await owner.post(f"/api/repo-obj/{created['id']}/unshare", {"user_id": bob.user_id})
    (item,) = (await ann.get("/api/org/links")).json()["items"]
    assert item["works"] is False
    stranger = await world.person(*await world.company(), Role.OWNER, org_role=OrgRole.OWNER)
    assert (await stranger.get("/api/org/links")).json()["items"] == []
    assert (await stranger.delete(f"/api/org/links/{link['id']}")).status_code == 404
    assert (await ann.delete(f"/api/org/links/{link['id']}")).status_code == 204


async def test_links_are_listed_in_pages_without_the_expired(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administering, "BATCH", 3)
    monkeypatch.setattr(administering, "MAX_BATCHES", 2)
    created = await put(ann, "a.txt")
    made = [(await publish(ann, created["id"], expires_at=clock.later(60) if n % 5 else None))["id"] for n in range(21)]
    await run_sql(world, "UPDATE object_links SET expires_at = '2020-01-01T00:00:00.000Z' WHERE expires_at IS NOT NULL")
    found, cursor = list[str](), ""
    while cursor is not None:
        page = (await ann.get(f"/api/links?limit=2{cursor}")).json()
        found += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    assert found == made[::-1][::5]
