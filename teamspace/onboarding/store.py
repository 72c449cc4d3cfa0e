"""The sign-up funnel in SQL: one statement per function, no rules. May join tables of tenancy, a lower package."""

import msgspec

from teamspace.core.db import Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import BlobColumn, Invariant
from teamspace.onboarding.schemas import AssetRow, ExperienceRow, FunnelOwner, LiveRow

_OWNER = (
    "SELECT orgs.id, orgs.suspended_at IS NOT NULL, (SELECT MIN(teams.id) FROM teams WHERE teams.org_id = orgs.id)"
    " FROM orgs"
)


async def get_owner_by_host(db: Reads, host: str) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} WHERE orgs.domain = :host", host=host)


async def get_first_owner(db: Reads) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} ORDER BY orgs.id LIMIT 1")


async def get_owner(db: Reads, org_id: str) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} WHERE orgs.id = :org_id", org_id=org_id)


async def get(db: Reads, fence: Fence) -> ExperienceRow | None:
    """Return the row of the team that the fence admits."""
    return await db.one(
        ExperienceRow, f"SELECT {columns(ExperienceRow)} FROM experiences WHERE {fence.sql}", **fence.params
    )


async def put(tx: Tx, row: ExperienceRow) -> None:
    values = msgspec.structs.asdict(row) | {
        name: None if document is None else as_json(document)
        for name, document in (("draft", row.draft), ("published", row.published))
    }
    await tx.run(
        f"INSERT INTO experiences ({columns(ExperienceRow)}) VALUES ({placeholders(ExperienceRow)})"
        " ON CONFLICT (team_id) DO UPDATE SET draft = excluded.draft, draft_version = excluded.draft_version,"
        " draft_at = excluded.draft_at, published = excluded.published, version = excluded.version,"
        " published_at = excluded.published_at",
        **values,
    )


async def get_live(db: Reads, org_id: str) -> LiveRow | None:
    """Return what a team of the company has published last."""
    return await db.one(
        LiveRow,
        f"SELECT {columns(LiveRow)} FROM experiences WHERE org_id = :org_id AND published_at IS NOT NULL"
        " ORDER BY published_at DESC, id DESC LIMIT 1",
        org_id=org_id,
    )


# Assets


async def select_assets(db: Reads, fence: Fence) -> list[AssetRow]:
    return await db.all(
        AssetRow,
        f"SELECT {columns(AssetRow)} FROM onboarding_assets WHERE {fence.sql} ORDER BY id DESC",
        **fence.params,
    )


async def get_asset(db: Reads, fence: Fence, asset_id: str) -> AssetRow | None:
    return await db.one(
        AssetRow,
        f"SELECT {columns(AssetRow)} FROM onboarding_assets WHERE id = :id AND {fence.sql}",
        id=asset_id, **fence.params,
    )  # fmt: skip


async def get_public_asset(db: Reads, asset_id: str) -> AssetRow | None:
    return await db.one(AssetRow, f"SELECT {columns(AssetRow)} FROM onboarding_assets WHERE id = :id", id=asset_id)


async def count_assets(db: Reads, team_id: str) -> int:
    return await db.one(int, "SELECT COUNT(*) FROM onboarding_assets WHERE team_id = :team_id", team_id=team_id) or 0


async def insert_asset(tx: Tx, row: AssetRow) -> None:
    await tx.run(
        f"INSERT INTO onboarding_assets ({columns(AssetRow)}) VALUES ({placeholders(AssetRow)})",
        **msgspec.structs.asdict(row),
    )


async def delete_asset(tx: Tx, fence: Fence, asset_id: str) -> None:
    await tx.run(f"DELETE FROM onboarding_assets WHERE id = :id AND {fence.sql}", id=asset_id, **fence.params)


BLOB_COLUMNS = (BlobColumn("onboarding_assets", "digest"),)

# fmt: off
INVARIANTS = (
    Invariant("onboarding.company", "an experience's team belongs to its company",
        "SELECT experiences.id FROM experiences JOIN teams ON teams.id = experiences.team_id"
        " WHERE teams.org_id <> experiences.org_id"),
    Invariant("onboarding.published", "what is published has a version and a time, and nothing else has",
        "SELECT id FROM experiences WHERE (published IS NULL) <> (published_at IS NULL)"
        " OR (published IS NULL) <> (version = 0)"),
    Invariant("onboarding.asset_company", "an asset's team belongs to its company",
        "SELECT onboarding_assets.id FROM onboarding_assets JOIN teams ON teams.id = onboarding_assets.team_id"
        " WHERE teams.org_id <> onboarding_assets.org_id"),
)
# fmt: on
