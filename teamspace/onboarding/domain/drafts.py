"""A team edits a draft of its experience, looks at it, and publishes it."""

from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import NoDraft, NotFound, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.onboarding import access, store
from teamspace.onboarding.domain import assets, documents, showing
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.schemas.experience import (
    DraftCondition,
    Experience,
    ExperienceDocument,
    ExperienceRow,
    LiveExperience,
    PublicExperience,
    PublishedExperience,
    PublishedState,
)


async def get(db: Reads, who: Principal, funnel: Funnel) -> Experience:
    """Return what the team edits: its draft, else what it published, else what visitors of the company see."""
    return await _describe(db, who, funnel, await store.get(db, access.fence(who, P.SETTINGS_MANAGE)))


async def preview(db: Reads, who: Principal, funnel: Funnel, locale: str | None) -> PublicExperience:
    """Return the same as visitors would see it."""
    found = await get(db, who, funnel)
    return showing.show(_document(found), [locale] if locale else [])


async def save(
    db: Db, who: Principal, funnel: Funnel, document: ExperienceDocument, condition: DraftCondition
) -> Experience:
    checked = await documents.check(document)
    async with db.write(who, "experience.update", lock=("experience", who.team_id)) as tx:
        before = await _lock_row(tx, who, condition)
        await assets.check_named(tx, who, checked)
        row = ExperienceRow(
            id=before.id if before else new_id(), org_id=who.org_id, team_id=who.team_id,
            draft=checked, draft_version=(before.draft_version if before else 0) + 1, draft_at=clock.stamp(),
            published=before.published if before else None, version=before.version if before else 0,
            published_at=before.published_at if before else None,
        )  # fmt: skip
        await store.put(tx, row)
        tx.target, tx.detail = row.id, {"draft": row.draft_version, "fields": len(checked.fields)}
    return await _describe(db, who, funnel, row)


async def publish(db: Db, who: Principal, funnel: Funnel, condition: DraftCondition) -> Experience:
    """Publish the draft. Of two who publish the same one, the second finds none."""
    async with db.write(who, "experience.publish", lock=("experience", who.team_id)) as tx:
        before = await _lock_row(tx, who, condition)
        if before is None or before.draft is None:
            raise NoDraft
        await assets.check_named(tx, who, before.draft)
        row = ExperienceRow(
            id=before.id, org_id=before.org_id, team_id=before.team_id, draft=None, draft_version=before.draft_version,
            draft_at=None, published=before.draft, version=before.version + 1, published_at=clock.stamp(),
        )  # fmt: skip
        await store.put(tx, row)
        tx.target, tx.detail = row.id, {"version": row.version, "fields": len(before.draft.fields)}
    return await _describe(db, who, funnel, row)


async def _lock_row(tx: Tx, who: Principal, condition: DraftCondition) -> ExperienceRow | None:
    """Return the team's row, if its draft is the one that the caller has seen."""
    row = await store.get(tx, access.fence(who, P.SETTINGS_MANAGE))
    current = row.draft_version if row and row.draft else 0
    if (condition.seen not in (None, current)) or (condition.exists and not current):
        raise VersionMismatch(current)
    return row


async def _describe(db: Reads, who: Principal, funnel: Funnel, row: ExperienceRow | None) -> Experience:
    live = await _live(db, who, funnel)
    edited = (row and (row.draft or row.published)) or _readable(live, who)
    return Experience(
        fields=edited.fields if edited else [],
        copy=edited.copy if edited else {},
        theme=edited.theme if edited else {},
        judge_prompt=edited.judge_prompt if edited else "",
        retention_days=edited.retention_days if edited else None,
        draft=row.draft if row else None,
        draft_version=row.draft_version if row and row.draft else None,
        draft_at=row.draft_at if row else None,
        published=PublishedState(row.version, row.published_at, row.published)
        if row and row.published and row.published_at
        else None,
        live=LiveExperience(live.source, live.team_id == who.team_id) if live else None,
    )


async def _live(db: Reads, who: Principal, funnel: Funnel) -> PublishedExperience | None:
    try:
        return await funnel.of_company(db, who.org_id)
    except NotFound:
        return None


def _readable(live: PublishedExperience | None, who: Principal) -> ExperienceDocument | None:
    """Return what visitors see. How another team judges them is that team's business."""
    if live is None:
        return None
    if live.version and live.team_id != who.team_id:
        public = live.document
        return ExperienceDocument(public.fields, public.copy, public.theme)
    return live.document


def _document(found: Experience) -> ExperienceDocument:
    return ExperienceDocument(found.fields, found.copy, found.theme, found.judge_prompt)
