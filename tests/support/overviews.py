"""Very many rows around one team, by SQL, and the requests that list what is around a person, a text or a team.

Everything is private and belongs to one person; a colleague has changed all of it. So a member who owns nothing can read
none of it, and one with grants every tenth. `tests/cost/test_overviews.py` counts the work of the requests, and
`benchmarks/overviews.py` measures them.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from teamspace import quota
from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.quota import Dimension, Level, QuotaDraft
from teamspace.quota.schemas import Window
from teamspace.tenancy.schemas import Role
from tests.support.rows import NUMBERS, analyze, insert_in_batches
from tests.support.world import Caller, World

PER_THING, DAYS, EVERY = 10, 10, 10
"""Rows of the log for a note or an object, days of usage, and one grant in so many things."""
_BATCH = 2_000
_TEN = f"numbers CROSS JOIN ({' UNION ALL '.join(f'SELECT {k} AS k' for k in range(PER_THING))}) AS ten"
_DAYS = "numbers CROSS JOIN (SELECT '{}' AS day) AS days"
_N = "CAST(10000000 + n AS TEXT)"
_NOTE, _OBJECT, _TALK, _USER = (f"'{kind}' || {_N}" for kind in "notu")
_AT = f"'2026-01-01T00:00:00.' || substr({_N}, 2) || 'Z'"
_TRASHED = f"CASE WHEN n % 2 = 0 THEN {_AT} END"
_ACTION = (
    "CASE WHEN k < 4 THEN 'note.update' WHEN k < 7 THEN 'object.update' WHEN k = 7 THEN 'conversation.share'"
    " WHEN k = 8 THEN 'run.start' ELSE 'ai.call' END"
)
_TARGET = f"CASE WHEN k < 4 THEN {_NOTE} WHEN k < 7 THEN {_OBJECT} ELSE {_TALK} END"
_GRANTED = f"WHERE n % {EVERY} = 1"
HOT_NOTE, HOT_OBJECT = "n10000001", "o10000001"
"""What everything refers to, and what everyone looks at. A grant admits both."""
STATEMENTS = (
    "INSERT INTO users (id, org_id, username, username_key, display_name, operator, created_at)"
    f" {NUMBERS} SELECT {_USER}, :org, {_USER}, {_USER}, {_USER}, FALSE, :now FROM numbers WHERE n % 10 = 0",
    "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
    f" {NUMBERS} SELECT :team, {_USER}, :org, 'member', :now FROM numbers WHERE n % 10 = 0",
    "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at, updated_at,"
    f" trashed_at, trashed_by) {NUMBERS} SELECT {_NOTE}, :org, :team, :owner, 'Note', '', 'private', '[]', 1, :now, :now,"
    f" {_TRASHED}, CASE WHEN n % 2 = 0 THEN :owner END FROM numbers",
    "INSERT INTO note_grants (note_id, principal_type, principal_id, org_id, permission, granted_by, created_at, trashed_at)"
    f" {NUMBERS} SELECT {_NOTE}, 'user', :holder, :org, 'notes:delete', :owner, :now, {_TRASHED} FROM numbers {_GRANTED}",
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    " removed, size, sha256, etag, text_state, written_at, created_at, updated_at, trashed_at, trashed_by)"
    f" {NUMBERS} SELECT {_OBJECT}, :org, :team, :owner, {_OBJECT}, 'file.png', 'image/png', 'private', 1, 1, n % 2 = 0, 0,"
    f" '', '', 'none', :now, :now, :now, {_TRASHED}, CASE WHEN n % 2 = 0 THEN :owner END FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || {_OBJECT}, {_OBJECT}, :org, 1, FALSE, 0, '',"
    " '', '', 'image/png', 'file.png', :owner, 's3', :now FROM numbers",
    "INSERT INTO object_thumbnails (version_id, org_id, fault)"
    f" {NUMBERS} SELECT 'v' || {_OBJECT}, :org, 'unreadable' FROM numbers",
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at, trashed_at) {NUMBERS} SELECT {_OBJECT}, 'user', :holder, :org, :team, {_OBJECT}, FALSE,"
    f" 'manage', :owner, :now, {_TRASHED} FROM numbers {_GRANTED}",
    "INSERT INTO object_links (id, object_id, org_id, team_id, creator_id, creator_team_id, name, token_hash, token, views, downloads,"
    f" created_at) {NUMBERS} SELECT 'l' || {_N}, {_OBJECT}, :org, :team, :owner, :team, '', 'h' || {_N}, '', 0, 0, :now"
    f" FROM numbers WHERE {_OBJECT} <> '{HOT_OBJECT}'",
    "INSERT INTO conversations (id, org_id, team_id, owner_id, title, excerpt, turns, ended, size, characters, created_at,"
    f" updated_at) {NUMBERS} SELECT {_TALK}, :org, :team, :owner, 'Talk', '', 0, 0, 0, 0, :now, {_AT} FROM numbers",
    "INSERT INTO conversation_grants (conversation_id, principal_type, principal_id, org_id, permission, granted_by,"
    f" created_at, updated_at) {NUMBERS} SELECT {_TALK}, 'user', :holder, :org, 'notes:read', :owner, :now, {_AT} FROM numbers {_GRANTED}",
    "INSERT INTO audit (id, org_id, team_id, at, actor_kind, actor_id, action, target, detail, request_id, address)"
    f" {NUMBERS} SELECT 'x' || {_N} || CAST(k AS TEXT), :org, :team, :now, 'human', :colleague, {_ACTION}, {_TARGET},"
    f" '{{}}', '', '' FROM {_TEN}",
    "INSERT INTO text_references (id, org_id, source_kind, source_id, target_kind, target_id, author_id, created_at)"
    f" {NUMBERS} SELECT 'r' || {_N} || CAST(k AS TEXT), :org, CASE k % 2 WHEN 0 THEN 'note' ELSE 'object' END,"
    f" CASE k % 2 WHEN 0 THEN {_NOTE} ELSE {_OBJECT} END, CASE WHEN k < 2 THEN 'note' ELSE 'person' END,"
    f" CASE WHEN k < 2 THEN '{HOT_NOTE}' WHEN k < 4 THEN :owner WHEN k < 6 THEN :nobody WHEN k < 8 THEN :holder ELSE :guest"
    f" END, :owner, :now FROM {_TEN}",
    "INSERT INTO favourites (user_id, team_id, kind, subject_id, org_id, at)"
    f" {NUMBERS} SELECT {_USER}, :team, 'note', {_NOTE}, :org, :now FROM numbers WHERE n % 10 = 0",
    "INSERT INTO recents (user_id, team_id, kind, subject_id, org_id, at)"
    f" {NUMBERS} SELECT {_USER}, :team, 'file', {_OBJECT}, :org, :now FROM numbers WHERE n % 10 = 0",
    "INSERT INTO presence (kind, subject_id, user_id, org_id, editing, expires_at)"
    f" {NUMBERS} SELECT 'note', '{HOT_NOTE}', {_USER}, :org, n % 100 = 0, '9999' FROM numbers WHERE n % 10 = 0",
    "INSERT INTO quota_limits (level, subject, org_id, dimension, most, per, set_by, updated_at)"
    f" {NUMBERS} SELECT CASE n % 2 WHEN 0 THEN 'org' ELSE 'team' END, {_N}, :org, 'ai.requests', 1, 'day', 'hand', :now"
    " FROM numbers",
)  # fmt: skip
_DAY_STATEMENTS = (
    "INSERT INTO quota_stored_days (level, day, subject, org_id, bytes, objects)"
    f" {NUMBERS} SELECT '{{level}}', day, '{{level}}' || {_N}, :org, 1, 1 FROM {_DAYS} WHERE n % 10 = 0",
    "INSERT INTO quota_traffic_days (level, day, subject, org_id, received, sent)"
    f" {NUMBERS} SELECT '{{level}}', day, '{{level}}' || {_N}, :org, 1, 1 FROM {_DAYS} WHERE n % 10 = 0",
    "INSERT INTO quota_used (level, per, starts_at, subject, org_id, requests, tokens)"
    f" {NUMBERS} SELECT '{{level}}', 'day', day || 'T00:00:00.000Z', '{{level}}' || {_N}, :org, 1, 1 FROM {_DAYS}"
    " WHERE n % 10 = 0",
)
_OWN = (
    ("favourites", "n % 2 = 1 AND n < 200"), ("recents", "n % 2 = 1 AND n < 50"),
)  # fmt: skip


class Request(msgspec.Struct, frozen=True):
    path: str
    method: str = "GET"
    body: Any = None


REQUESTS = {
    "activity": Request("/api/activity"),
    "shared with me": Request("/api/shared?limit=6"),
    "activity on Home": Request("/api/activity?limit=6"),
    "references to a note": Request(f"/api/references?to=note:{HOT_NOTE}"),
    "mentions": Request("/api/mentions"),
    "favourites": Request("/api/favourites"),
    "recents": Request("/api/recents"),
    "presence": Request(f"/api/presence/note/{HOT_NOTE}", "PUT", {"editing": False}),
    "public links": Request(f"/api/repo-obj/{HOT_OBJECT}/links"),
    "public links of the team": Request("/api/links"),
    "thumbnail": Request(f"/api/repo-obj/{HOT_OBJECT}/thumbnail"),
    "trash": Request("/api/trash"),
    "usage by day": Request("/api/usage/history?days=365"),
    "usage": Request("/api/usage"),
    "what a chat would cost": Request("/api/ai/chat", "POST", {"prompt": "Hello", "dry_run": True}),
    "conversations": Request("/api/conversations"),
    "shared conversations": Request("/api/conversations?shared=1"),
}


class Crowd(msgspec.Struct, frozen=True):
    """The people who send the requests."""

    owner: Caller
    colleague: Caller
    nobody: Caller
    """A member who owns nothing."""
    holder: Caller
    """A member with a grant for every tenth thing."""
    guest: Caller

    @property
    def callers(self) -> dict[str, Caller]:
        return {
            "owner": self.owner, "member with nothing": self.nobody, "member with grants": self.holder,
            "guest": self.guest,
        }  # fmt: skip


async def gather(world: World) -> Crowd:
    owner = await world.bootstrap()
    await limit_tenant(world)
    people = [
        await world.person(owner.org, owner.team, role) for role in (Role.MEMBER, Role.MEMBER, Role.MEMBER, Role.GUEST)
    ]
    return Crowd(owner, *people)


async def limit_tenant(world: World) -> None:
    """Set the tightest limits for the tenant, so that its usage is shown."""
    async with world.db.maintenance(system()) as tx:
        for dimension, window in ((Dimension.REQUESTS, Window.DAY), (Dimension.BYTES, Window.LIFETIME)):
            await quota.set_limit(tx, Level.TENANT, "", "", QuotaDraft(dimension, 1, window))


async def fill(world: World, crowd: Crowd, first: int, last: int) -> None:
    """Insert so many notes, objects and conversations, and ten times as many rows about them."""
    days = [(datetime.fromtimestamp(clock.now(), UTC) - timedelta(days=n)).date().isoformat() for n in range(DAYS)]
    by_day = [
        sql.replace("{level}", level).replace("{}", day)
        for sql in _DAY_STATEMENTS
        for day in days
        for level in ("org", "team")
    ]
    facts = {
        "org": crowd.owner.org.id, "team": crowd.owner.team.id, "now": "2026-01-01T00:00:00.000Z",
        **{name: getattr(crowd, name).user_id for name in Crowd.__struct_fields__},
    }  # fmt: skip
    await insert_in_batches(world, (*STATEMENTS, *by_day), facts, first, last, _BATCH)
    await analyze(world)


async def shelve(world: World, crowd: Crowd) -> None:
    """Star and open as many things as a person can."""
    async with world.db.maintenance(system(org_id=crowd.owner.org.id)) as tx:
        for shelf, chosen in _OWN:
            for caller in crowd.callers.values():
                await tx.run(
                    f"INSERT INTO {shelf} (user_id, team_id, kind, subject_id, org_id, at) {NUMBERS}"
                    f" SELECT :user, :team, CASE WHEN k = 0 THEN 'note' ELSE 'file' END,"
                    f" CASE WHEN k = 0 THEN {_NOTE} ELSE {_OBJECT} END, :org, :now FROM {_TEN} WHERE k < 2 AND {chosen}",
                    user=caller.user_id, team=caller.team.id, org=caller.org.id, now="2026-01-01T00:00:00.000Z",
                    first=0, last=199,
                )  # fmt: skip


async def send(caller: Caller, request: Request) -> int:
    answer = await caller(request.method, request.path, request.body)
    return answer.status_code
