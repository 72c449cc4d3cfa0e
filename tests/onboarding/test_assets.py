"""Pictures and fonts of the sign-up page: what is stored, who can delete it, and that nothing in it can run."""

import asyncio
import struct
from typing import Any

import pytest

from teamspace import onboarding
from teamspace.core.principal import system
from teamspace.onboarding.schemas.experience import MAX_ASSET
from teamspace.tenancy.schemas import Role
from tests.branding.help import code, encoded, picture
from tests.onboarding.help import document, published
from tests.support.world import Caller, World

PATH = "/api/beta/assets"
SCRIPT = b"<script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'


def font(start: bytes = b"\x00\x01\x00\x00") -> bytes:
    table = b"\0" * 54
    return start + struct.pack(">HHHH", 1, 0, 0, 0) + struct.pack(">4sIII", b"head", 0, 28, len(table)) + table


def woff(start: bytes = b"wOF2") -> bytes:
    return start + b"\x00\x01\x00\x00" + struct.pack(">IH", 48, 1) + b"\0" * 34


FILES = {
    "image/png": picture(), "image/jpeg": picture("JPEG"), "image/webp": picture("WEBP"), "image/gif": picture("GIF", mode="P"),
    "font/woff2": woff(), "font/woff": woff(b"wOFF"), "font/ttf": font(), "font/otf": font(b"OTTO"),
}  # fmt: skip
HOSTILE = {
    "HTML": b"<!doctype html>" + SCRIPT,
    "SVG": SVG,
    "SVG with an XML declaration": b'<?xml version="1.0"?>' + SVG,
    "a script": b"alert(1)",
    "nothing": b"",
    "PNG with HTML behind it": picture() + SCRIPT,
    "JPEG with HTML behind it": picture("JPEG") + SCRIPT,
    "WebP with HTML behind it": picture("WEBP") + SCRIPT,
    "GIF with HTML behind it": picture("GIF", mode="P") + SCRIPT,
    "GIF that is a script": b"GIF89a=1;alert(1)//;",
    "GIF without an end": picture("GIF", mode="P")[:-1],
    "HTML before a PNG": SCRIPT + picture(),
    "the beginning of a PNG": picture()[:20],
    "WOFF2 with HTML behind it": woff() + SCRIPT,
    "a font without tables": b"\x00\x01\x00\x00\x00\x00" + SCRIPT,
    "a font whose tables are elsewhere": font().replace(struct.pack(">I", 54), struct.pack(">I", 1 << 30)),
    "PDF": b"%PDF-1.7" + SCRIPT,
    "BMP": b"BM" + b"\0" * 60,
}


async def uploaded(caller: Caller, data: bytes, name: str = "a.png", **more: Any) -> dict[str, Any]:
    answer = await caller.post(PATH, {"filename": name, "data": encoded(data), **more})
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


@pytest.mark.parametrize("kind", FILES)
async def test_a_picture_or_font_is_public_at_once_with_the_type_of_its_bytes(world: World, kind: str) -> None:
    ann = await world.bootstrap()
    asset = await uploaded(ann, FILES[kind], content_type="text/html")
    assert (asset["content_type"], asset["size"]) == (kind, len(FILES[kind]))
    assert (asset["width"] is None) == kind.startswith("font/")
    answer = await world.anonymous.get(asset["url"])
    assert (answer.status_code, answer.content, answer.headers["content-type"]) == (200, FILES[kind], kind)
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers.get("access-control-allow-origin") == ("*" if kind.startswith("font/") else None)
    assert (await ann.get(PATH)).json() == {"items": [asset], "next_cursor": None}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("declared", ["image/png", "text/html"])
async def test_nothing_else_is_stored_whatever_it_is_called(world: World, name: str, declared: str) -> None:
    ann = await world.bootstrap()
    body = {"filename": "a.png", "data": encoded(HOSTILE[name]), "content_type": declared}
    answer = await ann.post(PATH, body)
    assert code(answer) == (400, "invalid_request")
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/data"]
    assert (await ann.get(PATH)).json()["items"] == []


@pytest.mark.parametrize("data", ["%%%", "aGk", "aG k=", "aGk=\n", "data:image/png;base64,aGk="])
async def test_only_strict_base64_is_decoded(world: World, data: str) -> None:
    ann = await world.bootstrap()
    assert code(await ann.post(PATH, {"filename": "a.png", "data": data})) == (400, "invalid_request")


async def test_the_limit_counts_decoded_bytes(world: World) -> None:
    ann = await world.bootstrap()
    base = font()
    assert (await uploaded(ann, base + b"\0" * (MAX_ASSET - len(base))))["size"] == MAX_ASSET
    too_large = encoded(base + b"\0" * (MAX_ASSET - len(base) + 1))
    assert code(await ann.post(PATH, {"filename": "a", "data": too_large})) == (400, "invalid_request")
    assert code(await ann.post(PATH, {"filename": "a", "data": "A" * 3_200_000})) == (413, "too_large")


async def test_assets_count_as_stored_until_they_are_deleted(world: World) -> None:
    ann = await world.bootstrap()
    asset = await uploaded(ann, picture())
    stored = "SELECT bytes FROM quota_stored WHERE level = 'team' AND subject = :id"
    assert await world.db.one(int, stored, id=ann.team.id) == asset["size"]
    assert (await ann.delete(asset["url"])).status_code == 204
    assert await world.db.one(int, stored, id=ann.team.id) == 0
    assert (await world.anonymous.get(asset["url"])).status_code == 404
    assert (await ann.delete(asset["url"])).status_code == 404
    assert [row.name for row in onboarding.INVARIANTS if await world.db.exists(row.sql)] == []


async def test_an_exhausted_quota_stores_nothing(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/quota", {"dimension": "storage.bytes", "limit": 10, "window": "lifetime"})
    answer = await ann.post(PATH, {"filename": "a.png", "data": encoded(picture())})
    assert code(answer) == (429, "quota_exceeded")


@pytest.mark.both_databases
async def test_a_team_has_at_most_a_hundred(world: World) -> None:
    ann = await world.bootstrap()
    await uploaded(ann, picture())
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.run(
            "INSERT INTO onboarding_assets (id, org_id, team_id, filename, content_type, size, digest, created_at)"
            " WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 97)"
            " SELECT 'x' || CAST(n AS TEXT), a.org_id, a.team_id, a.filename, a.content_type, 0, a.digest, a.created_at"
            " FROM n CROSS JOIN onboarding_assets AS a"
        )
    answers = await asyncio.gather(
        *(ann.post(PATH, {"filename": "a.png", "data": encoded(picture(size=(9, n + 1)))}) for n in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409]


async def test_the_theme_names_assets_of_the_team_of_the_right_type(world: World) -> None:
    ann = await world.bootstrap()
    other = await world.join(ann, await world.team(ann.org), Role.ADMIN)
    image, letters = await uploaded(ann, picture()), await uploaded(ann, font())
    foreign = await uploaded(other, picture())
    for theme in ({"logo": letters["id"]}, {"font_file": image["id"]}, {"hero": foreign["id"]}, {"hero": "missing"}):
        answer = await ann.put("/api/beta/experience", document(theme=theme))
        assert code(answer) == (400, "invalid_request")
        assert answer.json()["errors"][0]["pointer"] == f"/theme/{next(iter(theme))}"
    await published(ann, document(theme={"logo": image["url"], "hero": image["id"], "font_file": letters["id"]}))
    shown = (await world.anonymous.get("/api/beta/config")).json()
    assert (shown["logo"], shown["hero"], shown["font_file"]) == (image["url"], image["url"], letters["url"])
    assert code(await ann.delete(image["url"])) == (409, "conflict")
    await published(ann, document())
    assert (await ann.delete(image["url"])).status_code == 204


async def test_a_draft_with_a_deleted_asset_is_not_published(world: World) -> None:
    ann = await world.bootstrap()
    image = await uploaded(ann, picture())
    await ann.put("/api/beta/experience", document(theme={"logo": image["id"]}))
    await ann.delete(image["url"])
    assert code(await ann.post("/api/beta/experience/publish")) == (400, "invalid_request")
