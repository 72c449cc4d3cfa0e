"""Logos: what is taken as one, and who may fetch which."""

import base64
import logging
import re

import msgspec

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.branding import store
from teamspace.branding.domain import images
from teamspace.core import pools
from teamspace.core.db import Reads
from teamspace.core.errors import BadRequest, NotFound

ADDRESS = "/api/branding?logo="
"""Where a logo is fetched, its digest at the end."""
LARGEST = 512 * 1024
WIDEST = 4096
_URI = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,(.*)", re.IGNORECASE | re.DOTALL)

log = logging.getLogger("teamspace.branding")


class Logo(msgspec.Struct, frozen=True):
    data: bytes
    content_type: str


async def from_uri(uri: str, pointer: str) -> Logo:
    found = _URI.fullmatch(uri)
    if not found:
        raise BadRequest.at(pointer, "must be null, the address of the present logo, or a data: URI in base64")
    return await judged(found[2], found[1], pointer)


async def judged(text: str, declared: str | None, pointer: str) -> Logo:
    """The logo, if it is one; `declared` is what the caller takes its type to be.

    In a thread: a picture may be made of a hundred thousand parts.
    """
    return await pools.TEXT.run(_judged, text, declared, pointer)


def _judged(text: str, declared: str | None, pointer: str) -> Logo:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadRequest.at(pointer, "is not valid base64") from None
    if len(data) > LARGEST:
        raise BadRequest.at(pointer, f"the logo may hold {LARGEST // 1024} KiB")
    try:
        image = images.read(data)
    except images.NotAnImage as fault:
        raise BadRequest.at(pointer, f"the logo {fault}") from None
    if not (1 <= image.width <= WIDEST and 1 <= image.height <= WIDEST):
        raise BadRequest.at(pointer, f"the logo must be 1 x 1 to {WIDEST} x {WIDEST} pixels large")
    if declared is not None and declared.lower() != image.content_type:
        raise BadRequest.at(pointer, f"the logo was said to be of another type, and is {image.content_type}")
    return Logo(data, image.content_type)


async def find(db: Reads, files: BlobStore, digest: str) -> Logo:
    """A logo is a public mark: anybody may fetch it for as long as some branding names it."""
    for mark in await store.select_marks(db, digest):
        try:
            return Logo(await blobs.read(db, files, mark.org_id, digest), mark.logo_type)
        except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
            log.error("the logo of %s cannot be shown: %s", mark.org_id or "the instance", fault)
    raise NotFound()
