"""Logos over HTTP: what is accepted, what is refused, and who can fetch which for how long."""

import logging
import zlib
from pathlib import Path
from typing import Any

import httpx2
import pytest

from teamspace import blobs, wiring
from teamspace.blobs import FolderStore
from teamspace.core import clock
from tests.branding.help import (
    END,
    PIXEL,
    audit_rows,
    chunk,
    code,
    company_admin,
    encoded,
    get_branding,
    header,
    logo_path,
    picture,
    png,
    put_branding,
    violations,
    without_dark,
)
from tests.identity.help import run_sql
from tests.support.world import Caller, World

HTML = b"<html><script>alert(1)</script></html>"
FLOOD = png(header(50_000, 50_000), chunk(b"IDAT", zlib.compress(b"")), END)
NOISE = picture("PNG", (1200, 1200), compress_level=0)
LARGE, OTHER_LARGE = (picture("PNG", (side, side), compress_level=0) for side in (110, 111))
"""Too large for a row: stored in files."""


async def upload(who: Caller, data: bytes, path: str = "/api/org/branding/logo", **fields: str) -> httpx2.Response:
    return await who.post(path, {"data": encoded(data), **fields})


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (picture("PNG", mode="RGBA"), "image/png"),
        (picture("JPEG", (300, 200)), "image/jpeg"),
        (picture("WEBP"), "image/webp"),
        (picture("WEBP", lossless=True), "image/webp"),
        (picture("WEBP", mode="RGBA"), "image/webp"),
        (png(header(4096, 4096), PIXEL, END), "image/png"),
    ],
    ids=["png", "jpeg", "webp", "webp lossless", "webp extended", "widest png"],
)
async def test_a_logo_is_public_and_served_as_uploaded(world: World, data: bytes, content_type: str) -> None:
    ann = await world.bootstrap()
    for path in ("/api/branding/logo", "/api/org/branding/logo"):
        answer = await upload(ann, data, path, content_type=content_type.upper(), filename="logo.html")
        assert (answer.status_code, answer.json()["logo"]) == (200, logo_path(data)), answer.text
    assert answer.json()["own"] is True

    shown = await world.anonymous.get(logo_path(data))
    assert (shown.status_code, shown.content) == (200, data)
    assert {
        name: shown.headers[name] for name in shown.headers if name.startswith(("content-", "cache", "x-content"))
    } == {
        "content-type": content_type,
        "content-length": str(len(data)),
        "content-disposition": "inline",
        "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
    }
    assert (await world.anonymous("HEAD", logo_path(data))).content == b""
    assert await audit_rows(world) == [
        ("branding.set_logo", "instance", ["logo"]),
        ("branding.set_logo", ann.org.id, ["logo"]),
    ]
    assert await violations(world) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "PNG, JPEG or WebP"),
        (HTML, "PNG, JPEG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "PNG, JPEG or WebP"),
        (picture("GIF"), "PNG, JPEG or WebP"),
        (picture("BMP"), "PNG, JPEG or WebP"),
        (picture("TIFF"), "PNG, JPEG or WebP"),
        (picture("PNG") + HTML, "after the end of the image"),
        (picture("JPEG") + HTML, "after the end of the image"),
        (picture("JPEG") + HTML + b"\xff\xd9", "after the end of the image"),
        (picture("WEBP") + HTML, "after the end of the image"),
        (picture("PNG")[:-1], "cut short"),
        (picture("JPEG")[:-2], "cut short"),
        (picture("WEBP")[:-2], "cut short"),
        (picture("PNG").replace(b"IDAT", b"IDAt"), "checksum"),
        (FLOOD, "4096 x 4096"),
        (picture("PNG", (4097, 1)), "4096 x 4096"),
        (picture("JPEG", (1, 4097)), "4096 x 4096"),
        (picture("WEBP", (4097, 1)), "4096 x 4096"),
        (png(header(0, 1), chunk(b"IDAT", zlib.compress(b"")), END), "1 x 1"),
        (png(header(2**32 - 1, 1), chunk(b"IDAT", zlib.compress(b"")), END), "4096 x 4096"),
        (NOISE[: 512 * 1024 + 1], "512 KiB"),
        (HTML + bytes(760 * 1024), "512 KiB"),
    ],
)
async def test_an_invalid_logo_is_refused_and_not_stored(world: World, data: bytes, message: str) -> None:
    ann = await world.bootstrap()
    answer = await upload(ann, data)
    assert code(answer) == (400, "invalid_request")
    [fault] = answer.json()["errors"]
    assert fault["pointer"] == "/data" and message in fault["message"]

    as_uri = await ann.put("/api/org/branding", {"logo": f"data:image/png;base64,{encoded(data)}"})
    assert code(as_uri) == (400, "invalid_request")
    assert as_uri.json()["errors"] == [fault | {"pointer": "/logo"}]
    assert (await world.counts())["blobs"] == 0
    assert (await ann.get("/api/org/branding")).json()["own"] is False


@pytest.mark.parametrize(
    "text", ["!", "AAAA AAAA", "AAAA\nAAAA", "iVBORw0KGgo", "AA==AA==", "é", "data:image/png;base64,AAAA", "_-_-"]
)
async def test_invalid_base64_is_refused(world: World, text: str) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/branding/logo", {"data": text})
    assert code(answer) == (400, "invalid_request")
    assert answer.json()["errors"] == [
        {"pointer": "/data", "message": "is not valid base64", "key": "branding.logo_base64", "params": {}}
    ]


@pytest.mark.parametrize("declared", ["image/jpeg", "image/svg+xml", "text/html", "", "image/png; charset=utf-8"])
async def test_a_content_type_that_does_not_match_the_bytes_is_refused(world: World, declared: str) -> None:
    ann = await world.bootstrap()
    answer = await upload(ann, picture("PNG"), content_type=declared)
    assert code(answer) == (400, "invalid_request")
    assert answer.json()["errors"][0]["pointer"] == "/data"
    assert "image/png" in answer.json()["detail"]


async def test_a_logo_of_the_maximum_size_is_accepted_and_one_byte_more_is_not(world: World) -> None:
    ann = await world.bootstrap()

    def of_size(size: int) -> bytes:
        bare = picture("PNG")
        return bare[:33] + chunk(b"tEXt", bytes(size - len(bare) - 12)) + bare[33:]

    assert (await upload(ann, of_size(512 * 1024))).status_code == 200
    assert code(await upload(ann, of_size(512 * 1024 + 1))) == (400, "invalid_request")
    uri = {"logo": f"data:image/png;base64,{encoded(of_size(512 * 1024))}", "tagline": "x" * 160}
    assert (await ann.put("/api/branding", uri)).status_code == 200
    assert code(await ann.post("/api/branding/logo", {"data": "A" * 1_100_000})) == (413, "too_large")


# Fetching


@pytest.mark.parametrize(
    "digest", ["", "0" * 64, "x", "../../etc/passwd", "0" * 63, "' OR 1=1 --", "%F0%9F%98%80", "a" * 4000]
)
async def test_an_unknown_digest_is_not_found(world: World, digest: str) -> None:
    ann = await world.bootstrap()
    await upload(ann, picture("PNG"))
    assert code(await world.anonymous.get(f"/api/branding?logo={digest}")) == (404, "not_found")


async def test_an_upper_case_digest_is_not_found(world: World) -> None:
    ann = await world.bootstrap()
    await upload(ann, picture("PNG"))
    start, digest = logo_path(picture("PNG")).split("=")
    assert code(await world.anonymous.get(f"{start}={digest.upper()}")) == (404, "not_found")


async def test_the_query_takes_one_logo_and_nothing_else(world: World) -> None:
    for query in ("?logo=a&logo=b", "?digest=a"):
        assert code(await world.anonymous.get(f"/api/branding{query}")) == (400, "invalid_request")


async def test_a_logo_can_be_fetched_while_any_branding_uses_it(world: World) -> None:
    await world.bootstrap()
    one, other = await company_admin(world, "One"), await company_admin(world, "Other")
    first, second = picture("PNG"), picture("PNG", (9, 9))
    await upload(one, first)
    await upload(one, second)
    assert code(await one.get(logo_path(first))) == (404, "not_found")

    await upload(other, second)
    assert (await one.delete("/api/org/branding")).status_code == 204
    assert (await world.anonymous.get(logo_path(second))).content == second
    await put_branding(other, "/api/org/branding", {"logo": None})
    assert code(await other.get(logo_path(second))) == (404, "not_found")


def blob_path(world: World, org_id: str, data: bytes) -> Path:
    files = world.app.files
    assert isinstance(files, FolderStore)
    return files.path(org_id, logo_path(data).split("=")[1])


async def damage_file(world: World, org_id: str, data: bytes, bytes_: bytes | None) -> None:
    blob_path(world, org_id, data).unlink()
    if bytes_ is not None:
        blob_path(world, org_id, data).write_bytes(bytes_)


async def damage_row(world: World, org_id: str, _: bytes, bytes_: bytes | None) -> None:
    await run_sql(world, "UPDATE blobs SET data = :bytes WHERE org_id = :org_id", bytes=bytes_, org_id=org_id)


@pytest.mark.parametrize("bytes_", [None, HTML], ids=["missing", "damaged"])
@pytest.mark.parametrize(
    ("data", "damage"), [(picture("PNG"), damage_row), (LARGE, damage_file)], ids=["small", "large"]
)
async def test_a_lost_blob_is_not_found_and_logged(
    world: World, data: bytes, damage: Any, bytes_: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await world.bootstrap()
    await upload(ann, data)
    await damage(world, ann.org.id, data, bytes_)
    with caplog.at_level(logging.ERROR):
        assert code(await world.anonymous.get(logo_path(data))) == (404, "not_found")
    assert [record.name for record in caplog.records] == ["teamspace.branding"]
    assert ann.org.id in caplog.text

    await upload(ann, data, "/api/branding/logo")
    assert (await world.anonymous.get(logo_path(data))).content == data, "a copy of another owner is served"


@pytest.mark.parametrize(
    ("old", "new"), [(picture("PNG"), picture("WEBP")), (LARGE, OTHER_LARGE)], ids=["small", "large"]
)
async def test_the_collector_spares_logos_in_use(
    world: World, old: bytes, new: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    for data in (old, new):
        await upload(ann, data, "/api/branding/logo")
        await upload(ann, data)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + 2 * clock.DAY)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 2
    assert not blob_path(world, "", old).exists() and not blob_path(world, ann.org.id, old).exists()
    assert blob_path(world, "", new).exists() is (new is OTHER_LARGE)
    assert (await world.anonymous.get(logo_path(new))).content == new
    assert await violations(world) == []


# The logo of a PUT


async def test_a_logo_can_be_sent_as_a_data_uri(world: World) -> None:
    ann, data = await world.bootstrap(), picture("JPEG")
    answer = await put_branding(
        ann, "/api/branding", {"logo": f"data:image/jpeg;base64,{encoded(data)}", "title": "Acme"}
    )
    assert (answer["logo"], answer["title"]) == (logo_path(data), "Acme")
    assert (await world.anonymous.get(logo_path(data))).headers["content-type"] == "image/jpeg"
    assert await audit_rows(world) == [("branding.update", "instance", ["logo", "title"])]
    assert await violations(world) == []


async def test_sending_the_current_logo_path_leaves_the_logo_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    mark, own = picture("PNG"), picture("WEBP")
    await upload(ann, mark, "/api/branding/logo")

    shown = await put_branding(ann, "/api/org/branding", {"logo": logo_path(mark), "title": "Acme"})
    assert shown["logo"] == logo_path(mark)
    await upload(ann, own, "/api/branding/logo")
    assert (await get_branding(ann))["logo"] == logo_path(own), "an inherited logo stays inherited"

    await upload(ann, picture("JPEG"))
    await put_branding(ann, "/api/org/branding", without_dark(await get_branding(ann)))
    assert (await get_branding(ann))["logo"] == logo_path(picture("JPEG"))
    assert [fields for action, _, fields in await audit_rows(world) if action == "branding.update"] == [
        ["title"],
        ["tagline", "theme", "title"],
    ]


async def test_any_other_logo_path_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    other = await company_admin(world, "Other")
    mine, theirs = picture("PNG"), picture("WEBP")
    await upload(ann, picture("JPEG"))
    await upload(ann, mine)
    await upload(other, theirs)
    for logo in (
        logo_path(theirs), logo_path(picture("JPEG")), "/api/branding?logo=", f"http://teamspace.test{logo_path(mine)}",
        "https://example.com/logo.png", "javascript:alert(1)", "", "data:text/html,x", "data:;base64,AAAA",
        "data:image/svg+xml;base64,PHN2Zy8+", "data:image/png,AAAA",
    ):  # fmt: skip
        answer = await ann.put("/api/org/branding", {"logo": logo, "title": "No"})
        assert code(answer) == (400, "invalid_request"), logo
        assert answer.json()["errors"][0]["pointer"] == "/logo"
    assert await get_branding(ann) == await get_branding(ann) | {"logo": logo_path(mine), "title": "Teamspace"}


async def test_an_upload_repeated_with_the_same_idempotency_key_takes_effect_once(world: World) -> None:
    ann, key = await world.bootstrap(), {"idempotency-key": "the-same-logo"}
    body = {"data": encoded(picture("PNG"))}
    first = await ann.post("/api/branding/logo", body, headers=key)
    second = await ann.post("/api/branding/logo", body, headers=key)
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (200, first.json())
    assert len(await audit_rows(world)) == 1
