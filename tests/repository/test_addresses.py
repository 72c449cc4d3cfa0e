"""Addresses of content for elements of a page: signed, for one thing, and only as good as the rights of who made them."""

import io
import logging
import zipfile
from typing import Any

import httpx2
import pytest

from teamspace.core import clock
from teamspace.repository.domain import addresses
from teamspace.repository.schemas import ContentClaim
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


async def zip_address_of(caller: Caller, **body: list[str]) -> httpx2.Response:
    return await caller.post("/api/repo-zip/address", body)


async def test_a_zip_has_an_address_too(world: World, ann: Caller) -> None:
    one = await put(ann, "one.txt", b"One")
    await put(ann, "plans/a.txt", b"A")
    made = await zip_address_of(ann, ids=[one["id"]], prefixes=["plans/"])
    answer = await use(world, made.json()["address"])
    assert answer.headers["content-disposition"] == "attachment"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {"one.txt": b"One", "plans/a.txt": b"A"}
    content = await address_of(ann, one["id"])
    assert (await use(world, content.replace("repo-media", "repo-zip"))).status_code == 404
    await world.revoke(ann)
    assert (await use(world, made.json()["address"])).status_code == 404


async def test_a_zip_of_what_others_have_or_of_too_much_has_no_address(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    secret = await put(ann, "secret.txt")
    assert (await zip_address_of(bob, ids=[secret["id"]])).status_code == 404
    assert (await zip_address_of(bob)).status_code == 400
    many = await zip_address_of(bob, prefixes=["x" * 1000 for _ in range(6)])
    assert (many.status_code, many.json()["key"]) == (400, "repository.zip_address")
