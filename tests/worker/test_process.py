"""Real processes: a server, a worker, and llama.cpp behind them; stopped, killed and started again."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.leases import end_leases
from tests.support.llama import Llama
from tests.support.served import Served
from tests.support.upstream import Asked, Upstream, completion
from tests.worker.help import Office, hired


@pytest.fixture
def llama(tmp_path: Path) -> Iterator[Llama]:
    with Llama(tmp_path) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


@pytest.fixture
def office(settings: dict[str, str], tmp_path: Path) -> Iterator[Office]:
    with Served(settings) as served:
        yield Office(served, tmp_path)


class Slow:
    """A model server that answers when it is let."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.asked = asyncio.Event()

    async def __call__(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        self.asked.set()
        await self.let.wait()
        await completion("In the end")(asked, writer)


# llama.cpp


async def test_a_push_executor_is_a_real_model_server(settings: dict[str, str], tmp_path: Path, llama: Llama) -> None:
    with Served({**settings, "SERVICE_EGRESS_ALLOW": llama.address}) as served:
        office = Office(served, tmp_path)
        made = await office.call("POST", "/api/executors", {"name": "Llama", "mode": "push", "url": llama.url})
        job = await office.done(await office.ask())
        assert (job["state"], job["executor"]) == ("succeeded", made["id"]), job
        usage = job["result"]["usage"]
        assert 0 < usage["completion_tokens"] <= 8 < usage["prompt_tokens"]
        assert job["result"]["finish_reason"] in ("length", "stop")
        assert (await office.used())["ai.tokens.total"] == usage["total_tokens"]
        async with asyncio.timeout(20):
            while (await office.call("GET", "/api/executors"))["items"][1]["health"] != "up":  # noqa: ASYNC110
                await asyncio.sleep(0.2)
        by_model = await office.done(await office.ask(model="noise"))
        assert (by_model["state"], by_model["result"]["model"]) == ("succeeded", "noise")


async def test_the_local_executor_has_a_real_model(settings: dict[str, str], tmp_path: Path, llama: Llama) -> None:
    real = {"SERVICE_EGRESS_ALLOW": llama.address, "SERVICE_MODEL_URL": llama.url, "SERVICE_MODEL": "noise"}
    with Served({**settings, **real}) as served:
        office = Office(served, tmp_path)
        job = await office.done(await office.ask())
        assert (job["state"], job["executor"], job["result"]["model"]) == ("succeeded", "local", "noise")
        assert (await office.call("GET", "/api/executors"))["items"][0]["simulated"] is False


async def test_a_worker_brings_what_a_real_model_says(office: Office, llama: Llama) -> None:
    token = await office.executor()
    with hired(office, token, llama.url, "--slots", "3") as worker:
        jobs = [await office.done(await office.ask(f"Number {number}")) for number in range(4)]
        assert [job["state"] for job in jobs] == ["succeeded"] * 4, worker.said
        tokens = sum(job["result"]["usage"]["total_tokens"] for job in jobs)
        assert await office.used() == {"ai.requests": 4, "ai.tokens.total": tokens, "ai.concurrency": 0}
        worker.signal()
        assert await worker.ended() == 0
        assert "Traceback" not in worker.said


# Ends


async def test_a_worker_that_is_stopped_finishes_what_it_holds(office: Office) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with hired(office, await office.executor(), upstream.url) as worker:
            held = await office.ask()
            await asyncio.wait_for(slow.asked.wait(), 30)
            worker.signal()
            later = await office.ask()
            await asyncio.sleep(0.5)
            slow.let.set()
            assert (await office.done(held))["result"]["text"] == "In the end"
            assert await worker.ended() == 0
            assert (await office.call("GET", f"/api/jobs/{later}"))["attempt"] == 0
            assert len(upstream.asked) == 1


async def test_a_worker_that_is_stopped_twice_gives_back_what_it_holds(office: Office) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with hired(office, await office.executor(), upstream.url) as worker:
            held = await office.ask()
            await asyncio.wait_for(slow.asked.wait(), 30)
            worker.signal()
            await asyncio.sleep(0.3)
            worker.signal(signal.SIGINT)
            assert await worker.ended() == 0
            job = await office.until(held, "queued")
            assert (job["error"]["code"], job["error"]["retryable"]) == ("stopped", True)


async def test_what_a_killed_worker_held_is_done_by_another(
    office: Office, settings: dict[str, str], tmp_path: Path
) -> None:
    slow = Slow()
    token = await office.executor()
    async with Upstream(slow) as dead, Upstream(completion("By another")) as alive:
        with hired(office, token, dead.url) as worker:
            held = await office.ask()
            await asyncio.wait_for(slow.asked.wait(), 30)
            worker.signal(signal.SIGKILL)
            await worker.ended()
        await end_leases(settings["SERVICE_DATABASE_URL"] or tmp_path / "data/teamspace.sqlite")
        with hired(office, token, alive.url):
            job = await office.done(held)
        assert (job["state"], job["result"]["text"], job["attempt"]) == ("succeeded", "By another", 2)


async def test_a_worker_survives_the_server(office: Office) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with hired(office, await office.executor(), upstream.url) as worker:
            held = await office.ask()
            await asyncio.wait_for(slow.asked.wait(), 30)
            office.served.kill()
            slow.let.set()
            await asyncio.sleep(1)
            await asyncio.to_thread(office.served.start)
            job = await office.done(held)
            assert (job["state"], job["attempt"]) == ("succeeded", 1), worker.said
            assert (await office.done(await office.ask()))["state"] == "succeeded"


async def test_a_worker_that_is_nobody_says_so_and_ends(office: Office, tmp_path: Path) -> None:
    token = tmp_path / "wrong.token"
    token.write_text("ts_w_wrong")
    with hired(office, token, "http://127.0.0.1:9/v1") as worker:
        assert await worker.ended() == 1
        assert "teamspace: the server answered 401" in worker.said
        assert "Traceback" not in worker.said


async def test_what_is_wrong_with_its_arguments_is_one_line(office: Office, tmp_path: Path) -> None:
    token = tmp_path / "some.token"
    token.write_text("ts_w_some")
    wrong = (("ftp://x", (), "must be a URL"), ("http://x", ("--kinds", "ai.dance"), "is not one of ai.chat"))
    for url, more, said in wrong:
        with hired(office, token, url, *more) as worker:
            assert await worker.ended() == 1
            assert said in worker.said
            assert worker.said.count("\n") == 1
