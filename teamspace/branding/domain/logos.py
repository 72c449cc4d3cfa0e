"""Logos: validation and reading."""

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

URL_PREFIX = "/api/branding?logo="
"""The URL of a logo, followed by its digest."""
MAX_SIZE = 512 * 1024
MAX_WIDTH = 4096
_URI = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,(.*)", re.IGNORECASE | re.DOTALL)

log = logging.getLogger("teamspace.branding")


class Logo(msgspec.Struct, frozen=True):
    data: bytes
    content_type: str


async def from_uri(uri: str, pointer: str) -> Logo:
    found = _URI.fullmatch(uri)
    if not found:
        raise BadRequest.at(pointer, "branding.logo")
    return await validate(found[2], found[1], pointer)


async def validate(text: str, declared: str | None, pointer: str) -> Logo:
    """Return the logo, or raise BadRequest; `declared` is the type that the caller sent.

    Runs in a thread: an image can have a hundred thousand segments.
    """
    return await pools.TEXT.run(_validate, text, declared, pointer)


def _validate(text: str, declared: str | None, pointer: str) -> Logo:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadRequest.at(pointer, "branding.logo_base64") from None
    if len(data) > MAX_SIZE:
        raise BadRequest.at(pointer, "branding.logo_size", kibibytes=MAX_SIZE // 1024)
    try:
        image = images.read(data)
    except images.NotAnImage as fault:
        raise BadRequest.at(pointer, fault.key, **fault.params) from None
    if not (1 <= image.width <= MAX_WIDTH and 1 <= image.height <= MAX_WIDTH):
        raise BadRequest.at(pointer, "branding.logo_pixels", limit=MAX_WIDTH)
    if declared is not None and declared.lower() != image.content_type:
        raise BadRequest.at(pointer, "branding.logo_type", type=image.content_type)
    return Logo(data, image.content_type)


async def find(db: Reads, files: BlobStore, digest: str) -> Logo:
    """Return a logo by its digest. Logos are public as long as a branding uses them."""
    for location in await store.select_logo_locations(db, digest):
        try:
            return Logo(await blobs.read(db, files, location.org_id, digest), location.logo_type)
        except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
            log.error("cannot read the logo of %s: %s", location.org_id or "the instance", fault)
    raise NotFound()
