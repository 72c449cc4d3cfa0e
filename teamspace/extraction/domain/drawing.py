"""Draw thumbnails of images and of the first page of PDFs, in the sandboxed process.

What is drawn has no metadata of the file: only its pixels.
"""

import io
import os
from typing import Any

from teamspace.extraction.domain import kinds, limits
from teamspace.extraction.schemas import ExtractionFailed, ExtractionReason

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "MPO")
_MIDDLE = 8
"""Bits by which a 16-bit grey is shifted."""


class Drawer:
    """The libraries, loaded before the fork: the sandboxed process can open no file."""

    def __init__(self) -> None:
        import pypdfium2  # noqa: PLC0415 - only this process should load them
        from PIL import Image, ImageOps  # noqa: PLC0415

        Image.init()
        Image.MAX_IMAGE_PIXELS = None  # `_read_image` has the limit
        self._pdfium, self._images, self._turn = pypdfium2, Image, ImageOps.exif_transpose

    def prepare(self) -> None:
        """Draw something, so that what the libraries load on first use is loaded."""
        self._pack(self._images.new("RGB", (2, 2)))

    def draw(self, kind: str, descriptor: int) -> bytes:
        """Return the thumbnails of the file, packed; raise ExtractionFailed."""
        file = os.fdopen(os.dup(descriptor), "rb")
        try:
            return self._pack(self._draw_page(file) if kind == kinds.PDF else self._read_image(file))
        except (MemoryError, ExtractionFailed):
            raise
        except Exception as fault:
            text = str(fault).lower()
            reason = ExtractionReason.ENCRYPTED if "password" in text else ExtractionReason.DAMAGED
            raise ExtractionFailed(reason) from None

    def _read_image(self, file: Any) -> Any:
        image = self._images.open(file, formats=_FORMATS)
        width, height = image.size
        if width * height > limits.PIXELS:
            raise ExtractionFailed(ExtractionReason.UNPACKS_TOO_MUCH)
        # A JPEG is decoded at a fraction of its size.
        image.draft("RGB", (2 * limits.LARGE_PIXELS, 2 * limits.LARGE_PIXELS))
        return image

    def _draw_page(self, file: Any) -> Any:
        document = self._pdfium.PdfDocument(file)
        if not len(document):
            raise ExtractionFailed(ExtractionReason.DAMAGED)
        page = document[0]
        width, height = page.get_size()
        if not (0 < width < limits.PAGE_POINTS and 0 < height < limits.PAGE_POINTS):
            raise ExtractionFailed(ExtractionReason.UNPACKS_TOO_MUCH)
        scale = limits.LARGE_PIXELS / max(width, height)
        return page.render(scale=scale, may_draw_forms=False).to_pil()

    def _pack(self, image: Any) -> bytes:
        large = self._shrink(image)
        small = large.copy()
        small.thumbnail((limits.SMALL_PIXELS, limits.SMALL_PIXELS))
        first, second = self._encode(small), self._encode(large)
        return len(first).to_bytes(4, "big") + first + second

    def _shrink(self, image: Any) -> Any:
        if image.mode in ("I;16", "I;16B", "I;16L", "I;16N", "I"):
            image = image.convert("I").point(lambda grey: grey / (1 << _MIDDLE)).convert("L")
        if image.mode == "P":  # otherwise neighbouring colours would not mix
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        image.thumbnail((limits.LARGE_PIXELS, limits.LARGE_PIXELS))
        turned = self._turn(image)
        return turned.convert("RGBA" if turned.has_transparency_data else "RGB")

    @staticmethod
    def _encode(image: Any) -> bytes:
        out = io.BytesIO()
        image.info = {}
        image.save(out, "WEBP", quality=80, method=4)
        return out.getvalue()
