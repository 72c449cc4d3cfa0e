"""A list costs what it shows, and neither what else is there nor what else was shared."""

from collections.abc import Awaitable, Callable

import msgspec

from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry, system
from teamspace.repository import VersionDraft, key_order, multipart
from teamspace.repository.domain import finding
from teamspace.repository.schemas import ObjectQuery
from tests.support.visited import visited
from tests.support.world import Caller, World

SMALL, LARGE, PAGE = 500, 4000, 5
NOISE = 1.3
"""Of pages of the database, and of numbers with one digit more."""

_NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(:first AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)"
)
_ID, _KEY = "'o' || CAST(10000 + n AS TEXT)", "'f' || CAST(100 + n % 50 AS TEXT) || '/' || CAST(10000 + n AS TEXT)"
_OBJECTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at) {_NUMBERS} SELECT {_ID}, :org, :team,"
    f" :owner, {_KEY}, 'x', 'text/plain', 'private', 1, 1, FALSE, 0, '', '', 'none', :now, :now, :now FROM numbers"
)
_GRANTS = (
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {_NUMBERS} SELECT {_ID}, 'user', :user, :org, :team, {_KEY}, FALSE, 'view', :owner, :now"
    " FROM numbers"
)

List = Callable[[World, Principal], Awaitable[object]]


def by_key(**wish: object) -> List:
    """As S3 asks for it."""
    whole = {"prefix": "", "delimiter": "", "after": None, "size": PAGE} | wish

    async def asked(world: World, who: Principal) -> object:
        return await key_order.walk_team(world.db, who, **whole)  # type: ignore[arg-type]

    return asked


def by_http(**wish: object) -> List:
    async def asked(world: World, who: Principal) -> object:
        return await finding.list_objects(world.db, who, ObjectQuery(limit=PAGE, **wish))  # type: ignore[arg-type]

    return asked


LISTS = {
    "flat": by_key(),
    "from the middle": by_key(after=("f125/", "")),
    "prefix": by_key(prefix="f125/"),
    "one key": by_key(prefix="f125/10025"),
    "folders": by_key(delimiter="/"),
    "files of a folder": by_key(prefix="f125/", delimiter="/"),
    "versions": by_key(with_deleted=True),
    "folders of versions": by_key(with_deleted=True, delimiter="/"),
    "newest": by_http(),
    "HTTP by key": by_http(prefix=""),
    "HTTP folders": by_http(delimiter="/"),
    "shared": by_http(shared="1"),
    "shared by key": by_http(shared="1", prefix=""),
    "shared folders": by_http(shared="1", delimiter="/"),
    "company by key": by_http(scope="org", prefix=""),
    "company folders": by_http(scope="org", delimiter="/"),
}


class Filled:
    """A team whose objects are all private and one person's, of which a second person was given every one."""

    def __init__(self, world: World, owner: Caller, holder: Caller, nobody: Caller, elsewhere: Caller) -> None:
        self._world, self._owner, self._holder, self._filled = world, owner, holder, 0
        self.people = {
            "owner": principal(owner),
            "holder of grants": principal(holder),
            "member with nothing": principal(nobody),
            "owner in another team": principal(elsewhere),
            "token below a prefix": msgspec.structs.replace(
                principal(owner), scope=(ScopeEntry(P.FILES_READ, "f149/"), ScopeEntry(P.ORG_READ))
            ),
        }

    @classmethod
    async def of(cls, world: World) -> "Filled":
        ann = await world.bootstrap()
        holder, nobody = [await world.person(ann.org, ann.team) for _ in range(2)]
        return cls(world, ann, holder, nobody, await world.join(ann, await world.team(ann.org)))

    async def up_to(self, count: int) -> None:
        facts = {
            "org": self._owner.org.id, "team": self._owner.team.id, "owner": self._owner.user_id,
            "user": self._holder.user_id, "now": "2026-01-01T00:00:00.000Z", "first": self._filled, "last": count - 1,
        }  # fmt: skip
        async with self._world.db.maintenance(system(org_id=self._owner.org.id)) as tx:
            for sql in (_OBJECTS, _GRANTS):
                await tx.run(sql, **{name: value for name, value in facts.items() if f":{name}" in sql})
        self._filled = count
        await self.analyse()

    async def removed(self) -> None:
        """All of it: there are but marks."""
        async with self._world.db.maintenance(system(org_id=self._owner.org.id)) as tx:
            await tx.run("UPDATE objects SET removed = TRUE")
        await self.analyse()

    async def analyse(self) -> None:
        if self._world.db.dialect.name == "postgres":
            await self._world.db.engine.script("ANALYZE")

    async def costs(self) -> dict[tuple[str, str], int]:
        return {
            (person, name): await self._cost(who, ask) for person, who in self.people.items() for name, ask in LISTS.items()
        }  # fmt: skip

    async def _cost(self, who: Principal, ask: List) -> int:
        async with visited(self._world) as seen:
            await ask(self._world, who)
        return seen.count


def principal(caller: Caller) -> Principal:
    return Principal(
        "s3", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id,
        permissions=frozenset({P.FILES_READ, P.ORG_READ}),
    )  # fmt: skip


def grown(
    before: dict[tuple[str, str], int], after: dict[tuple[str, str], int]
) -> dict[tuple[str, str], tuple[int, int]]:
    return {case: (before[case], cost) for case, cost in after.items() if cost > NOISE * before[case] + 20}


async def test_no_list_costs_more_where_more_is(world: World) -> None:
    filled = await Filled.of(world)
    await filled.up_to(SMALL)
    before = await filled.costs()
    await filled.up_to(LARGE)
    assert grown(before, await filled.costs()) == {}


_UPLOADS = (
    "INSERT INTO object_uploads (id, org_id, team_id, owner_id, key, work, created_at, touched_at)"
    f" {_NUMBERS} SELECT {_ID}, :org, :team, :owner, {_KEY}, :work, :now, :now FROM numbers"
)


async def test_a_list_of_uploads_begins_where_it_goes_on(world: World) -> None:
    ann = await world.bootstrap()
    work = msgspec.json.encode(VersionDraft("x", "x", "text/plain")).decode()
    facts = {
        "org": ann.org.id,
        "team": ann.team.id,
        "owner": ann.user_id,
        "work": work,
        "now": "2026-01-01T00:00:00.000Z",
    }
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.run(_UPLOADS, first=0, last=LARGE - 1, **facts)
    if world.db.dialect.name == "postgres":
        await world.db.engine.script("ANALYZE")
    costs = []
    for after in ("", "f149/"):
        async with visited(world) as seen:
            who = msgspec.structs.replace(principal(ann), permissions=frozenset({P.FILES_WRITE}))
            page = await multipart.list_uploads(world.db, who, prefix="f", after=(after, ""), limit=PAGE)
        assert [row.key[:4] for row in page] == [after[:4] or "f100"] * PAGE
        costs.append(seen.count)
    assert costs[1] <= NOISE * costs[0], "what lies before the place is not walked through"


async def test_no_list_passes_over_what_was_removed(world: World) -> None:
    filled = await Filled.of(world)
    await filled.up_to(SMALL)
    before = await filled.costs()
    await filled.up_to(LARGE)
    await filled.removed()
    assert grown(before, await filled.costs()) == {}
