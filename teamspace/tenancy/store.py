"""SQL of tenancy: one statement per function, no rules. It may join the tables of identity, the package below."""

from collections.abc import Callable, Sequence
from functools import cache

import msgspec

from teamspace.core.db import Fence, Reads, Tx, as_json, columns
from teamspace.core.tables import Count, Invariant
from teamspace.tenancy.schemas import (
    Contact,
    CredentialRow,
    DirectoryEntry,
    Member,
    Membership,
    MembershipRow,
    NameRow,
    Org,
    OrgRole,
    Preferences,
    Role,
    Team,
    TeamState,
    WriterState,
)

COUNTS = (
    Count("orgs", "SELECT COUNT(*) FROM orgs"),
    Count("teams", "SELECT COUNT(*) FROM teams"),
    Count("tenants", "SELECT COUNT(*) FROM instance WHERE name = 'provisioned'"),
)
_ORG = "id, slug, name, plan, domain, created_at, suspended_at, suspended_at IS NOT NULL"
_CALLER_STATE = (
    "u.username, u.locale, u.operator, u.disabled_at, m.role, r.role, o.suspended_at,"
    " (SELECT value <> '' FROM instance WHERE name = 'suspended_at'), teams.features, teams.slug"
)
_CREDENTIAL = (
    "SELECT t.id, t.kind, t.org_id, t.team_id, t.user_id, t.scope, t.created_at, t.expires_at, t.last_used_at,"
    f" t.revoked_at, t.secret, t.given_by, t.minted, {_CALLER_STATE} FROM tokens AS t"
    " JOIN teams ON teams.id = t.team_id JOIN orgs AS o ON o.id = t.org_id"
    " LEFT JOIN users AS u ON u.id = t.user_id"
    " LEFT JOIN memberships AS m ON m.team_id = t.team_id AND m.user_id = t.user_id"
    " LEFT JOIN org_roles AS r ON r.org_id = t.org_id AND r.user_id = t.user_id"
)
_PERSON = (
    "SELECT users.id, users.username, users.display_name, memberships.role, org_roles.role, totp.armed_at IS NOT NULL,"
    " users.last_seen_at, users.disabled_at IS NOT NULL FROM {people} LEFT JOIN totp ON totp.user_id = users.id"
    " LEFT JOIN org_roles ON org_roles.org_id = users.org_id AND org_roles.user_id = users.id"
)
_MEMBER = _PERSON.format(people="memberships JOIN users ON users.id = memberships.user_id")
_COLLEAGUE = _PERSON.format(
    people="users LEFT JOIN memberships ON memberships.user_id = users.id AND memberships.team_id = :team_id"
)


# Companies and teams


async def mark_bootstrapped(tx: Tx, at: str) -> bool:
    """Return True only for the first caller ever, even if several call at once."""
    return await tx.exists(
        "INSERT INTO instance (name, value) VALUES ('bootstrapped', :at) ON CONFLICT (name) DO NOTHING RETURNING name",
        at=at,
    )


async def mark_provisioned(tx: Tx, at: str) -> bool:
    """Return True only for the first caller ever."""
    return await tx.exists(
        "INSERT INTO instance (name, value) VALUES ('provisioned', :at) ON CONFLICT (name) DO NOTHING RETURNING name",
        at=at,
    )


async def set_tenant_suspended(tx: Tx, at: str) -> None:
    """Set the time of the suspension; empty means not suspended."""
    await tx.run("UPDATE instance SET value = :at WHERE name = 'suspended_at'", at=at)


async def get_tenant_suspended(db: Reads) -> str:
    return await db.one(str, "SELECT value FROM instance WHERE name = 'suspended_at'") or ""


async def is_bootstrapped(db: Reads) -> bool:
    return await db.exists("SELECT 1 FROM instance WHERE name = 'bootstrapped'")


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
    """Return the company by id or slug. A slug never looks like an id."""
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
    """Suspend the company; keeps the time of an earlier suspension."""
    return await tx.one(
        Org,
        f"UPDATE orgs SET suspended_at = COALESCE(suspended_at, :now) WHERE id = :id RETURNING {_ORG}",
        id=org_id, now=now,
    )  # fmt: skip


async def resume_org(tx: Tx, org_id: str) -> Org | None:
    return await tx.one(Org, f"UPDATE orgs SET suspended_at = NULL WHERE id = :id RETURNING {_ORG}", id=org_id)


async def has_org_slug(db: Reads, slug: str) -> bool:
    return await db.exists("SELECT 1 FROM orgs WHERE slug = :slug", slug=slug)


async def has_team_slug(db: Reads, org_id: str, slug: str) -> bool:
    return await db.exists("SELECT 1 FROM teams WHERE org_id = :org_id AND slug = :slug", org_id=org_id, slug=slug)


async def get_first_org(db: Reads) -> Org | None:
    return await db.one(Org, f"SELECT {_ORG} FROM orgs ORDER BY id LIMIT 1")


async def get_first_team(db: Reads, org_id: str) -> Team | None:
    return await db.one(
        Team, f"SELECT {columns(Team)} FROM teams WHERE org_id = :org_id ORDER BY id LIMIT 1", org_id=org_id
    )


async def get_team(db: Reads, team_id: str) -> Team | None:
    return await db.one(Team, f"SELECT {columns(Team)} FROM teams WHERE id = :id", id=team_id)


async def get_team_state(db: Reads, team_id: str) -> TeamState | None:
    return await db.one(
        TeamState,
        "SELECT teams.org_id, teams.features, orgs.suspended_at IS NOT NULL FROM teams"
        " JOIN orgs ON orgs.id = teams.org_id WHERE teams.id = :id",
        id=team_id,
    )  # fmt: skip


async def get_team_fenced(db: Reads, fence: Fence, team_id: str) -> Team | None:
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


async def check_writer(
    tx: Tx, user_id: str, token_id: str, verify: Callable[[WriterState | None], None], *, hosted: bool
) -> None:
    """Have `verify` judge the company, the credential and, for a person, their membership and roles.

    The rows of company, membership and credential stay share-locked until the commit; in hosted mode also the tenant's.
    """
    await tx.check(
        WriterState,
        f"{_writer_state_sql(person=bool(user_id), credential=bool(token_id), hosted=hosted)} {tx.dialect.share_lock}",
        verify, org_id=tx.org_id, team_id=tx.team_id, user_id=user_id, token_id=token_id, nothing="",
    )  # fmt: skip


@cache
def _writer_state_sql(*, person: bool, credential: bool, hosted: bool) -> str:
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


async def get_credential(db: Reads, digest: str) -> CredentialRow | None:
    """The secret of a kept sign-in is none: it is only exchanged for a session."""
    return await db.one(CredentialRow, f"{_CREDENTIAL} WHERE t.digest = :digest AND t.kind <> 'stay'", digest=digest)


async def select_credentials(db: Reads, ids: Sequence[str]) -> list[CredentialRow]:
    id_list = db.dialect.json_strings.format("ids")
    return await db.all(
        CredentialRow, f"{_CREDENTIAL} WHERE t.id IN ({id_list})", ids=msgspec.json.encode(ids).decode()
    )


async def get_member_credential(db: Reads, user_id: str, team_id: str) -> CredentialRow | None:
    """Return the same for a member without a token, as if they had a new one."""
    return await db.one(
        CredentialRow,
        "SELECT '', 'api', m.org_id, m.team_id, m.user_id, NULL, m.created_at, NULL, NULL, NULL, NULL, NULL,"
        " FALSE,"
        f" {_CALLER_STATE} FROM memberships AS m JOIN teams ON teams.id = m.team_id JOIN orgs AS o ON o.id = m.org_id"
        " JOIN users AS u ON u.id = m.user_id"
        " LEFT JOIN org_roles AS r ON r.org_id = m.org_id AND r.user_id = m.user_id"
        " WHERE m.user_id = :user_id AND m.team_id = :team_id AND u.disabled_at IS NULL",
        user_id=user_id, team_id=team_id,
    )  # fmt: skip


async def select_memberships(db: Reads, user_id: str) -> list[Membership]:
    return await db.all(
        Membership,
        "SELECT teams.id, teams.slug, teams.name, m.role FROM memberships AS m JOIN teams ON teams.id = m.team_id"
        " WHERE m.user_id = :user_id ORDER BY m.created_at, teams.id",
        user_id=user_id,
    )


async def get_preferences(db: Reads, user_id: str, team_id: str) -> Preferences:
    """Return what the person has chosen, in the team where it is about a team; the defaults for the rest."""
    found = await db.one(
        Preferences,
        "SELECT COALESCE(p.files_as, 'list'), COALESCE(p.files_by, 'name'), COALESCE(p.files_descending, FALSE),"
        " COALESCE(p.editor_source, FALSE), d.user_id IS NOT NULL FROM users LEFT JOIN preferences AS p"
        " ON p.user_id = users.id LEFT JOIN dismissed_checklists AS d ON d.user_id = users.id AND d.team_id = :team_id"
        " WHERE users.id = :user_id",
        user_id=user_id, team_id=team_id,
    )  # fmt: skip
    assert found is not None
    return found


async def put_preferences(tx: Tx, user_id: str, org_id: str, given: Preferences) -> None:
    await tx.run(
        "INSERT INTO preferences (user_id, org_id, files_as, files_by, files_descending, editor_source)"
        " VALUES (:user_id, :org_id, :files_as, :files_by, :files_descending, :editor_source)"
        " ON CONFLICT (user_id) DO UPDATE SET files_as = excluded.files_as, files_by = excluded.files_by,"
        " files_descending = excluded.files_descending, editor_source = excluded.editor_source",
        user_id=user_id, org_id=org_id, files_as=given.files_as, files_by=given.files_by,
        files_descending=given.files_descending, editor_source=given.editor_source,
    )  # fmt: skip


async def dismiss_checklist(tx: Tx, user_id: str, team_id: str, org_id: str) -> None:
    await tx.run(
        "INSERT INTO dismissed_checklists (user_id, team_id, org_id) VALUES (:user_id, :team_id, :org_id)"
        " ON CONFLICT (user_id, team_id) DO NOTHING",
        user_id=user_id, team_id=team_id, org_id=org_id,
    )  # fmt: skip


async def restore_checklist(tx: Tx, user_id: str, team_id: str, org_id: str) -> None:
    await tx.run(
        "DELETE FROM dismissed_checklists WHERE user_id = :user_id AND team_id = :team_id AND org_id = :org_id",
        user_id=user_id, team_id=team_id, org_id=org_id,
    )  # fmt: skip


async def lock_membership(tx: Tx, team_id: str, user_id: str) -> bool:
    """Return whether the person is in the team; if so, the membership stays locked until the commit."""
    return await tx.exists(
        f"SELECT 1 FROM memberships WHERE team_id = :team_id AND user_id = :user_id {tx.dialect.share_lock}",
        team_id=team_id, user_id=user_id,
    )  # fmt: skip


async def move_session(tx: Tx, token_id: str, team_id: str) -> None:
    """Move a session to another team, with its kept sign-in."""
    await tx.run(
        "UPDATE tokens SET team_id = :team_id WHERE id = :id OR id = (SELECT stay_id FROM tokens WHERE id = :id)",
        id=token_id, team_id=team_id,
    )  # fmt: skip


# Members


async def insert_membership(tx: Tx, team: Team, user_id: str, role: Role, now: str) -> bool:
    """Return False if they are already a member."""
    return await tx.exists(
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


def current_membership(table: str) -> str:
    """Return a subquery for fences: the membership of the person `:user_id` in the team of the row of `table`."""
    return (
        f"SELECT 1 FROM memberships AS current_member WHERE current_member.team_id = {table}.team_id"
        " AND current_member.user_id = :user_id"
    )


async def is_operator(db: Reads, user_id: str) -> bool:
    return await db.exists("SELECT 1 FROM users WHERE id = :id AND operator = TRUE", id=user_id)


async def is_member(db: Reads, team_id: str, user_id: str) -> bool:
    return await db.exists(
        "SELECT 1 FROM memberships WHERE team_id = :team_id AND user_id = :user_id", team_id=team_id, user_id=user_id
    )


async def is_colleague(db: Reads, org_id: str, user_id: str) -> bool:
    """Return whether they are in any team of the company."""
    return await db.exists(
        "SELECT 1 FROM memberships WHERE user_id = :user_id AND org_id = :org_id LIMIT 1",
        user_id=user_id, org_id=org_id,
    )  # fmt: skip


async def transfer(tx: Tx, table: str, team: Team, owner: str, to: str, limit: int) -> list[str]:
    """Give up to `limit` rows to the new owner; return their ids. Fewer than `limit` means none are left."""
    return await tx.all(
        str,
        f"UPDATE {table} SET owner_id = :to WHERE id IN (SELECT id FROM {table} WHERE org_id = :org_id"
        " AND owner_id = :owner AND team_id = :team_id LIMIT :limit) RETURNING id",
        to=to, org_id=team.org_id, owner=owner, team_id=team.id, limit=limit,
    )  # fmt: skip


# The directory


async def select_managers(db: Reads, fence: Fence, caller: str, limit: int) -> list[Contact]:
    return await db.all(Contact, _contacts(fence, "'owner', 'admin'"), caller=caller, limit=limit, **fence.params)


async def select_org_managers(db: Reads, fence: Fence, caller: str, limit: int) -> list[Contact]:
    return await db.all(
        Contact, _contacts(fence, "'org_owner', 'org_admin'"), caller=caller, limit=limit, **fence.params
    )


def _contacts(fence: Fence, roles: str) -> str:
    """Owners first. The roles are literals, as in the partial indexes that hold the few rows with them."""
    return (
        f"SELECT users.id, users.username, users.display_name FROM {fence.table}"
        f" JOIN users ON users.id = {fence.table}.user_id WHERE {fence.sql} AND {fence.table}.role IN ({roles})"
        f" AND users.disabled_at IS NULL AND users.id <> :caller ORDER BY {fence.table}.role DESC,"
        f" {fence.table}.user_id LIMIT :limit"
    )


async def select_people_like(db: Reads, team_id: str, like: str, limit: int) -> list[DirectoryEntry]:
    return await db.all(
        DirectoryEntry,
        "SELECT 'user', users.id, users.display_name, users.username FROM memberships JOIN users"
        " ON users.id = memberships.user_id WHERE memberships.team_id = :team_id"
        " AND (lower(users.display_name) LIKE :like ESCAPE '\\' OR users.username_key LIKE :like ESCAPE '\\')"
        " ORDER BY lower(users.display_name), users.id LIMIT :limit",
        team_id=team_id, like=like, limit=limit,
    )  # fmt: skip


async def select_teams_like(db: Reads, org_id: str, like: str, limit: int) -> list[DirectoryEntry]:
    return await db.all(
        DirectoryEntry,
        "SELECT 'team', id, name, NULL FROM teams WHERE org_id = :org_id AND lower(name) LIKE :like ESCAPE '\\'"
        " ORDER BY lower(name), id LIMIT :limit",
        org_id=org_id, like=like, limit=limit,
    )  # fmt: skip


async def select_names(db: Reads, org_id: str, ids: Sequence[str]) -> list[NameRow]:
    given = db.dialect.in_strings.format("ids")
    return await db.all(
        NameRow,
        f"SELECT id, display_name FROM users WHERE org_id = :org_id AND id {given}"
        f" UNION ALL SELECT id, name FROM teams WHERE org_id = :org_id AND id {given}",
        org_id=org_id, ids=as_json(ids),
    )  # fmt: skip


async def select_memberships_of(
    db: Reads, org_id: str, *, user_ids: Sequence[str], team_ids: Sequence[str], with_org_roles: bool, after: str,
    limit: int,
) -> list[MembershipRow]:  # fmt: skip
    """Return all memberships of the first `limit` people after `after`, ordered by person."""
    given = db.dialect.in_strings
    return await db.all(
        MembershipRow,
        "SELECT users.id, users.username, users.display_name, users.operator, memberships.team_id, memberships.role,"
        " org_roles.role FROM (SELECT DISTINCT user_id FROM ("
        f"SELECT user_id FROM memberships WHERE org_id = :org_id AND team_id {given.format('team_ids')}"
        f" UNION SELECT id FROM users WHERE org_id = :org_id AND id {given.format('user_ids')}"
        " UNION SELECT user_id FROM org_roles WHERE org_id = :org_id AND CAST(:with_org_roles AS BOOLEAN)) AS people"
        " WHERE user_id > :after"
        " AND EXISTS (SELECT 1 FROM memberships AS membership WHERE membership.user_id = people.user_id)"
        " ORDER BY user_id LIMIT :limit) AS page JOIN users ON users.id = page.user_id"
        " JOIN memberships ON memberships.user_id = users.id LEFT JOIN org_roles ON org_roles.user_id = users.id"
        " ORDER BY users.id, memberships.team_id",
        org_id=org_id, after=after, limit=limit, user_ids=as_json(user_ids), team_ids=as_json(team_ids),
        with_org_roles=with_org_roles,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("tenancy.company", "team, member and company role belong to one company",
        "SELECT m.user_id FROM memberships m JOIN teams t ON t.id = m.team_id JOIN users u ON u.id = m.user_id"
        " WHERE m.org_id <> t.org_id OR m.org_id <> u.org_id UNION ALL"
        " SELECT r.user_id FROM org_roles r JOIN users u ON u.id = r.user_id WHERE r.org_id <> u.org_id"),
    Invariant("tenancy.preferences", "preferences belong to the company of their person",
        "SELECT p.user_id FROM preferences p JOIN users u ON u.id = p.user_id WHERE p.org_id <> u.org_id UNION ALL"
        " SELECT d.user_id FROM dismissed_checklists d JOIN users u ON u.id = d.user_id JOIN teams t ON t.id = d.team_id"
        " WHERE d.org_id <> u.org_id OR d.org_id <> t.org_id"),
    Invariant("tenancy.bootstrap", "there are people only after the bootstrap",
        "SELECT id FROM users WHERE NOT EXISTS (SELECT 1 FROM instance WHERE name = 'bootstrapped')"),
    Invariant("tenancy.company_owners", "a company with people has an owner",
        "SELECT id FROM orgs WHERE EXISTS (SELECT 1 FROM memberships WHERE memberships.org_id = orgs.id) AND NOT EXISTS"
        " (SELECT 1 FROM org_roles WHERE org_roles.org_id = orgs.id AND org_roles.role = 'org_owner')"),
    Invariant("tenancy.owners", "a team with members has an owner",
        "SELECT team_id FROM memberships GROUP BY team_id HAVING SUM(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0"),
    Invariant("tenancy.credentials", "an active session, API token or access key belongs to a member of its team",
        "SELECT t.id FROM tokens t WHERE t.kind IN ('session', 'stay', 'api', 's3') AND t.revoked_at IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM memberships m WHERE m.team_id = t.team_id AND m.user_id = t.user_id)"),
)
# fmt: on
