"""The sign-up funnel in SQL: one statement per function, no rules. May join tables of tenancy, a lower package."""

from collections.abc import Sequence

import msgspec

from teamspace.core.db import Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import BlobColumn, Invariant
from teamspace.onboarding.schemas.experience import AssetRow, ExperienceRow, FunnelOwner, LiveRow
from teamspace.onboarding.schemas.prospects import (
    DayCount,
    JudgeDecision,
    JudgeVerdict,
    NewProspect,
    ProspectKind,
    ProspectRow,
    ProspectState,
    ProspectTeam,
)
from teamspace.onboarding.schemas.sign_ups import ComparedText, SignUpRate, TextBand, TrustLevel

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


# Sign-ups


async def is_spent(db: Reads, nonce: str) -> bool:
    return await db.exists("SELECT nonce FROM pow_spent WHERE nonce = :nonce", nonce=nonce)


async def spend(tx: Tx, nonce: str, expires_at: str) -> bool:
    """Use a challenge; return whether it was unused."""
    return await tx.exists(
        "INSERT INTO pow_spent (nonce, expires_at) VALUES (:nonce, :expires_at) ON CONFLICT (nonce) DO NOTHING"
        " RETURNING nonce",
        nonce=nonce, expires_at=expires_at,
    )  # fmt: skip


async def delete_spent(tx: Tx, limit: int, now: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM pow_spent WHERE nonce IN (SELECT nonce FROM pow_spent WHERE expires_at < :now"
        " ORDER BY expires_at LIMIT :limit) RETURNING nonce",
        now=now, limit=limit,
    )  # fmt: skip


async def get_rate(db: Reads, prefix: str, now: str) -> SignUpRate | None:
    return await db.one(
        SignUpRate,
        f"SELECT {columns(SignUpRate)} FROM sign_up_rates WHERE prefix = :prefix AND resets_at > :now",
        prefix=prefix, now=now,
    )  # fmt: skip


async def count_sign_up(tx: Tx, prefix: str, now: str, resets_at: str) -> SignUpRate:
    """Count a sign-up of a network; a window that has ended begins anew."""
    counted = await tx.one(
        SignUpRate,
        "INSERT INTO sign_up_rates (prefix, count, resets_at) VALUES (:prefix, 1, :resets_at)"
        " ON CONFLICT (prefix) DO UPDATE SET"
        " count = CASE WHEN sign_up_rates.resets_at > :now THEN sign_up_rates.count + 1 ELSE 1 END,"
        " resets_at = CASE WHEN sign_up_rates.resets_at > :now THEN sign_up_rates.resets_at ELSE excluded.resets_at END"
        f" RETURNING {columns(SignUpRate)}",
        prefix=prefix, now=now, resets_at=resets_at,
    )  # fmt: skip
    assert counted is not None
    return counted


async def delete_rates(tx: Tx, limit: int, now: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM sign_up_rates WHERE prefix IN (SELECT prefix FROM sign_up_rates WHERE resets_at < :now"
        " ORDER BY resets_at LIMIT :limit) RETURNING prefix",
        now=now, limit=limit,
    )  # fmt: skip


async def insert_prospect(tx: Tx, row: NewProspect) -> None:
    values = msgspec.structs.asdict(row) | {"answers": as_json(row.answers), "signals": as_json(row.signals)}
    await tx.run(
        f"INSERT INTO prospects ({columns(NewProspect)}) VALUES ({placeholders(NewProspect)})", **values
    )  # fmt: skip


async def insert_bands(tx: Tx, prospect: NewProspect, bands: Sequence[TextBand]) -> None:
    await tx.run(
        "INSERT INTO prospect_bands (team_id, band, prospect_id, org_id, fingerprint)"
        " SELECT :team_id, given.band, :prospect_id, :org_id, given.fingerprint"
        f" FROM ({tx.dialect.json_table('bands', band='TEXT', fingerprint='TEXT')}) AS given",
        team_id=prospect.team_id, prospect_id=prospect.id, org_id=prospect.org_id, bands=as_json(bands),
    )  # fmt: skip


async def count_with_email(db: Reads, team_id: str, email_key: str, limit: int) -> int:
    return await db.one(
        int,
        "SELECT COUNT(*) FROM (SELECT 1 FROM prospects WHERE team_id = :team_id AND email_key = :email_key"
        " LIMIT :limit) AS found",
        team_id=team_id, email_key=email_key, limit=limit,
    ) or 0  # fmt: skip


async def select_fingerprints(db: Reads, team_id: str, bands: Sequence[str], since: str, limit: int) -> list[str]:
    """Return the fingerprints of texts that have a band in common with one, each once for a prospect."""
    rows = await db.all(
        ComparedText,
        "SELECT DISTINCT prospect_id, fingerprint FROM prospect_bands WHERE team_id = :team_id"
        f" AND band {db.dialect.in_strings.format('bands')} AND prospect_id > :since LIMIT :limit",
        team_id=team_id, bands=as_json(bands), since=since, limit=limit,
    )  # fmt: skip
    return [row.fingerprint for row in rows]


# Numbers


async def add_count(tx: Tx, org_id: str, team_id: str, day: str, step: str, count: int) -> None:
    await tx.run(
        "INSERT INTO funnel_days (team_id, day, step, org_id, count) VALUES (:team_id, :day, :step, :org_id, :count)"
        " ON CONFLICT (team_id, day, step) DO UPDATE SET count = funnel_days.count + excluded.count",
        team_id=team_id, day=day, step=step, org_id=org_id, count=count,
    )  # fmt: skip


async def select_days(db: Reads, fence: Fence, since: str) -> list[DayCount]:
    return await db.all(
        DayCount,
        f"SELECT {columns(DayCount)} FROM funnel_days WHERE day >= :since AND {fence.sql} ORDER BY day DESC",
        since=since, **fence.params,
    )  # fmt: skip


# Prospects


async def select_prospects(
    db: Reads, fence: Fence, kinds: Sequence[ProspectKind], before: str, limit: int
) -> list[ProspectRow]:  # fmt: skip
    """Return a page, newest first. Each kind is read from its own range of an index, up to the size of the page."""
    if not kinds:
        return await db.all(
            ProspectRow,
            f"SELECT {columns(ProspectRow)} FROM prospects WHERE id < :before AND {fence.sql}"
            " ORDER BY id DESC LIMIT :limit",
            before=before, limit=limit, **fence.params,
        )  # fmt: skip
    branches = " UNION ALL ".join(
        f"SELECT id FROM (SELECT id FROM prospects WHERE {fence.sql} AND state = '{kind.state}'"
        f" AND level = '{kind.level}' AND verdict = '{kind.verdict}' AND id < :before"
        " ORDER BY id DESC LIMIT :limit) AS branch"
        for kind in kinds
    )
    return await db.all(
        ProspectRow,
        f"SELECT {columns(ProspectRow)} FROM prospects WHERE id IN"
        f" (SELECT id FROM ({branches}) AS found ORDER BY id DESC LIMIT :limit) ORDER BY id DESC",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def find_by_email(
    db: Reads, fence: Fence, kinds: Sequence[ProspectKind], email: str, before: str, limit: int, most: int
) -> list[ProspectRow]:  # fmt: skip
    """Return a page of those, of the first `most`, whose addresses begin with a text."""
    tested = " OR ".join(
        f"(state = '{kind.state}' AND level = '{kind.level}' AND verdict = '{kind.verdict}')" for kind in kinds
    )
    return await db.all(
        ProspectRow,
        f"SELECT {columns(ProspectRow)} FROM prospects WHERE id IN (SELECT id FROM (SELECT id FROM prospects"
        f" WHERE {fence.sql} AND email_key >= :email AND email_key < :email_end ORDER BY email_key, id LIMIT :most)"
        f" AS found) AND id < :before AND ({tested or 'TRUE'}) ORDER BY id DESC LIMIT :limit",
        email=email, email_end=f"{email}\U0010ffff", before=before, limit=limit, most=most, **fence.params,
    )  # fmt: skip


async def get_prospect(db: Reads, fence: Fence, prospect_id: str) -> ProspectRow | None:
    return await db.one(
        ProspectRow,
        f"SELECT {columns(ProspectRow)} FROM prospects WHERE id = :id AND {fence.sql}",
        id=prospect_id, **fence.params,
    )  # fmt: skip


async def lock_prospect(tx: Tx, fence: Fence, prospect_id: str) -> ProspectRow | None:
    """Return a prospect, locked until the commit."""
    return await tx.one(
        ProspectRow,
        f"SELECT {columns(ProspectRow)} FROM prospects WHERE id = :id AND {fence.sql} {tx.dialect.row_lock}",
        id=prospect_id, **fence.params,
    )  # fmt: skip


async def decide(
    tx: Tx, fence: Fence, prospect_id: str, state: ProspectState, note: str, by: str, now: str, user_id: str | None
) -> bool:  # fmt: skip
    """Decide on a prospect; return whether no one has before."""
    return await tx.exists(
        "UPDATE prospects SET state = :state, note = :note, decided_by = :by, decided_at = :now, user_id = :user_id"
        f" WHERE id = :id AND state = 'captured' AND {fence.sql} RETURNING id",
        id=prospect_id, state=state, note=note, by=by, now=now, user_id=user_id, **fence.params,
    )  # fmt: skip


async def put_verdict(tx: Tx, fence: Fence, prospect_id: str, verdict: JudgeVerdict) -> bool:
    """Store what a model thinks of a prospect on whom no one has decided."""
    return await tx.exists(
        "UPDATE prospects SET verdict = :verdict, judged = :judged"
        f" WHERE id = :id AND state = 'captured' AND {fence.sql} RETURNING id",
        id=prospect_id, verdict=verdict.decision, judged=as_json(verdict), **fence.params,
    )  # fmt: skip


async def select_judged(db: Reads, fence: Fence, limit: int) -> list[ProspectRow]:
    """Return the newest prospects with a verdict."""
    branches = " UNION ALL ".join(
        f"SELECT id FROM (SELECT id FROM prospects WHERE {fence.sql} AND state = '{state}' AND level = '{level}'"
        f" AND verdict = '{verdict}' ORDER BY id DESC LIMIT :limit) AS branch"
        for state in ProspectState for level in TrustLevel for verdict in JudgeDecision
    )  # fmt: skip
    return await db.all(
        ProspectRow,
        f"SELECT {columns(ProspectRow)} FROM prospects WHERE id IN"
        f" (SELECT id FROM ({branches}) AS found ORDER BY id DESC LIMIT :limit) ORDER BY id DESC",
        limit=limit, **fence.params,
    )  # fmt: skip


async def take_judgement(tx: Tx, org_id: str, team_id: str, day: str, limit: int) -> bool:
    """Count a prospect that a model judges today; return False if there were as many as the limit."""
    return await tx.exists(
        "INSERT INTO funnel_days (team_id, day, step, org_id, count) VALUES (:team_id, :day, 'judged', :org_id, 1)"
        " ON CONFLICT (team_id, day, step) DO UPDATE SET count = funnel_days.count + 1"
        " WHERE funnel_days.count < :most RETURNING count",
        team_id=team_id, day=day, org_id=org_id, most=limit,
    )  # fmt: skip


async def delete_prospect(tx: Tx, fence: Fence, prospect_id: str) -> bool:
    return await tx.exists(
        f"DELETE FROM prospects WHERE id = :id AND {fence.sql} RETURNING id", id=prospect_id, **fence.params
    )


async def delete_old_prospects(tx: Tx, fence: Fence, end: str, limit: int) -> list[str]:
    return await tx.all(
        str,
        f"DELETE FROM prospects WHERE id IN (SELECT id FROM prospects WHERE id < :end AND {fence.sql}"
        " ORDER BY id LIMIT :limit) RETURNING id",
        end=end, limit=limit, **fence.params,
    )  # fmt: skip


async def has_older_prospects(db: Reads, fence: Fence, end: str) -> bool:
    return await db.exists(f"SELECT id FROM prospects WHERE id < :end AND {fence.sql} LIMIT 1", end=end, **fence.params)


async def select_published(db: Reads, after: str, limit: int) -> list[LiveRow]:
    """Return what all teams have published, in the order of ids."""
    return await db.all(
        LiveRow,
        f"SELECT {columns(LiveRow)} FROM experiences WHERE id > :after AND published_at IS NOT NULL"
        " ORDER BY id LIMIT :limit",
        after=after, limit=limit,
    )  # fmt: skip


async def get_published(db: Reads, fence: Fence) -> LiveRow | None:
    return await db.one(
        LiveRow,
        f"SELECT {columns(LiveRow)} FROM experiences WHERE published_at IS NOT NULL AND {fence.sql}",
        **fence.params,
    )


async def find_of_user(tx: Tx, user_id: str) -> list[ProspectTeam]:
    """Return the teams that accepted a person as a prospect."""
    return await tx.all(
        ProspectTeam, "SELECT DISTINCT org_id, team_id FROM prospects WHERE user_id = :user_id", user_id=user_id
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
    Invariant("onboarding.asset_company", "an asset's team belongs to its company",
        "SELECT onboarding_assets.id FROM onboarding_assets JOIN teams ON teams.id = onboarding_assets.team_id"
        " WHERE teams.org_id <> onboarding_assets.org_id"),
    Invariant("prospects.company", "a prospect's team, and the account they got, belong to their company",
        "SELECT p.id FROM prospects AS p JOIN teams ON teams.id = p.team_id WHERE teams.org_id <> p.org_id"
        " UNION ALL SELECT p.id FROM prospects AS p JOIN users ON users.id = p.user_id WHERE users.org_id <> p.org_id"),
    Invariant("prospects.decision", "a prospect has a decision and its time, or neither; only an accepted one has an account",
        "SELECT id FROM prospects WHERE (state = 'captured') <> (decided_at IS NULL)"
        " OR (user_id IS NOT NULL) <> (state = 'accepted')"),
    Invariant("prospects.verdict", "a prospect's verdict is what the model said",
        "SELECT id FROM prospects WHERE (verdict = 'none') <> (judged IS NULL)"),
    Invariant("onboarding.company", "an experience's team belongs to its company",
        "SELECT experiences.id FROM experiences JOIN teams ON teams.id = experiences.team_id"
        " WHERE teams.org_id <> experiences.org_id"),
    Invariant("onboarding.published", "what is published has a version and a time, and nothing else has",
        "SELECT id FROM experiences WHERE (published IS NULL) <> (published_at IS NULL)"
        " OR (published IS NULL) <> (version = 0)"),
)
# fmt: on
