"""Full-text index of objects: name and key at once, the content after text extraction."""

from teamspace import blobs, extraction, fulltext, jobs
from teamspace.blobs import BlobStore
from teamspace.core.db import Db, Tx
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.extraction import ReaderPool
from teamspace.jobs import Queue
from teamspace.repository import store
from teamspace.repository.domain import changes, finding, reading
from teamspace.repository.schemas import MARKDOWN, ExtractText, ExtractTextResult, ObjectRow, TextState, VersionDraft

EXTRACT = "repo.extract_text"
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
    await _write_index(tx, row, draft.text)
    if row.text_state == "pending":
        # The server indexes for itself: text must be searchable although the uploader's token can only write.
        await queue.enqueue(tx, jobs.Authority.of(who).unscoped(), EXTRACT, ExtractText(row.id), title=_title(row))


async def describe(tx: Tx, who: Principal, request: ExtractText) -> jobs.JobTitle:
    return _title(await finding.get_visible(tx, who, request.object_id))


def _title(row: ObjectRow) -> jobs.JobTitle:
    return jobs.JobTitle(row.filename, jobs.JobSubject(reading.SUBJECT, row.id))


async def remove_from_index(tx: Tx, row: ObjectRow) -> None:
    await fulltext.drop(tx, store.KIND, row.id)


async def extract(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, request: ExtractText, job: jobs.JobContext
) -> ExtractTextResult:
    """Extract the text of the newest version. If a newer one is written meanwhile, its own job extracts that."""
    try:
        row = await finding.get_visible(db, who, request.object_id)
    except NotFound:
        raise jobs.Obsolete("The object does not exist any more.") from None
    result, text = await _read(db, files, readers, row, job)
    prepared = await fulltext.prepare(text, is_markdown=row.content_type == MARKDOWN)
    async with db.maintenance(who) as tx:
        if await store.set_text_state(tx, row.id, row.version, result.text_state, result.reason):
            await _write_index(tx, row, prepared)
            await changes.record(tx, row, Change.UPDATED)
    return result


async def ended(tx: Tx, job: jobs.EndedJob, outcome: jobs.Outcome) -> None:
    """Mark the text as failed if there will be none, so that it does not stay pending forever.

    Only for jobs of the version's author: every reader can start a job for the object, and those must not change it.
    """
    if isinstance(outcome, jobs.Succeeded):
        return
    fault = _FAULTS.get(jobs.reason_of(outcome), extraction.ExtractionReason.CRASHED)
    row = await store.fail_text(tx, job.input.object_id, job.account.user_id, fault)
    if row is not None:
        await changes.record(tx, row, Change.UPDATED)


async def _read(
    db: Db, files: BlobStore, readers: ReaderPool, row: ObjectRow, job: jobs.JobContext
) -> tuple[ExtractTextResult, str]:
    try:
        extracted = await _extract(db, files, readers, row, job)
    except extraction.ExtractionFailed as failure:
        state: TextState = "none" if failure.reason is extraction.ExtractionReason.UNSUPPORTED else "failed"
        return ExtractTextResult(state, 0, failure.reason), ""
    return ExtractTextResult("ready", len(extracted.text)), extracted.text


async def _extract(
    db: Db, files: BlobStore, readers: ReaderPool, row: ObjectRow, job: jobs.JobContext
) -> extraction.Extracted:
    plan = extraction.plan(row.content_type, row.filename, row.size)
    version = await finding.get_version(db, row, row.version)
    content = reading.read_range(db, files, version, 0, plan.size)
    if plan.is_simple:
        return await plan.read(b"".join([chunk async for chunk in content]))
    # A copy, since the blobs can be remote, and the process that parses untrusted files must not reach other blobs.
    async with readers.acquire(job.pause_deadline) as reader, blobs.stage_copy(files, content, small=0) as copy:
        assert copy.path is not None
        return await reader.read(copy.path, plan.kind)


async def _write_index(tx: Tx, row: ObjectRow, text: fulltext.Prepared | None) -> None:
    title, body = row.title or row.filename, text or fulltext.EMPTY
    await fulltext.put(tx, store.KIND, row.id, row.org_id, title=title, labels=row.key, body=body)
