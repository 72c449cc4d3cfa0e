"""Tenancy in SQL: one statement per function, no rules. It may join the people of identity, below it."""

from collections.abc import Sequence
from functools import cache

from teamspace.core.db import Fence, Reads, Tx, columns, listed
from teamspace.core.tables import Count, Invariant
from teamspace.tenancy.schemas import (
    Acquaintance,
    Credential,
    Member,
    Named,
    Org,
    OrgRole,
    Role,
    Seat,
    SeatRow,
    Standing,
    Team,
)

COUNTS = (
    Count("orgs", "SELECT COUNT(*) FROM orgs"),
    Count("teams", "SELECT COUNT(*) FROM teams"),
    Count("tenants", "SELECT COUNT(*) FROM instance WHERE name = 'provisioned'"),
)
_ORG = "id, slug, name, plan, domain, created_at, suspended_at, suspended_at IS NOT NULL"
_STANDING = (
    "u.username, u.operator, u.disabled_at, m.role, r.role, o.suspended_at,"
    " (SELECT value <> '' FROM instance WHERE name = 'suspended_at'), teams.features, teams.slug"
)
_PERSON = (
    "SELECT users.id, users.username, users.display_name, memberships.role, org_roles.role, totp.armed_at IS NOT NULL,"
    " users.last_seen_at FROM {people} LEFT JOIN totp ON totp.user_id = users.id"
    " LEFT JOIN org_roles ON org_roles.org_id = users.org_id AND org_roles.user_id = users.id"
)
_MEMBER = _PERSON.format(people="memberships JOIN users ON users.id = memberships.user_id")
_COLLEAGUE = _PERSON.format(
    people="users LEFT JOIN memberships ON memberships.user_id = users.id AND memberships.team_id = :team_id"
)


# Companies and teams


async def mark_bootstrapped(tx: Tx, at: str) -> bool:
    """True for the first caller ever, whoever else asks at the same moment."""
    return await tx.holds(
        "INSERT INTO instance (name, value) VALUES ('bootstrapped', :at) ON CONFLICT (name) DO NOTHING RETURNING name",
        at=at,
    )


async def mark_provisioned(tx: Tx, at: str) -> bool:
    """True for the first caller ever."""
    return await tx.holds(
        "INSERT INTO instance (name, value) VALUES ('provisioned', :at) ON CONFLICT (name) DO NOTHING RETURNING name",
        at=at,
    )


async def set_tenant_suspended(tx: Tx, at: str) -> None:
    """Since when the tenant is suspended; empty when it is not."""
    await tx.run("UPDATE instance SET value = :at WHERE name = 'suspended_at'", at=at)


async def get_tenant_suspended(db: Reads) -> str:
    return await db.one(str, "SELECT value FROM instance WHERE name = 'suspended_at'") or ""


async def bootstrapped(db: Reads) -> bool:
    return await db.holds("SELECT 1 FROM instance WHERE name = 'bootstrapped'")


async def insert_org(tx: Tx, org: Org) -> None:
    await tx.run(
        "INSERT INTO orgs (id, slug, name, plan, domain, created_at)"
        " VALUES (:id, :slug, :name, :plan, :domain, :created_at)",
        id=org.id, slug=org.slug, name=org.name, plan=org.plan, domain=org.domain, created_at=org.created_at,
    )  # fmt: skip


async def insert_team(tx: Tx, team: Team, features: str) -> None:
    await tx.run(
        "INSERT INTO teams (id, org_id, slug, name, features, created_at)"
        " VALUES (:id, :org_id, :slug, :name, :features, :created_at)",
        id=team.id, org_id=team.org_id, slug=team.slug, name=team.name, features=features, created_at=team.created_at,
    )  # fmt: skip


async def get_org(db: Reads, org_id: str) -> Org | None:
    return await db.one(Org, f"SELECT {_ORG} FROM orgs WHERE id = :id", id=org_id)


async def find_org(db: Reads, ref: str) -> Org | None:
    """By id or by slug; no slug looks like an id."""
    return await db.one(Org, f"SELECT {_ORG} FROM orgs WHERE id = :ref OR slug = :ref", ref=ref)


async def select_orgs(db: Reads, before: str, limit: int) -> list[Org]:
    return await db.all(
        Org,
        f"SELECT {_ORG} FROM orgs WHERE id < :before ORDER BY id DESC LIMIT :limit",
        before=before, limit=limit,
    )  # fmt: skip


async def update_org(tx: Tx, org: Org) -> Org | None:
    return await tx.one(
        Org,
        f"UPDATE orgs SET name = :name, plan = :plan, domain = :domain WHERE id = :id RETURNING {_ORG}",
        id=org.id, name=org.name, plan=org.plan, domain=org.domain,
    )  # fmt: skip


async def suspend_org(tx: Tx, org_id: str, now: str) -> Org | None:
    """Suspended since the first time somebody said so."""
    return await tx.one(
        Org,
        f"UPDATE orgs SET suspended_at = COALESCE(suspended_at, :now) WHERE id = :id RETURNING {_ORG}",
        id=org_id, now=now,
    )  # fmt: skip


async def resume_org(tx: Tx, org_id: str) -> Org | None:
    return await tx.one(Org, f"UPDATE orgs SET suspended_at = NULL WHERE id = :id RETURNING {_ORG}", id=org_id)


async def has_org_slug(db: Reads, slug: str) -> bool:
    return await db.holds("SELECT 1 FROM orgs WHERE slug = :slug", slug=slug)


async def has_team_slug(db: Reads, org_id: str, slug: str) -> bool:
    return await db.holds("SELECT 1 FROM teams WHERE org_id = :org_id AND slug = :slug", org_id=org_id, slug=slug)


async def first_org(db: Reads) -> Org | None:
    return await db.one(Org, f"SELECT {_ORG} FROM orgs ORDER BY id LIMIT 1")


async def first_team(db: Reads, org_id: str) -> Team | None:
    return await db.one(
        Team, f"SELECT {columns(Team)} FROM teams WHERE org_id = :org_id ORDER BY id LIMIT 1", org_id=org_id
    )


async def get_team(db: Reads, team_id: str) -> Team | None:
    return await db.one(Team, f"SELECT {columns(Team)} FROM teams WHERE id = :id", id=team_id)


async def get_team_of(db: Reads, fence: Fence, team_id: str) -> Team | None:
    return await db.one(
        Team, f"SELECT {columns(Team)} FROM teams WHERE id = :id AND {fence.sql}", id=team_id, **fence.params
    )


async def select_teams(db: Reads, fence: Fence, before: str, limit: int) -> list[Team]:
    return await db.all(
        Team,
        f"SELECT {columns(Team)} FROM teams WHERE id IN ({fence.newest(db.dialect)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def get_features(tx: Tx, team_id: str) -> str | None:
    return await tx.one(str, "SELECT features FROM teams WHERE id = :id", id=team_id)


async def update_features(tx: Tx, team_id: str, features: str) -> None:
    await tx.run("UPDATE teams SET features = :features WHERE id = :id", id=team_id, features=features)


async def get_standing(
    tx: Tx, org_id: str, team_id: str, user_id: str, token_id: str, *, hosted: bool
) -> Standing | None:
    """The company and, for a person, their membership and rights, and the credential: read in the write's transaction.

    Company, membership and credential are held as they are until the commit. In hosted mode so is the tenant's own
    row, which every write then shares.
    """
    return await tx.one(
        Standing,
        f"{_standing(person=bool(user_id), credential=bool(token_id), hosted=hosted)} {tx.dialect.share}",
        org_id=org_id, team_id=team_id, user_id=user_id, token_id=token_id, nothing="",
    )  # fmt: skip


@cache
def _standing(*, person: bool, credential: bool, hosted: bool) -> str:
    rights = (
        "m.role, (SELECT role FROM org_roles WHERE org_id = o.id AND user_id = m.user_id),"
        " (SELECT operator FROM users WHERE id = m.user_id)"
    )
    return (
        f"SELECT o.suspended_at, {'i.value <> :nothing' if hosted else 'FALSE'}, {rights if person else 'NULL, NULL, NULL'},"
        f" {'t.revoked_at IS NOT NULL, t.expires_at' if credential else 'FALSE, NULL'} FROM orgs AS o"
        + (" JOIN instance AS i ON i.name = 'suspended_at'" if hosted else "")
        + (" JOIN memberships AS m ON m.team_id = :team_id AND m.user_id = :user_id" if person else "")
        + (" JOIN tokens AS t ON t.id = :token_id" if credential else "")
        + " WHERE o.id = :org_id"
    )


# Callers


async def get_credential(db: Reads, digest: str) -> Credential | None:
    return await db.one(
        Credential,
        "SELECT t.id, t.kind, t.org_id, t.team_id, t.user_id, t.scope, t.created_at, t.expires_at, t.last_used_at,"
        f" t.revoked_at, t.secret, t.given_by, t.minted, {_STANDING} FROM tokens AS t"
        " JOIN teams ON teams.id = t.team_id JOIN orgs AS o ON o.id = t.org_id"
        " LEFT JOIN users AS u ON u.id = t.user_id"
        " LEFT JOIN memberships AS m ON m.team_id = t.team_id AND m.user_id = t.user_id"
        " LEFT JOIN org_roles AS r ON r.org_id = t.org_id AND r.user_id = t.user_id"
        " WHERE t.digest = :digest",
        digest=digest,
    )


async def get_person(db: Reads, user_id: str, team_id: str) -> Credential | None:
    """The same of a member without a token, as if they had just been given one."""
    return await db.one(
        Credential,
        "SELECT '', 'api', m.org_id, m.team_id, m.user_id, NULL, m.created_at, NULL, NULL, NULL, NULL, NULL,"
        " FALSE,"
        f" {_STANDING} FROM memberships AS m JOIN teams ON teams.id = m.team_id JOIN orgs AS o ON o.id = m.org_id"
        " JOIN users AS u ON u.id = m.user_id"
        " LEFT JOIN org_roles AS r ON r.org_id = m.org_id AND r.user_id = m.user_id"
        " WHERE m.user_id = :user_id AND m.team_id = :team_id AND u.disabled_at IS NULL",
        user_id=user_id, team_id=team_id,
    )  # fmt: skip


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


async def put_org_role(tx: Tx, org_id: str, user_id: str, role: OrgRole, now: str) -> None:
    await tx.run(
        "INSERT INTO org_roles (org_id, user_id, role, created_at) VALUES (:org_id, :user_id, :role, :now)"
        " ON CONFLICT (org_id, user_id) DO UPDATE SET role = excluded.role",
        org_id=org_id, user_id=user_id, role=role, now=now,
    )  # fmt: skip


async def delete_org_role(tx: Tx, org_id: str, user_id: str) -> None:
    await tx.run("DELETE FROM org_roles WHERE org_id = :org_id AND user_id = :user_id", org_id=org_id, user_id=user_id)


async def get_org_role(tx: Tx, org_id: str, user_id: str) -> str | None:
    return await tx.one(
        str,
        "SELECT role FROM org_roles WHERE org_id = :org_id AND user_id = :user_id",
        org_id=org_id, user_id=user_id,
    )  # fmt: skip


async def count_org_owners(tx: Tx, org_id: str) -> int:
    sql = "SELECT COUNT(*) FROM org_roles WHERE org_id = :org_id AND role = 'org_owner'"
    return await tx.one(int, sql, org_id=org_id) or 0


async def select_colleagues(db: Reads, fence: Fence, team_id: str, before: str, limit: int) -> list[Member]:
    return await db.all(
        Member,
        f"{_COLLEAGUE} WHERE {fence.sql} AND users.id < :before ORDER BY users.id DESC LIMIT :limit",
        team_id=team_id, before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def get_colleague(db: Reads, fence: Fence, team_id: str, user_id: str) -> Member | None:
    return await db.one(
        Member,
        f"{_COLLEAGUE} WHERE {fence.sql} AND users.id = :user_id",
        team_id=team_id, user_id=user_id, **fence.params,
    )  # fmt: skip


async def select_members(db: Reads, fence: Fence, before: str, limit: int) -> list[Member]:
    return await db.all(
        Member,
        f"{_MEMBER} WHERE {fence.sql} AND users.id < :before ORDER BY users.id DESC LIMIT :limit",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def get_member(db: Reads, fence: Fence, user_id: str) -> Member | None:
    return await db.one(Member, f"{_MEMBER} WHERE {fence.sql} AND users.id = :user_id", user_id=user_id, **fence.params)


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


def seated(table: str) -> str:
    """A predicate for fences: the person `:user_id` is in the team of a row of `table` now."""
    return (
        f"EXISTS (SELECT 1 FROM memberships AS seats WHERE seats.team_id = {table}.team_id"
        " AND seats.user_id = :user_id)"
    )


async def is_operator(db: Reads, user_id: str) -> bool:
    return await db.holds("SELECT 1 FROM users WHERE id = :id AND operator = TRUE", id=user_id)


async def is_member(db: Reads, team_id: str, user_id: str) -> bool:
    return await db.holds(
        "SELECT 1 FROM memberships WHERE team_id = :team_id AND user_id = :user_id", team_id=team_id, user_id=user_id
    )


async def is_colleague(db: Reads, org_id: str, user_id: str) -> bool:
    """Whether they are in some team of the company now."""
    return await db.holds(
        "SELECT 1 FROM memberships WHERE user_id = :user_id AND org_id = :org_id LIMIT 1",
        user_id=user_id, org_id=org_id,
    )  # fmt: skip


async def pass_on(tx: Tx, table: str, team: Team, owner: str, to: str, most: int) -> int:
    """How many rows changed hands; fewer than `most` when none is left."""
    moved = await tx.all(
        str,
        f"UPDATE {table} SET owner_id = :to WHERE id IN (SELECT id FROM {table} WHERE org_id = :org_id"
        " AND owner_id = :owner AND team_id = :team_id LIMIT :most) RETURNING id",
        to=to, org_id=team.org_id, owner=owner, team_id=team.id, most=most,
    )  # fmt: skip
    return len(moved)


# The directory


async def select_people_like(db: Reads, team_id: str, like: str, limit: int) -> list[Acquaintance]:
    return await db.all(
        Acquaintance,
        "SELECT 'user', users.id, users.display_name, users.username FROM memberships JOIN users"
        " ON users.id = memberships.user_id WHERE memberships.team_id = :team_id"
        " AND (lower(users.display_name) LIKE :like ESCAPE '\\' OR users.username_key LIKE :like ESCAPE '\\')"
        " ORDER BY lower(users.display_name), users.id LIMIT :limit",
        team_id=team_id, like=like, limit=limit,
    )  # fmt: skip


async def select_teams_like(db: Reads, org_id: str, like: str, limit: int) -> list[Acquaintance]:
    return await db.all(
        Acquaintance,
        "SELECT 'team', id, name, NULL FROM teams WHERE org_id = :org_id AND lower(name) LIKE :like ESCAPE '\\'"
        " ORDER BY lower(name), id LIMIT :limit",
        org_id=org_id, like=like, limit=limit,
    )  # fmt: skip


async def select_names(db: Reads, org_id: str, ids: Sequence[str]) -> list[Named]:
    these, named = listed("id", ids)
    return await db.all(
        Named,
        f"SELECT id, display_name FROM users WHERE org_id = :org_id AND id IN ({these})"
        f" UNION ALL SELECT id, name FROM teams WHERE org_id = :org_id AND id IN ({these})",
        org_id=org_id, **named,
    )  # fmt: skip


async def select_seats_of(
    db: Reads, org_id: str, *, user_ids: Sequence[str], team_ids: Sequence[str], officers: bool, after: str, limit: int
) -> list[SeatRow]:  # fmt: skip
    """Every seat of the first `limit` people beyond `after`, in the order of people."""
    people, named_people = listed("user", user_ids)
    teams, named_teams = listed("team", team_ids)
    who = [f"SELECT user_id FROM memberships WHERE org_id = :org_id AND team_id IN ({teams})"] if team_ids else []
    who += [f"SELECT id AS user_id FROM users WHERE org_id = :org_id AND id IN ({people})"] if user_ids else []
    who += ["SELECT user_id FROM org_roles WHERE org_id = :org_id"] if officers else []
    return await db.all(
        SeatRow,
        "SELECT users.id, users.username, users.display_name, users.operator, memberships.team_id, memberships.role,"
        f" org_roles.role FROM (SELECT DISTINCT user_id FROM ({' UNION '.join(who)}) AS anybody WHERE user_id > :after"
        " AND EXISTS (SELECT 1 FROM memberships AS any_seat WHERE any_seat.user_id = anybody.user_id)"
        " ORDER BY user_id LIMIT :limit) AS page JOIN users ON users.id = page.user_id"
        " JOIN memberships ON memberships.user_id = users.id LEFT JOIN org_roles ON org_roles.user_id = users.id"
        " ORDER BY users.id, memberships.team_id",
        org_id=org_id, after=after, limit=limit, **named_people, **named_teams,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("tenancy.company", "team, member and company role belong to one company",
        "SELECT m.user_id FROM memberships m JOIN teams t ON t.id = m.team_id JOIN users u ON u.id = m.user_id"
        " WHERE m.org_id <> t.org_id OR m.org_id <> u.org_id UNION ALL"
        " SELECT r.user_id FROM org_roles r JOIN users u ON u.id = r.user_id WHERE r.org_id <> u.org_id"),
    Invariant("tenancy.bootstrap", "there are people only after the bootstrap",
        "SELECT id FROM users WHERE NOT EXISTS (SELECT 1 FROM instance WHERE name = 'bootstrapped')"),
    Invariant("tenancy.company_owners", "a company with people has an owner",
        "SELECT id FROM orgs WHERE EXISTS (SELECT 1 FROM memberships WHERE memberships.org_id = orgs.id) AND NOT EXISTS"
        " (SELECT 1 FROM org_roles WHERE org_roles.org_id = orgs.id AND org_roles.role = 'org_owner')"),
    Invariant("tenancy.owners", "a team with members has an owner",
        "SELECT team_id FROM memberships GROUP BY team_id HAVING SUM(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0"),
    Invariant("tenancy.credentials", "a live session, API token or access key belongs to a member of its team",
        "SELECT t.id FROM tokens t WHERE t.kind IN ('session', 'api', 's3') AND t.revoked_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM memberships m WHERE m.team_id = t.team_id AND m.user_id = t.user_id)"),
)
# fmt: on
