"""Who sees a run: its owner, admins and readers of all its documents in full; other members an outline; others nothing."""

from typing import Any

from teamspace.tenancy.schemas import Role
from tests.jobs.help import get_job
from tests.support.world import Caller, World
from tests.workflows import toys
from tests.workflows.help import call, ended, get_run, map_over, publish, ref, spec, start, step_of, workflow_world

OUTLINE = {"view", "id", "slug", "version", "title", "state", "created_at", "finished_at"}


async def put(caller: Caller, key: str, visibility: str = "private") -> str:
    answer = await caller(
        "PUT", f"/api/repo/{key}?visibility={visibility}", headers={"content-type": "text/plain"}, content=b"x"
    )
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["id"])


def naming(slug: str = "naming") -> dict[str, Any]:
    return spec(
        slug,
        call("card", "toy_card", **{"with": {"object": ref("input.object")}}),
        inputs={"object": {"type": "string"}},
    )


async def test_a_run_is_in_full_for_those_who_read_all_its_documents(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        await publish(ann, naming())
        private, shared = await put(bob, "private.txt"), await put(bob, "shared.txt", "team")
        secret = await ended(bob, (await start(bob, "naming", {"object": private}))["id"])
        public = await ended(bob, (await start(bob, "naming", {"object": shared}))["id"])
        assert (secret["objects"], public["objects"]) == ([private], [shared])
        assert (await get_run(ann, secret["id"]))["view"] == "full", "an admin"
        assert (await get_run(eve, public["id"]))["view"] == "full"
        seen = await get_run(eve, secret["id"])
        assert (seen["view"], set(seen)) == ("outline", OUTLINE)
        listed = {item["id"]: item["view"] for item in (await eve.get("/api/runs")).json()["items"]}
        assert listed == {secret["id"]: "outline", public["id"]: "full"}
        job_id = step_of(secret, "card")["items"][0]["job_id"]
        assert (await get_job(eve, job_id))["view"] == "outline"
        assert (await get_job(bob, job_id))["view"] == "full"
        answer = await bob.post(f"/api/repo-obj/{private}/share", {"user_id": eve.user_id})
        assert answer.status_code == 200, answer.text
        assert (await get_run(eve, secret["id"]))["view"] == "full"
        assert (await get_job(eve, job_id))["view"] == "full"
        await bob.delete(f"/api/repo-obj/{private}")
        assert (await get_run(eve, secret["id"]))["view"] == "outline", "what is gone can be read by no one"
        assert (await get_run(bob, secret["id"]))["view"] == "full", "his own"


async def test_a_run_without_documents_is_its_owners(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        await publish(ann, spec("plain", call("any", "toy_any", **{"with": {"value": "secret"}})))
        run = await ended(bob, (await start(bob, "plain"))["id"])
        assert (await get_run(eve, run["id"]))["view"] == "outline"
        refused = await eve.post("/api/workflows/plain/run", {"resume_from": run["id"]})
        assert refused.status_code == 404
        other_team = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
        assert (await other_team.get(f"/api/runs/{run['id']}")).status_code == 404
        assert (await other_team.post(f"/api/runs/{run['id']}/cancel")).status_code == 404
        assert (await other_team.get("/api/runs")).json()["items"] == []


async def test_documents_in_results_and_arguments_count_too(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        private, shared = await put(bob, "private.txt"), await put(bob, "shared.txt", "team")
        raw = spec(
            "finding",
            call("find", "toy_any", **{"with": {"value": {"ids": [shared, private]}}}),
            map_over("each", ref("steps.find.output.result.ids"), "toy_card", **{"with": {"object": ref("item")}}),
        )
        await publish(ann, raw)
        run = await ended(bob, (await start(bob, "finding"))["id"])
        assert run["objects"] == sorted([private, shared])
        assert (await get_run(eve, run["id"]))["view"] == "outline"


async def test_a_run_whose_tools_read_more_than_documents_is_its_owners(world: World) -> None:
    """Otherwise a reader of the document would read the private note that the search has found, too."""
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        shared = await put(bob, "shared.txt", "team")
        assert (await bob.post("/api/notes", {"title": "Salary", "body": "A secret"})).status_code == 201
        raw = spec(
            "searching",
            call("card", "toy_card", **{"with": {"object": ref("input.object")}}),
            call("find", "search", **{"with": {"q": "salary"}}),
            inputs={"object": {"type": "string"}},
        )
        await publish(ann, raw)
        run = await ended(bob, (await start(bob, "searching", {"object": shared}))["id"])
        assert run["objects"] == [shared] and "Salary" in str(run)
        seen = await get_run(eve, run["id"])
        assert (seen["view"], set(seen)) == ("outline", OUTLINE)
        assert (await get_run(ann, run["id"]))["view"] == "full", "an admin"


async def test_a_run_that_takes_over_private_results_is_its_owners(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        shared = await put(bob, "shared.txt", "team")
        assert (await bob.post("/api/notes", {"title": "Salary", "body": "A secret"})).status_code == 201
        raw = spec(
            "searching",
            call("card", "toy_card", **{"with": {"object": ref("input.object")}}),
            call("find", "search", **{"with": {"q": "salary"}}),
            call("card_again", "toy_card", **{"with": {"object": ref("input.object")}}),
            inputs={"object": {"type": "string"}},
        )
        await publish(ann, raw)
        toys.FAILURES["card"] = ["", "failed"]
        failed = await ended(bob, (await start(bob, "searching", {"object": shared}))["id"])
        assert failed["state"] == "failed"
        run = await ended(bob, (await start(bob, "searching", resume_from=failed["id"]))["id"])
        assert run["state"] == "succeeded" and "Salary" in str(run)
        assert (await get_run(eve, run["id"]))["view"] == "outline"


async def test_a_run_that_names_very_many_documents_is_its_owners(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        ids = [await put(bob, f"many/{number}.txt", "team") for number in range(201)]
        raw = spec(
            "many", call("any", "toy_any", **{"with": {"value": ref("input.ids")}}), inputs={"ids": {"type": "array"}}
        )
        await publish(ann, raw)
        few = await ended(bob, (await start(bob, "many", {"ids": ids[:200]}))["id"])
        assert (len(few["objects"]), (await get_run(eve, few["id"]))["view"]) == (200, "full")
        run = await ended(bob, (await start(bob, "many", {"ids": ids}))["id"])
        assert run["objects"] == []
        assert (await get_run(eve, run["id"]))["view"] == "outline"


async def test_runs_are_listed_by_state_slug_and_document(world: World) -> None:
    async with workflow_world(world) as ann:
        bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
        await publish(ann, naming())
        await publish(ann, naming("other"))
        private = await put(bob, "private.txt")
        one = await ended(bob, (await start(bob, "naming", {"object": private}))["id"])
        two = await ended(bob, (await start(bob, "other", {"object": "none"}))["id"])

        async def listed(caller: Caller, query: str) -> list[str]:
            answer = await caller.get(f"/api/runs?{query}")
            assert answer.status_code == 200, answer.text
            return [item["id"] for item in answer.json()["items"]]

        assert await listed(bob, "") == [two["id"], one["id"]]
        assert await listed(bob, "slug=naming") == [one["id"]]
        assert await listed(bob, "state=succeeded&slug=other") == [two["id"]]
        assert await listed(bob, "state=failed") == []
        assert await listed(bob, f"object={private}") == [one["id"]]
        assert await listed(bob, f"object={private}&slug=other") == []
        assert await listed(eve, f"object={private}") == [], "that a document is used is for those who read the run"
        page = (await bob.get("/api/runs?limit=1")).json()
        assert [item["id"] for item in page["items"]] == [two["id"]]
        assert await listed(bob, f"limit=1&cursor={page['next_cursor']}") == [one["id"]]
        assert (await bob.get("/api/runs?state=odd")).status_code == 400


async def test_a_scoped_token_limits_the_steps(world: World) -> None:
    async with workflow_world(world) as ann:
        note = spec("noting", call("note", "create_note", **{"with": {"title": "A", "body": "B"}}))
        await publish(ann, note)
        narrow = await world.token(ann, scope=["workflows:run", "workflows:read"])
        run = await ended(ann, (await start(narrow, "noting"))["id"])
        assert (run["state"], run["error"]["code"]) == ("failed", "out_of_scope")
        wide = await world.token(ann, scope=["workflows:run", "workflows:read", "notes:write"])
        run = await ended(ann, (await start(wide, "noting"))["id"])
        assert run["state"] == "succeeded", run["error"]
        runner = await world.token(ann, scope=["workflows:run"])
        answer = await runner.post("/api/workflows/noting/run", {})
        assert answer.status_code == 202
        assert answer.json()["view"] == "full", "it has just started it"
        assert (await runner.get(f"/api/runs/{answer.json()['id']}")).status_code == 403
