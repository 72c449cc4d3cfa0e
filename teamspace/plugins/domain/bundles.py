"""Serves the files of a plugin's folders `bundle/` and `landing/`, and nothing outside of them."""

import os
import re
import stat
from pathlib import Path

import msgspec

from teamspace.core import pools
from teamspace.core.content_types import find_content_type
from teamspace.core.errors import NotFound

BUNDLE, LANDING = "bundle", "landing"
MAX_FILE = 16 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
"""Neither `.` nor `..`, no hidden file, no separator of any system, nothing that needs decoding."""
_MAX_SEGMENTS = 16


class BundleFile(msgspec.Struct, frozen=True):
    body: bytes
    content_type: str


async def read(plugin: Path, kind: str, path: str) -> BundleFile:
    """Return a file of a plugin's folder; NotFound if there is none of that name."""
    segments = path.split("/")
    if len(segments) > _MAX_SEGMENTS or not all(map(_NAME.fullmatch, segments)):
        raise NotFound("request.no_such_path")
    content_type = find_content_type(segments[-1])
    if content_type is None:
        raise NotFound("request.no_such_path")
    body = await pools.FILES.run(_read, plugin / kind, segments)
    return BundleFile(body, content_type)


def _read(folder: Path, segments: list[str]) -> bytes:
    """Read a file, segment by segment: a symbolic link on the way, which could lead anywhere, is not followed."""
    opened = list[int]()
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
        for name in segments[:-1]:
            opened.append(os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
        opened.append(os.open(segments[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[-1]))
        found = os.fstat(opened[-1])
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE:
            raise NotFound("request.no_such_path")
        with os.fdopen(os.dup(opened[-1]), "rb") as file:
            return file.read(MAX_FILE)
    except OSError:
        raise NotFound("request.no_such_path") from None
    finally:
        for descriptor in opened:
            os.close(descriptor)
