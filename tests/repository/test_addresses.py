"""Addresses of content for elements of a page: signed, for one thing, and only as good as the rights of who made them."""

import io
import logging
import zipfile
from typing import Any

import httpx2
import pytest

from teamspace.core import clock
from teamspace.core.ids import new_id
from teamspace.repository.domain import addresses, zipping
from teamspace.repository.schemas import ContentClaim, ZipClaim, ZipRequest
from teamspace.tenancy import Role
from tests.repository.help import TEXT, put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def address_of(caller: Caller, object_id: str, query: str = "") -> str:
    answer = await caller.get(f"/api/repo-obj/{object_id}/address{query}")
    assert answer.status_code == 200, answer.text
    address: str = answer.json()["address"]
    return address


async def use(world: World, address: str, method: str = "GET", **headers: str) -> httpx2.Response:
    return await world.anonymous(
        method, address, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


async def test_an_address_gives_ranges_of_its_version_without_a_credential(world: World, ann: Caller) -> None:
    film = await put(ann, "a.mp4", TEXT, content_type="video/mp4")
    address = await address_of(ann, film["id"])
    await put(ann, "a.mp4", b"Second", content_type="video/mp4")
    whole = await use(world, address)
    assert (whole.status_code, whole.content) == (200, TEXT)
    part = await use(world, address, range="bytes=4-8")
    assert (part.status_code, part.content) == (206, TEXT[4:9])
    assert part.headers["content-range"] == f"bytes 4-8/{len(TEXT)}"
    head = await use(world, address, "HEAD")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(TEXT)))
    assert head.headers["accept-ranges"] == "bytes"
    assert (await use(world, address, if_none_match=whole.headers["etag"])).status_code == 304
    assert (await use(world, address, range="bytes=999-")).status_code == 416
    assert (await use(world, await address_of(ann, film["id"], "?version=2"))).content == b"Second"


@pytest.mark.parametrize(
    ("kind", "inline", "sandboxed"),
    [
        ("video/mp4", True, True), ("audio/mpeg", True, True), ("image/png", True, True),
        ("application/pdf", True, False), ("text/html", False, True), ("image/svg+xml", False, True),
    ],
)  # fmt: skip
async def test_what_an_address_sends_cannot_run_on_our_origin(
    world: World, ann: Caller, kind: str, inline: bool, sandboxed: bool
) -> None:
    address = await address_of(ann, (await put(ann, "a.bin", b"<script>", content_type=kind))["id"])
    shown = await use(world, address)
    assert shown.headers["content-disposition"].startswith("inline;" if inline else "attachment;")
    assert ("sandbox" in shown.headers["content-security-policy"]) == sandboxed
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert shown.headers["content-type"] == kind
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["referrer-policy"] == "no-referrer"
    assert shown.headers["cache-control"] == "private, no-store"
    saved = await use(world, address + "?download=1")
    assert saved.headers["content-disposition"].startswith("attachment;")


async def test_a_changed_or_expired_address_looks_like_none(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await put(ann, "a.txt")
    address = await address_of(ann, created["id"])
    start = len("/api/repo-media/")
    changed = [
        address[:at] + ("A" if address[at] != "A" else "B") + address[at + 1 :] for at in range(start, len(address))
    ]
    tried = [*changed, address + "A", address[:-1], address + "=", address[:start] + "\u00e9", address[:start] + "x"]
    answers = [await use(world, each) for each in tried]
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + addresses.LIFETIME)
    answers.append(await use(world, address))
    monkeypatch.undo()
    await ann.delete(f"/api/repo-obj/{created['id']}")
    answers.append(await use(world, address))
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.json()["detail"] for answer in answers}) == 1


async def test_an_address_that_somebody_else_signed_or_for_another_purpose_is_none(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    secret = await put(ann, "secret.txt")
    own = await put(bob, "own.txt")
    address = await address_of(bob, own["id"])
    # Bob's credential never reads what is Ann's, even with a signature that fits.
    token_id = await world.db.one(str, "SELECT id FROM tokens WHERE user_id = :id", id=bob.user_id) or ""
    claim = ContentClaim(token_id, int(clock.now()) + 60, secret["id"], 1)
    forged = f"/api/repo-media/{addresses._sign(world.db, addresses._CONTENT, claim)}"
    zipped = f"/api/repo-media/{addresses._sign(world.db, addresses._ZIP, claim)}"
    assert [(await use(world, each)).status_code for each in (address, forged, zipped)] == [200, 404, 404]
    assert (await bob.get(f"/api/repo-obj/{secret['id']}/address")).status_code == 404


LOSSES = ["grant", "token", "session", "membership", "disabled", "deleted"]


@pytest.mark.parametrize("loss", LOSSES)
async def test_an_address_ends_with_the_right_and_the_credential_of_who_made_it(
    world: World, ann: Caller, loss: str
) -> None:
    org, team = await world.company("Acme")
    owner = await world.person(org, team, Role.OWNER)
    person = await world.person(org, team)
    bob = await (world.session(person) if loss == "session" else world.token(person))
    created = await put(owner, "a.txt")
    await share(owner, created["id"], person)
    address = await address_of(bob, created["id"])
    assert (await use(world, address)).content == TEXT
    steps: dict[str, tuple[Caller, Any, Any, Any]] = {
        "grant": (owner, "POST", f"/api/repo-obj/{created['id']}/unshare", {"user_id": person.user_id}),
        "session": (bob, "POST", "/api/logout", None),
        "membership": (owner, "DELETE", f"/api/members/{person.user_id}", None),
        "disabled": (ann, "PATCH", f"/api/admin/users/{person.user_id}", {"disabled": True}),
        "deleted": (owner, "DELETE", f"/api/repo-obj/{created['id']}", None),
    }
    if loss == "token":
        await world.revoke(bob)
    else:
        by, method, path, body = steps[loss]
        assert (await by(method, path, body)).status_code < 300
    assert (await use(world, address)).status_code == 404


async def test_an_address_never_reads_more_than_the_token_that_made_it(world: World, ann: Caller) -> None:
    created = await put(ann, "plans/a.txt")
    narrow = await world.token(ann, scope=["files:read:plans/"])
    address = await address_of(narrow, created["id"])
    assert (await use(world, address)).content == TEXT
    await ann.post(f"/api/repo-obj/{created['id']}/move", {"key": "elsewhere.txt"})
    assert (await use(world, address)).status_code == 404


async def test_an_address_is_not_logged(world: World, ann: Caller, caplog: pytest.LogCaptureFixture) -> None:
    address = await address_of(ann, (await put(ann, "a.txt"))["id"])
    with caplog.at_level(logging.DEBUG):
        await use(world, address)
        await use(world, address[:-2])
    assert address.rpartition("/")[2][:-2] not in caplog.text


async def test_the_uses_of_an_address_count_as_requests_of_its_maker(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent, rate = list[str](), world.app.gate._token_rate
    address = await address_of(ann, (await put(ann, "a.txt"))["id"])
    monkeypatch.setattr(rate, "spend", spent.append)
    await use(world, address)
    token_id = await world.db.one(
        str, "SELECT id FROM tokens WHERE user_id = :id AND revoked_at IS NULL", id=ann.user_id
    )
    assert spent == [token_id]


# Zips


async def list_of(caller: Caller, **body: Any) -> str:
    answer = await caller.post("/api/repo-zip/list", body)
    assert answer.status_code == 200, answer.text
    signed: str = answer.json()["list"]
    return signed


async def save(world: World, signed: str) -> httpx2.Response:
    """Send a list as the form of a page does, without a credential."""
    return await world.client.post("/api/repo-zip/form", data={"list": signed})


def contents(answer: httpx2.Response) -> dict[str, bytes]:
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


async def test_a_page_saves_a_zip_by_a_form(world: World, ann: Caller) -> None:
    one = await put(ann, "one.txt", b"One")
    await put(ann, "plans/a.txt", b"A")
    signed = await list_of(ann, ids=[one["id"]], prefixes=["plans/"], name="Pl\u00e4ne.zip")
    answer = await save(world, signed)
    assert answer.headers["content-disposition"].endswith("filename*=UTF-8''Pl%C3%A4ne.zip")
    assert contents(answer) == {"one.txt": b"One", "plans/a.txt": b"A"}
    content = (await address_of(ann, one["id"])).rpartition("/")[2]
    changed = ("B" if signed[0] == "A" else "A") + signed[1:]
    forged = [signed[:-2], changed, content, "", "\u00e9"]
    assert {(await save(world, each)).status_code for each in forged} == {404}
    await world.revoke(ann)
    assert (await save(world, signed)).status_code == 404


async def test_a_zip_of_a_thousand_chosen_files_names_those_that_are_gone(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    made = [await put(ann, f"in/{number}.txt", b"%d" % number, "?visibility=team") for number in range(1000)]
    signed = await list_of(bob, ids=[item["id"] for item in made])
    deleted, hidden, moved = made[:3]
    await ann.delete(f"/api/repo-obj/{deleted['id']}")
    await ann.post(f"/api/repo-obj/{hidden['id']}/visibility", {"visibility": "private"})
    await ann.post(f"/api/repo-obj/{moved['id']}/move", {"key": "elsewhere/moved.txt"})
    found = contents(await save(world, signed))
    assert found.pop(zipping.MISSING).decode().split() == [deleted["id"], hidden["id"]]
    assert found == {"moved.txt": b"2", **{f"{number}.txt": b"%d" % number for number in range(3, 1000)}}


async def test_a_list_of_what_others_have_or_of_nothing_is_not_signed(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    secret = await put(ann, "secret.txt")
    assert (await bob.post("/api/repo-zip/list", {"ids": [secret["id"]]})).status_code == 404
    assert (await bob.post("/api/repo-zip/list", {})).status_code == 400


async def test_the_longest_list_fits_into_the_form(world: World, ann: Caller) -> None:
    prefixes = [f"{number:03}" + "\U0001f600" * 1021 for number in range(100)]
    request = ZipRequest([new_id() for _ in range(zipping.MAX_FILES)], prefixes, "n" * 255)
    signed = addresses._sign(world.db, addresses._ZIP, ZipClaim(new_id(), int(clock.now()) + 60, request))
    assert (await save(world, signed)).status_code == 404
