"""Find out what documents say: with a model, checked against their text, and stored with the place."""

import msgspec

from teamspace import ai, events, fulltext, repository, workflows
from teamspace.ai import Gateway
from teamspace.blobs import BlobStore
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Conflict, ResponseRefused
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal, system
from teamspace.events import Change
from teamspace.executors import ModelRole
from teamspace.jobs import Queue
from teamspace.knowledge import store
from teamspace.knowledge.domain import asking, checking, listing, naming, windows
from teamspace.knowledge.domain.checking import Findings, NameKey
from teamspace.knowledge.schemas import (
    EntityName,
    ExtractedDocument,
    KnowledgePreview,
    NewDocumentName,
    NewMention,
    NewRelation,
)
from teamspace.quota import Spend
from teamspace.repository import VersionText
from teamspace.workflows import Catalog, RunBody, RunDetail, RunOutline

WORKFLOW = "index-knowledge"
MAX_LISTED = 40
"""Documents of one run."""
_SWEPT = 200


async def list_unextracted(db: Db, who: Principal) -> list[str]:
    """Return documents that `who` can write by ownership or role, and whose text is ready and not extracted yet."""
    readable = repository.read_fence(who, across_org=False)
    return await store.select_unextracted(db, repository.write_fence_without_grants(who), readable, MAX_LISTED)


async def extract(db: Db, files: BlobStore, gateway: Gateway, who: Principal, reference: str) -> ExtractedDocument:
    """Replace what is known of a document by what its newest version says. A version is paid for once."""
    found = await repository.get_by_id_or_key(db, who, reference)
    row = await repository.require(db, who, found.id, P.FILES_WRITE)
    if (done := await store.get_extracted(db, row.id)) and done.version == row.version:
        return done
    if row.text_state == "pending":
        raise Conflict("knowledge.text_pending")
    read = await repository.read_version_text(db, files, who, row.id, row.version)
    parts, unread = await pools.TEXT.run(windows.split, read.text)
    try:
        replies = [(window, await asking.ask(gateway, db, who, window)) for window in parts]
    except ResponseRefused:
        await _pass_over(db, who, read)
        raise
    findings = await pools.TEXT.run(checking.check, replies)
    return await _store(db, who, read, findings, unread)


async def _pass_over(db: Db, who: Principal, read: VersionText) -> None:
    """Leave this version out of later lists: the same text would be refused again, before all others."""
    async with db.write(who, "knowledge.extract") as tx:
        await _lock(tx, who, read)
        tx.detail = {"version": read.version.number, "refused": True}
        await _set_known(tx, read)


async def _store(db: Db, who: Principal, read: VersionText, found: Findings, unread: int) -> ExtractedDocument:
    row, version, now = read.object, read.version, clock.stamp()
    names = {key: naming.to_name(db.vault, row.org_id, *key) for key in found.mentions}
    async with db.write(who, "knowledge.extract") as tx:
        await _lock(tx, who, read)
        await store.delete_document(tx, row.id)
        await store.insert_document(
            tx, row.id, version.id, row.org_id, version.number, dropped=found.dropped, unread=unread,
            at=version.created_at, now=now,
        )  # fmt: skip
        await put_names(tx, row.org_id, list(names.values()), now)
        await _insert(tx, row.id, row.org_id, found, names)
        await _set_known(tx, read)
        done = await store.get_extracted(tx, row.id)
        assert done is not None
        tx.detail = msgspec.structs.asdict(done)
    await listing.complete(db, [row.id])
    return done


async def _lock(tx: Tx, who: Principal, read: VersionText) -> None:
    """Keep a document, its rights and its newest version as they are; Conflict if that is not the one that was read."""
    row = read.object
    newest = await store.lock_version(tx, row.id)
    await repository.require(tx, who, row.id, P.FILES_WRITE)
    if newest != read.version.number:
        raise Conflict("knowledge.changed")
    tx.target, tx.team_id = row.id, row.team_id


async def _set_known(tx: Tx, read: VersionText) -> None:
    row = read.object
    await store.set_known_version(tx, row.id, read.version.number)
    await events.record(tx, "object", row.id, change=Change.UPDATED, org_id=row.org_id, team_id=row.team_id)


async def put_names(tx: Tx, org_id: str, names: list[EntityName], now: str) -> None:
    """Add names that are new, with their text for searches."""
    if not names:
        return
    new = await store.put_names(tx, org_id, names, now)
    for name in names:
        if name.id in new:
            await fulltext.put(tx, store.KIND, name.id, org_id, title=name.label or name.name)


async def _insert(tx: Tx, object_id: str, org_id: str, found: Findings, names: dict[NameKey, EntityName]) -> None:
    parts = await store.select_splits(tx, object_id)
    ids = {key: parts.get(name.id, name.id) for key, name in names.items()}
    document_names = [
        NewDocumentName(ids[key], names[key].id, mentions[0].written, len(mentions))
        for key, mentions in found.mentions.items()
    ]
    mentions = [
        NewMention(
            new_id(), ids[key], number, mention.span.start, mention.span.end, mention.written, mention.span.quote
        )
        for key, several in found.mentions.items()
        for number, mention in enumerate(several)
    ]
    relations = [
        NewRelation(new_id(), ids[each.subject], ids[each.target], each.predicate, each.span.start, each.span.end, each.span.quote)
        for each in found.relations
    ]  # fmt: skip
    await store.insert_document_names(tx, object_id, org_id, document_names)
    await store.insert_mentions(tx, object_id, org_id, mentions)
    await store.insert_relations(tx, object_id, org_id, relations)


async def preview(db: Db, gateway: Gateway, who: Principal) -> KnowledgePreview:
    """Return what the next run would cost, by the sizes of its documents."""
    ids = await list_unextracted(db, who)
    sizes = await store.select_sizes(db, ids)
    calls = sum(windows.count(size) for size in sizes)
    characters = sum(min(size, windows.WINDOW * windows.MAX_WINDOWS) for size in sizes)
    cost = await gateway.preview(
        db, who, asking.to_request(""), role=ModelRole.UTILITY, calls=calls, more_tokens=-(-characters // 4)
    )
    return KnowledgePreview(**msgspec.structs.asdict(cost), documents=len(ids))


def estimate_one() -> Spend:
    """Return what a document with one full window costs."""
    return ai.estimate_call(asking.to_request("x" * windows.WINDOW))


async def start(db: Db, who: Principal, catalog: Catalog, queue: Queue) -> RunDetail | RunOutline:
    """Start a run of the workflow that extracts documents, as the caller's team has it."""
    return await workflows.run_workflow(db, who, catalog, queue, WORKFLOW, RunBody())


async def tidy(db: Db) -> None:
    """Delete names that no document has any more, and that no one has decided about."""
    while ids := await store.select_unused(db, _SWEPT):
        async with db.maintenance(system()) as tx:
            for name_id in await store.delete_unused(tx, ids):
                await fulltext.drop(tx, store.KIND, name_id)
