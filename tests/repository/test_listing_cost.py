"""The cost of a list depends on its page size only, not on the number of objects or grants."""

from collections.abc import Awaitable, Callable

import msgspec

from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry, system
from teamspace.repository import VersionDraft, key_order, multipart, trash
from teamspace.repository.domain import finding
from teamspace.repository.schemas import ObjectQuery
from tests.support.rows import NUMBERS, analyze, insert
from tests.support.visited import visited
from tests.support.world import Caller, World

SMALL, LARGE, PAGE = 500, 4000, 5
NOISE = 1.3
"""For database pages, and numbers with one digit more."""

_ID, _KEY = "'o' || CAST(10000 + n AS TEXT)", "'f' || CAST(100 + n % 50 AS TEXT) || '/' || CAST(10000 + n AS TEXT)"
_OBJECTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at) {NUMBERS} SELECT {_ID}, :org, :team,"
    f" :owner, {_KEY}, 'x', 'text/plain', 'private', 1, 1, FALSE, 0, '', '', 'none', :now, :now, :now FROM numbers"
)
_GRANTS = (
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {NUMBERS} SELECT {_ID}, 'user', :user, :org, :team, {_KEY}, FALSE, 'view', :owner, :now"
    " FROM numbers"
)

List = Callable[[World, Principal], Awaitable[object]]


def by_key(**more: object) -> List:
    """List by key, as S3 does."""
    parameters = {"prefix": "", "delimiter": "", "after": None, "size": PAGE} | more

    async def list_page(world: World, who: Principal) -> object:
        return await key_order.walk_team(world.db, who, **parameters)  # type: ignore[arg-type]

    return list_page


def by_http(**parameters: object) -> List:
    async def list_page(world: World, who: Principal) -> object:
        return await finding.list_objects(world.db, who, ObjectQuery(limit=PAGE, **parameters))  # type: ignore[arg-type]

    return list_page


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


class FilledTeam:
    """A team with private objects of one person, all shared with a second person."""

    def __init__(self, world: World, owner: Caller, grantee: Caller, member: Caller, elsewhere: Caller) -> None:
        self._world, self._owner, self._grantee, self._filled = world, owner, grantee, 0
        self.people = {
            "owner": principal(owner),
            "holder of grants": principal(grantee),
            "member with nothing": principal(member),
            "owner in another team": principal(elsewhere),
            "token below a prefix": msgspec.structs.replace(
                principal(owner), scope=(ScopeEntry(P.FILES_READ, "f149/"), ScopeEntry(P.ORG_READ))
            ),
        }

    @classmethod
    async def create(cls, world: World) -> "FilledTeam":
        ann = await world.bootstrap()
        grantee, member = [await world.person(ann.org, ann.team) for _ in range(2)]
        return cls(world, ann, grantee, member, await world.join(ann, await world.team(ann.org)))

    async def fill(self, count: int) -> None:
        params = {
            "org": self._owner.org.id, "team": self._owner.team.id, "owner": self._owner.user_id,
            "user": self._grantee.user_id, "now": "2026-01-01T00:00:00.000Z", "first": self._filled, "last": count - 1,
        }  # fmt: skip
        await insert(self._world, (_OBJECTS, _GRANTS), params)
        self._filled = count
        await analyze(self._world)

    async def mark_removed(self) -> None:
        """Leave only delete markers."""
        async with self._world.db.maintenance(system(org_id=self._owner.org.id)) as tx:
            await tx.run("UPDATE objects SET removed = TRUE")
        await analyze(self._world)

    async def trash(self) -> None:
        """Put all that is there in the trash."""
        async with self._world.db.maintenance(system(org_id=self._owner.org.id)) as tx:
            await tx.run("UPDATE objects SET removed = TRUE, trashed_at = '2026-01-02', trashed_by = owner_id")
        await analyze(self._world)

    async def costs(self) -> dict[tuple[str, str], int]:
        return {
            (person, name): await self._cost(who, list_page) for person, who in self.people.items() for name, list_page in LISTS.items()
        }  # fmt: skip

    async def _cost(self, who: Principal, list_page: List) -> int:
        async with visited(self._world) as total:
            await list_page(self._world, who)
        return total.count


def principal(caller: Caller) -> Principal:
    return Principal(
        "s3", Call(), user_id=caller.user_id, team_id=caller.team.id, org_id=caller.org.id,
        permissions=frozenset({P.FILES_READ, P.ORG_READ}),
    )  # fmt: skip


def grown(
    before: dict[tuple[str, str], int], after: dict[tuple[str, str], int]
) -> dict[tuple[str, str], tuple[int, int]]:
    return {case: (before[case], cost) for case, cost in after.items() if cost > NOISE * before[case] + 20}


async def test_the_cost_of_a_list_does_not_grow_with_the_data(world: World) -> None:
    filled = await FilledTeam.create(world)
    await filled.fill(SMALL)
    before = await filled.costs()
    await filled.fill(LARGE)
    assert grown(before, await filled.costs()) == {}


_UPLOADS = (
    "INSERT INTO object_uploads (id, org_id, team_id, owner_id, key, work, created_at, touched_at)"
    f" {NUMBERS} SELECT {_ID}, :org, :team, :owner, {_KEY}, :work, :now, :now FROM numbers"
)


async def test_listing_uploads_after_a_key_skips_the_earlier_ones(world: World) -> None:
    ann = await world.bootstrap()
    work = msgspec.json.encode(VersionDraft("x", "x", "text/plain")).decode()
    params = {
        "org": ann.org.id,
        "team": ann.team.id,
        "owner": ann.user_id,
        "work": work,
        "now": "2026-01-01T00:00:00.000Z",
    }
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        await tx.run(_UPLOADS, first=0, last=LARGE - 1, **params)
    await analyze(world)
    costs = []
    for after in ("", "f149/"):
        async with visited(world) as total:
            who = msgspec.structs.replace(principal(ann), permissions=frozenset({P.FILES_WRITE}))
            page = await multipart.list_uploads(world.db, who, prefix="f", after=(after, ""), limit=PAGE)
        assert [row.key[:4] for row in page] == [after[:4] or "f100"] * PAGE
        costs.append(total.count)
    assert costs[1] <= NOISE * costs[0], "earlier uploads are not scanned"


async def test_lists_do_not_scan_removed_objects(world: World) -> None:
    filled = await FilledTeam.create(world)
    await filled.fill(SMALL)
    before = await filled.costs()
    await filled.fill(LARGE)
    await filled.mark_removed()
    assert grown(before, await filled.costs()) == {}


async def test_lists_do_not_scan_the_trash(world: World) -> None:
    filled = await FilledTeam.create(world)
    await filled.fill(SMALL)
    before = await filled.costs()
    await filled.fill(LARGE)
    await filled.trash()
    assert grown(before, await filled.costs()) == {}


async def test_a_page_of_the_trash_costs_the_same_in_a_full_one(world: World) -> None:
    filled = await FilledTeam.create(world)
    deleters = [
        msgspec.structs.replace(who, permissions=frozenset({P.FILES_DELETE}), scope=None)
        for who in filled.people.values()
    ]
    costs = []
    for count in (SMALL, LARGE):
        await filled.fill(count)
        await filled.trash()
        async with visited(world) as total:
            for who in deleters:
                await trash.list_trashed(world.db, who, ("~", "~"), PAGE)
        costs.append(total.count)
    assert costs[1] <= NOISE * costs[0] + 20
