"""Tenancy in SQL: one statement per function, no rules. It may join the people of identity, below it."""

from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.tables import Invariant
from teamspace.tenancy.schemas import Credential, Member, Org, OrgRole, Role, Seat, Standing, Team

_MEMBER = (
    "users.id, users.username, users.display_name, memberships.role, totp.armed_at IS NOT NULL, users.last_seen_at"
    " FROM memberships JOIN users ON users.id = memberships.user_id LEFT JOIN totp ON totp.user_id = users.id"
)


# Companies and teams


async def mark_bootstrapped(tx: Tx, at: str) -> bool:
    """True for the first caller ever, whoever else asks at the same moment."""
    return await tx.holds(
        "INSERT INTO instance (name, value) VALUES ('bootstrapped', :at) ON CONFLICT (name) DO NOTHING RETURNING name",
        at=at,
    )


async def bootstrapped(db: Reads) -> bool:
    return await db.holds("SELECT 1 FROM instance WHERE name = 'bootstrapped'")


async def insert_org(tx: Tx, org: Org) -> None:
    await tx.run(
        "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES (:id, :slug, :name, :plan, :created_at)",
        id=org.id, slug=org.slug, name=org.name, plan=org.plan, created_at=org.created_at,
    )  # fmt: skip


async def insert_team(tx: Tx, team: Team, features: str) -> None:
    await tx.run(
        "INSERT INTO teams (id, org_id, slug, name, features, created_at)"
        " VALUES (:id, :org_id, :slug, :name, :features, :created_at)",
        id=team.id, org_id=team.org_id, slug=team.slug, name=team.name, features=features, created_at=team.created_at,
    )  # fmt: skip


async def get_org(db: Reads, org_id: str) -> Org | None:
    return await db.one(Org, f"SELECT {columns(Org)} FROM orgs WHERE id = :id", id=org_id)


async def first_org(db: Reads) -> Org | None:
    return await db.one(Org, f"SELECT {columns(Org)} FROM orgs ORDER BY id LIMIT 1")


async def first_team(db: Reads, org_id: str) -> Team | None:
    return await db.one(
        Team, f"SELECT {columns(Team)} FROM teams WHERE org_id = :org_id ORDER BY id LIMIT 1", org_id=org_id
    )


async def get_team(db: Reads, team_id: str) -> Team | None:
    return await db.one(Team, f"SELECT {columns(Team)} FROM teams WHERE id = :id", id=team_id)


async def get_standing(tx: Tx, org_id: str, team_id: str, user_id: str) -> Standing | None:
    """The company and, for a person, their membership: read, and held as they are until the commit."""
    member = "JOIN memberships AS m ON m.team_id = :team_id AND m.user_id = :user_id" if user_id else ""
    return await tx.one(
        Standing,
        f"SELECT o.suspended_at FROM orgs AS o {member} WHERE o.id = :org_id {tx.dialect.share}",
        org_id=org_id, team_id=team_id, user_id=user_id,
    )  # fmt: skip


# Callers


async def get_credential(db: Reads, digest: str) -> Credential | None:
    return await db.one(
        Credential,
        "SELECT t.id, t.kind, t.org_id, t.team_id, t.user_id, t.scope, t.created_at, t.expires_at, t.last_used_at,"
        " t.revoked_at, u.username, u.operator, m.role, r.role, o.suspended_at, teams.features"
        " FROM tokens AS t JOIN teams ON teams.id = t.team_id JOIN orgs AS o ON o.id = t.org_id"
        " LEFT JOIN users AS u ON u.id = t.user_id"
        " LEFT JOIN memberships AS m ON m.team_id = t.team_id AND m.user_id = t.user_id"
        " LEFT JOIN org_roles AS r ON r.org_id = t.org_id AND r.user_id = t.user_id"
        " WHERE t.digest = :digest",
        digest=digest,
    )


async def select_seats(db: Reads, user_id: str) -> list[Seat]:
    return await db.all(
        Seat,
        "SELECT teams.id, teams.slug, teams.name, m.role FROM memberships AS m JOIN teams ON teams.id = m.team_id"
        " WHERE m.user_id = :user_id ORDER BY m.created_at, teams.id",
        user_id=user_id,
    )


async def hold_seat(tx: Tx, team_id: str, user_id: str) -> bool:
    """Whether they are in the team; if so, they stay in it until the commit."""
    return await tx.holds(
        f"SELECT 1 FROM memberships WHERE team_id = :team_id AND user_id = :user_id {tx.dialect.share}",
        team_id=team_id, user_id=user_id,
    )  # fmt: skip


async def move_session(tx: Tx, token_id: str, team_id: str) -> None:
    await tx.run("UPDATE tokens SET team_id = :team_id WHERE id = :id", id=token_id, team_id=team_id)


# Members


async def insert_membership(tx: Tx, team: Team, user_id: str, role: Role, now: str) -> bool:
    """False when they are a member already."""
    return await tx.holds(
        "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
        " VALUES (:team_id, :user_id, :org_id, :role, :now) ON CONFLICT DO NOTHING RETURNING user_id",
        team_id=team.id, user_id=user_id, org_id=team.org_id, role=role, now=now,
    )  # fmt: skip


async def insert_org_role(tx: Tx, org_id: str, user_id: str, role: OrgRole, now: str) -> None:
    await tx.run(
        "INSERT INTO org_roles (org_id, user_id, role, created_at) VALUES (:org_id, :user_id, :role, :now)",
        org_id=org_id, user_id=user_id, role=role, now=now,
    )  # fmt: skip


async def select_members(db: Reads, fence: Fence, before: str, limit: int) -> list[Member]:
    return await db.all(
        Member,
        f"SELECT {_MEMBER} WHERE {fence.sql} AND users.id < :before ORDER BY users.id DESC LIMIT :limit",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def get_member(db: Reads, fence: Fence, user_id: str) -> Member | None:
    return await db.one(
        Member, f"SELECT {_MEMBER} WHERE {fence.sql} AND users.id = :user_id", user_id=user_id, **fence.params
    )


async def count_owners(tx: Tx, team_id: str) -> int:
    sql = "SELECT COUNT(*) FROM memberships WHERE team_id = :team_id AND role = 'owner'"
    return await tx.one(int, sql, team_id=team_id) or 0


async def update_role(tx: Tx, team_id: str, user_id: str, role: Role) -> None:
    await tx.run(
        "UPDATE memberships SET role = :role WHERE team_id = :team_id AND user_id = :user_id",
        team_id=team_id, user_id=user_id, role=role,
    )  # fmt: skip


async def delete_membership(tx: Tx, team_id: str, user_id: str) -> None:
    await tx.run(
        "DELETE FROM memberships WHERE team_id = :team_id AND user_id = :user_id", team_id=team_id, user_id=user_id
    )


async def is_colleague(db: Reads, org_id: str, user_id: str) -> bool:
    """Whether they are in some team of the company now."""
    return await db.holds(
        "SELECT 1 FROM memberships WHERE user_id = :user_id AND org_id = :org_id LIMIT 1",
        user_id=user_id, org_id=org_id,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("tenancy.company", "team, member and company role belong to one company",
        "SELECT m.user_id FROM memberships m JOIN teams t ON t.id = m.team_id JOIN users u ON u.id = m.user_id"
        " WHERE m.org_id <> t.org_id OR m.org_id <> u.org_id UNION ALL"
        " SELECT r.user_id FROM org_roles r JOIN users u ON u.id = r.user_id WHERE r.org_id <> u.org_id"),
    Invariant("tenancy.bootstrap", "there are people only after the bootstrap",
        "SELECT id FROM users WHERE NOT EXISTS (SELECT 1 FROM instance WHERE name = 'bootstrapped')"),
    Invariant("tenancy.owners", "a team with members has an owner",
        "SELECT team_id FROM memberships GROUP BY team_id HAVING SUM(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0"),
    Invariant("tenancy.credentials", "a live session or API token belongs to a member of its team",
        "SELECT t.id FROM tokens t WHERE t.kind IN ('session', 'api') AND t.revoked_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM memberships m WHERE m.team_id = t.team_id AND m.user_id = t.user_id)"),
)
# fmt: on
