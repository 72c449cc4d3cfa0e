"""Real processes: a server, a worker and llama.cpp; stopped, killed and restarted."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.leases import end_leases
from tests.support.llama import Llama
from tests.support.served import Served
from tests.support.upstream import ReceivedRequest, Upstream, completion
from tests.worker.help import Site, running_worker


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    with Llama(tmp_path_factory.mktemp("llama")) as server:
        yield server


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> dict[str, str]:
    return {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}


@pytest.fixture
def site(settings: dict[str, str], tmp_path: Path) -> Iterator[Site]:
    with Served(settings) as served:
        yield Site(served, tmp_path)


class Slow:
    """A model server that answers when it is released."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.called = asyncio.Event()

    async def __call__(self, asked: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        self.called.set()
        await self.release.wait()
        await completion("In the end")(asked, writer)


# llama.cpp


async def test_a_push_executor_is_a_real_model_server(settings: dict[str, str], tmp_path: Path, llama: Llama) -> None:
    with Served({**settings, "SERVICE_EGRESS_ALLOW": llama.address}) as served:
        site = Site(served, tmp_path)
        created = await site.call("POST", "/api/executors", {"name": "Llama", "mode": "push", "url": llama.url})
        job = await site.wait_until_done(await site.create_job())
        assert (job["state"], job["executor"]) == ("succeeded", created["id"]), job
        usage = job["result"]["usage"]
        assert 0 < usage["completion_tokens"] <= 8 < usage["prompt_tokens"]
        assert job["result"]["finish_reason"] in ("length", "stop")
        assert (await site.used())["ai.tokens.total"] == usage["total_tokens"]
        async with asyncio.timeout(20):
            while (await site.call("GET", "/api/executors"))["items"][1]["health"] != "up":  # noqa: ASYNC110
                await asyncio.sleep(0.2)
        by_model = await site.wait_until_done(await site.create_job(model="noise"))
        assert (by_model["state"], by_model["result"]["model"]) == ("succeeded", "noise")


async def test_the_local_executor_has_a_real_model(settings: dict[str, str], tmp_path: Path, llama: Llama) -> None:
    real = {"SERVICE_EGRESS_ALLOW": llama.address, "SERVICE_MODEL_URL": llama.url, "SERVICE_MODEL": "noise"}
    with Served({**settings, **real}) as served:
        site = Site(served, tmp_path)
        job = await site.wait_until_done(await site.create_job())
        assert (job["state"], job["executor"], job["result"]["model"]) == ("succeeded", "local", "noise")
        assert (await site.call("GET", "/api/executors"))["items"][0]["simulated"] is False


async def test_a_worker_reports_results_of_a_real_model(site: Site, llama: Llama) -> None:
    token = await site.executor()
    with running_worker(site, token, llama.url, "--slots", "3") as worker:
        jobs = [await site.wait_until_done(await site.create_job(f"Number {number}")) for number in range(4)]
        assert [job["state"] for job in jobs] == ["succeeded"] * 4, worker.output
        tokens = sum(job["result"]["usage"]["total_tokens"] for job in jobs)
        assert await site.used() == {"ai.requests": 4, "ai.tokens.total": tokens, "ai.concurrency": 0}
        worker.signal()
        assert await worker.wait() == 0
        assert "Traceback" not in worker.output


# Stops and crashes


async def test_a_stopped_worker_finishes_its_job(site: Site) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with running_worker(site, await site.executor(), upstream.url) as worker:
            job_id = await site.create_job()
            await asyncio.wait_for(slow.called.wait(), 30)
            worker.signal()
            later = await site.create_job()
            await asyncio.sleep(0.5)
            slow.release.set()
            assert (await site.wait_until_done(job_id))["result"]["text"] == "In the end"
            assert await worker.wait() == 0
            assert (await site.call("GET", f"/api/jobs/{later}"))["attempt"] == 0
            assert len(upstream.requests) == 1


async def test_a_worker_stopped_twice_returns_its_job(site: Site) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with running_worker(site, await site.executor(), upstream.url) as worker:
            job_id = await site.create_job()
            await asyncio.wait_for(slow.called.wait(), 30)
            worker.signal()
            await asyncio.sleep(0.3)
            worker.signal(signal.SIGINT)
            assert await worker.wait() == 0
            job = await site.wait_for(job_id, "queued")
            assert (job["error"]["code"], job["error"]["retryable"]) == ("stopped", True)


async def test_a_killed_workers_job_is_run_by_another(site: Site, settings: dict[str, str], tmp_path: Path) -> None:
    slow = Slow()
    token = await site.executor()
    async with Upstream(slow) as dead, Upstream(completion("By another")) as alive:
        with running_worker(site, token, dead.url) as worker:
            job_id = await site.create_job()
            await asyncio.wait_for(slow.called.wait(), 30)
            worker.signal(signal.SIGKILL)
            await worker.wait()
        await end_leases(settings["SERVICE_DATABASE_URL"] or tmp_path / "data/teamspace.sqlite")
        with running_worker(site, token, alive.url):
            job = await site.wait_until_done(job_id)
        assert (job["state"], job["result"]["text"], job["attempt"]) == ("succeeded", "By another", 2)


async def test_a_worker_survives_a_server_restart(site: Site) -> None:
    slow = Slow()
    async with Upstream(slow) as upstream:
        with running_worker(site, await site.executor(), upstream.url) as worker:
            job_id = await site.create_job()
            await asyncio.wait_for(slow.called.wait(), 30)
            site.served.kill()
            slow.release.set()
            await asyncio.sleep(1)
            await asyncio.to_thread(site.served.start)
            job = await site.wait_until_done(job_id)
            assert (job["state"], job["attempt"]) == ("succeeded", 1), worker.output
            assert (await site.wait_until_done(await site.create_job()))["state"] == "succeeded"


async def test_a_worker_with_an_invalid_token_ends_with_an_error(site: Site, tmp_path: Path) -> None:
    token = tmp_path / "wrong.token"
    token.write_text("ts_w_wrong")
    with running_worker(site, token, "http://127.0.0.1:9/v1") as worker:
        assert await worker.wait() == 1
        assert "teamspace: the server answered 401" in worker.output
        assert "Traceback" not in worker.output


async def test_invalid_arguments_are_reported_in_one_line(site: Site, tmp_path: Path) -> None:
    token = tmp_path / "some.token"
    token.write_text("ts_w_some")
    wrong = (("ftp://x", (), "must be a URL"), ("http://x", ("--kinds", "ai.dance"), "is not one of ai.chat"))
    for url, more, message in wrong:
        with running_worker(site, token, url, *more) as worker:
            assert await worker.wait() == 1
            assert message in worker.output
            assert worker.output.count("\n") == 1
