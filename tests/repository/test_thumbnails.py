"""Thumbnails of images and PDFs: drawn in the sandbox when first asked for, kept with the version."""

import asyncio
import io
from typing import Any

import httpx2
import pytest
from PIL import Image

from teamspace import blobs, wiring
from teamspace.extraction import ReaderPool
from teamspace.extraction.domain.readers import ReaderProcess
from teamspace.repository.domain import thumbnails
from tests.repository.help import put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
SECRET = "harbour master's position"


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


def image(form: str = "PNG", mode: str = "RGB", size: tuple[int, int] = (1000, 600), **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 40 if mode in ("L", "I;16", "1") else None).save(out, form, **options)
    return out.getvalue()


def halves() -> Image.Image:
    """The left half is red, the right one blue."""
    drawn = Image.new("RGB", (800, 400), "red")
    drawn.paste("blue", (400, 0, 800, 400))
    return drawn


def page(width: int = 600, height: int = 300, content: bytes = b"1 0 0 rg 0 0 300 300 re f") -> bytes:
    """A PDF of one page whose left half is red."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R>>" % (width, height),
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]  # fmt: skip
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<</Root 1 0 R/Size 5>>\n%%EOF\n"


async def ask(caller: Caller, object_id: str, query: str = "?size=large", **headers: str) -> httpx2.Response:
    http_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return await caller.get(f"/api/repo-obj/{object_id}/thumbnail{query}", headers=http_headers)


async def thumbnail(caller: Caller, data: bytes, kind: str = "image/png", query: str = "?size=large") -> Image.Image:
    created = await put(caller, "drawn", data, content_type=kind)
    answer = await ask(caller, created["id"], query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/webp"
    return Image.open(io.BytesIO(answer.content))


async def fault(world: World) -> list[str]:
    return await world.db.all(str, "SELECT fault FROM object_thumbnails")


def is_near(drawn: Image.Image, place: tuple[int, int], color: tuple[int, int, int]) -> bool:
    found: Any = drawn.convert("RGB").getpixel(place)
    return all(abs(one - other) < 40 for one, other in zip(found, color, strict=True))


RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


@pytest.mark.parametrize(
    ("form", "kind", "mode"),
    [
        ("PNG", "image/png", "RGB"), ("PNG", "image/png", "RGBA"), ("PNG", "image/png", "P"),
        ("PNG", "image/png", "I;16"), ("PNG", "image/png", "1"), ("JPEG", "image/jpeg", "RGB"),
        ("JPEG", "image/jpeg", "CMYK"), ("JPEG", "image/jpeg", "L"), ("GIF", "image/gif", "P"),
        ("WEBP", "image/webp", "RGB"), ("AVIF", "image/avif", "RGB"), ("TIFF", "image/tiff", "CMYK"),
        ("BMP", "image/bmp", "RGB"),
    ],
)  # fmt: skip
async def test_images_of_all_kinds_are_drawn_in_two_sizes(ann: Caller, form: str, kind: str, mode: str) -> None:
    created = await put(ann, "drawn", image(form, mode), content_type=kind)
    sizes = []
    for query in ("", "?size=small", "?size=large"):
        answer = await ask(ann, created["id"], query)
        assert answer.status_code == 200, answer.text
        sizes.append(Image.open(io.BytesIO(answer.content)).size)
    assert [width for width, _ in sizes] == [96, 96, 480]
    assert [height for _, height in sizes[1:]] == [58, 288]


async def test_a_photo_is_turned_as_its_camera_was_and_keeps_no_metadata(ann: Caller) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, SECRET  # to be turned by 90 degrees
    out = io.BytesIO()
    halves().save(out, "JPEG", exif=exif, icc_profile=b"profile", comment=SECRET, quality=95)
    assert SECRET.encode() in out.getvalue()
    created = await put(ann, "a.jpg", out.getvalue(), content_type="image/jpeg")
    answer = await ask(ann, created["id"])
    drawn = Image.open(io.BytesIO(answer.content))
    assert drawn.size == (240, 480)
    assert is_near(drawn, (120, 60), RED) and is_near(drawn, (120, 420), BLUE)
    assert not drawn.getexif() and not {"exif", "icc_profile", "xmp", "comment"} & drawn.info.keys()
    assert SECRET.encode() not in answer.content


async def test_an_animation_shows_its_first_picture(ann: Caller) -> None:
    out = io.BytesIO()
    halves().save(out, "GIF", save_all=True, append_images=[Image.new("RGB", (800, 400), "green")] * 3)
    drawn = await thumbnail(ann, out.getvalue(), "image/gif")
    assert getattr(drawn, "n_frames", 1) == 1
    assert is_near(drawn, (100, 100), RED) and is_near(drawn, (400, 100), BLUE)


async def test_what_is_transparent_stays_so(ann: Caller) -> None:
    drawn = await thumbnail(ann, image(mode="RGBA"))
    assert drawn.mode == "RGBA" and drawn.getpixel((5, 5)) == (0, 0, 0, 0)


async def test_the_first_page_of_a_pdf_is_drawn(ann: Caller) -> None:
    drawn = await thumbnail(ann, page(), "application/pdf")
    assert drawn.size == (480, 240)
    assert is_near(drawn, (60, 120), RED) and is_near(drawn, (420, 120), WHITE)


def bomb() -> bytes:
    """A small PNG of 900 million pixels."""
    return image(mode="1", size=(30_000, 30_000))


@pytest.mark.parametrize(
    ("data", "kind", "reason"),
    [
        (bomb, "image/png", "unpacks_too_much"),
        (lambda: image(mode="RGB", size=(9_900, 9_900)), "image/png", "too_much_memory"),
        (lambda: b"no image", "image/png", "damaged"),
        (lambda: image()[:300], "image/png", "damaged"),
        (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n", "image/jpeg", "damaged"),
        (lambda: b"%PDF-1.4 and no more", "application/pdf", "damaged"),
        (lambda: page(10**9, 10**9), "application/pdf", "unpacks_too_much"),
    ],
)  # fmt: skip
async def test_a_hostile_file_has_none_and_is_tried_once(
    world: World, ann: Caller, data: Any, kind: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    created = await put(ann, "hostile", data(), content_type=kind)
    answer = await ask(ann, created["id"])
    assert (answer.status_code, answer.json()["key"]) == (404, "repository.no_thumbnail")
    assert await fault(world) == [reason]
    monkeypatch.delattr(ReaderProcess, "draw")
    assert (await ask(ann, created["id"])).status_code == 404


async def test_a_pdf_that_is_drawn_for_ever_is_given_up(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teamspace.extraction.domain.limits.WALL_SECONDS", 1.0)
    heavy = b"0 0 600 300 re f " * 3_000_000
    created = await put(ann, "slow.pdf", page(content=heavy), content_type="application/pdf")
    assert (await ask(ann, created["id"])).status_code == 404
    assert await fault(world) == ["took_too_long"]


@pytest.mark.parametrize("kind", ["text/plain", "image/svg+xml", "application/octet-stream", "video/mp4"])
async def test_other_types_and_empty_files_have_none(world: World, ann: Caller, kind: str) -> None:
    created = await put(ann, "a.bin", image(), content_type=kind)
    empty = await put(ann, "empty.png", b"", content_type="image/png")
    assert [(await ask(ann, each["id"])).status_code for each in (created, empty)] == [404, 404]
    assert await fault(world) == []


async def test_whoever_cannot_read_the_object_gets_no_thumbnail(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    created = await put(ann, "a.png", image(), content_type="image/png")
    hidden, missing = await ask(bob, created["id"]), await ask(bob, "0" * 36)
    assert (hidden.status_code, hidden.json()["detail"]) == (404, missing.json()["detail"])
    await share(ann, created["id"], bob)
    assert (await ask(bob, created["id"])).status_code == 200
    await ann.post(f"/api/repo-obj/{created['id']}/unshare", {"user_id": bob.user_id})
    assert (await ask(bob, created["id"])).status_code == 404


async def test_it_is_revalidated_by_its_tag_and_every_version_has_its_own(ann: Caller) -> None:
    created = await put(ann, "a.png", image(), content_type="image/png")
    first = await ask(ann, created["id"])
    assert first.headers["cache-control"] == "private, no-cache"
    assert (await ask(ann, created["id"], if_none_match=first.headers["etag"])).status_code == 304
    await put(ann, "a.png", image(size=(300, 300)), content_type="image/png")
    second = await ask(ann, created["id"], if_none_match=first.headers["etag"])
    assert second.status_code == 200 and second.headers["etag"] != first.headers["etag"]
    assert (await ask(ann, created["id"], "?size=large&version=1")).content == first.content
    small = await ask(ann, created["id"], "?size=small", if_none_match=second.headers["etag"])
    assert small.status_code == 200


async def test_requests_at_once_draw_it_once(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    created = await put(ann, "a.png", image(), content_type="image/png")
    drawn, draw = list[str](), ReaderProcess.draw

    async def counted(self: ReaderProcess, path: Any, kind: str) -> Any:
        drawn.append(kind)
        return await draw(self, path, kind)

    monkeypatch.setattr(ReaderProcess, "draw", counted)
    answers = await asyncio.gather(*(ask(ann, created["id"]) for _ in range(12)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1 and len(drawn) == 1


async def test_too_many_that_wait_are_refused(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    created = await put(ann, "a.png", image(), content_type="image/png")
    drawings: thumbnails.Drawings = world.app.dependencies[thumbnails.Drawings]
    monkeypatch.setattr(drawings.limit, "_taken", thumbnails._WAITING + 1)
    refused = await ask(ann, created["id"])
    assert (refused.status_code, refused.json()["key"]) == (503, "busy.thumbnails")
    monkeypatch.undo()
    assert (await ask(ann, created["id"])).status_code == 200


async def test_it_is_deleted_with_its_version(world: World, ann: Caller) -> None:
    created = await put(ann, "a.png", image(), content_type="image/png")
    await ask(ann, created["id"])
    await put(ann, "a.png", image(size=(300, 300)), content_type="image/png")
    await ask(ann, created["id"])
    digests = await world.db.all(str, "SELECT blob FROM object_thumbnails")
    assert await kept(world, ann, digests) == [True, True]
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 0
    await ann.delete_for_good(f"/api/repo-obj/{created['id']}")
    assert await kept(world, ann, digests) == [False, False]


async def kept(world: World, caller: Caller, digests: list[str]) -> list[bool]:
    await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0)
    return [await blobs.is_known(world.db, caller.org.id, digest) for digest in digests]


async def test_the_readers_are_used_by_one_drawing_at_a_time(world: World) -> None:
    readers: ReaderPool = world.app.dependencies[ReaderPool]
    drawings: thumbnails.Drawings = world.app.dependencies[thumbnails.Drawings]
    assert drawings.limit._limit < readers._slots._value
