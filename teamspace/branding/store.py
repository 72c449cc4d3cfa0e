"""Branding in SQL: one statement per function, no rules. May join tables of tenancy, a lower package."""

import msgspec

from teamspace.branding.schemas import BrandingRow, LogoLocation
from teamspace.core.db import Reads, Tx, columns
from teamspace.core.tables import BlobColumn, Invariant


async def get(db: Reads, org_id: str) -> BrandingRow | None:
    return await db.one(
        BrandingRow, f"SELECT {columns(BrandingRow)} FROM branding WHERE org_id = :org_id", org_id=org_id
    )


async def get_by_host(db: Reads, host: str) -> BrandingRow | None:
    return await db.one(
        BrandingRow,
        f"SELECT {columns(BrandingRow, 'branding')} FROM branding JOIN orgs ON orgs.id = branding.org_id"
        " WHERE orgs.domain = :host",
        host=host,
    )


async def select_logo_locations(db: Reads, digest: str) -> list[LogoLocation]:
    return await db.all(
        LogoLocation,
        f"SELECT {columns(LogoLocation)} FROM branding WHERE logo = :digest ORDER BY org_id",
        digest=digest,
    )


async def put(tx: Tx, row: BrandingRow, now: str) -> None:
    values = msgspec.structs.asdict(row) | {"theme": msgspec.json.encode(row.theme).decode()}
    await tx.run(
        "INSERT INTO branding (org_id, title, tagline, theme, logo, logo_type, updated_at)"
        " VALUES (:org_id, :title, :tagline, :theme, :logo, :logo_type, :now)"
        " ON CONFLICT (org_id) DO UPDATE SET title = excluded.title, tagline = excluded.tagline,"
        " theme = excluded.theme, logo = excluded.logo, logo_type = excluded.logo_type,"
        " updated_at = excluded.updated_at",
        now=now, **values,
    )  # fmt: skip


async def delete(tx: Tx, org_id: str) -> None:
    await tx.run("DELETE FROM branding WHERE org_id = :org_id", org_id=org_id)


BLOB_COLUMNS = (BlobColumn("branding", "logo"),)

# fmt: off
INVARIANTS = (
    Invariant("branding.company", "branding belongs to the instance or to a company",
        "SELECT org_id FROM branding WHERE org_id <> '' AND org_id NOT IN (SELECT id FROM orgs)"),
    Invariant("branding.logo", "every logo's blob exists in its company's namespace",
        "SELECT org_id FROM branding WHERE logo IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM blobs WHERE blobs.org_id = branding.org_id AND blobs.digest = branding.logo)"),
    Invariant("branding.logo_type", "a logo has an image type that browsers support",
        "SELECT org_id FROM branding WHERE (logo IS NULL) <> (logo_type IS NULL)"
        " OR logo_type NOT IN ('image/png', 'image/jpeg', 'image/webp')"),
)
# fmt: on
