"""SQL of identity: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.core.db import Fence, Reads, Tx, as_json, columns
from teamspace.core.tables import Count, EncryptedColumn, Invariant
from teamspace.identity.schemas import (
    AccessKey,
    Account,
    ActivationRow,
    ApiToken,
    Attempts,
    Person,
    SessionRecord,
    Stay,
    TokenUse,
    Totp,
)

COUNTS = (
    Count("users", "SELECT COUNT(*) FROM users"),
    Count("tokens", "SELECT COUNT(*) FROM tokens WHERE revoked_at IS NULL"),
)

ENCRYPTED = (
    EncryptedColumn("totp", "secret", "user_id"),
    EncryptedColumn("tokens", "secret", "id", "secret IS NOT NULL"),
)


# People


async def insert_user(tx: Tx, person: Person, username_key: str, password: str | None, password_by: str | None) -> None:
    await tx.run(
        "INSERT INTO users (id, org_id, username, username_key, display_name, email, locale, time_zone, password,"
        " password_by, operator, created_at) VALUES (:id, :org_id, :username, :username_key, :display_name, :email,"
        " :locale, :time_zone, :password, :password_by, :operator, :created_at)",
        id=person.id, org_id=person.org_id, username=person.username, username_key=username_key,
        display_name=person.display_name, email=person.email, locale=person.locale,
        time_zone=person.time_zone, password=password, password_by=password_by, operator=person.operator, created_at=person.created_at,
    )  # fmt: skip


async def get_account(db: Reads, user_id: str) -> Account | None:
    return await db.one(Account, f"SELECT {columns(Account)} FROM users WHERE id = :id", id=user_id)


async def get_account_by_name(db: Reads, username_key: str) -> Account | None:
    return await db.one(Account, f"SELECT {columns(Account)} FROM users WHERE username_key = :key", key=username_key)


async def update_profile(
    tx: Tx, user_id: str, *, display_name: str, locale: str | None, time_zone: str | None
) -> Person | None:
    return await tx.one(
        Person,
        "UPDATE users SET display_name = :display_name, locale = :locale, time_zone = :time_zone WHERE id = :id"
        f" RETURNING {columns(Person)}",
        id=user_id, display_name=display_name, locale=locale, time_zone=time_zone,
    )  # fmt: skip


async def update_password(tx: Tx, user_id: str, password: str, by: str | None) -> None:
    await tx.run(
        "UPDATE users SET password = :password, password_by = :by WHERE id = :id",
        id=user_id, password=password, by=by,
    )  # fmt: skip


async def disable(tx: Tx, user_id: str, now: str) -> Account | None:
    """Disable the person; keeps the time of an earlier disabling."""
    return await tx.one(
        Account,
        f"UPDATE users SET disabled_at = COALESCE(disabled_at, :now) WHERE id = :id RETURNING {columns(Account)}",
        id=user_id, now=now,
    )  # fmt: skip


async def enable(tx: Tx, user_id: str) -> Account | None:
    return await tx.one(
        Account, f"UPDATE users SET disabled_at = NULL WHERE id = :id RETURNING {columns(Account)}", id=user_id
    )


async def count_operators(db: Reads) -> int:
    """Count the operators who can sign in."""
    sql = "SELECT COUNT(*) FROM users WHERE operator = TRUE AND disabled_at IS NULL"
    return await db.one(int, sql) or 0


# Tokens


async def insert_token(
    tx: Tx, *, id: str, kind: str, org_id: str, team_id: str, user_id: str | None, name: str, digest: str,
    hint: str, scope: str | None, created_at: str, expires_at: str | None, last_used_at: str | None, address: str,
    agent: str, secret: str | None = None, given_by: str | None = None, minted: bool = False, stay_id: str | None = None,
) -> None:  # fmt: skip
    await tx.run(
        "INSERT INTO tokens (id, kind, org_id, team_id, user_id, name, digest, secret, hint, scope, given_by, minted,"
        " address, agent, created_at, expires_at, last_used_at, stay_id) VALUES (:id, :kind, :org_id, :team_id, :user_id, :name,"
        " :digest, :secret, :hint, :scope, :given_by, :minted, :address, :agent, :created_at, :expires_at,"
        " :last_used_at, :stay_id)",
        id=id, kind=kind, org_id=org_id, team_id=team_id, user_id=user_id, name=name, digest=digest, secret=secret, hint=hint,
        scope=scope, created_at=created_at, expires_at=expires_at, last_used_at=last_used_at, address=address,
        agent=agent, given_by=given_by, minted=minted, stay_id=stay_id,
    )  # fmt: skip


async def select_sessions(db: Reads, fence: Fence, now: str, idle_since: str) -> list[SessionRecord]:
    """Return sessions that are not idle and kept sign-ins, which were last used when one of their sessions was."""
    return await db.all(
        SessionRecord,
        "SELECT id, team_id, address, agent, created_at, COALESCE((SELECT MAX(used.last_used_at) FROM tokens AS used"
        " WHERE used.stay_id = tokens.id), last_used_at), expires_at, kind = 'stay' FROM tokens"
        f" WHERE {fence.sql} AND expires_at > :now AND (kind = 'stay' OR last_used_at > :idle_since) ORDER BY id DESC",
        now=now, idle_since=idle_since, **fence.params,
    )  # fmt: skip


async def get_stay_id(db: Reads, token_id: str) -> str | None:
    """Return the kept sign-in of a session, if it has one."""
    return await db.one(str, "SELECT stay_id FROM tokens WHERE id = :id AND stay_id IS NOT NULL", id=token_id)


async def get_stay(db: Reads, stay_id: str) -> Stay | None:
    return await db.one(
        Stay,
        f"SELECT {columns(Stay)} FROM tokens WHERE id = :id AND kind = 'stay' AND revoked_at IS NULL",
        id=stay_id,
    )


async def rotate_stay(
    tx: Tx, stay_id: str, *, digest: str, previous_digest: str, address: str, agent: str, now: str
) -> None:
    await tx.run(
        "UPDATE tokens SET digest = :digest, previous_digest = :previous_digest, rotated_at = :now, last_used_at = :now,"
        " address = :address, agent = :agent WHERE id = :id AND kind = 'stay' AND revoked_at IS NULL",
        id=stay_id, digest=digest, previous_digest=previous_digest, address=address, agent=agent, now=now,
    )  # fmt: skip


async def select_tokens(db: Reads, fence: Fence, before: str, limit: int) -> list[ApiToken]:
    return await db.all(
        ApiToken,
        f"SELECT {columns(ApiToken)} FROM tokens WHERE id IN ({fence.newest(db.dialect)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def select_access_keys(db: Reads, fence: Fence) -> list[AccessKey]:
    return await db.all(
        AccessKey,
        "SELECT id, name, hint, scope, created_at, last_used_at FROM tokens"
        f" WHERE {fence.sql} ORDER BY created_at DESC, id DESC",
        **fence.params,
    )


async def get_secret(db: Reads, fence: Fence, token_id: str) -> str | None:
    """Return the encrypted secret."""
    return await db.one(str, f"SELECT secret FROM tokens WHERE id = :id AND {fence.sql}", id=token_id, **fence.params)


async def revoke(tx: Tx, fence: Fence, token_id: str, now: str) -> bool:
    return await tx.exists(
        f"UPDATE tokens SET revoked_at = :now WHERE id = :id AND {fence.sql} RETURNING id",
        id=token_id, now=now, **fence.params,
    )  # fmt: skip


async def revoke_one(tx: Tx, token_id: str, now: str) -> None:
    await tx.run("UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL", id=token_id, now=now)


async def revoke_all(tx: Tx, user_id: str, now: str) -> None:
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE user_id = :user_id AND revoked_at IS NULL", user_id=user_id, now=now
    )


async def revoke_given_by_others(tx: Tx, user_id: str, keep: str, now: str) -> None:
    """Revoke credentials that another person may know."""
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE user_id = :user_id AND given_by IS NOT NULL AND revoked_at IS NULL"
        " AND id <> :keep",
        user_id=user_id, keep=keep, now=now,
    )  # fmt: skip


async def revoke_sessions(tx: Tx, user_id: str, keep: str, now: str) -> None:
    """Revoke sessions and kept sign-ins."""
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE user_id = :user_id AND kind IN ('session', 'stay')"
        " AND revoked_at IS NULL AND id <> :keep",
        user_id=user_id, keep=keep, now=now,
    )  # fmt: skip


async def detach_from_stay(tx: Tx, token_id: str) -> None:
    """Let a session go on without its kept sign-in."""
    await tx.run("UPDATE tokens SET stay_id = NULL WHERE id = :id AND stay_id IS NOT NULL", id=token_id)


async def revoke_oldest_sign_ins(tx: Tx, user_id: str, keep: int, now: str) -> None:
    """Revoke all but the newest sessions and kept sign-ins; sessions of the latter are not counted."""
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE id IN (SELECT id FROM tokens WHERE user_id = :user_id"
        " AND kind IN ('session', 'stay') AND stay_id IS NULL AND revoked_at IS NULL"
        " ORDER BY id DESC LIMIT 1000 OFFSET :keep)",
        user_id=user_id, keep=keep, now=now,
    )  # fmt: skip


async def revoke_oldest_of_stay(tx: Tx, stay_id: str, keep: int, now: str) -> None:
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE id IN (SELECT id FROM tokens WHERE stay_id = :stay_id"
        " AND revoked_at IS NULL ORDER BY id DESC LIMIT 1000 OFFSET :keep)",
        stay_id=stay_id, keep=keep, now=now,
    )  # fmt: skip


async def revoke_with_stays(tx: Tx, user_id: str, now: str) -> None:
    """Revoke the sessions of kept sign-ins that are revoked."""
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE user_id = :user_id AND kind = 'session' AND revoked_at IS NULL"
        " AND stay_id IN (SELECT id FROM tokens WHERE user_id = :user_id AND kind = 'stay' AND revoked_at IS NOT NULL)",
        user_id=user_id, now=now,
    )  # fmt: skip


async def revoke_in_team(tx: Tx, user_id: str, team_id: str, now: str) -> None:
    await tx.run(
        "UPDATE tokens SET revoked_at = :now WHERE user_id = :user_id AND team_id = :team_id AND revoked_at IS NULL",
        user_id=user_id, team_id=team_id, now=now,
    )  # fmt: skip


async def lock_used(tx: Tx, token_ids: Sequence[str]) -> None:
    """Lock tokens, and then their people, in the order in which every other write locks them."""
    these = tx.dialect.in_strings.format("ids")
    for rows in (f"tokens WHERE id {these}", f"users WHERE id IN (SELECT user_id FROM tokens WHERE id {these})"):
        await tx.all(str, f"SELECT id FROM {rows} ORDER BY id {tx.dialect.row_lock}", ids=as_json(token_ids))


async def touch(tx: Tx, used: Sequence[TokenUse]) -> None:
    given = tx.dialect.json_table("used", id="TEXT", at="TEXT")
    await tx.run(
        f"UPDATE tokens SET last_used_at = used.at FROM ({given}) AS used WHERE tokens.id = used.id"
        " AND COALESCE(last_used_at, '') < used.at AND (revoked_at IS NULL OR revoked_at > used.at)",
        used=as_json(used),
    )  # fmt: skip


async def touch_users(tx: Tx, used: Sequence[TokenUse]) -> None:
    given = tx.dialect.json_table("used", id="TEXT", at="TEXT")
    await tx.run(
        "UPDATE users SET last_seen_at = seen.at FROM (SELECT tokens.user_id AS id, MAX(used.at) AS at"
        f" FROM ({given}) AS used JOIN tokens ON tokens.id = used.id GROUP BY tokens.user_id) AS seen"
        " WHERE users.id = seen.id AND COALESCE(users.last_seen_at, '') < seen.at",
        used=as_json(used),
    )  # fmt: skip


async def delete_old_tokens(tx: Tx, limit: int, then: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE revoked_at < :then UNION ALL"
        " SELECT id FROM tokens WHERE expires_at < :then AND COALESCE(revoked_at, :then) >= :then LIMIT :limit)"
        " RETURNING id",
        then=then, limit=limit,
    )  # fmt: skip


# Activation links


async def insert_activation(tx: Tx, digest: str, person: Person, now: str, expires_at: str) -> None:
    await tx.run(
        "INSERT INTO activations (digest, org_id, user_id, created_at, expires_at)"
        " VALUES (:digest, :org_id, :user_id, :now, :expires_at)",
        digest=digest, org_id=person.org_id, user_id=person.id, now=now, expires_at=expires_at,
    )  # fmt: skip


async def get_activation(db: Reads, digest: str) -> ActivationRow | None:
    return await db.one(
        ActivationRow, f"SELECT {columns(ActivationRow)} FROM activations WHERE digest = :digest", digest=digest
    )


async def use_activation(tx: Tx, digest: str, now: str) -> bool:
    """Return True once, and only before the link expires."""
    return await tx.exists(
        "UPDATE activations SET used_at = :now WHERE digest = :digest AND used_at IS NULL AND expires_at > :now"
        " RETURNING digest",
        digest=digest, now=now,
    )  # fmt: skip


async def void_activations(tx: Tx, user_id: str, now: str) -> None:
    await tx.run(
        "UPDATE activations SET used_at = :now WHERE user_id = :user_id AND used_at IS NULL", user_id=user_id, now=now
    )


async def delete_old_activations(tx: Tx, limit: int, then: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM activations WHERE digest IN (SELECT digest FROM activations WHERE expires_at < :then"
        " LIMIT :limit) RETURNING digest",
        then=then, limit=limit,
    )  # fmt: skip


# Failed sign-ins


async def count_attempt(tx: Tx, subject: str, now: str, resets_at: str) -> Attempts | None:
    return await tx.one(
        Attempts,
        "INSERT INTO login_attempts (subject, failures, resets_at) VALUES (:subject, 1, :resets_at)"
        " ON CONFLICT (subject) DO UPDATE SET"
        " failures = CASE WHEN login_attempts.resets_at <= :now THEN 1 ELSE login_attempts.failures + 1 END,"
        " resets_at = CASE WHEN login_attempts.resets_at <= :now THEN excluded.resets_at"
        " ELSE login_attempts.resets_at END RETURNING failures, resets_at",
        subject=subject, now=now, resets_at=resets_at,
    )  # fmt: skip


async def uncount_attempt(tx: Tx, subject: str) -> None:
    await tx.run(
        "UPDATE login_attempts SET failures = failures - 1 WHERE subject = :subject AND failures > 0", subject=subject
    )


async def forget_attempts(tx: Tx, subject: str) -> None:
    await tx.run("DELETE FROM login_attempts WHERE subject = :subject", subject=subject)


async def put_known_network(tx: Tx, user_id: str, org_id: str, network: str, now: str) -> None:
    await tx.run(
        "INSERT INTO known_networks (user_id, org_id, network, last_at) VALUES (:user_id, :org_id, :network, :now)"
        " ON CONFLICT (user_id, network) DO UPDATE SET last_at = excluded.last_at",
        user_id=user_id, org_id=org_id, network=network, now=now,
    )  # fmt: skip


async def is_known_network(db: Reads, username_key: str, network: str, since: str) -> bool:
    return await db.exists(
        "SELECT 1 FROM users JOIN known_networks AS known ON known.user_id = users.id"
        " WHERE users.username_key = :key AND known.network = :network AND known.last_at > :since",
        key=username_key, network=network, since=since,
    )  # fmt: skip


async def delete_old_networks(tx: Tx, limit: int, then: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM known_networks WHERE (user_id, network) IN (SELECT user_id, network FROM known_networks"
        " WHERE last_at < :then LIMIT :limit) RETURNING network",
        then=then, limit=limit,
    )  # fmt: skip


async def delete_old_attempts(tx: Tx, limit: int, then: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM login_attempts WHERE subject IN (SELECT subject FROM login_attempts WHERE resets_at <= :then"
        " LIMIT :limit) RETURNING subject",
        then=then, limit=limit,
    )  # fmt: skip


# Second factor


async def get_totp(db: Reads, user_id: str) -> Totp | None:
    return await db.one(Totp, f"SELECT {columns(Totp)} FROM totp WHERE user_id = :user_id", user_id=user_id)


async def put_totp(tx: Tx, user_id: str, org_id: str, secret: str, armed_at: str | None) -> bool:
    """Set a new secret; returns False if the factor is already on."""
    return await tx.exists(
        "INSERT INTO totp (user_id, org_id, secret, armed_at, last_step) VALUES (:user_id, :org_id, :secret, :armed_at, 0)"
        " ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, armed_at = excluded.armed_at, last_step = 0"
        " WHERE totp.armed_at IS NULL RETURNING user_id",
        user_id=user_id, org_id=org_id, secret=secret, armed_at=armed_at,
    )  # fmt: skip


async def arm_totp(tx: Tx, user_id: str, step: int, now: str) -> bool:
    return await tx.exists(
        "UPDATE totp SET armed_at = :now, last_step = :step WHERE user_id = :user_id AND armed_at IS NULL RETURNING user_id",
        user_id=user_id, step=step, now=now,
    )  # fmt: skip


async def use_step(tx: Tx, user_id: str, step: int) -> bool:
    """Use a time step; returns False if it or a later one was used before."""
    return await tx.exists(
        "UPDATE totp SET last_step = :step WHERE user_id = :user_id AND last_step < :step RETURNING user_id",
        user_id=user_id, step=step,
    )  # fmt: skip


async def delete_totp(tx: Tx, user_id: str) -> bool:
    return await tx.exists("DELETE FROM totp WHERE user_id = :user_id RETURNING user_id", user_id=user_id)


async def insert_codes(tx: Tx, user_id: str, org_id: str, digests: list[str]) -> None:
    await tx.run(
        "INSERT INTO recovery_codes (user_id, org_id, digest)"
        f" SELECT :user_id, :org_id, given.value FROM ({tx.dialect.json_strings.format('digests')}) AS given",
        user_id=user_id, org_id=org_id, digests=as_json(digests),
    )  # fmt: skip


async def use_code(tx: Tx, user_id: str, digest: str, now: str) -> bool:
    return await tx.exists(
        "UPDATE recovery_codes SET used_at = :now WHERE user_id = :user_id AND digest = :digest AND used_at IS NULL"
        " RETURNING digest",
        user_id=user_id, digest=digest, now=now,
    )  # fmt: skip


async def delete_codes(tx: Tx, user_id: str) -> None:
    await tx.run("DELETE FROM recovery_codes WHERE user_id = :user_id", user_id=user_id)


async def count_codes(db: Reads, user_id: str) -> int:
    sql = "SELECT COUNT(*) FROM recovery_codes WHERE user_id = :user_id AND used_at IS NULL"
    return await db.one(int, sql, user_id=user_id) or 0


# fmt: off
INVARIANTS = (
    Invariant("identity.digests", "tokens are only stored as digests",
        "SELECT id FROM tokens WHERE LENGTH(digest) <> 64 OR digest LIKE 'ts\\_%' ESCAPE '\\'"),
    Invariant("identity.sessions", "a session expires and belongs to a person of the same company",
        "SELECT t.id FROM tokens t LEFT JOIN users u ON u.id = t.user_id WHERE t.kind IN ('session', 'stay', 'api', 's3')"
        " AND (u.id IS NULL OR u.org_id <> t.org_id OR (t.kind IN ('session', 'stay') AND t.expires_at IS NULL))"),
    Invariant("identity.stays", "a session ends with the kept sign-in that it belongs to",
        "SELECT t.id FROM tokens t LEFT JOIN tokens k ON k.id = t.stay_id AND k.kind = 'stay' AND k.user_id = t.user_id"
        " WHERE t.stay_id IS NOT NULL AND t.revoked_at IS NULL"
        " AND (t.kind <> 'session' OR k.id IS NULL OR k.revoked_at IS NOT NULL OR t.expires_at > k.expires_at)"),
    Invariant("identity.disabled", "a disabled person has no working credential or activation link",
        "SELECT t.id FROM tokens t JOIN users u ON u.id = t.user_id WHERE u.disabled_at IS NOT NULL"
        " AND t.revoked_at IS NULL UNION ALL SELECT a.user_id FROM activations a JOIN users u ON u.id = a.user_id"
        " WHERE u.disabled_at IS NOT NULL AND a.used_at IS NULL"),
    Invariant("identity.use", "no credential was used after it ended",
        "SELECT id FROM tokens WHERE last_used_at > revoked_at OR last_used_at > expires_at"),
    Invariant("identity.activation", "an unused activation link belongs to a person without a password",
        "SELECT a.user_id FROM activations a JOIN users u ON u.id = a.user_id"
        " WHERE a.used_at IS NULL AND u.password IS NOT NULL"),
    Invariant("identity.recovery", "recovery codes exist only with an active second factor, at most ten unused",
        "SELECT c.user_id FROM recovery_codes c LEFT JOIN totp t ON t.user_id = c.user_id"
        " WHERE t.armed_at IS NULL UNION ALL SELECT user_id FROM recovery_codes WHERE used_at IS NULL"
        " GROUP BY user_id HAVING COUNT(*) > 10"),
)
# fmt: on
