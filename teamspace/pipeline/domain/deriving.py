"""Derive a document beside its source: check first, make it, and write it once.

Nothing is made if the document is up to date already, or if the caller could not write it. A repeated call with the
same key, such as a step of a run that is tried again, returns what the first one has written.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from teamspace import blobs, repository, tools
from teamspace.core.db import Db
from teamspace.core.errors import Forbidden
from teamspace.core.principal import Principal
from teamspace.pipeline.schemas import DerivationPlan, DerivedContent, DerivedDocument, PipelineCall
from teamspace.repository import ObjectRow, VersionDraft, WriteCondition


async def find_source(db: Db, who: Principal, name: str) -> ObjectRow:
    """Return a document by its id or key; Forbidden if it is in another team, where nothing can be put beside it."""
    row = await repository.get_by_id_or_key(db, who, name)
    if row.team_id != who.team_id:
        raise Forbidden("pipeline.other_team")
    return row


async def derive(
    call: PipelineCall, plan: DerivationPlan, make: Callable[[], Awaitable[DerivedContent]], *, anew: bool = False
) -> DerivedDocument:
    """Return the derived document; make and write it, unless that was done. With `anew`, even if it is up to date."""
    draft = _draft(call, plan)

    async def create(writer: Principal) -> DerivedDocument:
        if not anew and (current := await find_current(call, plan)) is not None:
            return current
        await repository.writing.check_write(call.db, call.who, draft, WriteCondition())
        made = await make()
        async with blobs.stage(call.files, blobs.as_stream(made.data)) as staged:
            await blobs.store_staged(call.db, call.files, call.who, call.who.org_id, staged)
            work = msgspec.structs.replace(draft, text=made.text)
            written = await repository.put_derived(call.db, call.queue, writer, work, staged, anew=anew)
        return DerivedDocument(written.row, written.version)

    async def find(object_id: str) -> DerivedDocument:
        found = await repository.find_derived(call.db, call.who, object_id, call.run_id, call.step)
        return DerivedDocument(*found)

    key = f"{call.context.key}:anew" if anew and call.context.key else call.context.key
    return await tools.create_once(call.db, call.who, msgspec.structs.replace(call.context, key=key), create, find)


async def find_current(call: PipelineCall, plan: DerivationPlan) -> DerivedDocument | None:
    """Return the document if making it again would change nothing."""
    key = plan.source.key + plan.suffix
    found = await repository.find_current(call.db, call.who, key, plan.sources[0], plan.recipe)
    return None if found is None else DerivedDocument(*found)


def _draft(call: PipelineCall, plan: DerivationPlan) -> VersionDraft:
    key = repository.naming.validate_key(plan.source.key + plan.suffix)
    return VersionDraft(
        key, repository.naming.choose_filename(None, key), plan.content_type,
        actor_kind="workflow" if call.context.caller == "workflow" else "agent", run_id=call.run_id,
        sources=plan.sources, step=call.step or None, recipe=plan.recipe,
    )  # fmt: skip


def hash_recipe(*ingredients: Any) -> str:
    """Return a hash of a tool and what it makes of its sources; equal JSON is equal, whatever the order of its keys."""
    return hashlib.sha256(msgspec.json.encode(ingredients, order="deterministic")).hexdigest()
