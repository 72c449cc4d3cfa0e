"""Firing: which uploads start runs, why others do not, and that an upload never pays for it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from teamspace import workflows
from teamspace.core.db import SerializationFailure, Tx
from teamspace.jobs import Queue
from teamspace.repository.domain import writing
from teamspace.tenancy.schemas import Role
from teamspace.triggers.domain import firing
from teamspace.workflows import RunOrder
from tests.identity.help import run_sql
from tests.repository.help import put, send, share
from tests.s3.in_process import InProcessBucket
from tests.support.world import Caller, World
from tests.triggers.help import FILE, add_trigger, change, dry_test, history, publish, reasons


@pytest.fixture
async def ann(world: World) -> Caller:
    ann = await world.bootstrap()
    await publish(ann)
    return ann


async def runs(world: World) -> int:
    return await world.db.one(int, "SELECT COUNT(*) FROM runs") or 0


async def upload(caller: Caller, key: str) -> None:
    """Write a version, and try again if the machine is too busy."""
    async with asyncio.timeout(60):
        while (answer := await send(caller, key)).status_code == 503:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
    assert answer.status_code in (200, 201), answer.text


async def test_an_upload_starts_a_run_with_the_id_of_the_object(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann, match_prefix="inbox/", match_types=["text/*"])
    created = await put(ann, "inbox/a.txt")
    (fire,) = await history(ann, trigger)
    run = (await ann.get(f"/api/runs/{fire['run_id']}")).json()
    assert (run["slug"], run["input"], run["trigger_id"]) == (FILE, {"object_id": created["id"]}, trigger["id"])
    assert run["owner"] == ann.user_id


async def test_what_does_not_match_leaves_no_history(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann, match_prefix="inbox/", match_types=["image/*"])
    off = await add_trigger(ann, enabled=False)
    await put(ann, "outbox/a.png")
    await put(ann, "inbox/a.txt")
    assert (await history(ann, trigger), await history(ann, off), await runs(world)) == ([], [], 0)
    await put(ann, "inbox/a.png")
    await put(ann, "inbox/b", content_type="image/webp")
    assert await reasons(ann, trigger) == [None, None]


async def test_every_way_to_write_a_version_fires(ann: Caller) -> None:
    trigger = await add_trigger(ann)
    document = (await ann.post("/api/documents", {"title": "Plan"})).json()
    await ann.put(f"/api/documents/{document['id']}", {"body": "More"})
    await put(ann, "a.txt")
    bucket = await InProcessBucket.of(ann)
    await bucket("PUT", "b.txt", "", b"text")
    await bucket("PUT", "c.txt", "", b"", x_amz_copy_source=f"/{bucket.name}/b.txt")
    started = await bucket("POST", "d.txt", "uploads=")
    upload = started.text.split("<UploadId>")[1].split("<")[0]
    part = await bucket("PUT", "d.txt", f"partNumber=1&uploadId={upload}", b"part")
    body = f"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{part.headers['etag']}</ETag></Part></CompleteMultipartUpload>"
    await bucket("POST", "d.txt", f"uploadId={upload}", body.encode())
    assert await reasons(ann, trigger) == [None] * 6
    await bucket("DELETE", "d.txt")
    assert len(await reasons(ann, trigger)) == 6, "a delete marker is no content"


async def test_an_upload_to_an_object_of_another_team_starts_nothing(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    document = (await ann.post("/api/documents", {"title": "Plan"})).json()
    bob = await world.person(ann.org, await world.team(ann.org))
    await share(ann, document["id"], bob, "edit")
    assert (await bob.put(f"/api/documents/{document['id']}", {"body": "More"})).status_code == 200
    assert await reasons(ann, trigger) == [None, "no_permission"]


async def test_both_uploader_and_author_need_the_right_to_run(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    trigger = await add_trigger(bob)
    await put(ann, "1.txt")
    narrow = await world.token(ann, scope=["files:write", "files:read"])
    await put(narrow, "2.txt")
    await run_sql(world, "UPDATE memberships SET role = 'viewer' WHERE user_id = :id", id=bob.user_id)
    await put(ann, "3.txt")
    await ann.delete(f"/api/members/{bob.user_id}")
    await put(ann, "4.txt")
    rows = await history(ann, trigger)
    assert [row["reason"] for row in rows] == [None, "no_permission", "no_permission", "no_permission"]
    assert [row["key"] for row in rows[1:]] == [
        "triggers.uploader_rights", "triggers.author_rights", "triggers.author_gone",
    ]  # fmt: skip
    await change(ann, trigger, match_prefix="")
    await put(ann, "5.txt")
    assert (await reasons(ann, trigger))[-1] is None, "it has an author again"


async def test_the_scope_of_the_token_that_saved_the_trigger_limits_it(world: World, ann: Caller) -> None:
    narrow = await world.token(ann, scope=["workflows:read", "workflows:write", "workflows:run:inbox/"])
    trigger = await add_trigger(narrow)
    await put(ann, "a.txt")
    await put(ann, "inbox/a.txt")
    assert await reasons(ann, trigger) == ["no_permission", None]


async def test_a_run_has_only_the_rights_that_uploader_and_author_share(world: World, ann: Caller) -> None:
    narrow = await world.token(ann, scope=["workflows:write", "workflows:run", "notes:write", "files:read:inbox/"])
    trigger = await add_trigger(narrow)
    bob = await world.person(ann.org, ann.team)
    scoped = await world.token(bob, scope=["files:write", "files:read", "workflows:run", "chat:use"])
    await put(scoped, "inbox/a.txt")
    assert await reasons(ann, trigger) == [None]
    (job,) = await world.db.all(str, "SELECT user_id || ' ' || scope || ' ' || limited_by FROM jobs WHERE kind = 'workflow.step'")  # fmt: skip
    user, scope, author = job.split(" ")
    assert (user, author) == (bob.user_id, ann.user_id)
    assert sorted(scope.strip("[]").replace('"', "").split(",")) == ["files:read:inbox/", "workflows:run"]


async def test_an_s3_key_without_the_right_to_run_for_the_prefix_stores_and_fires_nothing(
    world: World, ann: Caller
) -> None:
    trigger = await add_trigger(ann)
    scope = ["files:read", "files:write", "workflows:run:inbox/"]
    key = (await ann.post("/api/s3/credentials", {"name": "scanner", "scope": scope})).json()
    bucket = InProcessBucket(ann, key)
    await bucket("PUT", "outbox/a.txt", "", b"text")
    assert (await bucket("GET", "outbox/a.txt")).content == b"text"
    assert await runs(world) == 0
    await bucket("PUT", "inbox/a.txt", "", b"text")
    assert (await reasons(ann, trigger), await runs(world)) == (["no_permission", None], 1)


async def test_a_feature_that_is_off_is_a_reason(ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await ann.post("/api/features/workflows", {"enabled": False})
    await put(ann, "a.txt")
    await ann.post("/api/features/workflows", {"enabled": True})
    assert await reasons(ann, trigger) == ["feature_off"]


async def test_a_suspended_company_is_a_reason_of_the_dry_test(world: World, ann: Caller) -> None:
    org, team = await world.company()
    bob = await world.person(org, team, Role.OWNER)
    await publish(bob)
    await add_trigger(bob)
    await world.suspend(org)
    assert await dry_test(bob, "a.txt") == {FILE: "org_suspended"}


async def test_a_workflow_that_is_gone_is_a_reason(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await run_sql(world, "UPDATE doc_triggers SET workflow_slug = 'gone' WHERE id = :id", id=trigger["id"])
    await put(ann, "a.txt")
    (row,) = await history(ann, trigger)
    assert (row["reason"], row["message"]) == ("workflow_missing", "The team has no workflow gone.")
    assert await dry_test(ann, "b.txt") == {"gone": "workflow_missing"}
    assert (await change(ann, trigger, enabled=False))["enabled"] is False, "it can be turned off"


async def test_an_input_that_a_new_version_of_the_workflow_refuses_is_a_reason(ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await publish(ann, FILE, object_id="string", locale="string")
    await put(ann, "a.txt")
    (row,) = await history(ann, trigger)
    assert row["reason"] == "input_invalid" and "/input/locale" in row["message"]
    assert await dry_test(ann, "b.txt") == {FILE: "input_invalid"}


@pytest.mark.parametrize(("dimension", "window"), [("ai.requests", "day"), ("ai.tokens.total", "month")])
async def test_a_budget_that_is_used_up_is_a_reason(ann: Caller, dimension: str, window: str) -> None:
    trigger = await add_trigger(ann)
    await ann.post("/api/quota", {"dimension": dimension, "limit": 0, "window": window})
    await put(ann, "a.txt")
    (row,) = await history(ann, trigger)
    assert (row["reason"], row["params"]) == ("quota", {"dimension": dimension})
    assert await dry_test(ann, "b.txt") == {FILE: "quota"}


async def test_an_upload_begins_with_so_many_jobs_at_most(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firing, "MAX_JOBS", 5)
    each = {
        "id": "each",
        "kind": "map",
        "over": {"$ref": "input.names"},
        "tool": "create_note",
        "with": {"title": {"$ref": "item"}},
    }
    await publish(ann, "many", each, names="array")
    large = await add_trigger(ann, "many", input={"names": ["x"] * 8})
    await put(ann, "a.txt")
    assert await reasons(ann, large) == [None], "one alone can always fire"

    await change(ann, large, enabled=False)
    triggers = [await add_trigger(ann, "many", input={"names": ["x"] * count}) for count in (3, 3, 2)]
    await put(ann, "b.txt")
    assert [await reasons(ann, trigger) for trigger in triggers] == [[None], ["too_many_jobs"], [None]]
    (refused,) = await history(ann, triggers[1])
    assert refused["message"] == "Other triggers of this upload already start 3 jobs; an upload starts at most 5."
    assert await count_jobs(world) == 8 + 3 + 2


async def count_jobs(world: World) -> int:
    return await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE kind = 'workflow.step'") or 0


async def test_a_trigger_that_fails_costs_neither_the_upload_nor_the_other_triggers(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = [await add_trigger(ann) for _ in range(3)]
    start = workflows.start_many

    async def fail(tx: Tx, queue: Queue, orders: Sequence[RunOrder]) -> list[str]:
        run_ids = await start(tx, queue, orders)
        if any(order.trigger_id == second["id"] for order in orders):
            await tx.run("INSERT INTO runs (id) VALUES (NULL)")
        return run_ids

    monkeypatch.setattr(workflows, "start_many", fail)
    created = await put(ann, "a.txt")
    assert (await ann.get(f"/api/repo-obj/{created['id']}")).status_code == 200
    assert [await reasons(ann, each) for each in (first, second, third)] == [[None], ["internal_error"], [None]]
    assert await runs(world) == 2, "the run of the second is undone"


async def test_a_conflict_in_the_database_repeats_the_upload_and_fires_once(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger, start, tries = await add_trigger(ann), workflows.start_many, list[int]()

    async def fail_once(*arguments: Any) -> list[str]:
        tries.append(1)
        if len(tries) == 1:
            raise SerializationFailure
        return await start(*arguments)

    monkeypatch.setattr(workflows, "start_many", fail_once)
    await put(ann, "a.txt")
    assert (await reasons(ann, trigger), await runs(world), len(tries)) == ([None], 1, 2)


async def test_an_upload_that_fails_later_leaves_no_run(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger, announce = await add_trigger(ann), writing.announce

    async def fail(*arguments: Any) -> None:
        await announce(*arguments)
        raise ZeroDivisionError

    monkeypatch.setattr(writing, "announce", fail)
    assert (await send(ann, "a.txt")).status_code == 500
    assert (await history(ann, trigger), await runs(world)) == ([], 0)


async def test_uploads_that_race_fire_once_for_each_version(world: World, ann: Caller) -> None:
    triggers = [await add_trigger(ann) for _ in range(3)]
    keys = ["same.txt"] * 4 + [f"{number}.txt" for number in range(4)]
    await asyncio.gather(*(upload(ann, key) for key in keys))
    for trigger in triggers:
        fired = [(row["object_id"], row["version"]) for row in await history(ann, trigger)]
        assert len(fired) == len(set(fired)) == len(keys)
    assert await runs(world) == 3 * len(keys)


async def test_a_trigger_that_is_deleted_while_an_upload_fires_it_does_not_cost_the_upload(
    world: World, ann: Caller
) -> None:
    for _ in range(3):
        kept, gone = await add_trigger(ann, match_prefix="x/"), await add_trigger(ann, match_prefix="x/")
        *_, deleted = await asyncio.gather(
            *(upload(ann, f"x/{number}.txt") for number in range(4)), ann.delete(f"/api/doc-triggers/{gone['id']}")
        )
        assert deleted is not None and deleted.status_code in (204, 503)
        assert len(await history(ann, kept)) == 4
        await ann.delete(f"/api/doc-triggers/{kept['id']}")
        for number in range(4):
            found = (await ann.get(f"/api/repo?prefix=x/{number}.txt")).json()["items"]
            await ann.delete(f"/api/repo-obj/{found[0]['id']}")
    assert world.db.listener_failures == 0


async def test_the_audit_row_of_the_upload_names_the_runs(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await put(ann, "a.txt")
    (fire,) = await history(ann, trigger)
    detail = await world.db.one(str, "SELECT detail FROM audit WHERE action = 'object.create'")
    assert fire["run_id"] in (detail or "")


async def test_a_run_has_the_locale_of_the_uploader(world: World, ann: Caller) -> None:
    await run_sql(world, "UPDATE users SET locale = 'de' WHERE id = :id", id=ann.user_id)
    await add_trigger(ann)
    bucket = await InProcessBucket.of(ann)
    await bucket("PUT", "b.txt", "", b"text")
    await put(ann, "a.txt")
    assert await world.db.all(str, "SELECT locale FROM runs") == ["de", "de"]
