"""A plain request is the one that httpx2's client would send."""

from typing import Any

import httpx2
import pytest

from tests.support.plain_request import is_plain, send_plain

REQUESTS: tuple[tuple[str, str, Any, dict[str, str]], ...] = (
    ("GET", "/api/notes?limit=2&q=a", None, {}),
    ("HEAD", "/api/notes", None, {}),
    ("POST", "/api/notes", {"title": "Größe", "tags": ["a"], "n": 1.5}, {"Authorization": "Bearer x"}),
    ("POST", "/api/notes", None, {"X-Request-Id": "1"}),
    ("PUT", "/api/notes/a-b_c.d~e", {}, {"content-type": "text/plain", "user-agent": "me"}),
    ("DELETE", "/api/notes/1", None, {}),
    ("DELETE", "/api/2fa", {"code": "1"}, {}),
)


class Echo:
    """An app that keeps the last request and answers in two parts."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        self.seen = {**scope, "headers": sorted(scope["headers"]), "body": body}
        await send({"type": "http.response.start", "status": 201, "headers": [(b"x-one", b"1"), (b"x-one", b"2")]})
        await send({"type": "http.response.body", "body": b"two ", "more_body": True})
        await send({"type": "http.response.body", "body": b"parts"})


@pytest.mark.parametrize(("method", "path", "body", "headers"), REQUESTS)
async def test_a_plain_request_equals_that_of_the_client(
    method: str, path: str, body: Any, headers: dict[str, str]
) -> None:
    app = Echo()
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 50000))
    async with httpx2.AsyncClient(transport=transport, base_url="http://teamspace.test") as client:
        usual = await client.request(method, path, json=body, headers=headers)
        expected = app.seen
        plain = await send_plain(client, method, path, body, headers)
    assert app.seen == expected
    assert (plain.status_code, plain.headers, plain.content) == (usual.status_code, usual.headers, usual.content)
    assert (plain.request.method, plain.request.url) == (usual.request.method, usual.request.url)


@pytest.mark.parametrize(
    ("path", "headers", "options"),
    [
        ("/api/a b", {}, {}),
        ("/api/%2F", {}, {}),
        ("/api/ö", {}, {}),
        ("/api/notes#part", {}, {}),
        ("https://elsewhere.example/", {}, {}),
        ("/", {"x": "ö"}, {}),
        ("/", {}, {"params": {"q": "a b"}}),
    ],
)
def test_any_other_request_is_left_to_the_client(path: str, headers: dict[str, str], options: dict[str, Any]) -> None:
    assert not is_plain(path, headers, options)
