"""What is sent again, and what is not: tested with a server that gives rare answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace.client import (
    AsyncClient,
    BadResponse,
    Client,
    Conflict,
    ConnectionFailed,
    QuotaExceeded,
    RateLimited,
    Retry,
    StreamFailed,
    Unavailable,
)
from teamspace.client.calls import Call
from teamspace.client.retrying import Attempts
from teamspace.core.errors import Problem
from tests.client.conftest import QUICK
from tests.support.upstream import ReceivedRequest, Upstream, chunks, cut_off, reply

NOTE = {
    "id": "n1", "title": "Hello", "body": "", "visibility": "private", "tags": [], "owner": "ann", "team_id": "t1",
    "shared_with": [], "version": 1, "created_at": "", "updated_at": "", "of_a_newer_server": True,
}  # fmt: skip


def problem(status: int, code: str, **more: Any) -> Problem:
    return Problem(
        type="", title="", status=status, detail="Because.", code=code, params={}, request_id="r1",
        **{"key": "some.key", **more},
    )  # fmt: skip


class Script:
    """Answers requests in turn: with a problem, with `cut_off`, with bytes of another program, or with a body."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    async def __call__(self, asked: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        answer = self.answers.pop(0)
        if answer is cut_off:
            await cut_off(asked, writer)
        elif isinstance(answer, Problem):
            await reply(writer, answer.status, msgspec.json.encode(answer))
        elif isinstance(answer, int):
            await reply(writer, answer, b"<html>", "location: https://else.where/\r\n" if answer < 400 else "")
        else:
            await reply(writer, 200 if answer else 204, answer or b"")


@asynccontextmanager
async def calling(*answers: Any, retry: Retry = QUICK) -> AsyncIterator[tuple[AsyncClient, Upstream]]:
    async with Upstream(Script(*answers)) as upstream, client_of(upstream, retry) as client:
        yield client, upstream


def client_of(upstream: Upstream, retry: Retry = QUICK) -> AsyncClient:
    return AsyncClient(f"http://127.0.0.1:{upstream.port}", "token", retry=retry)


async def test_a_lost_response_is_requested_again_with_the_same_key() -> None:
    async with calling(cut_off, cut_off, NOTE) as (client, upstream):
        assert (await client.notes.create(title="Hello")).id == "n1"
    keys = [request.headers["idempotency-key"] for request in upstream.requests]
    assert len(keys) == 3 and len(set(keys)) == 1
    assert {request.body for request in upstream.requests} == {b'{"title":"Hello"}'}


async def test_a_key_of_the_callers_own_is_sent() -> None:
    async with calling(NOTE) as (client, upstream):
        await client.notes.create(title="Hello", idempotency_key="import-7")
    headers = upstream.requests[0].headers
    assert headers["idempotency-key"] == "import-7"
    assert headers["authorization"] == "Bearer token"
    assert headers["user-agent"].startswith("teamspace-python/")


@pytest.mark.parametrize(
    "refusal",
    [
        problem(429, "rate_limited", retry_after=0),
        problem(503, "overloaded", retry_after=0),
        problem(429, "quota_exceeded", retry_after=0, dimension="ai.concurrency"),  # a slot, which will be free
        problem(409, "conflict", key="idempotency.no_response"),  # the first one may still run
        503,  # of a proxy
    ],
    ids=lambda refusal: str(getattr(refusal, "code", refusal)),
)
async def test_what_may_succeed_later_is_sent_again(refusal: Any) -> None:
    async with calling(refusal, NOTE) as (client, upstream):
        await client.notes.create(title="Hello")
    assert len(upstream.requests) == 2


async def test_the_server_says_how_long_to_wait() -> None:
    async with calling(problem(429, "rate_limited", retry_after=1), NOTE) as (client, _):
        began = asyncio.get_running_loop().time()
        await client.notes.get("n1")
        assert asyncio.get_running_loop().time() - began >= 1


async def test_no_attempt_begins_after_the_deadline() -> None:
    async with calling(problem(503, "overloaded", retry_after=60)) as (client, upstream):
        with pytest.raises(Unavailable) as caught:
            await client.notes.get("n1")
    assert (caught.value.retry_after, len(upstream.requests)) == (60, 1)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (problem(429, "quota_exceeded", retry_after=1, resets_at="2030-01-01T00:00:00Z"), QuotaExceeded),
        (problem(429, "quota_exceeded"), QuotaExceeded),
        (problem(429, "rate_limited"), RateLimited),  # waiting does not help
        (problem(409, "conflict"), Conflict),
    ],
)
async def test_what_waiting_does_not_mend_is_raised(refusal: Problem, kind: type[Exception]) -> None:
    async with calling(refusal) as (client, upstream):
        with pytest.raises(kind):
            await client.notes.create(title="Hello")
    assert len(upstream.requests) == 1


async def test_an_exhausted_quota_is_awaited_on_request() -> None:
    refusal = problem(429, "quota_exceeded", retry_after=0, resets_at="2030-01-01T00:00:00Z")
    async with calling(refusal, NOTE, retry=Retry(first_pause=0.01, quota=True)) as (client, upstream):
        await client.notes.create(title="Hello")
    assert len(upstream.requests) == 2


async def test_a_write_that_a_repeat_could_do_twice_is_not_repeated() -> None:
    async with calling(cut_off) as (client, upstream):
        with pytest.raises(ConnectionFailed) as caught:
            await client.members.change_role("u1", role="admin")
        assert (caught.value.sent, len(upstream.requests)) == (True, 1)


async def test_a_conditional_write_is_not_repeated() -> None:
    """Its repeat would be refused because of the first one."""
    async with calling(cut_off) as (client, upstream):
        with pytest.raises(ConnectionFailed):
            await client.notes.update("n1", title="Hello", if_match=3)
        assert (upstream.requests[0].headers["if-match"], len(upstream.requests)) == ('"3"', 1)


async def test_a_sign_in_takes_no_key_and_is_not_repeated() -> None:
    async with calling(cut_off) as (client, upstream):
        with pytest.raises(ConnectionFailed):
            await client.auth.sign_in(username="ann", password="secret")
        assert "idempotency-key" not in upstream.requests[0].headers


async def test_a_repeated_deletion_finds_nothing_and_succeeds() -> None:
    gone = problem(404, "not_found")
    async with calling(cut_off, gone) as (client, _):
        await client.notes.delete("n1")
    async with calling(gone) as (client, _):
        with pytest.raises(Exception, match="not_found"):
            await client.notes.delete("n1")


async def test_a_stream_of_the_callers_own_is_never_sent_again(tmp_path: Path) -> None:
    async with calling(problem(503, "overloaded", retry_after=0)) as (client, upstream):
        with pytest.raises(Unavailable):
            await client.repo.put("a.txt", iter([b"once"]))
    assert len(upstream.requests) == 1


async def test_a_server_that_is_not_there_is_tried_again() -> None:
    async with AsyncClient("http://127.0.0.1:9", retry=Retry(attempts=3, first_pause=0.01)) as client:
        with pytest.raises(ConnectionFailed) as caught:
            await client.notes.create(title="Hello")
    assert not caught.value.sent


async def test_attempts_are_limited() -> None:
    async with calling(*[cut_off] * 9) as (client, upstream):
        with pytest.raises(ConnectionFailed):
            await client.notes.get("n1")
    assert len(upstream.requests) == QUICK.attempts


def test_any_number_of_attempts_is_possible() -> None:
    attempts = Attempts(Call(method="GET", path="/"), Retry(attempts=5000, deadline=1e9, max_pause=2))
    pauses = [attempts.pause_after(ConnectionFailed("cut", sent=True)) for _ in range(2000)]
    assert max(pauses[:1]) <= 0.5 and 1 < max(pauses) <= 2


async def test_the_response_of_another_program_is_an_error() -> None:
    async with calling(b"<html>Hello</html>") as (client, _):
        with pytest.raises(BadResponse, match="not what the API sends"):
            await client.notes.get("n1")


async def test_a_stream_that_fails_raises_its_error() -> None:
    start = b'id: t:1\nevent: start\ndata: {"type":"start","id":"t"}\n\n'
    error = b'id: t:2\nevent: error\ndata: {"type":"error","code":"interrupted","message":"It stopped."}\n\n'
    async with (
        Upstream(chunks(start, error)) as upstream,
        client_of(upstream) as client,
        client.ai.stream(prompt="Hello") as stream,
    ):
        with pytest.raises(StreamFailed, match="It stopped") as caught:
            assert [event.name async for event in stream] == []
    assert (caught.value.code, len(upstream.requests)) == ("interrupted", 1)


async def test_what_is_not_a_stream_is_an_error() -> None:
    async with calling(NOTE) as (client, _):
        with pytest.raises(BadResponse, match="not a stream of events"):
            async with client.ai.stream(prompt="Hello"):
                pass


async def test_a_redirect_is_not_followed_and_named() -> None:
    async with calling(301) as (client, upstream):
        with pytest.raises(BadResponse, match=r"redirects to https://else\.where/"):
            await client.notes.get("n1")
    assert len(upstream.requests) == 1


@pytest.mark.parametrize("url", ["", "teamspace.example.com", "ftp://teamspace.example.com"])
def test_a_url_without_a_scheme_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAMSPACE_URL", raising=False)
    with pytest.raises(ValueError, match="TEAMSPACE_URL"):
        Client(url)


def test_address_and_token_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAMSPACE_URL", "https://teamspace.example.com/")
    monkeypatch.setenv("TEAMSPACE_TOKEN", "ts_secret")
    with Client() as client:
        assert client.options.url == "https://teamspace.example.com"
        assert client.options.headers == {"authorization": "Bearer ts_secret"}
        assert "ts_secret" not in repr(client.options)
