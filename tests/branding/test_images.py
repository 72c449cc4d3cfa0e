"""The image parser: complete PNG, JPEG and WebP files and nothing else, with the size that a decoder finds."""

import contextlib
import io
import random
import struct
import time
import zlib

import pytest
from PIL import Image

from teamspace.branding.domain import images
from tests.branding.help import END, PIXEL, chunk, header, picture, png

PICTURES = {
    "png": picture("PNG"),
    "png with alpha": picture("PNG", (300, 200), mode="RGBA"),
    "png palette": picture("PNG", mode="P"),
    "jpeg": picture("JPEG"),
    "jpeg grey": picture("JPEG", mode="L"),
    "jpeg progressive": picture("JPEG", (300, 200), progressive=True),
    "jpeg with restarts": picture("JPEG", (300, 200), restart_marker_blocks=4),
    "jpeg with exif": picture("JPEG", exif=b"Exif\0\0 \xff\xd8 a thumbnail \xff\xd9"),
    "webp lossy": picture("WEBP", (300, 200)),
    "webp lossless": picture("WEBP", (300, 201), lossless=True),
    "webp extended": picture("WEBP", mode="RGBA"),
    "webp extended lossless": picture("WEBP", (31, 7), mode="RGBA", lossless=True, exif=b"Exif\0\0odd"),
    "webp with profile": picture("WEBP", icc_profile=b"some profile"),
    "widest webp": picture("WEBP", (16383, 1), lossless=True),
}
KINDS = {b"VP8 ": "lossy", b"VP8L": "lossless", b"VP8X": "extended"}
every_picture = pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)


@every_picture
def test_type_and_size_match_a_decoder(data: bytes) -> None:
    found = images.read(data)
    with Image.open(io.BytesIO(data)) as decoded:
        assert (found.width, found.height) == decoded.size
        assert found.content_type == Image.MIME[decoded.format or ""]


def test_the_pictures_cover_every_variant_of_webp() -> None:
    assert {data[12:16] for data in PICTURES.values() if data.startswith(b"RIFF")} == set(KINDS)


@every_picture
def test_a_truncated_picture_is_refused_at_any_length(data: bytes) -> None:
    for length in range(0, len(data), 1 + len(data) // 2000):
        with pytest.raises(images.NotAnImage):
            images.read(data[:length])


@every_picture
@pytest.mark.parametrize(
    "tail",
    [b"\0", b"\n", b"<html><script>alert(1)</script>", b"\xff\xd9", b"IEND\xae\x42\x60\x82", b"\xff\xd8\xff\xd9"],
)
def test_trailing_bytes_are_refused(data: bytes, tail: bytes) -> None:
    with pytest.raises(images.NotAnImage, match="after the end of the image"):
        images.read(data + tail)


@every_picture
def test_changed_bytes_are_parsed_or_refused(data: bytes) -> None:
    rng = random.Random(len(data))
    for _ in range(500):
        changed = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(changed))] = rng.getrandbits(8)
        try:
            images.read(bytes(changed))
        except images.NotAnImage as refused:
            assert str(refused)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a\x01\0\x01\0\0\0\0;",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<!doctype html><script>alert(1)</script>",
        b"BM" + bytes(60),
        b"RIFF\x04\0\0\0WAVE",
        b" " + PICTURES["png"],
        b"%PDF-1.7",
    ],
)
def test_other_formats_are_refused_by_their_bytes(data: bytes) -> None:
    with pytest.raises(images.NotAnImage, match="must be a PNG, JPEG or WebP"):
        images.read(data)


WHOLE = png(header(1, 1), PIXEL, END)


def webp(*chunks: tuple[bytes, bytes]) -> bytes:
    content = b"".join(
        kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks
    )  # fmt: skip
    return b"RIFF" + struct.pack("<I", 4 + len(content)) + b"WEBP" + content


LOSSLESS = (b"VP8L", PICTURES["webp lossless"][20:])
LOSSY = (b"VP8 ", PICTURES["webp lossy"][20:])
CANVAS = (b"VP8X", bytes(4) + (299).to_bytes(3, "little") + (200).to_bytes(3, "little"))
JPEG = PICTURES["jpeg"]


@pytest.mark.parametrize(
    "data",
    [
        WHOLE[:-5] + bytes([WHOLE[-5] ^ 1]) + WHOLE[-4:],
        WHOLE[:-1] + bytes([WHOLE[-1] ^ 1]),
        png(END),
        png(PIXEL, END),
        png(header(1, 1), END),
        png(PIXEL, header(1, 1), END),
        png(header(1, 1), header(9, 9), PIXEL, END),
        png(header(1, 1), END, PIXEL),
        png(header(1, 1), PIXEL),
        png(chunk(b"IHDR", bytes(12)), PIXEL, END),
        png(header(1, 1), b"\xff\xff\xff\xffIDAT", END),
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xe0\0\0\xff\xd9",
        b"\xff\xd8\xff\xe0\0\x02<script>\xff\xd9",
        JPEG[:2] + JPEG,
        JPEG.replace(b"\xff\xc0", b"\xff\xc3"),
        JPEG.replace(b"\xff\xc0", b"\xff\xc0" + JPEG[JPEG.index(b"\xff\xc0") + 2 :][:17] + b"\xff\xc0"),
        JPEG[: JPEG.index(b"\xff\xda")] + b"\xff\xd9",
        webp(),
        webp(CANVAS),
        webp((b"EXIF", b"odd")),
        webp(LOSSLESS, LOSSY),
        webp(LOSSLESS, LOSSLESS),
        webp(CANVAS, LOSSY),
        webp((b"EXIF", b"even"), CANVAS, LOSSLESS),
        webp((b"VP8L", b"\x2e" + LOSSLESS[1][1:])),
        webp((b"VP8L", LOSSLESS[1][:4] + b"\xff" + LOSSLESS[1][5:])),
        webp((b"VP8 ", b"\x01" + LOSSY[1][1:])),
        webp((b"VP8 ", LOSSY[1][:3] + b"\0\0\0" + LOSSY[1][6:])),
        webp((b"VP8 ", LOSSY[1][:5])),
        webp(LOSSLESS, (b"EXIF", b""))[:-4] + b"\xff\xff\xff\xff",
    ],
)
def test_an_invalid_structure_is_refused(data: bytes) -> None:
    with pytest.raises(images.NotAnImage):
        images.read(data)


def test_the_same_chunks_in_a_valid_order_are_accepted() -> None:
    assert images.read(WHOLE) == images.Image("image/png", 1, 1)
    assert images.read(png(header(1, 1), chunk(b"tEXt", b"Title\0x"), PIXEL, END)) == images.Image("image/png", 1, 1)
    assert images.read(webp(LOSSLESS)) == images.read(webp(CANVAS, LOSSLESS)) == images.Image("image/webp", 300, 201)


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_animated_images_are_refused(format: str) -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(out, format, save_all=True, append_images=frames[1:], duration=100)
    with pytest.raises(images.NotAnImage, match="animated"):
        images.read(out.getvalue())


@pytest.mark.parametrize(
    "data",
    [
        png(header(1, 1), *[chunk(b"tEXt", b"")] * 40_000, PIXEL, END),
        b"\xff\xd8" + b"\xff\xe0\0\x02" * 130_000 + b"\xff\xd9",
        b"\xff\xd8" + b"\xff" * 520_000 + b"\xff\xd9",
        b"\xff\xd8\xff\xda\0\x02" + b"\xff\0" * 260_000 + b"\xff\xd9",
        webp(*[(b"VP8L", b"\x2f\0\0\0\0")] * 35_000),
    ],
)
def test_hostile_bytes_are_parsed_in_under_a_second(data: bytes) -> None:
    started = time.process_time()
    with contextlib.suppress(images.NotAnImage):
        images.read(data)
    assert time.process_time() - started < 1


def test_a_pixel_flood_is_read_without_decoding_it() -> None:
    bomb = png(header(50_000, 50_000), chunk(b"IDAT", zlib.compress(bytes(100_000))), END)
    assert images.read(bomb) == images.Image("image/png", 50_000, 50_000)
