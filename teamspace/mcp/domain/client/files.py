"""Keeps images and other files of results: as files of the caller, whom their team does not see."""

import base64
import binascii
import hashlib
import mimetypes
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec

from teamspace import blobs, repository
from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import Refusal
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.mcp.schemas import CallPart
from teamspace.repository import VersionDraft, WriteCondition
from teamspace.tools import ToolContext

FOLDER = "mcp"
MAX_FILES = 8
"""Of one result. The size of all together is limited by that of a message."""
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")
_UNUSUAL = re.compile(r"[^A-Za-z0-9._-]+")


class ResultFiles:
    def __init__(self, files: BlobStore, queue: Queue) -> None:
        self._files, self._queue = files, queue

    async def keep(
        self, db: Db, who: Principal, context: ToolContext, server: str, parts: Sequence[CallPart]
    ) -> list[CallPart]:
        """Return the parts without their bytes; those that are kept name their files.

        The call has been made, so what the caller may not store is left out, and does not fail it.
        """
        writer = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, claim=None))
        name, left, kept = _name_call(who, context), MAX_FILES, list[CallPart]()
        for number, part in enumerate(parts, 1):
            if part.data is None:
                kept.append(part)
                continue
            key = f"{FOLDER}/{_UNUSUAL.sub('-', server)}/{name}-{number}{_suffix(part)}"
            if left > 0 and who.has_permission(Permission.FILES_WRITE, key):
                left -= 1
                kept.append(await self._store(db, writer, key, part, part.data))
            else:
                kept.append(msgspec.structs.replace(part, data=None))
        return kept

    async def _store(self, db: Db, who: Principal, key: str, part: CallPart, data: str) -> CallPart:
        without = msgspec.structs.replace(part, data=None)
        try:
            body = await pools.TEXT.run(_decode, data)
            filename = repository.naming.choose_filename(None, key)
            kind = repository.naming.parse_content_type_or_guess(part.content_type or "", filename)
            draft = VersionDraft(key, filename, kind, visibility="private", actor_kind="agent")
            written = await repository.writing.upload(
                db, self._files, self._queue, who, draft, WriteCondition(), blobs.as_stream(body), len(body)
            )
        except (Refusal, binascii.Error):
            return without
        return msgspec.structs.replace(
            without, content_type=kind, key=key, object_id=written.row.id, version_id=written.version.id
        )


def _decode(data: str) -> bytes:
    return base64.b64decode(data, validate=True)


def _name_call(who: Principal, context: ToolContext) -> str:
    """Return a name that repeated attempts of a call share, so that they write the same files."""
    if not context.key:
        return new_id()
    return hashlib.sha256(f"{who.user_id}|{who.team_id}|{context.key}".encode()).hexdigest()[:32]


def _suffix(part: CallPart) -> str:
    """Return how the name of its file ends: as its type says, or else its address."""
    by_type = mimetypes.guess_extension((part.content_type or "").partition(";")[0].strip().lower())
    if by_type:
        return by_type
    try:
        _, dot, end = urlsplit(part.uri or "").path.rpartition(".")
    except ValueError:
        return ""
    return dot + end if _SUFFIX.fullmatch(dot + end) else ""
