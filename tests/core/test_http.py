"""The gate: one order of checks, one form of refusal, and the same headers on every response."""

from collections.abc import Callable

import pytest

from teamspace.core.errors import Overloaded
from teamspace.core.json_body import has_nul, is_too_deep
from teamspace.core.limits import LoadShedder, Rate
from teamspace.tenancy.schemas import OrgRole, Role
from tests.core.conftest import PROVISION, Lab
from tests.support.world import World


async def test_an_internal_error_discloses_nothing(bench: Lab, caplog: pytest.LogCaptureFixture) -> None:
    answer = await bench(None, "GET", "/lab/boom")
    assert answer.status_code == 500
    problem = answer.json()
    assert (problem["code"], problem["request_id"]) == ("internal_error", answer.headers["x-request-id"])
    assert "SELECT" not in answer.text and "/var" not in answer.text
    assert problem["request_id"] in caplog.text


async def test_every_response_has_the_standard_headers(bench: Lab) -> None:
    for path in ("/lab/boom", "/lab/role", "/nowhere", "/lab/events"):
        headers = (await bench(None, "GET", path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-api-version"] == "1"
        assert "no-store" in headers["cache-control"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert len(headers["x-request-id"]) >= 8


@pytest.mark.parametrize(
    ("sent", "accepted"), [("abcdef-123.X_y", True), ("x", True), ("bad id here", False), ("x" * 200, False)]
)
async def test_a_well_formed_request_id_is_kept(bench: Lab, sent: str, accepted: bool) -> None:
    answer = await bench.client.get("/nowhere", headers={"x-request-id": sent})
    assert (answer.headers["x-request-id"] == sent) is accepted


async def test_unknown_paths_and_methods(bench: Lab) -> None:
    assert (await bench(None, "GET", "/nowhere")).status_code == 404
    refused = await bench(None, "DELETE", "/lab/events")
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
    assert refused.headers["allow"] == "GET"


async def test_head_is_get_without_a_body(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    whole = await bench(ann, "GET", "/lab/role")
    head = await bench(ann, "HEAD", "/lab/role")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(whole.content)))


async def test_who_can_use_which_class_of_route(bench: Lab, world: World) -> None:
    operator = await world.bootstrap()
    org, team = operator.org, operator.team
    member = await world.person(org, team, Role.MEMBER)
    reader = await world.person(org, team, Role.GUEST, org_role=OrgRole.READER)
    worker = await world.worker(org, team)
    for path, passing in {
        "/lab/operator": [operator],
        "/lab/company": [operator, reader],
        "/lab/role": [operator],
        "/lab/feature": [operator, member, reader],
        "/lab/row": [operator, member, reader],
        "/lab/own": [operator, member, reader],
    }.items():
        for caller in (operator, member, reader, worker):
            answer = await bench(caller, "GET", path)
            assert answer.status_code == (200 if caller in passing else 403), (path, caller.username, answer.text)
        assert (await bench(None, "GET", path)).status_code == 401


async def test_an_operator_reaches_the_company_plane_without_a_company_role(bench: Lab, world: World) -> None:
    await world.bootstrap()
    org, team = await world.company()
    operator = await world.person(org, team, Role.OWNER, operator=True)
    assert (await bench(operator, "GET", "/lab/company")).status_code == 200


async def test_provision_routes_accept_only_the_provision_token(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    assert (await bench(ann, "POST", "/lab/provision")).status_code == 401
    right = await bench.client.post("/lab/provision", headers={"authorization": f"Bearer {PROVISION}"})
    assert right.json() == {"kind": "provision"}


async def test_a_scope_is_checked_before_the_permission(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    narrow = await world.token(ann, scope=["notes:read"])
    assert (await bench(narrow, "GET", "/lab/role")).json()["code"] == "out_of_scope"
    assert (await bench(narrow, "GET", "/lab/own")).json()["code"] == "out_of_scope"
    assert (await bench(narrow, "GET", "/lab/row")).status_code == 200


async def test_a_disabled_feature_is_refused(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    async with world._setup(ann.org) as tx:
        await tx.run("UPDATE teams SET features = '[]'")
    refused = await bench(ann, "GET", "/lab/feature")
    assert (refused.status_code, refused.json()["code"]) == (403, "feature_disabled")


@pytest.mark.by_turns
@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a,b", "ts_a_x", "Bearer ts_a_" + "x" * 36]
)
async def test_only_a_bearer_header_is_a_credential(bench: Lab, header: str) -> None:
    answer = await bench.client.get("/lab/role", headers={"authorization": header})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


async def test_a_repeated_credential_is_refused(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    twice = [("authorization", f"Bearer {ann.token}"), ("authorization", f"Bearer {ann.token}")]
    answer = await bench.client.get("/lab/role", headers=twice)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")


async def test_headers_and_urls_have_a_limit(bench: Lab) -> None:
    assert (await bench.client.get("/lab/slow", headers={"x-long": "x" * 17_000})).status_code == 431
    assert (await bench.client.get("/lab/slow?" + "x" * 9000)).status_code == 400


@pytest.mark.by_turns
@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"text": "a"}', 200, ""),
        (b'{"text": 1}', 400, "/text"),
        (b'{"text": "a", "numbers": [1, "x"]}', 400, "/numbers/1"),
        (b'{"text": "a", "more": 1}', 400, "more"),
        (b"{", 400, "not valid JSON"),
        (b"[]", 400, ""),
        (b"", 400, "text"),
        (b'{"text": NaN}', 400, ""),
        (b'{"text": "\\ud800"}', 400, ""),
        (b'{"text": "\xff"}', 400, ""),
        (b'{"text": "a\\u0000b"}', 400, "NUL"),
        (b'{"text": "\\\\u0000"}', 200, ""),
        (b'{"text": "a", "numbers": ' + b"[" * 70 + b"]" * 70 + b"}", 400, "nested"),
        (b'{"text": "' + b"a" * 5000 + b'"}', 413, "4096"),
    ],
)
async def test_json_bodies_are_validated(bench: Lab, body: bytes, status: int, words: str) -> None:
    answer = await bench.client.post("/lab/body", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert words in answer.text


async def test_another_content_type_is_refused(bench: Lab) -> None:
    answer = await bench.client.post("/lab/body", content=b"text=a", headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_type")


@pytest.mark.parametrize("path", ["/lab/wait/%ff", "/lab/wait/a%00b", "/lab/wait/a%0ab"])
async def test_a_path_with_invalid_characters_is_refused(bench: Lab, path: str) -> None:
    assert (await bench(None, "GET", path)).status_code == 400


async def test_a_serialization_failure_is_retried(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    assert (await bench(ann, "POST", "/lab/collide")).status_code == 204


async def test_an_accepted_job_is_202(bench: Lab, world: World) -> None:
    ann = await world.bootstrap()
    assert (await bench(ann, "POST", "/lab/job")).status_code == 202


async def test_rates_are_counted_by_token_and_by_address(build_lab: Callable[..., Lab], world: World) -> None:
    ann = await world.bootstrap()
    other = await world.token(ann)
    lab = build_lab(token_rate=Rate(60, 3), anonymous_rate=Rate(60, 2))
    assert [(await lab(ann, "GET", "/lab/own")).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert (await lab(other, "GET", "/lab/own")).status_code == 200
    refused = await lab(ann, "GET", "/lab/own")
    assert refused.json()["code"] == "rate_limited"
    assert refused.headers["retry-after"] == str(refused.json()["retry_after"]) == "1"
    assert [(await lab(None, "GET", "/lab/own")).status_code for _ in range(3)] == [401, 401, 429]


async def test_a_shed_request_gets_retry_after(bench: Lab) -> None:
    """Also a read, which takes fewer steps to the same response."""
    bench.gate.shedder.longest_wait = -1.0
    read, write = await bench(None, "GET", "/lab/events"), await bench(None, "POST", "/lab/body", json={})
    for refused in (read, write):
        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (503, "overloaded", "1")
        assert refused.json()["request_id"] == refused.headers["x-request-id"]
    assert read.json() | {"request_id": ""} == write.json() | {"request_id": ""}
    assert read.headers.keys() == write.headers.keys()
    assert (await bench(None, "GET", "/nowhere")).status_code == 404


async def test_the_shedder_refuses_what_has_waited_and_tells_the_share() -> None:
    shedder = LoadShedder(longest_wait=0.1)
    shedder.start()
    for waited in (0.0, 0.09, 0.1):
        shedder.admit(waited)
    with pytest.raises(Overloaded):
        shedder.admit(0.11)
    for share in (0.25, 0):
        for _ in range(shedder.TICKS_OF_SHARE):
            shedder._tick()
        assert shedder.share == share
    shedder.stop()


def test_nesting_depth_ignores_brackets_in_strings() -> None:
    assert not is_too_deep(b'{"a": "' + b"[" * 500 + b'"}')
    assert not is_too_deep(b"[" * 64 + b"]" * 64)
    assert is_too_deep(b"[" * 65 + b"]" * 65)
    assert not is_too_deep(b"[" + b"[],{}," * 5000 + b"[]]")
    assert not is_too_deep(b'["\\"' + b"[" * 100 + b'"]')


def test_an_escaped_nul_is_distinguished_from_an_escaped_backslash() -> None:
    assert has_nul(b'"\\u0000"')
    assert not has_nul(b'"\\\\u0000"')
    assert has_nul(b'"\\\\\\u0000"')
