"""Workers written with the client drain a plugin's jobs over HTTP; what they get wrong is refused and reported."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from teamspace.client import AsyncClient, AsyncWorker, Client, Job, JobFailed, ResultRefused, Unauthenticated, Worker
from teamspace.client import worker as working
from teamspace.client.models import JobDetail

KIND = "x.integrator-demo.lane-report"
LANES = ("hamburg-oslo", "hamburg-shanghai", "rotterdam-new-york")


def report(job: Job) -> dict[str, Any]:
    return {"lane": job.input["lane"], "shipments": 12, "on_time": 0.75}


@pytest.fixture(scope="module")
def token(ann: Client) -> str:
    """The token of an executor that takes the plugin's jobs."""
    created = ann.executors.create(name="Lanes", mode="pull", capabilities=[KIND])
    assert created.token
    return created.token


@contextmanager
def at_work(worker: Worker) -> Iterator[None]:
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(20)
        assert not thread.is_alive()


def ask_for(ann: Client, lane: str) -> str:
    return ann.jobs.create(kind=KIND, input={"lane": lane}).id


def wait_for(ann: Client, job_id: str, *states: str) -> JobDetail:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        job = ann.jobs.get(job_id)
        assert isinstance(job, JobDetail)
        if job.state in states:
            return job
        time.sleep(0.05)
    raise AssertionError(f"the job is {job}")


@pytest.fixture(autouse=True)
def no_long_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "MAX_WAIT", 0.5)


def test_a_worker_drains_a_plugins_jobs(ann: Client, token: str) -> None:
    jobs = [ask_for(ann, lane) for lane in LANES]
    with Client(ann.options.url, token) as client, at_work(Worker(client, {KIND: report}, slots=2)):
        done = [wait_for(ann, job, "succeeded") for job in jobs]
    assert [job.result for job in done] == [{"lane": lane, "shipments": 12, "on_time": 0.75} for lane in LANES]


async def test_an_asynchronous_worker_does_the_same(ann: Client, token: str) -> None:
    async def handler(job: Job) -> dict[str, Any]:
        await asyncio.sleep(0)
        return report(job)

    job_id = ask_for(ann, "hamburg-oslo")
    async with AsyncClient(ann.options.url, token) as client:
        worker = AsyncWorker(client, {KIND: handler})
        task = asyncio.create_task(worker.run())
        job = await asyncio.to_thread(wait_for, ann, job_id, "succeeded")
        worker.stop()
        await asyncio.wait_for(task, 20)
    assert job.result["shipments"] == 12


async def test_a_cancelled_worker_returns_its_job(ann: Client, token: str) -> None:
    started = asyncio.Event()

    async def handler(job: Job) -> None:
        started.set()
        await asyncio.sleep(60)

    job_id = ask_for(ann, "hamburg-oslo")
    async with AsyncClient(ann.options.url, token) as client:
        task = asyncio.create_task(AsyncWorker(client, {KIND: handler}).run())
        await asyncio.wait_for(started.wait(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    job = await asyncio.to_thread(wait_for, ann, job_id, "queued")
    assert job.error and job.error.code == "stopped"
    ann.jobs.cancel(job_id)


def test_a_bad_result_is_refused_with_the_validators_reason(ann: Client, token: str) -> None:
    job_id = ask_for(ann, "hamburg-oslo")
    with Client(ann.options.url, token) as client:
        assignment = client.workers.claim(kinds=[KIND], max_wait=5)
        assert assignment and assignment.job.id == job_id
        claim = {"claim_token": assignment.claim_token}
        with pytest.raises(ResultRefused, match="on_time must be from 0 to 1"):
            client.workers.complete(job_id, result={"lane": "hamburg-oslo", "shipments": 1, "on_time": 75}, **claim)
        with pytest.raises(ResultRefused, match="not about the requested lane"):
            client.workers.complete(job_id, result={"lane": "oslo-rome", "shipments": 1, "on_time": 1}, **claim)
        client.workers.complete(job_id, result={"lane": "hamburg-oslo", "shipments": 1, "on_time": 1}, **claim)
    assert wait_for(ann, job_id, "succeeded").result["shipments"] == 1


def test_a_worker_reports_a_refused_result(ann: Client, token: str) -> None:
    job_id = ask_for(ann, "hamburg-oslo")
    answers = [{"shipments": -1}, {}]

    def handler(job: Job) -> object:
        return {**report(job), **answers.pop(0)}

    with Client(ann.options.url, token) as client, at_work(Worker(client, {KIND: handler})):
        refused = wait_for_error(ann, job_id)
        again = wait_for(ann, job_id, "succeeded", "failed")
    assert refused.error and refused.error.code == "response_refused"
    assert "shipments must be a whole number from 0" in refused.error.message
    assert (again.state, again.attempt) == ("succeeded", 2)


def wait_for_error(ann: Client, job_id: str) -> JobDetail:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        job = ann.jobs.get(job_id)
        assert isinstance(job, JobDetail)
        if job.error:
            return job
        time.sleep(0.02)
    raise AssertionError("the job has no error")


def test_what_a_handler_raises_is_reported(ann: Client, token: str) -> None:
    def handler(job: Job) -> object:
        if job.input["lane"] == "nowhere":
            raise JobFailed("There is no such lane.", code="no_lane")
        raise KeyError("shipments")

    jobs = [ask_for(ann, "nowhere"), ask_for(ann, "hamburg-oslo")]
    with Client(ann.options.url, token) as client, at_work(Worker(client, {KIND: handler})):
        refused, broken = wait_for(ann, jobs[0], "failed"), wait_for_error(ann, jobs[1])
    assert refused.error and (refused.error.code, refused.error.message) == ("no_lane", "There is no such lane.")
    assert broken.error and (broken.error.code, broken.error.retryable) == ("worker_failed", True)
    assert broken.error.message == "KeyError: 'shipments'"
    ann.jobs.cancel(wait_for(ann, jobs[1], "queued").id)


def test_progress_is_shown_and_the_lease_is_kept(
    ann: Client, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(working, "LEASE", 0.3)
    finish = threading.Event()

    def handler(job: Job) -> object:
        job.progress, job.message = 0.5, "Half of it"
        assert finish.wait(20)
        return report(job)

    job_id = ask_for(ann, "hamburg-oslo")
    with Client(ann.options.url, token) as client, at_work(Worker(client, {KIND: handler})):
        deadline = time.monotonic() + 20
        while ann.jobs.get(job_id).progress != 0.5 and time.monotonic() < deadline:  # type: ignore[union-attr]
            time.sleep(0.05)
        job = wait_for(ann, job_id, "running")
        finish.set()
        wait_for(ann, job_id, "succeeded")
    assert (job.progress, job.message) == (0.5, "Half of it")


def test_a_worker_that_the_server_refuses_ends_with_the_reason(ann: Client) -> None:
    with Client(ann.options.url, "ts_w_wrong") as client, pytest.raises(Unauthenticated):
        Worker(client, {KIND: report}).run()


PROGRAM = """
import sys, time
from teamspace.client import Client, Worker

def slowly(job):
    print("working", flush=True)
    time.sleep(float(sys.argv[1]))
    return {"lane": job.input["lane"], "shipments": 1, "on_time": 1}

with Client() as client:
    Worker(client, {"x.integrator-demo.lane-report": slowly}).run()
"""


@pytest.mark.parametrize("signals", [1, 2], ids=["finishes its job", "returns its job"])
def test_a_signal_stops_a_worker(ann: Client, token: str, signals: int, tmp_path: Path) -> None:
    job_id = ask_for(ann, "hamburg-oslo")
    seconds = "1" if signals == 1 else "60"
    environment = {**os.environ, "TEAMSPACE_URL": ann.options.url, "TEAMSPACE_TOKEN": token}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, seconds], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout and process.stdout.readline() == b"working\n"
        for _ in range(signals):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        assert process.wait(20) == 0
    if signals == 1:
        assert wait_for(ann, job_id, "succeeded").attempt == 1
    else:
        job = wait_for(ann, job_id, "queued")
        assert job.error and (job.error.code, job.error.retryable) == ("stopped", True)
        ann.jobs.cancel(job_id)
