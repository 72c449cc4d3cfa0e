"""What can be searched for in an object: its name and key at once, the text inside it when somebody has read it."""

from teamspace import blobs, extraction, fulltext, jobs
from teamspace.blobs import BlobStore
from teamspace.core.db import Db, Tx
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.extraction import Readers
from teamspace.jobs import Queue
from teamspace.repository import store
from teamspace.repository.domain import finding, reading
from teamspace.repository.schemas import MARKDOWN, ExtractText, ObjectRow, TextFound, TextState, Work

EXTRACT = "repo.extract_text"
_FAULTS = {
    "timeout": extraction.Reason.TOOK_TOO_LONG,
    "unauthenticated": "uploader_left",
    "cancelled": "cancelled",
}
"""Why there is no text, by why its job ended."""


def state_of(work: Work, size: int) -> TextState:
    """How a new version begins: with the text that its writer gave, or to be read, or with none."""
    if work.text is not None:
        return "ready"
    return "pending" if size and extraction.can_read(work.content_type, work.filename) else "none"


async def index(tx: Tx, queue: Queue, who: Principal, row: ObjectRow, work: Work) -> None:
    """In the transaction that writes the version. The text of the one before is not looked for any more."""
    await _put(tx, row, work.text)
    if row.text_state == "pending":
        await queue.enqueue(tx, who, EXTRACT, ExtractText(row.id))


async def drop(tx: Tx, row: ObjectRow) -> None:
    await fulltext.drop(tx, store.KIND, row.id)


async def extract(
    db: Db, files: BlobStore, readers: Readers, who: Principal, wish: ExtractText, work: jobs.Work
) -> TextFound:
    """Reads the newest version; if there is a newer one by the time that is done, its own job does it."""
    try:
        row = await finding.seen(db, who, wish.object_id)
    except NotFound:
        raise jobs.Obsolete("There is no such object any more.") from None
    found, text = await _read(db, files, readers, row, work)
    prepared = await fulltext.prepare(text, is_markdown=row.content_type == MARKDOWN)
    async with db.upkeep(who) as tx:
        if await store.set_text_state(tx, row.id, row.version, found.text_state, found.reason):
            await _put(tx, row, prepared)
    return found


async def give_up(tx: Tx, asked_by: str, wish: ExtractText, reason: str) -> None:
    """Nobody will read it any more: whoever wrote the version is not left to wait for its text.

    Others may ask for any object by its id, so what becomes of their jobs is not written here.
    """
    await store.fail_text(tx, wish.object_id, asked_by, _FAULTS.get(reason, extraction.Reason.CRASHED))


async def _read(db: Db, files: BlobStore, readers: Readers, row: ObjectRow, work: jobs.Work) -> tuple[TextFound, str]:
    try:
        found = await _extracted(db, files, readers, row, work)
    except extraction.ExtractionFailed as failure:
        state: TextState = "none" if failure.reason is extraction.Reason.UNSUPPORTED else "failed"
        return TextFound(state, 0, failure.reason), ""
    return TextFound("ready", len(found.text)), found.text


async def _extracted(
    db: Db, files: BlobStore, readers: Readers, row: ObjectRow, work: jobs.Work
) -> extraction.Extracted:
    plan = extraction.plan(row.content_type, row.filename, row.size)
    version = await finding.version_of(db, row, row.version)
    content = reading.span(db, files, version, 0, plan.size)
    if plan.is_simple:
        return await plan.read(b"".join([chunk async for chunk in content]))
    # A copy: the store may be far away, and whoever reads a stranger's file should not come near the others.
    async with readers.one(work.waiting) as reader, blobs.copied(files, content, small=0) as copy:
        assert copy.path is not None
        return await reader.read(copy.path, plan.kind)


async def _put(tx: Tx, row: ObjectRow, text: fulltext.Prepared | None) -> None:
    title, body = row.title or row.filename, text or fulltext.NOTHING
    await fulltext.put(tx, store.KIND, row.id, row.org_id, title=title, labels=row.key, body=body)
