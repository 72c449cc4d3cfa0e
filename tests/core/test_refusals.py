"""Refusals have a key and parameters, and a text from the catalog."""

import msgspec
import pytest

from teamspace.core.errors import BadRequest, Conflict, NotFound, QuotaExceeded, VersionMismatch
from teamspace.core.messages import catalogs, render
from tests.support.world import World


def body(refusal: BadRequest | Conflict | NotFound | QuotaExceeded | VersionMismatch) -> dict[str, object]:
    encoded: dict[str, object] = msgspec.json.decode(msgspec.json.encode(refusal.problem("r")))
    return encoded


def test_a_text_takes_its_parameters_as_they_are() -> None:
    assert (
        render("request.version", {"version": 12345}) == "The current version is 12345: read it again before writing."
    )
    assert render("value.unknown_field", {"field": "{field}"}) == "Object contains unknown field `{field}`"


def test_a_refusal_has_its_key_its_parameters_and_its_text() -> None:
    assert body(VersionMismatch(3)) == {
        "type": "urn:teamspace:problem:version_mismatch",
        "title": "The resource has changed",
        "status": 412,
        "detail": "The current version is 3: read it again before writing.",
        "code": "version_mismatch",
        "key": "request.version",
        "params": {"version": 3},
        "request_id": "r",
        "version": 3,
    }


def test_a_class_with_one_text_has_its_key() -> None:
    plain = NotFound()
    assert (plain.key, plain.detail, str(plain)) == (
        "request.not_found",
        catalogs()["en"]["refusals"]["request.not_found"],
        plain.detail,
    )


def test_a_field_error_has_the_same_key_and_parameters() -> None:
    refusal = BadRequest.at("/radius", "value.min", expected="int", limit="1")
    assert (refusal.key, refusal.detail) == ("value.min", "/radius: Expected `int` >= 1")
    assert body(refusal)["errors"] == [
        {
            "pointer": "/radius",
            "message": "Expected `int` >= 1",
            "key": "value.min",
            "params": {"expected": "int", "limit": "1"},
        }
    ]


def test_parameters_and_fields_of_the_body_do_not_collide() -> None:
    refusal = QuotaExceeded("quota.slots", 7, limit=3, dimension="slots", level="team").with_fields(dimension="x")
    whole = body(refusal)
    assert (whole["retry_after"], whole["dimension"], refusal.params["dimension"]) == (7, "x", "slots")


async def test_the_body_of_a_response_carries_them(world: World) -> None:
    answer = await world.anonymous.post("/api/bootstrap", {"username": 1, "password": "x"})
    [fault] = answer.json()["errors"]
    assert (answer.json()["key"], fault["key"]) == ("value.wrong_type", "value.wrong_type")
    assert fault["params"] == answer.json()["params"] == {"expected": "str", "got": "int"}


async def test_a_late_read_is_refused_in_the_format_of_its_protocol(world: World) -> None:
    """An S3 client and an OpenAI client would take the common body for a broken server."""
    ann = await world.bootstrap()
    world.app.gate.shedder.longest_wait = -1.0
    models = await ann.get("/v1/models")
    assert (models.status_code, models.json()["error"]["code"]) == (503, "overloaded")
    stored = await ann.get("/bucket/key", headers={"authorization": "AWS4-HMAC-SHA256 x"})
    assert (stored.status_code, stored.headers["content-type"]) == (503, "application/xml")
    assert "<Code>SlowDown</Code>" in stored.text


@pytest.mark.parametrize("key", ["", "no.such_key"])
def test_a_refusal_without_a_text_is_a_mistake(key: str) -> None:
    with pytest.raises(KeyError):
        BadRequest(key)
