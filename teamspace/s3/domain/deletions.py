"""Delete many keys with one request."""

import asyncio
from itertools import chain
from xml.etree.ElementTree import Element

import msgspec

from teamspace.core.db import WriteBatch, retry_on_conflict
from teamspace.core.errors import Refusal
from teamspace.repository import WriteCondition, deleting
from teamspace.s3.domain import bodies, error_codes, object_headers, objects, xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response

MAX_COUNT = 1000
_BATCH_SIZE, _CONCURRENCY = 10, 4
"""Small batches: on SQLite, those of one moment run one after the other, without a pause for other requests."""


class _Deletion(msgspec.Struct, frozen=True):
    key: str
    version_id: str | None
    condition: WriteCondition


async def delete_many(request: S3Request) -> S3Response:
    """Delete keys in batches that share a commit. An error for one key does not affect the others."""
    root = await bodies.read_xml(request, "Delete")
    deletions = [_parse_deletion(item) for item in xml.children(root, "Object")]
    if not 1 <= len(deletions) <= MAX_COUNT:
        raise xml.malformed()
    quiet = xml.child_text(root, "Quiet", "").strip().lower() == "true"
    semaphore = asyncio.Semaphore(_CONCURRENCY)
    batches = [deletions[start : start + _BATCH_SIZE] for start in range(0, len(deletions), _BATCH_SIZE)]
    results = chain.from_iterable(
        await asyncio.gather(*(_delete_batch(request, batch, semaphore) for batch in batches))
    )
    return S3Response(
        body=xml.document("DeleteResult", *(text for text in results if not quiet or text.startswith("<Error>")))
    )


def _parse_deletion(item: Element) -> _Deletion:
    key = xml.child_text(item, "Key")
    if not key:
        raise xml.malformed()
    condition = object_headers.parse_delete_condition(
        *(xml.child_text(item, name) for name in ("ETag", "Size", "LastModifiedTime"))
    )
    return _Deletion(key, xml.child_text(item, "VersionId") or None, condition)


async def _delete_batch(request: S3Request, deletions: list[_Deletion], semaphore: asyncio.Semaphore) -> list[str]:
    """Return the result of each deletion; if the commit fails, all get the same error."""

    async def write() -> list[str]:
        async with deleting.delete_many(
            request.db, request.who, [deletion.key for deletion in deletions if _is_key(deletion)]
        ) as batch:
            return [await _delete_one(request, batch, deletion) for deletion in deletions]

    try:
        async with semaphore:
            return await retry_on_conflict(write)
    except Refusal as refusal:
        return [_error_element(deletion, refusal) for deletion in deletions]


def _is_key(deletion: _Deletion) -> bool:
    try:
        return bool(object_headers.validate_key(deletion.key))
    except (S3Error, Refusal):
        return False


async def _delete_one(request: S3Request, batch: WriteBatch, deletion: _Deletion) -> str:
    try:
        deleted = await objects.delete_key_or_version(
            request, batch, object_headers.validate_key(deletion.key), deletion.version_id, deletion.condition
        )
    except (S3Error, Refusal) as refusal:
        return _error_element(deletion, refusal)
    marker = (
        [xml.text("DeleteMarker", "true"), xml.text("DeleteMarkerVersionId", deleted.id)]
        if deleted and deleted.removal
        else []
    )
    return xml.element("Deleted", *_identify(deletion), *marker)


def _error_element(deletion: _Deletion, refusal: S3Error | Refusal) -> str:
    fault = error_codes.as_s3_error(refusal)
    return xml.element("Error", *_identify(deletion), xml.text("Code", fault.code), xml.text("Message", fault.message))


def _identify(deletion: _Deletion) -> tuple[str, str]:
    return xml.text("Key", deletion.key), xml.text("VersionId", deletion.version_id) if deletion.version_id else ""
