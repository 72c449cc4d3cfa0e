"""The text of objects: extracted after the upload, indexed for the newest version, kept for every version.

A plain text, such as Markdown or CSV, is its own text and is decoded on request. Text from other files is stored as a
compressed blob of its version, so that what was cited can be found after the object has changed. It counts against no
quota: the file it came from already does, and compressed it is not much larger than that.
"""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial

import msgspec

from teamspace import blobs, extraction, fulltext, jobs, references
from teamspace.blobs import BlobStore, StagedBlob
from teamspace.core import clock, pools
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import StoredContent
from teamspace.events import Change
from teamspace.extraction import ReaderPool, Waiting
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding, locks, naming, reading
from teamspace.repository.schemas import (
    MARKDOWN,
    ContentQuery,
    ExtractText,
    ExtractTextResult,
    ObjectRow,
    TextState,
    VersionDraft,
    VersionRow,
    VersionText,
    shown_title,
)

EXTRACT = "repo.extract_text"
MAX_CHARACTERS = 2_000_000
"""How much of a version's text can be read."""
_MAX_UNPACKED = 4 * MAX_CHARACTERS
_FAULTS = {
    "timeout": extraction.ExtractionReason.TOOK_TOO_LONG,
    "unauthenticated": "uploader_left",
    "cancelled": "cancelled",
}
"""`text_fault` by the reason the extraction job ended."""


def initial_state(draft: VersionDraft, size: int) -> TextState:
    """Return the text state of a new version: ready if the writer sent the text, pending if it can be extracted."""
    if draft.text is not None:
        return "ready"
    return "pending" if size and extraction.can_read(draft.content_type, draft.filename) else "none"


async def index(tx: Tx, queue: Queue, who: Principal, row: ObjectRow, draft: VersionDraft) -> None:
    """Replace the index entry in the transaction that writes the version, and enqueue text extraction."""
    await _write_index(tx, row, draft.text, draft.links)
    if row.text_state == "pending":
        await _enqueue(tx, queue, who, row)


async def _enqueue(tx: Tx, queue: Queue, who: Principal, row: ObjectRow) -> None:
    # The server indexes for itself: text must be searchable although the uploader's token can only write.
    await queue.enqueue(tx, jobs.Authority.of(who).unscoped(), EXTRACT, ExtractText(row.id), title=_title(row))


async def describe(tx: Tx, who: Principal, request: ExtractText) -> jobs.JobTitle:
    return _title(await finding.get_visible(tx, who, request.object_id))


def _title(row: ObjectRow) -> jobs.JobTitle:
    return jobs.JobTitle(shown_title(row), jobs.JobSubject(reading.SUBJECT, row.id))


async def remove_from_index(tx: Tx, row: ObjectRow) -> None:
    await fulltext.drop(tx, store.KIND, row.id)
    await references.drop(tx, "object", row.id)


async def set_aside(tx: Tx, row: ObjectRow) -> None:
    """Keep the text of an object that goes to the trash, without its being found."""
    await fulltext.set_aside(tx, store.KIND, row.id)


async def bring_back(tx: Tx, queue: Queue, who: Principal, row: ObjectRow) -> None:
    """Let the text of an object from the trash be found again, at its key; extract it if that was not done before."""
    await fulltext.bring_back(tx, store.KIND, row.id)
    await fulltext.rename(tx, store.KIND, row.id, title=shown_title(row), labels=row.key)
    if row.text_state == "pending":
        await _enqueue(tx, queue, who, row)


async def drop_set_aside(tx: Tx, object_id: str) -> None:
    await fulltext.drop(tx, fulltext.aside(store.KIND), object_id)


async def extract(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, request: ExtractText, job: jobs.JobContext
) -> ExtractTextResult:
    """Extract the text of the newest version. If a newer one is written meanwhile, its own job extracts that."""
    try:
        row = await finding.get_visible(db, who, request.object_id)
    except NotFound:
        raise jobs.Obsolete("repository.object_gone") from None
    version = await finding.get_version(db, row, row.version)
    return await _extract_version(db, files, readers, who, row, version, job.pause_deadline)


async def extract_now(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, object_id: str
) -> tuple[ObjectRow, ExtractTextResult]:
    """Extract the text of the newest version, unless that was done; NotFound if `who` cannot read the object."""
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, row.version)
    if row.text_state in ("ready", "none"):
        size = len(await _load_text(db, files, row, version)) if row.text_state == "ready" else 0
        return row, ExtractTextResult(row.text_state, size)
    return row, await _extract_version(db, files, readers, who, row, version, nullcontext)


async def require_version_text(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, object_id: str, number: int | None = None
) -> VersionText:
    """Return the text of a version, and extract it if that was not done yet; NoText if it has none."""
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, row.version if number is None else number)
    try:
        return VersionText(row, version, await _load_text(db, files, row, version))
    except NoText:
        if version.number == row.version and row.text_state != "pending":
            raise
    result = await _extract_version(db, files, readers, who, row, version, nullcontext)
    if result.text_state != "ready":
        raise NoText("repository.text_failed" if result.text_state == "failed" else "repository.text_none")
    return await read_version_text(db, files, who, object_id, version.number)


async def _extract_version(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, row: ObjectRow, version: VersionRow, wait: Waiting
) -> ExtractTextResult:
    """Extract and keep the text of a version; index it if it is the newest."""
    result, text = await _read(db, files, readers, version, wait)
    is_newest = version.number == row.version
    is_markdown = row.content_type == MARKDOWN
    prepared = await fulltext.prepare(text, is_markdown=is_markdown) if is_newest else None
    links = await references.find_links(text) if is_newest and is_markdown else []
    async with _stage_text(db, files, who, version, text) as staged, db.maintenance(who) as tx:
        is_kept = staged is not None and await _keep_text(tx, row, version, staged, len(text))
        newest = None
        if is_newest:
            newest = await store.set_text_state(tx, row.id, version.number, result.text_state, result.reason)
        if newest is not None:  # it may have been moved meanwhile
            await _write_index(tx, newest, prepared, links)
        if newest is not None or is_kept:
            await changes.record(tx, row, Change.UPDATED)
    return result


async def list_unread(db: Reads, who: Principal, limit: int) -> list[str]:
    """Return objects that `who` may change and whose text is not extracted, newest first.

    Without those whose job still waits or runs, and those that could not be read three times.
    """
    fence = access.fence_without_grants(who, P.FILES_WRITE)
    if not who.in_scope(P.FILES_READ):
        return []
    found = await store.select_unread(db, fence, 2 * limit)
    waiting = await jobs.find_live_subjects(db, EXTRACT, found)
    return [object_id for object_id in found if object_id not in waiting][:limit]


@asynccontextmanager
async def _stage_text(
    db: Db, files: BlobStore, who: Principal, version: VersionRow, text: str
) -> AsyncIterator[StagedBlob | None]:
    """Stage the text, unless there is none or the content is the text."""
    if not text or _plan(version).is_plain:
        yield None
        return
    packed = await pools.TEXT.run(_pack, text)
    async with blobs.stage(files, blobs.as_stream(packed)) as staged:
        await blobs.store_staged(db, files, who, version.org_id, staged)
        yield staged


async def _keep_text(tx: Tx, row: ObjectRow, version: VersionRow, staged: StagedBlob, length: int) -> bool:
    """Make the text that of the version, even if there is a newer one; return False if nothing changes."""
    await locks.lock_object(tx, row)
    current = await store.get_version_by_id(tx, row.id, version.id)
    if current is None or current.text_blob == staged.digest:  # deleted meanwhile, or extracted again
        return False
    await blobs.reference_staged(tx, row.org_id, staged)
    await store.set_text(tx, version.id, staged.digest, length)
    if current.text_blob is not None:
        await blobs.release_references(tx, row.org_id, [current.text_blob])
    return True


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode(), level=1)


def _unpack(packed: bytes) -> str:
    return zlib.decompressobj().decompress(packed, _MAX_UNPACKED).decode()[:MAX_CHARACTERS]


# The text of a version


class NoText(NotFound):
    """The version has no text: it is not extracted yet, extraction failed, or the file has none."""


async def read_version_text(
    db: Reads, files: BlobStore, who: Principal, object_id: str, number: int | None = None
) -> VersionText:
    """Return the text of a version, by default the newest; NotFound if `who` cannot read it, NoText if it has none."""
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, row.version if number is None else number)
    return VersionText(row, version, await _load_text(db, files, row, version))


async def get_content(db: Db, files: BlobStore, who: Principal, object_id: str, query: ContentQuery) -> StoredContent:
    """Return the text of a version as a file."""
    found = await read_version_text(db, files, who, object_id, query.version)
    version, data = found.version, await pools.TEXT.run(found.text.encode)
    disposition = "inline" if query.download is None else "attachment"
    return StoredContent(
        size=len(data), content_type="text/plain; charset=utf-8", tag=f"{version.number}-text",
        modified=clock.seconds(version.created_at), read=partial(_slice, data),
        headers={
            "content-disposition": naming.content_disposition(disposition, f"{version.filename}.txt"),
            "content-security-policy": reading.CONTENT_POLICY,
        },
    )  # fmt: skip


async def _slice(data: bytes, start: int, length: int) -> AsyncGenerator[bytes, None]:
    yield data[start : start + length]


async def _load_text(db: Reads, files: BlobStore, row: ObjectRow, version: VersionRow) -> str:
    if version.text_blob is not None:
        return await pools.TEXT.run(_unpack, await blobs.read(db, files, version.org_id, version.text_blob))
    try:
        plan = _plan(version)
        if not plan.is_plain:
            raise _no_text(row, version)
        content = reading.read_range(db, files, version, 0, plan.size)
        extracted = await plan.read(b"".join([chunk async for chunk in content]))
    except extraction.ExtractionFailed as failure:
        raise _no_text(row, version) from failure
    return extracted.text[:MAX_CHARACTERS]


def check_text(row: ObjectRow, version: VersionRow) -> None:
    """Raise NoText if it is known already that the version has none."""
    if version.number != row.version or row.text_state not in ("none", "failed"):
        return
    with suppress(extraction.ExtractionFailed):
        if _plan(version).is_plain:  # it may be empty
            return
    raise _no_text(row, version)


def _no_text(row: ObjectRow, version: VersionRow) -> NoText:
    """Return why there is no text; the state of older versions is not kept."""
    state = row.text_state if version.number == row.version else "none"
    if state == "pending":
        return NoText("repository.text_pending")
    return NoText("repository.text_failed" if state == "failed" else "repository.text_none")


def _plan(version: VersionRow) -> extraction.ReadPlan:
    return extraction.plan(version.content_type, version.filename, version.size)


# The job


async def ended(tx: Tx, job: jobs.EndedJob, outcome: jobs.Outcome) -> None:
    """Mark the text as failed if there will be none, so that it does not stay pending forever.

    Only for jobs of the version's author: every reader can start a job for the object, and those must not change it.
    """
    if isinstance(outcome, jobs.Succeeded):
        return
    fault = _FAULTS.get(jobs.reason_of(outcome), extraction.ExtractionReason.CRASHED)
    object_id = msgspec.json.decode(job.input, type=ExtractText).object_id
    row = await store.fail_text(tx, object_id, job.account.user_id, fault)
    if row is not None:
        await changes.record(tx, row, Change.UPDATED)


async def _read(
    db: Db, files: BlobStore, readers: ReaderPool, version: VersionRow, wait: Waiting
) -> tuple[ExtractTextResult, str]:
    try:
        extracted = await _extract(db, files, readers, version, wait)
    except extraction.ExtractionFailed as failure:
        state: TextState = "none" if failure.reason is extraction.ExtractionReason.UNSUPPORTED else "failed"
        return ExtractTextResult(state, 0, failure.reason), ""
    return ExtractTextResult("ready", len(extracted.text)), extracted.text


async def _extract(
    db: Db, files: BlobStore, readers: ReaderPool, version: VersionRow, wait: Waiting
) -> extraction.Extracted:
    plan = _plan(version)
    content = reading.read_range(db, files, version, 0, plan.size)
    if plan.is_simple:
        return await plan.read(b"".join([chunk async for chunk in content]))
    # A copy, since the blobs can be remote, and the process that parses untrusted files must not reach other blobs.
    async with readers.acquire(wait) as reader, blobs.stage_copy(files, content, small=0) as copy:
        assert copy.path is not None
        return await reader.read(copy.path, plan.kind)


async def _write_index(
    tx: Tx, row: ObjectRow, text: fulltext.Prepared | None, links: Sequence[references.TextLink]
) -> None:
    """Replace what is known of the text: its words, and what it refers to."""
    title, body, labels = shown_title(row), text or fulltext.EMPTY, row.key
    if row.content_type == MARKDOWN:
        labels = " ".join([row.key, *await store.select_labels(tx, row.id)])
    await fulltext.put(tx, store.KIND, row.id, row.org_id, title=title, labels=labels, body=body)
    if links or row.version > 1:
        await references.put(tx, "object", row.id, row.org_id, links)
